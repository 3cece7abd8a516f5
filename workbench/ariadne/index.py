"""What queries are asked of: the nodes' vectors and words, who and what they name, and what is too common to join them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.construction import Construction, Node, common, decide, settle
from workbench.ariadne.entries import Entry, entry_of
from workbench.ariadne.reading import read_notes
from workbench.ariadne.written import written_entries
from workbench.embed.base import embedder
from workbench.embed.vectors import text_digest
from workbench.memory import Memory
from workbench.methods.bm25 import CountedOkapi
from workbench.records import Note
from workbench.states import Rows, state_digest

Floats = NDArray[np.float64]
READ = "ariadne entries"
"""Kind of the states that hold one note's entries by rules."""
DECIDED = "ariadne decisions"
"""Kind of the state that holds the decisions of a whole case."""


@dataclass(frozen=True)
class Index:
    """The nodes of a construction, ready for queries.

    Attributes
    ----------
    vectors : (n_nodes, d) float
        Unit vectors of the restatements.
    hubs : frozenset of str
        Entities that join nothing; ``hub_keywords`` likewise.
    ents, keywords : tuple of frozenset
        Of each node, without the hubs.
    hours : (n_nodes,) float
        Time of each node in hours; nan where it is not known.
    """

    construction: Construction
    vectors: Floats
    bm25: Any
    hubs: frozenset[str]
    hub_keywords: frozenset[str]
    ents: tuple[frozenset[str], ...]
    keywords: tuple[frozenset[str], ...]
    hours: Floats
    participants: tuple[str, ...]

    @property
    def nodes(self) -> tuple[Node, ...]:
        return self.construction.nodes

    @cached_property
    def persons(self) -> frozenset[str]:
        """Every person of some node."""
        return frozenset[str]().union(*(node.entry.persons for node in self.nodes))

    def keyword_scores(self, words: Sequence[str]) -> Floats:
        """BM25 of each node's restatement and keywords (rank-bm25's Okapi, its defaults), (n_nodes,), 0 or more."""
        if self.bm25 is None:
            return np.zeros(len(self.nodes))
        return np.maximum(np.asarray(self.bm25.get_scores(list(words)), np.float64), 0.0)


def utterances_of(memory: Memory, config: AriadneConfig) -> tuple[Entry, ...]:
    """The turns as rules read them, in the order of time; a note is read once for good."""

    def build(memory: Memory) -> tuple[Entry, ...]:
        rows = read_entries(memory, config, memory.notes)
        found: list[Entry] = []
        for row, note in enumerate(memory.notes):
            for each in rows[note.id]:
                found.append(entry_of(each, len(found), row, note.id, note.interaction.time))
        return tuple(found)

    return memory.view((READ, str(config.reading)), build)


def read_entries(memory: Memory, config: AriadneConfig, notes: Sequence[Note]) -> dict[str, Rows]:
    """Entries by rules of some notes of a memory, by note id; kept with its states."""
    participants = memory.participants
    return memory.states.by_note(READ, _reading(memory, config), notes, lambda new: read_notes(new, participants, config))


def unread(memory: Memory, config: AriadneConfig) -> tuple[Note, ...]:
    """The notes that rules have not read yet."""
    described = _reading(memory, config)
    return tuple(note for note in memory.notes if memory.states.get(READ, state_digest([note], described)) is None)


def _reading(memory: Memory, config: AriadneConfig) -> dict[str, Any]:
    return config.reading | {"participants": sorted(memory.participants)}


def construction_of(memory: Memory, config: AriadneConfig) -> Construction:
    """The offline phase over a memory, worked out once a state of it and kept with its case.

    Raises
    ------
    MissingPart
        If a model's entries are wanted that were not made beforehand.
    """

    def build(memory: Memory) -> Construction:
        utterances = utterances_of(memory, config)
        entries = utterances
        described = config.construction | {"participants": sorted(memory.participants)}
        if config.extractor != "rules":
            utterances, entries = written_entries(memory, config, utterances)
            # The same windows may have been asked about again since.
            described["entries"] = text_digest("\n".join(f"{each.refs} {each.restatement}" for each in entries))
        digest = state_digest(memory.notes, described)

        def work() -> dict[str, Rows]:
            source = embedder(config.embeddings)
            heard = memory.vectors.of(source, [each.text for each in utterances]).astype(np.float64)
            stored = heard
            if entries is not utterances:
                stored = memory.vectors.of(source, [each.text for each in entries]).astype(np.float64)
            return decide(utterances, entries, heard, stored, config)

        return settle(utterances, entries, memory.states.of(DECIDED, digest, work).parts)

    return memory.view((DECIDED, str(config.construction)), build)


def index_of(memory: Memory, config: AriadneConfig) -> Index:
    """The index over a memory's construction."""

    def build(memory: Memory) -> Index:
        construction = construction_of(memory, config)
        entries = [node.entry for node in construction.nodes]
        vectors = memory.vectors.of(embedder(config.embeddings), [each.restatement for each in entries])
        texts = [_word_counts(entry) for entry in entries]
        hubs = common([each.ent for each in entries], config.hub_share, config.hub_floor)
        hub_keywords = common([each.keywords for each in entries], config.hub_share, config.hub_floor)
        return Index(
            construction,
            vectors.astype(np.float64),
            CountedOkapi(texts) if any(texts) else None,
            hubs,
            hub_keywords,
            tuple(each.ent - hubs for each in entries),
            tuple(each.keywords - hub_keywords for each in entries),
            np.array([_hours(node) for node in construction.nodes]),
            memory.participants,
        )

    return memory.view(("ariadne index", str(config.construction)), build)


def _word_counts(entry: Entry) -> dict[str, int]:
    """Words of the restatement, and the keywords once more (4.6: BM25 over restatement and keywords)."""
    counts = dict(entry.words)
    for word in sorted(entry.keywords):
        counts[word] = counts.get(word, 0) + 1
    return counts


def _hours(node: Node) -> float:
    return np.nan if node.time is None else (node.time - datetime(1970, 1, 1)).total_seconds() / 3600
