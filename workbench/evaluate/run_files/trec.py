"""TREC runs and TREC qrels: columns that end at blanks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.datasets.mending import shown
from workbench.evaluate.run_files.base import Broken, Holds, Row, finite, formats, lines, too_long, whole
from workbench.words import counted


class Trec:
    """TREC run: query, Q0, id, rank, score, tag. The score gives the order, the tag names the system."""

    holds: Holds = "rankings"
    columns, numeric = 6, 4
    names = "query, Q0, id, rank, score, tag"

    def fit(self, sample: Sequence[str]) -> int:
        return sum(map(self._is_row, sample))

    def _is_row(self, line: str) -> bool:
        """Whether there are as many columns, and a number (NaN too) where it belongs."""
        parts = line.split()
        if len(parts) != self.columns:
            return False
        try:
            float(parts[self.numeric])
        except ValueError:
            return False
        return True

    def read(self, path: Path) -> Iterator[Row | Broken]:
        """Lines that start with # and are no row are comments, and passed over."""
        for number, line in lines(path):
            if line is None:
                yield too_long(number)
            elif not line.startswith("#") or self._is_row(line):
                yield self._row(number, line.split())

    def _row(self, number: int, parts: Sequence[str]) -> Row | Broken:
        if len(parts) != self.columns:
            found = counted(len(parts), "column")
            return Broken(number, "wrong columns", f"{found} instead of {self.columns} ({self.names})")
        value = finite(parts[self.numeric])
        if value is None:
            return Broken(number, "no finite number", f"{shown(parts[self.numeric])} is no finite number ({self.names})")
        return self._made(number, parts, value)

    def _made(self, number: int, parts: Sequence[str], value: float) -> Row | Broken:
        query, _, doc, rank, _, tag = parts
        place = whole(rank)
        repair = "" if place is not None else f"the rank {shown(rank)} is no whole number; the score decides"
        return Row(number, query, doc, place, value, tag, repair)


class Qrels(Trec):
    """TREC qrels: query, iteration, id, grade. A grade above 0 means relevant."""

    holds: Holds = "judgements"
    columns, numeric = 4, 3
    names = "query, iteration, id, grade"

    def _made(self, number: int, parts: Sequence[str], value: float) -> Row | Broken:
        query, _, doc, grade = parts
        if not value.is_integer():
            return Broken(number, "no finite number", f"the grade {shown(grade)} is no whole number")
        return Row(number, query, doc, score=value)


formats.register("trec")(Trec())
formats.register("qrels")(Qrels())
