"""Load reports: what a load read, mended and set aside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from workbench.records import Finding
from workbench.store.connection import Database
from workbench.store.values import bound, insert, to_json

_COLUMNS = {
    "load": "INTEGER",
    "place": "INTEGER",
    "case_key": "VARCHAR",
    "file": "VARCHAR",
    "position": "VARCHAR",
    "level": "VARCHAR",
    "reason": "VARCHAR",
    "is_record": "BOOLEAN",
}
_REPORT = "id, created, files, extractor, cases, questions, notes, kept, repaired, seconds, remarks"


@dataclass(frozen=True, slots=True)
class CaseFinding:
    """A finding with the key of the case it was made in; no key where a record never became a case."""

    finding: Finding
    case: str | None = None


@dataclass(frozen=True)
class LoadReport:
    """The end of a load.

    ``cases``, ``questions`` and ``notes`` count what of the input is in the store now, brought by this load or an earlier one.
    ``kept`` and ``repaired`` count records, as the readers count them (see `workbench.records.Loaded`). ``remarks`` maps
    what the extractor had to say of a text (another language, cut off) to how many of this load's notes it concerns. ``seconds``
    is wall time. ``id`` is 0 until the report is stored.
    """

    files: tuple[str, ...]
    extractor: str
    cases: int
    questions: int
    notes: int
    kept: int
    repaired: int
    findings: tuple[CaseFinding, ...]
    remarks: Mapping[str, int]
    seconds: float
    created: datetime
    id: int = 0

    @property
    def mended(self) -> tuple[Finding, ...]:
        """What was repaired."""
        return tuple(item.finding for item in self.findings if item.finding.level == "repaired")

    @property
    def quarantined(self) -> tuple[Finding, ...]:
        """What was set aside: records, parts of records, whole files, and cases whose key was taken by other content."""
        return tuple(item.finding for item in self.findings if item.finding.level == "quarantined")

    def to_json(self) -> dict[str, Any]:
        """The report as the command line prints it."""
        counts = {name: getattr(self, name) for name in ("cases", "questions", "notes", "kept", "repaired")}
        return counts | {"quarantined": [{"file": f.file, "position": f.position, "reason": f.reason} for f in self.quarantined]}


class Loads:
    """The load reports of a store."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, report: LoadReport) -> LoadReport:
        """Keep a report; it is returned with its id."""
        with self._db.transaction() as cursor:
            found = cursor.execute("SELECT coalesce(max(id), 0) + 1 FROM loads").fetchone()
            assert found is not None
            number = int(found[0])
            counts = [
                report.cases,
                report.questions,
                report.notes,
                report.kept,
                report.repaired,
                report.seconds,
                to_json(report.remarks),
            ]
            row = [number, report.created, list(report.files), report.extractor, *counts]
            cursor.execute("INSERT INTO loads VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", bound(row))
            findings = [
                (number, place, item.case, f.file, f.position, f.level, f.reason, f.is_record)
                for place, item in enumerate(report.findings)
                for f in [item.finding]
            ]
            insert(cursor, "findings", _COLUMNS, findings)
        return replace(report, id=number)

    def list(self) -> list[LoadReport]:
        """All reports, newest first. Findings of cases that were removed since are gone."""
        findings: dict[int, list[CaseFinding]] = {}
        for row in self._db.rows(
            "SELECT load, case_key, file, position, level, reason, is_record FROM findings ORDER BY load, place"
        ):
            findings.setdefault(row[0], []).append(CaseFinding(Finding(*row[2:]), row[1]))
        reports = []
        for number, created, files, extractor, *counts, seconds, remarks in self._db.rows(
            f"SELECT {_REPORT} FROM loads ORDER BY id DESC"
        ):
            cases, questions, notes, kept, repaired = counts
            found = tuple(findings.get(number, ()))
            reports.append(
                LoadReport(
                    tuple(files),
                    extractor,
                    cases,
                    questions,
                    notes,
                    kept,
                    repaired,
                    found,
                    json.loads(remarks),
                    seconds,
                    created,
                    number,
                )
            )
        return reports
