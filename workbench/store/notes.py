"""Notes: the interactions of a case, each with the tags of one extraction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import duckdb

from workbench.records import Case, Extraction, Interaction, Note, Session, Turn
from workbench.store.connection import Database
from workbench.store.extractions import Choice, Extractions
from workbench.store.history import locate, read_turns
from workbench.store.values import dump_turns, insert, load_turns

_COLUMNS = {
    "case_key": "VARCHAR",
    "id": "VARCHAR",
    "session": "VARCHAR",
    "position": "INTEGER",
    "round": "INTEGER",
    "time": "TIMESTAMP",
    "time_text": "VARCHAR",
    "place": "INTEGER",
    "first": "INTEGER",
    "turns": "INTEGER",
    "own_turns": "VARCHAR",
}
# Read in plain scans and joined in Python, which at 240 notes is faster than a join in SQL.
_INTERACTIONS = (
    "SELECT id, session, position, round, time, time_text, place, first, turns, own_turns FROM interactions WHERE case_key = ?"
)
_TAGS = 'SELECT note, who, what, "when", "where", why, extra, summary FROM tags WHERE extraction = ?'


def _interaction(row: tuple[Any, ...], turns: Mapping[int, tuple[Turn, ...]]) -> Interaction:
    id_, session, position, round_, time, time_text, place, first, count, own = row
    spoken = load_turns(own) if own is not None else turns.get(place, ())[first : first + count]
    return Interaction(id_, session, spoken, position, round_, time, time_text)


def _extraction(row: tuple[Any, ...]) -> Extraction:
    who, what, when, where, why, extra = map(tuple, row[1:7])
    return Extraction(who, what, when, where, why, extra, row[7])


class Notes:
    """The notes of a store."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._extractions = Extractions(database)

    def get(self, case_key: str, extraction: Choice = None, case: Case | None = None) -> tuple[Note, ...]:
        """All notes of a case, oldest first (order key, then id), with the tags of the extraction that is asked for.

        Where the stored ``case`` itself was read before, its turns are shared and not read a second time.

        Raises
        ------
        KeyError
            If the case is not stored or has no such extraction.
        """
        chosen = self._extractions.choose(case_key, extraction)
        tags = {row[0]: row for row in self._db.rows(_TAGS, [chosen.id])}
        turns = dict(enumerate(s.turns for s in case.sessions)) if case else read_turns(self._db, case_key)
        rows = self._db.rows(_INTERACTIONS, [case_key])
        notes = [Note(_interaction(row, turns), _extraction(tags[row[0]])) for row in rows]
        return tuple(sorted(notes, key=lambda note: (note.order, note.id)))

    def one(self, case_key: str, note_id: str, extraction: Choice = None) -> Note:
        """One note; KeyError where the case has none of that id."""
        chosen = self._extractions.choose(case_key, extraction)
        rows = self._db.rows(f"{_INTERACTIONS} AND id = ?", [case_key, note_id])
        if not rows:
            raise KeyError(f"{case_key} has no note {note_id!r}")
        turns = read_turns(self._db, case_key, rows[0][6]) if rows[0][9] is None else {}
        (tags,) = self._db.rows(f"{_TAGS} AND note = ?", [chosen.id, note_id])
        return Note(_interaction(rows[0], turns), _extraction(tags))


def add_interactions(cursor: duckdb.DuckDBPyConnection, case: Case, notes: tuple[Note, ...]) -> None:
    """Write the interactions of a new case inside the caller's transaction.

    An interaction whose turns stand in a session as they are points there; other ones (a note that brought its own text) keep
    a copy.
    """
    sessions: dict[str, list[tuple[int, Session]]] = defaultdict(list)
    for place, session in enumerate(case.sessions):
        sessions[session.id].append((place, session))
    ends: dict[str, int] = {}
    rows = []
    for note in notes:
        i = note.interaction
        found = locate(sessions[i.session_id], i.turns, ends.get(i.session_id, 0))
        place, first = found or (-1, 0)
        ends[i.session_id] = first + len(i.turns)
        own = dump_turns(i.turns) if found is None else None
        rows.append((case.key, i.id, i.session_id, i.position, i.round, i.time, i.time_text, place, first, len(i.turns), own))
    insert(cursor, "interactions", _COLUMNS, rows)
