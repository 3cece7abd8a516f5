"""Never in the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.diagnose.checks.base import Check, Finding, register
from workbench.diagnose.inquiry import Inquiry


@dataclass(frozen=True, slots=True)
class NotStored:
    """The gold as the question names it, and how many notes the memory holds."""

    gold: str
    notes: int


@register
class Stored(Check):
    """Is the evidence in the memory at all?

    Lost where the memory holds no such note, session, turn or text. Known for every method and ranking.
    """

    stage: ClassVar[str] = "stored"
    order: ClassVar[int] = 1

    def examine(self, inquiry: Inquiry) -> Finding:
        if inquiry.is_stored:
            return self.finding("passed")
        return self.finding("lost", NotStored(inquiry.note_id, len(inquiry.memory)))

    def word(self, method: str, evidence: NotStored) -> str:
        return f'The memory holds nothing that answers: "{evidence.gold}" is in none of its {evidence.notes} notes.'
