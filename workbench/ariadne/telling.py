"""Constructions and queries as plain JSON values, with turns by their ids: what the command prints and pages read."""

from __future__ import annotations

from typing import Any

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.construction import Construction, Link
from workbench.ariadne.decisions import CoarseningDecision, GateDecision, row_of
from workbench.ariadne.query import QueryTrace
from workbench.ariadne.terminals import Member


def construction_json(found: Construction, config: AriadneConfig) -> dict[str, Any]:
    """Every turn's and entry's decision with its numbers, the updates, and how often each thing was decided."""
    counts = {action: sum(each.action == action for each in found.gate) for action in ("kept", "dropped")}
    counts |= {action: sum(each.action == action for each in found.coarsening) for action in ("added", "merged", "linked")}
    counts |= {kind: sum(link.kind == kind for link in found.links) for kind in ("updated", "continues")}
    return {
        "bounds": {"gate": config.bounds.gate, "coarsen": config.bounds.coarsen},
        "counts": counts,
        "gate": [_decision(each, found) for each in found.gate],
        "coarsening": [_decision(each, found) for each in found.coarsening],
        "updates": [link_json(link, found) for link in found.links if link.kind == "updated"],
        "chains": [[_ref(found, at) for at in chain] for chain in found.chains()],
    }


def _decision(each: GateDecision | CoarseningDecision, found: Construction) -> dict[str, Any]:
    own = found.utterances if isinstance(each, GateDecision) else found.entries
    entry = own[each.number]
    match = None if each.match is None else found.entries[each.match].refs[0]
    row = {name: value for name, value in row_of(each).items() if name != "number"}
    return (
        {"turn": ", ".join(entry.refs), "note": entry.note_id, "speaker": entry.speaker, "text": entry.text}
        | row
        | {"match": match}
    )


def link_json(link: Link, found: Construction) -> dict[str, Any]:
    """An update with both states."""
    older, newer = found.nodes[link.older].entry, found.nodes[link.newer].entry
    return {
        "from": older.refs[0],
        "to": newer.refs[0],
        "old": list(link.old),
        "new": list(link.new),
        "from_text": older.restatement,
        "to_text": newer.restatement,
    }


def _ref(found: Construction, node: int) -> str:
    return found.nodes[node].refs[0]


def trace_json(trace: QueryTrace) -> dict[str, Any]:
    """A query step by step."""
    found = trace.index.construction

    def ref(node: int) -> str:
        return _ref(found, node)

    return {
        "query": trace.text,
        "remarks": list(trace.remarks),
        "persons": list(trace.legs.persons),
        "hubs": sorted(trace.index.hubs),
        "fast_path": trace.is_fast,
        "terminals": [_member(each, found) for each in trace.terminals.values()],
        "edges": [
            {"from": ref(edge.earlier), "to": ref(edge.later), "kinds": list(edge.kinds), "shared": list(edge.shared)}
            for edge in trace.edges
        ],
        "components": [list(map(ref, group)) for group in trace.components],
        "bridges": [
            {
                "ends": list(map(ref, step.ends)),
                "gap_hours": step.gap_hours,
                "query": step.query,
                "candidates": [
                    {"entry": ref(each.node), "cosine": each.cosine, "standing": each.standing} for each in step.candidates
                ],
                "bridge": None if step.chosen is None else ref(step.chosen),
                "reason": step.reason,
                "components": list(step.components),
            }
            for step in trace.bridges
        ],
        "control": list(map(ref, trace.control)),
        "paths": {
            "count": trace.paths.count,
            "is_exact": trace.paths.is_exact,
            "first": [
                {
                    "nodes": list(map(ref, path.nodes)),
                    "relevance": path.relevance,
                    "span_hours": path.span_hours,
                    "value": path.value,
                }
                for path in trace.paths.found[:50]
            ],
        },
        "kept": [_member(trace.members[node], found) for node in trace.budget.kept],
        "cut": [_member(trace.members[node], found) for node in trace.budget.cut],
        "updates": [link_json(link, found) for link in trace.updates],
        "context": trace.context.text,
        "tokens": trace.context.tokens,
    }


def _member(each: Member, found: Construction) -> dict[str, Any]:
    node = found.nodes[each.node]
    return {
        "entry": ", ".join(node.refs),
        "role": each.role,
        "relevance": each.relevance,
        "cosine": each.cosine,
        "bm25": each.bm25,
        "aligned": each.is_aligned,
        "place_dense": each.place_dense,
        "place_keyword": each.place_keyword,
        "origin": None if each.origin is None else _ref(found, each.origin),
        "ends": None if each.ends is None else [_ref(found, end) for end in each.ends],
        "text": node.entry.restatement,
    }
