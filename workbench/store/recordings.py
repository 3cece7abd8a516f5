"""Recorded outputs of language models: they make a replay possible, and interrupted work goes on from them."""

from __future__ import annotations

from dataclasses import astuple
from datetime import datetime

from workbench.chat.base import Recording
from workbench.store.connection import Database
from workbench.store.values import bound

_COLUMNS = "kind, version, model, case_key, unit, digest, text, failure, attempts, tokens_in, tokens_out, seconds, mode"
_SLOT = "kind = ? AND version = ? AND model = ? AND case_key = ? AND unit = ?"


class RecordingTable:
    """The stored recordings (`workbench.chat.base.Recordings`)."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, kind: str, version: str, model: str, case_key: str, unit: str, digest: str | None = None) -> Recording | None:
        """The recording of this very prompt; without a digest, the newest of its unit."""
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM recordings WHERE {_SLOT} AND (?::VARCHAR IS NULL OR digest = ?) "
            "ORDER BY created DESC, rowid DESC LIMIT 1",
            [kind, version, model, case_key, unit, digest, digest],
        )
        return Recording(*rows[0]) if rows else None

    def of_case(self, case_key: str) -> list[Recording]:
        """All recordings of a case, oldest first."""
        rows = self._db.rows(f"SELECT {_COLUMNS} FROM recordings WHERE case_key = ? ORDER BY created, rowid", [case_key])
        return [Recording(*row) for row in rows]

    def models(self, kind: str, case_key: str) -> list[tuple[str, str, int]]:
        """(model, version, recordings) of a case, the newest first."""
        rows = self._db.rows(
            "SELECT model, version, count(*) FROM recordings WHERE kind = ? AND case_key = ? "
            "GROUP BY ALL ORDER BY max(created) DESC, model, version",
            [kind, case_key],
        )
        return [(model, version, count) for model, version, count in rows]

    def put(self, recording: Recording, now: datetime | None = None, *, is_loading: bool = False) -> None:
        """Store one in place of that for the same prompt and of every failure in its slot.

        Nothing is stored for a case that was removed meanwhile; a case ``is_loading`` has no row yet, and its recordings wait.
        """
        with self._db.transaction() as cursor:
            is_stored = cursor.execute("SELECT 1 FROM cases WHERE case_key = ?", bound([recording.case])).fetchone()
            if not is_stored and not is_loading:
                return
            cursor.execute(
                f"DELETE FROM recordings WHERE {_SLOT} AND (digest = ? OR failure IS NOT NULL)",
                bound([*recording.slot, recording.digest]),
            )
            row = bound([*astuple(recording), now or datetime.now()])
            cursor.execute(f"INSERT INTO recordings VALUES ({', '.join('?' * len(row))})", row)
