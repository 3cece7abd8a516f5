"""The facts and the graph of a memory, each worked out once: facts are kept as states a note, the graph as a view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from workbench.embed.base import embedder
from workbench.errors import MissingPart
from workbench.memory import Memory
from workbench.real.config import FactsConfig
from workbench.real.facts import Fact, from_row, to_row
from workbench.real.graph import FactGraph, texts
from workbench.real.intervals import timeline
from workbench.real.reading import read_facts
from workbench.real.relations import Relations, registry_digest, relations
from workbench.records import Note
from workbench.states import Rows, State, state_digest
from workbench.words import counted

KIND = "real facts"
VERSION = 1
"""Raised whenever a rule changes which facts are read."""


def facts_key(config: FactsConfig, participants: tuple[str, ...]) -> dict[str, Any]:
    """What facts depend on besides the note: plain values, for the digest of a state."""
    key: dict[str, Any] = {"facts": config.facts, "participants": list(participants)}
    if config.facts != "rules":
        return key | {"model": config.fact_model}
    return key | {
        "version": VERSION,
        "registry": registry_digest(config.relations),
        "assistant_turns": config.assistant_turns,
        "fragments": config.fragments,
        "user_chars": config.user_chars,
    }


def facts_of(memory: Memory, config: FactsConfig) -> tuple[Fact, ...]:
    """The facts of all notes, in the order of the notes.

    Raises
    ------
    MissingPart
        If they are a language model's and have not been made: a method never asks one.
    BadInput
        If the relations file can't be read.
    """

    def build(memory: Memory) -> tuple[Fact, ...]:
        rows = read_rows(memory, config, memory.notes)
        return tuple(from_row(row) for note in memory.notes for row in rows[note.id])

    return memory.view((KIND, *facts_fields(config)), build)


def read_rows(memory: Memory, config: FactsConfig, notes: Sequence[Note]) -> dict[str, Rows]:
    """Rows of facts by note id, of some of the memory's notes: for a reader who wants to see progress.

    Raises as `facts_of`.
    """
    registry = relations(config.relations)

    def read(missing: Sequence[Note]) -> dict[str, Rows]:
        if config.facts != "rules":
            raise MissingPart(
                f"{counted(len(missing), 'note')} of this case have no facts by model {config.fact_model!r}: make them with "
                "`workbench facts CASE --extractor llm` (or replay), and name the model with --set real.fact_model=NAME"
            )
        return read_facts(missing, memory.participants, registry, config)

    return memory.states.by_note(KIND, facts_key(config, memory.participants), notes, read)


def unread(memory: Memory, config: FactsConfig) -> list[Note]:
    """The notes whose facts have not been read yet."""
    key = facts_key(config, memory.participants)
    return [note for note in memory.notes if memory.states.get(KIND, state_digest([note], key)) is None]


def facts_fields(config: FactsConfig) -> tuple[object, ...]:
    """The settings that decide the facts, as part of a view's key."""
    return tuple(getattr(config, each.name) for each in fields(FactsConfig))


def fact_graph(memory: Memory, config: FactsConfig, stable: float, embeddings: str) -> FactGraph:
    """The graph of a memory's facts under a stable confidence, with vectors of its edges.

    Its own words are analysed once for good; ``vectors`` gives one unit row an edge, worked out at the first question.
    """

    def build(memory: Memory) -> FactGraph:
        edges = tuple(timeline(facts_of(memory, config), relations(config.relations), stable))
        return FactGraph(edges, memory.participants, vectors)

    def vectors() -> Any:
        def embed(memory: Memory) -> Any:
            return memory.vectors.of(embedder(embeddings), texts(fact_graph(memory, config, stable, embeddings).edges))

        return memory.view(("fact vectors", *facts_fields(config), stable, embeddings), embed)

    return memory.view(("fact graph", *facts_fields(config), stable, embeddings), build)


def last_moment(memory: Memory) -> datetime | None:
    """The end of the last session, at which a question without a date of its own is asked (R5); None where none has a date."""
    return max((note.interaction.time for note in memory.notes if note.interaction.time is not None), default=None)


def registry_of(config: FactsConfig) -> Relations:
    """The registry that a configuration names."""
    return relations(config.relations)


def keep_facts(memory: Memory, config: FactsConfig, facts: Mapping[str, Iterable[Fact]]) -> None:
    """Keep facts that were made elsewhere, by note id: as states of the memory, which a store can keep."""
    key = facts_key(config, memory.participants)
    for note_id, of_note in facts.items():
        digest = state_digest([memory[note_id]], key)
        memory.states.put(State.made(KIND, digest, {"rows": [to_row(fact) for fact in of_note]}))
