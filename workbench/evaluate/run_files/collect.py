"""From the rows of a run file to one ranking for every arm and question, with every row accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from workbench.datasets.mending import shown
from workbench.errors import BadInput
from workbench.evaluate.judging import Ranked
from workbench.evaluate.run_files.base import Broken, Holds, Position, Row, format_of, formats
from workbench.evaluate.run_files.names import History, QuestionKey, Questions, outside
from workbench.methods.base import comparable
from workbench.records import Finding, Level

MAX_FINDINGS = 10_000
"""Findings that are kept one by one; all are counted (ours)."""
MAX_ARMS = 50
"""Systems that one file may hold: more are a column mistaken for the tag (ours)."""
UNITS = ("auto", "note", "session")


class Entry(NamedTuple):
    """A row that counts. ``key`` puts entries in order, higher first: the score, or else the rank with a minus.

    ``at`` is the row's number among those that count, which decides where keys are equal.
    """

    key: float
    at: int
    rank: int | None
    score: float | None
    position: Position
    is_repaired: bool


@dataclass(frozen=True, slots=True)
class Placed:
    """An id at its place in a ranking. Equal keys share a ``block``, numbered from 1."""

    id: str
    key: float
    score: float | None
    block: int


@dataclass(frozen=True)
class Accounts:
    """What became of a file's rows: ``kept`` + ``repaired`` + ``quarantined`` = ``rows``.

    ``kinds`` counts quarantined rows by the kind of their fault. ``findings`` are the single ones, the first MAX_FINDINGS.
    """

    rows: int
    kept: int
    repaired: int
    kinds: Mapping[str, int]
    findings: tuple[Finding, ...]

    @property
    def quarantined(self) -> int:
        return sum(self.kinds.values())


@dataclass(frozen=True)
class Collected:
    """The rankings of a file: for each arm, each question's ids, best first."""

    format: str
    unit: Ranked
    rankings: Mapping[str, Mapping[QuestionKey, Sequence[Placed]]]
    accounts: Accounts


def collect(
    path: Path,
    holds: Holds,
    questions: Questions,
    histories: Mapping[str, History],
    *,
    judged: Container[QuestionKey] | None = None,
    unit: str = "auto",
    arm: str = "",
) -> Collected:
    """Read a file and put its rows in order.

    The higher score is the better one, as in TREC; where there are no scores, the smaller rank. Scores that are equal to 12
    significant digits are tied, and keep the file's order. Of an id that comes again for a question, the better row is kept.

    Parameters
    ----------
    path : Path
    holds : "rankings" or "judgements"
    questions : Questions
    histories : mapping
        Case key to what its history holds.
    judged : container of (case key, question id), optional
        Questions that take part in measures; rows of others are set aside. None: all.
    unit : "auto", "note" or "session"
        What the ids are.
    arm : str
        The name of rows that bring none.

    Raises
    ------
    BadInput
        If the format is not known, no row can be used, or the ids mix notes and sessions or are not of the declared unit.
    """
    found = format_of(path, holds)
    collector = _Collector(path.name, questions, histories, judged, arm)
    for row in formats[found].read(path):
        collector.add(row)
    named = collector.unit(path, unit)
    return Collected(found, named, collector.placed(named), collector.accounts())


class _Collector:
    def __init__(
        self,
        file: str,
        questions: Questions,
        histories: Mapping[str, History],
        judged: Container[QuestionKey] | None,
        arm: str,
    ) -> None:
        self._file, self._questions, self._histories, self._judged, self._arm = file, questions, histories, judged, arm
        self._entries: dict[str, dict[QuestionKey, dict[str, Entry]]] = {}
        self._rows = self._overruled = 0
        self._kinds: Counter[str] = Counter()
        self._findings: list[Finding] = []
        self._named: Counter[str] = Counter()
        self._first: dict[str, Position] = {}

    def add(self, row: Row | Broken) -> None:
        """Take a row, or set it aside with its reason."""
        self._rows += 1
        if isinstance(row, Broken):
            self._set_aside(row.position, row.kind, row.reason)
            return
        asked = self._questions.find(row.query)
        if isinstance(asked, str):
            self._set_aside(row.position, "unknown question", asked)
            return
        history, name = self._histories[asked[0]], outside(row.doc)
        kind = {(True, True): "both", (True, False): "note", (False, True): "session"}.get(
            (name in history.notes, name in history.sessions)
        )
        if kind is None:
            self._set_aside(row.position, "unknown id", f"the history of {shown(row.query)} has no {shown(row.doc)}")
        elif self._judged is not None and asked not in self._judged:
            self._set_aside(row.position, "no gold", f"{shown(row.query)} takes no part in measures: it has no gold")
        else:
            self._named[kind] += 1
            self._first.setdefault(kind, row.position)
            self._enter(asked, name, row)

    def _enter(self, asked: QuestionKey, name: str, row: Row) -> None:
        arm = _printable(row.arm or self._arm)
        if arm not in self._entries and len(self._entries) == MAX_ARMS:
            raise BadInput(f"{self._file}: more than {MAX_ARMS} systems by tag; the tag is the name of a system")
        entries = self._entries.setdefault(arm, {}).setdefault(asked, {})
        key = row.score if row.score is not None else -float(row.rank or 0)
        entry = Entry(key, self._rows, row.rank, row.score, row.position, bool(row.repair))
        before = entries.get(name)
        if before is not None:
            worse, better = (before, entry) if entry.key > before.key else (entry, before)
            entries[name] = better
            where = _where(better.position)
            self._set_aside(worse.position, "repeated id", f"{shown(row.doc)} again for {shown(row.query)}; {where} is kept")
        else:
            entries[name] = entry
        if row.repair:
            self._found(row.position, "repaired", row.repair)

    def unit(self, path: Path, declared: str) -> Ranked:
        """What the ids are; refused where they are both, or something else than was declared."""
        notes, sessions, both = (self._named[kind] for kind in ("note", "session", "both"))
        if not notes + sessions + both:
            first = f"; the first: {_where(self._findings[0].position)}, {self._findings[0].reason}" if self._findings else ""
            raise BadInput(f"{path}: no row ranks something that the benchmark holds for one of its questions{first}")
        if notes and sessions:
            raise BadInput(
                f"{path}: {notes:,} rows name notes (first: {_where(self._first['note'])}) and {sessions:,} name sessions "
                f"(first: {_where(self._first['session'])}); one file ranks one or the other"
            )
        # Ids that are both say nothing; notes are the finer unit.
        found: Ranked = "session" if sessions or (declared == "session" and not notes) else "note"
        if declared not in ("auto", found):
            raise BadInput(f"{path}: declared to rank {declared}s, but {notes + sessions:,} of its rows name {found}s")
        return found

    def placed(self, unit: Ranked) -> dict[str, dict[QuestionKey, tuple[Placed, ...]]]:
        """Every ranking in order; ranks that the scores overrule are counted and found."""
        return {
            arm: {asked: tuple(self._ranking(asked, entries, unit)) for asked, entries in by_question.items()}
            for arm, by_question in self._entries.items()
        }

    def _ranking(self, asked: QuestionKey, entries: Mapping[str, Entry], unit: Ranked) -> Iterator[Placed]:
        history = self._histories[asked[0]]
        ids = history.notes if unit == "note" else history.sessions
        keys = comparable(np.array([entry.key for entry in entries.values()]), None)
        rows = sorted(zip(keys.tolist(), entries.items(), strict=True), key=lambda row: (-row[0], row[1][1].at))
        self._count_overruled(asked, [entry for _, (_, entry) in rows])
        block, before = 0, None
        for key, (name, entry) in rows:
            block += key != before
            before = key
            yield Placed(ids[name], key, entry.score, block)

    def _count_overruled(self, asked: QuestionKey, ordered: Iterable[Entry]) -> None:
        """Rows whose rank says another place than their score; equal ranks leave the place open."""
        ranked = [entry for entry in ordered if entry.rank is not None]
        by_rank = sorted(ranked, key=lambda entry: entry.rank or 0)
        moved = [entry for entry, other in zip(ranked, by_rank, strict=True) if entry is not other]
        if moved:
            self._overruled += sum(not entry.is_repaired for entry in moved)
            first = min(moved, key=lambda entry: entry.at)
            reason = (
                f"the ranks of {len(moved)} rows of {shown(asked[1])} are not in the order of their scores; the scores decide"
            )
            self._found(first.position, "repaired", reason)

    def accounts(self) -> Accounts:
        entries = [entry for arm in self._entries.values() for ranking in arm.values() for entry in ranking.values()]
        repaired = self._overruled + sum(entry.is_repaired for entry in entries)
        return Accounts(self._rows, len(entries) - repaired, repaired, dict(self._kinds), tuple(self._findings))

    def _set_aside(self, position: Position, kind: str, reason: str) -> None:
        self._kinds[kind] += 1
        self._found(position, "quarantined", reason)

    def _found(self, position: Position, level: Level, reason: str) -> None:
        if len(self._findings) < MAX_FINDINGS:
            self._findings.append(Finding(self._file, _where(position), level, reason))


def _printable(name: str) -> str:
    """A system's name without what can't be stored or would steer a terminal."""
    return name if name.isprintable() else "".join(each if each.isprintable() else "\ufffd" for each in name)


def _where(position: Position) -> str:
    return f"line {position}" if isinstance(position, int) else position
