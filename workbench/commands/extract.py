"""The command that extracts tags of stored cases: by a language model, from its recorded outputs, or offline."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Annotated, Any

import typer
from tqdm import tqdm

from workbench.chat.asking import Enough
from workbench.chat.base import Reply
from workbench.commands.base import (
    DEFAULT_STORE,
    BenchmarkOption,
    CasesOption,
    JsonOption,
    SetOption,
    StoreOption,
    chosen_cases,
    command,
    overrides,
    present,
    split,
)
from workbench.errors import WorkbenchError
from workbench.extract.base import Extractor, extractors
from workbench.extract.llm import ByModel, Llm
from workbench.settings import configure
from workbench.store import ExtractionKey, open_store
from workbench.stored_extraction import CaseExtracted, extract_stored
from workbench.words import counted, visible

SHOWN_FAILURES = 10
"""Failed notes that are named; the JSON has all."""


def extractor_named(name: str, settings: Sequence[str] | None) -> Extractor:
    """An extractor with its settings; wrong usage for an unknown name, field or value."""
    if name not in extractors:
        raise typer.BadParameter(f"no extractor {name!r}; known: {', '.join(extractors)}")
    chosen = extractors[name]
    try:
        return chosen(configure(chosen.Config, "default", overrides(settings, [name]).get(name)))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@command("extract", order=12)
def extract(
    benchmark: BenchmarkOption = None,
    case_names: CasesOption = None,
    name: Annotated[str, typer.Option("--extractor", help="What makes the tags: llm, replay or rules.")] = "llm",
    settings: SetOption = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask again for the notes that failed.")] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Put at most so many notes to the model now.")] = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Extract tags of stored cases with a language model (WORKBENCH_LLM_URL, _KEY, _MODEL), beside the tags they have.

    Outputs are recorded as they come: stopped and given again, the command goes on where it was. A note that the model gives
    no valid tags for is kept without tags and reported; --retry-failed asks for these again.
    """
    if name == "given":
        raise typer.BadParameter("tags that came with notes can't be extracted; name llm, replay or rules")
    extractor = extractor_named(name, settings)
    with open_store(store, read_only=True) as opened:
        keys = chosen_cases(opened, benchmark, split(case_names))
        notes = sum(row.notes for row in opened.cases.list() if row.key in set(keys))
    progress = _Progress(notes)
    if isinstance(extractor, ByModel):
        extractor.answered = progress.answered
    if isinstance(extractor, Llm):
        extractor.most = limit
    done, stopped = list[CaseExtracted](), ""
    with progress.bar:
        try:
            workers = os.cpu_count() or 1
            for each in extract_stored(store, keys, extractor, retry_failed=retry_failed, workers=workers):
                done.append(each)
                progress.settled(sum(case.notes for case in done))
        except Enough as reached:
            stopped = str(reached)
        except KeyboardInterrupt:
            raise WorkbenchError(
                f"stopped after {counted(len(done), 'case')}; {counted(progress.fresh, 'answer')} of the model are kept: "
                "give the same command again to go on"
            ) from None
    result = _result(extractor, done, progress, stopped)
    present(result, to, _lines(result))
    if result["failed"] and len(result["failed"]) == result["notes"]:
        raise WorkbenchError(f"no note got tags: {result['failed'][0]['reason']}")


class _Progress:
    """Notes done, with rate and time left as the bar tells them, and the cost in tokens."""

    def __init__(self, notes: int) -> None:
        self.bar: tqdm[Any] = tqdm(total=notes, unit=" notes", disable=None)
        self.fresh = self.replayed = self.failed = 0
        self.tokens: dict[str, int | None] = {"tokens_in": None, "tokens_out": None}
        self._started = perf_counter()

    def answered(self, reply: Reply, note: str) -> None:
        self.bar.update(1)
        self.failed += reply.failure is not None
        if reply.replayed:
            self.replayed += 1
            return
        self.fresh += 1
        for name in self.tokens:
            if (count := getattr(reply, name)) is not None:
                self.tokens[name] = (self.tokens[name] or 0) + count
        self.bar.set_postfix(self.tokens | {"failed": self.failed})

    def settled(self, notes: int) -> None:
        """So many notes are in cases that are done: the bar moves on where a case needed no answers."""
        self.bar.update(max(0, notes - self.bar.n))

    @property
    def seconds(self) -> float:
        return round(perf_counter() - self._started, 1)


def _result(extractor: Extractor, done: list[CaseExtracted], progress: _Progress, stopped: str) -> dict[str, Any]:
    outcomes = {name: sum(each.outcome == name for each in done) for name in ("extracted", "retried", "present", "given")}
    own = [each for each in done if each.outcome != "given"]
    return {
        "extractor": extractor.name,
        "configuration": ExtractionKey.of(extractor).digest,
        "model": getattr(extractor.config, "model", None),
        "cases": len(done),
        **outcomes,
        "notes": sum(each.notes for each in own),
        "failed": [{"case": each.case, "note": note, "reason": reason} for each in own for note, reason in each.failed],
        "other_prompt": sum(each.counters.get("other_prompt", 0) for each in own),
        "answers": progress.fresh,
        "recorded_answers": progress.replayed,
        **progress.tokens,
        "seconds": progress.seconds,
        "stopped": stopped or None,
    }


def _lines(result: dict[str, Any]) -> Iterator[str]:
    by = f"extractor {result['extractor']!r}" + (f", model {result['model']}" if result["model"] else "")
    yield (
        f"{counted(result['cases'], 'case')}, {counted(result['notes'], 'note')} ({by}): {result['extracted']:,} extracted now, "
        f"{result['retried']:,} mended, {result['present']:,} were there, {result['given']:,} brought tags of their own"
    )
    if result["answers"]:
        told = [f"{result[name]:,} tokens {way}" for name, way in (("tokens_in", "in"), ("tokens_out", "out")) if result[name]]
        rate = result["seconds"] / result["answers"]
        yield f"{counted(result['answers'], 'note')} put to the model: {', '.join([*told, f'{rate:.1f} s a note'])}"
    if result["recorded_answers"]:
        yield f"{counted(result['recorded_answers'], 'note')} read from recorded outputs"
    if result["other_prompt"]:
        yield f"{counted(result['other_prompt'], 'note')} recorded under another prompt, such as another ontology"
    if result["failed"]:
        yield f"{counted(len(result['failed']), 'note')} without valid tags (ask again with --retry-failed):"
    for each in result["failed"][:SHOWN_FAILURES]:
        yield f"  {each['case']} {each['note']}: {visible(each['reason'])}"
    if result["stopped"]:
        yield f"stopped: {result['stopped']}; give the same command again to go on"
