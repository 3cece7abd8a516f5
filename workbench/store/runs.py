"""Runs: evaluations as they were made, with every question's rankings. They are added and removed, never changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from workbench.records import QuestionResult, Run, RunKind
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
_RUN = (
    "id, name, created, benchmark, extracted_by, config, data_digest, code_version, environment, excluded, seconds, kind, "
    "points, building"
)
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
    kind: RunKind
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
            add_head(cursor, run)
            add_results(cursor, run.id, run.results)

    def list(self, benchmark: str | None = None, kinds: Sequence[RunKind] = ()) -> list[RunRow]:
        """Runs, newest first; of all kinds where none is named."""
        where = "WHERE benchmark = coalesce(?, benchmark) AND (len(?::VARCHAR[]) = 0 OR list_contains(?::VARCHAR[], kind))"
        values: Sequence[Any] = (benchmark, [*kinds], [*kinds])
        rows = self._db.rows(
            "SELECT id, name, created, benchmark, code_version, data_digest, list_sort(coalesce(methods, [])), "
            "coalesce(cases, 0), coalesce(questions, 0), kind, config FROM runs LEFT JOIN "
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
        (id_, name, created, benchmark, extraction, config, digest, version, *made, kind, points, building) = rows[0]
        results = self._db.rows(f"SELECT {_RESULT} FROM results WHERE run = ? ORDER BY place", [run_id])
        environment, excluded, seconds = (json.loads(text) for text in made)
        found = tuple(_result(row) for row in results)
        by_arm = json.loads(config)
        asked = dict.fromkeys(result.method for result in found)  # JSON has them by name, a reader wants them as asked for
        return Run(
            id_,
            created,
            benchmark,
            json.loads(extraction),
            {arm: by_arm[arm] for arm in (asked | by_arm) if arm in by_arm},
            digest,
            version,
            environment,
            excluded,
            seconds,
            found,
            name,
            kind,
            json.loads(points),
            json.loads(building),
        )

    def results(self, run_id: str, *, case_key: str | None = None, method: str | None = None) -> tuple[QuestionResult, ...]:
        """The results of a run in their order; of one case or one method where they are named."""
        rows = self._db.rows(
            f"SELECT {_RESULT} FROM results WHERE run = ? AND case_key = coalesce(?, case_key) AND method = coalesce(?, method) "
            "ORDER BY place",
            [run_id, case_key, method],
        )
        return tuple(_result(row) for row in rows)

    def of_plan(self, plan: str) -> str | None:
        """Id of the newest run of a plan; None where it was never run."""
        rows = self._db.rows("SELECT id FROM runs WHERE plan = ? ORDER BY created DESC, id LIMIT 1", [plan])
        return str(rows[0][0]) if rows else None

    def rename(self, run_id: str, name: str) -> None:
        """Give a run another name, the one thing about it that may change; KeyError where there is none of that id."""
        with self._db.transaction() as cursor:
            if not cursor.execute("UPDATE runs SET name = ? WHERE id = ? RETURNING id", bound([name, run_id])).fetchall():
                raise KeyError(f"no run {run_id!r}")

    def remove(self, run_id: str) -> None:
        """Remove a run and the answers from it; KeyError where there is none of that id."""
        with self._db.transaction() as cursor:
            if not cursor.execute("DELETE FROM runs WHERE id = ? RETURNING id", bound([run_id])).fetchall():
                raise KeyError(f"no run {run_id!r}")
            for table in ("results", "answers"):
                cursor.execute(f"DELETE FROM {table} WHERE run = ?", bound([run_id]))

    def cells(self, measure: str, *, benchmark: str | None = None, case_key: str | None = None, run: str | None = None) -> Cells:
        """One measure of every question and method: of one run, or from the newest evaluation that has the question's case.

        A value is None where the run could not give it; a method is missing where the run did not have it. Values of different
        runs are never mixed within a case.
        """
        terms, values = ["u.kind = 'evaluation'" if run is None else "true"], []
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


def add_head(cursor: duckdb.DuckDBPyConnection, run: Run) -> None:
    """Store a run without its results; ValueError if its id is taken."""
    if cursor.execute("SELECT 1 FROM runs WHERE id = ?", bound([run.id])).fetchone():
        raise ValueError(f"run {run.id!r} is stored already: runs are never changed, give the new one another id")
    described = [to_json(value) for value in (run.extraction, run.config)]
    made = [to_json(value) for value in (run.environment, run.excluded, run.seconds)]
    row = [run.id, run.name, run.created, run.benchmark, *described, run.data_digest, run.code_version, *made]
    row += [run.kind, to_json(run.points), to_json(run.building)]
    cursor.execute(f"INSERT INTO runs ({_RUN}) VALUES ({', '.join('?' * len(row))})", bound(row))


def add_results(cursor: duckdb.DuckDBPyConnection, run_id: str, results: Sequence[QuestionResult]) -> None:
    """Store results under a run's id, in their order."""
    insert(cursor, "results", _COLUMNS, [_result_row(run_id, at, result) for at, result in enumerate(results)])


def _result_row(run_id: str, place: int, result: QuestionResult) -> tuple[Any, ...]:
    ranked = (result.note_ids, result.scores, result.session_ids, result.candidates)
    asked = (result.case, result.question, result.type, result.method)
    return (run_id, place, *asked, *ranked, to_json(dict(result.measures)), result.headline, result.remarks)


def _result(row: tuple[Any, ...]) -> QuestionResult:
    case, question, type_, method, notes, scores, sessions, candidates, measures, headline, remarks = row
    ranked = (tuple(notes), tuple(scores), tuple(sessions))
    return QuestionResult(case, question, type_, method, *ranked, candidates, json.loads(measures), headline, tuple(remarks))
