"""The command line: the same core as the app, headless (``workbench --help``).

Exit code 0: done. 1: the work failed; one line says why and what to do. 2: wrong usage.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

import workbench
from workbench.datasets.base import datasets
from workbench.datasets.read import read
from workbench.engine import Progress
from workbench.errors import StoreError, WorkbenchError
from workbench.evaluate import export as exports
from workbench.evaluate.dilution import correlations, dilution
from workbench.evaluate.inputs import case_input, case_inputs, common_extraction
from workbench.evaluate.measures.base import measures
from workbench.evaluate.relevance import relevance
from workbench.evaluate.runs import TABLE1, MethodSpec, evaluate, summary
from workbench.extract.base import extractors
from workbench.graph import GraphConfig, tag_graph
from workbench.ingest import ingest
from workbench.methods.adaptive import Spread
from workbench.methods.base import create, methods
from workbench.notes import write_notes
from workbench.ontology import OntologyReport
from workbench.printing import (
    diffusion_lines,
    evaluation_lines,
    interval,
    ontology_lines,
    ranking_lines,
    said,
    table,
    why_json,
)
from workbench.settings import Setting, configure, settings_of
from workbench.spread import spread_json, trace
from workbench.store import Store, open_store
from workbench.words import counted

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, help=workbench.__doc__)

DEFAULT_STORE = Path("data/workbench.duckdb")
StoreOption = Annotated[Path, typer.Option("--store", help="The store file.")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Write the result as JSON; - is standard output.")]
ProfileOption = Annotated[str, typer.Option("--profile", help="default, or literal for every paper-literal value.")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="METHOD.FIELD=VALUE, repeatable.", metavar="METHOD.FIELD=VALUE")
]
ExtractionOption = Annotated[
    str | None, typer.Option("--extraction", help="Extractor whose tags are used; default: given, else the newest.")
]


# Output -------------------------------------------------------------------------------------------------------------------


def present(result: Any, to: Path | None, lines: Iterable[str]) -> None:
    """Print lines for people, or write the result as JSON where that was asked for."""
    if to is None:
        for line in lines:
            print(line)
        return
    text = json.dumps(result, indent=2, ensure_ascii=False, default=str)
    if str(to) == "-":
        print(text)
        return
    try:
        to.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise WorkbenchError(f"{to} can't be written: {error.strerror}") from error


def advances(bar: tqdm[Any]) -> Progress:
    """A progress callback that moves a bar by one."""

    def advance(done: int, name: str) -> None:
        bar.update()

    return advance


# Configuration from the command line --------------------------------------------------------------------------------------


def overrides(settings: Sequence[str] | None, known: Iterable[str]) -> dict[str, dict[str, str]]:
    """``OWNER.FIELD=VALUE`` texts by owner; wrong usage where one does not read like that or names nothing known."""
    found: dict[str, dict[str, str]] = {}
    names = list(known)
    for text in settings or ():
        target, equals, value = text.partition("=")
        owner, dot, field = target.partition(".")
        if not (equals and dot and field):
            raise typer.BadParameter(f"--set {text!r} does not read METHOD.FIELD=VALUE")
        if owner not in names:
            raise typer.BadParameter(f"--set {text!r}: {owner!r} is not in use here; in use: {', '.join(names)}")
        found.setdefault(owner, {})[field] = value
    return found


def specs(names: Sequence[str], profile: str, settings: Sequence[str] | None) -> list[MethodSpec]:
    """Methods with their configuration; wrong usage for an unknown name, field or value."""
    by_method = overrides(settings, names)
    chosen = [MethodSpec(name, profile, by_method.get(name)) for name in names]  # type: ignore[arg-type]
    for spec in chosen:
        try:
            create(spec.name, spec.profile, spec.overrides)
        except (KeyError, ValueError) as error:
            raise typer.BadParameter(str(error.args[0])) from error
    return chosen


def split(text: str | None) -> list[str]:
    """Comma-separated names."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


# Commands: data -----------------------------------------------------------------------------------------------------------


@app.command()
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
    if extractor not in extractors:
        raise typer.BadParameter(f"no extractor {extractor!r}; known: {', '.join(extractors)}")
    chosen = extractors[extractor]
    try:
        config = configure(chosen.Config, "default", overrides(settings, [extractor]).get(extractor))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    with tqdm(unit=" cases", disable=None) as bar:
        report = ingest(
            ((str(path), read(path, format)) for path in paths),
            store,
            chosen(config),
            workers=workers or os.cpu_count() or 1,
            progress=advances(bar),
        )
    lines = [
        f"{counted(report.cases, 'case')}, {counted(report.questions, 'question')}, {counted(report.notes, 'note')} in the store"
        f" ({report.seconds:.1f} s; offline extractor {extractor!r})",
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


@app.command()
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


@app.command()
def show(case: str, extraction: ExtractionOption = None, store: StoreOption = DEFAULT_STORE, to: JsonOption = None) -> None:
    """Show a case: its size, its extractions, how its tags are reused, whether its topics group anything, its questions."""
    with open_store(store, read_only=True) as opened:
        given = case_input(opened, case, extraction)
        found = given.case
        extractions = opened.extractions.list(found.key)
    notes, ontology, health = len(given.notes), OntologyReport.of(given.notes), tag_graph(given.memory(), GraphConfig()).health
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
        "topics": asdict(health),
        "questions": questions,
    }
    lines = [
        f"{found.key}  {found.title}".rstrip(),
        f"{counted(len(found.sessions), 'session')}, {counted(notes, 'note')}",
        f"extractions: {', '.join(row.extractor for row in extractions)}",
        *ontology_lines(ontology, health),
        *table(["question", "type", "text", "answer"], [[q["question"], q["type"], q["text"], q["answer"]] for q in questions]),
    ]
    present(result, to, lines)


@app.command()
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


@app.command()
def remove(
    case: Annotated[str | None, typer.Argument(help="A case to delete.")] = None,
    benchmark: Annotated[str | None, typer.Option("--benchmark", help="Delete all cases of this benchmark.")] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Delete a case or a benchmark with its notes, extractions and rows of runs."""
    if (case is None) == (benchmark is None):
        raise typer.BadParameter("name a case, or a benchmark with --benchmark")
    with open_store(store) as opened:
        gone = opened.cases.remove(case) if case is not None else opened.cases.remove_benchmark(str(benchmark))
    print(f"removed {', '.join(gone)}")


# Commands: retrieval and evaluation ---------------------------------------------------------------------------------------


@app.command()
def query(
    case: str,
    text: str,
    method: Annotated[str, typer.Option("--method", help="Retrieval method.")],
    k: Annotated[int, typer.Option("--k", help="Hits to show.", min=1)] = 10,
    extraction: ExtractionOption = None,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Rank a case's notes for a text, with the why of each hit."""
    (spec,) = specs([method], profile, settings)
    with open_store(store, read_only=True) as opened:
        given = case_input(opened, case, extraction)
    ranking = create(spec.name, spec.profile, spec.overrides, given.memory()).query(text, k)
    result = {
        "case": given.case.key,
        "query": text,
        "method": method,
        "candidates": ranking.candidates,
        "remarks": list(ranking.remarks),
        "hits": [
            {"rank": hit.rank, "note": hit.note_id, "session": hit.session_id, "score": hit.score, "why": why_json(hit.why)}
            for hit in ranking.hits
        ],
    }
    present(result, to, ranking_lines(ranking))


@app.command()
def diffuse(
    case: str,
    question: Annotated[str, typer.Argument(help="A question's id, or any text.")],
    extraction: ExtractionOption = None,
    k: Annotated[int, typer.Option("--k", help="Files whose attribution is shown.", min=1)] = 10,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Step through AdaptiveGraph's diffusion for a question: mass, ranks, events, measures, attribution of the first files."""
    (spec,) = specs(["adaptive"], profile, settings)
    with open_store(store, read_only=True) as opened:
        given = case_input(opened, case, extraction)
    asked = next((each for each in given.case.questions if each.id == question), None)
    memory = given.memory()
    spread = Spread.of(memory, asked.text if asked else question, create(spec.name, spec.profile, spec.overrides).config)
    gold = relevance(asked, memory.notes).notes if asked else frozenset()
    result = {"case": given.case.key, "query": asked.text if asked else question, "gold": sorted(gold)}
    result |= spread_json(trace(spread), gold, k)
    present(result, to, diffusion_lines(result))


@app.command("dilution")
def dilution_command(
    benchmark: Annotated[str | None, typer.Option("--benchmark", help="Which benchmark of the store.")] = None,
    case_names: Annotated[
        str | None, typer.Option("--cases", help="Comma-separated cases; default: all of the benchmark.")
    ] = None,
    extraction: ExtractionOption = None,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Measure how concentrated diffusion leaves the mass, question by question, against the rank change it causes."""
    (spec,) = specs(["adaptive"], profile, settings)
    config = create(spec.name, spec.profile, spec.overrides).config
    with open_store(store, read_only=True) as opened:
        keys = _chosen_cases(opened, benchmark, split(case_names))
        row = common_extraction(opened, keys, extraction)
    rows = dilution(case_inputs(store, keys, row.key), config)
    found = correlations(rows)
    result = {"questions": [asdict(row) for row in rows], "correlations": [asdict(each) for each in found]}
    better, worse = (sum(sign * row.rr_change > 0 for row in rows) for sign in (1, -1))
    lines = [
        f"{len(rows)} questions: diffusion lifts the first gold note in {better} and lowers it in {worse}",
        "Spearman correlation with the change of the reciprocal rank [95%]:",
        *table(["measure", "n", "rho"], [[each.measure, each.n, interval(each.rho, each.interval)] for each in found]),
    ]
    present(result, to, lines)


@app.command("evaluate")
def evaluate_command(
    method_names: Annotated[
        str | None, typer.Option("--methods", help="Comma-separated; default: those of the paper's Table 1.")
    ] = None,
    benchmark: Annotated[str | None, typer.Option("--benchmark", help="Which benchmark of the store.")] = None,
    case_names: Annotated[
        str | None, typer.Option("--cases", help="Comma-separated cases; default: all of the benchmark.")
    ] = None,
    extraction: ExtractionOption = None,
    engine: Annotated[str, typer.Option("--engine", help="inline: this process; local: one process a core.")] = "inline",
    name: Annotated[str, typer.Option("--name", help="A name for the run.")] = "",
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Run methods over the cases of a benchmark, store the run and print its table."""
    if engine not in ("inline", "local"):
        raise typer.BadParameter(f"no engine {engine!r}; known: inline, local")
    chosen = specs(split(method_names) or [each for each in TABLE1 if each in methods], profile, settings)
    with open_store(store, read_only=True) as opened:
        keys = _chosen_cases(opened, benchmark, split(case_names))
        row = common_extraction(opened, keys, extraction)
    with tqdm(total=len(keys), unit=" cases", disable=None) as bar:
        run = evaluate(
            case_inputs(store, keys, row.key),
            chosen,
            {"extractor": row.extractor, "config": dict(row.config)},
            workers=(os.cpu_count() or 1) if engine == "local" else 1,
            progress=advances(bar),
            name=name,
        )
    result = summary(run)
    try:
        with open_store(store, wait_seconds=60) as opened:
            opened.runs.add(run)
    except StoreError as error:
        present(result, to, evaluation_lines(result))
        raise WorkbenchError(f"the run above was not stored: {error}") from error
    present(result, to, evaluation_lines(result))


def _chosen_cases(store: Store, benchmark: str | None, names: Sequence[str]) -> list[str]:
    """Keys of the cases to run: those named, or all of the one benchmark."""
    if names:
        keys = [store.cases.key(name) for name in names]
        of = sorted({key.partition("/")[0] for key in keys})
        if len(of) > 1:
            raise typer.BadParameter(f"a run takes cases of one benchmark; --cases names cases of {', '.join(of)}")
        return keys
    stored = store.cases.benchmarks()
    if not stored:
        raise WorkbenchError(f"{store.path} holds no case: load some first (workbench load PATH)")
    if benchmark is None and len(stored) > 1:
        listed = ", ".join(f"{each} ({count} cases)" for each, count in stored.items())
        raise typer.BadParameter(f"the store has several benchmarks, name one with --benchmark: {listed}")
    benchmark = benchmark or next(iter(stored))
    if benchmark not in stored:
        raise WorkbenchError(f"the store has no benchmark {benchmark!r}; it has: {', '.join(stored)}")
    return [row.key for row in store.cases.list(benchmark)]


@app.command()
def runs(
    benchmark: Annotated[str | None, typer.Option("--benchmark", help="Only this benchmark.")] = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """List the stored runs, newest first."""
    with open_store(store, read_only=True) as opened:
        rows = opened.runs.list(benchmark)
    result = [
        {"run": row.id, "name": row.name, "benchmark": row.benchmark, "methods": list(row.methods), "questions": row.questions}
        for row in rows
    ]
    lines = table(
        ["run", "name", "benchmark", "methods", "questions"],
        [[row.id, row.name, row.benchmark, ", ".join(row.methods), row.questions] for row in rows],
    )
    present(result, to, lines)


@app.command()
def export(
    run: Annotated[str, typer.Argument(help="A run's id, or store for every table of the store.")],
    out: Annotated[Path, typer.Option("--out", help="File; a folder for the store's tables.")],
    format: Annotated[str, typer.Option("--format", help="trec, csv or parquet.")] = "trec",
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write a run's rankings as a TREC run, CSV or Parquet, or all tables of the store as Parquet."""
    if format not in exports.FORMATS:
        raise typer.BadParameter(f"no export format {format!r}; known: {', '.join(exports.FORMATS)}")
    with open_store(store, read_only=True) as opened:
        try:
            if run == "store":
                written = opened.export_parquet(out)
                print(f"{len(written)} tables written to {out}")
                return
            rows = exports.write(opened.runs.get(run), out, format)
        except OSError as error:
            raise WorkbenchError(f"{out} can't be written: {error.strerror}") from error
    print(f"{rows} rows written to {out}")


# Commands: what is registered ---------------------------------------------------------------------------------------------


def _help(entry: Any) -> str:
    return (entry.__doc__ or "").strip().splitlines()[0]


def _list(registry: Iterable[tuple[str, Any]], to: JsonOption) -> None:
    rows = [{"name": name, "help": _help(entry)} for name, entry in registry]
    present(rows, to, table(["name", "what it is"], [list(row.values()) for row in rows]))


@app.command("methods")
def list_methods(to: JsonOption = None) -> None:
    """List the retrieval methods."""
    _list(methods.items(), to)


@app.command("datasets")
def list_datasets(to: JsonOption = None) -> None:
    """List the benchmarks and input formats."""
    _list(datasets.items(), to)


@app.command("extractors")
def list_extractors(to: JsonOption = None) -> None:
    """List the extractors."""
    _list(extractors.items(), to)


@app.command("measures")
def list_measures(to: JsonOption = None) -> None:
    """List the measures."""
    _list(measures.items(), to)


def all_settings() -> list[Setting]:
    """Every configuration field of every method and extractor."""
    owners = [(name, entry.Config) for name, entry in methods.items()] + [
        (name, entry.Config) for name, entry in extractors.items()
    ]
    return [each for name, config in owners for each in settings_of(name, config)]


@app.command()
def defaults(to: JsonOption = None) -> None:
    """List every default with its paper-literal value, meaning and source; "ours" marks what no source states."""
    rows = [
        {"owner": s.owner, "field": s.name, "default": s.value, "literal": s.literal, "source": s.source, "meaning": s.meaning}
        for s in all_settings()
    ]
    lines = table(
        ["field", "default", "literal", "source", "meaning"],
        [[f"{r['owner']}.{r['field']}", *list(r.values())[2:]] for r in rows],
    )
    present(rows, to, lines)


@app.command("app")
def start_app(
    port: Annotated[int, typer.Option("--port", help="Port to listen on.")] = 8501,
    address: Annotated[str, typer.Option("--address", help="Address to listen on.")] = "127.0.0.1",
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Open the app in a browser."""
    from workbench.ui.launch import launch  # The app's libraries are heavy; no other command needs them.

    launch(store, port=port, address=address)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        code = app(arguments, standalone_mode=False, prog_name="workbench")
    except (typer.Abort, KeyboardInterrupt):
        print("workbench: stopped", file=sys.stderr)
        return 1
    except typer.exceptions.TyperException as error:
        print(f"workbench: {error.format_message()} (workbench --help)", file=sys.stderr)
        return 2
    except (WorkbenchError, KeyError, ValueError) as error:
        print(f"workbench: {error.args[0]}", file=sys.stderr)
        return 1
    return code if isinstance(code, int) else 0


def entry() -> None:
    """The console script."""
    sys.exit(main())


if __name__ == "__main__":
    entry()
