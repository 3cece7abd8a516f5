"""Labels: what analysts say of questions and missed notes, in a store of their own beside the cases.

Labels are only ever added. The newest of a place (case, question, note, method) and an analyst counts; the earlier ones are its
history. Reading cases and writing labels can't get in each other's way, since they are two files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, get_args

from workbench.errors import StoreError
from workbench.store.connection import Database, acquire, owe_rewriting, release
from workbench.store.values import bound, insert, storable, to_json

Status = Literal["open", "done", "set aside"]
STATUSES: tuple[str, ...] = get_args(Status)
SUFFIX = ".labels.duckdb"
_COLUMNS = {
    "id": "INTEGER",
    **dict.fromkeys(("case_key", "question", "note", "method", "analyst", "label", "comment", "status", "contested"), "VARCHAR"),
    "created": "TIMESTAMP",
}
_FIELDS = ", ".join(name for name in _COLUMNS if name != "id")
_NEWEST = "row_number() OVER (PARTITION BY case_key, question, note, method, analyst ORDER BY created DESC, id DESC) = 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What an analyst says of a question, or of one gold note of it under one method.

    Attributes
    ----------
    case, question : str
        Key of the case and id of the question.
    note, method : str
        Empty where the label is about the whole question, and about any method.
    label : str
        A cause of the taxonomy (`workbench.labels.taxonomy`); empty where none is chosen yet.
    status : "open", "done" or "set aside"
    contested : str
        Why the question's gold is not accepted; empty where it is.
    created : datetime
        Local time without a zone.
    """

    case: str
    question: str
    note: str = ""
    method: str = ""
    analyst: str
    label: str = ""
    comment: str = ""
    status: Status = "open"
    contested: str = ""
    created: datetime

    @property
    def place(self) -> tuple[str, str, str, str]:
        """What it is about: case, question, note, method."""
        return (self.case, self.question, self.note, self.method)


@dataclass(frozen=True, slots=True)
class TaxonomyRow:
    """A version of the taxonomy: (name, meaning) of every cause, in order."""

    version: int
    causes: tuple[tuple[str, str], ...]
    analyst: str
    created: datetime


def labels_path(store: str | Path) -> Path:
    """The file that holds the labels of a store: beside it, under its whole name with an ending.

    Examples
    --------
    >>> labels_path("data/workbench.duckdb").name
    'workbench.duckdb.labels.duckdb'
    """
    path = Path(store)
    return path.with_name(path.name + SUFFIX)


class Labels:
    """An open store of labels; `open_labels` makes one. Use as a context manager: the file is free when it closes."""

    def __init__(self, database: Database) -> None:
        self._db, self._is_open = database, True

    def __enter__(self) -> Labels:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close()
        except StoreError:
            if error is None:  # else what went wrong first says more
                raise

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        if self._is_open:
            self._is_open = False
            release(self._db)

    def add(self, labels: Sequence[Label]) -> int:
        """Append labels, all or none; those that are there already, to the last field, are left out. How many were new.

        Raises
        ------
        ValueError
            If a label names no case, question or analyst, has an unknown status, or a time with a zone.
        StoreError
            If the store can't be written.
        """
        for label in labels:
            _check(label)
        rows = list(dict.fromkeys(_row(label) for label in labels))
        with self._db.transaction() as cursor:
            cases = bound([list(dict.fromkeys(row[0] for row in rows))])
            there = set(cursor.execute(f"SELECT {_FIELDS} FROM labels WHERE list_contains(?, case_key)", cases).fetchall())
            fresh = [row for row in rows if row not in there]
            found = cursor.execute("SELECT coalesce(max(id), 0) FROM labels").fetchone()
            assert found is not None
            insert(cursor, "labels", _COLUMNS, [(found[0] + at, *row) for at, row in enumerate(fresh, 1)])
        return len(fresh)

    def current(self, case: str | None = None, question: str | None = None, analyst: str | None = None) -> list[Label]:
        """The newest label of each place and analyst, by case, question, note, method and analyst."""
        return self._read(f"QUALIFY {_NEWEST} ORDER BY {_FIELDS}", case, question, analyst)

    def history(self, case: str | None = None, question: str | None = None, analyst: str | None = None) -> list[Label]:
        """Every label that was ever given, oldest first."""
        return self._read("ORDER BY created, id", case, question, analyst)

    def _read(self, end: str, case: str | None, question: str | None, analyst: str | None) -> list[Label]:
        terms, values = ["true"], []
        for column, wanted in (("case_key", case), ("question", question), ("analyst", analyst)):
            if wanted is not None:
                terms.append(f"{column} = ?")
                values.append(wanted)
        rows = self._db.rows(f"SELECT {_FIELDS} FROM labels WHERE {' AND '.join(terms)} {end}", values)
        return [_label(row) for row in rows]

    def analysts(self) -> dict[str, int]:
        """How many places each analyst has labelled, by name."""
        rows = self._db.rows(
            "SELECT analyst, count(DISTINCT (case_key, question, note, method)) FROM labels GROUP BY analyst ORDER BY analyst"
        )
        return dict(rows)

    def taxonomies(self) -> list[TaxonomyRow]:
        """The stored versions of the taxonomy, oldest first; none where nobody has changed the default one."""
        rows = self._db.rows("SELECT version, causes, analyst, created FROM taxonomies ORDER BY version")
        return [
            TaxonomyRow(version, tuple((name, meaning) for name, meaning in json.loads(causes)), analyst, created)
            for version, causes, analyst, created in rows
        ]

    def add_taxonomy(self, causes: Sequence[tuple[str, str]], analyst: str, created: datetime) -> int:
        """Store another version of the taxonomy; its number is returned."""
        with self._db.transaction() as cursor:
            found = cursor.execute("SELECT coalesce(max(version), 0) + 1 FROM taxonomies").fetchone()
            assert found is not None
            row = [found[0], to_json([list(cause) for cause in causes]), analyst, created]
            cursor.execute("INSERT INTO taxonomies VALUES (?, ?, ?, ?)", bound(row))
        return int(found[0])

    def remove_cases(self, keys: Sequence[str]) -> bool:
        """Remove every label of some cases; whether there was one. Its text is in the file until `rewrite`."""
        with self._db.transaction() as cursor:
            gone = cursor.execute(
                "DELETE FROM labels WHERE list_contains(?, case_key) RETURNING id", bound([list(keys)])
            ).fetchall()
            if gone:
                owe_rewriting(cursor)
        return bool(gone)

    def rewrite(self, wait_seconds: float) -> None:
        """Take the text of removed labels out of the file."""
        self._db.rewrite(wait_seconds)


def _check(label: Label) -> None:
    for name in ("case", "question", "analyst"):
        if not getattr(label, name).strip():
            raise ValueError(f"a label needs a case, a question and an analyst; {name} is {getattr(label, name)!r} in {label}")
    if label.status not in STATUSES:
        raise ValueError(f"status {label.status!r} is unknown; known: {', '.join(STATUSES)}")
    if label.created.tzinfo is not None:
        raise ValueError(f"a label's time is local and has no zone; got {label.created.isoformat()}")


def _row(label: Label) -> tuple[Any, ...]:
    texts = (*label.place, label.analyst, label.label, label.comment, label.status, label.contested)
    return (*map(storable, texts), label.created)


def _label(row: Sequence[Any]) -> Label:
    case, question, note, method, analyst, label, comment, status, contested, created = row
    return Label(
        case=case,
        question=question,
        note=note,
        method=method,
        analyst=analyst,
        label=label,
        comment=comment,
        status=status,
        contested=contested,
        created=created,
    )


def open_labels(store: str | Path, *, read_only: bool = False, wait_seconds: float = 10.0) -> Labels:
    """Open the labels of a store; the store itself is not touched.

    Parameters
    ----------
    store : str or Path
        The store's file, or ":memory:" for labels that are gone when they are closed.
    read_only : bool
        Open for reading: where no label was given yet there is none to read, and no file is made.
    wait_seconds : float
        How long to retry while somebody else writes. The default is ours.

    Raises
    ------
    StoreError
        If the file is locked for longer, damaged, no store of labels, or can't be created.
    """
    path = labels_path(store)
    if str(store) == ":memory:" or (read_only and not path.exists()):
        database = Database(None, read_only=False, kind="labels")
        database.read_only, database.users = read_only, 1
        return Labels(database)
    return Labels(acquire(path, read_only=read_only, wait_seconds=wait_seconds, kind="labels"))


@contextmanager
def forgetting(store: Path | None, keys: Sequence[str], wait_seconds: float) -> Iterator[Callable[[], None]]:
    """What removes the labels of cases, for a body that removes the cases to call as its last step before its commit.

    The labels are held from the start: where they can't be had, nothing at all is removed. They go first: a case that a kill
    leaves behind can be removed again, labels of a case that is gone could not. Their file is rewritten after the body.
    """
    if store is None or not labels_path(store).exists():
        yield lambda: None
        return
    with open_labels(store, wait_seconds=wait_seconds) as labels:
        removed: list[bool] = []
        yield lambda: removed.append(labels.remove_cases(keys))
        if any(removed):
            labels.rewrite(wait_seconds)
