"""Runs under way: what has been worked out so far, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from workbench.records import QuestionResult, Run
from workbench.store.connection import Database
from workbench.store.runs import add_head, add_results
from workbench.store.values import bound, to_json


@dataclass(frozen=True)
class UnfinishedRow:
    """A run under way.

    ``plan`` is the digest of everything its results depend on, ``done`` the cases that are stored, ``request`` what was asked for
    as JSON (`workbench.evaluate.requests`); empty where that is not known.
    """

    run: str
    plan: str
    benchmark: str
    name: str
    started: datetime
    cases: int
    done: int
    request: str = ""


@dataclass(frozen=True)
class CasePart:
    """What one case of a run came to."""

    case: str
    results: Sequence[QuestionResult]
    excluded: Mapping[str, int]
    seconds: Mapping[str, float]
    building: Mapping[str, float]


class Unfinished:
    """The unfinished runs of a store. Their results are not shown anywhere until they are finished."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def list(self) -> list[UnfinishedRow]:
        """Unfinished runs, newest first."""
        rows = self._db.rows(
            "SELECT run, plan, benchmark, name, started, cases, (SELECT count(*) FROM unfinished_cases c WHERE c.run = u.run), "
            "request FROM unfinished u ORDER BY started DESC, run"
        )
        return [UnfinishedRow(*row) for row in rows]

    def done(self, run: str) -> set[str]:
        """Keys of the cases that are stored for a run."""
        return {case for (case,) in self._db.rows("SELECT case_key FROM unfinished_cases WHERE run = ?", [run])}

    def begin(self, row: UnfinishedRow) -> UnfinishedRow:
        """The run of this plan that was begun before, or else this one as a new one."""
        with self._db.transaction() as cursor:
            names = "run, plan, benchmark, name, started, cases, request"
            values = [row.run, row.plan, row.benchmark, row.name, row.started, row.cases, row.request]
            cursor.execute(f"INSERT OR IGNORE INTO unfinished ({names}) VALUES (?, ?, ?, ?, ?, ?, ?)", bound(values))
        return next(each for each in self.list() if each.plan == row.plan)

    def add(self, run: str, parts: Iterable[CasePart]) -> None:
        """Store finished cases of a run; one that another process stored meanwhile is left as it is.

        Raises
        ------
        KeyError
            If the run is no longer under way: another process finished or abandoned it.
        """
        with self._db.transaction() as cursor:
            if not cursor.execute("SELECT 1 FROM unfinished WHERE run = ?", [run]).fetchone():
                raise KeyError(f"run {run!r} is not under way any more: it was finished or abandoned by another process")
            for part in parts:
                if cursor.execute(
                    "SELECT 1 FROM unfinished_cases WHERE run = ? AND case_key = ?", bound([run, part.case])
                ).fetchone():
                    continue
                add_results(cursor, run, part.results)
                row = [run, part.case, to_json(part.excluded), to_json(part.seconds), to_json(part.building)]
                cursor.execute("INSERT INTO unfinished_cases VALUES (?, ?, ?, ?, ?)", bound(row))

    def totals(self, run: str) -> tuple[Counter[str], Counter[str], Counter[str]]:
        """Left-out questions by reason, seconds by method and seconds of building by method, over the stored cases."""
        totals = Counter[str](), Counter[str](), Counter[str]()
        for row in self._db.rows("SELECT excluded, seconds, building FROM unfinished_cases WHERE run = ?", [run]):
            for total, text in zip(totals, row, strict=True):
                total.update(json.loads(text))
        return totals

    def has_results(self, run: str) -> bool:
        """Whether any question of the stored cases could be judged."""
        return bool(self._db.rows("SELECT 1 FROM results WHERE run = ? LIMIT 1", [run]))

    def finish(self, run: Run, cases: Sequence[str]) -> None:
        """Make an unfinished run a stored one. ``run`` comes without results: they are there, and take the order of ``cases``."""
        with self._db.transaction() as cursor:
            add_head(cursor, run)
            cursor.execute("UPDATE runs SET plan = (SELECT plan FROM unfinished WHERE run = $1) WHERE id = $1", bound([run.id]))
            cursor.execute(
                "UPDATE results SET place = ordered.place FROM (SELECT rowid AS row, "
                "row_number() OVER (ORDER BY list_position(?, case_key), place) - 1 AS place FROM results WHERE run = ?) ordered "
                "WHERE results.rowid = ordered.row",
                bound([list(cases), run.id]),
            )
            _forget(cursor, run.id)

    def abandon(self, run: str) -> None:
        """Drop an unfinished run with what was worked out; KeyError where there is none of that id."""
        with self._db.transaction() as cursor:
            if not cursor.execute("SELECT 1 FROM unfinished WHERE run = ?", bound([run])).fetchone():
                raise KeyError(f"no unfinished run {run!r}")
            cursor.execute("DELETE FROM results WHERE run = ?", bound([run]))
            _forget(cursor, run)


def _forget(cursor: duckdb.DuckDBPyConnection, run: str) -> None:
    cursor.execute("DELETE FROM unfinished WHERE run = ?", bound([run]))
    cursor.execute("DELETE FROM unfinished_cases WHERE run = ?", bound([run]))
