"""States of cases (`workbench.states`): what methods worked out and would work out again."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.states import State
from workbench.store.connection import Database
from workbench.store.values import bound, insert

_COLUMNS = {"case_key": "VARCHAR", "kind": "VARCHAR", "digest": "VARCHAR", "parts": "VARCHAR"}


class StateTable:
    """The stored states."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of_case(self, case_key: str) -> list[State]:
        """All states of a case."""
        rows = self._db.rows("SELECT kind, digest, parts FROM states WHERE case_key = ? ORDER BY ALL", [case_key])
        return [State(*row) for row in rows]

    def put(self, case_key: str, states: Iterable[State]) -> None:
        """Store states of a case; those of the same kind and digest are replaced.

        Nothing is stored for a case that was removed meanwhile.
        """
        given = list(states)
        with self._db.transaction() as cursor:
            if not cursor.execute("SELECT 1 FROM cases WHERE case_key = ?", bound([case_key])).fetchone():
                return
            for kind in {state.kind for state in given}:
                cursor.execute(
                    "DELETE FROM states WHERE case_key = ? AND kind = ? AND digest IN (SELECT unnest(?::VARCHAR[]))",
                    bound([case_key, kind, [state.digest for state in given if state.kind == kind]]),
                )
            insert(cursor, "states", _COLUMNS, [(case_key, state.kind, state.digest, state.text) for state in given])
