"""Chat histories as lists of messages, the way the OpenAI interface and most tools around it keep them.

A file is one case; its conversations are the sessions. Read are, as JSON or JSON lines: an object with ``messages`` (with ``id``,
``title`` and a time, if there), a list of such objects, a list of messages, one message a line, and the ShareGPT spelling
(``conversations`` of ``from`` and ``value``). Messages of other roles than user and assistant are set aside and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.datasets.base import datasets
from workbench.datasets.files import stem
from workbench.datasets.json_records import Broken, first, records
from workbench.datasets.mending import ROLES, BadRecord, Mender, mapping, place, shown, unique
from workbench.errors import BadInput
from workbench.records import Case, Finding, Loaded, Session, Turn

BENCHMARK = "chats"
_LISTS = ("messages", "conversations")
_TIMES = ("create_time", "created_at", "created", "timestamp", "time", "date")
_OTHER_ROLES = ("system", "developer", "tool", "function")


class Messages:
    """Chat histories as OpenAI-style messages, in JSON or JSON lines; a conversation is a session."""

    name = "messages"
    licence = "Yours: nothing is published with this format."

    def recognises(self, path: Path) -> bool:
        record = first(path) if path.is_file() else None
        value = record.value if record else None
        return _is_message(value) or _is_message(_first_message(value))

    def read(self, path: Path) -> Iterator[Loaded | Finding]:
        chats = Chats(path)
        loose: list[tuple[Any, str]] = []
        for record in records(path):
            if isinstance(record, Broken):
                yield chats.broken(record.position, record.reason)
            elif _is_message(record.value):
                loose.append((record.value, record.position))
            else:
                yield from chats.take(record.position, lambda mend, value=record.value: _conversation(value, mend))
        if loose:
            yield from chats.take("", lambda mend: _session({}, loose, mend), len(loose))
        yield chats.loaded()


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and ("role" in value or "from" in value) and "session" not in value


def _first_message(value: object) -> object:
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
    return value[0] if isinstance(value, list) and value else None


@dataclass
class Chats:
    """The conversations of one file, taken over one by one into a case."""

    path: Path
    sessions: list[Session] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    kept: int = 0
    repaired: int = 0
    _taken: dict[str, int] = field(default_factory=dict)

    def broken(self, position: str, reason: str) -> Finding:
        """A conversation that is set aside as a whole."""
        return Finding(str(self.path), position, "quarantined", reason, is_record=True)

    def take(self, position: str, parse: Any, count: int = 1) -> Iterator[Finding]:
        """Add the session that ``parse(mender)`` makes of ``count`` records; yields a finding if it makes none."""
        mend = Mender(str(self.path), position)
        try:
            made: Session = parse(mend)
            if not made.turns:
                raise BadRecord("nothing that user or assistant said")
        except BadRecord as error:
            yield self.broken(place(position, error.where), str(error))
            return
        name = unique(made.id or f"chat_{len(self.sessions) + 1}", self._taken)
        if made.id and name != made.id:
            mend.repaired("id", f"conversation id {shown(made.id)} comes again; kept as {shown(name)}")
        turns = tuple(Turn(turn.role, turn.text, turn.speaker, f"{name}:{i}", turn.caption) for i, turn in enumerate(made.turns))
        self.sessions.append(Session(name, turns, len(self.sessions), made.time, made.time_text))
        self.findings += mend.findings
        self.repaired += count * bool(mend.findings)
        self.kept += count * (not mend.findings)

    def loaded(self) -> Loaded:
        """The case; BadInput if it has no session."""
        if not self.sessions:
            raise BadInput(f"{self.path}: no conversation with anything that user or assistant said")
        name = stem(self.path) if self.path.is_file() else self.path.resolve().name
        return Loaded(Case(BENCHMARK, name, tuple(self.sessions)), tuple(self.findings), self.kept, self.repaired)


def _conversation(value: object, mend: Mender) -> Session:
    if isinstance(value, list):
        return _session({}, [(message, f"[{index}]") for index, message in enumerate(value)], mend)
    entry = mapping(value)
    name = next((name for name in _LISTS if name in entry), None)
    if name is None:
        raise BadRecord("a conversation needs its list of messages", "messages")
    return _session(entry, [(one, f"{name}[{index}]") for index, one in enumerate(mend.listed(entry[name], name))], mend)


def _session(entry: dict[str, Any], messages: list[tuple[Any, str]], mend: Mender) -> Session:
    turns = []
    other: Counter[str] = Counter()
    times = [entry]
    for raw, where in messages:
        try:
            message = mapping(raw, where)
            given = message.get("role", message.get("from"))
            if isinstance(given, str) and given.casefold() in _OTHER_ROLES:
                other[given.casefold()] += 1
                continue
            role = ROLES[given] if given == "human" or given == "gpt" else mend.role(given, f"{where}.role")
            content = next((message[name] for name in ("content", "value", "text") if name in message), None)
            text, caption = said(content, f"{where}.content", mend)
        except BadRecord as error:
            mend.set_aside(error.where, f"{error}; the message was left out")
            continue
        if role is None:
            continue
        if not text and not caption:
            other["empty"] += 1  # as a call of a tool is
            continue
        times.append(message)
        turns.append(Turn(role, text, caption=caption))
    report_other(other, mend)
    identity = entry.get("id", entry.get("conversation_id"))
    time, time_text = next(
        (mend.time(one[name], name) for one in times for name in _TIMES if one.get(name) not in (None, "")), (None, "")
    )
    return Session(mend.text(identity, "id") if identity not in (None, "") else "", tuple(turns), 0, time, time_text)


def report_other(other: Counter[str], mend: Mender) -> None:
    """One finding for all messages of a conversation that are no part of the talk of user and assistant."""
    if other:
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(other.items()))
        mend.set_aside("", f"messages left out: {counts}")


def said(content: object, where: str, mend: Mender) -> tuple[str, str]:
    """(text, picture caption) of a message: text as it is, or a list of parts.

    A picture without a description has the caption "no description"; sound and files leave a marker in the text.
    """
    if content is None or isinstance(content, str):
        return ("" if content is None else mend.text(content, where)), ""
    texts: list[str] = []
    captions: list[str] = []
    for index, part in enumerate(content if isinstance(content, list) else [content]):
        here = f"{where}[{index}]"
        entry = {"type": "text", "text": part} if isinstance(part, str) else mapping(part, here)
        kind = str(entry.get("type") or entry.get("content_type") or "")
        if isinstance(entry.get("text"), str):
            texts.append(mend.text(entry["text"], here))
        elif "image" in kind:
            captions.append(mend.text(entry.get("alt") or entry.get("description") or "no description", here))
        elif "audio" in kind or "video" in kind:
            transcript = entry.get("transcript")
            texts.append(
                mend.text(transcript, here) if isinstance(transcript, str) else f"[{'video' if 'video' in kind else 'audio'}]"
            )
        elif "file" in kind:
            texts.append(f"[file: {mend.text(entry.get('filename') or entry.get('name') or 'no name', here)}]")
        else:
            mend.set_aside(here, f"a part of type {shown(kind)} was left out")
    return "\n".join(text for text in texts if text), "; ".join(captions)


datasets.register(Messages.name)(Messages())
