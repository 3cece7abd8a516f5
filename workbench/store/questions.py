"""Questions: the table the Cases page browses, and single questions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from workbench.records import Case, Question
from workbench.store.connection import Database
from workbench.store.values import dump_gold, insert, load_gold

_COLUMNS = {
    "case_key": "VARCHAR",
    "place": "INTEGER",
    "id": "VARCHAR",
    "text": "VARCHAR",
    "answer": "VARCHAR",
    "type": "VARCHAR",
    "gold": "VARCHAR",
    "time": "TIMESTAMP",
    "time_text": "VARCHAR",
    "remarks": "VARCHAR[]",
}
_FIELDS = "id, text, answer, type, gold, time, time_text, remarks"


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question as a table shows it, with the size of its case. ``gold`` counts the gold items, in the benchmark's unit."""

    case: str
    benchmark: str
    id: str
    text: str
    type: str
    answer: str | None
    time: datetime | None
    gold: int
    sessions: int
    notes: int


def read_question(row: tuple[Any, ...]) -> Question:
    """A question from the columns of `_FIELDS`."""
    return Question(row[0], row[1], row[2], row[3], load_gold(row[4]), row[5], row[6], tuple(row[7]))


class Questions:
    """The questions of a store."""

    def __init__(self, database: Database) -> None:
        self._db = database

    @staticmethod
    def _filter(benchmark: str | None, case_key: str | None, type: str | None, text: str | None) -> tuple[str, list[Any]]:
        terms, values = ["true"], []
        for column, wanted in (("c.benchmark", benchmark), ("q.case_key", case_key), ("q.type", type)):
            if wanted is not None:
                terms.append(f"{column} = ?")
                values.append(wanted)
        if text:
            terms.append("contains(lower(concat_ws(chr(10), q.text, q.answer, q.case_key, q.id)), lower(?))")
            values.append(text)
        return f"FROM questions q JOIN cases c USING (case_key) WHERE {' AND '.join(terms)}", values

    def table(
        self,
        benchmark: str | None = None,
        *,
        case_key: str | None = None,
        type: str | None = None,
        text: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[QuestionRow]:
        """Questions in the order of benchmark, case and place; ``text`` is sought in question, answer and ids, in any case."""
        source, values = self._filter(benchmark, case_key, type, text)
        rows = self._db.rows(
            "SELECT q.case_key, c.benchmark, q.id, q.text, q.type, q.answer, q.time, q.gold, c.sessions, c.notes "
            f"{source} ORDER BY c.benchmark, c.added, q.case_key, q.place LIMIT ? OFFSET ?",
            [*values, limit, offset],
        )
        return [
            QuestionRow(case, bench, id_, words, kind, answer, time, _gold_items(gold), sessions, notes)
            for case, bench, id_, words, kind, answer, time, gold, sessions, notes in rows
        ]

    def count(
        self, benchmark: str | None = None, *, case_key: str | None = None, type: str | None = None, text: str | None = None
    ) -> int:
        """How many rows `table` has under the same filters."""
        source, values = self._filter(benchmark, case_key, type, text)
        return int(self._db.rows(f"SELECT count(*) {source}", values)[0][0])

    def types(self, benchmark: str | None = None) -> dict[str, int]:
        """How many questions there are of each type, by name of the type."""
        source, values = self._filter(benchmark, None, None, None)
        rows = self._db.rows(f"SELECT q.type, count(*) {source} GROUP BY q.type ORDER BY q.type", values)
        return dict(rows)

    def of(self, case_key: str) -> tuple[Question, ...]:
        """The questions of a case, in the order of the source."""
        rows = self._db.rows(f"SELECT {_FIELDS} FROM questions WHERE case_key = ? ORDER BY place", [case_key])
        return tuple(read_question(row) for row in rows)

    def get(self, case_key: str, question_id: str) -> Question:
        """One question; KeyError where the case has none of that id."""
        rows = self._db.rows(f"SELECT {_FIELDS} FROM questions WHERE case_key = ? AND id = ?", [case_key, question_id])
        if not rows:
            raise KeyError(f"{case_key} has no question {question_id!r}")
        return read_question(rows[0])


def _gold_items(text: str) -> int:
    gold = load_gold(text)
    return len(gold.turns or gold.notes or gold.sessions or gold.substrings)


def add_questions(cursor: duckdb.DuckDBPyConnection, case: Case, first: int = 0) -> None:
    """Write the questions of a case, from the one at place ``first`` on, inside the caller's transaction."""
    rows = [
        (case.key, place, q.id, q.text, q.answer, q.type, dump_gold(q.gold), q.time, q.time_text, q.remarks)
        for place, q in enumerate(case.questions)
    ]
    insert(cursor, "questions", _COLUMNS, rows[first:])
