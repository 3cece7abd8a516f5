"""A query's diffusion as data: the trace with ranks and events, the attribution of a file, measures, and what-if.

The same objects feed the page, the notebook, the command line and the tests (design 6). Measures and events are ours.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from workbench.diffusion import Step, Trace
from workbench.graph import NODE_KINDS
from workbench.memory import Memory
from workbench.methods.adaptive import AdaptiveConfig, Spread
from workbench.methods.base import total_order
from workbench.walks import Concentration, Floats, Walk, carried_by_kind, concentration, strongest_walks, total_variation


@dataclass(frozen=True)
class Ranks:
    """Files in rank order under one distribution: note ids, and for each the number of its block of equal scores, from 1."""

    notes: tuple[str, ...]
    blocks: tuple[int, ...]

    def rank_of(self, note_id: str) -> int | None:
        """The rank of a note, from 1; None where it is not ranked."""
        return self.notes.index(note_id) + 1 if note_id in self.notes else None

    def first_of(self, note_ids: Collection[str]) -> int | None:
        """The best rank among some notes; None where none is ranked."""
        return next((rank for rank, note in enumerate(self.notes, 1) if note in note_ids), None)


def ranks(spread: Spread, x: Floats) -> Ranks:
    """The files that a distribution over the nodes ranks, in the order of the method."""
    scored = spread.scored(x)
    ids = [note.id for note in spread.graph.notes]
    order, blocks = total_order(scored, ids, spread.config.tie)
    return Ranks(tuple(ids[int(scored.rows[at])] for at in order), tuple(blocks))


@dataclass(frozen=True)
class Event:
    """Something worth jumping to: the step at which it happens, and what it is."""

    iteration: int
    kind: str
    text: str


@dataclass(frozen=True)
class SpreadTrace:
    """The paper's iteration for a query, step by step.

    Attributes
    ----------
    spread : Spread
    trace : Trace
        ``trace.steps[k].x`` has shape (n_nodes,).
    """

    spread: Spread
    trace: Trace

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.trace.steps

    @cached_property
    def ranks(self) -> tuple[Ranks, ...]:
        """The files' ranks after each step."""
        return tuple(ranks(self.spread, step.x) for step in self.steps)

    def mass_by_kind(self, iteration: int) -> dict[str, float]:
        """How the mass is shared out over the kinds of node; the values sum to 1."""
        return mass_by_kind(self.spread, self.steps[iteration].x)

    def teleport(self, iteration: int) -> float:
        """The mass that a step put back on the seeds: the restart, and what stood on nodes without edges. 0 at the start."""
        step = self.steps[iteration]
        alpha = self.trace_alpha
        return 0.0 if iteration == 0 else (1 - alpha) + alpha * step.dangling

    @property
    def trace_alpha(self) -> float:
        return self.spread.diffusion.alpha if self.spread.diffusion is not None else 0.0

    def events(self, gold: Collection[str] = (), k: int = 10) -> list[Event]:
        """Where gold enters the first k for good, where their order freezes, where the residual falls below the tolerance.

        An event that never happens is not in the list.
        """
        found = []
        top = [each.notes[:k] for each in self.ranks]
        frozen = _holds_from([notes == top[-1] for notes in top])
        if gold:
            entered = _holds_from([not set(gold).isdisjoint(notes) for notes in top])
            if entered is not None:
                found.append(Event(entered, "gold_in_top", f"gold is among the first {k} from here on"))
            ranked = _holds_from([each.first_of(gold) == self.ranks[-1].first_of(gold) for each in self.ranks])
            if ranked is not None and self.ranks[-1].first_of(gold) is not None:
                found.append(Event(ranked, "gold_settles", f"gold stays at rank {self.ranks[-1].first_of(gold)}"))
        if frozen is not None:
            found.append(Event(frozen, "order_freezes", f"the order of the first {k} freezes"))
        if self.trace.converged:
            found.append(Event(len(self.steps) - 1, "converged", f"the residual falls below {self.trace.tol:.0e}"))
        return sorted(found, key=lambda event: event.iteration)


def _holds_from(flags: Sequence[bool]) -> int | None:
    """The first position from which all flags are set; None where the last is not."""
    if not flags or not flags[-1]:
        return None
    return next((at + 1 for at in range(len(flags) - 1, -1, -1) if not flags[at]), 0)


def mass_by_kind(spread: Spread, x: Floats) -> dict[str, float]:
    """The mass on each kind of node."""
    bounds = [*(spread.graph.offset[kind] for kind in NODE_KINDS), spread.graph.n_nodes]
    return {kind: float(x[start:stop].sum()) for kind, (start, stop) in zip(NODE_KINDS, pairwise(bounds), strict=True)}


def trace(spread: Spread, tol: float = 1e-10) -> SpreadTrace:
    """The iteration of a spread; one step that holds the seeds where diffusion is off."""
    if spread.diffusion is None:
        return SpreadTrace(spread, Trace((Step(0, spread.seeds.mass, 0.0, 0.0),), True, tol))
    return SpreadTrace(spread, spread.diffusion.trace(spread.seeds.mass, tol))


# Attribution --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SeedPart:
    """What one seed brought of a score. ``share`` is the seed's part of all seed mass, ``words`` the query words behind it."""

    node: str
    words: tuple[str, ...]
    share: float
    value: float


@dataclass(frozen=True)
class EdgePart:
    """What came over one last edge into the file."""

    source: str
    kind: str
    value: float


@dataclass(frozen=True)
class Attribution:
    """One file's score split twice, exactly: by seed, and by the edge that brought it last (with what restarted on it)."""

    note_id: str
    score: float
    seeds: tuple[SeedPart, ...]
    edges: tuple[EdgePart, ...]
    restart: float
    walks: tuple[tuple[tuple[str, ...], float], ...]


def attribution(spread: Spread, note_id: str, walks: int = 5) -> Attribution:
    """Split a file's score.

    Seeds sum to the score, and so do edges plus restart; walks are the strongest ones, as node ids with their part.

    Raises
    ------
    KeyError
        If the memory holds no such note.
    """
    graph, names = spread.graph, spread.graph.node_ids
    row = next((at for at, note in enumerate(graph.notes) if note.id == note_id), None)
    if row is None:
        raise KeyError(f"the memory holds no note {note_id!r}")
    node, x, s = spread.files.start + row, spread.x, spread.seeds.mass
    by_seed = spread.parts_by_seed(row)
    order = [int(at) for at in np.argsort(-by_seed, kind="stable") if by_seed[at] > 0]
    seeds = tuple(SeedPart(names[at], spread.seeds.words(at), float(s[at]), float(by_seed[at])) for at in order)
    diffusion = spread.diffusion
    if diffusion is None:
        return Attribution(note_id, float(x[node]), seeds, (), float(x[node]), ())
    first, last = diffusion.transition.indptr[node], diffusion.transition.indptr[node + 1]
    sources = diffusion.transition.indices[first:last].tolist()
    brought = (diffusion.alpha * diffusion.transition.data[first:last] * x[sources]).tolist()
    edges = tuple(
        EdgePart(names[source], _edge_kind(spread, source), value)
        for value, source in sorted(zip(brought, sources, strict=True), reverse=True)
    )
    restarted = (1 - diffusion.alpha + diffusion.alpha * float(x[diffusion.is_dangling].sum())) * float(s[node])
    strongest = strongest_walks(diffusion, s, node, walks, x) if walks else []
    return Attribution(note_id, float(x[node]), seeds, edges, restarted, tuple(_named(spread, walk) for walk in strongest))


def _edge_kind(spread: Spread, source: int) -> str:
    """The kind of an edge into a file: from a topic or, along the time line, from another file."""
    return "topic_file" if spread.graph.kind_of(source) == "topic" else "chronological"


def _named(spread: Spread, walk: Walk) -> tuple[tuple[str, ...], float]:
    return tuple(spread.graph.node_ids[node] for node in walk.nodes), walk.share


# Measures -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SpreadMeasures:
    """Whether a diffusion diluted its seeds (TAGGRAPH 6.1 names the effect and does not measure it).

    Attributes
    ----------
    topics, files : Concentration or None
        Of the limit's mass over topics and over files; None where there is none.
    files_before : Concentration or None
        Of the seed mass over files.
    moved : float or None
        Total variation between the files' shares at the start and in the limit, 0 to 1; None without file seeds.
    carried : dict
        Mass that each kind of edge carries in one step of the limit.
    rank_before, rank_after : int or None
        First gold rank by the seeds alone and in the limit.
    """

    topics: Concentration | None
    files: Concentration | None
    files_before: Concentration | None
    moved: float | None
    carried: dict[str, float]
    rank_before: int | None
    rank_after: int | None


def measures(spread: Spread, gold: Collection[str] = ()) -> SpreadMeasures:
    """Concentration, redistribution and the rank change of one query."""
    x, s, graph = spread.x, spread.seeds.mass, spread.graph
    topics = slice(graph.offset["topic"], graph.offset["topic"] + len(graph.topics))
    carried = {}
    if spread.diffusion is not None:
        carried = carried_by_kind(spread.diffusion, graph.edges, spread.config.edge_weights, x)
    return SpreadMeasures(
        concentration(x[topics]),
        concentration(x[spread.files]),
        concentration(s[spread.files]),
        total_variation(s[spread.files], x[spread.files]),
        carried,
        ranks(spread, s).first_of(gold),
        ranks(spread, x).first_of(gold),
    )


# What if ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Move:
    """A note's rank in the unchanged run and in the changed one; None where it was not ranked."""

    note_id: str
    before: int | None
    after: int | None


@dataclass(frozen=True)
class WhatIf:
    """Two rankings of one query: as configured, and under a change."""

    before: Spread
    after: Spread

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """Every ranked note in the order of the changed run; notes that dropped out follow in their old order."""
        old, new = ranks(self.before, self.before.x), ranks(self.after, self.after.x)
        was = {note: rank for rank, note in enumerate(old.notes, 1)}
        here = [Move(note, was.get(note), rank) for rank, note in enumerate(new.notes, 1)]
        held = set(new.notes)
        return tuple(here + [Move(note, rank, None) for note, rank in was.items() if note not in held])


def what_if(memory: Memory, text: str, config: AdaptiveConfig, changed: AdaptiveConfig, muted: Collection[str] = ()) -> WhatIf:
    """Compare a query's ranking with the one under another configuration, or with some seeds switched off by node id."""
    return WhatIf(Spread.of(memory, text, config), Spread.of(memory, text, changed, muted))


# As plain values ----------------------------------------------------------------------------------------------------------


def spread_json(traced: SpreadTrace, gold: Collection[str] = (), k: int = 10) -> dict[str, Any]:
    """The steps, events, measures and the attribution of the first k files as plain JSON values."""
    spread = traced.spread
    found, limit = measures(spread, gold), ranks(spread, spread.x)
    return {
        "nodes": spread.graph.n_nodes,
        "alpha": traced.trace_alpha,
        "converged": traced.trace.converged,
        "remarks": list(spread.seeds.remarks),
        "seeds": [
            {"node": spread.graph.node_ids[at], "share": float(spread.seeds.mass[at]), "words": list(spread.seeds.words(at))}
            for at in np.flatnonzero(spread.seeds.mass).tolist()
        ],
        "steps": [
            {
                "iteration": step.iteration,
                "residual": None if np.isinf(step.residual) else step.residual,
                "teleport": traced.teleport(step.iteration),
                "dangling": step.dangling,
                "mass": traced.mass_by_kind(step.iteration),
                "gold_rank": traced.ranks[step.iteration].first_of(gold),
                "top": list(traced.ranks[step.iteration].notes[:k]),
            }
            for step in traced.steps
        ],
        "events": [{"iteration": event.iteration, "kind": event.kind, "text": event.text} for event in traced.events(gold, k)],
        "measures": {
            "topic_entropy": found.topics.entropy if found.topics else None,
            "topic_effective": found.topics.effective if found.topics else None,
            "topic_gini": found.topics.gini if found.topics else None,
            "files_effective": found.files.effective if found.files else None,
            "total_variation": found.moved,
            "carried": found.carried,
            "gold_rank_before": found.rank_before,
            "gold_rank_after": found.rank_after,
        },
        "attribution": [_attribution_json(attribution(spread, note)) for note in limit.notes[:k]],
    }


def _attribution_json(found: Attribution) -> dict[str, Any]:
    return {
        "note": found.note_id,
        "score": found.score,
        "seeds": [
            {"node": part.node, "words": list(part.words), "share": part.share, "value": part.value} for part in found.seeds
        ],
        "edges": [{"source": part.source, "kind": part.kind, "value": part.value} for part in found.edges],
        "restart": found.restart,
        "walks": [{"nodes": list(nodes), "value": value} for nodes, value in found.walks],
    }
