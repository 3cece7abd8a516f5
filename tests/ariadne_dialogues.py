"""Made-up dialogues and bare entries for AriadneMem's tests."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.entries import VALUE_KINDS, Entry
from workbench.memory import Memory
from workbench.methods.ariadne import Ariadne
from workbench.methods.base import create
from workbench.records import Interaction, Note, Turn

MAY, MARCH, JUNE = datetime(2024, 5, 1), datetime(2024, 3, 1), datetime(2024, 6, 1)
Line = tuple[datetime | None, str, str]


def at(month: datetime, day: int, hour: int = 0, minute: int = 0) -> datetime:
    return month + timedelta(days=day - 1, hours=hour, minutes=minute)


MEETING: tuple[Line, ...] = (
    (at(MAY, 3, 10), "Ana", "The budget meeting with Priya is on Friday at 2 pm."),
    (at(MAY, 3, 10, 20), "Ana", "I watered the office plants."),
    (at(MAY, 6, 9), "Ana", "The budget meeting with Priya has been moved to Friday at 3 pm."),
)
BIKE: tuple[Line, ...] = (
    (at(MARCH, 4), "Lena", "My sister Ida started at the bakery on Mill Street."),
    (at(MARCH, 5), "Tom", "I bought new running shoes."),
    (at(MARCH, 6), "Lena", "The bakery on Mill Street belongs to Mr Okafor."),
    (at(MARCH, 6), "Tom", "I am learning the accordion."),
    (at(MARCH, 7), "Lena", "I repainted the kitchen green."),
    (at(MARCH, 8), "Tom", "Mr Okafor is looking for a cargo bike."),
    (at(MARCH, 9), "Tom", "My flight to Lisbon was late."),
    (at(MARCH, 9), "Lena", "I went to the cinema."),
)
BIKE_QUESTION = "Could Ida's boss use my old cargo bike?"
CAT: tuple[Line, ...] = (
    (at(JUNE, 1, 8), "Ivo", "I adopted a grey cat called Miso."),
    (at(JUNE, 1, 8, 30), "Ivo", "I have adopted a grey cat called Miso."),
    (at(JUNE, 30), "Ivo", "I adopted a grey cat called Miso."),
    (at(JUNE, 31), "Ivo", "I am allergic to peanuts."),
    (at(JUNE, 32), "Ivo", "I am not allergic to peanuts."),
)


def line_note(number: int, line: Line) -> Note:
    time, speaker, text = line
    turn = Turn("user", text, speaker, f"E{number}")
    return Note(Interaction(f"s{number}#1", f"s{number}", (turn,), number, 1, time))


def talk(*lines: Line) -> Memory:
    """One note a line, E1, E2 ... in sessions of their own."""
    participants = tuple(dict.fromkeys(speaker for _, speaker, _ in lines))
    return Memory((line_note(number, line) for number, line in enumerate(lines, 1)), participants)


def method(memory: Memory, **fields: Any) -> Ariadne:
    made = create("ariadne", overrides=fields, memory=memory)
    assert isinstance(made, Ariadne)
    return made


def config(**fields: Any) -> AriadneConfig:
    return AriadneConfig(**{"gate_similarity": 0.6, "coarsen_similarity": 0.7, **fields})


def entry(
    number: int = 0,
    keywords: str = "budget meet priya",
    *,
    time: datetime | None = MAY,
    speaker: str = "Ana",
    subject: str | None = "meeting",
    is_question: bool = False,
    entities: str = "",
    values: Mapping[str, tuple[str, ...]] | None = None,
) -> Entry:
    """An entry without text, for what looks at words, values and times alone."""
    stated = {kind: frozenset((values or {}).get(kind, ())) for kind in VALUE_KINDS}
    text = f"entry {number}"
    refs = (f"E{number}",)
    of = frozenset(keywords.split()), frozenset((speaker.casefold(),)), frozenset(entities.split())
    return Entry(
        number,
        number,
        f"n{number}",
        refs,
        speaker,
        text,
        text,
        {},
        *of,
        stated,
        None,
        subject,
        is_question,
        time,
        number,
        (number,),
    )


def chatter(sessions: int, turns: int, seed: int = 7) -> list[Line]:
    """Two people who talk in turns about many things, in sessions of one time stamp each, a week apart."""
    draw = random.Random(seed)
    things = ["kettle", "garden", "violin", "bicycle", "novel", "harbour", "lamp", "scarf", "oven", "ladder", "museum", "ferry"]
    things += [
        "puppy",
        "ticket",
        "camera",
        "blanket",
        "market",
        "engine",
        "guitar",
        "window",
        "basket",
        "river",
        "tunnel",
        "cellar",
    ]
    verbs = ["bought", "painted", "lost", "mended", "visited", "described", "sold", "admired", "borrowed", "photographed"]
    lines: list[Line] = []
    for session in range(sessions):
        for turn in range(turns):
            one, other = draw.sample(things, 2)
            text = f"I {draw.choice(verbs)} the {one} beside the {other}."
            lines.append((at(MAY, 1 + 7 * session, 10), ("Mara", "Jonas")[turn % 2], text))
    return lines
