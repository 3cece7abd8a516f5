"""Commands that list what is registered, and every default."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workbench.answer.prompt import AnswerConfig
from workbench.commands.base import JsonOption, command, present
from workbench.datasets.base import datasets
from workbench.evaluate.measures.base import measures
from workbench.extract.base import extractors
from workbench.methods.base import methods
from workbench.printing import table
from workbench.settings import Setting, settings_of


def _help(entry: Any) -> str:
    return (entry.__doc__ or "").strip().splitlines()[0]


def _list(registry: Iterable[tuple[str, Any]], to: JsonOption) -> None:
    rows = [{"name": name, "help": _help(entry)} for name, entry in registry]
    present(rows, to, table(["name", "what it is"], [list(row.values()) for row in rows]))


@command("methods", order=81)
def list_methods(to: JsonOption = None) -> None:
    """List the retrieval methods."""
    _list(methods.items(), to)


@command("datasets", order=82)
def list_datasets(to: JsonOption = None) -> None:
    """List the benchmarks and input formats."""
    _list(datasets.items(), to)


@command("extractors", order=83)
def list_extractors(to: JsonOption = None) -> None:
    """List the extractors."""
    _list(extractors.items(), to)


@command("measures", order=84)
def list_measures(to: JsonOption = None) -> None:
    """List the measures."""
    _list(measures.items(), to)


def all_settings() -> list[Setting]:
    """Every configuration field of every method and extractor, and of answers."""
    owners = [(name, entry.Config) for name, entry in methods.items()] + [
        (name, entry.Config) for name, entry in extractors.items()
    ]
    owners.append(("answer", AnswerConfig))
    return [each for name, config in owners for each in settings_of(name, config)]


@command("defaults", order=85)
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
