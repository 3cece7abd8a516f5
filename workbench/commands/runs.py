"""Commands that evaluate and keep runs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from tqdm import tqdm

from workbench.commands.base import (
    DEFAULT_STORE,
    BenchmarkOption,
    CasesOption,
    EngineOption,
    ExchangeOption,
    ExtractionOption,
    FreshOption,
    JsonOption,
    MeasureOption,
    NameOption,
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
from workbench.evaluate.comparing import compare_runs
from workbench.evaluate.guards import warnings_of
from workbench.evaluate.inputs import common_extraction
from workbench.evaluate.runs import TABLE1
from workbench.evaluate.significance import pairwise_by_type
from workbench.evaluate.stored import run_stored
from workbench.evaluate.summary import summary
from workbench.methods.base import methods
from workbench.printing import comparison_lines, evaluation_lines, pair_lines, table
from workbench.store import open_store
from workbench.words import counted


@command("evaluate", order=41)
def evaluate_command(
    method_names: Annotated[
        str | None, typer.Option("--methods", help="Comma-separated; default: those of the paper's Table 1.")
    ] = None,
    benchmark: BenchmarkOption = None,
    case_names: CasesOption = None,
    extraction: ExtractionOption = None,
    engine: EngineOption = "inline",
    scheduler: SchedulerOption = None,
    exchange: ExchangeOption = None,
    name: NameOption = "",
    is_fresh: FreshOption = False,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Run methods over the cases of a benchmark, store the run and print its table; an interrupted run goes on."""
    workers = workers_of(engine, scheduler, exchange)
    chosen = specs(split(method_names) or [each for each in TABLE1 if each in methods], profile, settings)
    with open_store(store, read_only=True) as opened:
        keys = chosen_cases(opened, benchmark, split(case_names))
        row = common_extraction(opened, keys, extraction)
    with tqdm(total=len(keys), unit=" cases", disable=None) as bar:
        run = run_stored(
            store,
            keys,
            chosen,
            row,
            workers=workers,
            progress=advances(bar),
            name=name,
            is_fresh=is_fresh,
        )
    result = summary(run)
    present(result, to, evaluation_lines(result))


@command("runs", order=42)
def runs(
    benchmark: Annotated[str | None, typer.Option("--benchmark", help="Only this benchmark.")] = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """List the stored runs, newest first, and those that were interrupted."""
    with open_store(store, read_only=True) as opened:
        rows = opened.runs.list(benchmark)
        begun = [row for row in opened.unfinished.list() if benchmark in (None, row.benchmark)]
    result = [
        {
            "run": row.id,
            "kind": row.kind,
            "name": row.name,
            "benchmark": row.benchmark,
            "methods": list(row.methods),
            "questions": row.questions,
        }
        for row in rows
    ]
    lines = table(
        ["run", "kind", "name", "benchmark", "methods", "questions"],
        [[row.id, row.kind, row.name, row.benchmark, ", ".join(row.methods), row.questions] for row in rows],
    )
    lines += [
        f"{row.run} is unfinished: {row.done} of {counted(row.cases, 'case')} of {row.benchmark}; the same command goes on, "
        f"workbench remove-run {row.run} drops it"
        for row in begun
    ]
    present(result, to, lines)


@command("rename-run", order=43)
def rename_run(run: str, name: str, store: StoreOption = DEFAULT_STORE) -> None:
    """Give a run a name."""
    with open_store(store) as opened:
        opened.runs.rename(run, name)
    print(f"{run} is called {name!r}")


@command("remove-run", order=44)
def remove_run(run: str, store: StoreOption = DEFAULT_STORE) -> None:
    """Delete a run, or what an interrupted one had done."""
    with open_store(store) as opened:
        if any(row.run == run for row in opened.unfinished.list()):
            opened.unfinished.abandon(run)
        else:
            opened.runs.remove(run)
    print(f"removed {run}")


@command("compare", order=45)
def compare(
    first: Annotated[str, typer.Argument(help="A run's id.")],
    second: Annotated[
        str | None, typer.Argument(help="Another run's id; without it the methods of the first are compared.")
    ] = None,
    measure: MeasureOption = "mrr",
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Paired tests: what changed from a run to another, or between the methods of one."""
    with open_store(store, read_only=True) as opened:
        one, other = opened.runs.get(first), opened.runs.get(second) if second else None
    guards = [asdict(guard) for run in (one, other) if run for guard in warnings_of(run)]
    warned = [f"note: {guard['text']}" for guard in guards]
    if other is None:
        by_type = pairwise_by_type(one, measure)
        pairs = {group: [asdict(pair) for pair in found] for group, found in by_type.items()}
        present(
            {"run": one.id, "measure": measure, "pairs": pairs, "guards": guards}, to, [*pair_lines(by_type, measure), *warned]
        )
    else:
        found = compare_runs(one, other, measure)
        present(asdict(found) | {"guards": guards}, to, [*comparison_lines(found), *warned])
