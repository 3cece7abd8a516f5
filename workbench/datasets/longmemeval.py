"""LongMemEval (Wu et al., ICLR 2025): one question a case, over a haystack of dated user-assistant sessions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from workbench.datasets.base import datasets
from workbench.datasets.files import stem
from workbench.datasets.json_records import first, records
from workbench.datasets.mending import BadRecord, Mender, mapping, one_case_each, shown, unique
from workbench.errors import BadInput
from workbench.records import Case, Finding, Gold, Loaded, Question, Session, Turn

MANY_SESSIONS = 200
"""From this many sessions a haystack is one of LongMemEval-M (about 500 sessions); S has 38 to 62."""
SESSION_TWICE = "session listed twice"
"""Start of the remark on a question whose history lists a session id twice: 13 of the 500, which some evaluations leave out."""
_NAMED = re.compile(r"(?<![a-z])(oracle|demo|s|m)(?![a-z])")


def is_abstention(question: Question) -> bool:
    """Whether a question has no answer in its history, which LongMemEval says in the id alone."""
    return question.id.endswith("_abs")


class LongMemEval:
    """LongMemEval S, M or oracle: a JSON list (also .gz or JSON lines) of questions with their haystack sessions."""

    name = "longmemeval"
    licence = "MIT (Wu et al.): may be passed on with its notice. Filler sessions come from ShareGPT and UltraChat."

    def recognises(self, path: Path) -> bool:
        record = first(path) if path.is_file() else None
        return record is not None and isinstance(record.value, dict) and "haystack_sessions" in record.value

    def read(self, path: Path) -> Iterator[Loaded | Finding]:
        return one_case_each(path, records(path), partial(_case, benchmark_of(path)), "LongMemEval")


def benchmark_of(path: Path) -> str:
    """``longmemeval_s``, ``_m`` or ``_oracle``, one for the whole file.

    The file's name decides if it says so (``longmemeval_s_cleaned.json``). Else the first record that can be read does: the
    oracle's haystack holds nothing but answer sessions, M's has MANY_SESSIONS sessions or more, any other is S.
    """
    named = _NAMED.search(stem(path).casefold().removeprefix("longmemeval"))
    if named:
        return f"longmemeval_{named[1]}"
    record = first(path)
    value = record.value if record and isinstance(record.value, dict) else {}
    answers, haystack = value.get("answer_session_ids"), value.get("haystack_session_ids")
    if not isinstance(haystack, list):
        raise BadInput(f"{path}: not LongMemEval: its first record has no list haystack_session_ids")
    if isinstance(answers, list) and answers and {*map(str, haystack)} <= {*map(str, answers)}:
        return "longmemeval_oracle"
    return "longmemeval_m" if len(haystack) >= MANY_SESSIONS else "longmemeval_s"


def _case(benchmark: str, record: dict[str, Any], mend: Mender) -> Case:
    identity = mend.identity(record.get("question_id"), "question_id")
    text = mend.text(record.get("question"), "question")
    if not text.strip():
        raise BadRecord("no question", "question")
    sessions, evidence = _sessions(record, mend)
    if not sessions:
        raise BadRecord("no session in its haystack", "haystack_sessions")
    time, time_text = mend.time(record.get("question_date"), "question_date")
    gold_sessions, remarks = _gold_sessions(record, sessions, evidence, mend)
    repeated = [one for one, count in Counter(map(str, record["haystack_session_ids"])).items() if count > 1]
    if repeated:
        remarks.append(f"{SESSION_TWICE}: {', '.join(repeated)}")
    later = sum(session.time > time for session in sessions if session.time) if time else 0
    if later:
        remarks.append(f"{later} sessions are dated after the question")
    question = Question(
        id=identity,
        text=text,
        answer=_answer(record.get("answer"), mend),
        type=mend.text(record.get("question_type"), "question_type"),
        gold=Gold(sessions=gold_sessions, turns=tuple(ref for refs in evidence.values() for ref in refs)),
        time=time,
        time_text=time_text,
        remarks=tuple(remarks),
    )
    return Case(benchmark, identity, sessions, (question,), title=text)


def _answer(value: object, mend: Mender) -> str | None:
    if value is None:
        return None
    if isinstance(value, (dict, list)):
        mend.set_aside("answer", f"text expected, found {shown(value)}; the question has no expected answer")
        return None
    return mend.text(value, "answer")


def _sessions(record: dict[str, Any], mend: Mender) -> tuple[tuple[Session, ...], dict[str, list[str]]]:
    """The haystack, and for every session with marked evidence the refs of its marked turns.

    A session whose id comes again with the same turns is counted once, where it came first; with other turns, it is kept under
    a new id. Refs are ``<session>:<index>``, index from 0 in the file's list.
    """
    listed = mend.listed(record.get("haystack_sessions"), "haystack_sessions")
    ids = mend.listed(record.get("haystack_session_ids"), "haystack_session_ids")
    dates = mend.listed(record.get("haystack_dates"), "haystack_dates")
    if len(ids) != len(listed):
        raise BadRecord(f"{len(ids)} session ids for {len(listed)} sessions: which is whose is not known", "haystack_session_ids")
    if len(dates) != len(listed):
        mend.repaired("haystack_dates", f"{len(dates)} dates for {len(listed)} sessions: none is used")
        dates = [None] * len(listed)
    sessions: list[Session] = []
    evidence: dict[str, list[str]] = {}
    first_of: dict[str, object] = {}
    taken: dict[str, int] = {}
    for position, (raw_id, raw_turns, date) in enumerate(zip(ids, listed, dates, strict=True)):
        where = f"haystack_sessions[{position}]"
        try:
            identity = mend.identity(raw_id, f"haystack_session_ids[{position}]")
            if identity in first_of and first_of[identity] == raw_turns:
                mend.repaired(
                    where, f"session {shown(identity)} comes again with the same turns: counted once, where it came first"
                )
                continue
            first_of.setdefault(identity, raw_turns)
            new = unique(identity, taken)
            if new != identity:
                mend.repaired(where, f"session {shown(identity)} comes again with other turns: kept as {shown(new)}")
            turns, refs = _turns(new, mend.listed(raw_turns, where), where, mend)
            time, time_text = mend.time(date, f"haystack_dates[{position}]")
        except BadRecord as error:
            mend.set_aside(error.where, f"{error}; the session was left out")
            continue
        sessions.append(Session(new, turns, position, time, time_text))
        if refs:
            evidence[new] = refs
    return tuple(sessions), evidence


def _turns(session: str, listed: list[Any], where: str, mend: Mender) -> tuple[tuple[Turn, ...], list[str]]:
    turns, marked = [], []
    for index, raw in enumerate(listed):
        here = f"{where}[{index}]"
        ref = f"{session}:{index}"
        try:
            entry = mapping(raw, here)
            role = mend.role(entry.get("role"), f"{here}.role")
            text = mend.text(entry.get("content"), f"{here}.content")
        except BadRecord as error:
            mend.set_aside(error.where, f"{error}; the turn was left out")
            continue
        if role is None:
            continue
        turns.append(Turn(role, text, ref=ref))
        flag = entry.get("has_answer")
        if flag is True:
            marked.append(ref)
        elif flag not in (None, False):
            mend.set_aside(f"{here}.has_answer", f"true or false expected, found {shown(flag)}; taken as false")
    return tuple(turns), marked


def _gold_sessions(
    record: dict[str, Any], sessions: tuple[Session, ...], evidence: dict[str, list[str]], mend: Mender
) -> tuple[tuple[str, ...], list[str]]:
    """Answer sessions that are in the haystack, and remarks on those that are not or carry no mark."""
    remarks = []
    given = record.get("answer_session_ids")
    if isinstance(given, list):
        wanted = [mend.text(one, f"answer_session_ids[{i}]") for i, one in enumerate(given) if not isinstance(one, (dict, list))]
    else:
        mend.repaired("answer_session_ids", "no list of answer sessions: the sessions with a marked turn are taken")
        remarks.append("gold sessions are those with a marked turn: the record names none")
        wanted = list(evidence)
    present = {session.id for session in sessions}
    found = tuple(one for one in dict.fromkeys(wanted) if one in present)
    for one in dict.fromkeys(wanted):
        if one not in present:
            mend.set_aside("answer_session_ids", f"answer session {shown(one)} is not in the haystack")
            remarks.append(f"answer session {shown(one)} is not in the haystack")
    if not found and evidence:
        remarks.append("gold sessions are those with a marked turn: none that the record names is in the haystack")
        found = tuple(evidence)
    if found and not evidence:
        remarks.append("no turn is marked as evidence")
    return found, remarks


datasets.register(LongMemEval.name)(LongMemEval())
