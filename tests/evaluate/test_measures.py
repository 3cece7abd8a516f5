"""Measures against slow, obvious versions and worked examples."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.evaluate.measures.base import compute, measures, parse
from workbench.evaluate.ranks import DEPTH, reciprocal_rank_range, sessions_of
from workbench.evaluate.runs import CaseInput, MethodSpec, evaluate
from workbench.evaluate.summary import mean
from workbench.methods.base import MemoryRetriever, RankConfig, Scored, methods
from workbench.records import Case, Gold, Hit, Interaction, Note, Question, Turn, Why

ITEMS = [f"d{i}" for i in range(12)]
SPECS = ["mrr", "recall@1", "recall@5", "hit@5", "ndcg@5", "ndcg@10", "ndcg_longmemeval@5"]


def slow_value(spec: str, ranking: list[str], relevant: set[str]) -> float:
    """Each measure as its definition reads."""
    name, _, cutoff = spec.partition("@")
    top = ranking[: int(cutoff)] if cutoff else ranking
    if name == "mrr":
        return next((1 / rank for rank, item in enumerate(ranking, 1) if item in relevant), 0.0)
    if name == "recall":
        return len(relevant & set(top)) / len(relevant)
    if name == "hit":
        return float(bool(relevant & set(top)))
    discount = {"ndcg": lambda i: math.log2(i + 1), "ndcg_longmemeval": lambda i: 1.0 if i == 1 else math.log2(i)}[name]
    gained = sum(1 / discount(i) for i, item in enumerate(top, 1) if item in relevant)
    return gained / sum(1 / discount(i) for i in range(1, min(len(relevant), int(cutoff)) + 1))


@given(
    ranking=st.permutations(ITEMS).flatmap(lambda p: st.integers(0, 12).map(lambda n: p[:n])),
    relevant=st.sets(st.sampled_from(ITEMS), min_size=1),
)
@pytest.mark.parametrize("spec", SPECS)
def test_equals_its_definition(spec: str, ranking: list[str], relevant: set[str]) -> None:
    value = compute([spec], {"q": ranking}, {"q": relevant})[spec]["q"]
    assert value == pytest.approx(slow_value(spec, ranking, relevant), abs=1e-6)


@st.composite
def tied_rankings(draw: st.DrawFn) -> list[Hit]:
    """Hits of a few sessions with many equal scores, in blocks, as a method hands them over."""
    blocks = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    numbers = [number for number, size in enumerate(blocks) for _ in range(size)]
    sessions = [draw(st.sampled_from(ITEMS[:6])) for _ in numbers]
    return [Hit(f"n{at}", sessions[at], at + 1, -float(number), number) for at, number in enumerate(numbers)]


@given(rankings=st.lists(tied_rankings(), min_size=1, max_size=4), relevant=st.sets(st.sampled_from(ITEMS[:8]), min_size=1))
def test_runs_with_ties_keep_their_order_in_every_measure(rankings: list[list[Hit]], relevant: set[str]) -> None:
    """Several questions at once, over sessions: each value is that of its own ranking, equal scores in the order given."""
    over_sessions = {f"q{at}": list(sessions_of(hits)) for at, hits in enumerate(rankings)}
    found = compute(SPECS, over_sessions, dict.fromkeys(over_sessions, relevant))
    for spec in SPECS:
        for question, ranked in over_sessions.items():
            assert found[spec][question] == pytest.approx(slow_value(spec, ranked, relevant), abs=1e-6)


@given(hits=tied_rankings(), relevant=st.sets(st.sampled_from(ITEMS[:6]), min_size=1), seed=st.integers(0, 9))
def test_no_order_within_ties_leaves_the_tie_range(hits: list[Hit], relevant: set[str], seed: int) -> None:
    worst, best = reciprocal_rank_range(((hit.session_id, hit.block) for hit in hits), relevant, DEPTH)
    shuffled = sorted(random.Random(seed).sample(hits, len(hits)), key=lambda hit: hit.block)
    assert worst <= slow_value("mrr", list(sessions_of(shuffled)), relevant) <= best


@given(hits=tied_rankings(), relevant=st.sets(st.sampled_from(ITEMS[:6]), min_size=1))
def test_some_order_within_ties_reaches_each_end_of_the_range(hits: list[Hit], relevant: set[str]) -> None:
    found = reciprocal_rank_range(((hit.session_id, hit.block) for hit in hits), relevant, DEPTH)
    ends = [sorted(hits, key=lambda hit, way=way: (hit.block, way * (hit.session_id in relevant))) for way in (1, -1)]
    assert found == tuple(slow_value("mrr", list(sessions_of(order)), relevant) for order in ends)


def ranked_sessions(*names: str) -> list[str]:
    return list(sessions_of(Hit(f"n{at}", name, at + 1, -float(at)) for at, name in enumerate(names)))


def test_a_session_that_comes_again_takes_one_rank() -> None:
    """s1 s1 s2 s1 s2 gold: the gold session is third, not sixth."""
    assert compute(["mrr"], {"q": ranked_sessions("s1", "s1", "s2", "s1", "s2", "gold")}, {"q": {"gold"}})["mrr"]["q"] == (
        pytest.approx(1 / 3)
    )


@pytest.mark.parametrize(("before", "expected"), [(39, 1 / 40), (40, 0.0)])
def test_depth_counts_sessions_and_not_their_notes(before: int, expected: float) -> None:
    """Each session before the gold one has three notes: after 39 of them the gold session is the fortieth, after 40 too deep."""
    names = [f"s{at}" for at in range(before) for _ in range(3)]
    ranked = ranked_sessions(*names, "gold")
    assert compute(["mrr"], {"q": ranked}, {"q": {"gold"}})["mrr"]["q"] == pytest.approx(expected)


class RandomOrder(MemoryRetriever[RankConfig]):
    """Every note in an order that is drawn anew for each question."""

    name = "random_order"
    Config = RankConfig

    def score(self, text: str) -> Scored:
        scores = np.random.default_rng([11, int(text)]).random(len(self.memory))
        return Scored(np.arange(len(self.memory)), scores, lambda row: Why())


def test_random_rankings_score_as_expectation_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """One relevant among n in random order: E[RR] = H_n / n and E[RR^2] = (sum of 1 / r^2) / n; E[recall@5] = E[hit@5] = 5 / n.

    The run has 12 notes, three in each of four sessions, so that n is 12 over notes and 4 over sessions.
    """
    monkeypatch.setitem(methods._entries, RandomOrder.name, RandomOrder)
    turns = [Turn("user", "hello", ref=str(at)) for at in range(12)]
    notes = tuple(Note(Interaction(f"n{at}", f"s{at // 3}", (turn,), at // 3, at % 3)) for at, turn in enumerate(turns))
    questions = tuple(Question(f"q{at}", str(at), type="1", gold=Gold(turns=(str(at % 12),))) for at in range(2_400))
    run = evaluate([CaseInput(Case("locomo", "c", (), questions), notes, "digest")], [MethodSpec(RandomOrder.name)], {})

    for measure, n in (("mrr", 12), ("mrr_session", 4)):
        first, second = (sum(1 / rank**power for rank in range(1, n + 1)) / n for power in (1, 2))
        error = math.sqrt((second - first**2) / len(questions))
        assert mean(run.results, measure) == pytest.approx(first, abs=4 * error)
    error = math.sqrt(5 / 12 * 7 / 12 / len(questions))
    assert mean(run.results, "recall@5") == mean(run.results, "hit@5") == pytest.approx(5 / 12, abs=4 * error)


def test_longmemeval_discount_by_hand() -> None:
    """Four relevant, found at ranks 1, 3 and 4: 1 + 1/log2(3) + 1/2, of at best 1 + 1 + 1/log2(3) + 1/2."""
    found = compute(["ndcg_longmemeval@5"], {"q": ["a", "x", "b", "c", "y"]}, {"q": {"a", "b", "c", "d"}})
    assert found["ndcg_longmemeval@5"]["q"] == pytest.approx((1 + 1 / math.log2(3) + 0.5) / (2 + 1 / math.log2(3) + 0.5))


def test_two_discounts_differ_at_rank_two() -> None:
    """Spec 8: relevant at rank 2 only, one gold item: 1.0 under LongMemEval's discount, 0.631 under the standard one."""
    found = compute(["ndcg@5", "ndcg_longmemeval@5"], {"q": ["x", "gold"]}, {"q": {"gold"}})
    assert found["ndcg_longmemeval@5"]["q"] == 1.0
    assert found["ndcg@5"]["q"] == pytest.approx(0.631, abs=5e-4)


def test_no_relevant_item_is_not_available_rather_than_zero() -> None:
    assert compute(["mrr"], {"q": ["a"]}, {"q": set()})["mrr"] == {"q": None}


def test_question_without_ranking_counts_as_not_found() -> None:
    assert compute(["mrr", "hit@5"], {}, {"q": {"a"}}) == {"mrr": {"q": 0.0}, "hit@5": {"q": 0.0}}


def test_order_of_equal_scores_is_ours() -> None:
    """Ids that sort against our order must not change it (trec_eval breaks ties by id)."""
    assert compute(["mrr"], {"q": ["a", "z"]}, {"q": {"a"}})["mrr"]["q"] == 1.0
    assert compute(["mrr"], {"q": ["z", "a"]}, {"q": {"z"}})["mrr"]["q"] == 1.0


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        ("mrr@5", ValueError, "takes no cut-off"),
        ("recall", ValueError, "needs a cut-off"),
        ("hit@0", ValueError, "from 1"),
        ("map@5", KeyError, "known:"),
    ],
)
def test_unusable_names_are_refused(spec: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        parse(spec)


def test_every_measure_has_help() -> None:
    assert all((measure.__doc__ or "").strip() for _, measure in measures.items())
