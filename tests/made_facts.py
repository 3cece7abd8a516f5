"""Facts by hand, and memories whose facts are given, so that a search can be tested without the parser."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from workbench.memory import Memory
from workbench.methods.base import MemoryRetriever, create
from workbench.real.case_facts import keep_facts
from workbench.real.facts import Fact, fact_id
from workbench.real.intents import Intent
from workbench.real.relations import relations
from workbench.records import Interaction, Note, Turn

YEAR = 2024


def day(month: int, number: int = 1, year: int = YEAR) -> datetime:
    return datetime(year, month, number)


def fact(
    head: str,
    relation: str,
    tail: str,
    start: datetime | None,
    *,
    end: datetime | None = None,
    said: datetime | None = None,
    c: float = 0.9,
    intent: Intent = "FACT",
    act: str = "assertion",
    note: str = "",
    stated: bool = False,
    tail_type: str = "",
) -> Fact:
    """A fact said at its start unless another moment is given; in a note of its own unless one is named."""
    moment = said or start or datetime.min
    source = note or f"{head} {relation} {tail} {moment:%Y-%m-%d} {act}"
    registry = relations()
    return Fact(
        id=fact_id(source, 0, 0, (head, relation, tail), act),  # type: ignore[arg-type]
        head=head,
        relation=relation,
        tail=tail,
        start=start,
        end=end,
        confidence=c,
        intent=intent,
        note=source,
        turn=0,
        recorded=(moment, 0, 0, 0, 0),
        aspect=registry[relation].aspect or "state",
        act=act,  # type: ignore[arg-type]
        is_stated=stated,
        tail_type=tail_type or registry[relation].range,
        quote=f"{head} {relation} {tail}",
    )


def over(head: str, relation: str, tail: str, at: datetime, **more: Any) -> Fact:
    """A retraction."""
    return fact(head, relation, tail, at, act="retraction", **more)


def told(
    facts: Iterable[Fact], name: str = "real", people: tuple[str, ...] = (), undated: bool = False, **overrides: Any
) -> MemoryRetriever[Any]:
    """A method over notes that hold just these facts; ``undated`` leaves the notes without a time."""
    given = list(facts)
    sources = dict.fromkeys((each.note, each.recorded[0]) for each in given)
    notes = [Note(Interaction(note, note, (Turn("user", note),), 0, 0, None if undated else at)) for note, at in sources]
    memory = Memory(notes, people)
    method = create(name, overrides={"facts": "llm", "fact_model": "by hand", **overrides}, memory=memory)
    keep_facts(memory, method.config, {note.id: [one for one in given if one.note == note.id] for note in notes})
    return method


def said(id: str, at: datetime, speaker: str, text: str) -> Note:
    """What somebody said, as a note of its own."""
    return Note(Interaction(id, f"session {id}", (Turn("user", text, speaker),), 0, 1, at))


# The check's three fixtures -------------------------------------------------------------------------------------------------

PARIS = (
    fact("Vera", "lives_in", "Paris", day(1, 10), note="v1"),
    fact("Vera", "lives_in", "London", day(2, 26), said=day(3, 4), note="v2", stated=True),
    fact("Vera", "lives_in", "Paris", day(6, 1), said=day(6, 2), note="v3", stated=True),
    fact("Vera", "lives_in", "Rome", day(6, 3), c=0.4, note="v4"),
)
COUSINS = (
    fact("Nora", "cousin_of", "Felix", day(5, 6), note="n1"),
    fact("Felix", "spouse_of", "Inga", day(1, 1, 2023), said=day(5, 6), note="n1"),
    fact("Paul", "met", "Inga", day(5, 7), note="n2"),
)
BEAGLE = (
    fact("Ada", "has_pet", "beagle", day(1, 1), note="a1"),
    fact("beagle", "is_a", "dog", day(1, 2), note="a2"),
    fact("Ada", "works_at", "Orbit Labs", day(2, 1), note="a3"),
    over("Ada", "works_at", "Orbit Labs", day(4, 1), note="a4"),
)
