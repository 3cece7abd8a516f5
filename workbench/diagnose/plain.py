"""Diagnoses and repairs as plain JSON values: what the command line writes and reports keep."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from workbench.diagnose.edits import to_plain
from workbench.diagnose.repair import Effect, Repair, Search
from workbench.diagnose.stages import Diagnosis, NoteTrace, sentence
from workbench.diagnose.tags import TagReport


def diagnosis_json(found: Diagnosis, competitors: int = 5) -> dict[str, Any]:
    """A question under one method."""
    return {
        "method": found.method,
        "k": found.k,
        "gold_level": found.level,
        "candidates": found.candidates,
        "remarks": list(found.remarks),
        "notes": [trace_json(trace, competitors) for trace in found.traces],
        "sessions": {session: trace.stage for session, trace in found.sessions.items()},
    }


def trace_json(trace: NoteTrace, competitors: int = 5) -> dict[str, Any]:
    """One gold note under one method; ``stage`` is null where it cannot be known."""
    return {
        "note": trace.note_id,
        "session": trace.session_id,
        "stage": trace.stage,
        "sentence": sentence(trace),
        "place": asdict(trace.place) if trace.place else None,
        "session_rank": trace.session_rank,
        "trace": [
            {
                "stage": finding.stage,
                "status": finding.status,
                "evidence": asdict(finding.evidence) if finding.evidence is not None else None,
            }
            for finding in trace.findings
        ],
        "competitors": [asdict(each) for each in trace.competitors(competitors)],
    }


def tags_json(report: TagReport) -> dict[str, Any]:
    """Helpful and missing tags of one note."""
    return {**asdict(report), "filtered": [tag.path for tag in report.filtered]}


def search_json(found: Search) -> dict[str, Any]:
    """A repair search with its bounds."""
    return {
        "note": found.note_id,
        "k": found.k,
        "missed": list(found.missed),
        "unrepaired": list(found.unrepaired),
        "singles_tried": found.singles,
        "pairs_tried": found.pairs,
        "bounds": asdict(found.bounds),
        "repairs": [_repair_json(repair) for repair in found.repairs],
    }


def _repair_json(repair: Repair) -> dict[str, Any]:
    return {
        "edits": [to_plain(edit) for edit in repair.edits],
        "cost": repair.cost,
        "repairs": list(repair.repairs),
        "outcomes": [asdict(outcome) for outcome in repair.outcomes],
        "collateral": None if repair.collateral is None else [_effect_json(effect) for effect in repair.collateral],
    }


def _effect_json(effect: Effect) -> dict[str, Any]:
    return {**asdict(effect), "change": effect.change}
