"""Helpful, but filtered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.diagnose.checks.base import Check, Finding, register
from workbench.diagnose.inquiry import Inquiry
from workbench.diagnose.tags import HelpfulTag
from workbench.diagnose.telling import telling
from workbench.terms import term_index


@dataclass(frozen=True, slots=True)
class DroppedWord:
    """A query word that the filter dropped, and in how many of how many notes it stands."""

    word: str
    spoken: str
    df: int
    notes: int


@dataclass(frozen=True, slots=True)
class FilteredOut:
    """The words that would have joined question and note; ``tags`` are the helpful tags they are in, none for lexical methods."""

    words: tuple[DroppedWord, ...]
    tags: tuple[HelpfulTag, ...]


@register
class Filtered(Check):
    """Did the 15% filter drop what joins question and note?

    For methods behind the filter. With tags: fails where the note has helpful tags and the method matched none of them, its
    fallback included; lost without another entry into the ranking, else weakened. Without tags: lost where the note is not
    ranked and shares a telling word with the query, and the filter dropped all shared ones.
    """

    stage: ClassVar[str] = "filtered"
    order: ClassVar[int] = 4

    def examine(self, inquiry: Inquiry) -> Finding:
        if not inquiry.has_filter:
            return self.without(inquiry)
        if inquiry.uses_tags:
            is_shut = bool(inquiry.helpful) and inquiry.matched.isdisjoint(tag.path for tag in inquiry.helpful)
            words = tuple(dict.fromkeys(word for tag in inquiry.helpful for word in tag.dropped))
        else:
            shared = tuple(word for word in inquiry.words.dropped if word in inquiry.indexed)
            words = telling(shared, inquiry.analyser) if inquiry.hit is None else ()
            is_shut = bool(words)
        if not is_shut:
            return self.finding("passed")
        evidence = FilteredOut(self._dropped(inquiry, words), inquiry.helpful if inquiry.uses_tags else ())
        return self.finding("weakened" if inquiry.has_entry else "lost", evidence)

    @staticmethod
    def _dropped(inquiry: Inquiry, words: tuple[str, ...]) -> tuple[DroppedWord, ...]:
        memory = inquiry.memory.base if inquiry.memory.base is not None else inquiry.memory
        index = term_index(memory, inquiry.analyser, inquiry.config.index_fields)
        return tuple(DroppedWord(word, inquiry.words.spoken[word], index.frequency(word), index.n_notes) for word in words)

    def word(self, method: str, evidence: FilteredOut) -> str:
        words = ", ".join(f'"{each.spoken}" (in {each.df} of {each.notes} notes)' for each in evidence.words)
        return f"{method} dropped as common what joins question and note: {words}."
