"""Taking single values over from a file: what is mended, what is set aside, and the findings that say so."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from workbench.datasets.json_records import Broken, Record
from workbench.datasets.times import parse_time
from workbench.errors import BadInput, WorkbenchError
from workbench.records import Case, Finding, Level, Loaded, Role

MAX_STRING_CHARS = 16 << 20
"""The longest single text that is taken over."""

_LAYOUT = re.compile("[\v\f]")  # vertical tab and form feed: line ends of word processors
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_ESCAPED_BYTES = re.compile("[\udc80-\udcff]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SUSPECT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "chatgpt": "assistant",
    "gpt": "assistant",
    "model": "assistant",
}


class BadRecord(WorkbenchError):
    """A record can't be taken over at all. ``where`` is the place inside it."""

    def __init__(self, reason: str, where: str = "") -> None:
        super().__init__(reason)
        self.where = where


def shown(value: object) -> str:
    """A value for a message: quoted, safe to print, at most about 60 characters."""
    text = value if isinstance(value, str) else type(value).__name__ if isinstance(value, (dict, list)) else repr(value)
    return ascii(text[:60]) if isinstance(value, str) else text[:60]


def place(position: str, where: str) -> str:
    """A place inside a record: ``[3]`` and ``qa[1]`` make ``[3].qa[1]``."""
    return f"{position}.{where}" if position and where else position or where


class Mender:
    """Takes values of one record over and collects what was found on the way.

    Parameters
    ----------
    file : str
        As findings name it.
    position : str
        The record's place in the file.
    """

    def __init__(self, file: str, position: str) -> None:
        self.file, self.position = file, position
        self.findings: list[Finding] = []

    def repaired(self, where: str, reason: str) -> None:
        self._found(where, "repaired", reason)

    def set_aside(self, where: str, reason: str) -> None:
        self._found(where, "quarantined", reason)

    def _found(self, where: str, level: Level, reason: str) -> None:
        self.findings.append(Finding(self.file, place(self.position, where), level, reason))

    def text(self, value: object, where: str) -> str:
        """A value as text that every later stage can store, print and encode.

        Numbers become text, a missing value becomes empty, bytes that were not UTF-8 are read as Windows-1252, lone surrogates
        and control characters become U+FFFD (vertical tab and form feed: line feeds); each is reported.

        Raises
        ------
        BadRecord
            If the value is a list or mapping, or longer than MAX_STRING_CHARS.
        """
        if not isinstance(value, str):
            if isinstance(value, (dict, list)):
                raise BadRecord(f"text expected, found {_kind(value)}", where)
            self.repaired(where, "missing text taken as empty" if value is None else f"{shown(value)} taken as text")
            return "" if value is None else json.dumps(value)
        if len(value) > MAX_STRING_CHARS:
            raise BadRecord(f"a text of {len(value):,} characters; at most {MAX_STRING_CHARS:,} are read", where)
        return self._clean(value, where) if _SUSPECT.search(value) else value

    def _clean(self, value: str, where: str) -> str:
        steps: tuple[tuple[re.Pattern[str], str, Callable[[re.Match[str]], str]], ...] = (
            (_ESCAPED_BYTES, "byte(s) that are not UTF-8 read as Windows-1252", _as_windows_1252),
            (_SURROGATE, "half surrogate pair(s) replaced by U+FFFD", lambda _: "\ufffd"),
            (_LAYOUT, "vertical tab(s) or form feed(s) replaced by line feeds", lambda _: "\n"),
            (_CONTROL, "control character(s) replaced by U+FFFD", lambda _: "\ufffd"),
        )
        for pattern, reason, replace in steps:
            value, count = pattern.subn(replace, value)
            if count:
                self.repaired(where, f"{count} {reason}")
        return value

    def identity(self, value: object, where: str) -> str:
        """A value as an id; BadRecord if it is missing or empty."""
        if value is None or value == "":
            raise BadRecord("no id", where)
        return self.text(value, where)

    def time(self, value: object, where: str) -> tuple[datetime | None, str]:
        """(time, its words); reported where words are there that give no calendar date."""
        if value is None or value == "":
            return None, ""
        time = parse_time(value)
        if time is None:
            self.repaired(where, f"no date can be read in {shown(value)}; kept as text")
        return time, self.text(value, where) if isinstance(value, str) else "" if time else shown(value)

    def role(self, value: object, where: str) -> Role | None:
        """``user`` or ``assistant``, also under other common names; None, and reported, for any other."""
        known = ROLES.get(value.strip().casefold()) if isinstance(value, str) else None
        if known is None:
            self.set_aside(where, f"role {shown(value)} is not user or assistant; the turn was left out")
        elif known != value:
            self.repaired(where, f"role {shown(value)} taken as {known}")
        return known

    def listed(self, value: object, where: str) -> list[Any]:
        """A value as a list; a missing one, reported, is empty. BadRecord if it is neither."""
        if value is None:
            self.repaired(where, "missing list taken as empty")
            return []
        if not isinstance(value, list):
            raise BadRecord(f"a list expected, found {_kind(value)}", where)
        return value

    def loaded(self, case: Case) -> Loaded:
        """The case of this one record with its findings."""
        return Loaded(case, tuple(self.findings), int(not self.findings), int(bool(self.findings)), self.position)


def _as_windows_1252(match: re.Match[str]) -> str:
    return match[0].encode("ascii", "surrogateescape").decode("cp1252", "replace")


def _kind(value: object) -> str:
    return {"dict": "an object", "list": "a list", "str": "text", "NoneType": "nothing"}.get(type(value).__name__, shown(value))


def mapping(value: object, where: str = "") -> dict[str, Any]:
    """The value if it is an object, else BadRecord."""
    if not isinstance(value, dict):
        raise BadRecord(f"an object expected, found {_kind(value)}", where)
    return value


def unique(name: str, taken: dict[str, int]) -> str:
    """``name``, or ``name (2)`` and so on where it is taken; the result is added to ``taken``.

    ``taken`` maps a name to the number at which looking for its next repetition starts: a name that comes a hundred thousand
    times must not be counted up from 2 each time.
    """
    found, number = name, taken.get(name, 2)
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    taken[name] = number
    taken.setdefault(found, 2)
    return found


def small_number(digits: str) -> int | None:
    """The whole number that digits say, of any script; None for more than 9, which no number in a file of ours has.

    Python refuses to read numbers of some thousand digits, and a store takes 32 bits.
    """
    return int(digits) if len(digits) < 10 else None


def one_case_each(
    path: Path, source: Iterator[Record | Broken], parse: Callable[[dict[str, Any], Mender], Case], what: str
) -> Iterator[Loaded | Finding]:
    """The cases of a file in which every record is one case; a record that can't be taken over is a finding.

    Raises
    ------
    BadInput
        If no record gave a case.
    """
    cases = set_aside = 0
    first = ""
    for record in source:
        if isinstance(record, Broken):
            first, set_aside = first or record.reason, set_aside + 1
            yield Finding(str(path), record.position, "quarantined", record.reason, is_record=True)
            continue
        mender = Mender(str(path), record.position)
        try:
            case = parse(mapping(record.value), mender)
        except BadRecord as error:
            first, set_aside = first or str(error), set_aside + 1
            yield Finding(str(path), place(record.position, error.where), "quarantined", str(error), is_record=True)
            continue
        cases += 1
        yield mender.loaded(case)
    if not cases:
        why = f"all {set_aside} records were set aside, the first because of: {first}" if set_aside else "it holds no record"
        raise BadInput(f"{path}: no {what} case: {why}")
