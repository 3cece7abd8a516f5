"""The command that audits many questions at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

from workbench.commands.base import (
    DEFAULT_STORE,
    CasesOption,
    EngineOption,
    ExchangeOption,
    JsonOption,
    ProfileOption,
    SchedulerOption,
    SetOption,
    StoreOption,
    advances,
    chosen_cases,
    command,
    present,
    specs,
    split,
    workers_of,
)
from workbench.diagnose.audit import audit
from workbench.diagnose.report import (
    CONTROL_HEAD,
    POOL_HEAD,
    ROW_FIELDS,
    audit_json,
    control_table,
    headline,
    label_lines,
    note_rows,
    pool_sentences,
    pool_table,
)
from workbench.diagnose.report_html import report_html
from workbench.errors import WorkbenchError
from workbench.evaluate.ranks import DEPTH
from workbench.evaluate.runs import TABLE1
from workbench.labels.summary import labels_json, labels_of
from workbench.methods.base import methods
from workbench.printing import table
from workbench.store import Store, open_labels, open_store
from workbench.table_files import check_ending, write_rows
from workbench.words import counted


@command("audit", order=36)
def audit_command(
    benchmark: Annotated[str | None, typer.Option("--benchmark", help="Comma-separated benchmarks of the store.")] = None,
    case_names: CasesOption = None,
    names: Annotated[
        str | None, typer.Option("--methods", help="Comma-separated; default: the registered methods of the paper's Table 1.")
    ] = None,
    extractions: Annotated[
        str | None,
        typer.Option("--extraction", help="Comma-separated extractors or variants; default: all that the cases have in common."),
    ] = None,
    k: Annotated[int, typer.Option("--k", help="Places that count, in notes.", min=1, max=DEPTH)] = 5,
    is_quick: Annotated[
        bool, typer.Option("--no-interventions", help="Add no tag to misses and take none from hits: much faster.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Write the report as one HTML file.")] = None,
    rows_to: Annotated[
        Path | None, typer.Option("--rows", help="Write every gold note under every method: a .csv, .parquet or .json file.")
    ] = None,
    engine: EngineOption = "inline",
    scheduler: SchedulerOption = None,
    exchange: ExchangeOption = None,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Audit the misses of many questions: the paper's pooled table, the same over hits as a control, and interventions."""
    if rows_to is not None:
        check_ending(rows_to)
    chosen = specs(split(names) or [name for name in TABLE1 if name in methods], profile, settings)
    workers = workers_of(engine, scheduler, exchange)
    with open_store(store, read_only=True) as opened:
        keys = _cases(opened, split(benchmark), split(case_names))
    with tqdm(total=len(keys), unit=" cases", disable=None) as bar:
        found = audit(
            store,
            keys,
            chosen,
            split(extractions),
            k,
            interventions=not is_quick,
            workers=workers,
            progress=advances(bar),
        )
    with open_labels(store, read_only=True) as opened_labels:
        labels = [label for label in opened_labels.current() if label.case in set(keys)]
    result = audit_json(found) | {"labels": labels_json(labels)}
    rows = note_rows(found)
    rows = [row | {"labels": given} for row, given in zip(rows, labels_of(rows, labels), strict=True)]
    written = []
    if out is not None:
        _write(out, report_html(result, [row for row in rows if not row["is_found"]]))
        written.append(f"report written to {out}")
    if rows_to is not None:
        count = write_rows(rows, (*ROW_FIELDS, "labels"), rows_to)
        written.append(f"{counted(count, 'row')} written to {rows_to}")
    present(result, to, [*_lines(result), *written])


def _cases(store: Store, benchmarks: Sequence[str], names: Sequence[str]) -> list[str]:
    """Keys of the cases named, of all cases of the benchmarks named, or of the only benchmark."""
    if names:
        return list(dict.fromkeys(store.cases.key(name) for name in names))
    return [key for each in (dict.fromkeys(benchmarks) or (None,)) for key in chosen_cases(store, each, ())]


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise WorkbenchError(f"{path} can't be written: {error.strerror}") from error


def _lines(result: dict[str, Any]) -> Iterator[str]:
    yield headline(result)
    yield ""
    if result["pool"]:
        yield from table(POOL_HEAD, pool_table(result))
    yield from pool_sentences(result)
    for unit in ("gold notes", "questions"):
        yield from ("", f"control, {unit}")
        yield from table(CONTROL_HEAD, control_table(result, unit, "all"))
    if result["labels"]["places"]:
        yield from ("", *label_lines(result["labels"]))
