"""Tagged otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.diagnose.checks.base import Check, Finding, quoted, register
from workbench.diagnose.inquiry import Inquiry
from workbench.diagnose.telling import telling


@dataclass(frozen=True, slots=True)
class TaggedOtherwise:
    """``asked``: the question's telling words as it says them, none of which is in ``tags``.

    ``tags``: the note's tags; ``with_answer``: those of them that hold a telling word of the answer.
    """

    asked: tuple[str, ...]
    tags: tuple[str, ...]
    with_answer: tuple[str, ...]


@register
class Tagged(Check):
    """Do question and tags use the same words?

    For methods with tags. Fails where no tag of the note is helpful (TAGGRAPH 5.5) and the stage before passed: the tags hold
    words of the answer, or the note speaks of the matter in other words than the question. Lost without another entry into the
    ranking, else weakened.
    """

    stage: ClassVar[str] = "tagged"
    order: ClassVar[int] = 3

    def examine(self, inquiry: Inquiry) -> Finding:
        if not inquiry.uses_tags:
            return self.without(inquiry)
        if inquiry.helpful:
            return self.finding("passed")
        graph, answer = inquiry.graph, frozenset(inquiry.answer_words)
        evidence = TaggedOtherwise(
            tuple(inquiry.words.spoken[word] for word in telling(inquiry.words.distinct, inquiry.analyser)),
            inquiry.tags,
            tuple(path for path in inquiry.tags if not answer.isdisjoint(graph.words_of_tag[graph.tag_number[path]])),
        )
        return self.finding("weakened" if inquiry.has_entry else "lost", evidence)

    def word(self, method: str, evidence: TaggedOtherwise) -> str:
        if not evidence.tags:
            return f"{method} had no tag to come in by: the note has no tags."
        asked = f"the question says {quoted(evidence.asked)}" if evidence.asked else "the question has no telling word"
        tags = evidence.with_answer or evidence.tags
        return f"{method} had no tag to come in by: {asked}, the note is tagged {quoted(tags)}."
