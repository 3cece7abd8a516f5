"""Tags that a note's text does not support: a deterministic check before tags enter a graph (TAGGRAPH 6.3 suggests one).

A tag is supported where every word of its last segment was said in the note. The rules are ours throughout, and lean to
"supported": what they flag is worth a look, and what they pass may still be wrong.

- Words meet by their stems, and irregular forms by their base (bought, buy). Closed-class words of a segment that has others,
  the "to" of ``trip_to_rome``, need not be said.
- A word with letters beyond ASCII also counts inside a longer one: some scripts put no space between words.
- For a leaf that the lexicon knows, in whatever domain, one of its aliases suffices, its words in a row.
- A speaker's name counts as said by the speaker; the signs $, € and £ and % count as their words.
- A date is supported by words that say all of it, seen from the session's date: "yesterday", "on May 20th", "last week". A year
  or month that was not said may be the session's own, and a year the one before or after. A date that only names the session's
  date, or a part of it, is supported by that.
- What the user said comes first; what only the assistant said is told apart, since TAGGRAPH 3.1 does not extract from it. In an
  exchange of two people the second speaker stands in the assistant's place.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from typing import Any, Literal

from workbench.diagnose.telling import telling
from workbench.extract.dates import MONTHS, Tense, calendar_date, relative_dates
from workbench.extract.english import pipeline
from workbench.extract.lexicon import Lexicon
from workbench.records import Interaction, Note
from workbench.text import Analyser

RULES = 1
"""Raised whenever a rule changes which tags are supported: part of what identifies a filtered extraction."""

Source = Literal["user", "assistant", "session date"]
"""What supports a tag: the user's words, words of which the assistant said at least one, or the day of speaking."""
SOURCES: tuple[Source, ...] = ("user", "assistant", "session date")

_ANALYSER = Analyser()
_SIGNS = {"$": "dollar dollars usd", "€": "euro euros eur", "£": "pound pounds gbp", "%": "percent per cent"}
_NUMERIC_DATE = re.compile(r"\b(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}/\d{1,2}(?:/\d{2,4})?)\b")
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")
_TENSES: tuple[Tense, ...] = ("past", "future")


@dataclass(frozen=True, slots=True)
class TagSupport:
    """What supports a tag of a note; ``source`` is None where nothing does, and ``missing`` are the leaf's words not said."""

    note_id: str
    category: str
    path: str
    source: Source | None
    missing: tuple[str, ...] = ()


def tag_support(note: Note) -> tuple[TagSupport, ...]:
    """Every (category, tag) of a note with what supports it, in the note's order.

    Examples
    --------
    >>> from workbench.records import Extraction, Turn
    >>> turns = (Turn("user", "I bought two tickets to Rome."), Turn("assistant", "Try the museums."))
    >>> tags = Extraction(what=("action/buy", "art/museum", "food/pizza"), where=("place/rome",))
    >>> [(each.path, each.source) for each in tag_support(Note(Interaction("n", "s", turns, 0, 1), tags))]
    [('action/buy', 'user'), ('art/museum', 'assistant'), ('food/pizza', None), ('place/rome', 'user')]
    """
    spoken = Spoken(note.interaction)
    return tuple(spoken.support(note.id, *pair) for pair in note.extraction.pairs())


@cache
def _words(text: str) -> tuple[tuple[str, str], ...]:
    """(surface, stem) of each telling word of a segment; of all its words where none is."""
    pairs = tuple(zip(_ANALYSER.surface(text), _ANALYSER.words(text), strict=True))
    told = set(telling((stem for _, stem in pairs), _ANALYSER))
    return tuple(pair for pair in pairs if pair[1] in told) or pairs


@cache
def _irregular() -> dict[str, tuple[str, ...]]:
    """Stems of the base forms of irregular English words, by the word, from the packaged model's tables."""
    lemmatizer: Any = pipeline().get_pipe("lemmatizer")
    tables = lemmatizer.lookups.get_table("lemma_exc")
    found: defaultdict[str, list[str]] = defaultdict(list)
    for kind in ("verb", "noun", "adj"):
        for word, bases in tables[kind].items():
            found[word] += [stem for base in bases for stem in _ANALYSER.words(base)]
    return {word: tuple(dict.fromkeys(stems)) for word, stems in found.items()}


def _bases(word: str) -> tuple[str, ...]:
    """Stems of the base forms of an irregular word; none for a regular one. The tables leave the many words in -men to a rule."""
    more = _ANALYSER.words(f"{word[:-3]}man") if word.endswith("men") else ()
    return (*_irregular().get(word, ()), *more)


@cache
def _aliases() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Aliases as stems in a row, by the stems of the leaf's name; domains are not told apart."""
    found: defaultdict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    for alias in Lexicon.load().aliases:
        if alias.path:
            found[tuple(_ANALYSER.words(alias.path.rpartition("/")[2]))][_row(alias.stems)] = None
    return {leaf: tuple(rows) for leaf, rows in found.items()}


def _row(stems: Iterable[str]) -> str:
    """Stems as one text in which a row of whole words can be sought."""
    return f" {' '.join(stems)} "


class Said:
    """What was said in a stretch of text on a day, as tags are held against it."""

    def __init__(self, text: str, speakers: Iterable[str] = (), day: date | None = None) -> None:
        self.text = text
        self.day = day
        stems = _ANALYSER.words(text)
        self.row = _row(stems)
        surface = set(_ANALYSER.surface(text))
        words = set(stems)
        for word in surface:
            words.update(_bases(word))
            if found := _ORDINAL.fullmatch(word):
                words.add(found[1])
        for sign, names in _SIGNS.items():
            if sign in text:
                words.update(_ANALYSER.words(names))
        for name in speakers:
            words.update(_ANALYSER.words(name))
        self.words = frozenset(words)

    def missing(self, leaf: str) -> tuple[str, ...]:
        """The words of a tag's last segment that were not said; none where the segment is supported."""
        wanted = _words(leaf)
        found = tuple(surface for surface, stem in wanted if not self._says(surface, stem))
        if found and any(row in self.row for row in _aliases().get(tuple(_ANALYSER.words(leaf)), ())):
            return ()
        return found

    def _says(self, surface: str, stem: str) -> bool:
        if not self.words.isdisjoint((stem, *_bases(surface))):
            return True
        return not surface.isascii() and surface in self.text.casefold()  # scripts that write no spaces

    def says_date(self, parts: frozenset[str]) -> bool:
        """Whether a date's parts are said, seen from the day of speaking."""
        if any(parts <= found for found in self._dates):
            return True
        day = self.day
        own = {str(year) for year in range(day.year - 1, day.year + 2)} | {MONTHS[day.month - 1]} if day else set()
        left = self.left(parts)
        return len(left) < len(parts) and own.issuperset(left)

    def left(self, parts: Iterable[str]) -> tuple[str, ...]:
        """The parts of a date that were not said, in alphabetical order."""
        return tuple(sorted(part for part in parts if not self._says_part(part)))

    def _says_part(self, part: str) -> bool:
        """Whether a part of a date is said; of a month, also its first three letters."""
        names = {part, part[:3]} if part in MONTHS else {part}
        return not self.words.isdisjoint(stem for name in names for stem in _ANALYSER.words(name))

    @cached_property
    def _dates(self) -> frozenset[frozenset[str]]:
        """The parts of all that reads as a date, under either tense: the check can afford not to parse the sentence."""
        found: set[str | None] = set()
        for tense in _TENSES:
            found |= {hit.path for hit in relative_dates(self.text, self.day, lambda _, tense=tense: tense)}  # type: ignore[misc]
            found |= {calendar_date(match[0], self.day, tense) for match in _NUMERIC_DATE.finditer(self.text)}
        return frozenset(_parts(path) for path in found if path)


def _parts(path: str) -> frozenset[str]:
    """The words of a date's path without its root, figures without leading zeros: 2023, may, 20.

    >>> sorted(_parts("date/2023/may_20")), sorted(_parts("2023_05_20"))
    (['20', '2023', 'may'], ['20', '2023', 'may'])
    """
    words = [word for word in Analyser("simple").surface(path) if word not in ("date", "time")]
    plain = [word.lstrip("0") or "0" if word.isdecimal() else word for word in words]
    if len(plain) > 1 and all(word.isdecimal() for word in plain) and len(plain[0]) == 4 and 1 <= int(plain[1]) <= len(MONTHS):
        plain[1] = MONTHS[int(plain[1]) - 1]
    return frozenset(plain)


class Spoken:
    """The texts of one interaction; words and dates are read once, however many tags and extractions are held against them."""

    def __init__(self, interaction: Interaction) -> None:
        self._interaction = interaction
        self._day = interaction.time.date() if interaction.time else None

    @cached_property
    def _said(self) -> tuple[tuple[Source, Said], ...]:
        """What the user said, and what both said."""
        turns = self._interaction.turns
        own = [turn for turn in turns if turn.role == "user"]
        return (
            ("user", Said("\n".join(turn.full_text for turn in own), {turn.speaker for turn in own}, self._day)),
            ("assistant", Said("\n".join(turn.full_text for turn in turns), {turn.speaker for turn in turns}, self._day)),
        )

    def support(self, note_id: str, category: str, path: str) -> TagSupport:
        """What supports a tag."""
        is_date = path.startswith(("date/", "time/"))
        missing: tuple[str, ...] = ()
        if not is_date:
            leaf = path.rpartition("/")[2]
            for source, said in self._said:
                missing = said.missing(leaf)
                if not missing:
                    return TagSupport(note_id, category, path, source)
        if is_date or category == "when":
            by_date = self._date(path)
            if by_date is not None:
                return TagSupport(note_id, category, path, by_date)
        return TagSupport(note_id, category, path, None, missing or self._said[-1][1].left(_parts(path)))

    def _date(self, path: str) -> Source | None:
        parts, day = _parts(path), self._day
        for source, said in self._said:
            if parts and said.says_date(parts):
                return source
        is_session = day is not None and parts <= {str(day.year), MONTHS[day.month - 1], str(day.day)}
        return "session date" if parts and is_session else None
