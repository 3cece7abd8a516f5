"""How much of an extraction its notes' texts support, by category, and which tags nothing supports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.diagnose.support import SOURCES, Source, Spoken, TagSupport
from workbench.evaluate.estimates import Estimate, estimates
from workbench.records import CATEGORIES, Note

ALL = "all"
"""The row over all categories."""
LISTED = 2000
"""Unsupported tags that are listed of an extraction; they are counted all (ours)."""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A tag that nothing in its note supports; ``missing`` are the words of its last segment that were not said."""

    case: str
    note: str
    category: str
    path: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseSupport:
    """The tags of a case by (category, what supports them), and those that nothing does."""

    counts: Mapping[tuple[str, Source | None], int]
    unsupported: tuple[TagSupport, ...]

    @staticmethod
    def of(notes: Iterable[Note], spoken: Mapping[str, Spoken]) -> CaseSupport:
        """Check a case's notes against their texts, by note id."""
        found = [spoken[note.id].support(note.id, *pair) for note in notes for pair in note.extraction.pairs()]
        return CaseSupport(
            Counter((each.category, each.source) for each in found), tuple(each for each in found if each.source is None)
        )

    def share(self, category: str) -> float | None:
        """Share of a category's tags that nothing supports; None where there is no tag."""
        tags = {source: self._count(category, source) for source in (*SOURCES, None)}
        total = sum(tags.values())
        return tags[None] / total if total else None

    def _count(self, category: str, source: Source | None) -> int:
        names = CATEGORIES if category == ALL else (category,)
        return sum(self.counts.get((name, source), 0) for name in names)


@dataclass(frozen=True, slots=True)
class SupportRow:
    """The tags of one category of an extraction by what supports them; ``share``: unsupported ones, mean over cases."""

    extraction: str
    category: str
    tags: int
    user: int
    assistant: int
    session_date: int
    unsupported: int
    share: Estimate


def support_rows(extraction: str, cases: Sequence[CaseSupport]) -> tuple[SupportRow, ...]:
    """The support of an extraction: all categories together, then each that has a tag."""
    total: Counter[tuple[str, Source | None]] = Counter()
    for case in cases:
        total.update(case.counts)
    names = [ALL, *(name for name in CATEGORIES if any(total[name, source] for source in (*SOURCES, None)))]
    shares = estimates([[case.share(name) for case in cases] for name in names])
    return tuple(_row(extraction, name, CaseSupport(total, ()), share) for name, share in zip(names, shares, strict=True))


def _row(extraction: str, name: str, total: CaseSupport, share: Estimate) -> SupportRow:
    user, assistant, session_date, none = (total._count(name, source) for source in (*SOURCES, None))
    return SupportRow(extraction, name, user + assistant + session_date + none, user, assistant, session_date, none, share)


def listed(cases: Iterable[tuple[str, CaseSupport]]) -> Iterator[Unsupported]:
    """The unsupported tags of all cases, in their order."""
    for case, found in cases:
        for each in found.unsupported:
            yield Unsupported(case, each.note_id, each.category, each.path, each.missing)
