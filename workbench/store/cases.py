"""Cases: identity, listing, adding as a whole and removing without a trace."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

from workbench.errors import BadInput, StoreError
from workbench.records import Case, Note, Unit
from workbench.store.connection import Database, owe_rewriting
from workbench.store.extractions import ExtractionKey, add_extraction
from workbench.store.history import add_history, read_sessions
from workbench.store.labels import forgetting
from workbench.store.notes import Notes, add_interactions
from workbench.store.questions import Questions, add_questions
from workbench.store.values import bound, case_digest, storable, to_json
from workbench.store.vectors import forget_vectors

Outcome = Literal["added", "present", "conflict"]
_ROW = "case_key, benchmark, id, title, unit, sessions, turns, notes, questions, digest, first_time, last_time, added"


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case as a table shows it; ``sessions``, ``turns``, ``notes`` and ``questions`` are counts."""

    key: str
    benchmark: str
    id: str
    title: str
    unit: Unit
    sessions: int
    turns: int
    notes: int
    questions: int
    digest: str
    first_time: datetime | None
    last_time: datetime | None
    added: datetime


class Cases:
    """The cases of a store."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(
        self,
        case: Case,
        notes: Iterable[Note],
        key: ExtractionKey,
        *,
        counters: Mapping[str, Any] | None = None,
        now: datetime | None = None,
    ) -> Outcome:
        """Store a case with one extraction of it, as a whole or not at all.

        Returns
        -------
        "added", "present" or "conflict"
            ``present``: the same key and content were there; the extraction is added beside others if it is new.
            ``conflict``: the key was there with other content; nothing is written.

        Raises
        ------
        BadInput
            If the benchmark's name is empty or has a slash, ids of notes or questions repeat, or a time has a zone.
        StoreError
            If the case is there but cut into other notes (by another version), or the file can't be written.
        """
        notes, now, digest = tuple(notes), now or datetime.now(), case_digest(case)
        _check(case, notes)
        key_text = storable(case.key)
        with self._db.transaction() as cursor:
            stored = cursor.execute("SELECT digest FROM cases WHERE case_key = ?", [key_text]).fetchone()
            if stored and stored[0] != digest:
                return "conflict"
            if stored:
                ids = cursor.execute("SELECT id FROM interactions WHERE case_key = ?", [key_text]).fetchall()
                if {storable(note.id) for note in notes} != {note_id for (note_id,) in ids}:
                    raise StoreError(
                        f"{case.key} is stored with other notes than this version makes: remove it and load it again"
                    )
            else:
                cursor.execute(f"INSERT INTO cases VALUES ({', '.join('?' * 14)})", bound(_case_row(case, notes, digest, now)))
                add_history(cursor, case)
                add_questions(cursor, case)
                add_interactions(cursor, case, notes)
            add_extraction(cursor, key_text, key, notes, counters or {}, now)
        return "present" if stored else "added"

    def key(self, name: str) -> str:
        """The key that a full key or a bare id stands for.

        Raises
        ------
        KeyError
            If no case, or more than one, answers to the name; the message lists candidates.
        """
        found = self._db.rows("SELECT case_key FROM cases WHERE case_key = ? OR id = ? ORDER BY case_key = ? DESC, 1", [name] * 3)
        keys = [key for (key,) in found]
        if len(keys) == 1 or name in keys:
            return cast(str, keys[0])
        if keys:
            raise KeyError(f"{name!r} is in several benchmarks: name one of {', '.join(keys)}")
        names = [text for row in self._db.rows("SELECT case_key, id FROM cases") for text in row]
        near = difflib.get_close_matches(name, names, 3, 0.5)
        hint = f"did you mean {', '.join(near)}?" if near else f"the store has {len(names) // 2} cases (workbench cases)"
        raise KeyError(f"no case {name!r}; {hint}")

    def get(self, name: str) -> Case:
        """A whole case by key or bare id (see `key`), equal to the one that was added but for replaced surrogates."""
        key = self.key(name)
        (row,) = self._db.rows("SELECT benchmark, id, unit, title, participants FROM cases WHERE case_key = ?", [key])
        given = self._db.rows("SELECT 1 FROM extractions WHERE case_key = ? AND extractor = 'given'", [key])
        notes = Notes(self._db).get(key, "given") if given else ()
        return Case(
            row[0], row[1], read_sessions(self._db, key), Questions(self._db).of(key), row[2], row[3], tuple(row[4]), notes
        )

    def list(self, benchmark: str | None = None) -> list[CaseRow]:
        """All cases or those of one benchmark, in the order of benchmark, then of loading."""
        where, values = ("WHERE benchmark = ?", [benchmark]) if benchmark is not None else ("", [])
        return [
            CaseRow(*row)
            for row in self._db.rows(f"SELECT {_ROW} FROM cases {where} ORDER BY benchmark, added, case_key", values)
        ]

    def find(self, key: str) -> CaseRow | None:
        """The row of a case by its full key; None where it is not stored."""
        rows = self._db.rows(f"SELECT {_ROW} FROM cases WHERE case_key = ?", [key])
        return CaseRow(*rows[0]) if rows else None

    def benchmarks(self) -> dict[str, int]:
        """How many cases each benchmark has, by name."""
        rows = self._db.rows("SELECT benchmark, count(*) FROM cases GROUP BY benchmark ORDER BY benchmark")
        return dict(rows)

    def remove(self, *names: str, wait_seconds: float = 10.0) -> tuple[str, ...]:
        """Remove cases by key or bare id, with everything that belongs to them; the removed keys are returned.

        That is every row of theirs in every table: notes, tags, questions, rows of runs (a run left with none goes too) and
        findings of load reports; the vectors of texts that no other case holds; their labels; and the copies of them that own
        questions stand in, whose keys are returned too. Then the files are rewritten, so that the text is no longer in them;
        where a kill comes before that, whoever writes next does it.

        Raises
        ------
        KeyError
            If a name is not that of exactly one case; nothing is removed then.
        StoreError
            If the file can't be written; where the rows are gone and only the rewriting failed, the message says so.
        """
        keys = tuple(self.key(name) for name in names)
        if not keys:
            return ()
        keys = tuple(dict.fromkeys((*keys, *self._copies(keys))))
        with forgetting(self._db.path, keys, wait_seconds) as forget_labels, self._db.transaction() as cursor:
            owned = cursor.execute(
                "SELECT table_name, column_name FROM duckdb_columns() "
                "WHERE database_name = 'store' AND column_name IN ('case_key', 'extraction') ORDER BY ALL"
            ).fetchall()
            touched = cursor.execute("SELECT DISTINCT run FROM results WHERE list_contains(?, case_key)", [list(keys)]).fetchall()
            for table in (table for table, column in owned if column == "extraction"):
                mine = "SELECT id FROM extractions WHERE list_contains(?, case_key)"
                cursor.execute(f"DELETE FROM {table} WHERE extraction IN ({mine})", [list(keys)])
            for table in (table for table, column in owned if column == "case_key"):
                cursor.execute(f"DELETE FROM {table} WHERE list_contains(?, case_key)", [list(keys)])
            forget_vectors(cursor)
            # What is left of a run is no longer what its plan gives.
            cursor.execute("UPDATE runs SET plan = '' WHERE list_contains(?, id)", [[run for (run,) in touched]])
            empty = "list_contains(?, id) AND id NOT IN (SELECT run FROM results)"
            cursor.execute(f"DELETE FROM runs WHERE {empty}", [[run for (run,) in touched]])
            for key in keys:  # a request names its cases; without it, an unfinished run goes on where it is asked for again
                cursor.execute("UPDATE unfinished SET request = '' WHERE contains(request, ?)", [to_json(key)])
            owe_rewriting(cursor)
            forget_labels()
        self._db.rewrite(wait_seconds)
        return keys

    def _copies(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Copies of cases in sets of own questions, and copies of those."""
        rows = self._db.rows(
            "WITH RECURSIVE copies AS (SELECT case_key FROM own_cases WHERE list_contains(?, source) UNION "
            "SELECT own.case_key FROM own_cases own JOIN copies ON own.source = copies.case_key) "
            "SELECT case_key FROM copies ORDER BY case_key",
            [list(keys)],
        )
        return tuple(key for (key,) in rows)

    def remove_benchmark(self, name: str, *, wait_seconds: float = 10.0) -> tuple[str, ...]:
        """Remove all cases of a benchmark (see `remove`); KeyError lists the benchmarks where there is none of that name."""
        rows = self.list(name)
        if not rows:
            raise KeyError(f"no benchmark {name!r}; the store has: {', '.join(self.benchmarks()) or 'none'}")
        return self.remove(*(row.key for row in rows), wait_seconds=wait_seconds)


def _check(case: Case, notes: tuple[Note, ...]) -> None:
    if not case.benchmark or "/" in case.benchmark or not case.id:
        raise BadInput(
            f"a case is called benchmark/id, both non-empty and no slash in the first: got {case.benchmark!r}, {case.id!r}"
        )
    for kind, ids in (("note", [note.id for note in notes]), ("question", [question.id for question in case.questions])):
        twice = [name for name, count in Counter(ids).items() if count > 1]
        if twice:
            raise BadInput(f"{case.key} has {kind} id {twice[0]!r} more than once: ids are unique in a case")
    times = [(session.id, session.time) for session in case.sessions]
    times += [(question.id, question.time) for question in case.questions]
    times += [(note.id, note.interaction.time) for note in notes]
    for name, time in times:
        if time is not None and time.tzinfo is not None:
            raise BadInput(
                f"{case.key}: {name} has a time with a zone, {time.isoformat()}: times are stored as local to the source"
            )


def _case_row(case: Case, notes: tuple[Note, ...], digest: str, now: datetime) -> list[Any]:
    times = [session.time for session in case.sessions if session.time is not None]
    turns = sum(len(session.turns) for session in case.sessions)
    counts = (len(case.sessions), turns, len(notes), len(case.questions))
    span = (min(times, default=None), max(times, default=None))
    return [case.key, case.benchmark, case.id, case.title, case.unit, list(case.participants), digest, *counts, *span, now]
