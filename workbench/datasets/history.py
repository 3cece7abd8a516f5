r"""The workbench's own format: a history, and questions with what answers them, as JSON lines.

One object a line (or the elements of one JSON list), told apart by their fields; what is in brackets may be left out.

=====================================================================  =====================================================
``{"case": id, ["benchmark", "title", "unit", "participants"]}``        begins a case; what comes before the first such line is a
                                                                       case named after the file, of the benchmark ``history``
``{"session": id, "role": "user", "text": words,``                     one turn; the lines of a session need not be together;
`` ["speaker", "ref", "caption", "time", "time_text", "position"]}``    time and position are the session's: its first line tells
``{"session": id, "turns": [{"role", "text", ...}], ["time", ...]}``    a whole session
``{"note": id, "session": id, "round": n, "turns": [...],``             a note with its own tags, which are then not extracted
`` ["position", "time", "who", "what", ..., "extra", "summary"]}``
``{"question": words, ["id", "answer", "type", "time", "remarks",``     a question; what answers it as session ids, turn refs,
`` "gold": {"sessions", "turns", "notes", "substrings",``               note ids or texts that an answering note contains; grades
``          "grades"}]}``                                              map notes to 1, 2 or 3, by default 1
=====================================================================  =====================================================

``unit`` is ``round`` (default), ``exchange`` or ``passage``; a time is ISO 8601. Refs default to ``<session>:<index>`` from 0,
positions to the order of first appearance, question ids to ``q0``, ``q1`` ...; note ids are ``<session>#<round>``.

    {"case": "garden", "title": "A summer of tomatoes"}
    {"session": "may", "time": "2024-05-02T18:30", "role": "user", "text": "I sowed the tomatoes today."}
    {"session": "may", "role": "assistant", "text": "They need about a week to come up."}
    {"question": "When did I sow the tomatoes?", "answer": "2 May 2024", "gold": {"turns": ["may:0"]}}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

from workbench.datasets.base import datasets
from workbench.datasets.files import stem
from workbench.datasets.json_records import Broken, first, records
from workbench.datasets.mending import BadRecord, Mender, mapping, place, shown, unique
from workbench.datasets.texts import sessions_of
from workbench.errors import BadInput
from workbench.notes import interactions
from workbench.records import (
    CATEGORIES,
    Case,
    Extraction,
    Finding,
    Gold,
    Interaction,
    Loaded,
    Note,
    Question,
    Session,
    Turn,
    Unit,
)

_GOLD = ("sessions", "turns", "notes", "substrings")
_FOREIGN = ("haystack_sessions", "context", "paragraphs", "supporting_titles", "expected_contains", "answer_session_ids")


class History:
    """JSON lines of the workbench's own: a history, questions with their gold, and notes with their tags, if there."""

    name = "history"
    licence = "Yours: nothing is published with this format."

    def recognises(self, path: Path) -> bool:
        record = first(path) if path.is_file() else None
        value = record.value if record else None
        if not isinstance(value, dict) or any(name in value for name in _FOREIGN):
            return False
        return (
            "case" in value
            or "note" in value
            or ("session" in value and ("turns" in value or "text" in value))
            or {"question", "gold"} <= value.keys()
        )

    def read(self, path: Path) -> Iterator[Loaded | Finding]:
        current = _Builder({"case": stem(path)})
        cases = 0
        for record in records(path):
            mend = Mender(str(path), record.position)
            try:
                if isinstance(record, Broken):
                    raise BadRecord(record.reason)
                entry = mapping(record.value)
                if "case" in entry:
                    following = _Builder.of(entry, mend)
                    if current.is_case:
                        yield current.loaded()
                        cases += 1
                    else:
                        yield from current.left_out(str(path))
                    current = following
                    current.begun_at = record.position
                    current.count(mend)
                else:
                    current.take(entry, mend)
            except BadRecord as error:
                yield Finding(str(path), place(record.position, error.where), "quarantined", str(error), is_record=True)
        if current.is_case:
            yield current.loaded()
            return
        yield from current.left_out(str(path))
        if not cases:
            raise BadInput(f"{path}: no turn in it; a line is like {{'session': 'may', 'role': 'user', 'text': '...'}}")


@dataclass
class _Open:
    """A session whose lines are still being read."""

    position: int
    time: datetime | None
    time_text: str
    turns: list[Turn] = field(default_factory=list)


class _Builder:
    """The lines of one case, taken over one by one."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self.header = entry
        self.sessions: dict[str, _Open] = {}
        self.notes: dict[str, Note] = {}
        self.questions: list[tuple[Question, Mender]] = []
        self.findings: list[Finding] = []
        self.kept = self.repaired = 0
        self.begun_at: str | None = None
        """Where the line stands that began the case; None where no line did."""
        self._refs: set[str] = set()

    @classmethod
    def of(cls, entry: dict[str, Any], mend: Mender) -> _Builder:
        """From a line that begins a case; BadRecord if a value of it is of the wrong kind."""
        unit = entry.get("unit", "round")
        if unit not in get_args(Unit):
            raise BadRecord(f"unit {shown(unit)} is not one of {', '.join(get_args(Unit))}", "unit")
        names = entry.get("participants") or []
        return cls(
            {
                "case": mend.identity(entry["case"], "case"),
                "benchmark": mend.identity(entry.get("benchmark", "history"), "benchmark"),
                "title": mend.text(entry.get("title", ""), "title"),
                "unit": unit,
                "participants": tuple(mend.text(name, "participants") for name in mend.listed(names, "participants")),
            }
        )

    @property
    def is_case(self) -> bool:
        """Whether anything was said in it."""
        return bool(self.sessions or self.notes)

    def left_out(self, file: str) -> Iterator[Finding]:
        """Findings for the lines of what became no case: the one that began it, and its questions."""
        lines = [mend.position for _, mend in self.questions]
        for position in lines if self.begun_at is None else [self.begun_at, *lines]:
            reason = f"case {shown(self.header['case'])} has no turn that can be used: left out with its questions"
            yield Finding(file, position, "quarantined", reason, is_record=True)

    def count(self, mend: Mender) -> None:
        """A line was taken over."""
        self.findings += mend.findings
        self.repaired += bool(mend.findings)
        self.kept += not mend.findings

    def take(self, entry: dict[str, Any], mend: Mender) -> None:
        """Add a line; BadRecord if it says nothing that can be used."""
        if "note" in entry:
            note = _note(entry, mend)
            if note.id in self.notes:
                raise BadRecord(f"note {shown(note.id)} comes again", "note")
            self.notes[note.id] = note
        elif "question" in entry:
            self.questions.append((_question(entry, f"q{len(self.questions)}", mend), mend))
            return  # counted when its gold has been looked for
        elif "session" in entry:
            self._take_turns(entry, mend)
        else:
            raise BadRecord(
                f"a line needs a field 'session', 'question', 'note' or 'case'; it has {shown(', '.join(map(str, entry)))}"
            )
        self.count(mend)

    def _take_turns(self, entry: dict[str, Any], mend: Mender) -> None:
        name = mend.identity(entry["session"], "session")
        listed = mend.listed(entry["turns"], "turns") if "turns" in entry else [entry]
        opened = self.sessions.get(name)
        if opened is None:
            time, time_text = _time(entry, mend)
            opened = _Open(_whole(entry, "position", len(self.sessions)), time, time_text)
        turns = []
        for index, raw in enumerate(listed):
            where = f"turns[{index}]" if "turns" in entry else ""
            turn = _turn(mapping(raw, where), f"{name}:{len(opened.turns) + index}", where, mend)
            if turn.ref in self._refs:
                raise BadRecord(f"turn ref {shown(turn.ref)} comes again", where or "ref")
            turns.append(turn)
        self._refs.update(turn.ref for turn in turns)
        opened.turns += turns
        self.sessions[name] = opened

    def loaded(self) -> Loaded:
        notes = tuple(sorted(self.notes.values(), key=lambda note: note.order))
        sessions = [Session(name, tuple(one.turns), one.position, one.time, one.time_text) for name, one in self.sessions.items()]
        case = Case(
            benchmark=self.header.get("benchmark", "history"),
            id=self.header["case"],
            sessions=tuple(sessions or sessions_of(list(notes))),
            unit=self.header.get("unit", "round"),
            title=self.header.get("title", ""),
            participants=self.header.get("participants", ()),
            notes=notes,
        )
        # The questions last: looking for their gold adds to the findings and counts.
        case = replace(case, questions=self._resolved(case))
        return Loaded(case, tuple(self.findings), self.kept, self.repaired)

    def _resolved(self, case: Case) -> tuple[Question, ...]:
        """The questions with the gold that the history holds; what it does not hold is reported."""
        found = interactions(case)
        known: dict[str, set[str]] = {
            "sessions": {session.id for session in case.sessions},
            "turns": {turn.ref for one in found for turn in one.turns},
            "notes": {one.id for one in found},
        }
        questions, taken = [], dict[str, int]()
        for question, mend in self.questions:
            gold: dict[str, tuple[str, ...]] = {"substrings": question.gold.substrings}
            remarks = list(question.remarks)
            for kind, ids in known.items():
                given: tuple[str, ...] = getattr(question.gold, kind)
                gold[kind] = tuple(one for one in given if one in ids)
                for lost in (one for one in given if one not in ids):
                    remarks.append(f"{kind[:-1]} {shown(lost)} is not in the history")
                    mend.set_aside(f"gold.{kind}", remarks[-1])
            self.count(mend)
            grades = tuple((note, grade) for note, grade in question.gold.grades if note in known["notes"])
            resolved = Gold(**gold, grades=grades)
            questions.append(replace(question, id=unique(question.id, taken), gold=resolved, remarks=tuple(remarks)))
        return tuple(questions)


def _whole(entry: dict[str, Any], name: str, default: int) -> int:
    value = entry.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not -(2**31) < value < 2**31:
        raise BadRecord(f"a whole number expected, found {shown(value)}", name)
    return value


def _time(entry: dict[str, Any], mend: Mender) -> tuple[datetime | None, str]:
    """The time of a line; ``time_text``, if given, keeps its words, and so does a time without a date."""
    time, words = mend.time(entry.get("time"), "time")
    return time, mend.text(entry["time_text"], "time_text") if "time_text" in entry else "" if time else words


def _turn(entry: dict[str, Any], ref: str, where: str, mend: Mender) -> Turn:
    role = mend.role(entry.get("role"), place(where, "role"))
    if role is None:
        raise BadRecord(f"role {shown(entry.get('role'))} is not user or assistant", place(where, "role"))
    speaker, ref, caption = (
        mend.text(entry.get(name, default), place(where, name))
        for name, default in (("speaker", ""), ("ref", ref), ("caption", ""))
    )
    return Turn(role, mend.text(entry.get("text"), place(where, "text")), speaker, ref, caption)


def _note(entry: dict[str, Any], mend: Mender) -> Note:
    identity = mend.identity(entry["note"], "note")
    session, _, number = identity.rpartition("#")
    session = mend.text(entry.get("session", session or identity), "session")
    time, time_text = _time(entry, mend)
    turns = [
        _turn(mapping(raw, f"turns[{index}]"), f"{identity}:{index}", f"turns[{index}]", mend)
        for index, raw in enumerate(mend.listed(entry.get("turns"), "turns"))
    ]
    tags = {
        category: tuple(mend.text(tag, category) for tag in mend.listed(entry.get(category, []), category))
        for category in CATEGORIES
    }
    return Note(
        Interaction(
            id=identity,
            session_id=session,
            turns=tuple(turns),
            position=_whole(entry, "position", 0),
            round=_whole(entry, "round", int(number) if number.isdecimal() and len(number) < 10 else 1),
            time=time,
            time_text=time_text,
        ),
        Extraction(summary=mend.text(entry.get("summary", ""), "summary"), **tags),
    )


def _question(entry: dict[str, Any], identity: str, mend: Mender) -> Question:
    text = mend.text(entry["question"], "question")
    if not text.strip():
        raise BadRecord("no question", "question")
    time, time_text = _time(entry, mend)
    gold = mapping(entry.get("gold", {}), "gold")
    return Question(
        id=mend.identity(entry.get("id", identity), "id"),
        text=text,
        answer=None if entry.get("answer") is None else mend.text(entry["answer"], "answer"),
        type=mend.text(entry.get("type", ""), "type"),
        gold=_gold(gold, mend),
        time=time,
        time_text=time_text,
        remarks=_texts(entry.get("remarks", []), "remarks", mend),
    )


def _gold(entry: dict[str, Any], mend: Mender) -> Gold:
    given = {kind: _texts(entry.get(kind, []), f"gold.{kind}", mend) for kind in _GOLD}
    grades = mapping(entry.get("grades", {}), "gold.grades")
    for note, grade in grades.items():
        if not isinstance(grade, int) or isinstance(grade, bool) or not 1 <= grade <= 3:
            raise BadRecord(f"grade {shown(grade)} is not 1, 2 or 3", f"gold.grades.{note}")
    notes = tuple(dict.fromkeys((*given["notes"], *grades)))
    return Gold(**given | {"notes": notes}, grades=tuple(grades.items()))


def _texts(value: object, where: str, mend: Mender) -> tuple[str, ...]:
    return tuple(mend.text(one, f"{where}[{index}]") for index, one in enumerate(mend.listed(value, where)))


# --- writing --------------------------------------------------------------------------------------------------------------


def write_jsonl(cases: Case | Iterable[Case], path: Path) -> None:
    """Write cases as a file that reads back to equal cases (texts without control characters)."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for case in (cases,) if isinstance(cases, Case) else cases:
            for line in _lines(case):
                kept = {
                    name: value
                    for name, value in line.items()
                    if value not in ("", (), None) or (name == "answer" and value == "")
                }
                file.write(json.dumps(kept, ensure_ascii=False) + "\n")


def _lines(case: Case) -> Iterator[dict[str, Any]]:
    yield {
        "case": case.id,
        "benchmark": case.benchmark,
        "title": case.title,
        "unit": case.unit,
        "participants": case.participants,
    }
    for session in case.sessions:
        yield {"session": session.id, **_when(session), "position": session.position, "turns": _said(session.turns)}
    for note in case.notes:
        one = note.interaction
        entry: dict[str, Any] = {
            "note": note.id,
            "session": note.session_id,
            "round": one.round,
            **_when(one),
            "position": one.position,
        }
        tags = {category: getattr(note.extraction, category) for category in CATEGORIES}
        yield entry | {"turns": _said(one.turns), **tags, "summary": note.extraction.summary}
    for question in case.questions:
        gold: dict[str, Any] = {kind: ids for kind in _GOLD if (ids := getattr(question.gold, kind))}
        if question.gold.grades:
            gold["grades"] = dict(question.gold.grades)
        entry = {
            "question": question.text,
            "id": question.id,
            "answer": question.answer,
            "type": question.type,
            **_when(question),
        }
        yield entry | {"gold": gold, "remarks": question.remarks}


def _when(record: Session | Interaction | Question) -> dict[str, Any]:
    return {"time": record.time.isoformat() if record.time else "", "time_text": record.time_text}


def _said(turns: tuple[Turn, ...]) -> list[dict[str, str]]:
    given = ({name: getattr(turn, name) for name in ("role", "text", "speaker", "ref", "caption")} for turn in turns)
    return [{name: value for name, value in one.items() if value or name in ("role", "text", "ref")} for one in given]


datasets.register(History.name)(History())
