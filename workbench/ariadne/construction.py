"""The offline phase: every turn past the gate, every entry through coarsening, and the graph that the decisions leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.decisions import (
    CoarseningDecision,
    GateDecision,
    LinkKind,
    coarsen,
    coarsening_of,
    gate,
    gate_of,
    row_of,
)
from workbench.ariadne.entries import Entry
from workbench.states import Rows

Floats = NDArray[np.float64]
BLOCK = 512
"""Entries whose cosines with all others are worked out together (ours)."""


@dataclass(frozen=True)
class Node:
    """An entry that is kept, with what merged into it.

    ``refs`` and ``notes`` (rows of ``Memory.notes``) are those of all that it stands for; ``suppressed`` are turns that the gate
    dropped as its repetition, which are shown but not ranked. ``time`` is when it was said last, ``first_time`` when first.
    """

    entry: Entry
    refs: tuple[str, ...]
    notes: tuple[int, ...]
    suppressed: tuple[str, ...]
    first_time: datetime | None
    time: datetime | None
    at: int
    """Number of the last entry that it stands for: its place among nodes of equal time."""


@dataclass(frozen=True)
class Link:
    """A directed edge between two nodes (places in ``Construction.nodes``), from the older to the newer state."""

    older: int
    newer: int
    kind: LinkKind
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


@dataclass(frozen=True)
class Construction:
    """What the offline phase came to.

    ``utterances`` are the turns as rules read them, ``entries`` what was made of them (by rules the same); ``gate`` holds a
    decision a turn, ``coarsening`` one an entry. ``nodes`` stand in the order of time.
    """

    utterances: tuple[Entry, ...]
    entries: tuple[Entry, ...]
    gate: tuple[GateDecision, ...]
    coarsening: tuple[CoarseningDecision, ...]
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]

    @cached_property
    def newest(self) -> dict[int, int]:
        """By node that was updated, the newest state of its chain."""
        after = {link.older: link.newer for link in self.links if link.kind == "updated"}
        found = {}
        for start in after:
            at = start
            while at in after:
                at = after[at]
            found[start] = at
        return found

    def chains(self) -> list[tuple[int, ...]]:
        """The chains of updates, each oldest first; a state that was updated twice begins each of its chains."""
        updates = [link for link in self.links if link.kind == "updated"]
        after: dict[int, list[int]] = {}
        for link in updates:
            after.setdefault(link.older, []).append(link.newer)
        starts = sorted({link.older for link in updates} - {link.newer for link in updates})
        chains = list[tuple[int, ...]]()
        open_ones: list[tuple[int, ...]] = [(start,) for start in reversed(starts)]
        while open_ones:
            chain = open_ones.pop()
            following = after.get(chain[-1], [])
            open_ones += [(*chain, each) for each in reversed(following)]
            if not following:
                chains.append(chain)
        return chains


def common(sets: Sequence[frozenset[str]], share: float | None, floor: int) -> frozenset[str]:
    """What more than a share of the sets hold, and more than ``floor`` of them: it joins nothing (ours).

    With two speakers, each in half of all entries, Eq. 8 would join everything to everything.
    """
    if share is None:
        return frozenset()
    held = Counter(each for one in sets for each in one)
    most = max(floor, share * len(sets))
    return frozenset(each for each, times in held.items() if times > most)


def decide(
    utterances: Sequence[Entry], entries: Sequence[Entry], heard: Floats, stored: Floats, config: AriadneConfig
) -> dict[str, Rows]:
    """All decisions in the order of time, as rows of the parts ``gate`` and ``coarsening``.

    Window by window the gate sees the entries of earlier windows; an entry whose turns were all dropped is dropped, the others
    go through coarsening. Rules make a window of every utterance.

    Parameters
    ----------
    utterances, entries : sequence of Entry
        In the order of time; the same where rules made the entries.
    heard, stored : (n_utterances, d) and (n_entries, d) float
        Unit vectors of their bare texts.
    """
    hubs = common([entry.keywords for entry in entries], config.hub_share, config.hub_update_floor)
    gates, actions = list[GateDecision](), list[CoarseningDecision]()
    kept = _Kept(len(entries))
    near_turns, near_entries = _Cosines(heard, stored), _Cosines(stored, stored)
    by_window = {window: list(group) for window, group in groupby(entries, key=lambda each: each.window)}
    dropped: dict[int, GateDecision] = {}
    for window, turns in groupby(utterances, key=lambda each: each.window):
        for turn in turns:
            decision = gate(turn, kept.entries, near_turns.row(turn.number)[kept.numbers], config, kept.times)
            gates.append(decision)
            if decision.action == "dropped":
                dropped[turn.number] = decision
        for entry in by_window.get(window, ()):
            lost = next((dropped[source] for source in entry.sources if source in dropped), None)
            if lost is not None and all(source in dropped for source in entry.sources):
                action = CoarseningDecision(
                    entry.number, "dropped", lost.match, lost.similarity, None, lost.gap_hours, "its turns were dropped"
                )
            else:
                similarities = near_entries.row(entry.number)[kept.numbers]
                action = coarsen(entry, kept.entries, similarities, config, hubs, kept.times, kept.superseded)
            actions.append(action)
            kept.take(entry, action)
    return {"gate": [row_of(each) for each in gates], "coarsening": [row_of(each) for each in actions]}


class _Kept:
    """The entries that stand so far, and when each was said last."""

    def __init__(self, count: int) -> None:
        self.entries: list[Entry] = []
        self.times: list[datetime | None] = []
        self.superseded: set[int] = set()
        self._numbers = np.empty(count, np.int64)
        self._place: dict[int, int] = {}

    @property
    def numbers(self) -> NDArray[np.int64]:
        return self._numbers[: len(self.entries)]

    def take(self, entry: Entry, decision: CoarseningDecision) -> None:
        if decision.action in ("added", "linked"):
            self._place[entry.number] = len(self.entries)
            self._numbers[len(self.entries)] = entry.number
            self.entries.append(entry)
            self.times.append(entry.time)
            if decision.edge == "updated" and decision.match is not None:
                self.superseded.add(decision.match)
        elif decision.action == "merged":
            assert decision.match is not None
            self.times[self._place[decision.match]] = entry.time


class _Cosines:
    """Cosines of one set of unit vectors with another, a block of rows at a time."""

    def __init__(self, rows: Floats, columns: Floats) -> None:
        self._rows, self._columns = rows, columns
        self._start, self._block = 0, np.empty((0, len(columns)))

    def row(self, at: int) -> Floats:
        """Cosines of one row with all columns, (n_columns,)."""
        if not self._start <= at < self._start + len(self._block):
            self._start = at - at % BLOCK
            self._block = self._rows[self._start : self._start + BLOCK] @ self._columns.T
        return np.asarray(self._block[at - self._start])


def settle(utterances: Sequence[Entry], entries: Sequence[Entry], parts: dict[str, Rows]) -> Construction:
    """The graph that decisions leave; an entry that merges gives its refs to the one it merges into."""
    gates = tuple(gate_of(row) for row in parts["gate"])
    actions = tuple(coarsening_of(row) for row in parts["coarsening"])
    members: dict[int, list[Entry]] = {}
    for action in actions:
        if action.action in ("added", "linked"):
            members[action.number] = [entries[action.number]]
        elif action.action == "merged":
            assert action.match is not None
            members[action.match].append(entries[action.number])
    suppressed: dict[int, list[str]] = {}
    for decision in gates:
        if decision.action == "dropped":
            assert decision.match is not None
            suppressed.setdefault(decision.match, []).extend(utterances[decision.number].refs)
    nodes = sorted(
        (_node(group, suppressed.get(number, ())) for number, group in members.items()),
        key=lambda node: (node.time or datetime.min, node.at),
    )
    place = {node.entry.number: at for at, node in enumerate(nodes)}
    links = tuple(
        Link(place[action.match], place[action.number], action.edge or "continues", action.old, action.new)
        for action in actions
        if action.action == "linked" and action.match is not None
    )
    return Construction(tuple(utterances), tuple(entries), gates, actions, tuple(nodes), links)


def _node(members: Sequence[Entry], suppressed: Sequence[str]) -> Node:
    return Node(
        members[0],
        tuple(dict.fromkeys(ref for entry in members for ref in entry.refs)),
        tuple(dict.fromkeys(entry.note for entry in members)),
        tuple(suppressed),
        members[0].time,
        members[-1].time,
        members[-1].number,
    )
