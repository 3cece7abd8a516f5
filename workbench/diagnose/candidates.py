"""Which edits a repair search tries: single edits, each with its cost, within stated bounds (all ours)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin, get_type_hints

from workbench.diagnose.edits import COSTS, AddTag, DropTag, Edit, MergeTag, SetField, has_room
from workbench.diagnose.inquiry import Inquiry
from workbench.diagnose.tags import Said, asked_words, rows
from workbench.diagnose.telling import telling
from workbench.extract.schema import normalise_path
from workbench.graph import TagGraph, tag_graph
from workbench.memory import Memory
from workbench.methods.base import FilterConfig
from workbench.methods.tags import StopwordsConfig
from workbench.ontology import Ontology
from workbench.records import Note
from workbench.terms import QueryWords, term_index
from workbench.text import Analyser

ALPHAS = (0.3, 0.5, 0.7, 0.85, 0.95)
"""Values of alpha that are tried: those of the sweep (spec 2.7)."""
MOST_WORDS = 6
"""Words of the longest tag that is made of a query."""
NO_SWITCH = ("tie",)
"""Choices that are no repair: another tie rule moves equals about and makes nothing more alike."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many edits a search tries. Single edits of the kinds below are tried exhaustively within these numbers."""

    existing: int = 10
    """Tags of the memory that are offered to the note, those that match most of the query first."""
    competitors: int = 5
    """Notes in front whose matched tags are dropped, from one note and from all."""
    merges: int = 10
    """Near-duplicates that are merged."""
    pairs_from: int = 6
    """Best single edits that are combined in pairs where no single one is enough; 0 tries no pairs."""


@dataclass(frozen=True, slots=True)
class Candidate:
    edit: Edit
    cost: int


def tag_candidates(memory: Memory, text: str, note_id: str, missed: Sequence[Inquiry], bounds: Bounds) -> list[Candidate]:
    """Edits of tags that might lift a note for a query, cheapest first.

    Added are tags that hold a telling query word: one word, two that follow each other, all that the note's text holds, the first
    six, or a tag that the memory has already. A tag without a query word cannot be matched; what it could do through topics
    alone is not searched. Dropped are the note's own tags and those by which the notes in front of it were matched; merged are
    near-duplicates of which one holds a query word and the other is on the note.
    """
    config = StopwordsConfig()
    graph, query, analyser = tag_graph(memory, config), asked_words(memory, text, config), Analyser(config.normaliser)
    note = memory[note_id]
    found = [
        *_added(graph, note, query, analyser, bounds),
        *_dropped(note, missed, bounds),
        *_merged(graph, note, query, analyser, bounds),
    ]
    distinct = {candidate.edit: candidate for candidate in found}
    return sorted(distinct.values(), key=lambda candidate: candidate.cost)


def _added(graph: TagGraph, note: Note, query: QueryWords, analyser: Analyser, bounds: Bounds) -> Iterator[Candidate]:
    category = next((each for each in ("what", "extra") if has_room(note, each)), None)
    if category is None:
        return
    said, told = Said.of(note, analyser), telling(query.distinct, analyser)
    spoken = {word: said.surface(word) or query.spoken[word] for word in told}
    held = tuple(word for word in told if said.surface(word))
    groups = [*((word,) for word in told), *pairwise(told), held, told[:MOST_WORDS]]
    paths = [normalise_path("_".join(spoken[word] for word in group)) for group in groups if group]
    for path in dict.fromkeys((*_existing(graph, told, said, analyser, bounds), *paths)):
        if path is not None and path not in note.extraction.paths:
            yield Candidate(AddTag(note.id, path, category), _support(path, said, analyser))


def _existing(graph: TagGraph, told: Sequence[str], said: Said, analyser: Analyser, bounds: Bounds) -> list[str]:
    """Tags of the memory with a telling query word whose other words are in the question or in the note's text."""
    matched = graph.match(told)
    fitting = [tag for tag in matched if all(word in told or said.surface(word) for word in graph.words_of_tag[tag])]
    fitting.sort(key=lambda tag: (-len(matched[tag]), len(graph.words_of_tag[tag]), graph.paths[tag]))
    return [graph.paths[tag] for tag in fitting[: bounds.existing]]


def _support(path: str, said: Said, analyser: Analyser) -> int:
    """The cost of adding a tag: whose words it takes."""
    where = {said.where(word) for word in analyser.words(path)}
    if "nowhere" in where:
        return COSTS["add, not in the note's text"]
    return COSTS["add, said by the assistant" if "assistant" in where else "add, said by the user"]


def _dropped(note: Note, missed: Sequence[Inquiry], bounds: Bounds) -> Iterator[Candidate]:
    for path in note.extraction.paths:
        yield Candidate(DropTag(path, note.id), COSTS["drop from one note"])
    for inquiry in missed:
        if not inquiry.uses_tags:
            continue
        for hit in inquiry.in_front(bounds.competitors):
            for path in inquiry.matched.intersection(inquiry.memory[hit.note_id].extraction.paths):
                yield Candidate(DropTag(path, hit.note_id), COSTS["drop from one note"])
                if len(inquiry.graph.notes_of_tag[inquiry.graph.tag_number[path]]) > 1:
                    yield Candidate(DropTag(path), COSTS["drop from all notes"])


def _merged(graph: TagGraph, note: Note, query: QueryWords, analyser: Analyser, bounds: Bounds) -> Iterator[Candidate]:
    """Near-duplicates of the note's tags that hold a telling query word: written in the place of the note's own."""
    own = note.extraction.paths
    told = telling(query.distinct, analyser)
    matched = [graph.paths[tag] for tag in graph.match(told)]
    pairs = [
        (second, first) if second in own else (first, second)
        for first, second in (
            (each.first, each.second)
            for each in Ontology((*own, *matched)).near_duplicates()
            if (each.first in own) != (each.second in own)
        )
    ]
    for path, into in pairs[: bounds.merges]:
        yield Candidate(MergeTag(path, into), COSTS["merge into another tag"])


def setting_candidates(memory: Memory, text: str, note_id: str, label: str, config: Any) -> list[Candidate]:
    """Changes of one field of a method: each dropped word of the note let through, the filter muted, each switch, each alpha."""
    found: dict[tuple[str, Any], Candidate] = {}
    for edit, cost in (*_unfiltered(memory, text, note_id, label, config), *_switched(label, config)):
        found.setdefault((edit.field, edit.value), Candidate(edit, cost))
    return list(found.values())


def _unfiltered(memory: Memory, text: str, note_id: str, label: str, config: Any) -> Iterator[tuple[SetField, int]]:
    """The least share at which a dropped word that the note holds is kept; rarer dropped words pass with it."""
    if not isinstance(config, FilterConfig):
        return
    query, analyser = asked_words(memory, text, config), Analyser(config.normaliser)
    base = memory.base if memory.base is not None else memory
    index = term_index(base, analyser, config.index_fields)
    held = memory.word_counts(analyser, config.index_fields)[rows(memory)[note_id]]
    for word in query.dropped:
        if word in held:
            share = math.ceil(10_000 * index.frequency(word) / index.n_notes) / 10_000
            yield SetField(label, "filter_share", min(1.0, share), query.spoken[word]), COSTS["unfilter a word"]
    if query.dropped:
        yield SetField(label, "filter_share", 1.0), COSTS["change a setting"]


def _switched(label: str, config: Any) -> Iterator[tuple[SetField, int]]:
    hints = get_type_hints(type(config))
    for field in fields(config):
        hint, value = hints[field.name], getattr(config, field.name)
        if field.name in NO_SWITCH:
            continue
        others: tuple[Any, ...] = ()
        if hint is bool:
            others = (not value,)
        elif get_origin(hint) is Literal:
            others = tuple(choice for choice in get_args(hint) if choice != value)
        elif field.name == "alpha":
            others = tuple(alpha for alpha in ALPHAS if alpha != value)
        for other in others:
            yield SetField(label, field.name, other), COSTS["change a setting"]
