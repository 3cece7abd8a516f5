"""Notes and memories for tests, by hand and at random."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from hypothesis import strategies as st

from workbench.memory import Memory
from workbench.records import Extraction, Interaction, Note, Turn

START = datetime(2024, 3, 1, 9, 0)
Tags = str | Sequence[str]


def tags(value: Tags) -> tuple[str, ...]:
    """One path, or several."""
    return (value,) if isinstance(value, str) else tuple(value)


def note(
    id: str,
    what: Tags = (),
    *,
    who: Tags = (),
    when: Tags = (),
    where: Tags = (),
    why: Tags = (),
    extra: Tags = (),
    user: str = "",
    assistant: str = "",
    summary: str = "",
    day: int | None = 1,
    session: str | None = None,
    position: int = 0,
    round: int = 0,
    time_text: str = "",
) -> Note:
    """A note on a day (None: undated); each in a session of its own unless one is named."""
    turns = tuple(Turn(role, text) for role, text in (("user", user), ("assistant", assistant)) if text)
    time = None if day is None else START + timedelta(days=day)
    interaction = Interaction(id, session or f"session {id}", turns, position, round, time, time_text)
    return Note(interaction, Extraction(*map(tags, (who, what, when, where, why, extra)), summary=summary))


def memory_of(*notes: Note, participants: tuple[str, ...] = (), base: Memory | None = None) -> Memory:
    return Memory(notes, participants, base)


WORDS = ("cake", "cakes", "lemon", "guitar", "roses", "museum", "the", "how", "tea")
PATHS = ("food/cake", "food/cake/lemon", "food/tea", "music/guitar", "garden/roses", "place/museum", "how", "food", "name/lemon")

texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
paths = st.lists(st.sampled_from(PATHS), max_size=3, unique=True)


@st.composite
def note_lists(draw: st.DrawFn, min_size: int = 1, max_size: int = 7) -> list[Note]:
    """Notes over a small vocabulary, with equal texts, equal times, empty and untagged notes among them."""
    size = draw(st.integers(min_size, max_size))
    return [
        note(
            f"n{number}",
            draw(paths),
            where=draw(paths),
            user=draw(texts),
            assistant=draw(texts),
            day=draw(st.one_of(st.none(), st.integers(1, 3))),
            position=draw(st.integers(0, 2)),
        )
        for number in range(size)
    ]
