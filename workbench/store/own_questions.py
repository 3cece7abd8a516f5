"""Questions of an analyst's own: they stand in copies of cases, so that what was loaded is never changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import duckdb

from workbench.errors import BadInput
from workbench.records import Case, Question
from workbench.store.cases import Cases
from workbench.store.connection import Database
from workbench.store.questions import add_questions
from workbench.store.values import bound, case_digest


class OwnQuestions:
    """The sets of own questions in a store; a set is a benchmark all of whose cases are such copies."""

    def __init__(self, database: Database) -> None:
        self._db, self._cases = database, Cases(database)

    def sets(self) -> dict[str, int]:
        """How many questions each set has, by name."""
        rows = self._db.rows(
            "SELECT benchmark, sum(questions)::BIGINT FROM cases LEFT JOIN own_cases USING (case_key) "
            "GROUP BY benchmark HAVING count(*) = count(source) ORDER BY benchmark"
        )
        return dict(rows)

    def source(self, case_key: str) -> str | None:
        """Key of the case that a case of a set was copied from; None for a loaded case."""
        rows = self._db.rows("SELECT source FROM own_cases WHERE case_key = ?", [case_key])
        return str(rows[0][0]) if rows else None

    def copy_key(self, case_key: str, set_name: str) -> str:
        """The key that a case has, or would have, in a set.

        Raises
        ------
        BadInput
            If the set is a loaded benchmark, no name of one, or holds another case under that id.
        """
        if not set_name or "/" in set_name:
            raise BadInput(f"a set of questions has a name without a slash; got {set_name!r}")
        if set_name in self._cases.benchmarks() and set_name not in self.sets():
            raise BadInput(f"{set_name} is a loaded benchmark, which own questions never change: choose another name for the set")
        benchmark, _, case_id = case_key.partition("/")
        key = f"{set_name}/{case_id}"
        if benchmark != set_name and self.source(key) not in (None, case_key):
            raise BadInput(f"{key} is a copy of {self.source(key)}, not of {case_key}: choose another set")
        return key

    def add(self, case_key: str, set_name: str, question: Question, now: datetime) -> tuple[str, str]:
        """Add a question to a set, on a copy of the case that is made where the set has none; the copy's key and question id.

        The copy has the case's history, notes and all extractions, also those that the case got since. The question gets the
        next free id, and the copy's digest covers it, as if the set had been loaded with it.

        Raises
        ------
        BadInput
            See `copy_key`; also if the case has changed since it was copied.
        KeyError
            If the case is not stored.
        """
        with self._db.transaction() as cursor:
            key = self.copy_key(case_key, set_name)
            given = self._cases.get(case_key)
            is_new = self._cases.find(key) is None
            copy = replace(given, benchmark=set_name, questions=()) if is_new else self._cases.get(key)
            if _history(copy) != _history(given):
                raise BadInput(f"{case_key} has changed since {key} was copied from it: ask of {key}, or choose another set")
            if is_new:
                _copy_case(cursor, case_key, copy, now)
            source = case_key if is_new else str(self.source(key))
            if self._cases.find(source) is not None and _history(self._cases.get(source)) == _history(copy):
                _copy_extractions(cursor, source, key)
            taken = {each.id for each in copy.questions}
            named = replace(question, id=next(f"q{n}" for n in range(1, len(taken) + 2) if f"q{n}" not in taken))
            asked = replace(copy, questions=(*copy.questions, named))
            add_questions(cursor, asked, len(taken))
            cursor.execute(
                "UPDATE cases SET questions = ?, digest = ? WHERE case_key = ?",
                bound([len(asked.questions), case_digest(asked), key]),
            )
        return key, named.id


def _history(case: Case) -> str:
    return case_digest(replace(case, questions=()))


def _copy_case(cursor: duckdb.DuckDBPyConnection, source: str, copy: Case, now: datetime) -> None:
    named = "? AS case_key, ? AS benchmark, ? AS id, '' AS digest, 0 AS questions, ? AS added"
    values = [copy.key, copy.benchmark, copy.id, now, source]
    cursor.execute(f"INSERT INTO cases SELECT * REPLACE ({named}) FROM cases WHERE case_key = ?", bound(values))
    for table in ("sessions", "turns", "interactions"):
        cursor.execute(
            f"INSERT INTO {table} SELECT * REPLACE (? AS case_key) FROM {table} WHERE case_key = ?", bound([copy.key, source])
        )
    cursor.execute("INSERT INTO own_cases VALUES (?, ?)", bound([copy.key, source]))


def _copy_extractions(cursor: duckdb.DuckDBPyConnection, source: str, key: str) -> None:
    """The extractions of a case that its copy does not have yet, with the times they were made at, which order them."""
    lacking = cursor.execute(
        "SELECT id FROM extractions WHERE case_key = ? AND (extractor, config_digest) NOT IN "
        "(SELECT (extractor, config_digest) FROM extractions WHERE case_key = ?) ORDER BY id",
        bound([source, key]),
    ).fetchall()
    for (old,) in lacking:
        cursor.execute(
            "INSERT INTO extractions SELECT * REPLACE ((SELECT max(id) + 1 FROM extractions) AS id, ? AS case_key) "
            "FROM extractions WHERE id = ?",
            bound([key, old]),
        )
        cursor.execute(
            "INSERT INTO tags SELECT * REPLACE ((SELECT max(id) FROM extractions) AS extraction) FROM tags WHERE extraction = ?",
            [old],
        )
