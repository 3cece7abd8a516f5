"""Cut by k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.diagnose.checks.base import Check, Finding, register
from workbench.diagnose.inquiry import Inquiry, Place
from workbench.words import counted


@dataclass(frozen=True, slots=True)
class CutOff:
    """``tied``: notes in front with the same score, which the tie rule chose; ``gold``: notes in front that answer as well."""

    place: Place
    k: int
    tied: int
    gold: int


@register
class NotCut(Check):
    """Was it only the cut at k?

    Known for every ranking that holds the note. Lost where no earlier stage was: the note's score would do, and the tie rule or
    other gold notes took the places.
    """

    stage: ClassVar[str] = "cut"
    order: ClassVar[int] = 8

    def examine(self, inquiry: Inquiry) -> Finding:
        if inquiry.place is None or inquiry.hit is None:
            return self.finding("not available")
        before = inquiry.ranking.hits[: inquiry.place.rank - 1]
        tied = sum(hit.block == inquiry.hit.block and hit.note_id not in inquiry.gold for hit in before)
        gold = sum(hit.note_id in inquiry.gold for hit in before)
        return self.finding("lost", CutOff(inquiry.place, inquiry.k, tied, gold))

    def word(self, method: str, evidence: CutOff) -> str:
        took = [f"{counted(evidence.tied, 'note')} of equal score" if evidence.tied else ""]
        took += [f"{counted(evidence.gold, 'note')} that answer as well" if evidence.gold else ""]
        rank, k = evidence.place.rank, evidence.k
        return f"{method} ranked the note {rank}, cut at {k}: in front are {' and '.join(filter(None, took))}."
