"""What a failure check is: it looks at one stage between the store and the first k, and returns evidence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from workbench.diagnose.inquiry import Inquiry
from workbench.registry import Registry

Status = Literal["passed", "weakened", "lost", "not applicable", "not available"]
"""``weakened``: the stage failed, but the note came into the ranking by another way. ``not applicable``: the method has no such
stage. ``not available``: it cannot be known of this method or ranking."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. ``evidence`` is the check's own record; None where there is nothing to say."""

    stage: str
    status: Status
    evidence: Any = None


class Check(ABC):
    """One stage. The class docstring's first line is its help; the rest its definition.

    ``order`` is its place in the trace; ``question`` heads it on a page.
    """

    stage: ClassVar[str]
    order: ClassVar[int]

    @abstractmethod
    def examine(self, inquiry: Inquiry) -> Finding:
        """Look at a note that is not among the first k, of which every earlier stage is not lost."""

    @abstractmethod
    def word(self, method: str, evidence: Any) -> str:
        """The evidence of a lost stage as one plain sentence."""

    def finding(self, status: Status, evidence: Any = None) -> Finding:
        return Finding(self.stage, status, evidence)

    def without(self, inquiry: Inquiry) -> Finding:
        """For a method that has no such stage, or of which nothing is known."""
        return self.finding("not applicable" if inquiry.is_known else "not available")


checks: Registry[Check] = Registry("failure check", "workbench.diagnose.checks", "workbench.checks")


def register(check: type[Check]) -> type[Check]:
    """Decorator that enters a check under the name of its stage."""
    checks.register(check.stage)(check())
    return check


def quoted(words: tuple[str, ...], most: int = 4) -> str:
    """A few words or tags as a sentence lists them.

    Examples
    --------
    >>> quoted(("tea", "cake")), quoted(("a", "b", "c"), 2)
    ('"tea", "cake"', '"a", "b" and 1 more')
    """
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(f'"{word}"' for word in words[:most]) + more
