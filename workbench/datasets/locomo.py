"""LoCoMo (Maharana et al., ACL 2024): long conversations of two people, with about 200 questions each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.datasets.base import datasets
from workbench.datasets.json_records import first, records
from workbench.datasets.mending import BadRecord, Mender, mapping, one_case_each, shown, small_number, unique
from workbench.records import Case, Finding, Gold, Loaded, Question, Session, Turn

CATEGORY_NAMES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""By the numbers in the data, which are not in the order of the paper's text."""
ADVERSARIAL = "5 adversarial"

_SESSION = re.compile(r"session_(\d+)")
_DATE = re.compile(r"session_(\d+)_date_time")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


class LoCoMo:
    """LoCoMo: one conversation (``conversation`` and ``qa``) or a JSON list of them; a note is one exchange."""

    name = "locomo"
    licence = "CC BY-NC 4.0 (Maharana et al.): only non-commercially, with attribution."

    def recognises(self, path: Path) -> bool:
        record = first(path) if path.is_file() else None
        value = record.value if record else None
        return isinstance(value, dict) and isinstance(value.get("conversation"), dict) and "speaker_a" in value["conversation"]

    def read(self, path: Path) -> Iterator[Loaded | Finding]:
        return one_case_each(path, records(path), _case, "LoCoMo")


def _case(record: dict[str, Any], mend: Mender) -> Case:
    identity = mend.identity(record.get("sample_id"), "sample_id")
    talk = mapping(record.get("conversation"), "conversation")
    participants = tuple(mend.text(talk.get(name), f"conversation.{name}") for name in ("speaker_a", "speaker_b"))
    sessions = _sessions(talk, mend)
    if not sessions:
        raise BadRecord("no session", "conversation")
    refs = {turn.ref for session in sessions for turn in session.turns}
    questions = []
    for index, raw in enumerate(mend.listed(record.get("qa"), "qa")):
        try:
            questions.append(_question(index, mapping(raw, f"qa[{index}]"), refs, mend))
        except BadRecord as error:
            mend.set_aside(error.where, f"{error}; the question was left out")
    return Case(
        benchmark="locomo",
        id=identity,
        sessions=sessions,
        questions=tuple(questions),
        unit="exchange",
        title=" and ".join(participants),
        participants=participants,
    )


def _sessions(talk: dict[str, Any], mend: Mender) -> tuple[Session, ...]:
    """The sessions by number. Whoever speaks first in a session has the role ``user`` in it, the other ``assistant``."""
    keys = _numbered(_SESSION, talk, mend)
    dates = _numbered(_DATE, talk, mend)
    undated = sorted(dates.keys() - keys.keys())
    if undated:
        mend.repaired(
            "conversation", f"{len(undated)} dates without a session ignored (session_{undated[0]} to session_{undated[-1]})"
        )
    sessions: list[Session] = []
    refs: dict[str, int] = {}
    for number in sorted(keys):
        identity = f"session_{number}"
        where = f"conversation.{identity}"
        try:
            turns = _turns(number, mend.listed(talk[keys[number]], where), where, refs, mend)
        except BadRecord as error:
            mend.set_aside(error.where, f"{error}; the session was left out")
            continue
        time, time_text = mend.time(talk.get(dates.get(number, "")), f"{where}_date_time")
        sessions.append(Session(identity, turns, len(sessions), time, time_text))
    return tuple(sessions)


def _numbered(pattern: re.Pattern[str], talk: dict[str, Any], mend: Mender) -> dict[int, str]:
    """Numbers to the keys that bear them; a key whose number is too large or taken (``session_01``) is set aside."""
    found: dict[int, str] = {}
    for key in talk:
        match = pattern.fullmatch(key)
        number = small_number(match[1]) if match else None
        if match and (number is None or number in found):
            mend.set_aside("conversation", f"{shown(key)} has the number of another one, or none that can be read; left out")
        elif number is not None:
            found[number] = key
    return found


def _turns(number: int, listed: list[Any], where: str, refs: dict[str, int], mend: Mender) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    for index, raw in enumerate(listed):
        here = f"{where}[{index}]"
        try:
            entry = mapping(raw, here)
            speaker = mend.text(entry.get("speaker"), f"{here}.speaker")
            text = mend.text(entry.get("text"), f"{here}.text")
            caption = mend.text(entry.get("blip_caption", ""), f"{here}.blip_caption")
        except BadRecord as error:
            mend.set_aside(error.where, f"{error}; the turn was left out")
            continue
        given = entry.get("dia_id")
        if isinstance(given, str) and given:
            ref = mend.text(given, f"{here}.dia_id")
        else:
            ref = f"D{number}:{index + 1}"
            mend.repaired(f"{here}.dia_id", f"{shown(given)} is no turn id; {ref} taken from the turn's place")
        new = unique(ref, refs)
        if new != ref:
            mend.repaired(f"{here}.dia_id", f"turn id {shown(ref)} comes again; kept as {shown(new)}")
        role = "user" if not turns or speaker == turns[0].speaker else "assistant"
        turns.append(Turn(role, text, speaker, new, caption))  # type: ignore[arg-type]
    return tuple(turns)


def _question(index: int, entry: dict[str, Any], refs: set[str], mend: Mender) -> Question:
    """A question; its id ``q<index>`` counts from 0 as the place ``qa[index]`` in the file does."""
    where = f"qa[{index}]"
    text = mend.text(entry.get("question"), f"{where}.question")
    if not text.strip():
        raise BadRecord("no question", f"{where}.question")
    kind = _category(entry.get("category"), f"{where}.category", mend)
    turns, remarks = _evidence(entry.get("evidence"), f"{where}.evidence", refs, mend)
    answer = None
    if kind != ADVERSARIAL and entry.get("answer") is not None:
        answer = mend.text(entry["answer"], f"{where}.answer")
    elif kind == ADVERSARIAL:
        # Not even where the record has an `answer` too: the right reaction is to say that there is none.
        remarks.append("adversarial: what it asks for was not said")
    return Question(
        id=f"q{index}",
        text=text,
        answer=answer,
        type=kind,
        gold=Gold(turns=turns),
        remarks=tuple(remarks),
    )


def _category(value: object, where: str, mend: Mender) -> str:
    number = small_number(value) if isinstance(value, str) and value.isdecimal() else value
    if type(number) is int and number in CATEGORY_NAMES:
        return f"{number} {CATEGORY_NAMES[number]}"
    mend.repaired(where, f"category {shown(value)} is not a number from 1 to 5; taken as unknown")
    return "unknown"


def _evidence(value: object, where: str, known: set[str], mend: Mender) -> tuple[tuple[str, ...], list[str]]:
    """The evidence turns that exist, once each in their order, and remarks on the strings that name none.

    The data has several refs in one string (``D8:6; D9:17``), a stray colon (``D:11:26``), leading zeros (``D30:05``) and
    a bare ``D``.
    """
    if value in (None, [], ""):
        return (), ["no evidence is given"]
    found: dict[str, None] = {}
    remarks: list[str] = []
    for entry in value if isinstance(value, list) else [value]:
        text = entry if isinstance(entry, str) else ""
        if text in known:
            refs = [text]
        else:
            pairs = [(small_number(session), small_number(turn)) for session, turn in _EVIDENCE.findall(text)]
            refs = [f"D{session}:{turn}" for session, turn in pairs if None not in (session, turn)]
            if any(ref in known for ref in refs):
                mend.repaired(where, f"evidence {shown(entry)} read as {', '.join(refs)}")
        for ref in refs:
            if ref in found:
                mend.repaired(where, f"evidence {ref} is given twice; counted once")
            elif ref in known:
                found[ref] = None
        lost = [ref for ref in refs if ref not in known]
        if lost or not refs:
            mend.set_aside(where, f"evidence {shown(entry)} names no turn of the conversation")
            remarks.append(f"evidence {shown(entry)} names no turn of the conversation")
    return tuple(found), remarks


datasets.register(LoCoMo.name)(LoCoMo())
