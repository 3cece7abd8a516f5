"""Runs over small cases: headline sets, exclusions, question sets, costs."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from workbench.datasets.longmemeval import SESSION_TWICE
from workbench.errors import BadInput
from workbench.evaluate.judging import NO_GOLD
from workbench.evaluate.runs import DF_FULL, DF_STORE, CaseInput, MethodSpec, evaluate, evaluate_case
from workbench.evaluate.summary import summary
from workbench.records import Case, Gold, Interaction, Note, Question, Session, Turn

METHODS = [MethodSpec("bm25"), MethodSpec("tag_basic")]


def history(*texts: str) -> tuple[tuple[Session, ...], tuple[Note, ...]]:
    """One session and one note for each text; session ``s0`` is the oldest."""
    sessions, notes = [], []
    for at, text in enumerate(texts):
        turns = (Turn("user", text, ref=f"s{at}:1"), Turn("assistant", "Noted.", ref=f"s{at}:2"))
        time = datetime(2024, 5, 1 + at, 9)
        sessions.append(Session(f"s{at}", turns, at, time))
        notes.append(Note(Interaction(f"s{at}#1", f"s{at}", turns, at, 1, time)))
    return tuple(sessions), tuple(notes)


def given(benchmark: str, questions: list[Question], case_id: str = "c") -> CaseInput:
    sessions, notes = history("the cello needs new strings", "our ferry leaves at noon", "cello lesson moved to Friday")
    return CaseInput(Case(benchmark, case_id, sessions, tuple(questions)), notes, "digest")


def ask(question: str, text: str = "cello strings", type: str = "multi-session", **gold: tuple[str, ...]) -> Question:
    return Question(question, text, type=type, gold=Gold(**gold))


def run(*inputs: CaseInput) -> dict:
    clock = datetime(2026, 1, 2, 3, 4, 5)
    return summary(evaluate(inputs, METHODS, {"extractor": "none"}, now=lambda: clock))


def test_sessions_are_judged_where_gold_names_sessions() -> None:
    found = run(given("longmemeval_s", [ask("q1", sessions=("s2",)), ask("q2", sessions=("s0", "s1"))]))
    row = found["methods"]["bm25"]
    assert found["questions"] == 2
    assert row["mrr"] == pytest.approx((1 / 2 + 1) / 2)
    assert row["recall@5"] == pytest.approx((1 + 1 / 2) / 2)
    assert row["hit@5"] == 1.0
    assert "mrr_note" in row


def test_locomo_headline_leaves_out_category_five_but_lists_it() -> None:
    questions = [ask("q1", type="1 multi-hop", turns=("s0:1",)), ask("q2", type="5 adversarial", turns=("s1:1",))]
    found = run(given("locomo", questions))
    row = found["methods"]["bm25"]
    assert found["questions"] == 1
    assert row["mrr"] == 1.0
    assert row["mrr_session"] == 1.0
    assert row["by_type"]["5 adversarial"] == {"n": 1, "mrr": 0.0, "recall@5": 0.0}


def test_questions_without_gold_are_excluded_with_their_reason() -> None:
    bare = Question("q2", "cello?", type="2 temporal", remarks=("evidence D99:1 is in no session",))
    found = run(given("locomo", [ask("q1", type="2 temporal", turns=("s0:1",)), bare]))
    assert found["excluded"] == {NO_GOLD: 1}
    assert found["questions"] == 1


def test_only_categories_one_to_four_count_in_locomo() -> None:
    questions = [
        ask(f"q{at}", type=kind, turns=("s0:1",)) for at, kind in enumerate(["4 single-hop", "5 adversarial", "unknown"])
    ]
    found = run(given("locomo", questions))
    assert found["questions"] == 1
    assert found["by_type_only"] == {"5 adversarial": 1, "unknown": 1}


def test_measures_that_no_question_has_are_not_available_rather_than_zero() -> None:
    row = run(given("locomo", [ask("q1", type="5 adversarial", turns=("s0:1",))]))["methods"]["bm25"]
    assert row["mrr"] is row["recall@5"] is row["hit@5"] is row["mrr_ci"] is None


def test_nothing_to_judge_is_refused() -> None:
    with pytest.raises(BadInput, match="no question of these cases has gold"):
        run(given("locomo", [Question("q1", "cello?")]))


def test_a_reduced_case_says_where_word_frequencies_are_counted() -> None:
    reduced = replace(given("longmemeval_oracle", [ask("q1", sessions=("s0",))]), remark=DF_STORE)
    full = replace(reduced, base=reduced.notes, remark=DF_FULL, digest="digest with base")
    assert run(reduced)["df_base"] == {DF_STORE: 1}
    assert run(full)["df_base"] == {DF_FULL: 1}


def test_strict_and_permissive_substrings() -> None:
    """Both cello notes tie and the newer comes first; only the older holds both substrings."""
    row = run(given("atant", [ask("q1", "cello", substrings=("cello", "strings"))]))["methods"]["bm25"]
    assert row["mrr"] == 0.5
    assert row["mrr_permissive"] == 1.0
    assert "sets" not in row


def test_gold_that_is_nowhere_counts_as_not_found() -> None:
    found = run(given("atant", [ask("q1", substrings=("cello",)), ask("q2", substrings=("zeppelin",))]))
    assert found["questions"] == 2
    assert found["methods"]["bm25"]["mrr"] == 0.5


def test_question_sets_of_longmemeval() -> None:
    """All; without abstention; without histories that list a session twice; with a flagged user turn (spec 6.1)."""
    doubled = Question("q3", "cello", type="t", gold=Gold(sessions=("s2",)), remarks=(f"{SESSION_TWICE}: s2",))
    questions = [
        ask("q1", sessions=("s0",), turns=("s0:1",)),
        ask("q2_abs", sessions=("s1",), turns=("s1:1",)),
        doubled,
        ask("q4", sessions=("s0",), turns=("s0:2",)),
    ]
    row = run(given("longmemeval_s", questions))["methods"]["bm25"]
    assert {name: found["n"] for name, found in row["sets"].items()} == {
        "all": 4,
        "without_abstention": 3,
        "without_duplicated_sessions": 3,
        "official": 1,
    }
    assert row["by_type"]["abstention"]["n"] == 1


def test_tie_range_holds_the_value() -> None:
    result = evaluate_case(given("locomo", [ask("q1", "cello", turns=("s0:1",))]), METHODS).results[0]
    worst, best = result.measures["mrr_worst_tie"], result.measures["mrr_best_tie"]
    assert worst <= result.measures["mrr"] <= best


def test_each_method_is_charged_for_what_it_shares() -> None:
    """Alone or after others, a method's seconds hold the tokens and the index that it needs."""
    case = given("locomo", [ask("q1", turns=("s0:1",))])
    both = evaluate_case(case, METHODS).seconds
    assert both.keys() == {"bm25", "tag_basic"}
    assert all(spent > 0 for spent in both.values())


def test_several_benchmarks_in_one_run_are_refused() -> None:
    with pytest.raises(ValueError, match="one benchmark"):
        run(given("locomo", [ask("q1", turns=("s0:1",))]), given("atant", [ask("q1", substrings=("cello",))]))


def test_no_case_is_refused() -> None:
    with pytest.raises(ValueError, match="none"):
        run()


def test_processes_give_the_same_results() -> None:
    inputs = [given("locomo", [ask("q1", turns=("s0:1",))], case_id=name) for name in ("a", "b")]
    one = evaluate(inputs, METHODS, {})
    two = evaluate(inputs, METHODS, {}, workers=2)
    assert one.results == two.results
    assert one.data_digest == two.data_digest
