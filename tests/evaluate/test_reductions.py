"""Smaller copies of cases: what is kept, what is drawn, and where word frequencies are counted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from histories import ask, case_of
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.evaluate.judging import NO_GOLD
from workbench.evaluate.reductions import Distractors, StoreSize, shuffled
from workbench.evaluate.runs import DF_FULL, DF_STORE, CaseInput, MethodSpec, evaluate, evaluate_case
from workbench.memory import Memory
from workbench.methods.base import create

seeds = st.integers(0, 5)


def sessions(reduced: CaseInput) -> set[str]:
    return {note.session_id for note in reduced.notes}


def ids(reduced: CaseInput) -> list[str]:
    return [note.id for note in reduced.notes]


@given(count=st.integers(0, 8), seed=seeds)
def test_distractors_are_the_gold_sessions_and_so_many_others(count: int, seed: int) -> None:
    (reduced,) = Distractors(count, seed)(case_of(ask("q", "cello", sessions=("s0", "s7"))))
    assert sessions(reduced) >= {"s0", "s7"}
    assert len(sessions(reduced)) == 2 + count
    assert {session.id for session in reduced.case.sessions} == sessions(reduced)


@given(fewer=st.integers(0, 8), more=st.integers(0, 8), seed=seeds)
def test_samples_of_one_seed_are_nested(fewer: int, more: int, seed: int) -> None:
    case = case_of(ask("q", "cello", sessions=("s0", "s7")))
    small, large = sorted((fewer, more))
    assert set(ids(Distractors(small, seed)(case)[0])) <= set(ids(Distractors(large, seed)(case)[0]))
    assert set(ids(StoreSize(small + 1, seed)(case)[0])) <= set(ids(StoreSize(large + 1, seed)(case)[0]))


@given(reduction=st.one_of(st.builds(Distractors, st.integers(0, 9), seeds), st.builds(StoreSize, st.integers(1, 25), seeds)))
def test_order_ids_and_text_of_what_is_kept_are_those_of_the_full_case(reduction: Distractors | StoreSize) -> None:
    case = case_of(ask("q", "cello", sessions=("s0", "s7")))
    (reduced,) = reduction(case)
    kept = set(ids(reduced))
    assert reduced.notes == tuple(note for note in case.notes if note.id in kept)
    assert reduced.base == case.notes
    assert reduced.remark == DF_FULL


def test_another_seed_or_question_draws_others() -> None:
    case = case_of(ask("q", "cello", sessions=("s0",)), ask("p", "cello", sessions=("s0",)))
    drawn = {tuple(ids(reduced)) for seed in (1, 2) for reduced in Distractors(3, seed)(case)}
    assert len(drawn) == 4


def test_the_order_drawn_is_pinned() -> None:
    """Runs are compared across machines and versions: the sample is part of the benchmark."""
    assert "".join(shuffled("abcdefgh", "q", 1)) == "gcfeabhd"


def test_every_order_is_equally_likely() -> None:
    """Each of 5 items comes first in a fifth of 2,000 draws: within four standard errors."""
    first = [shuffled("abcde", f"q{at}", 1)[0] for at in range(2_000)]
    error = (0.2 * 0.8 / 2_000) ** 0.5
    assert all(abs(first.count(item) / 2_000 - 0.2) < 4 * error for item in "abcde")


def test_a_history_with_fewer_sessions_is_taken_whole_and_says_so() -> None:
    (reduced,) = Distractors(36)(case_of(ask("q", "cello", sessions=("s0",))))
    assert len(sessions(reduced)) == 10
    assert reduced.case.questions[0].remarks == ("36 distractor sessions asked for, the history has 9",)


@pytest.mark.parametrize(
    ("gold", "unit"), [({"turns": ("s0:1",)}, "turns"), ({"notes": ("s0#1",)}, "notes"), ({"substrings": ("new",)}, "texts")]
)
def test_distractors_need_gold_that_names_sessions(gold: dict, unit: str) -> None:
    with pytest.raises(BadInput, match=rf"(?s)locomo/c.*'q' names {unit}.*store_size"):
        Distractors(3)(case_of(ask("q", "cello", **gold), benchmark="locomo"))


def test_store_size_makes_a_copy_for_each_question_with_its_own_gold() -> None:
    case = case_of(ask("q", "cello", turns=("s0:1",)), ask("p", "kiln", substrings=("kiln", "part 2")), benchmark="locomo")
    first, second = StoreSize(8)(case)
    assert (len(first.notes), len(second.notes)) == (8, 8)
    assert ("s0#1" in ids(first), "s3#2" in ids(second)) == (True, True)
    assert [[question.id for question in each.case.questions] for each in (first, second)] == [["q"], ["p"]]


def test_gold_is_kept_even_where_it_is_more_than_the_size() -> None:
    (reduced,) = StoreSize(2)(case_of(ask("q", "cello", sessions=("s0", "s1"))))
    assert ids(reduced) == ["s0#1", "s0#2", "s1#1", "s1#2"]


def test_a_size_beyond_the_history_is_the_whole_history() -> None:
    case = case_of(ask("q", "cello", turns=("s0:1",)))
    assert StoreSize(128)(case)[0].notes == case.notes


@pytest.mark.parametrize(("make", "value"), [(Distractors, -1), (StoreSize, 0)])
def test_sizes_that_make_no_sense_are_refused(make: type, value: int) -> None:
    with pytest.raises(ValueError, match=str(value)):
        make(value)


def test_frequencies_stay_those_of_what_a_reduced_case_was_itself_taken_from() -> None:
    whole = case_of(ask("q", "cello", sessions=("s0",)))
    oracle = replace(whole, notes=whole.notes[:6], base=whole.notes, remark=DF_FULL)
    assert Distractors(1)(oracle)[0].base == whole.notes
    alone = replace(oracle, base=None, remark=DF_STORE)
    assert (Distractors(1)(alone)[0].base, Distractors(1)(alone)[0].remark) == (oracle.notes, DF_STORE)


def test_a_reduced_arm_ranks_as_a_memory_of_the_kept_notes_over_the_full_base() -> None:
    """ "new" is in every note of the full case and in two of the copy: only the full case's count drops it."""
    case = case_of(ask("q", "new cello", sessions=("s0",)))
    (reduced,) = Distractors(0)(case)
    arms = [MethodSpec(name, label=name, reduction=Distractors(0)) for name in ("tag_tfidf", "bm25_filtered", "adaptive")]
    for result in evaluate_case(case, arms).results:
        memory = Memory(reduced.notes, base=Memory(case.notes))
        assert result.note_ids == tuple(hit.note_id for hit in create(result.method, memory=memory).query("new cello", None).hits)
        assert "dropped as common: new" in result.remarks


def test_each_question_is_asked_of_its_own_copy() -> None:
    questions = [ask("q", "cello part", turns=("s0:1",)), ask("p", "kiln part", turns=("s3:2",)), ask("none", "kiln")]
    found = evaluate_case(case_of(*questions, benchmark="locomo"), [MethodSpec("bm25", reduction=StoreSize(5))])
    assert [(result.question, result.measures["store_notes"]) for result in found.results] == [("q", 5.0), ("p", 5.0)]
    assert found.excluded == {NO_GOLD: 1}


def test_a_note_is_tokenised_once_for_the_base_and_every_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.text import Analyser

    read: list[str] = []
    counts = Analyser.counts
    monkeypatch.setattr(Analyser, "counts", lambda self, text: read.append(text) or counts(self, text))
    case = case_of(ask("q", "new cello", sessions=("s0",)))
    evaluate_case(case, [MethodSpec("adaptive", label=f"{n}", reduction=Distractors(n)) for n in (0, 3, 8)])
    assert len(read) == len(case.notes)


def test_reductions_go_to_other_processes() -> None:
    cases = [case_of(ask("q", "new cello", sessions=("s0",)), id=name) for name in ("a", "b")]
    arms = [MethodSpec("bm25", label=f"{n}", reduction=reduction) for n, reduction in enumerate((Distractors(3), StoreSize(9)))]
    assert evaluate(cases, arms, {}).results == evaluate(cases, arms, {}, workers=2).results
