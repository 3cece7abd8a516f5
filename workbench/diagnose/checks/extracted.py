"""Extracted without the fact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.diagnose.checks.base import Check, Finding, quoted, register
from workbench.diagnose.inquiry import Inquiry
from workbench.diagnose.telling import telling


@dataclass(frozen=True, slots=True)
class FactLeftOut:
    """Telling words of question and answer that the note's text holds and its tags do not.

    ``by_user`` and ``by_assistant`` (only there) are as the note says them; ``tags`` are the note's.
    """

    by_user: tuple[str, ...]
    by_assistant: tuple[str, ...]
    tags: tuple[str, ...]


@register
class Extracted(Check):
    """Did the fact become a tag?

    For methods with tags. Fails where no tag of the note is helpful and none holds a telling word of the answer, although the
    text of the note holds a telling word of question or answer. A failure is lost where the note has no other entry into the
    ranking, else weakened.
    """

    stage: ClassVar[str] = "extracted"
    order: ClassVar[int] = 2

    def examine(self, inquiry: Inquiry) -> Finding:
        if not inquiry.uses_tags:
            return self.without(inquiry)
        if inquiry.helpful or not inquiry.tag_words.isdisjoint(inquiry.answer_words):
            return self.finding("passed")
        wanted = (*telling(inquiry.words.distinct, inquiry.analyser), *inquiry.answer_words)
        said = inquiry.said
        by_user = tuple(said.user[word] for word in wanted if word in said.user)
        by_assistant = tuple(said.assistant[word] for word in wanted if said.where(word) == "assistant")
        if not by_user and not by_assistant:
            return self.finding("passed")
        evidence = FactLeftOut(by_user, by_assistant, inquiry.tags)
        return self.finding("weakened" if inquiry.has_entry else "lost", evidence)

    def word(self, method: str, evidence: FactLeftOut) -> str:
        said = f"the user says {quoted(evidence.by_user)}" if evidence.by_user else ""
        if not said:
            said = f"only the assistant says {quoted(evidence.by_assistant)}"
        of_it = "no tag keeps it" if evidence.tags else "the note has no tags"
        return f"{method} had no tag to come in by: {said}, and {of_it}."
