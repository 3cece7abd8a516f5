"""Commands that bring rankings out and in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from workbench.commands.base import (
    DEFAULT_STORE,
    BenchmarkOption,
    CasesOption,
    ExtractionOption,
    JsonOption,
    StoreOption,
    advances,
    chosen_cases,
    command,
    present,
    split,
)
from workbench.errors import WorkbenchError
from workbench.evaluate import export as exports
from workbench.evaluate.importing import ImportReport, import_run
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.judging import Ranked
from workbench.evaluate.run_files.collect import UNITS, Accounts
from workbench.evaluate.summary import summary
from workbench.printing import evaluation_lines, said
from workbench.store import Store, open_store
from workbench.words import counted

SHOWN = 20
"""Findings that are printed; --json has all that are kept."""
_EXPORTS = (*exports.FORMATS, exports.QRELS)


@command("export", order=61)
def export(
    run: Annotated[str, typer.Argument(help="A run's id, or store for every table of the store.")],
    out: Annotated[Path, typer.Option("--out", help="File; a folder for the store's tables.")],
    format: Annotated[str, typer.Option("--format", help=f"{', '.join(_EXPORTS)}.")] = "trec",
    rows: Annotated[str, typer.Option("--rows", help="ranks; or questions, with every measure (csv and parquet).")] = "ranks",
    unit: Annotated[str | None, typer.Option("--unit", help="note or session; default: what the run ranks.")] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write a run's rankings as a TREC run, CSV, Parquet or JSON, its judgements as TREC qrels, or all tables of the store."""
    wanted = (("export format", format, _EXPORTS), ("rows", rows, exports.ROWS), ("unit", unit, (None, "note", "session")))
    for noun, value, known in wanted:
        if value not in known:
            raise typer.BadParameter(f"no {noun} {value!r}; known: {', '.join(filter(None, known))}")
    with open_store(store, read_only=True) as opened:
        try:
            if run == "store":
                written = opened.export_parquet(out)
                print(f"{len(written)} tables written to {out}")
                return
            lines = _written(opened, run, out, format, rows, unit)  # type: ignore[arg-type]
        except OSError as error:
            raise WorkbenchError(f"{out} can't be written: {error.strerror}") from error
    for line in lines:
        print(line)


def _written(store: Store, run_id: str, out: Path, format: str, rows: str, unit: Ranked | None) -> list[str]:
    """Write the file, and say how many rows of what it has."""
    run = store.runs.get(run_id)
    if format != exports.QRELS:
        return [f"{counted(exports.write(run, out, format, rows=rows, unit=unit), 'row')} written to {out}"]
    keys = list(dict.fromkeys(result.case for result in run.results))
    unit = unit or ("session" if all(config.get("unit") == "session" for config in run.config.values()) else "note")
    found = exports.write_qrels(run, case_inputs(store, keys), out, unit=unit)
    lines = [f"{counted(found.rows, 'row')} written to {out}: the {unit}s that answer {counted(found.questions, 'question')}"]
    if found.without:
        some = ", ".join(found.without[:3])
        lines.append(f"{counted(len(found.without), 'question')} without one in the history (misses here): {some}")
    return lines


@command("import-run", order=62)
def import_run_command(
    file: Annotated[Path, typer.Argument(help="A TREC run, CSV with a header, or JSON; a tag or method names each system.")],
    benchmark: BenchmarkOption = None,
    case_names: CasesOption = None,
    name: Annotated[str, typer.Option("--name", help="A name for the run; default: the file's.")] = "",
    unit: Annotated[str, typer.Option("--unit", help="What is ranked: note, session, or auto.")] = "auto",
    qrels: Annotated[Path | None, typer.Option("--qrels", help="TREC qrels to judge by instead of the stored gold.")] = None,
    extraction: ExtractionOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Judge another system's rankings like a run of ours, store them, and print their table."""
    if unit not in UNITS:
        raise typer.BadParameter(f"no unit {unit!r}; known: {', '.join(UNITS)}")
    with open_store(store, read_only=True) as opened:
        keys = chosen_cases(opened, benchmark, split(case_names))
    with tqdm(total=len(keys), unit=" cases", disable=None) as bar:
        report = import_run(
            store,
            file,
            benchmark=keys[0].partition("/")[0],
            cases=keys,
            name=name,
            unit=unit,
            qrels=qrels,
            extraction=extraction,
            progress=advances(bar),
        )
    result = summary(report.run)
    present(result | {"import": report.to_json()}, to, [*_import_lines(report), "", *evaluation_lines(result)])


def _import_lines(report: ImportReport) -> list[str]:
    """Coverage, what became of the rows, and the first findings."""
    lines = [f"{report.format}, {report.unit}s ranked", *report.coverage(), *_account_lines(report.rankings, "rows")]
    return lines if report.judgements is None else [*lines, *_account_lines(report.judgements, "judgements")]


def _account_lines(found: Accounts, noun: str) -> Sequence[str]:
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in Counter(found.kinds).most_common())
    more = len(found.findings) - SHOWN
    return [
        f"{noun}: {found.rows:,} seen, {found.kept:,} kept, {found.repaired:,} repaired, {found.quarantined:,} quarantined"
        + (f" ({kinds})" if kinds else ""),
        *(f"  {said(finding)}" for finding in found.findings[:SHOWN]),
        *([f"  and {counted(more, 'finding')} more: --json lists them"] if more > 0 else []),
    ]
