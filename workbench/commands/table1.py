"""The command that sets the paper's Table 1 beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from tqdm import tqdm

from workbench.commands.base import (
    DEFAULT_STORE,
    EngineOption,
    ExchangeOption,
    JsonOption,
    SchedulerOption,
    StoreOption,
    command,
    present,
    split,
    workers_of,
)
from workbench.errors import WorkbenchError
from workbench.evaluate.estimates import Estimate
from workbench.evaluate.published import PUBLISHED, TAGS_PER_CASE, Published
from workbench.evaluate.runs import TABLE1
from workbench.evaluate.table1 import Row, Verdict, table1
from workbench.printing import interval, table


@command("table1", order=46)
def table1_command(
    benchmarks: Annotated[str | None, typer.Option("--benchmark", help="Comma-separated; default: all of the store.")] = None,
    engine: EngineOption = "inline",
    scheduler: SchedulerOption = None,
    exchange: ExchangeOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Print the paper's Table 1 beside ours, and which of its orderings hold here; runs are kept and not repeated."""
    workers = workers_of(engine, scheduler, exchange)
    with tqdm(unit=" cases", disable=None) as bar:

        def announce(what: str, done: int, of: int) -> None:
            bar.set_description(what)
            bar.total, bar.n = of, done
            bar.refresh()

        rows = table1(store, split(benchmarks), workers=workers, announce=announce)
    if not rows:
        raise WorkbenchError(f"{store} holds no case: load some first (workbench load PATH)")
    present(table1_json(rows), to, table1_lines(rows))


def table1_json(rows: Sequence[Row]) -> dict[str, Any]:
    """The table with the paper's lines, as plain values."""
    return {
        "paper": [asdict(line) for line in PUBLISHED],
        "ours": [
            {
                "row": row.row,
                "extraction": row.extraction,
                "methods": {name: _estimate(each) for name, each in row.cells.items()},
                "recall@5 by type": {
                    kind: {name: _estimate(each) for name, each in cells.items()} for kind, cells in row.by_type.items()
                },
                "tags": asdict(row.tags) if row.tags else None,
                "claims": [asdict(verdict) | {"text": verdict.claim.text} for verdict in row.verdicts],
            }
            for row in rows
        ],
        "paper_tags_per_case": TAGS_PER_CASE,
    }


def _estimate(found: Estimate) -> dict[str, Any]:
    return {"mean": found.mean, "interval": found.interval, "n": found.n}


def table1_lines(rows: Sequence[Row]) -> Iterator[str]:
    """For people: a table for each row of the paper, claims with their verdicts, recall by type, tag statistics."""
    for name in dict.fromkeys(row.row for row in rows):
        mine = [row for row in rows if row.row == name]
        yield f"{name}: MRR"
        of_paper = [line for line in PUBLISHED if line.row == name]
        lines = [["paper", line.extraction, line.n, *_numbers(line, TABLE1)] for line in of_paper if line.source == "Table 1"]
        lines += [["ours", row.extraction, _n(row.cells), *_means(row.cells)] for row in mine]
        yield from table(["", "extraction", "n", *TABLE1], lines)
        for line in (line for line in of_paper if line.source != "Table 1"):
            numbers = ", ".join(f"{arm} {value}" for arm, value in line.mrr.items())
            yield f"paper, {line.source}, {line.extraction}, n={line.n}: {numbers}"
        for row in mine:
            others = {arm: each for arm, each in row.cells.items() if arm not in TABLE1}
            yield f"ours, {row.extraction}, ablation and controls:"
            yield from table(["arm", "n", "MRR [95%]"], [[arm, each.n, _said(each)] for arm, each in others.items()])
            if row.verdicts:
                yield f"what the paper claims of {name}, tested here ({row.extraction}):"
                yield from table(["claim", "paper", "n", "difference [95%]", "here"], [_verdict(each) for each in row.verdicts])
            if row.by_type:
                yield f"recall@5 by type ({row.extraction}):"
                shown = [method for method in TABLE1 if method in row.cells]
                by_type = [[kind, _n(cells), *_means(cells, shown)] for kind, cells in row.by_type.items()]
                yield from table(["type", "n", *shown], by_type)
            if row.tags:
                tags = row.tags
                yield (
                    f"tags a case ({row.extraction}, {tags.cases} cases): {tags.distinct:,.1f} distinct, "
                    f"{tags.per_note:.1f} a note, each on {tags.reuse:.2f} notes"
                )
        yield ""
    said = ", ".join(f"{name} {count:,}" for name, count in TAGS_PER_CASE.items())
    yield f"paper: distinct tags a LongMemEval-S case: {said}"
    yield "holds / does not hold: the 95% paired bootstrap interval lies on one side; undecided: it holds 0 at this n"


def _numbers(line: Published, shown: Sequence[str]) -> list[float | str | None]:
    return [line.mrr.get(method) for method in shown]


def _n(cells: Mapping[str, Estimate]) -> int:
    return max((each.n for each in cells.values()), default=0)


def _means(cells: Mapping[str, Estimate], shown: Sequence[str] = TABLE1) -> list[str | None]:
    return [_said(cells[method]) if method in cells else None for method in shown]


def _said(found: Estimate) -> str:
    return interval(found.mean, found.interval)


def _verdict(found: Verdict) -> list[Any]:
    return [found.claim.text, found.claim.source, found.n, interval(found.difference, found.interval), found.verdict]
