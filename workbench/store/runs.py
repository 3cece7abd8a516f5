"""Runs: evaluations as they were made, with every question's rankings. They are added and removed, never changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workbench.records import QuestionResult, Run
from workbench.store.connection import Database
from workbench.store.values import bound, insert, to_json

_COLUMNS = {
    "run": "VARCHAR",
    "place": "INTEGER",
    "case_key": "VARCHAR",
    "question": "VARCHAR",
    "type": "VARCHAR",
    "method": "VARCHAR",
    "note_ids": "VARCHAR[]",
    "scores": "DOUBLE[]",
    "session_ids": "VARCHAR[]",
    "candidates": "INTEGER",
    "measures": "VARCHAR",
    "headline": "BOOLEAN",
    "remarks": "VARCHAR[]",
}
_RUN = "id, name, created, benchmark, extracted_by, config, data_digest, code_version, environment, excluded, seconds"
_RESULT = ", ".join(name for name in _COLUMNS if name not in ("run", "place"))

Cells = dict[tuple[str, str], dict[str, float | None]]
"""(case key, question id) -> {method: value}."""


@dataclass(frozen=True)
class RunRow:
    """A run as a list shows it, without its rankings. ``config`` maps a method to its configuration fields."""

    id: str
    name: str
    created: datetime
    benchmark: str
    code_version: str
    data_digest: str
    methods: list[str]
    cases: int
    questions: int
    config: Mapping[str, Mapping[str, Any]]


class Runs:
    """The runs of a store."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, run: Run) -> None:
        """Store a run with its results.

        Raises
        ------
        ValueError
            If the id is taken: runs are immutable.
        """
        with self._db.transaction() as cursor:
            if cursor.execute("SELECT 1 FROM runs WHERE id = ?", bound([run.id])).fetchone():
                raise ValueError(f"run {run.id!r} is stored already: runs are never changed, give the new one another id")
            described = [to_json(value) for value in (run.extraction, run.config)]
            made = [to_json(value) for value in (run.environment, run.excluded, run.seconds)]
            row = [run.id, run.name, run.created, run.benchmark, *described, run.data_digest, run.code_version, *made]
            cursor.execute(f"INSERT INTO runs ({_RUN}) VALUES ({', '.join('?' * len(row))})", bound(row))
            insert(cursor, "results", _COLUMNS, [_result_row(run.id, i, result) for i, result in enumerate(run.results)])

    def list(self, benchmark: str | None = None) -> list[RunRow]:
        """Runs, newest first."""
        where, values = ("WHERE benchmark = ?", [benchmark]) if benchmark is not None else ("", [])
        rows = self._db.rows(
            "SELECT id, name, created, benchmark, code_version, data_digest, list_sort(coalesce(methods, [])), "
            "coalesce(cases, 0), coalesce(questions, 0), config FROM runs LEFT JOIN "
            "(SELECT run, list(DISTINCT method) AS methods, count(DISTINCT case_key) AS cases, "
            "count(DISTINCT (case_key, question)) AS questions FROM results GROUP BY run) "
            f"ON run = id {where} ORDER BY created DESC, id",
            values,
        )
        return [RunRow(*(*row[:-1], json.loads(row[-1]))) for row in rows]

    def get(self, run_id: str) -> Run:
        """A whole run; KeyError lists those there are."""
        rows = self._db.rows(f"SELECT {_RUN} FROM runs WHERE id = ?", [run_id])
        if not rows:
            known = ", ".join(row.id for row in self.list()[:10])
            raise KeyError(f"no run {run_id!r}; newest first, the store has: {known or 'none'}")
        (id_, name, created, benchmark, extraction, config, digest, version, *made) = rows[0]
        results = self._db.rows(f"SELECT {_RESULT} FROM results WHERE run = ? ORDER BY place", [run_id])
        environment, excluded, seconds = (json.loads(text) for text in made)
        return Run(
            id_,
            created,
            benchmark,
            json.loads(extraction),
            json.loads(config),
            digest,
            version,
            environment,
            excluded,
            seconds,
            tuple(_result(row) for row in results),
            name,
        )

    def remove(self, run_id: str) -> None:
        """Remove a run; KeyError where there is none of that id."""
        with self._db.transaction() as cursor:
            if not cursor.execute("DELETE FROM runs WHERE id = ? RETURNING id", bound([run_id])).fetchall():
                raise KeyError(f"no run {run_id!r}")
            cursor.execute("DELETE FROM results WHERE run = ?", bound([run_id]))

    def cells(self, measure: str, *, benchmark: str | None = None, case_key: str | None = None, run: str | None = None) -> Cells:
        """One measure of every question and method: of one run, or from the newest run that has the question's case.

        A value is None where the run could not give it; a method is missing where the run did not have it. Values of different
        runs are never mixed within a case.
        """
        terms, values = ["true"], []
        for column, wanted in (("u.benchmark", benchmark), ("r.case_key", case_key), ("u.id", run)):
            if wanted is not None:
                terms.append(f"{column} = ?")
                values.append(wanted)
        rows = self._db.rows(
            "WITH newest AS (SELECT r.case_key, arg_max(u.id, (u.created, u.id)) AS run "
            "FROM results r JOIN runs u ON u.id = r.run "
            f"WHERE {' AND '.join(terms)} GROUP BY r.case_key) "
            "SELECT case_key, question, method, measures FROM results JOIN newest USING (case_key, run) ORDER BY place",
            values,
        )
        cells: Cells = {}
        for case, question, method, measures in rows:
            cells.setdefault((case, question), {})[method] = json.loads(measures).get(measure)
        return cells


def _result_row(run_id: str, place: int, result: QuestionResult) -> tuple[Any, ...]:
    ranked = (result.note_ids, result.scores, result.session_ids, result.candidates)
    asked = (result.case, result.question, result.type, result.method)
    return (run_id, place, *asked, *ranked, to_json(dict(result.measures)), result.headline, result.remarks)


def _result(row: tuple[Any, ...]) -> QuestionResult:
    case, question, type_, method, notes, scores, sessions, candidates, measures, headline, remarks = row
    ranked = (tuple(notes), tuple(scores), tuple(sessions))
    return QuestionResult(case, question, type_, method, *ranked, candidates, json.loads(measures), headline, tuple(remarks))
