"""The command that has a model write AriadneMem's entries beforehand, or reads what one wrote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.index import utterances_of
from workbench.ariadne.writing import Written, write_entries
from workbench.ariadne.written import windows
from workbench.chat.asking import Enough, Live, Replay
from workbench.chat.base import Asked, Asker, Endpoint
from workbench.commands.base import (
    DEFAULT_STORE,
    BenchmarkOption,
    CasesOption,
    ExtractionOption,
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
from workbench.evaluate.inputs import case_input, common_extraction
from workbench.methods.base import create
from workbench.states import Rows
from workbench.store import open_store
from workbench.store.recorder import WAIT_SECONDS, StoredRecordings
from workbench.words import counted, visible

SHOWN_FAILURES = 10
"""Failed windows that are named; the JSON has all."""


@command("entries", order=14)
def entries(
    benchmark: BenchmarkOption = None,
    case_names: CasesOption = None,
    extractor: Annotated[str, typer.Option("--extractor", help="llm asks the model; replay reads what it answered.")] = "llm",
    model: Annotated[str, typer.Option("--model", help="The model; default: WORKBENCH_LLM_MODEL.")] = "",
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask again for the windows that failed.")] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Put at most so many windows to the model now.")] = None,
    extraction: ExtractionOption = None,
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Write AriadneMem's entries of stored cases with a language model (WORKBENCH_LLM_URL, _KEY, _MODEL), window by window.

    Answers are recorded as they come: stopped and given again, the command goes on where it was. Rules need no such step.
    """
    asker = _asker(extractor, model, store, retry_failed, limit)
    fields: dict[str, Any] = {"extractor": extractor, "model": asker.model} | overrides(settings, ["ariadne"]).get("ariadne", {})
    try:
        config: AriadneConfig = create("ariadne", overrides=fields).config
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    with open_store(store, read_only=True) as opened:
        keys = chosen_cases(opened, benchmark, split(case_names))
        row = common_extraction(opened, keys, extraction)
    done: dict[str, Written] = {}
    stopped = ""
    with tqdm(total=len(keys), unit=" cases", disable=None) as bar:
        try:
            for key in keys:
                done[key] = _write(store, key, row.key, config, asker, bar)
                bar.update(1)
        except Enough as reached:
            stopped = str(reached)
    result = _result(extractor, asker.model, done, stopped)
    present(result, to, _lines(result))
    if result["windows"] and len(result["failed"]) == result["windows"]:
        raise WorkbenchError(f"no window got entries: {result['failed'][0]['reason']}")


def _asker(extractor: str, model: str, store: Path, retry_failed: bool, limit: int | None) -> Asker:
    if extractor not in ("llm", "replay"):
        raise typer.BadParameter(f"no extractor {extractor!r} writes entries beforehand; known: llm, replay")
    endpoint = Endpoint()
    if model:
        endpoint = replace(endpoint, model=model)
    if not endpoint.model:
        raise typer.BadParameter("name the model with --model or WORKBENCH_LLM_MODEL")
    recordings = StoredRecordings(store)
    if extractor == "replay":
        return Replay(endpoint.model, recordings)
    return Live(endpoint, recordings, retry_failed=retry_failed, most=limit)


def _write(store: Path, key: str, extraction: Any, config: AriadneConfig, asker: Asker, bar: tqdm[Any]) -> Written:
    """One case; the store is open for moments only, so that others get in between."""
    with open_store(store, read_only=True) as opened:
        memory = case_input(opened, key, extraction, ()).memory()
    total = len(windows(utterances_of(memory, config), config.window))
    answered = 0

    def progress(asked: Asked[Rows]) -> None:
        nonlocal answered
        answered += 1
        bar.set_postfix(window=f"{answered}/{total}")

    written = write_entries(key, memory, config, asker, progress)
    with open_store(store, wait_seconds=WAIT_SECONDS) as opened:
        opened.states.put(key, [*memory.states.fresh, written.state])
    return written


def _result(extractor: str, model: str, done: dict[str, Written], stopped: str) -> dict[str, Any]:
    replies = [asked.reply for each in done.values() for asked in each.answers]
    tokens = {
        name: sum(counts) if (counts := [count for reply in replies if (count := getattr(reply, name)) is not None]) else None
        for name in ("tokens_in", "tokens_out")
    }
    return {
        "extractor": extractor,
        "model": model,
        "cases": len(done),
        "windows": sum(each.windows for each in done.values()),
        "entries": sum(each.entries for each in done.values()),
        "recorded_answers": sum(reply.replayed for reply in replies),
        "failed": [
            {"case": key, "window": window, "reason": reason} for key, each in done.items() for window, reason in each.failed
        ],
        **tokens,
        "stopped": stopped or None,
    }


def _lines(result: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{counted(result['cases'], 'case')}, {counted(result['windows'], 'window')}: {result['entries']:,} entries by "
        f"{result['model']}, {result['recorded_answers']:,} answers were recorded"
    )
    for each in result["failed"][:SHOWN_FAILURES]:
        yield f"{each['case']}, window {each['window']}: {visible(each['reason'])}"
    if more := result["failed"][SHOWN_FAILURES:]:
        yield f"and {counted(len(more), 'window')} more"
    if result["stopped"]:
        yield result["stopped"]
