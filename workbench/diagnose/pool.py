"""The pooled audit of TAGGRAPH 5.5: missed evidence over all graph configurations and extractions, in two units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from workbench.diagnose.audit import SESSION_BY, Audit, NoteRow

EXAMPLES = 3
"""Examples of each reason (ours)."""
Unit = tuple[str, str, str]
"""Case, question, and a gold note or its session."""


@dataclass(frozen=True, slots=True)
class PoolRow:
    """The pool in one unit.

    Attributes
    ----------
    unit : "gold notes" or "sessions"
    units : int
        All that were looked at.
    pool : int
        Missed by at least one graph configuration under at least one extraction: the sum of the next three.
    lacking : int
        Without a helpful tag under at least one extraction.
    differing : int
        Helpful under all, found by some configuration or extraction and missed by another.
    always_missed : int
        Helpful under all, missed by every configuration under every extraction. The paper has none of these.
    """

    unit: str
    units: int
    pool: int
    lacking: int
    differing: int
    always_missed: int


@dataclass(frozen=True, slots=True)
class Reason:
    """Gold notes of the pool whose session is not: by what it was found wherever the note was missed.

    A note to which several reasons apply counts under the first; ``examples`` are (case, question, note).
    """

    reason: str
    meaning: str
    notes: int
    examples: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """Both units, and why they differ: ``in_missed_sessions`` of the pool's notes lie in a session of the pool, the rest not."""

    notes: PoolRow
    sessions: PoolRow
    in_missed_sessions: int
    reasons: tuple[Reason, ...]


def pooled(found: Audit) -> Pool | None:
    """The pooled table of an audit; None without a graph configuration among its methods.

    A note is missed beyond rank k; a session beyond rank k of the sessions, each counted once (TAGGRAPH 4.4). A session has a
    helpful tag if a gold note of it has. Both units are counted by question: a note that answers two questions counts twice.
    """
    rows = [row for row in found.notes if row.is_graph]
    if not rows:
        return None
    by_note = _grouped(rows, lambda row: row.note)
    by_session = _grouped(rows, lambda row: row.session)
    notes, sessions = _row("gold notes", by_note, lambda row: row.is_found), _row("sessions", by_session, _is_session_found)
    pool = [unit for unit, own in by_note.items() if not all(row.is_found for row in own)]
    missed_sessions = {unit for unit, own in by_session.items() if not all(map(_is_session_found, own))}
    apart = [unit for unit in pool if (*unit[:2], by_note[unit][0].session) not in missed_sessions]
    reasons: dict[str, list[Unit]] = {reason: [] for reason in SESSION_BY}
    for unit in apart:
        by = {row.session_by for row in by_note[unit] if not row.is_found}
        reasons[next(reason for reason in SESSION_BY if reason in by)].append(unit)
    return Pool(
        notes,
        sessions,
        len(pool) - len(apart),
        tuple(Reason(name, SESSION_BY[name], len(units), tuple(units[:EXAMPLES])) for name, units in reasons.items()),
    )


def _is_session_found(row: NoteRow) -> bool:
    return row.is_session_found


def _grouped(rows: Iterable[NoteRow], part: Callable[[NoteRow], str]) -> dict[Unit, list[NoteRow]]:
    found: dict[Unit, list[NoteRow]] = {}
    for row in rows:
        found.setdefault((row.case, row.question, part(row)), []).append(row)
    return found


def _row(name: str, by_unit: dict[Unit, list[NoteRow]], is_found: Callable[[NoteRow], bool]) -> PoolRow:
    pool = [own for own in by_unit.values() if not all(map(is_found, own))]
    helped = [own for own in pool if _is_helped(own)]
    differing = sum(any(map(is_found, own)) for own in helped)
    return PoolRow(name, len(by_unit), len(pool), len(pool) - len(helped), differing, len(helped) - differing)


def _is_helped(own: Sequence[NoteRow]) -> bool:
    """Whether the unit has a helpful tag under every extraction."""
    return {row.extraction for row in own} == {row.extraction for row in own if row.helpful}
