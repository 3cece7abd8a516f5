"""AriadneMem as a method: notes by the best entry of theirs in a query's evidence (decision 14)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.decisions import DECIMALS
from workbench.ariadne.index import index_of
from workbench.ariadne.query import QueryTrace, ask
from workbench.ariadne.terminals import Member
from workbench.methods.base import MemoryRetriever, Scored, methods
from workbench.methods.dense import NO_WORD, has_word
from workbench.records import Part, Why

PRUNED = -1.0
"""Added to the score of what the budget cut, so that it comes after all evidence: scores of evidence are 0 or more."""


@methods.register("ariadne")
class Ariadne(MemoryRetriever[AriadneConfig]):
    """AriadneMem: entries past a gate and coarsening, retrieved by two legs, joined by bridges, chosen by paths and a budget.

    A note's score is that of its best entry: rho for what a leg brought, half the lesser rho of its ends for a bridge. The
    evidence (tier 1) comes first, then what the budget cut (tier 2); nothing else is ranked, so that a ranking may be short.
    """

    name: ClassVar[str] = "ariadne"
    Config = AriadneConfig

    def score(self, text: str) -> Scored:
        if not has_word(text):
            return Scored.nothing(NO_WORD)
        if not index_of(self.memory, self.config).nodes:
            return Scored.nothing("no turn of these notes gives an entry")
        trace = self.trace(text)
        best = best_by_note(trace)
        if not best:
            return Scored.nothing("neither leg finds an entry for this query", *trace.remarks)
        kept = frozenset(trace.budget.kept)

        def explain(row: int) -> Why:
            return _why(trace, trace.members[best[row]], best[row] in kept)

        scores = np.array([_score(trace.members[node], node in kept) for node in best.values()])
        evidence = sum(node in kept for node in best.values())
        tiers = {"evidence": evidence, "pruned": len(best) - evidence}
        return Scored(np.array(list(best), np.int64), scores, explain, trace.remarks, tiers, DECIMALS)

    def trace(self, text: str) -> QueryTrace:
        """A query that holds a word, step by step."""
        return ask(text, self.memory, self.config)


def best_by_note(trace: QueryTrace) -> Mapping[int, int]:
    """By note (row of ``Memory.notes``) the node that it is ranked by: of equal ones the newest."""
    kept = frozenset(trace.budget.kept)
    best: dict[int, int] = {}
    for node in sorted(trace.members, key=lambda node: (-round(_score(trace.members[node], node in kept), DECIMALS), -node)):
        for row in trace.index.nodes[node].notes:
            best.setdefault(row, node)
    return best


def _score(member: Member, is_kept: bool) -> float:
    return member.relevance + (0.0 if is_kept else PRUNED)


def _why(trace: QueryTrace, member: Member, is_kept: bool) -> Why:
    """The addends, the path through the entry, and in words what it is in the evidence."""
    node = trace.index.nodes[member.node]
    path = trace.path_of(member.node) if is_kept else None
    detail = {"role": member.role, "tier": 1 if is_kept else 2, "entry": ", ".join(node.refs)}
    parts = [] if is_kept else [Part("tier", "cut by the budget", PRUNED, {"tier": 2})]
    if member.ends is not None:
        ends = [_refs(trace, end) for end in member.ends]
        parts.append(Part("bridge", f"half the lesser relevance of {' and '.join(ends)}", member.relevance, detail))
    else:
        legs = (
            ("dense", "half the cosine", member.dense, member.place_dense, {"cosine": member.cosine}),
            ("keyword", "half the share of the best BM25", member.keyword, member.place_keyword, {"bm25": member.bm25}),
        )
        for kind, name, value, place, numbers in legs:
            parts.append(Part(kind, name, value, detail | numbers | ({"place": place} if place else {})))
    refs = tuple(_refs(trace, each) for each in path.nodes) if path else ()
    return Why(tuple(parts), refs, tuple(_remarks(trace, member, bool(refs))))


def _refs(trace: QueryTrace, node: int) -> str:
    return trace.index.nodes[node].refs[0]


def _remarks(trace: QueryTrace, member: Member, is_on_path: bool) -> list[str]:
    found = ["bridge" if member.ends else "terminal"]
    if member.origin is not None:
        found = [f"newest state of {_refs(trace, member.origin)}, whose relevance it takes over"]
    if is_on_path:
        found.append("on a path")
    if not member.is_aligned:
        found.append(f"weighed down: has none of {', '.join(trace.legs.persons)}")
    return found
