"""Answers of language models with what they were asked, and judgements of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime

from workbench.answer.records import Answer, AnswerSet, Judgement
from workbench.store.connection import Database
from workbench.store.values import bound, insert

_TYPES = {"note_ids": "VARCHAR[]", "attempts": "INTEGER", "tokens_in": "BIGINT", "tokens_out": "BIGINT", "seconds": "DOUBLE"}
_ANSWER = ["case_key", *(field.name for field in fields(Answer)[1:-1])]  # the last one is not kept
_JUDGEMENT = ["case_key", *(field.name for field in fields(Judgement)[1:])]


class AnswerTable:
    """The stored answers."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def put(self, answers: Iterable[Answer], now: datetime | None = None) -> None:
        """Store answers, each in the place of one to the same question by the same arm, model and version.

        Those of a case or a run that was removed meanwhile are left out.
        """
        made = now or datetime.now()
        with self._db.transaction() as cursor:
            there = {key for (key,) in cursor.execute("SELECT case_key FROM cases").fetchall()}
            runs = {key for (key,) in cursor.execute("SELECT id FROM runs").fetchall()}
            given = [each for each in answers if bound(each.case) in there and each.run in runs]
            for each in given:
                cursor.execute(
                    "DELETE FROM answers WHERE case_key = ? AND question = ? AND run = ? AND method = ? AND model = ? "
                    "AND version = ?",
                    bound([each.case, each.question, each.run, each.method, each.model, each.version]),
                )
            columns = {name: _TYPES.get(name, "VARCHAR") for name in _ANSWER} | {"created": "TIMESTAMP"}
            rows = [(*(getattr(each, field.name) for field in fields(Answer)[:-1]), made) for each in given]
            insert(cursor, "answers", columns, rows)

    def sets(self, benchmark: str | None = None) -> list[AnswerSet]:
        """What there are answers to, the newest first; of one benchmark, or all."""
        rows = self._db.rows(
            "SELECT run, model, version, list_sort(list(DISTINCT method)), count(DISTINCT (a.case_key, question)), count(*), "
            "count(*) FILTER (failure IS NOT NULL), max(a.created) FROM answers a JOIN runs u ON u.id = run "
            "WHERE u.benchmark = coalesce(?, u.benchmark) GROUP BY run, model, version "
            "ORDER BY max(a.created) DESC, run, model, version",
            [benchmark],
        )
        return [AnswerSet(run, model, version, tuple(methods), *rest) for run, model, version, methods, *rest in rows]

    def get(self, run: str, model: str, version: str, *, question: tuple[str, str] | None = None) -> list[Answer]:
        """The answers of a set, without what was asked (it is long); with it where one (case, question id) is named.

        Those of removed cases are gone. They come by case and question, arms by name.
        """
        case, asked = question or (None, None)
        names = [name if question or name not in ("system", "prompt") else "''" for name in _ANSWER]
        rows = self._db.rows(
            f"SELECT {', '.join(names)} FROM answers WHERE run = ? AND model = ? AND version = ? "
            "AND case_key = coalesce(?, case_key) AND question = coalesce(?, question) ORDER BY case_key, question, method",
            [run, model, version, case, asked],
        )
        return [Answer(*(*row[:6], tuple(row[6]), *row[7:])) for row in rows]

    def put_judgements(self, judgements: Iterable[Judgement], now: datetime | None = None) -> None:
        """Store judgements, each in the place of one of the same answer by the same model and version."""
        made = now or datetime.now()
        with self._db.transaction() as cursor:
            there = {key for (key,) in cursor.execute("SELECT case_key FROM cases").fetchall()}
            given = [each for each in judgements if bound(each.case) in there]
            for each in given:
                cursor.execute(
                    "DELETE FROM judgements WHERE case_key = ? AND question = ? AND answer = ? AND model = ? AND version = ?",
                    bound([each.case, each.question, each.answer, each.model, each.version]),
                )
            columns = dict.fromkeys(_JUDGEMENT, "VARCHAR") | {"is_right": "BOOLEAN", "created": "TIMESTAMP"}
            rows = [(*(getattr(each, field.name) for field in fields(Judgement)), made) for each in given]
            insert(cursor, "judgements", columns, rows)

    def judgements(self, run: str, model: str, version: str) -> list[Judgement]:
        """The newest judgement of each answer of a set, whoever made it, by case and question."""
        names = ", ".join(f"j.{name}" for name in _JUDGEMENT)
        rows = self._db.rows(
            f"SELECT {names} FROM judgements j WHERE (j.case_key, j.question) IN "
            "(SELECT (case_key, question) FROM answers WHERE run = ? AND model = ? AND version = ?) "
            "QUALIFY row_number() OVER (PARTITION BY j.case_key, j.question, j.answer ORDER BY j.created DESC) = 1 "
            "ORDER BY j.case_key, j.question, j.answer",
            [run, model, version],
        )
        return [Judgement(*row) for row in rows]
