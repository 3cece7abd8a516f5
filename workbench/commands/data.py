"""Commands about data: load, list, show, write and remove cases."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from workbench.commands.base import (
    DEFAULT_STORE,
    ExtractionOption,
    JsonOption,
    NearOption,
    SetOption,
    StoreOption,
    advances,
    backend,
    command,
    present,
)
from workbench.commands.extract import extractor_named
from workbench.datasets.base import datasets
from workbench.datasets.read import read
from workbench.embed.near import near_duplicates_by_meaning
from workbench.errors import WorkbenchError
from workbench.evaluate.inputs import case_input
from workbench.graph import GraphConfig, tag_graph
from workbench.ingest import ingest
from workbench.notes import write_notes
from workbench.ontology import OntologyReport
from workbench.printing import ontology_lines, said, table
from workbench.store import ExtractionRow, open_store
from workbench.words import counted


@command("load", order=11)
def load(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    format: Annotated[str, typer.Option("--format", help="Input format, or auto to recognise it.")] = "auto",
    extractor: Annotated[str, typer.Option("--extractor", help="What makes the tags.")] = "rules",
    settings: SetOption = None,
    workers: Annotated[int, typer.Option("--workers", help="Processes that extract; default: one a core.")] = 0,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Read files or folders, make notes with tags, and store them; loading the same data again changes nothing."""
    if format != "auto" and format not in datasets:
        raise typer.BadParameter(f"no format {format!r}; known: auto, {', '.join(datasets)}")
    chosen = extractor_named(extractor, settings)
    made_by = f"offline extractor {extractor!r}" if extractor == "rules" else f"extractor {extractor!r}"
    with tqdm(unit=" cases", disable=None) as bar:
        report = ingest(
            ((str(path), read(path, format)) for path in paths),
            store,
            chosen,
            workers=workers or os.cpu_count() or 1,
            progress=advances(bar),
        )
    lines = [
        f"{counted(report.cases, 'case')}, {counted(report.questions, 'question')}, {counted(report.notes, 'note')} in the store"
        f" ({report.seconds:.1f} s; {made_by})",
        f"records: {report.kept} kept, {report.repaired} repaired, {len(report.quarantined)} quarantined",
        *(f"  repaired     {said(finding)}" for finding in report.mended),
        *(f"  {counted(notes, 'note')}: {remark}" for remark, notes in report.remarks.items()),
        *(f"  quarantined  {said(finding)}" for finding in report.quarantined),
    ]
    present(report.to_json(), to, lines)
    if not report.cases:
        found = [finding for finding in report.quarantined if finding.is_record] or list(report.quarantined)
        more = f" (and {counted(len(found) - 1, 'other problem')})" if len(found) > 1 else ""
        why = f"{said(found[0])}{more}" if found else f"{', '.join(map(str, paths))}: the input holds no case"
        raise WorkbenchError(f"nothing was loaded: {why}")


@command("cases", order=12)
def cases(
    benchmark: Annotated[str | None, typer.Option("--benchmark", help="Only this benchmark.")] = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """List the cases of the store."""
    with open_store(store, read_only=True) as opened:
        rows = opened.cases.list(benchmark)
    result = [
        {"case": row.key, "title": row.title, "sessions": row.sessions, "notes": row.notes, "questions": row.questions}
        for row in rows
    ]
    present(result, to, table(["case", "title", "sessions", "notes", "questions"], [list(row.values()) for row in result]))


@command("show", order=13)
def show(
    case: str,
    near: NearOption = None,
    extraction: ExtractionOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Show a case: its size, its extractions, how its tags are reused, whether its topics group anything, its questions."""
    with open_store(store, read_only=True) as opened:
        given = case_input(opened, case, extraction)
        found = given.case
        extractions = opened.extractions.list(found.key)
    notes, ontology, health = len(given.notes), OntologyReport.of(given.notes), tag_graph(given.memory(), GraphConfig()).health
    alike = () if near is None else near_duplicates_by_meaning(tag_graph(given.memory(), GraphConfig()).paths, backend(near))
    questions = [
        {"question": q.id, "type": q.type, "text": q.text, "answer": q.answer, "remarks": list(q.remarks)}
        for q in found.questions
    ]
    result = {
        "case": found.key,
        "title": found.title,
        "sessions": len(found.sessions),
        "notes": notes,
        "extractions": [
            {"extractor": row.extractor, "configuration": row.digest, "counters": row.counters} for row in extractions
        ],
        "ontology": asdict(ontology),
        "near_by_meaning": None if near is None else [asdict(pair) for pair in alike],
        "topics": asdict(health),
        "questions": questions,
    }
    lines = [
        f"{found.key}  {found.title}".rstrip(),
        f"{counted(len(found.sessions), 'session')}, {counted(notes, 'note')}",
        f"extractions: {', '.join(_named(row) for row in extractions)}",
        *ontology_lines(ontology, health),
        *([] if near is None else [f"near by meaning ({near}): {counted(len(alike), 'pair')}"]),
        *(f"  {pair.first} ~ {pair.second} ({pair.score:.0f})" for pair in alike[:10]),
        *table(["question", "type", "text", "answer"], [[q["question"], q["type"], q["text"], q["answer"]] for q in questions]),
    ]
    present(result, to, lines)


def _named(row: ExtractionRow) -> str:
    failed = len(row.counters.get("failed", ()))
    return f"{row.extractor} ({counted(failed, 'note')} failed)" if failed else row.extractor


@command("notes", order=14)
def notes(
    case: str,
    out: Annotated[Path, typer.Option("--out", help="Folder for the Markdown files.")],
    extraction: ExtractionOption = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write a case's notes as Markdown files, which load again as the same notes."""
    with open_store(store, read_only=True) as opened:
        found = opened.notes.get(opened.cases.key(case), extraction)
    try:
        files = write_notes(found, out)
    except OSError as error:
        raise WorkbenchError(f"{out} can't be written: {error.strerror}") from error
    print(f"{len(files)} notes written to {out}")


@command("remove", order=15)
def remove(
    case: Annotated[str | None, typer.Argument(help="A case to delete.")] = None,
    benchmark: Annotated[str | None, typer.Option("--benchmark", help="Delete all cases of this benchmark.")] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Delete a case or a benchmark with all that was made of it (also the copies own questions stand in), to the last byte."""
    if (case is None) == (benchmark is None):
        raise typer.BadParameter("name a case, or a benchmark with --benchmark")
    with open_store(store) as opened:
        gone = opened.cases.remove(case) if case is not None else opened.cases.remove_benchmark(str(benchmark))
    print(f"removed {', '.join(gone)}")
