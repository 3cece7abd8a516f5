"""Extractions: which extractor, in which configuration, made the tags of a case. Several live side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import duckdb

from workbench.records import Note
from workbench.store.connection import Database
from workbench.store.values import bound, config_digest, insert, storable, to_json

_TAG_COLUMNS = {
    "extraction": "INTEGER",
    "note": "VARCHAR",
    **dict.fromkeys(("who", "what", "when", "where", "why", "extra"), "VARCHAR[]"),
    "summary": "VARCHAR",
}


@dataclass(frozen=True, eq=False)
class ExtractionKey:
    """What makes two extractions of a case the same: the extractor's name and its configuration.

    Keys are equal if name and ``digest`` are, so a configuration that went through JSON (tuples became lists) is the same one.
    """

    extractor: str
    config: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, extractor: Any) -> ExtractionKey:
        """The key of an extractor object (``name`` and dataclass ``config``)."""
        config = extractor.config
        return cls(
            extractor.name, asdict(config) if is_dataclass(config) and not isinstance(config, type) else dict(config or {})
        )

    @cached_property
    def digest(self) -> str:
        return config_digest(self.config)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExtractionKey) and (self.extractor, self.digest) == (other.extractor, other.digest)

    def __hash__(self) -> int:
        return hash((self.extractor, self.digest))


GIVEN = ExtractionKey("given")
"""The tags that a source brought with its notes."""

EDITED = "+edits"
"""Ends the extractor's name of a variant: another extraction with edits, and a name of its own in ``config["name"]``. A variant
is never a case's default."""

Choice = ExtractionKey | int | str | None
"""How an extraction is asked for: its key, its id (a number or its digits), its extractor's name (the newest of that name), a
variant's own name, or None for the default."""


@dataclass(frozen=True)
class ExtractionRow:
    """A stored extraction. ``counters`` holds what the extractor counted: dropped paths, failures, remarks."""

    id: int
    case: str
    extractor: str
    config: Mapping[str, Any]
    digest: str
    notes: int
    counters: Mapping[str, Any]
    created: datetime

    @property
    def key(self) -> ExtractionKey:
        return ExtractionKey(self.extractor, self.config)

    @property
    def variant(self) -> str | None:
        """The name of a variant; None for what an extractor made."""
        return str(self.config.get("name", "")) if self.extractor.endswith(EDITED) else None


class Extractions:
    """The extractions of a store."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def list(self, case_key: str | None = None) -> list[ExtractionRow]:
        """Extractions of one case or of all; within a case the default one comes first, then newest to oldest."""
        where, values = ("WHERE case_key = ?", [case_key]) if case_key is not None else ("", [])
        rows = self._db.rows(
            f"SELECT id, case_key, extractor, config, config_digest, notes, counters, created FROM extractions {where} "
            f"ORDER BY case_key, ends_with(extractor, '{EDITED}'), extractor = 'given' DESC, created DESC, id DESC",
            values,
        )
        return [ExtractionRow(r[0], r[1], r[2], json.loads(r[3]), r[4], r[5], json.loads(r[6]), r[7]) for r in rows]

    def choose(self, case_key: str, wanted: Choice = None) -> ExtractionRow:
        """The extraction that is meant: the one named, else ``given``, else the newest.

        Raises
        ------
        KeyError
            If the case has no such extraction; the message lists those it has.
        """
        rows = self.list(case_key)
        for row in rows:
            if wanted is None or wanted in (row.id, str(row.id), row.extractor, row.key, row.variant):
                return row
        known = ", ".join(f"{row.extractor} (id {row.id}, configuration {row.digest})" for row in rows) or "none"
        raise KeyError(f"{case_key} has no extraction {wanted!r}; it has: {known}")

    def rewrite(
        self,
        extraction: ExtractionRow,
        notes: tuple[Note, ...],
        counters: Mapping[str, Any],
        *,
        now: datetime | None = None,
    ) -> None:
        """Put other tags in the place of an extraction's, such as those of notes that had failed.

        Raises
        ------
        ValueError
            If the notes are not those of the extraction.
        """
        with self._db.transaction() as cursor:
            there = cursor.execute("SELECT note FROM tags WHERE extraction = ?", [extraction.id]).fetchall()
            if {storable(note.id) for note in notes} != {note_id for (note_id,) in there}:
                raise ValueError(f"extraction {extraction.id} of {extraction.case} is of {len(there)} other notes")
            cursor.execute("DELETE FROM tags WHERE extraction = ?", [extraction.id])
            cursor.execute(
                "UPDATE extractions SET counters = ?, created = ? WHERE id = ?",
                [to_json(counters), now or datetime.now(), extraction.id],
            )
            _add_tags(cursor, extraction.id, notes)


def add_extraction(
    cursor: duckdb.DuckDBPyConnection,
    case_key: str,
    key: ExtractionKey,
    notes: tuple[Note, ...],
    counters: Mapping[str, Any],
    now: datetime,
) -> None:
    """Write the tags of a case's notes inside the caller's transaction; nothing where this extraction is already there."""
    there = cursor.execute(
        "SELECT 1 FROM extractions WHERE case_key = ? AND extractor = ? AND config_digest = ?",
        [case_key, key.extractor, key.digest],
    ).fetchone()
    if there:
        return
    found = cursor.execute("SELECT coalesce(max(id), 0) + 1 FROM extractions").fetchone()
    assert found is not None
    row = [found[0], case_key, key.extractor, to_json(key.config), key.digest, len(notes), to_json(counters), now]
    cursor.execute("INSERT INTO extractions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", bound(row))
    _add_tags(cursor, found[0], notes)


def _add_tags(cursor: duckdb.DuckDBPyConnection, extraction: int, notes: tuple[Note, ...]) -> None:
    tags = []
    for note in notes:
        e = note.extraction
        tags.append((extraction, note.id, e.who, e.what, e.when, e.where, e.why, e.extra, e.summary))
    insert(cursor, "tags", _TAG_COLUMNS, tags)
