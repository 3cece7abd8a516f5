"""What a format of run files is, and how a file's format is recognised by its content."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Literal, Protocol

from workbench.datasets.files import chunks
from workbench.datasets.mending import shown
from workbench.errors import BadInput
from workbench.registry import Registry

MAX_LINE_CHARS = 100_000
"""The longest line that is read (ours)."""
SAMPLE_LINES = 50
"""Lines with content by which a format is recognised (ours)."""

Holds = Literal["rankings", "judgements"]
Position = int | str
"""A line number, or a place such as ``"q1"[3]`` in a JSON file."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a run file: one id ranked for one query, or judged for it.

    ``score`` is finite; in judgements it is the grade. ``rank`` is the file's own number. One of the two may be missing.
    ``repair`` says what was mended in reading it.
    """

    position: Position
    query: str
    doc: str
    rank: int | None = None
    score: float | None = None
    arm: str = ""
    repair: str = ""


@dataclass(frozen=True, slots=True)
class Broken:
    """A row that can't be read: the kind of its fault in two or three words, and the whole reason."""

    position: Position
    kind: str
    reason: str


class RunFormat(Protocol):
    """One format. The class docstring's first line is its help text."""

    holds: Holds

    def fit(self, sample: Sequence[str]) -> int:
        """How many of the first lines with content look like rows of this format; the format with most of them is taken."""
        ...

    def read(self, path: Path) -> Iterator[Row | Broken]:
        """The rows of a file in their order, one at a time.

        Raises
        ------
        BadInput
            If the file can't be read, or is not of this format as a whole.
        """
        ...


formats: Registry[RunFormat] = Registry("run-file format", "workbench.evaluate.run_files", "workbench.run_files")


def format_of(path: Path, holds: Holds) -> str:
    """The name of a file's format, by its content.

    Raises
    ------
    BadInput
        If the file is empty, of no known format, or holds rankings where judgements are wanted, or the other way round.
    """
    sample = list(islice((line for _, line in lines(path) if line is not None), SAMPLE_LINES))
    if not sample:
        raise BadInput(f"{path}: the file holds no row")
    fits = {name: entry.fit(sample) for name, entry in formats.items()}
    found = max(fits, key=fits.__getitem__)
    if not fits[found]:
        known = "; ".join(f"{name}: {(entry.__doc__ or '').splitlines()[0]}" for name, entry in formats.items())
        raise BadInput(f"{path}: no known format; its first row is {shown(sample[0])}. Known are {known}")
    if formats[found].holds != holds:
        raise BadInput(f"{path}: the file holds {formats[found].holds} ({found}), {holds} were expected")
    return found


def lines(path: Path) -> Iterator[tuple[int, str | None]]:
    """Lines that are not blank, with their numbers from 1; None for one that is longer than MAX_LINE_CHARS."""
    held, number = "", 0
    for piece in chain(chunks(path), ["\n"]):
        *ended, rest = piece.split("\n")
        for end in ended:
            number += 1
            line, held = held + end, ""
            if len(line) > MAX_LINE_CHARS:
                yield number, None
            elif line.strip():
                yield number, line.rstrip("\r")
        held = (held + rest)[: MAX_LINE_CHARS + 1]  # enough to know that it is too long


def too_long(number: int) -> Broken:
    """A line that is not read."""
    return Broken(number, "too long", f"the line has more than {MAX_LINE_CHARS:,} characters")


def finite(text: str) -> float | None:
    """The number that a text says; None where it says none, or NaN, or one without end.

    Examples
    --------
    >>> finite("-1.5e3"), finite("nan"), finite("1_000"), finite("")
    (-1500.0, None, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def whole(text: str) -> int | None:
    """The whole number that a text says, also as ``3.0``; None where it says none.

    Examples
    --------
    >>> whole("3"), whole("3.0"), whole("3.5"), whole("first")
    (3, 3, None, None)
    """
    if len(text) < 16 and text.isdecimal():
        return int(text)
    value = finite(text)
    return int(value) if value is not None and value.is_integer() else None
