"""ATANT stories (Kenotic Labs, arXiv 2604.06710): a user tells a story in batches; questions name what an answer contains.

A story is an object with ``story_id``, ``batches`` (in answer files: ``facts``) and ``questions``; a file holds one, a list, or
an object with the list ``stories``, in YAML or JSON. Both published spellings of the write-path expectations
(``expected_stores``, ``expected_memory_stores``) are accepted; retrieval does not use them. A story without questions takes
those of its ``story_id`` in an ``expected_answers.json`` in the same folder or one of the two above it.
``benchmark`` may name another benchmark than ``atant`` that the story belongs to (ours), so that stories of one's own are
reported apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from workbench.datasets.base import datasets
from workbench.datasets.files import suffix
from workbench.datasets.json_records import Broken, Record, first, records
from workbench.datasets.mending import BadRecord, Mender, mapping, one_case_each, shown, unique
from workbench.datasets.times import parse_time
from workbench.datasets.yaml_records import YAML, yaml_records
from workbench.errors import BadInput
from workbench.records import Case, Finding, Gold, Loaded, Question, Session, Turn

ANSWERS = "expected_answers.json"
_REPLIES = ("assistant_response", "assistant_reply", "assistant", "response", "reply")
_NOTHING: tuple[object, ...] = (None, "", "~", "null")  # YAML's empty scalars, which are read as text


class Atant:
    """ATANT stories in YAML or JSON: one story a file, a list, or a folder of them; a note is one batch."""

    name = "atant"
    licence = "The published corpus: all rights reserved, for evaluation only. Stories of one's own in its shape are free."

    def recognises(self, path: Path) -> bool:
        if not path.is_file():
            return False
        try:
            record = next(iter(yaml_records(path)[0]), None) if suffix(path) in YAML else first(path)
        except BadInput:
            return False
        return record is not None and any(_is_story(value) for _, value in _stories(record))

    def read(self, path: Path) -> Iterator[Loaded | Finding]:
        if suffix(path) in YAML:
            source, findings = yaml_records(path)
            yield from findings
            found: Iterator[Record | Broken] = iter(source)
        else:
            found = records(path)
        told = _told_beside(path) if path.name == ANSWERS else set()
        stories = (story for record in found for story in _split(record, told))
        yield from one_case_each(path, stories, partial(_case, path), "ATANT")


def _is_story(value: object) -> bool:
    return (
        isinstance(value, dict)
        and "story_id" in value
        and any(isinstance(value.get(name), list) for name in ("batches", "facts"))
    )


def _named(story: dict[str, Any]) -> str:
    """A story's id; empty where it is no single value. A list in YAML may hold itself a million times over."""
    given = story.get("story_id")
    return str(given) if isinstance(given, (str, int)) else ""


def _stories(record: Record) -> list[tuple[str, object]]:
    """(place, story) of a top-level record: itself, or what its list ``stories`` holds."""
    value = record.value
    if isinstance(value, dict) and isinstance(value.get("stories"), list):
        dot = "." if record.position else ""
        return [(f"{record.position}{dot}stories[{index}]", story) for index, story in enumerate(value["stories"])]
    return [(record.position, value)]


def _split(record: Record | Broken, told: set[str]) -> list[Record | Broken]:
    if isinstance(record, Broken):
        return [record]
    return [
        Record(position, story) for position, story in _stories(record) if not (isinstance(story, dict) and _named(story) in told)
    ]


def _told_beside(answers: Path) -> set[str]:
    """Ids of the stories in YAML files beside an answers file: they are cases by themselves and take their questions from it."""
    files = [path for path in sorted(answers.parent.rglob("*")) if suffix(path) in YAML and path.is_file()]
    ids = set()
    for path in files:
        try:
            found, _ = yaml_records(path)
        except BadInput:
            continue  # reported where that file itself is read
        ids |= {_named(story) for record in found for _, story in _stories(record) if _is_story(story)}  # type: ignore[arg-type]
    return ids


def _questions_elsewhere(path: Path, identity: str) -> tuple[list[Any], str]:
    """The questions of a story in the nearest expected_answers.json, and where they stand."""
    for folder in list(path.absolute().parents)[:3]:
        answers = folder / ANSWERS
        if answers.is_file() and answers != path.absolute():
            for record in records(answers):
                for position, story in _stories(record) if isinstance(record, Record) else []:
                    if isinstance(story, dict) and _named(story) == identity and isinstance(story.get("questions"), list):
                        return story["questions"], f"{ANSWERS}:{position}.questions"
            break
    return [], ""


def _case(path: Path, record: dict[str, Any], mend: Mender) -> Case:
    identity = (
        str(record["story_id"]) if isinstance(record.get("story_id"), int) else mend.identity(record.get("story_id"), "story_id")
    )
    name = "batches" if "batches" in record else "facts"
    if name not in record:
        raise BadRecord("a story needs its batches (or facts)", "batches")
    sessions = _sessions(mend.listed(record[name], name), name, mend)
    if not sessions:
        raise BadRecord("no batch with a user_input", name)
    listed, place = record.get("questions"), "questions"
    if listed in _NOTHING or listed == []:
        try:
            listed, place = _questions_elsewhere(path, identity)
        except BadInput as error:
            mend.set_aside("questions", f"none here, and those elsewhere can't be read: {error}")
            listed = []
    category = mend.text(record.get("category", ""), "category")
    return Case(
        benchmark=mend.text(record.get("benchmark") or "atant", "benchmark").replace("/", "_"),
        id=identity,
        sessions=sessions,
        questions=_questions(mend.listed(listed, place), place, category, mend),
        title=mend.text(record.get("story_name", ""), "story_name"),
    )


def _sessions(batches: list[Any], name: str, mend: Mender) -> tuple[Session, ...]:
    """One session a batch, in the order of the file. "Monday 9:00 AM" stays words: no date is invented for it."""
    sessions = []
    taken: dict[str, int] = {}
    for index, raw in enumerate(batches):
        where = f"{name}[{index}]"
        try:
            entry = mapping(raw, where)
            ref = unique(_number(entry.get("batch"), index, f"{where}.batch", mend), taken)
            turns = [Turn("user", mend.text(entry.get("user_input"), f"{where}.user_input").strip(), ref=ref)]
            reply = next((key for key in _REPLIES if entry.get(key) not in _NOTHING), None)
            if reply:
                turns.append(Turn("assistant", mend.text(entry[reply], f"{where}.{reply}").strip(), ref=f"{ref}:reply"))
            time_text = mend.text(entry.get("time", ""), f"{where}.time")
        except BadRecord as error:
            mend.set_aside(error.where, f"{error}; the batch was left out")
            continue
        if not any(turn.text for turn in turns):
            mend.set_aside(where, "the batch says nothing; left out")
            continue
        sessions.append(Session(f"batch_{ref}", tuple(turns), index, parse_time(time_text), time_text))
    return tuple(sessions)


def _number(given: object, index: int, where: str, mend: Mender) -> str:
    """A batch's number, or its place from 1 where it has none."""
    if isinstance(given, int):
        return str(given)
    if isinstance(given, str) and given:
        return mend.text(given, where)
    if given is not None and given != "":
        mend.repaired(where, f"{shown(given)} is no batch number; {index + 1} taken from its place")
    return str(index + 1)


def _questions(listed: list[Any], place: str, category: str, mend: Mender) -> tuple[Question, ...]:
    questions = []
    taken: dict[str, int] = {}
    for index, raw in enumerate(listed):
        where = f"{place}[{index}]"
        try:
            entry = mapping(raw, where)
            text = mend.text(entry.get("question"), f"{where}.question").strip()
            if not text:
                raise BadRecord("no question", f"{where}.question")
            given = entry.get("question_id")
            identity = unique(mend.text(f"q{index + 1}" if given in _NOTHING else given, f"{where}.question_id"), taken)
            substrings = _substrings(entry.get("expected_contains"), f"{where}.expected_contains", mend)
        except BadRecord as error:
            mend.set_aside(error.where, f"{error}; the question was left out")
            continue
        remarks = () if substrings else ("no expected text is given",)
        questions.append(Question(identity, text, type=category, gold=Gold(substrings=substrings), remarks=remarks))
    return tuple(questions)


def _substrings(value: object, where: str, mend: Mender) -> tuple[str, ...]:
    entries = [] if value in _NOTHING else value if isinstance(value, list) else [value]
    texts = [mend.text(entry, f"{where}[{index}]").strip() for index, entry in enumerate(entries)]
    if not all(texts):
        mend.set_aside(where, f"an empty text is in every note and proves nothing; left out of {shown(str(entries))}")
    return tuple(dict.fromkeys(text for text in texts if text))


datasets.register(Atant.name)(Atant())
