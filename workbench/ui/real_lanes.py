"""Lanes of a fact timeline: one for each head and relation, in the order in which they are worth seeing. No drawing here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from workbench.real.facts import UNDATED, Fact
from workbench.real.intervals import Edge
from workbench.real.relations import Relations
from workbench.real.vanilla import overwritten
from workbench.ui.real_state import holds, lane_name
from workbench.words import visible

ROWS = 6
"""Bars that stand above one another in a lane; the table has the rest (ours)."""
Key = tuple[str, str]


@dataclass(frozen=True)
class Lane:
    """The edges of one head and relation, by start; ``is_single`` tells whether it has one value at a time."""

    key: Key
    name: str
    is_single: bool
    edges: tuple[Edge, ...]

    @property
    def has_history(self) -> bool:
        """Whether something in it ended by a later value or a retraction."""
        return any(edge.retraction for edge in self.edges) or (self.is_single and len({edge.tail for edge in self.stable}) > 1)

    @property
    def stable(self) -> list[Edge]:
        return [edge for edge in self.edges if edge.status == "stable"]

    def rows(self, least: timedelta = timedelta(0)) -> tuple[list[list[Edge]], int]:
        """Edges in rows in which none overlap, each in the first that has room, and how many found none in ROWS.

        ``least`` is the length that a bar has at least.
        """
        found: list[list[Edge]] = []
        left = 0
        for edge in self.edges:
            start = edge.start or UNDATED
            row = next((row for row in found if _ends_by(row[-1], start, least)), None)
            if row is not None:
                row.append(edge)
            elif len(found) < ROWS:
                found.append([edge])
            else:
                left += 1
        return found, left


def _ends_by(edge: Edge, start: datetime, least: timedelta) -> bool:
    return edge.end is not None and max(edge.end, (edge.start or UNDATED) + least) <= start


def lanes_of(edges: Iterable[Edge], registry: Relations, evidence: Collection[str] = ()) -> list[Lane]:
    """Lanes, those with a history first, then those of evidence (ids of edges), then single-valued ones, then the fullest."""
    groups: dict[Key, list[Edge]] = defaultdict(list)
    for edge in edges:
        groups[edge.head, edge.relation].append(edge)
    lanes = [Lane(key, lane_name(group[0]), registry[key[1]].is_single, tuple(group)) for key, group in groups.items()]

    def worth(lane: Lane) -> tuple[bool, bool, bool, int, Key]:
        found = any(edge.id in evidence for edge in lane.edges)
        return not lane.has_history, not found, not lane.is_single, -len(lane.edges), lane.key

    return sorted(lanes, key=worth)


@dataclass(frozen=True, slots=True)
class Compared:
    """A lane at a moment, beside what is left of it in a graph that overwrites."""

    lane: Lane
    valid: tuple[str, ...]
    overwriting: tuple[str, ...]

    @property
    def lost(self) -> tuple[str, ...]:
        """Values of the history that the overwriting graph does not hold any more."""
        values = dict.fromkeys(edge.names[1] for edge in self.lane.edges if edge.status != "tentative")
        kept = {value.casefold() for value in self.overwriting}
        return tuple(visible(value) for value in values if value.casefold() not in kept)


def overwriting(facts: Iterable[Fact], registry: Relations) -> Mapping[Key, tuple[str, ...]]:
    """The values that an overwriting graph holds in the end, by head and relation."""
    found: dict[Key, list[str]] = defaultdict(list)
    for edge in overwritten(facts, registry):
        found[edge.head, edge.relation].append(edge.names[1])
    return {key: tuple(values) for key, values in found.items()}


def compared(lanes: Sequence[Lane], moment: datetime | None, left: Mapping[Key, tuple[str, ...]]) -> list[Compared]:
    """Every lane with its values at a moment, and what an overwriting graph holds of it."""
    return [
        Compared(
            lane,
            tuple(dict.fromkeys(visible(edge.names[1]) for edge in lane.edges if holds(edge, moment))),
            tuple(left.get(lane.key, ())),
        )
        for lane in lanes
    ]
