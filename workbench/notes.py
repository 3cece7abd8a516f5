"""From turns to notes: how a history is cut into interactions, a note's Markdown file, and its indexed text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from workbench.errors import BadInput
from workbench.records import CATEGORIES, Case, Extraction, Interaction, Note, Session, Turn, Unit

FIELDS = ("tags", "summary", "user", "assistant")

# The base loader builds no objects and keeps every scalar as written: a tag `2023`, `yes` or `null` stays text.
_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_SafeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_MAX_FRONT_MATTER = 1_000_000
_HEADING = re.compile(r"##[ \t]+(summary|context|user|assistant)[ \t]*", re.IGNORECASE)
_ESCAPED = re.compile(r"\\*" + _HEADING.pattern, re.IGNORECASE)
_TURN_DETAILS = ("ref", "speaker", "caption")


# --- splitting ------------------------------------------------------------------------------------------------------------


def interactions(case: Case) -> tuple[Interaction, ...]:
    """The interactions of a case in their order (session time, session position, round).

    Unit ``round``: a user turn with the assistant turns up to the next user turn; a user turn without a reply is one too.
    Unit ``exchange``: the turns of the session's first speaker, whose role the reader has set to ``user``, then those of the
    other. Unit ``passage``: one turn each. Assistant turns in front of a session's first user turn are prepended to its first
    round; a session that has no user turn is one interaction (decision 10, and TAGGRAPH 3.1 for the round). Rounds count from
    1; an empty session gives none. A case that brings notes gives the interactions of its notes.
    """
    if case.notes:
        found = [note.interaction for note in case.notes]
    else:
        found = [one for session in case.sessions for one in _of_session(session, case.unit)]
    return tuple(sorted(found, key=lambda one: one.order))


def _of_session(session: Session, unit: Unit) -> Iterator[Interaction]:
    for number, turns in enumerate(_rounds(session.turns, unit), start=1):
        yield Interaction(
            id=f"{session.id}#{number}",
            session_id=session.id,
            turns=tuple(turns),
            position=session.position,
            round=number,
            time=session.time,
            time_text=session.time_text,
        )


def _rounds(turns: Sequence[Turn], unit: Unit) -> Iterator[Sequence[Turn]]:
    """The runs of turns that make one interaction each."""
    current: list[Turn] = []
    has_user = False
    for turn in turns:
        begins = turn.role == "user" and has_user and not (unit == "exchange" and current[-1].role == "user")
        if begins or (unit == "passage" and current):
            yield current
            current, has_user = [], False
        current.append(turn)
        has_user = has_user or turn.role == "user"
    if current:
        yield current


# --- indexed text ---------------------------------------------------------------------------------------------------------


def full_text(note: Note, fields: Collection[str] = FIELDS) -> str:
    """The text of a note that is indexed.

    Parameters
    ----------
    note : Note
    fields : collection of str
        Which of ``tags`` (every distinct path, split into words), ``summary``, ``user`` and ``assistant`` (with the assistant's
        turns in front of the user's) take part. All by default: the paper says "full note text" (4.2) and no more; that tags
        and summary belong to it is ours.

    Raises
    ------
    ValueError
        If a field is not one of FIELDS.
    """
    unknown = set(fields).difference(FIELDS)
    if unknown:
        raise ValueError(f"no index field {sorted(unknown)}; known: {', '.join(FIELDS)}")
    parts: list[str] = []
    if "tags" in fields:
        parts.extend(path.replace("/", " ").replace("_", " ") for path in note.extraction.paths)
    if "summary" in fields:
        parts.append(note.extraction.summary)
    parts.extend(turn.full_text for turn in note.interaction.turns if turn.role in fields)
    return "\n".join(part for part in parts if part)


# --- Markdown -------------------------------------------------------------------------------------------------------------


class _Inline(dict[str, str]):
    """A mapping that is written on one line."""


class _Dumper(_SafeDumper):  # type: ignore[misc]
    """Tags and turn details on one line each, the rest one below the other."""


_Dumper.add_representer(tuple, lambda dumper, tags: dumper.represent_sequence("tag:yaml.org,2002:seq", tags, flow_style=True))
_Dumper.add_representer(_Inline, lambda dumper, one: dumper.represent_mapping("tag:yaml.org,2002:map", one, flow_style=True))


def to_markdown(note: Note) -> str:
    r"""A note as a Markdown file that `from_markdown` reads back to the same note, whatever its text holds.

    YAML front matter holds ids, time, order, tags, and the turns' refs, speakers and captions where there are any; then come
    ``## Summary`` and one heading a turn: ``## Context`` for the assistant in front of the user, ``## User``, ``## Assistant``.
    A line of text that looks like one of these headings gets a backslash in front, which Markdown does not show.
    """
    one = note.interaction
    front: dict[str, Any] = {"id": one.id, "session": one.session_id}
    if one.time is not None:
        front["time"] = one.time
    if one.time_text:
        front["time_text"] = one.time_text
    front |= {"position": one.position, "round": one.round}
    front |= {category: tags for category in CATEGORIES if (tags := getattr(note.extraction, category))}
    details = [_Inline((name, value) for name in _TURN_DETAILS if (value := getattr(turn, name))) for turn in one.turns]
    if any(details):
        front["turns"] = details
    # The greatest width there is: a folded line would lose blanks at its ends.
    header = yaml.dump(
        front, Dumper=_Dumper, allow_unicode=True, sort_keys=False, default_flow_style=False, width=2**31 - 1
    ).rstrip("\n")
    lines = ["---", header, "---", "", *_section("Summary", note.extraction.summary)]
    has_user = False
    for turn in one.turns:
        has_user = has_user or turn.role == "user"
        lines += _section("User" if turn.role == "user" else "Assistant" if has_user else "Context", turn.text)
    return "\n".join(lines)


def _section(heading: str, text: str) -> list[str]:
    body = ["\\" + line if _ESCAPED.fullmatch(line) else line for line in text.split("\n")]
    return [f"## {heading}", "", *body, ""]


def from_markdown(text: str) -> Note:
    """Read a note from its Markdown file; also one edited by hand.

    Session and round default to the two parts of an id ``<session>#<round>``, position to 0, a tag list may be one
    comma-separated text, headings may be written in any case, and a file saved with Windows line ends is read as one without.

    Raises
    ------
    BadInput
        If front matter, id or headings are missing, or a value is of the wrong kind; the message names it.
    """
    if text.startswith("\ufeff"):
        text = text[1:]
    if text.startswith("---\r\n"):
        text = text.replace("\r\n", "\n")
    front, body = _front_matter(text)
    sections = _sections(body)
    identity = _scalar(front, "id")
    if not identity:
        raise BadInput("the note's front matter has no id: give it a line such as 'id: monday#1'")
    session, _, number = identity.rpartition("#")
    summaries = [content for heading, content in sections if heading == "summary"]
    if len(summaries) > 1:
        raise BadInput(f"the note has {len(summaries)} headings '## Summary': keep one")
    return Note(
        Interaction(
            id=identity,
            session_id=_scalar(front, "session") or session or identity,
            turns=_turns(front, [(heading, content) for heading, content in sections if heading != "summary"]),
            position=_number(front, "position", 0),
            round=_number(front, "round", int(number) if number.isdecimal() and len(number) < 10 else 1),
            time=_time(front),
            time_text=_scalar(front, "time_text"),
        ),
        Extraction(summary=summaries[0] if summaries else "", **{category: _tags(front, category) for category in CATEGORIES}),
    )


def is_note(text: str) -> bool:
    """Whether a Markdown file is meant as a note of ours: its front matter has an id, and a session, a round or our headings.

    Other programs write front matter with an id too. Whether the note is whole is for `from_markdown` to say.
    """
    first, *lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    end = next((i for i, line in enumerate(lines) if line.rstrip() == "---"), len(lines))
    names = {line.partition(":")[0] for line in lines[:end]}
    ours = "session" in names or "round" in names or any(_HEADING.fullmatch(line) for line in lines[end:])
    return first.rstrip() == "---" and "id" in names and ours


def _front_matter(text: str) -> tuple[dict[str, Any], list[str]]:
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        raise BadInput("the note has no front matter: its first line must be '---'")
    end = next((i for i, line in enumerate(lines[1:], start=1) if line.rstrip(" \t") == "---"), None)
    if end is None:
        raise BadInput("the note's front matter is not closed: it must end with a line '---'")
    source = "\n".join(lines[1:end])
    if len(source) > _MAX_FRONT_MATTER:
        raise BadInput(f"the note's front matter has {len(source):,} characters; at most {_MAX_FRONT_MATTER:,} are read")
    try:
        front = yaml.load(source, Loader=_Loader)
    except (yaml.YAMLError, RecursionError) as error:
        raise BadInput(f"the note's front matter is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(front, dict):
        raise BadInput("the note's front matter must be lines of 'name: value', with at least an id")
    return front, lines[end + 1 :]


def _sections(lines: list[str]) -> list[tuple[str, str]]:
    """(heading, text) of every part of the body; the one blank line after a heading and before the next is not text."""
    starts = [i for i, line in enumerate(lines) if _HEADING.fullmatch(line)]
    if not starts:
        raise BadInput("the note has no heading '## Summary', '## User' or '## Assistant'")
    stray = "\n".join(lines[: starts[0]]).strip()
    if stray:
        raise BadInput(f"the note has text in front of its first heading: {stray[:60]!r}; put it under '## User'")
    found = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        body = lines[start + 1 : end]
        if body and not body[0]:
            body = body[1:]
        if body and not body[-1]:
            body = body[:-1]
        heading = lines[start].lstrip("#").strip().casefold()
        found.append((heading, "\n".join(line[1:] if line[:1] == "\\" and _ESCAPED.fullmatch(line) else line for line in body)))
    return found


def _turns(front: dict[str, Any], sections: list[tuple[str, str]]) -> tuple[Turn, ...]:
    details = front.get("turns") or [{}] * len(sections)
    if not isinstance(details, list) or not all(isinstance(entry, dict) for entry in details) or len(details) != len(sections):
        raise BadInput(f"the note's front matter must list one entry under 'turns' for each of its {len(sections)} turn headings")
    return tuple(
        Turn(
            role="user" if heading == "user" else "assistant",
            text=content,
            **{name: _scalar(entry, name) for name in _TURN_DETAILS},
        )
        for (heading, content), entry in zip(sections, details, strict=True)
    )


def _scalar(front: dict[str, Any], name: str) -> str:
    value = front.get(name, "")
    if not isinstance(value, str):
        raise BadInput(f"the note's {name!r} must be one text, not {type(value).__name__}")
    return value


def _number(front: dict[str, Any], name: str, default: int) -> int:
    value = _scalar(front, name).strip()
    try:
        number = int(value) if value else default
    except ValueError:  # also what Python says of thousands of digits
        raise BadInput(f"the note's {name!r} must be a whole number, not {value[:40]!r}") from None
    if not -(2**31) < number < 2**31:
        raise BadInput(f"the note's {name!r} must be a whole number under 2,147,483,648, not {value[:40]!r}")
    return number


def _time(front: dict[str, Any]) -> datetime | None:
    value = _scalar(front, "time").strip()
    try:
        time = datetime.fromisoformat(value) if value else None
        # Times in a case carry no zone, since they must be comparable; one written with a zone is turned into UTC.
        return time.astimezone(UTC).replace(tzinfo=None) if time and time.tzinfo else time
    except (ValueError, OverflowError):  # the latter where UTC is before the year 1 or after 9999
        raise BadInput(f"the note's 'time' must be like 2023-05-20 14:30, not {value[:40]!r}") from None


def _tags(front: dict[str, Any], category: str) -> tuple[str, ...]:
    value = front.get(category) or []
    if isinstance(value, str):
        return tuple(tag.strip() for tag in value.split(",") if tag.strip())
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        raise BadInput(f"the note's {category!r} must be a list of tags")
    return tuple(value)


# --- files ----------------------------------------------------------------------------------------------------------------


def write_notes(notes: Iterable[Note], folder: Path) -> list[Path]:
    """Write one Markdown file a note (UTF-8, line ends as in the text) and return their paths in the order of the notes.

    A file is named after its note's id as far as every file system allows; a hash of the id keeps altered, over-long and
    case-insensitively equal names apart.
    """
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    paths = []
    for note in notes:
        name = _file_name(note.id, taken)
        taken.add(name.casefold())
        path = folder / f"{name}.md"
        path.write_bytes(to_markdown(note).encode("utf-8"))
        paths.append(path)
    return paths


_UNSAFE = re.compile(r"[^A-Za-z0-9#_-]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)  # device names on Windows, with any extension
_MAX_NAME = 100


def _file_name(identity: str, taken: Collection[str]) -> str:
    name = _UNSAFE.sub("_", identity).lstrip("-")[:_MAX_NAME] or "note"
    if name != identity or name.casefold() in taken or _RESERVED.fullmatch(name):
        name = f"{name}-{hashlib.sha256(identity.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"
    return name
