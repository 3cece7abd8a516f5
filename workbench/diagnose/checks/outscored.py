"""Reached, but outscored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from workbench.diagnose.checks.base import Check, Finding, register
from workbench.diagnose.inquiry import Competitor, Inquiry, Place
from workbench.words import counted, number


@dataclass(frozen=True, slots=True)
class Outscored:
    """``ahead`` and ``tied``: how many notes other than gold scored more and the same; ``first`` names the best of them.

    ``lead``: by how much the last of the k places was won, 0 where the tie rule gave it. ``through``: the tags, terms or seeds
    that most of the first brought their scores from, with how many of them. ``undiffused``: the place without diffusion, None
    where there is none or the method does not diffuse.
    """

    place: Place
    score: float
    ahead: int
    tied: int
    first: tuple[str, ...]
    lead: float
    through: tuple[tuple[str, int], ...]
    undiffused: Place | None


@register
class NotOutscored(Check):
    """Did others score more, or crowd it out with the same score?

    Known for every ranking that holds the note. Lost where the note is beyond k in the middle of its ties, other gold left out:
    notes that scored more, and half of those that scored the same, are k or more. Not lost where the next stage explains it:
    without diffusion the note is among the first k.
    """

    stage: ClassVar[str] = "outscored"
    order: ClassVar[int] = 6

    def examine(self, inquiry: Inquiry) -> Finding:
        if inquiry.place is None or inquiry.hit is None:
            return self.finding("not available")
        if not inquiry.is_crowded_out or inquiry.is_diluted:
            return self.finding("passed")
        first, spoken = inquiry.competitors(inquiry.k), inquiry.words.spoken if inquiry.is_known else {}
        evidence = Outscored(
            inquiry.place,
            inquiry.hit.score,
            len(inquiry.ahead),
            len(inquiry.tied),
            tuple(each.note_id for each in first),
            inquiry.ranking.hits[inquiry.k - 1].score - inquiry.hit.score,
            tuple((spoken.get(name, name), count) for name, count in through(first)),
            inquiry.undiffused if inquiry.has_diffusion else None,
        )
        return self.finding("lost", evidence)

    def word(self, method: str, evidence: Outscored) -> str:
        others = [f"{counted(evidence.ahead, 'other')} scored more" if evidence.ahead else ""]
        others += [f"{counted(evidence.tied, 'other')} the same" if evidence.tied else ""]
        most = f", most of the first through {evidence.through[0][0]!r}" if evidence.through else ""
        missing = f"; {number(evidence.lead)} more would have been needed" if evidence.lead > 0 else ""
        return f"{method} ranked the note {evidence.place.rank}: {', '.join(filter(None, others))}{most}{missing}."


def through(first: Sequence[Competitor]) -> tuple[tuple[str, int], ...]:
    """What the scores of several notes came from: matched tags of a traversal, else the largest part; the commonest first."""
    counts: Counter[str] = Counter()
    for each in first:
        tags = [tag for part in each.parts for tag in part.detail.get("matched_tags", ())]
        counts.update(dict.fromkeys(tags or [part.name for part in each.parts[:1]], 1))
    return tuple(counts.most_common(3))
