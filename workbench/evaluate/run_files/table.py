"""Tables with a header line: comma, semicolon, tab or bar between the columns."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.datasets.mending import shown
from workbench.errors import BadInput
from workbench.evaluate.run_files.base import Broken, Holds, Row, finite, formats, lines, too_long, whole
from workbench.words import counted

SEPARATORS = (",", ";", "\t", "|")
QUERY = ("query", "query_id", "qid", "q_id", "question_id", "topic", "topic_id")
DOC = ("doc", "id", "doc_id", "docid", "docno", "document", "note", "note_id", "session", "session_id")
RANK = ("rank", "position")
SCORE = ("score", "sim", "similarity")
ARM = ("method", "tag", "system", "run")


@dataclass(frozen=True)
class Columns:
    """Where a header has what we read; ``query`` is one column, or a case's and a question's. ``doc`` lists candidates:

    the first that is not empty in a row is its id (an export has a column for notes and one for sessions).
    """

    separator: str
    width: int
    query: tuple[int, ...]
    doc: tuple[int, ...]
    rank: int | None
    score: int | None
    arm: int | None


def header(line: str) -> Columns | None:
    """The columns of a header line under the separator that fits; None where a query, an id, or both rank and score lack."""
    for separator in SEPARATORS:
        found = _columns(line, separator)
        if found is not None:
            return found
    return None


def _columns(line: str, separator: str) -> Columns | None:
    names = ["_".join(name.strip().casefold().replace("-", " ").split()) for name in _fields(line, separator) or ()]

    def first(wanted: Sequence[str]) -> int | None:
        return next((names.index(name) for name in wanted if name in names), None)

    query = first(QUERY)
    asked = (names.index("case"),) if query is None and "case" in names else ()
    queries = (query,) if query is not None else (*asked, names.index("question")) if "question" in names else ()
    docs = tuple(names.index(name) for name in DOC if name in names)
    rank, score = first(RANK), first(SCORE)
    if not queries or not docs or (rank is None and score is None):
        return None
    return Columns(separator, len(names), queries, docs, rank, score, first(ARM))


def _fields(line: str, separator: str) -> list[str] | None:
    """The fields of one line; None where a quote is left open. Ids hold no line ends, so no quote may reach over one."""
    try:
        return next(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error:
        return None


class Table:
    """CSV with a header: query (or case and question), doc or id, rank or score or both, and method if there are several."""

    holds: Holds = "rankings"

    def fit(self, sample: Sequence[str]) -> int:
        content = [line for line in sample if not line.startswith("#")]
        return len(content) if content and header(content[0]) else 0

    def read(self, path: Path) -> Iterator[Row | Broken]:
        """Lines that start with # and have not the header's width are comments, and passed over."""
        columns: Columns | None = None
        for number, line in lines(path):
            if line is None:
                yield too_long(number)
                continue
            if columns is None:
                if not line.startswith("#"):
                    columns = header(line)
                    if columns is None:
                        raise BadInput(f"{path}: line {number} is no header with query, id, and rank or score: {shown(line)}")
                continue
            fields = _fields(line, columns.separator)
            if fields is None:
                yield Broken(number, "open quote", f"a quote is not closed on the line: {shown(line)}")
            elif len(fields) == columns.width:
                yield _row(number, [field.strip() for field in fields], columns)
            elif not line.startswith("#"):
                found = counted(len(fields), "field")
                yield Broken(number, "wrong columns", f"{found} instead of the header's {columns.width}")


def _row(number: int, fields: Sequence[str], columns: Columns) -> Row | Broken:
    query = "/".join(fields[at] for at in columns.query)
    doc = next((fields[at] for at in columns.doc if fields[at]), "")
    arm = "" if columns.arm is None else fields[columns.arm]
    rank = None if columns.rank is None else whole(fields[columns.rank])
    score = None if columns.score is None else finite(fields[columns.score])
    if not doc or not query:
        return Broken(number, "empty field", "the row names no query or no id")
    if columns.score is not None and score is None:
        return Broken(number, "no finite number", f"the score {shown(fields[columns.score])} is no finite number")
    if columns.score is None and rank is None:
        given = "" if columns.rank is None else fields[columns.rank]
        return Broken(number, "no finite number", f"the rank {shown(given)} is no whole number, and there is no score")
    repair = ""
    if columns.rank is not None and rank is None:
        repair = f"the rank {shown(fields[columns.rank])} is no whole number; the score decides"
    return Row(number, query, doc, rank, score, arm, repair)


formats.register("csv")(Table())
