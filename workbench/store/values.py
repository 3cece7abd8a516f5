"""How records become column values and back, and the digests that tell whether content is the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from typing import Any

import duckdb

from workbench.records import Case, Gold, Note, Question, Session, Turn


def storable(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD: they have no UTF-8 form, and the store can't hold them.

    >>> storable("a" + chr(0xD800) + "b")
    'a\ufffdb'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def bound(value: Any) -> Any:
    """A value as it may be handed to a statement: text made storable, at any depth of lists."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list | tuple):
        try:
            "".join(value).encode()  # nearly always well-formed text: checked at once
        except (TypeError, UnicodeEncodeError):
            return [bound(item) for item in value]
        return list(value)
    return value


def insert(cursor: duckdb.DuckDBPyConnection, table: str, columns: dict[str, str], rows: Sequence[Sequence[Any]]) -> None:
    """Append rows to a table in one statement, at about 30 microseconds a row (executemany takes 500).

    ``columns`` maps a column's name to its type, in the order of each row's values.
    """
    if not rows:
        return
    names = ", ".join(f'"{name}"' for name in columns)
    lists = ", ".join(f"unnest(${i}::{kind}[])" for i, kind in enumerate(columns.values(), 1))
    values = [[bound(value) for value in column] for column in zip(*rows, strict=True)]
    cursor.execute(f"INSERT INTO {table} ({names}) SELECT {lists}", values)


def to_json(value: Any) -> str:
    """Canonical JSON: the same value gives the same text. Escapes keep it storable whatever the text holds."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)


def dump_turns(turns: Iterable[Turn]) -> str:
    """Turns as one JSON list of lists, trailing empty fields left out."""
    rows = []
    for turn in turns:
        row = [turn.role, turn.text, turn.speaker, turn.ref, turn.caption]
        while len(row) > 2 and not row[-1]:
            row.pop()
        rows.append([storable(value) for value in row])
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def load_turns(text: str) -> tuple[Turn, ...]:
    return tuple([Turn(*row) for row in json.loads(text)])


_GOLD = ("sessions", "turns", "notes", "substrings", "grades")


def _gold(gold: Gold) -> tuple[tuple[Any, ...], ...]:
    # Grades are left out where there are none: the digests of cases without them stay what they were.
    return (gold.sessions, gold.turns, gold.notes, gold.substrings, *([gold.grades] if gold.grades else []))


def dump_gold(gold: Gold) -> str:
    return to_json({name: value for name in _GOLD if (value := getattr(gold, name))})


def load_gold(text: str) -> Gold:
    fields = {name: tuple(value) for name, value in json.loads(text).items()}
    return Gold(**fields | {"grades": tuple((note, grade) for note, grade in fields.get("grades", ()))})


def _session(session: Session) -> tuple[Any, ...]:
    return (session.id, session.position, session.time, session.time_text, dump_turns(session.turns))


def _question(question: Question) -> tuple[Any, ...]:
    # Remarks are the loader's words about the question, not its content.
    return (question.id, question.text, question.answer, question.type, _gold(question.gold), question.time, question.time_text)


def _note(note: Note) -> tuple[Any, ...]:
    interaction = note.interaction
    place = (interaction.id, interaction.session_id, interaction.position, interaction.round, interaction.time)
    return (place, interaction.time_text, dump_turns(interaction.turns), astuple(note.extraction))


def case_digest(case: Case) -> str:
    """SHA-256 over what a case holds: unit, speakers, sessions, questions and notes that it brought; not over titles."""
    content = (
        case.unit,
        case.participants,
        [_session(session) for session in case.sessions],
        [_question(question) for question in case.questions],
        [_note(note) for note in case.notes],
    )
    return hashlib.sha256(to_json(content).encode()).hexdigest()


def config_digest(config: Any) -> str:
    """A short digest of a configuration: 16 hexadecimal digits."""
    return hashlib.sha256(to_json(config).encode()).hexdigest()[:16]
