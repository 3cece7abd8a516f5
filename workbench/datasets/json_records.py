"""JSON as a stream of top-level records, each parsed by itself, so that a broken one costs only itself.

A general streaming parser ends at the first fault: one ``NaN``, number of thirty digits, raw control character or lone
surrogate in a 280 MB file would lose every case after it. Here only strings and brackets are followed to find where a record
ends; each record then goes through the standard library's parser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from workbench.datasets.files import chunks, suffix
from workbench.errors import BadInput, WorkbenchError

MAX_RECORD_CHARS = 32 << 20
"""The largest top-level record that is read (ours); a LongMemEval-M case has about 6 million characters.

Parsed, a record of nothing but brackets takes some twenty times its characters.
"""
MAX_DEPTH = 100
"""The deepest nesting of lists and objects that is read; no benchmark has more than 8."""
JSON_LINES = (".jsonl", ".ndjson")

_OUTSIDE = re.compile(r'["\[\]{},]')
_INSIDE = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Record:
    """A top-level record. ``position`` is ``[3]`` in a list, ``line 4`` in JSON lines, empty where the file is one record."""

    position: str
    value: Any


@dataclass(frozen=True, slots=True)
class Broken:
    """A top-level record that can't be parsed, and why."""

    position: str
    reason: str


def records(path: Path) -> Iterator[Record | Broken]:
    """The top-level records of a JSON file: of a list its elements, of JSON lines the lines, else the whole.

    Raises
    ------
    BadInput
        If the file is empty or not JSON, or where it is cut off or damaged: the records before that have been yielded.
    """
    pieces = chunks(path)
    start = _first_text(pieces)
    if not start:
        raise BadInput(f"{path}: the file is empty")
    if start[0] not in "[{":
        raise BadInput(f"{path}: not JSON: it starts with {start[:40]!r}")
    if suffix(path) in JSON_LINES or (start[0] == "{" and _is_one_line(start)):
        yield from _lines(start, pieces)
    elif start[0] == "[":
        yield from _elements(path, start[1:], pieces)
    else:
        yield from _whole(path, start, pieces)


def members(path: Path) -> Iterator[str | None]:
    """The texts of the members of a JSON object, ``"key": value`` each, one at a time; None for one that is too long to hold.

    Raises
    ------
    BadInput
        If the file is not one object, or where it is cut off or damaged: the members before that have been yielded.
    """
    pieces = chunks(path)
    start = next((piece.lstrip() for piece in pieces if piece.strip()), "")
    if start[:1] != "{":
        raise BadInput(f"{path}: not a JSON object: it starts with {start[:40]!r}")
    count = 0
    try:
        for count, text in enumerate(_cut([start[1:]], pieces), 1):  # noqa: B007
            yield text
    except _Damage as damage:
        raise BadInput(f"{path}: cut off or damaged ({damage}) after {count} whole members of the object") from None


def first(path: Path) -> Record | None:
    """The first record that can be parsed; None if the file is not JSON or holds none.

    It is kept until another file is asked for, or `forget_first`: one format after the other looks at it to recognise a file.
    """
    try:
        now = path.stat()
    except OSError:
        return None
    return _first(path, now.st_size, now.st_mtime_ns)


def forget_first() -> None:
    """Let go of the record that `first` keeps."""
    _first.cache_clear()


@lru_cache(maxsize=1)
def _first(path: Path, size: int, changed_ns: int) -> Record | None:
    try:
        return next((record for record in records(path) if isinstance(record, Record)), None)
    except BadInput:
        return None


def _first_text(pieces: Iterator[str]) -> str:
    """The text from the first character that is not blank on, at least one chunk of it and, of an object, its first line."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece if held else piece.lstrip())
        size += len(held[-1])
        if not held[-1]:
            held.pop()
        elif held[0][0] != "{" or "\n" in held[-1] or size > MAX_RECORD_CHARS:
            break
    return "".join(held)


def _is_one_line(start: str) -> bool:
    """Whether the first line is a whole JSON object and another line follows: JSON lines under another name."""
    line, _, rest = start.partition("\n")
    return rest.lstrip()[:1] == "{" and isinstance(_parse("", line), Record)


def _parse(position: str, text: str) -> Record | Broken:
    try:
        # strict=False: raw control characters inside strings, which are mended and reported where the text is taken over.
        value = json.loads(text, strict=False)
    except RecursionError:
        return Broken(position, f"nested deeper than {MAX_DEPTH} levels")
    except ValueError as error:
        return Broken(position, f"not JSON: {error}")
    if _is_deep(value):
        return Broken(position, f"nested deeper than {MAX_DEPTH} levels")
    return Record(position, value)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True


def _lines(start: str, pieces: Iterator[str]) -> Iterator[Record | Broken]:
    for number, line in enumerate(_text_lines([start], pieces), start=1):
        if line is None:
            yield Broken(f"line {number}", f"longer than {MAX_RECORD_CHARS:,} characters")
        elif line.strip():
            yield _parse(f"line {number}", line)


def _text_lines(*sources: Iterable[str]) -> Iterator[str | None]:
    """The lines of a text that comes in pieces, split at line feeds only; None for one that is too long to hold."""
    held: list[str] = []
    size = 0
    for source in sources:
        for piece in source:
            *ended, rest = piece.split("\n")
            for end in ended:
                yield None if size + len(end) > MAX_RECORD_CHARS else "".join(held) + end
                held, size = [], 0
            size += len(rest)
            if size <= MAX_RECORD_CHARS:
                held.append(rest)
            else:
                held = []
    if size:
        yield None if size > MAX_RECORD_CHARS else "".join(held)


def _whole(path: Path, start: str, pieces: Iterator[str]) -> Iterator[Record | Broken]:
    held, size = [start], len(start)
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > MAX_RECORD_CHARS:
            raise BadInput(f"{path}: one JSON value of more than {MAX_RECORD_CHARS:,} characters; give a list or JSON lines")
    record = _parse("", "".join(held))
    if isinstance(record, Broken):
        raise BadInput(f"{path}: cut off or damaged: {record.reason}")
    yield record


def _elements(path: Path, start: str, pieces: Iterator[str]) -> Iterator[Record | Broken]:
    index = -1
    try:
        for index, text in enumerate(_cut([start], pieces)):
            if text is None:
                yield Broken(f"[{index}]", f"longer than {MAX_RECORD_CHARS:,} characters")
            else:
                yield _parse(f"[{index}]", text)
    except _Damage as damage:
        raise BadInput(f"{path}: {damage} after {index + 1} whole records; those were read") from None


class _Damage(WorkbenchError):
    """The text of a list ended, or went on, where it must not."""


def _cut(*sources: Iterable[str]) -> Iterator[str | None]:
    """The texts between the commas of a list whose opening bracket has been read; None for one that is too long to hold.

    Kinds of brackets are not told apart: a wrong one is found when the element is parsed.
    """
    pieces = (piece for source in sources for piece in source if piece)
    held: list[str] = []
    size = depth = 0
    in_string = escaped = False

    def ended(rest: str) -> str | None:
        nonlocal held, size
        text = "".join(held) + rest if size + len(rest) <= MAX_RECORD_CHARS else None
        held, size = [], 0
        return text

    for piece in pieces:
        start, at = 0, int(escaped)
        escaped = False
        while at < len(piece):
            if in_string:
                at = _INSIDE.match(piece, at).end()  # type: ignore[union-attr]
                escaped = at < len(piece) and piece[at] == "\\"  # its partner comes with the next piece
                in_string = escaped or at == len(piece)
                at += 1
                continue
            mark = _OUTSIDE.search(piece, at)
            if mark is None:
                break
            at = mark.end()
            if mark[0] == '"':
                in_string = True
            elif mark[0] in "[{":
                depth += 1
            elif mark[0] == "," and depth == 0:
                yield ended(piece[start : mark.start()])
                start = at
            elif mark[0] in "]}" and depth == 0:
                last = ended(piece[start : mark.start()])
                if last is None or last.strip():
                    yield last
                if piece[at:].strip() or any(rest.strip() for rest in pieces):
                    raise _Damage("there is more text after the end of the list")
                return
            elif mark[0] in "]}":
                depth -= 1
        size += len(piece) - start
        if size <= MAX_RECORD_CHARS:
            held.append(piece[start:])
        else:
            held = []
    raise _Damage("cut off: the list is not closed")
