"""Commands for what analysts say of misses: labels, their agreement, contested gold, and the taxonomy of causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.commands.base import DEFAULT_STORE, JsonOption, StoreOption, command, present
from workbench.diagnose.report import with_interval
from workbench.errors import BadInput, WorkbenchError
from workbench.labels.agreement import agreement
from workbench.labels.contested import contested_questions, with_and_without, write_patch
from workbench.labels.exchange import export_labels, import_labels
from workbench.labels.taxonomy import Cause, Taxonomy, change_taxonomy, give, taxonomy
from workbench.printing import interval, table
from workbench.store import STATUSES, Label, Labels, Store, open_labels, open_store
from workbench.table_files import read_texts
from workbench.words import counted, visible

SHOWN = 50
"""Rows of a list that are printed; --json has all."""
ACTIONS = ("list", "export", "import")
OfBenchmarkOption = Annotated[str | None, typer.Option("--benchmark", help="Only labels on this benchmark's cases.")]
CaseArgument = Annotated[str, typer.Argument(help="A case of the store.")]


def _opened(store: Path, *, read_only: bool = True) -> Labels:
    """The labels of a store that is there: those of a mistyped name would be none."""
    if not store.exists():
        raise WorkbenchError(f"there is no store at {store}: name another with --store, or load some data (workbench load PATH)")
    return open_labels(store, read_only=read_only)


# --- labels -----------------------------------------------------------------------------------------------------------------


@command("label", order=37)
def label(
    case: CaseArgument,
    question: Annotated[str, typer.Argument(help="The id of a question of it.")],
    analyst: Annotated[str, typer.Option("--analyst", help="Who says so.")],
    cause: Annotated[str | None, typer.Option("--label", help="A cause of the taxonomy (workbench taxonomy).")] = None,
    note: Annotated[str, typer.Option("--note", help="A gold note; default: the whole question.")] = "",
    method: Annotated[str, typer.Option("--method", help="Only under this method; default: any.")] = "",
    comment: Annotated[str | None, typer.Option("--comment", help="Free text.")] = None,
    status: Annotated[str | None, typer.Option("--status", help=f"{', '.join(STATUSES)}.")] = None,
    contested: Annotated[str | None, typer.Option("--contested", help="Why the gold is not accepted; '' takes it back.")] = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Label a miss. What is not named stays as the analyst said it before; earlier labels stay as history."""
    if status is not None and status not in STATUSES:
        raise typer.BadParameter(f"no status {status!r}; known: {', '.join(STATUSES)}")
    said = {"label": cause, "comment": comment, "status": status, "contested": contested}
    change = {name: value for name, value in said.items() if value is not None}
    if not change:
        raise typer.BadParameter("nothing to say: name at least one of --label, --comment, --status, --contested")
    with open_store(store, read_only=True) as opened:
        key = _checked(opened, case, question, note)
    now = datetime.now().replace(microsecond=0)
    with _opened(store, read_only=False) as labels:
        own = labels.current(key, question, analyst)
        blank = Label(case=key, question=question, note=note, method=method, analyst=analyst, created=now)
        before = next((each for each in own if each.place == blank.place), blank)
        new = replace(before, **change)  # type: ignore[arg-type]
        is_new = new != before and give(labels, replace(new, created=now)) == 1
    result = _plain(replace(new, created=now) if is_new else new) | {"is_new": is_new}
    lines = _label_lines([replace(new, created=now) if is_new else new])
    present(result, to, [*lines, "saved" if is_new else "nothing new: it says that already"])


def _checked(store: Store, case: str, question: str, note: str) -> str:
    """The case's key; KeyError where the store lacks the question or the note."""
    key = store.cases.key(case)
    store.questions.get(key, question)
    if note:
        store.notes.one(key, note)
    return key


@command("labels", order=38)
def labels_command(
    action: Annotated[str, typer.Argument(help=f"{', '.join(ACTIONS)}.")] = "list",
    file: Annotated[Path | None, typer.Argument(help="A .csv, .parquet or .json file, to export to or import from.")] = None,
    benchmark: OfBenchmarkOption = None,
    case: Annotated[str | None, typer.Option("--case", help="Only labels on this case.")] = None,
    analyst: Annotated[str | None, typer.Option("--analyst", help="Only labels of this analyst.")] = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """List the current labels, export all with their history, or import those of a file."""
    if action not in ACTIONS:
        raise typer.BadParameter(f"no action {action!r}; known: {', '.join(ACTIONS)}")
    if (file is None) != (action == "list"):
        raise typer.BadParameter(f"labels {action} takes {'no file' if action == 'list' else 'a file'}")
    if action == "list" or file is None:
        key = None
        if case is not None:
            with open_store(store, read_only=True) as opened:
                key = opened.cases.key(case)
        with _opened(store) as labels:
            found = _on(labels.current(case=key, analyst=analyst), benchmark)
        present([_plain(each) for each in found], to, _label_lines(found))
    elif any((benchmark, case, analyst)):
        raise typer.BadParameter(f"labels {action} takes the whole store's labels: no --benchmark, --case or --analyst")
    else:
        _exchange(action, file, store, to)


def _exchange(action: str, file: Path, store: Path, to: Path | None) -> None:
    is_export = action == "export"
    with _opened(store, read_only=is_export) as labels:
        count = export_labels(labels, file) if is_export else import_labels(labels, file)
    said = f"{counted(count, 'label')} written to {file}" if is_export else f"{counted(count, 'new label')} from {file}"
    present({"action": action, "labels": count}, to, [said])


def _on(found: Sequence[Label], benchmark: str | None) -> list[Label]:
    return [each for each in found if benchmark in (None, each.case.partition("/")[0])]


def _plain(given: Label) -> dict[str, Any]:
    return asdict(given) | {"created": given.created.isoformat()}


def _label_lines(found: Sequence[Label]) -> list[str]:
    rows = [
        [
            each.case,
            each.question,
            each.note or "-",
            each.method or "any",
            each.analyst,
            each.label or "-",
            each.status,
            visible(each.comment),
            visible(each.contested),
        ]
        for each in found[:SHOWN]
    ]
    head = ("case", "question", "note", "method", "analyst", "label", "status", "comment", "contested")
    more = [f"and {counted(len(found) - SHOWN, 'label')} more: --json lists them"] if len(found) > SHOWN else []
    return [*table(head, rows), *more] if rows else ["no labels"]


# --- agreement --------------------------------------------------------------------------------------------------------------


@command("agreement", order=39)
def agreement_command(
    first: Annotated[str, typer.Argument(help="An analyst.")],
    second: Annotated[str, typer.Argument(help="Another one.")],
    benchmark: OfBenchmarkOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Compare the labels of two analysts: Cohen's kappa with its interval, and the places on which they disagree."""
    with _opened(store) as labels:
        _known_analysts(labels, first, second)
        found = agreement(_on(labels.current(), benchmark), first, second)
    pairs = [{"first": _plain(one), "second": _plain(other)} for one, other in found.disagreements]
    lines = [
        f"{found.first} and {found.second} agree on {found.agreed} of {counted(found.places, 'place')} that both labelled; "
        f"{found.only_first} only {found.first}, {found.only_second} only {found.second}",
        f"Cohen's kappa {with_interval(found.kappa, found.interval)}",
    ]
    rows = [[one.case, one.question, one.note or "-", one.label, other.label] for one, other in found.disagreements]
    if rows:
        lines += ["", *table(("case", "question", "note", found.first, found.second), rows[:SHOWN])]
        lines += [f"and {len(rows) - SHOWN:,} more: --json lists them"] if len(rows) > SHOWN else []
    present(asdict(found) | {"disagreements": pairs}, to, lines)


def _known_analysts(labels: Labels, *names: str) -> None:
    known = labels.analysts()
    for name in names:
        if name not in known:
            raise WorkbenchError(f"no label of an analyst {name!r}; there are labels of: {', '.join(known) or 'nobody'}")


# --- contested gold ---------------------------------------------------------------------------------------------------------


@command("contested", order=40)
def contested_command(
    run_id: Annotated[
        str | None, typer.Option("--run", help="Every measure of this run with and without these questions.")
    ] = None,
    patch: Annotated[
        Path | None, typer.Option("--patch", help="Write a patch file: JSON lines for the benchmark's keepers.")
    ] = None,
    benchmark: OfBenchmarkOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """List the questions whose gold an analyst does not accept, and what a run measures without them."""
    with _opened(store) as labels:
        current = _on(labels.current(), benchmark)
    found = contested_questions(current)
    given = [each for labels_ in found.values() for each in labels_]
    result: dict[str, Any] = {"questions": len(found), "labels": [_plain(each) for each in given], "run": run_id}
    lines = [f"the gold of {counted(len(found), 'question')} is contested"]
    if given:
        lines += table(
            ("case", "question", "analyst", "because", "proposed change"),
            [[each.case, each.question, each.analyst, visible(each.contested), visible(each.comment)] for each in given],
        )
    if run_id is not None or patch is not None:
        with open_store(store, read_only=True) as opened:
            if run_id is not None:
                rows = with_and_without(opened.runs.get(run_id), current)
                result["measures"] = [asdict(row) for row in rows]
                lines += ["", *_measure_lines(rows)]
            if patch is not None:
                lines.append(f"{counted(write_patch(opened, current, patch), 'record')} written to {patch}")
    present(result, to, lines)


def _measure_lines(rows: Sequence[Any]) -> list[str]:
    return table(
        ("method", "measure", "all [95%]", "n", "uncontested [95%]", "n"),
        [
            [
                row.method,
                row.measure,
                interval(row.all.mean, row.all.interval),
                row.all.n,
                interval(row.uncontested.mean, row.uncontested.interval),
                row.uncontested.n,
            ]
            for row in rows
        ],
    )


# --- taxonomy ---------------------------------------------------------------------------------------------------------------


@command("taxonomy", order=86)
def taxonomy_command(
    version: Annotated[int | None, typer.Option("--version", help="An earlier version; 0 is the workbench's own.")] = None,
    change: Annotated[
        Path | None, typer.Option("--change", help="A .csv, .parquet or .json table of causes (name, meaning): the next version.")
    ] = None,
    analyst: Annotated[str, typer.Option("--analyst", help="Who changes it.")] = "",
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Show the causes that a miss can be labelled with, or replace them; labels that were given keep their words."""
    if change is not None and (version is not None or not analyst.strip()):
        raise typer.BadParameter("--change takes --analyst, and no --version")
    causes = _causes(change) if change is not None else []
    with _opened(store, read_only=change is None) as labels:
        if change is None:
            found = taxonomy(labels, version)
        else:
            found = change_taxonomy(labels, causes, analyst, datetime.now().replace(microsecond=0))
    present(asdict(found), to, _taxonomy_lines(found))


def _causes(path: Path) -> list[Cause]:
    rows = read_texts(path)
    if any("name" not in row for row in rows):
        raise BadInput(f"{path}: a table of causes has the columns name and meaning")
    return [Cause(row["name"], row.get("meaning", "")) for row in rows]


def _taxonomy_lines(found: Taxonomy) -> list[str]:
    head = f"version {found.version}" if found.version else "the workbench's own (version 0)"
    return [head, *table(("label", "meaning"), [[cause.name, visible(cause.meaning)] for cause in found.causes])]
