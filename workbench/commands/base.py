"""What commands share: how they register, the options that come again, and how results are printed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

from workbench.embed.base import Embedder, embedder
from workbench.engine import Cluster, Progress, Workers
from workbench.errors import WorkbenchError
from workbench.evaluate.runs import MethodSpec
from workbench.methods.base import create
from workbench.registry import Registry
from workbench.store import Store

Function = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line; its function's docstring is its help. ``order`` sorts the list of commands."""

    order: int
    function: Function


commands: Registry[Command] = Registry("command", "workbench.commands", "workbench.commands")


def command(name: str, *, order: int) -> Callable[[Function], Function]:
    """Decorator that makes a function a command; its annotated parameters are the command's arguments and options."""

    def enter(function: Function) -> Function:
        commands.register(name)(Command(order, function))
        return function

    return enter


# Options ------------------------------------------------------------------------------------------------------------------

DEFAULT_STORE = Path("data/workbench.duckdb")
ENGINES = ("inline", "local", "dask")
StoreOption = Annotated[Path, typer.Option("--store", help="The store file.")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Write the result as JSON; - is standard output.")]
ProfileOption = Annotated[str, typer.Option("--profile", help="default, or literal for every paper-literal value.")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="METHOD.FIELD=VALUE, repeatable.", metavar="METHOD.FIELD=VALUE")
]
BenchmarkOption = Annotated[str | None, typer.Option("--benchmark", help="Which benchmark of the store.")]
CasesOption = Annotated[str | None, typer.Option("--cases", help="Comma-separated cases; default: all of the benchmark.")]
EngineOption = Annotated[
    str, typer.Option("--engine", help="inline: this process; local: one process a core; dask: the workers of a Dask cluster.")
]
SchedulerOption = Annotated[
    str | None,
    typer.Option("--scheduler", help="With --engine dask: a scheduler, such as tcp://10.0.0.5:8786; default: workers here."),
]
ExchangeOption = Annotated[
    str | None,
    typer.Option("--exchange", help="With --scheduler: path or URL that both this machine and the workers see."),
]
MeasureOption = Annotated[str, typer.Option("--measure", help="What is compared, such as mrr, recall@5 or mrr_note.")]
NameOption = Annotated[str, typer.Option("--name", help="A name for the run.")]
FreshOption = Annotated[bool, typer.Option("--fresh", help="Start anew where an interrupted run could go on.")]
ExtractionOption = Annotated[
    str | None, typer.Option("--extraction", help="Extractor whose tags are used; default: given, else the newest.")
]
NearOption = Annotated[
    str | None, typer.Option("--near", help="Embedding backend that finds near tags by meaning; '' for spelling alone.")
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
    """A progress callback that moves a bar to how many are done."""

    def advance(done: int, name: str) -> None:
        bar.update(done - bar.n)

    return advance


def workers_of(engine: str, scheduler: str | None = None, exchange: str | None = None) -> Workers:
    """Who works for an engine; wrong usage for an unknown one, and for options that it does not take."""
    if engine not in ENGINES:
        raise typer.BadParameter(f"no engine {engine!r}; known: {', '.join(ENGINES)}")
    if engine != "dask":
        if scheduler or exchange:
            raise typer.BadParameter(f"--scheduler and --exchange are for --engine dask, not for {engine}")
        return (os.cpu_count() or 1) if engine == "local" else 1
    try:
        return Cluster(scheduler, exchange)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


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


def backend(named: str) -> Embedder:
    """An embedding backend; wrong usage for one that is not there."""
    try:
        return embedder(named)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


# Cases --------------------------------------------------------------------------------------------------------------


def chosen_cases(store: Store, benchmark: str | None, names: Sequence[str]) -> list[str]:
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
