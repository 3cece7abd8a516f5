"""Sessions and their turns: the text of a case, which is kept once. Notes point into it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

import duckdb

from workbench.records import Case, Session, Turn
from workbench.store.connection import Database
from workbench.store.values import insert

_SESSION_COLUMNS = {
    "case_key": "VARCHAR",
    "place": "INTEGER",
    "id": "VARCHAR",
    "position": "INTEGER",
    "time": "TIMESTAMP",
    "time_text": "VARCHAR",
}
_TURN_COLUMNS = {
    "case_key": "VARCHAR",
    "session": "INTEGER",
    "place": "INTEGER",
    "role": "VARCHAR",
    "text": "VARCHAR",
    "speaker": "VARCHAR",
    "ref": "VARCHAR",
    "caption": "VARCHAR",
}


def read_turns(database: Database, case_key: str, session: int | None = None) -> dict[int, tuple[Turn, ...]]:
    """The turns of a case by their session's place in it; of one session only where it is named."""
    only, values = (" AND session = ?", [session]) if session is not None else ("", [])
    rows = database.rows(
        f"SELECT session, place, role, text, speaker, ref, caption FROM turns WHERE case_key = ?{only}", [case_key, *values]
    )
    turns: dict[int, list[Turn]] = defaultdict(list)
    for row in sorted(rows):
        turns[row[0]].append(Turn(*row[2:]))
    return {place: tuple(found) for place, found in turns.items()}


def read_sessions(database: Database, case_key: str) -> tuple[Session, ...]:
    """The sessions of a case, in the order of the source."""
    rows = database.rows(
        "SELECT place, id, position, time, time_text FROM sessions WHERE case_key = ? ORDER BY place", [case_key]
    )
    turns = read_turns(database, case_key)
    return tuple(Session(id_, turns.get(place, ()), position, time, words) for place, id_, position, time, words in rows)


def add_history(cursor: duckdb.DuckDBPyConnection, case: Case) -> None:
    """Write the sessions of a new case inside the caller's transaction."""
    sessions, turns = [], []
    for place, session in enumerate(case.sessions):
        sessions.append((case.key, place, session.id, session.position, session.time, session.time_text))
        turns += [(case.key, place, i, t.role, t.text, t.speaker, t.ref, t.caption) for i, t in enumerate(session.turns)]
    insert(cursor, "sessions", _SESSION_COLUMNS, sessions)
    insert(cursor, "turns", _TURN_COLUMNS, turns)


def locate(sessions: Sequence[tuple[int, Session]], turns: tuple[Turn, ...], guess: int) -> tuple[int, int] | None:
    """Where ``turns`` stand as they are in one of the sessions: (session's place, first turn), or None.

    ``guess`` is the first turn to try: where the note before ended.
    """
    for place, session in sessions:
        for first in chain([guess], range(len(session.turns))):
            if session.turns[first : first + len(turns)] == turns:
                return place, first
    return None
