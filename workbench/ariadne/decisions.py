"""What gate and coarsening decide of a turn or an entry, with the numbers behind it (4.3, 4.5)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.entries import Entry

Floats = NDArray[np.float64]
DECIMALS = 9
"""Cosines compare after rounding to this many decimals (ours): a product's last bits depend on a row's place in it."""
GateAction = Literal["kept", "dropped"]
Action = Literal["added", "merged", "linked", "dropped"]
LinkKind = Literal["updated", "continues"]


@dataclass(frozen=True)
class GateDecision:
    """Whether a turn is let through.

    ``match`` is the number of the nearest earlier entry (None where there is none), ``similarity`` their cosine and ``gap_hours``
    the time between them (None where either is undated). ``rule`` says in words what decided.
    """

    number: int
    action: GateAction
    match: int | None
    similarity: float | None
    gap_hours: float | None
    rule: str


@dataclass(frozen=True)
class CoarseningDecision:
    """What becomes of an entry.

    ``match`` is the entry that it merges into or is linked from, else the nearest one; ``overlap`` the share of its keywords that
    the match has. A link is directed by time; ``old`` and ``new`` are the values that an `updated` one replaces.
    """

    number: int
    action: Action
    match: int | None
    similarity: float | None
    overlap: float | None
    gap_hours: float | None
    rule: str
    edge: LinkKind | None = None
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


def gap_hours(one: datetime | None, other: datetime | None) -> float | None:
    """Hours between two times, 0 or more; None where either is not known."""
    return None if one is None or other is None else abs((one - other).total_seconds()) / 3600


def gate(
    turn: Entry, earlier: Sequence[Entry], similarities: Floats, config: AriadneConfig, times: Sequence[datetime | None] = ()
) -> GateDecision:
    """Drop a turn iff its nearest earlier entry is nearer than the bound and less than ``gate_hours`` away (Eq. 2, 3).

    Parameters
    ----------
    turn : Entry
        The turn as rules read it.
    earlier : sequence of Entry
        Those made so far, oldest first; of equally near ones the newest is compared.
    similarities : (n_earlier,) float
        Cosines with the turn.
    times : sequence, optional
        When each earlier entry was last said, where that is not its own time.
    """
    if not config.gate:
        return GateDecision(turn.number, "kept", None, None, None, "the gate is off")
    if not len(earlier):
        return GateDecision(turn.number, "kept", None, None, None, "no earlier entry")
    near = np.round(similarities, DECIMALS)
    at = _nearest(near)
    while config.gate_value_guard and earlier[at].is_question and near[at] > -np.inf:
        near[at] = -np.inf
        at = _nearest(near)
    if near[at] == -np.inf:
        return GateDecision(turn.number, "kept", None, None, None, "no earlier entry states anything")
    match, similarity = earlier[at], float(similarities[at])
    gap = gap_hours(turn.time, times[at] if times else match.time)

    def decided(action: GateAction, rule: str) -> GateDecision:
        return GateDecision(turn.number, action, match.number, similarity, gap, rule)

    if near[at] <= config.bounds.gate:
        return decided("kept", "nothing is that near")
    if gap is None:
        return decided("kept", "undated, so nothing is recent")
    if gap >= config.gate_hours:
        return decided("kept", "said again after a while")
    if config.gate_value_guard and (more := turn.adds(match)):
        return decided("kept", f"adds a {next(iter(more))}")
    return decided("dropped", "repeats a recent entry")


def _nearest(near: Floats) -> int:
    """Place of the largest cosine; of equal ones the last, which is the newest."""
    return len(near) - 1 - int(np.argmax(near[::-1]))


def coarsen(
    entry: Entry,
    earlier: Sequence[Entry],
    similarities: Floats,
    config: AriadneConfig,
    hubs: frozenset[str] = frozenset(),
    times: Sequence[datetime | None] = (),
    superseded: Collection[int] = (),
) -> CoarseningDecision:
    """Merge an entry, link it, or add it (Eq. 5, 6).

    Among all that are nearer than the bound, the nearest that it may merge with is merged with; else the newest is linked, of
    those that speak of the same matter where there are any, so that changes form a chain (both ours).

    Parameters
    ----------
    entry : Entry
    earlier : sequence of Entry
        Those kept so far, oldest first.
    similarities : (n_earlier,) float
        Cosines with the entry.
    hubs : frozenset of str
        Keywords too common to tell that two entries speak of the same.
    times : sequence, optional
        When each earlier entry was last said, where that is not its own time.
    superseded : collection of int
        Numbers of entries that were updated since: under the guard nothing merges into one, or a return to it would be lost.
    """
    if not config.coarsening:
        return CoarseningDecision(entry.number, "added", None, None, None, None, "coarsening is off")
    if not len(earlier):
        return CoarseningDecision(entry.number, "added", None, None, None, None, "no earlier entry")
    near = np.round(similarities, DECIMALS)
    candidates = np.flatnonzero(near > config.bounds.coarsen)
    obstacles = {at: obstacle(entry, earlier[at], config, superseded) for at in candidates.tolist()}
    merging = [at for at, reason in obstacles.items() if not reason]
    if merging:
        at, action, rule = max(merging, key=lambda each: (near[each], each)), "merged", "the same again"
    elif len(candidates):
        same = [at for at in obstacles if is_same_matter(earlier[at], entry, hubs)]
        at, action = (same or list(obstacles))[-1], "linked"
        rule = obstacles[at]
    else:
        at, action, rule = _nearest(near), "added", "nothing is that near"
    match = earlier[at]
    edge: LinkKind | None = None
    old = new = tuple[str, ...]()
    if action == "linked":
        edge, old, new = link_kind(match, entry, hubs)
    gap = gap_hours(entry.time, times[at] if times else match.time)
    shared = overlap(entry, match)
    return CoarseningDecision(entry.number, action, match.number, float(similarities[at]), shared, gap, rule, edge, old, new)  # type: ignore[arg-type]


def overlap(entry: Entry, other: Entry) -> float:
    """Share of the entry's keywords that the other one has, in [0, 1]; 0 without any (Eq. 5)."""
    return len(entry.keywords & other.keywords) / max(1, len(entry.keywords))


def obstacle(entry: Entry, other: Entry, config: AriadneConfig, superseded: Collection[int] = ()) -> str:
    """What keeps two similar entries from merging; empty where they say the same."""
    if round(overlap(entry, other), DECIMALS) <= config.coarsen_overlap:
        return "other words"
    if len(entry.keywords) < config.merge_least_keywords:
        return "too short to be the same"
    if config.merge_value_guard:
        if entry.is_question or other.is_question:
            return "a question states nothing"
        if entry.differs(other):
            return "other values"
        if other.number in superseded:
            return "the earlier state again"
    return ""


def is_same_matter(older: Entry, newer: Entry, hubs: frozenset[str]) -> bool:
    """Whether the same speaker says something of the same subject, with a keyword in common that is not everywhere."""
    same = older.subject is not None and older.subject == newer.subject and older.speaker == newer.speaker
    return same and bool((older.keywords & newer.keywords) - hubs)


def link_kind(older: Entry, newer: Entry, hubs: frozenset[str]) -> tuple[LinkKind, tuple[str, ...], tuple[str, ...]]:
    """What a link says: ``updated`` where the newer entry gives the same matter another value, else ``continues``.

    Neither may ask; the old and new values come with it.
    """
    old, new = newer.replaces(older)
    if old and is_same_matter(older, newer, hubs) and not older.is_question and not newer.is_question:
        return "updated", old, new
    return "continues", (), ()


def row_of(decision: GateDecision | CoarseningDecision) -> dict[str, Any]:
    """The decision as a plain row."""
    row = dict(vars(decision))
    return {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}


def gate_of(row: dict[str, Any]) -> GateDecision:
    """A gate's decision from its row."""
    return GateDecision(**row)


def coarsening_of(row: dict[str, Any]) -> CoarseningDecision:
    """A coarsening decision from its row."""
    return CoarseningDecision(**row | {"old": tuple(row["old"]), "new": tuple(row["new"])})
