"""What a note is called and when it was: the same words on every page and in every file."""

from __future__ import annotations

from datetime import datetime

from workbench.records import Note
from workbench.words import visible

TITLE_LENGTH = 90


def short_title(note: Note) -> str:
    """The note's summary, or the start of what was said, in one line of at most TITLE_LENGTH characters."""
    text = note.extraction.summary or note.interaction.user or note.interaction.context or note.interaction.assistant
    line = visible(" ".join(text.split()))
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


def date_of(time: datetime | None, words: str) -> str:
    """A date for people; where there is no calendar date, the source's words."""
    return f"{time:%Y-%m-%d}" if time is not None else words


def when(note: Note) -> str:
    """The note's date and session in one line."""
    date = date_of(note.interaction.time, note.interaction.time_text)
    return visible(f"{date} · {note.session_id}" if date else note.session_id)
