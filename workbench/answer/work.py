"""From what is asked for to a report: which run, which questions, what of the store is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from workbench.answer.generate import sample
from workbench.answer.records import Answer, AnswerSet, QuestionKey
from workbench.answer.report import AnswerReport, report
from workbench.engine import Progress, Workers
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.stored import run_stored
from workbench.records import Question, Run
from workbench.store import ExtractionRow, Store, open_store
from workbench.words import counted


def questions_of(store: Store, cases: Iterable[str]) -> dict[QuestionKey, Question]:
    """The questions of cases, by case and id."""
    return {(case, question.id): question for case in dict.fromkeys(cases) for question in store.questions.of(case)}


def sampled_run(
    path: Path,
    cases: Sequence[str],
    specs: Sequence[MethodSpec],
    extraction: ExtractionRow,
    limit: int | None,
    *,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> tuple[Run, list[QuestionKey]]:
    """The stored run of methods whose rankings answers are asked from, made where there is none like it, and the questions.

    With a ``limit`` below the number of questions with gold, a `sample` of them; the run is then over the cases of these.
    Raises as `run_stored`.
    """
    with open_store(path, read_only=True) as store:
        asked = sample([key for key, question in questions_of(store, cases).items() if question.gold], limit)
    name = "" if limit is None else f"for answers to {counted(len(asked), 'question')}"
    keys = [case for case in cases if case in {key for key, _ in asked}] or cases  # without gold, the run says so
    run = run_stored(path, keys, specs, extraction, name=name, may_reuse=True, workers=workers, progress=progress)
    return run, asked


def answers_report(store: Store, run: Run, answers: Sequence[Answer]) -> AnswerReport:
    """The report of answers from a run, with what judges said of them."""
    questions = questions_of(store, (answer.case for answer in answers))
    known = {(answer.run, answer.model, answer.version) for answer in answers}
    judgements = [judged for asked in sorted(known) for judged in store.answers.judgements(*asked)]
    return report(run, answers, questions, judgements)


def stored_report(store: Store, chosen: AnswerSet) -> AnswerReport:
    """The report of a stored set of answers; KeyError where its run is gone."""
    run = store.runs.get(chosen.run)
    return answers_report(store, run, store.answers.get(chosen.run, chosen.model, chosen.version))
