"""Commands that run a method in variations: parts off, settings moved, stores made smaller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

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
    overrides,
    present,
    split,
    workers_of,
)
from workbench.engine import Workers
from workbench.evaluate.ablations import AblationTable, ablation, ablation_table
from workbench.evaluate.inputs import case_input, common_extraction
from workbench.evaluate.judging import MEASURES
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.significance import PairedTest
from workbench.evaluate.stored import run_stored
from workbench.evaluate.sweep_table import SweepTable, sweep_table
from workbench.evaluate.sweeps.base import Options, Sweep, offered
from workbench.printing import interval, table
from workbench.records import Run, RunKind
from workbench.store import open_store
from workbench.words import counted

FigureOption = Annotated[
    Path | None, typer.Option("--out", help="Write the figure as an HTML page that needs no network.", metavar="FIGURE.html")
]


@command("ablate", order=51)
def ablate(
    method: Annotated[str, typer.Option("--method", help="The method to take parts from.")] = "adaptive",
    switches: Annotated[str | None, typer.Option("--switches", help="Comma-separated parts; default: all of the method.")] = None,
    benchmark: BenchmarkOption = None,
    case_names: CasesOption = None,
    extraction: ExtractionOption = None,
    measure: MeasureOption = "mrr",
    engine: EngineOption = "inline",
    scheduler: SchedulerOption = None,
    exchange: ExchangeOption = None,
    name: NameOption = "",
    is_fresh: FreshOption = False,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    out: FigureOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Switch a method's parts off, singly and together, and say what each is worth; an interrupted run goes on."""
    fields = overrides(settings, [method]).get(method)
    arms = _usable(lambda: ablation(method, split(switches) or None, profile, fields))  # type: ignore[arg-type]
    workers = workers_of(engine, scheduler, exchange)
    title = name or f"ablation of {method}"
    plan = _Plan("ablation", arms, benchmark, case_names, extraction, measure, workers, title, is_fresh)
    run = plan.run(store)
    found = ablation_table(run, measure)
    if out is not None:
        from workbench.charts import ablation_figure, write_page  # Plotly takes a while to import.

        write_page(ablation_figure(found), out, f"Ablation of {method}")
    present({"run": run.id, "benchmark": run.benchmark, **asdict(found)}, to, _ablation_lines(run, found))


@command("sweep", order=52)
def sweep(
    sweep_name: Annotated[
        str | None, typer.Argument(help="What is moved; left out, the sweeps are listed.", metavar="NAME")
    ] = None,
    points: Annotated[str | None, typer.Option("--points", help="Comma-separated; default: those of the sweep.")] = None,
    method_names: Annotated[
        str | None, typer.Option("--methods", help="Comma-separated arms, such as bm25 or 'adaptive - diffusion'.")
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", help="Samples of each point, where it is sampled.", min=1)] = 3,
    benchmark: BenchmarkOption = None,
    case_names: CasesOption = None,
    extraction: ExtractionOption = None,
    measure: MeasureOption = "mrr",
    engine: EngineOption = "inline",
    scheduler: SchedulerOption = None,
    exchange: ExchangeOption = None,
    name: NameOption = "",
    is_fresh: FreshOption = False,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    out: FigureOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Move a setting or the size of the store over several points; an interrupted run goes on."""
    known = offered()
    if sweep_name is None:
        _list_sweeps(known, to)
        return
    if sweep_name not in known:
        raise typer.BadParameter(f"no sweep {sweep_name!r}; known: {', '.join(known)}")
    chosen = known[sweep_name]
    labels = split(method_names) or list(chosen.methods)
    fields = overrides(settings, dict.fromkeys(label.split(" ")[0] for label in labels))
    options = _usable(lambda: Options(split(points) or None, labels, seeds, profile, fields))  # type: ignore[arg-type]
    arms = _usable(lambda: chosen.arms(options))
    workers = workers_of(engine, scheduler, exchange)
    title = name or f"sweep of {sweep_name}"
    plan = _Plan("sweep", arms, benchmark, case_names, extraction, measure, workers, title, is_fresh)
    run = plan.run(store)
    found = sweep_table(run, measure)
    if out is not None:
        from workbench.charts import sweep_figure, write_page  # Plotly takes a while to import.

        write_page(sweep_figure(found), out, f"Sweep of {sweep_name}")
    present({"run": run.id, "benchmark": run.benchmark, **asdict(found)}, to, _sweep_lines(run, found))


def _usable(make: Callable[[], Any]) -> Any:
    """What was asked for; wrong usage where a name or a value is not known."""
    try:
        return make()
    except (KeyError, ValueError) as error:
        raise typer.BadParameter(str(error.args[0])) from error


@dataclass(frozen=True)
class _Plan:
    """What both commands run."""

    kind: RunKind
    arms: Sequence[MethodSpec]
    benchmark: str | None
    case_names: str | None
    extraction: str | None
    measure: str
    workers: Workers
    name: str
    is_fresh: bool

    def run(self, store: Path) -> Run:
        """Run the arms over the cases and keep the run. What can't work is said before anything is begun."""
        if self.measure.partition("_")[0] not in MEASURES and self.measure not in MEASURES:
            raise typer.BadParameter(f"no run has a measure {self.measure!r}; they have: {', '.join(MEASURES)}")
        with open_store(store, read_only=True) as opened:
            keys = chosen_cases(opened, self.benchmark, split(self.case_names))
            row = common_extraction(opened, keys, self.extraction)
            first = case_input(opened, keys[0], row.key)
        for reduction in {spec.reduction for spec in self.arms if spec.reduction is not None}:
            reduction(first)  # cases of one benchmark have gold of one kind
        with tqdm(total=len(keys), unit=" cases", disable=None) as bar:
            return run_stored(
                store,
                keys,
                self.arms,
                row,
                kind=self.kind,
                name=self.name,
                is_fresh=self.is_fresh,
                workers=self.workers,
                progress=advances(bar),
            )


# Output -------------------------------------------------------------------------------------------------------------------


def _head(run: Run, measure: str, questions: int) -> str:
    extractor = run.extraction.get("extractor", "unknown")
    return f"run {run.id} · {run.benchmark} · {measure} over {counted(questions, 'question')} · extractor {extractor}"


def _ablation_lines(run: Run, found: AblationTable) -> list[str]:
    rows = [
        [
            row.arm,
            interval(row.estimate.mean, row.estimate.interval),
            _difference(row.test),
            _p(row.p_holm),
            f"{row.acted} of {row.compared}" if row.test else None,
        ]
        for row in found.rows
    ]
    head = ["arm", f"{found.measure} [95%]", "against the full method [95%]", "p (Holm)", "another ranking for"]
    return [_head(run, found.measure, found.questions), *table(head, rows)]


def _sweep_lines(run: Run, found: SweepTable) -> list[str]:
    rows = [
        [
            row.value,
            row.arm,
            interval(row.estimate.mean, row.estimate.interval),
            f"{row.spread[0]:.3f}-{row.spread[1]:.3f}" if row.spread else None,
            row.store_notes if row.store_notes is None else f"{row.store_notes:.1f}",
        ]
        for row in found.rows
    ]
    lines = [
        _head(run, found.measure, found.questions),
        *table([found.axis, "arm", f"{found.measure} [95%]", "over seeds", "notes"], rows),
    ]
    if found.contributions:
        head = [found.axis, "contribution of", f"{found.measure} with - without [95%]", "p", "better/worse/same"]
        lines += [
            "",
            *table(
                head,
                [
                    [each.value, each.label, _difference(each.test), _p(each.test.p), _outcomes(each.test)]
                    for each in found.contributions
                ],
            ),
        ]
    return lines


def _difference(test: PairedTest | None) -> str | None:
    if test is None or test.difference is None:
        return None
    return f"{test.difference:+.3f}" + (f" [{test.interval[0]:+.3f}, {test.interval[1]:+.3f}]" if test.interval else "")


def _p(p: float | None) -> str | None:
    return None if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def _outcomes(test: PairedTest) -> str:
    return f"{test.wins}/{test.losses}/{test.ties}"


def _list_sweeps(known: dict[str, Sweep], to: Path | None) -> None:
    rows = [
        {"name": name, "help": each.help, "points": list(each.points), "source": each.source, "methods": list(each.methods)}
        for name, each in known.items()
    ]
    lines = table(
        ["name", "points", "source", "what it is"],
        [[name, ", ".join(map(str, each.points)), each.source, each.help] for name, each in known.items()],
    )
    present(rows, to, lines)
