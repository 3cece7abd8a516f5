"""Table F.2 from answers: what each figure is over, failures apart, tests between methods; runs without notes to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

import pytest
from builders import note

from workbench.answer.abstention import NOT_TOLD
from workbench.answer.generate import chosen_results, tasks_of
from workbench.answer.printing import report_lines
from workbench.answer.prompt import AnswerConfig
from workbench.answer.records import Answer, Judgement, answer_digest
from workbench.answer.report import report, report_json
from workbench.answer.scored import ABSTAINS, ABSTAINS_WRONGLY, CONTAINS, F1, F1_LOCOMO, JUDGED
from workbench.errors import BadInput
from workbench.records import Question, QuestionResult, Run

CASE = "locomo/one"
QUESTIONS = {
    (CASE, question.id): question
    for question in (
        Question("q1", "Where?", "Oslo", "4 single-hop"),
        Question("q2", "When?", "May", "2 temporal"),
        Question("q3", "Who?", "Ann", "4 single-hop"),
        Question("q4", "What never was?", None, "5 adversarial"),
    )
}
MRR = {"q1": 1.0, "q2": 0.5, "q3": 0.0, "q4": 1.0}
Said = Mapping[str, str | None]
"""An answer by question; None is a failure."""


def run_with(*methods: str) -> Run:
    results = [
        QuestionResult(
            CASE, id_, question.type, method, ("n1", "n2"), (2.0, 1.0), ("s",), 2, {"mrr": MRR[id_]}, question.type[0] != "5"
        )
        for method in methods
        for (_, id_), question in QUESTIONS.items()
    ]
    config = {method: {"k1": 1.5} for method in methods}
    return Run("run", datetime(2026, 1, 2), "locomo", {}, config, "d", "1", {}, {}, {}, tuple(results))


def answers(method: str, said: Said) -> list[Answer]:
    return [
        Answer(
            CASE, id_, "run", method, "m", "v", ("n1",), "", "", "d", text, text or "", None if text else "it refused", 1, 10, 2,
            0.5, "json_schema",
        )
        for id_, text in said.items()
    ]  # fmt: skip


def test_scores_are_over_the_headline_and_abstention_over_all() -> None:
    found = report(run_with("a"), answers("a", {"q1": "Oslo", "q2": NOT_TOLD, "q3": "Bob", "q4": NOT_TOLD}), QUESTIONS)
    (line,) = found.lines
    figures = {name: (line.estimates[name].mean, line.estimates[name].n) for name in found.columns}
    assert figures == {
        "mrr": (0.5, 3),
        F1: (pytest.approx(1 / 3), 3),
        CONTAINS: (pytest.approx(1 / 3), 3),
        F1_LOCOMO: (pytest.approx(1 / 3), 3),
        ABSTAINS: (1.0, 1),
        ABSTAINS_WRONGLY: (pytest.approx(1 / 3), 3),
    }
    assert line.by_type["5 adversarial"][F1_LOCOMO].mean == 1.0
    assert found.pairs == {}
    assert (line.tokens_in, line.tokens_out, line.seconds) == (40, 8, 2.0)


def test_a_failure_is_no_wrong_answer() -> None:
    found = report(run_with("a"), answers("a", {"q1": "Oslo", "q2": None, "q3": None}), QUESTIONS)
    (line,) = found.lines
    assert (line.asked, dict(line.failures)) == (3, {"it refused": 2})
    assert (line.estimates[CONTAINS].mean, line.estimates[CONTAINS].n) == (1.0, 1)
    assert line.estimates["mrr"].n == 3
    assert "a: 2 questions without an answer, in no score: it refused" in list(report_lines(found))


def test_methods_are_tested_over_the_questions_that_both_answered() -> None:
    given = [
        *answers("a", {"q1": "Oslo", "q2": "in May", "q3": None}),
        *answers("b", {"q1": "Rome", "q2": "May", "q3": "Ann"}),
    ]
    found = report(run_with("a", "b"), given, QUESTIONS)
    (pair,) = found.pairs[CONTAINS]
    assert (pair.first, pair.second, pair.test.n, pair.test.wins, pair.test.ties) == ("a", "b", 2, 1, 1)
    assert pair.test.difference == 0.5
    plain = report_json(found)
    assert plain["methods"]["a"][CONTAINS] == {"mean": 1.0, "ci": (1.0, 1.0), "n": 2}
    assert plain["pairs"][CONTAINS][0]["test"]["difference"] == 0.5


def test_an_arm_that_was_not_asked_is_not_in_the_table() -> None:
    found = report(run_with("a", "b"), answers("b", {"q1": "Oslo"}), QUESTIONS)
    assert [line.method for line in found.lines] == ["b"]


def test_a_judge_stands_beside_the_scores() -> None:
    verdicts = [Judgement(CASE, "q1", answer_digest("Oslo"), "judge", "1", True, "", None)]
    verdicts += [Judgement(CASE, "q2", answer_digest("June"), "judge", "1", None, "", "it refused")]
    found = report(run_with("a"), answers("a", {"q1": "Oslo", "q2": "June", "q3": "Bob"}), QUESTIONS, verdicts)
    assert (found.lines[0].estimates[JUDGED].mean, found.lines[0].estimates[JUDGED].n) == (1.0, 1)
    assert any("judged by a language model, judge" in line for line in report_lines(found))


def test_answers_of_two_sets_make_no_report() -> None:
    mixed = answers("a", {"q1": "Oslo"}) + [replace(each, model="n") for each in answers("a", {"q2": "May"})]
    with pytest.raises(ValueError, match="one set"):
        report(run_with("a"), mixed, QUESTIONS)
    with pytest.raises(ValueError, match="none"):
        report(run_with("a"), [], QUESTIONS)


def test_a_run_of_sessions_has_no_notes_to_answer_from() -> None:
    run = replace(run_with("a"), config={"a": {"unit": "session"}})
    with pytest.raises(BadInput, match="ranks sessions"):
        chosen_results(run)
    with pytest.raises(KeyError, match="no arm 'b'; it has a"):
        chosen_results(run, ["b"])


def test_arms_with_the_same_first_notes_share_a_prompt() -> None:
    run, notes = run_with("a", "b"), [note("n1", user="one"), note("n2", user="two")]
    swapped = [replace(each, note_ids=("n1", "n3")) if each.method == "b" else each for each in run.results]
    results = [each for each in swapped if each.question == "q1"]
    (shared,) = tasks_of(list(QUESTIONS.values()), notes, results, AnswerConfig(k=1))
    assert [each.method for each in shared.results] == ["a", "b"]
    assert shared.note_ids == ("n1",)
    assert "one" in shared.prompt.user
    assert "two" not in shared.prompt.user
    with pytest.raises(BadInput, match="note n2 of locomo/one is not in the store any more"):
        tasks_of(list(QUESTIONS.values()), notes[:1], results[:1], AnswerConfig(k=2))
