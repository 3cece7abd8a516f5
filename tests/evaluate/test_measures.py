"""Measures against slow, obvious versions and worked examples."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.evaluate.measures.base import compute, measures, parse

ITEMS = [f"d{i}" for i in range(12)]


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
@pytest.mark.parametrize("spec", ["mrr", "recall@1", "recall@5", "hit@5", "ndcg@5", "ndcg@10", "ndcg_longmemeval@5"])
def test_equals_its_definition(spec: str, ranking: list[str], relevant: set[str]) -> None:
    value = compute([spec], {"q": ranking}, {"q": relevant})[spec]["q"]
    assert value == pytest.approx(slow_value(spec, ranking, relevant), abs=1e-6)


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
