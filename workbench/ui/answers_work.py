"""Work of the page Answers: what is stored, kept while the store stays as it is; and asking a model beside the pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.answer.generate import answer_run, chosen_results, sample
from workbench.answer.judge import judge_answers
from workbench.answer.prompt import AnswerConfig
from workbench.answer.records import Answer, AnswerSet, QuestionKey
from workbench.answer.report import AnswerReport
from workbench.answer.scored import by_answer, scores_of
from workbench.answer.work import questions_of, sampled_run, stored_report
from workbench.chat.asking import Live
from workbench.chat.base import MODEL, URL, Asked, Asker, Endpoint
from workbench.evaluate.runs import MethodSpec
from workbench.store import ExtractionRow, StoredRecordings, open_store
from workbench.ui.cached import WAIT_SECONDS, Stamp, stamp
from workbench.ui.jobs import Job, jobs
from workbench.words import counted

PLACE = "answers"
"""Where the progress of work begun on this page is drawn."""


@dataclass(frozen=True)
class Request:
    """What is asked: by whom, of what, how much.

    ``run`` is a stored run of which ``arms`` are taken; where it is empty, ``specs`` are run over ``cases`` first.
    """

    path: Path
    config: AnswerConfig
    limit: int | None
    is_judged: bool = False
    run: str = ""
    arms: tuple[str, ...] = ()
    specs: tuple[MethodSpec, ...] = ()
    cases: tuple[str, ...] = ()
    extraction: ExtractionRow | None = None


@dataclass(frozen=True)
class Answered:
    """What a finished job came to."""

    questions: int
    answers: int
    failed: int
    tokens: int


def lacking() -> list[str]:
    """The environment variables that have to be set before a model can be asked."""
    endpoint = Endpoint()
    return [*([] if endpoint.url else [URL]), *([] if endpoint.model else [MODEL])]


# --- what is stored -----------------------------------------------------------------------------------------------------------


def sets(path: Path, benchmark: str) -> list[AnswerSet]:
    """The sets of answers of a benchmark, newest first."""
    return _sets(str(path), benchmark, stamp(path))


@st.cache_data(max_entries=16, show_spinner=False)
def _sets(path: str, benchmark: str, now: Stamp) -> list[AnswerSet]:
    with open_store(path, read_only=True, wait_seconds=WAIT_SECONDS) as store:
        return store.answers.sets(benchmark)


@dataclass(frozen=True)
class Stored:
    """A set of answers by question and method, without their prompts; their scores by (case, question, method); the report."""

    chosen: AnswerSet
    report: AnswerReport
    answers: Mapping[QuestionKey, Sequence[Answer]]
    scores: Mapping[tuple[str, str, str], Mapping[str, float | None]]


def stored(path: Path, chosen: AnswerSet) -> Stored:
    """A set of answers; KeyError where its run was removed since."""
    return _stored(str(path), chosen, stamp(path))


@st.cache_resource(max_entries=8, show_spinner=False)
def _stored(path: str, chosen: AnswerSet, now: Stamp) -> Stored:
    named = (chosen.run, chosen.model, chosen.version)
    with open_store(path, read_only=True, wait_seconds=WAIT_SECONDS) as store:
        answers, verdicts = store.answers.get(*named), by_answer(store.answers.judgements(*named))
        questions = questions_of(store, (answer.case for answer in answers))
        report = stored_report(store, chosen)
    by_question: dict[QuestionKey, list[Answer]] = {}
    for answer in answers:
        by_question.setdefault(answer.key, []).append(answer)
    scores = {(*each.key, each.method): scores_of(each, questions[each.key], verdicts) for each in answers}
    return Stored(chosen, report, by_question, scores)


def with_prompts(path: Path, chosen: AnswerSet, question: QuestionKey) -> list[Answer]:
    """The answers to one question, with what was asked."""
    with open_store(path, read_only=True, wait_seconds=WAIT_SECONDS) as store:
        return store.answers.get(chosen.run, chosen.model, chosen.version, question=question)


# --- asking -------------------------------------------------------------------------------------------------------------------


def start(request: Request) -> None:
    """Begin to ask beside the pages; what is recorded is not asked again."""
    jobs().start("Answers", str(request.path), lambda job: ask(request, job), total=len(request.cases), place=PLACE)


def ask(request: Request, job: Job) -> Answered:
    """Ask the model, and where that is wanted have it judge its answers."""
    asker = Live(Endpoint(), StoredRecordings(request.path))
    if request.run:
        with open_store(request.path, read_only=True) as store:
            run = store.runs.get(request.run)
        asked = sample([(result.case, result.question) for result in run.results], request.limit)
    else:
        assert request.extraction is not None
        named = (request.path, request.cases, request.specs, request.extraction, request.limit)
        run, asked = sampled_run(*named, progress=job.advance)
    results = chosen_results(run, request.arms, set(asked))
    contexts = {(each.case, each.question, each.note_ids[: request.config.k]) for each in results}
    count = _Count(job, "answer", len(contexts))
    answers = answer_run(
        request.path, run, asker, request.config, methods=request.arms, questions=set(asked), progress=count.came
    )
    if request.is_judged:
        _judge(request.path, answers, asker, job)
    failed = sum(answer.answer is None for answer in answers)
    return Answered(len({answer.key for answer in answers}), len(answers), failed, count.tokens)


def _judge(path: Path, answers: Sequence[Answer], asker: Asker, job: Job) -> None:
    with open_store(path, read_only=True) as store:
        questions = questions_of(store, (answer.case for answer in answers))
    count = _Count(job, "judgement", len({(*each.key, each.answer) for each in answers if each.answer is not None}))
    judge_answers(path, answers, questions, asker, count.came)


class _Count:
    """Tells a job of every reply, and what was spent."""

    def __init__(self, job: Job, unit: str, total: int) -> None:
        self.tokens, self._done, self._job = 0, 0, job
        job.done, job.total, job.unit, job.told = 0, total, unit, ""

    def came(self, asked: Asked[Any]) -> None:
        reply = asked.reply
        if not reply.replayed:
            self.tokens += (reply.tokens_in or 0) + (reply.tokens_out or 0)
        self._done += 1
        self._job.told = counted(self.tokens, "token")
        self._job.advance(self._done, "")
