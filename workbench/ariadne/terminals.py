"""Terminals: what the dense and the keyword leg bring for a query, after alignment with the persons it names (Eq. 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.construction import Link
from workbench.ariadne.decisions import DECIMALS
from workbench.ariadne.index import Index
from workbench.text import Analyser

Floats = NDArray[np.float64]
Role = Literal["terminal", "update", "bridge"]


@dataclass(frozen=True)
class Member:
    """A node of a query's graph.

    ``relevance`` is rho in [0, 1]: the sum of ``dense`` (half the cosine) and ``keyword`` (half the share of the best BM25). An
    ``update`` has them from the terminal ``origin`` that it is the newest state of; a ``bridge`` has half the least relevance of
    its ``ends`` and neither of the two. ``place_dense`` and ``place_keyword`` are its ranks in the legs, from 1.
    """

    node: int
    role: Role
    relevance: float
    dense: float = 0.0
    keyword: float = 0.0
    cosine: float | None = None
    bm25: float | None = None
    is_aligned: bool = True
    place_dense: int | None = None
    place_keyword: int | None = None
    origin: int | None = None
    ends: tuple[int, int] | None = None


@dataclass(frozen=True)
class Legs:
    """Both legs over all nodes.

    Attributes
    ----------
    persons : tuple of str
        Known persons that the query names; empty where no score is weighed down.
    factor : (n_nodes,) float
        1, or ``align_factor`` for nodes that have none of these persons.
    cosine, bm25 : (n_nodes,) float
        Scores after alignment, 0 or more.
    """

    persons: tuple[str, ...]
    factor: Floats
    cosine: Floats
    bm25: Floats

    @property
    def dense(self) -> Floats:
        """The dense half of rho."""
        return 0.5 * self.cosine

    @property
    def keyword(self) -> Floats:
        """The keyword half of rho, relative to the best node."""
        best = float(self.bm25.max(initial=0.0))
        return 0.5 * self.bm25 / best if best > 0 else np.zeros_like(self.bm25)


def named_persons(text: str, index: Index) -> tuple[str, ...]:
    """Persons of the store whose whole name the query says; none where it names both (all) of those who talk."""
    said = Analyser().surface(text)
    runs = {"_".join(said[at : at + size]) for size in (1, 2, 3, 4) for at in range(len(said) - size + 1)}
    found = runs & index.persons
    talking = {"_".join(Analyser().surface(name)) for name in index.participants}
    return () if len(talking) > 1 and talking <= found else tuple(sorted(found))


def legs(text: str, asked: Floats, index: Index, config: AriadneConfig) -> Legs:
    """Scores of all nodes for a query with the unit vector ``asked``, (d,); a negative cosine counts 0 before alignment."""
    persons = named_persons(text, index)
    wanted = frozenset(persons)
    factor = np.ones(len(index.nodes))
    if wanted:
        factor[[at for at, node in enumerate(index.nodes) if not node.entry.persons & wanted]] = config.align_factor
    cosine = np.maximum(index.vectors @ asked, 0.0) * factor
    bm25 = index.keyword_scores(Analyser().words(text)) * factor
    return Legs(persons, factor, cosine, bm25)


def first(scores: Floats, count: int) -> list[int]:
    """Places of the ``count`` largest scores above 0, best first; of equal ones the newer."""
    keys = np.round(scores, DECIMALS)
    order = np.lexsort((-np.arange(len(keys)), -keys))
    return [int(at) for at in order[:count] if keys[at] > 0]


def terminals(found: Legs, config: AriadneConfig, only: frozenset[int] | None = None) -> dict[int, Member]:
    """The union of both legs by node, best first; ``only`` keeps to some nodes (the fast path)."""
    allowed = np.ones(len(found.factor)) if only is None else np.isin(np.arange(len(found.factor)), list(only)).astype(float)
    dense, keyword = first(found.cosine * allowed, config.k_sem), first(found.bm25 * allowed, config.k_lex)
    halves = found.dense, found.keyword
    members = [
        Member(
            node,
            "terminal",
            float(halves[0][node] + halves[1][node]),
            float(halves[0][node]),
            float(halves[1][node]),
            float(found.cosine[node]),
            float(found.bm25[node]),
            bool(found.factor[node] == 1),
            dense.index(node) + 1 if node in dense else None,
            keyword.index(node) + 1 if node in keyword else None,
        )
        for node in dict.fromkeys([*dense, *keyword])
    ]
    return {each.node: each for each in sorted(members, key=lambda each: (-round(each.relevance, DECIMALS), -each.node))}


def followed(members: dict[int, Member], index: Index) -> dict[int, Member]:
    """The members with the newest state of each updated one, which takes over the relevance where that is more (ours).

    An older wording can be nearer to the query than the shorter message that changed it.
    """
    found = dict(members)
    for member in members.values():
        newest = index.construction.newest.get(member.node)
        if newest is None:
            continue
        known = found.get(newest)
        if known is not None and known.relevance >= member.relevance:
            continue
        found[newest] = Member(
            newest,
            "update" if newest not in members else "terminal",
            member.relevance,
            member.dense,
            member.keyword,
            member.cosine,
            member.bm25,
            member.is_aligned,
            member.place_dense,
            member.place_keyword,
            origin=member.node,
        )
    return found


def updates_among(nodes: frozenset[int], index: Index) -> tuple[Link, ...]:
    """The updates whose both states are among some nodes."""
    return tuple(
        link for link in index.construction.links if link.kind == "updated" and link.older in nodes and link.newer in nodes
    )
