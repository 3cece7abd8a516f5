"""Matched, but not reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.diagnose.checks.base import Check, Finding, quoted, register
from workbench.diagnose.inquiry import Inquiry


@dataclass(frozen=True, slots=True)
class NotReached:
    """``candidates``: how many notes the method did rank. ``tags``: the note's tags that the method matched, for methods with
    tags. ``shared``: query words in the note's indexed text, for lexical methods; None where that is not known. ``remarks`` are
    the ranking's own."""

    candidates: int
    tags: tuple[str, ...]
    shared: tuple[str, ...] | None
    remarks: tuple[str, ...]


@register
class Reached(Check):
    """Did the method give the note a score?

    Known for every method that ranks all its candidates; not available for a list that was cut. Lost where the note is not
    among them although no earlier stage lost it.
    """

    stage: ClassVar[str] = "reached"
    order: ClassVar[int] = 5

    def examine(self, inquiry: Inquiry) -> Finding:
        if inquiry.hit is not None:
            return self.finding("passed")
        if not inquiry.is_complete:
            return self.finding("not available")
        tags: tuple[str, ...] = ()
        shared: tuple[str, ...] | None = None
        if inquiry.uses_tags:
            tags = tuple(tag.path for tag in inquiry.helpful if tag.path in inquiry.matched)
        elif inquiry.is_known:
            shared = tuple(inquiry.words.spoken[word] for word in inquiry.words.distinct if word in inquiry.indexed)
        return self.finding("lost", NotReached(inquiry.ranking.candidates, tags, shared, inquiry.ranking.remarks))

    def word(self, method: str, evidence: NotReached) -> str:
        if evidence.tags:
            why = f"its tags {quoted(evidence.tags)} were matched, but no score came from them to the note"
        elif evidence.shared == ():
            why = "the note's text shares no word with the question"
        elif evidence.shared:
            why = f"all its text shares with the question is {quoted(evidence.shared)}"
        elif evidence.remarks:
            why = "; ".join(evidence.remarks)
        else:
            why = "the method does not say why"
        return f"{method} ranked {evidence.candidates} notes and not this one: {why}."
