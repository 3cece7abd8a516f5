"""Diluted by diffusion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.diagnose.checks.base import Check, Finding, register
from workbench.diagnose.inquiry import Inquiry, Place


@dataclass(frozen=True, slots=True)
class DilutedBy:
    """The note's place with and without diffusion."""

    diffused: Place
    undiffused: Place


@register
class Diluted(Check):
    """Did diffusion carry others past the note?

    For methods whose configuration has ``diffusion`` switched on; found by running them again without. Lost where the note is
    among the first k without diffusion and ranked below with it. Where it is only better without and still missed, being
    outscored lost it, and that evidence gives both places.
    """

    stage: ClassVar[str] = "diluted"
    order: ClassVar[int] = 7

    def examine(self, inquiry: Inquiry) -> Finding:
        if not inquiry.has_diffusion:
            return self.without(inquiry)
        if inquiry.place is None or inquiry.undiffused is None or not inquiry.is_diluted:
            return self.finding("passed")
        return self.finding("lost", DilutedBy(inquiry.place, inquiry.undiffused))

    def word(self, method: str, evidence: DilutedBy) -> str:
        before, after = evidence.undiffused.rank, evidence.diffused.rank
        return (
            f"{method} has the note at rank {before} before mass spreads and at {after} after: diffusion carried others past it."
        )
