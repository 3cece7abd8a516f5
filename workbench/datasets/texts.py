"""Folders of Markdown notes, and plain transcripts.

A Markdown file is a note as `workbench.notes.to_markdown` writes it, with its own tags; a transcript, whose lines begin with a
speaker (``User:``, ``**Assistant:**``, ``### Human``, ``ChatGPT said:`` ...); or plain text, which is taken as one thing that the
user said. A folder is one case with the files in it and below it as sessions; a note brings its session's name itself. A
file's date is one in its front matter (``date``, ``created``, ``time``) or at the start of its name, never the file system's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from workbench.datasets.base import datasets
from workbench.datasets.files import files_in, stem, suffix, whole_text
from workbench.datasets.mending import BadRecord, Mender, unique
from workbench.datasets.times import parse_time
from workbench.errors import BadInput
from workbench.notes import from_markdown, interactions, is_note
from workbench.records import CATEGORIES, Case, Finding, Interaction, Loaded, Note, Role, Session, Turn

MARKDOWN = (".md", ".markdown")
TEXT = (*MARKDOWN, ".txt")
_DATA = (".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".gz", ".zip")

_USER = r"user|human|me|you|q"
_ASSISTANT = r"ai assistant|assistant|ai|chatbot|bot|chatgpt|gpt(?:-[\w.]+)?|claude|gemini|copilot|model|a"
_LEAD = r"[ \t]*(?:>[ \t]*)?(?:\[[^\]\n]{1,40}\][ \t]*)?"
_SPEAKER = re.compile(
    rf"{_LEAD}(?:"
    # Blanks are matched once and for all (*+), or a line of thousands of them would be tried in every way of sharing them out.
    # "User: text", "**User:** text", "**User** (10:30): text", "You said:"
    rf"(?P<b>\*\*|__)?(?P<name>{_USER}|{_ASSISTANT})(?(b)(?:\*\*|__)?)"
    r"(?:[ \t]+said)?[ \t]*+(?:\([^)\n]{1,40}\)[ \t]*+)?[:：](?(b)(?:\*\*|__)?)"
    # "### User", "## Assistant:" on a line of its own
    rf"|\#{{1,6}}[ \t]+(?:\*\*)?(?P<head>{_USER}|{_ASSISTANT})(?:\*\*)?[ \t]*+(?:[:：][ \t]*+)?$)"
    r"[ \t]*(?P<rest>.*)",
    re.IGNORECASE,
)
_IS_USER = re.compile(_USER, re.IGNORECASE)
_FRONT_DATE = re.compile(r"^(?:date|created|time)[ \t]*+:[ \t]*+['\"]?([^'\"\n]++)['\"]?[ \t]*+$", re.IGNORECASE | re.MULTILINE)
_NAME_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?!\d)")


def speaker_turns(text: str) -> tuple[str, list[Turn]]:
    """The text in front of the first speaker, and the turns of a transcript; none where no line begins with a speaker.

    Lines inside a fenced code block begin no turn.
    """
    head: list[str] = []
    said: list[tuple[Role, list[str]]] = []
    fenced = False
    for line in text.replace("\r\n", "\n").split("\n"):
        match = None if fenced else _SPEAKER.fullmatch(line)
        fenced ^= line.lstrip().startswith("```")
        if match:
            name = match["name"] or match["head"]
            said.append(("user" if _IS_USER.fullmatch(name) else "assistant", [match["rest"]]))
        else:
            (said[-1][1] if said else head).append(line)
    return "\n".join(head).strip(), [Turn(role, "\n".join(lines).strip()) for role, lines in said]


def is_transcript(text: str) -> bool:
    """Whether at least two turns, one of them the user's, can be told in a text that is no note of ours."""
    if is_note(text):
        return False
    _, turns = speaker_turns(text)
    return len(turns) > 1 and any(turn.role == "user" for turn in turns)


def _text_files(path: Path) -> list[Path]:
    """The text file, or those of a folder; none if the folder holds data files, which are read one by one."""
    files = files_in(path) if path.is_dir() else [path] if path.is_file() else []
    return [] if any(suffix(file) in _DATA for file in files) else [file for file in files if suffix(file) in TEXT]


class Transcripts:
    """Plain transcripts (.txt, .md) whose lines begin with a speaker; a file is a session, a folder a case."""

    name = "transcripts"
    licence = "Yours: nothing is published with this format."

    def recognises(self, path: Path) -> bool:
        files = _text_files(path)
        return bool(files) and all(_is(is_transcript, file) for file in files)

    def read(self, path: Path) -> Iterator[Loaded | Finding]:
        return _read(path, self.name)


class Notes:
    """Markdown notes: a folder (or one file) of notes with their own tags, of plain Markdown, or of both."""

    name = "notes"
    licence = "Yours: nothing is published with this format."

    def recognises(self, path: Path) -> bool:
        files = _text_files(path)
        if path.is_file():
            return bool(files) and suffix(path) in MARKDOWN and not _is(is_transcript, path)
        return bool(files) and not all(_is(is_transcript, file) for file in files)

    def read(self, path: Path) -> Iterator[Loaded | Finding]:
        return _read(path, self.name)


def _is(kind: Callable[[str], bool], path: Path) -> bool:
    try:
        return kind(whole_text(path))
    except BadInput:
        return False


def _read(path: Path, benchmark: str) -> Iterator[Loaded | Finding]:
    """One case from a text file or a folder of them."""
    notes: dict[str, Note] = {}
    sessions: list[Session] = []
    findings: list[Finding] = []
    repaired = kept = 0
    taken: dict[str, int] = {}
    for file in _text_files(path):
        mend = Mender(str(file), "")
        try:
            text = mend.text(whole_text(file), "")
            if not text.strip():
                raise BadInput("the file is empty")
            if is_note(text):
                note = _storable(from_markdown(text), mend)
                if note.id in notes:
                    raise BadInput(f"another file has the note id {note.id!r} too")
                notes[note.id] = note
            else:
                name = unique(_name(file, path), taken)
                sessions.append(_session(file, name, text, len(sessions), mend))
        except (BadInput, BadRecord) as error:
            yield Finding(str(file), "", "quarantined", str(error).removeprefix(f"{file}: "), is_record=True)
            continue
        findings += mend.findings
        repaired += bool(mend.findings)
        kept += not mend.findings
    if not notes and not sessions:
        raise BadInput(f"{path}: no text that could be a note or a transcript")
    yield Loaded(_case(benchmark, path, list(notes.values()), sessions), tuple(findings), kept, repaired)


def _storable(note: Note, mend: Mender) -> Note:
    """A note without the characters that YAML's escapes bring in: the file's own text has been mended before."""
    one, tags = note.interaction, note.extraction
    details = ("ref", "speaker", "caption")
    turns = (
        replace(turn, **{name: mend.text(getattr(turn, name), name) for name in details})  # type: ignore[arg-type]
        for turn in one.turns
    )
    front: dict[str, Any] = {name: mend.text(getattr(one, name), name) for name in ("id", "session_id", "time_text")}
    by_category: dict[str, Any] = {each: tuple(mend.text(tag, each) for tag in getattr(tags, each)) for each in CATEGORIES}
    return Note(replace(one, turns=tuple(turns), **front), replace(tags, **by_category))


def _name(file: Path, root: Path) -> str:
    return stem(file) if file == root else file.relative_to(root).with_suffix("").as_posix()


def _session(file: Path, name: str, text: str, position: int, mend: Mender) -> Session:
    """A file that is no note as one session."""
    time, time_text = _date(file, text)
    if not is_transcript(text):
        return Session(name, (Turn("user", text.strip(), ref=f"{name}:0"),), position, time, time_text)
    head, turns = speaker_turns(text)
    if head and not _FRONT_DATE.fullmatch(head):
        mend.set_aside("line 1", f"{len(head.split())} words in front of the first speaker were left out")
    said = tuple(Turn(turn.role, turn.text, ref=f"{name}:{index}") for index, turn in enumerate(turns))
    return Session(name, said, position, time, time_text)


def _date(file: Path, text: str) -> tuple[datetime | None, str]:
    top = "\n".join(text.split("\n")[:20])
    named = _NAME_DATE.match(file.name)
    for match in (*_FRONT_DATE.finditer(top), *([named] if named else ())):
        if time := parse_time(match[1]):
            return time, match[1].strip()
    return None, ""


def _case(benchmark: str, path: Path, notes: list[Note], sessions: list[Session]) -> Case:
    """With notes among the files, every other file becomes notes without tags; a case's notes are then complete."""
    name = path.name if path.is_dir() else stem(path)
    name = name or path.resolve().name
    if not notes:
        return Case(benchmark, name, tuple(sessions))
    told = sessions_of(notes)
    after = max(session.position for session in told) + 1
    names = {session.id: 2 for session in told}
    plain = [
        Session(unique(session.id, names), session.turns, after + session.position, session.time, session.time_text)
        for session in sessions
    ]
    untagged = [Note(one) for one in interactions(Case(benchmark, name, tuple(plain)))]
    ordered = sorted([*notes, *untagged], key=lambda note: note.order)
    return Case(benchmark, name, tuple(sorted([*told, *plain], key=lambda one: one.position)), notes=tuple(ordered))


def sessions_of(notes: list[Note]) -> list[Session]:
    """The sessions that notes come from, with their turns in the order of rounds; the first note gives place and time."""
    of_session: dict[str, list[Interaction]] = {}
    for one in sorted((note.interaction for note in notes), key=lambda one: (one.position, one.round)):
        of_session.setdefault(one.session_id, []).append(one)
    return [
        Session(name, tuple(turn for one in ones for turn in one.turns), ones[0].position, ones[0].time, ones[0].time_text)
        for name, ones in of_session.items()
    ]


for _dataset in (Notes(), Transcripts()):
    datasets.register(_dataset.name)(_dataset)
