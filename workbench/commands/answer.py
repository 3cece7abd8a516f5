"""The command that has a language model answer questions from what methods retrieved."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer
from tqdm import tqdm

from workbench.answer.generate import answer_run, chosen_results, sample
from workbench.answer.judge import judge_answers
from workbench.answer.printing import report_lines
from workbench.answer.prompt import AnswerConfig
from workbench.answer.records import Answer, QuestionKey
from workbench.answer.report import report_json
from workbench.answer.work import answers_report, questions_of, sampled_run
from workbench.chat.asking import Live, Replay
from workbench.chat.base import MODEL, Asked, Asker, Endpoint
from workbench.commands.base import (
    DEFAULT_STORE,
    BenchmarkOption,
    CasesOption,
    EngineOption,
    ExchangeOption,
    ExtractionOption,
    JsonOption,
    ProfileOption,
    SchedulerOption,
    SetOption,
    StoreOption,
    advances,
    chosen_cases,
    command,
    overrides,
    present,
    specs,
    split,
    workers_of,
)
from workbench.errors import WorkbenchError
from workbench.evaluate.inputs import common_extraction
from workbench.evaluate.runs import TABLE1
from workbench.methods.base import methods
from workbench.records import Run
from workbench.settings import configure
from workbench.store import open_store
from workbench.store.recorder import StoredRecordings
from workbench.words import counted

OWNER = "answer"
"""Whose fields ``--set answer.FIELD=VALUE`` sets."""


@command("answer", order=46)
def answer(
    method_names: Annotated[
        str | None, typer.Option("--methods", help="Comma-separated; default: those of the paper's Table 1, or all of --run.")
    ] = None,
    run_id: Annotated[str | None, typer.Option("--run", help="Answer from this stored run, such as an imported one.")] = None,
    benchmark: BenchmarkOption = None,
    case_names: CasesOption = None,
    k: Annotated[int, typer.Option("--k", min=1, max=100, help="Notes that the model is shown.")] = 5,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Only so many questions, drawn evenly; more go on from there.")
    ] = None,
    judge: Annotated[bool, typer.Option("--judge", help="Have a language model judge the answers too.")] = False,
    judge_model: Annotated[str, typer.Option("--judge-model", help="Who judges; default: the model that answers.")] = "",
    replay: Annotated[bool, typer.Option("--replay", help="Only read recorded answers; no model is asked.")] = False,
    model: Annotated[str, typer.Option("--model", help=f"Who answers; default: ${MODEL}.")] = "",
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask again where the answer was a failure.")] = False,
    extraction: ExtractionOption = None,
    engine: EngineOption = "inline",
    scheduler: SchedulerOption = None,
    exchange: ExchangeOption = None,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Have a language model answer questions from each method's first notes, and score the answers (WORKBENCH_LLM_URL, _MODEL).

    Answers are kept as they come: stopped and given again, the command goes on; what is stored is not asked again.
    """
    model = model or os.environ.get(MODEL, "")
    if not model:
        raise typer.BadParameter(f"no model is named: give --model or set {MODEL}")
    askers = _Askers(store, model, replay, retry_failed)
    asker = askers.of(model)  # says what is missing before any work is done
    names = split(method_names)
    config = _config(k, settings)
    if run_id is None:
        names = names or [each for each in TABLE1 if each in methods]
        mine = [text for text in settings or () if not text.startswith(f"{OWNER}.")]
        chosen = specs(names, profile, mine)
        with open_store(store, read_only=True) as opened:
            keys = chosen_cases(opened, benchmark, split(case_names))
            row = common_extraction(opened, keys, extraction)
        with tqdm(total=len(keys), unit=" cases", disable=None) as bar:
            run, asked = sampled_run(
                store, keys, chosen, row, limit, workers=workers_of(engine, scheduler, exchange), progress=advances(bar)
            )
    else:
        if benchmark or case_names or extraction:
            raise typer.BadParameter("--run names cases and extraction already: leave out --benchmark, --cases, --extraction")
        with open_store(store, read_only=True) as opened:
            run = opened.runs.get(run_id)
        asked = sample([(result.case, result.question) for result in run.results], limit)
    _answer_and_print(store, run, asker, config, names, asked, askers.of(judge_model or model) if judge else None, to)


def _answer_and_print(
    store: Path,
    run: Run,
    asker: Asker,
    config: AnswerConfig,
    names: Sequence[str],
    asked: Sequence[QuestionKey],
    judge: Asker | None,
    to: Path | None,
) -> None:
    results = chosen_results(run, names, set(asked))
    if not results:
        raise WorkbenchError(f"run {run.id} has no question to answer")
    told = _Told(len({(each.case, each.question, each.note_ids[: config.k]) for each in results}))
    try:
        with told.bar:
            answers = answer_run(store, run, asker, config, methods=names, questions=set(asked), progress=told.came)
        if judge is not None:
            _judge(store, answers, judge)
    except KeyboardInterrupt:
        raise WorkbenchError(
            f"stopped; {counted(told.fresh, 'answer')} of the model are kept: give the same command again to go on"
        ) from None
    with open_store(store, read_only=True) as opened:
        found = answers_report(opened, run, answers)
    result = report_json(found) | {"excluded": dict(run.excluded), "questions": len(asked), **told.result()}
    present(result, to, [*report_lines(found), "", *told.lines(), *_excluded(run)])
    if all(each.answer is None for each in answers):
        raise WorkbenchError(f"no question got an answer: {answers[0].failure}")


def _judge(store: Path, answers: Sequence[Answer], judge: Asker) -> None:
    with open_store(store, read_only=True) as opened:
        questions = questions_of(opened, (each.case for each in answers))
    distinct = len({(*each.key, each.answer) for each in answers if each.answer is not None})
    with tqdm(total=distinct, unit=" judged", disable=None) as bar:

        def judged(_: Asked[bool]) -> None:
            bar.update(1)

        judge_answers(store, answers, questions, judge, judged)


def _config(k: int, settings: Sequence[str] | None) -> AnswerConfig:
    mine = [text for text in settings or () if text.startswith(f"{OWNER}.")]
    try:
        return configure(AnswerConfig, overrides={"k": k, **overrides(mine, [OWNER]).get(OWNER, {})})
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _excluded(run: Run) -> Iterator[str]:
    for reason, count in run.excluded.items():
        yield f"not asked: {counted(count, 'question')} ({reason})"


class _Askers:
    """Who is asked, or whose recorded answers are read."""

    def __init__(self, store: Path, model: str, replay: bool, retry_failed: bool) -> None:
        self._recordings = StoredRecordings(store)
        self._replay, self._retry = replay, retry_failed
        self._endpoint = replace(Endpoint(), model=model)

    def of(self, model: str) -> Asker:
        if self._replay:
            return Replay(model, self._recordings)
        return Live(replace(self._endpoint, model=model), self._recordings, retry_failed=self._retry)


class _Told:
    """Answers as they come, with the cost in tokens."""

    def __init__(self, prompts: int) -> None:
        self.bar: tqdm[Any] = tqdm(total=prompts, unit=" answers", disable=None)
        self.fresh = self.replayed = self.failed = 0
        self.tokens: dict[str, int | None] = {"tokens_in": None, "tokens_out": None}
        self._started = perf_counter()

    def came(self, asked: Asked[str]) -> None:
        self.bar.update(1)
        reply = asked.reply
        self.failed += reply.failure is not None
        self.replayed += reply.replayed
        if not reply.replayed:
            self.fresh += 1
            for name in self.tokens:
                if (count := getattr(reply, name)) is not None:
                    self.tokens[name] = (self.tokens[name] or 0) + count
        self.bar.set_postfix(self.tokens | {"failed": self.failed})

    def result(self) -> dict[str, Any]:
        return {"asked_now": self.fresh, "recorded": self.replayed, "failed": self.failed, **self.tokens}

    def lines(self) -> Iterator[str]:
        if self.fresh:
            told = [f"{count:,} tokens {name[7:]}" for name, count in self.tokens.items() if count]
            rate = (perf_counter() - self._started) / self.fresh
            yield f"{counted(self.fresh, 'prompt')} put to the model: {', '.join([*told, f'{rate:.1f} s each'])}"
        if self.replayed:
            yield f"{counted(self.replayed, 'answer')} read from what is recorded"
