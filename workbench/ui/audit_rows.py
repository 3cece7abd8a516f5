"""The queue of an audit without any drawing: misses by gold note, what a filter leaves of them, and counts of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from workbench.diagnose.audit import NoteRow
from workbench.diagnose.report import stage_names
from workbench.records import Run
from workbench.store import STATUSES, Label

UNKNOWN = stage_names()[-1]
"""The stage of a miss of which it cannot be known."""
UNLABELLED = "∅"
"""Stands for no label in a filter: no cause is called so."""
UNTYPED = "untyped"
MissKey = tuple[str, str, str]
"""(case, question, note)."""
RowKey = tuple[str, str, str, str, str]
"""(case, question, note, extraction, method)."""


@dataclass(frozen=True)
class Miss:
    """A gold note that at least one method misses: its rows under every method and extraction, in the audit's order."""

    key: MissKey
    type: str
    session: str
    rows: tuple[NoteRow, ...]

    @property
    def benchmark(self) -> str:
        return self.key[0].partition("/")[0]

    @cached_property
    def lost(self) -> tuple[NoteRow, ...]:
        """The rows that miss it."""
        return tuple(row for row in self.rows if not row.is_found)


@dataclass(frozen=True)
class Filter:
    """What the queue is narrowed to; an empty field does not narrow. ``worse`` is the id of a run."""

    benchmark: str = ""
    extraction: str = ""
    method: str = ""
    stage: str = ""
    label: str = ""
    status: str = ""
    type: str = ""
    worse: str = ""

    @property
    def is_set(self) -> bool:
        return self != Filter()


FACETS = ("stage", "label", "status", "type", "method", "extraction", "benchmark")
"""The fields of which values are counted, in the order in which they are drawn."""


@dataclass(frozen=True)
class Facts:
    """What is known of misses beside the audit: the analyst's own labels by place, and the rows that a run ranks better."""

    own: Mapping[MissKey, Label]
    worse: Collection[RowKey] = frozenset()

    def label(self, miss: Miss) -> str:
        """The analyst's cause, or UNLABELLED."""
        label = self.own.get(miss.key)
        return (label.label if label else "") or UNLABELLED

    def status(self, miss: Miss) -> str:
        """The analyst's status; of what nobody labelled, the first one: open."""
        label = self.own.get(miss.key)
        return label.status if label else STATUSES[0]


def misses(rows: Iterable[NoteRow]) -> tuple[Miss, ...]:
    """The gold notes that are missed at least once, in the order of the rows."""
    found: dict[MissKey, list[NoteRow]] = {}
    for row in rows:
        found.setdefault((row.case, row.question, row.note), []).append(row)
    return tuple(
        Miss(key, own[0].type or UNTYPED, own[0].session, tuple(own))
        for key, own in found.items()
        if not all(row.is_found for row in own)
    )


def row_key(row: NoteRow) -> RowKey:
    return (row.case, row.question, row.note, row.extraction, row.method)


def stage_of(row: NoteRow) -> str:
    """The stage that lost the note, in words that a filter can name."""
    return row.stage or UNKNOWN


def lost_rows(miss: Miss, wanted: Filter, facts: Facts) -> list[NoteRow]:
    """The rows of a miss that a filter is about: those of its method, extraction and stage, and worse than its run."""
    return [
        row
        for row in miss.lost
        if wanted.method in ("", row.method)
        and wanted.extraction in ("", row.extraction)
        and wanted.stage in ("", stage_of(row))
        and (not wanted.worse or row_key(row) in facts.worse)
    ]


def is_wanted(miss: Miss, wanted: Filter, facts: Facts) -> bool:
    """Whether the filter leaves a miss: one row must meet all that is said of rows."""
    return (
        wanted.type in ("", miss.type)
        and wanted.benchmark in ("", miss.benchmark)
        and wanted.label in ("", facts.label(miss))
        and wanted.status in ("", facts.status(miss))
        and bool(lost_rows(miss, wanted, facts))
    )


def counts(found: Iterable[Miss], wanted: Filter, facts: Facts) -> dict[str, Counter[str]]:
    """For each facet how many misses have each value, among those that the rest of the filter leaves.

    A miss that methods lost at several stages counts at each of them.
    """
    result: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    without = {name: replace(wanted, **{name: ""}) for name in FACETS}
    for miss in found:
        for name in FACETS:
            if is_wanted(miss, without[name], facts):
                result[name].update(_values(name, miss, without[name], facts))
    return result


def _values(name: str, miss: Miss, wanted: Filter, facts: Facts) -> set[str]:
    if name in ("label", "status"):
        return {getattr(facts, name)(miss)}
    if name in ("type", "benchmark"):
        return {getattr(miss, name)}
    of_row = stage_of if name == "stage" else lambda row: str(getattr(row, name))
    return {of_row(row) for row in lost_rows(miss, wanted, facts)}


def stages_text(rows: Iterable[NoteRow]) -> str:
    """The stages that lost a note, in their order, with how many methods each took it from.

    Several extractions count apart.
    """
    seen = Counter(map(stage_of, rows))
    return ", ".join(f"{name} ×{seen[name]}" if seen[name] > 1 else name for name in stage_names() if name in seen)


def methods_text(rows: Sequence[NoteRow], miss: Miss) -> str:
    """The methods that miss a note, with how many extractions they do under where there are several."""
    under = len({row.extraction for row in miss.rows})
    seen = Counter(row.method for row in rows)
    return ", ".join(name if under == 1 else f"{name} ({count} of {under})" for name, count in seen.items())


# --- worse than a run -------------------------------------------------------------------------------------------------------


def ranked_better(run: Run, rows: Iterable[NoteRow]) -> frozenset[RowKey]:
    """The missed rows whose note a run ranks higher than they do.

    A method is set against the run's arms of the same method; against any arm of an imported run, whose systems are others. What
    the run does not list, or lists by session only, is not ranked better.
    """
    ranks: dict[tuple[str, str], list[tuple[str, Mapping[str, int]]]] = {}
    for result in run.results:
        method = "" if run.kind == "import" else str(run.points.get(result.method, {}).get("method", result.method))
        places = {note: at for at, note in enumerate(result.note_ids, 1)}
        ranks.setdefault((result.case, result.question), []).append((method, places))

    def before(row: NoteRow) -> Iterator[int]:
        for method, places in ranks.get((row.case, row.question), ()):
            if method in ("", row.method) and row.note in places:
                yield places[row.note]

    return frozenset(
        row_key(row) for row in rows if not row.is_found and any(row.rank is None or rank < row.rank for rank in before(row))
    )
