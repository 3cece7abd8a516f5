"""Vectors of texts, kept once for all cases, by digest of the text, backend and model.

A vector tells something of its text. ``embedded_texts`` says which cases hold a text, so that the removal of a case takes the
vectors of those texts along that no other case is known to hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import duckdb
import numpy as np

from workbench.embed.base import Rows
from workbench.embed.vectors import VectorSet
from workbench.store.connection import Database
from workbench.store.values import bound, insert

_VECTOR = {"text": "VARCHAR", "backend": "VARCHAR", "model": "VARCHAR", "vector": "BLOB"}
_HELD = {"case_key": "VARCHAR", "text": "VARCHAR"}


class VectorTable:
    """The stored vectors."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def models(self) -> dict[tuple[str, str], int]:
        """How many vectors each (backend, model) has."""
        rows = self._db.rows("SELECT backend, model, count(*) FROM vectors GROUP BY ALL ORDER BY ALL")
        return {(backend, model): count for backend, model, count in rows}

    def count(self) -> int:
        """How many vectors there are."""
        return sum(self.models().values())

    def bytes(self) -> int:
        """The size of all vectors, without what the tables cost beside them."""
        return int(self._db.rows("SELECT coalesce(sum(octet_length(vector)), 0)::BIGINT FROM vectors")[0][0])

    def get(self, backend: str, model: str, digests: Sequence[str]) -> VectorSet:
        """The stored vectors of some texts (`text_digest`); those that are not stored are left out."""
        found = self._db.rows(
            "SELECT text, vector FROM vectors WHERE backend = ? AND model = ? AND text IN (SELECT unnest(?::VARCHAR[]))",
            [backend, model, list(digests)],
        )
        return VectorSet(backend, model, {text: np.frombuffer(vector, np.float32) for text, vector in found})

    def held(self, case_key: str) -> list[str]:
        """Digests of the texts that a case is known to hold, whichever method asked for their vectors."""
        rows = self._db.rows("SELECT text FROM embedded_texts WHERE case_key = ? ORDER BY ALL", [case_key])
        return [text for (text,) in rows]

    def put(self, case_key: str, sets: Iterable[VectorSet]) -> None:
        """Store vectors of texts that a case holds; those that are there are left as they are.

        Nothing is stored for a case that was removed meanwhile.
        """
        with self._db.transaction() as cursor:
            if not cursor.execute("SELECT 1 FROM cases WHERE case_key = ?", bound([case_key])).fetchone():
                return
            for each in sets:
                _link(cursor, case_key, list(each.rows))
                there = cursor.execute(
                    "SELECT text FROM vectors WHERE backend = ? AND model = ? AND text IN (SELECT unnest(?::VARCHAR[]))",
                    bound([each.backend, each.model, list(each.rows)]),
                ).fetchall()
                known = {text for (text,) in there}
                new = [(text, each.backend, each.model, _blob(row)) for text, row in each.rows.items() if text not in known]
                insert(cursor, "vectors", _VECTOR, new)

    def link(self, case_key: str, digests: Sequence[str]) -> None:
        """Note that a case holds texts whose vectors another case brought."""
        with self._db.transaction() as cursor:
            if cursor.execute("SELECT 1 FROM cases WHERE case_key = ?", bound([case_key])).fetchone():
                _link(cursor, case_key, digests)


def _blob(row: Rows) -> bytes:
    return np.ascontiguousarray(row, "<f4").tobytes()


def _link(cursor: duckdb.DuckDBPyConnection, case_key: str, digests: Sequence[str]) -> None:
    there = cursor.execute("SELECT text FROM embedded_texts WHERE case_key = ?", bound([case_key])).fetchall()
    known = {text for (text,) in there}
    insert(cursor, "embedded_texts", _HELD, [(case_key, text) for text in dict.fromkeys(digests) if text not in known])


def forget_vectors(cursor: duckdb.DuckDBPyConnection) -> None:
    """Delete the vectors of texts that no case holds any more, inside the caller's transaction."""
    cursor.execute("DELETE FROM vectors WHERE text NOT IN (SELECT text FROM embedded_texts)")
