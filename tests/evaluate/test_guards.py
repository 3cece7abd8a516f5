"""Warnings about a run's figures: each appears where it should and stays away where not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_runs import made_result, run_of

from workbench.evaluate.guards import FEW, GUARDS, Guard, warnings_of
from workbench.records import QuestionResult, Run

TEN = tuple(f"n{at}" for at in range(10))


def where(at: int, type: str = "t") -> tuple[str, str, str]:
    return ("c", f"q{at}", type)


def found(run: Run, kind: str) -> list[Guard]:
    return [guard for guard in warnings_of(run) if guard.kind == kind]


def sound(arm: str = "a", n: int = FEW, **measures: float | None) -> list[QuestionResult]:
    """Results that no guard has anything to say of."""
    measures = {"mrr": 1.0, "mrr_worst_tie": 1.0, "mrr_best_tie": 1.0, "recall@5": 1.0} | measures
    return [made_result(where(at), arm, TEN[: 10 - at % 3], **measures) for at in range(n)]


def test_a_sound_run_has_no_warning() -> None:
    assert warnings_of(run_of(*sound("a"), *sound("b"))) == ()


def test_cut_off_that_reaches_all_notes() -> None:
    results = sound()
    results[0] = replace(results[0], note_ids=TEN[:5], candidates=5)
    results[1] = replace(results[1], note_ids=(), session_ids=(), candidates=0)
    (guard,) = found(run_of(*results), "cut-off reaches all candidates")
    assert (guard.count, guard.of, guard.arm) == (1, 10, "a")
    assert "k = 5 for 1 of 10 questions" in guard.text


def test_cut_off_counts_candidates_beyond_what_the_run_kept() -> None:
    results = [replace(result, note_ids=result.note_ids[:3], candidates=50) for result in sound()]
    assert found(run_of(*results), "cut-off reaches all candidates") == []


def test_cut_off_counts_sessions_where_these_are_judged() -> None:
    results = [replace(result, session_ids=("s1", "s2")) for result in sound(mrr_note=1.0)]
    (guard,) = found(run_of(*results), "cut-off reaches all candidates")
    assert (guard.count, guard.of) == (10, 10)


def test_cut_off_of_several_measures() -> None:
    (guard,) = found(run_of(*sound(**{"ndcg@10": 1.0})), "cut-off reaches all candidates")
    assert "k = 10 for 10 of 10 questions" in guard.text


def test_an_arm_cut_short_where_another_goes_on() -> None:
    cut = [replace(result, note_ids=result.note_ids[:6]) for result in sound("cut")]
    (guard,) = found(run_of(*sound("whole"), *cut), "unequal depths")
    assert (guard.arm, guard.count, guard.of) == ("cut", 10, 10)
    assert "rank 6" in guard.text


def test_an_arm_that_finds_little_is_not_taken_for_cut() -> None:
    few = [replace(result, note_ids=TEN[: 1 + at % 5]) for at, result in enumerate(sound("few"))]
    assert found(run_of(*sound("whole"), *few), "unequal depths") == []


def test_sessions_alone_are_not_measured_against_notes() -> None:
    sessions = [replace(result, note_ids=(), session_ids=("s1", "s2")) for result in sound("sessions")]
    assert found(run_of(*sound("notes"), *sessions), "unequal depths") == []


def test_sessions_and_notes_in_one_mean() -> None:
    results = [*sound(), made_result(where(10), "a", TEN, mrr=1.0, mrr_note=0.5)]
    (guard,) = found(run_of(*results), "mixed granularity")
    assert (guard.count, guard.of) == (1, 11)
    assert "1 question judged by session, the others by note" in guard.text


def test_an_arm_that_answers_only_a_part() -> None:
    (guard,) = found(run_of(*sound("a"), *sound("b", n=7)), "partial coverage")
    assert (guard.arm, guard.count, guard.of) == ("b", 3, 10)


def test_empty_rankings_are_counted() -> None:
    results = sound()
    results[3] = replace(results[3], note_ids=(), session_ids=())
    (guard,) = found(run_of(*results), "empty rankings")
    assert (guard.arm, guard.count, guard.of) == ("a", 1, 10)


def test_ties_that_decide_a_rank() -> None:
    results = sound()
    results[0] = replace(results[0], measures=results[0].measures | {"mrr_worst_tie": 0.5})
    results[1] = replace(results[1], measures=results[1].measures | {"mrr_worst_tie": None, "mrr_best_tie": None})
    (guard,) = found(run_of(*results), "ties")
    assert (guard.count, guard.of) == (1, 9)
    assert "0.944 to 1.000" in guard.text  # (8 + 0.5) / 9


def test_ties_are_not_spoken_of_where_they_are_not_known() -> None:
    results = [made_result(where(at), "a", TEN, mrr=1.0) for at in range(FEW)]
    assert found(run_of(*results), "ties") == []


@pytest.mark.parametrize(("n", "count"), [(9, 1), (10, 0)])
def test_too_few_questions(n: int, count: int) -> None:
    assert len(found(run_of(*sound(n=n)), "few questions")) == count


def test_too_few_questions_of_a_type() -> None:
    results = [*sound(), made_result(where(10, "rare"), "a", TEN, mrr=1.0)]
    (guard,) = found(run_of(*results), "few questions of a type")
    assert (guard.count, guard.of) == (1, 2)
    assert "rare (1)" in guard.text


def test_measures_not_available_are_said_once_for_all_arms() -> None:
    results = [*sound("a", extra=None), *sound("b", extra=None)]
    (guard,) = found(run_of(*results), "not available")
    assert (guard.count, guard.of, guard.arm) == (10, 10, None)
    assert guard.text.startswith("extra is not available for 10 of 10 questions:")


def test_a_measure_that_one_arm_lacks_names_it() -> None:
    (guard,) = found(run_of(*sound("a", extra=1.0), *sound("b", extra=None)), "not available")
    assert guard.arm == "b"
    assert "under b" in guard.text


def test_questions_outside_the_headline_are_left_alone() -> None:
    apart = made_result(where(99), "a", (), mrr=None, headline=False)
    assert warnings_of(run_of(*sound(), apart)) == ()


def test_every_guard_says_what_it_looks_for() -> None:
    assert all((guard.__doc__ or "").strip() for guard in GUARDS)
