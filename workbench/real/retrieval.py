"""A question put to a memory's facts: the search, and what it says of each note (the check's section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from workbench.embed.base import embedder
from workbench.memory import Memory
from workbench.real.beam import Path, Search, search
from workbench.real.case_facts import fact_graph, last_moment, registry_of
from workbench.real.config import SearchSettings
from workbench.real.graph import FactGraph, nearness, texts
from workbench.real.intervals import Edge
from workbench.real.question import read_question
from workbench.real.scores import Judge

Fate = Literal["evidence", "pruned", "interval", "confidence", "intent", "not reached", "no fact"]
"""What became of a note in a search, the best of its facts deciding: see `fates`."""


@dataclass(frozen=True)
class Searched:
    """A search with the graph it ran on."""

    graph: FactGraph
    found: Search


@dataclass(frozen=True, slots=True)
class Support:
    """The best item that speaks for a note.

    ``tier`` is 1 for the evidence and 2 for what was found and pruned; ``value`` the item's relevance in [0, 1]; ``ending`` how
    its path ended (``pruned`` in tier 2).
    """

    tier: int
    value: float
    edge: Edge
    path: Path
    ending: str


def search_memory(
    memory: Memory,
    config: SearchSettings,
    embeddings: str,
    text: str,
    at_time: datetime | None = None,
    judge: Judge | None = None,
) -> Searched:
    """Search a memory's facts for a question.

    Parameters
    ----------
    config : SearchSettings
    embeddings : str
        Backend that compares facts with the question.
    at_time : datetime, optional
        The moment of asking; by default the end of the last session (R5).
    """
    source, registry = embedder(embeddings), registry_of(config)
    graph = fact_graph(memory, config, config.theta_stable if config.confidence else 0.0, embeddings)
    asked = read_question(text, graph, registry, last_moment(memory), at_time, config.intents)
    vector = memory.vectors.of(source, [text])[0]
    near = nearness(vector, graph.vectors(), source)

    def near_of(edges: Iterable[Edge]) -> dict[Edge, float]:
        known = {edge: float(near[graph.row[edge.premises[0]]]) for edge in edges if edge.text == edge.premises[0].text}
        other = [edge for edge in edges if edge not in known]
        if other:
            known |= dict(zip(other, nearness(vector, source.embed(texts(other)), source).tolist(), strict=True))
        return known

    return Searched(graph, search(asked, graph, registry, config, near, near_of, judge))


def support(found: Search) -> dict[str, Support]:
    """The best item of every note that the evidence or a pruned path speaks for (maximum, not sum: section 3, rule 2)."""
    best: dict[str, Support] = {}
    for one in found.evidence:
        for note, item in _items(one.path, 1, str(one.ending), found.near):
            _keep(best, note, item)
    for path in found.pruned:
        for note, item in _items(path, 2, "pruned", found.near):
            _keep(best, note, item)
    return best


def _keep(best: dict[str, Support], note: str, item: Support) -> None:
    known = best.get(note)
    if known is None or (item.tier, -item.value) < (known.tier, -known.value):
        best[note] = item


def _items(path: Path, tier: int, ending: str, near: dict[Edge, float]) -> Iterator[tuple[str, Support]]:
    """(note, support) of each edge: S(p) s(q, e) / max s(q, e'), which a derived edge passes on times its confidence."""
    most = max(near[edge] for edge in path.edges)
    for edge in path.edges:
        value = path.score.total * (near[edge] / most if most else 1.0)
        value *= edge.confidence if edge.rule else 1.0
        for note, _ in edge.refs:
            yield note, Support(tier, value, edge, path, ending)


def fates(searched: Searched, notes: Iterable[str]) -> dict[str, Fate]:
    """What became of notes: in the evidence, found but pruned, held back by a filter, never reached, or without any fact."""
    found, graph = searched.found, searched.graph
    wanted = set(notes)
    held: dict[str, set[Fate]] = {note: set() for note in wanted}
    for paths, fate in (([one.path for one in found.evidence], "evidence"), (found.pruned, "pruned")):
        for path in paths:
            for edge in path.edges:
                for note, _ in edge.refs:
                    if note in wanted:
                        held[note].add(fate)  # type: ignore[arg-type]
    for edge in graph.edges:
        for note, _ in edge.refs:
            if note in wanted:
                held[note].add(found.filtered.get(edge, "not reached"))
    order: tuple[Fate, ...] = ("evidence", "pruned", "intent", "confidence", "interval", "not reached")
    return {note: next((fate for fate in order if fate in held[note]), "no fact") for note in wanted}
