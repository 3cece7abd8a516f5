"""Helpful tags of a note, and the query words that lack one (TAGGRAPH 5.5).

A tag is helpful where it is attached to the note and shares a word with the query, both through the same analyser; neither the
15% filter nor the ranking has a say in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from rapidfuzz import fuzz, process

from workbench.diagnose.telling import telling
from workbench.graph import GraphConfig, TagGraph, tag_graph
from workbench.memory import Memory
from workbench.methods.base import FilterConfig, LexicalConfig
from workbench.methods.tags import StopwordsConfig
from workbench.notes import FIELDS
from workbench.ontology import matched_segments
from workbench.records import Note
from workbench.terms import QueryWords, query_words
from workbench.text import Analyser

Where = Literal["user", "assistant", "nowhere"]
NEAR_FROM = 80.0
"""Least similarity of a near tag, 0-100 (ours)."""
NEAR_SHOWN = 5
"""Near tags given for a word, of each way to be near (ours)."""

NearTags = Callable[[str, Sequence[str]], Iterable[tuple[str, float]]]
"""Finds tags near to a word among paths: (path, similarity 0-100), best first."""
Nearness = Literal["spelling", "meaning"]


@dataclass(frozen=True, slots=True)
class HelpfulTag:
    """A tag of the note that the query matches. ``words``: the index words they share; ``dropped``: those of them the 15% filter
    drops."""

    path: str
    words: tuple[str, ...]
    dropped: tuple[str, ...] = ()

    @property
    def is_filtered(self) -> bool:
        """Whether no word is left after the filter."""
        return len(self.dropped) == len(self.words)


@dataclass(frozen=True, slots=True)
class NearTag:
    """A tag of the memory that is near to a query word. ``score``: 0-100; ``notes``: how many notes carry it."""

    path: str
    score: float
    notes: int
    is_on_note: bool
    by: Nearness = "spelling"


@dataclass(frozen=True, slots=True)
class MissingWord:
    """A query word that no tag of the note holds.

    ``where`` is the user's text, only the assistant's, or nowhere in the note: a vocabulary gap. ``spoken`` is the word as the
    query says it. Near tags are sought for telling words only.
    """

    word: str
    spoken: str
    where: Where
    is_telling: bool
    is_common: bool
    near: tuple[NearTag, ...] = ()


@dataclass(frozen=True, slots=True)
class TagReport:
    """The tags of one note against one query."""

    note_id: str
    tags: tuple[str, ...]
    helpful: tuple[HelpfulTag, ...]
    missing: tuple[MissingWord, ...]

    @property
    def filtered(self) -> tuple[HelpfulTag, ...]:
        """Helpful tags of which the 15% filter leaves no word."""
        return tuple(tag for tag in self.helpful if tag.is_filtered)


def asked_words(memory: Memory, text: str, config: Any) -> QueryWords:
    """A query's words under a configuration's analyser and, where it has one, its 15% filter."""
    fields = config.index_fields if isinstance(config, LexicalConfig) else FIELDS
    share, floor = (config.filter_share, config.filter_floor) if isinstance(config, FilterConfig) else (None, 0)
    return query_words(text, memory, Analyser(config.normaliser), fields, share, floor)


def rows(memory: Memory) -> dict[str, int]:
    """The row of each note id in ``memory.notes``."""
    return memory.view("rows", lambda memory: {note.id: row for row, note in enumerate(memory.notes)})


def helpful_tags(graph: TagGraph, row: int, query: QueryWords) -> tuple[HelpfulTag, ...]:
    """The helpful tags of a note (its row), in the order of its tags."""
    found = []
    for tag in graph.tags_of_note[row]:
        words = tuple(word for word in query.distinct if word in graph.words_of_tag[tag])
        if words:
            found.append(HelpfulTag(graph.paths[tag], words, tuple(word for word in words if word in query.dropped)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Said:
    """The index words of a note's text, each as it is said first: by the user, and by the assistant."""

    user: Mapping[str, str]
    assistant: Mapping[str, str]

    @staticmethod
    def of(note: Note, analyser: Analyser) -> Said:
        spoken: dict[str, dict[str, str]] = {"user": {}, "assistant": {}}
        for turn in note.interaction.turns:
            text = turn.full_text
            for word, surface in zip(analyser.words(text), analyser.surface(text), strict=True):
                spoken[turn.role].setdefault(word, surface)
        return Said(spoken["user"], spoken["assistant"])

    def where(self, word: str) -> Where:
        """Whose text holds a word; the user's counts first."""
        return "user" if word in self.user else "assistant" if word in self.assistant else "nowhere"

    def surface(self, word: str) -> str | None:
        """The word as the note says it; None where it does not."""
        return self.user.get(word) or self.assistant.get(word)


def near_by_spelling(word: str, paths: Sequence[str]) -> list[tuple[str, float]]:
    """Paths with a word spelled like the one given: rapidfuzz's ratio of the likest word of each path, from ``NEAR_FROM`` on.

    Words that hold a digit are near to nothing but themselves.

    Examples
    --------
    >>> [path for path, score in near_by_spelling("museums", ["place/museum", "music/guitar"])]
    ['place/museum']
    """
    plain = Analyser("simple")
    owners: dict[str, list[str]] = {}
    for path in paths:
        for each in dict.fromkeys(plain.words(" ".join(matched_segments(path)))):
            owners.setdefault(each, []).append(path)
    if any(c.isdigit() for c in word):
        return [(path, 100.0) for path in owners.get(word, ())]
    best: dict[str, float] = {}
    for each, score, _ in process.extract(word, list(owners), scorer=fuzz.ratio, score_cutoff=NEAR_FROM, limit=None):
        if not any(c.isdigit() for c in each):
            for path in owners[each]:
                best[path] = max(best.get(path, 0.0), round(float(score), 1))
    return sorted(best.items(), key=lambda item: (-item[1], item[0]))


BY_SPELLING: Mapping[Nearness, NearTags] = MappingProxyType({"spelling": near_by_spelling})


def tag_report(
    memory: Memory,
    note_id: str,
    text: str,
    config: GraphConfig | None = None,
    near: Mapping[Nearness, NearTags] = BY_SPELLING,
) -> TagReport:
    """Helpful and missing helpful tags of a note for a query.

    Parameters
    ----------
    memory : Memory
    note_id : str
    text : str
        The query.
    config : GraphConfig, optional
        Whose analyser and 15% filter count; by default those of ``tag_stopwords``.
    near : mapping
        How near tags are found; a tag that is near in two ways counts under the first.

    Raises
    ------
    KeyError
        If the memory holds no such note.
    """
    if note_id not in memory:
        raise KeyError(f"the memory holds no note {note_id!r}")
    config = StopwordsConfig() if config is None else config
    graph, query, analyser = tag_graph(memory, config), asked_words(memory, text, config), Analyser(config.normaliser)
    note, row = memory[note_id], rows(memory)[note_id]
    own = frozenset[str]().union(*(graph.words_of_tag[tag] for tag in graph.tags_of_note[row]))
    said, told = Said.of(note, analyser), telling(query.distinct, analyser)
    tags = note.extraction.paths

    def near_tags(spoken: str) -> Iterator[NearTag]:
        found = set[str]()
        for way, finder in near.items():
            new = [(path, score) for path, score in finder(spoken, graph.paths) if path not in found][:NEAR_SHOWN]
            for path, score in new:
                found.add(path)
                yield NearTag(path, score, len(graph.notes_of_tag[graph.tag_number[path]]), path in tags, way)

    def missing(word: str) -> MissingWord:
        spoken, is_telling = query.spoken[word], word in told
        close = tuple(near_tags(spoken)) if is_telling else ()
        return MissingWord(word, spoken, said.where(word), is_telling, word in query.dropped, close)

    lacking = tuple(missing(word) for word in query.distinct if word not in own)
    return TagReport(note_id, tags, helpful_tags(graph, row, query), lacking)
