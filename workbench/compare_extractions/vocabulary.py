"""The tag vocabulary of an extraction, case by case: what the paper's Appendix D reports by its description in TAGGRAPH 5.3."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.embed.base import Embedder
from workbench.embed.near import near_duplicates_by_meaning
from workbench.evaluate.estimates import Estimate, estimates
from workbench.ontology import NearDuplicate, OntologyReport
from workbench.records import CATEGORIES, Note

PARTS = 10
"""Parts into which a case's notes are cut for the curve of their tags (ours): cases of all lengths meet in it."""
BY_SPELLING = ("same words", "similar spelling")


@dataclass(frozen=True)
class CaseVocabulary:
    """The vocabulary of one case. ``uses`` counts the notes that carry each tag; ``near`` are near-duplicates, by meaning too
    where that was asked for; ``failures`` is None where the extractor counts none."""

    report: OntologyReport
    by_category: Mapping[str, int]
    uses: Mapping[str, int]
    near: tuple[NearDuplicate, ...]
    has_meaning: bool
    failures: int | None

    @staticmethod
    def of(notes: Sequence[Note], meaning: Embedder | None = None, failures: int | None = None) -> CaseVocabulary:
        """Read the vocabulary of a case's notes; ``meaning`` is the backend that finds near-duplicates by meaning."""
        report = OntologyReport.of(notes)
        uses = Counter(path for note in notes for path in note.extraction.paths)
        categories = Counter(category for note in notes for category, _ in note.extraction.pairs())
        by_meaning = near_duplicates_by_meaning(tuple(uses), meaning) if meaning is not None else ()
        return CaseVocabulary(report, categories, uses, (*report.near_duplicates, *by_meaning), meaning is not None, failures)

    def near_count(self, is_by_meaning: bool) -> int:
        """Pairs of near-duplicates found by spelling, or by meaning."""
        return sum((pair.reason not in BY_SPELLING) == is_by_meaning for pair in self.near)

    def distinct_after(self, part: int) -> float | None:
        """Distinct tags after the first ``part`` tenths of the notes, rounded up to whole notes; None where there is no note."""
        new = self.report.new_by_note
        return float(sum(new[: math.ceil(part * len(new) / PARTS)])) if new else None


@dataclass(frozen=True, slots=True)
class VocabularyRow:
    """The vocabulary of an extraction over all cases. Estimates are means over cases with their 95% intervals.

    Attributes
    ----------
    notes, untagged, tags, distinct_overall : int
        Notes, those without a tag, (note, tag) incidences, and distinct tags over all cases together.
    failures : int or None
        Notes for which the extractor failed; None where it does not count them.
    distinct : Estimate
        Distinct tags a case (TAGGRAPH 5.3).
    tags_per_note, by_category : Estimate
        Distinct tags a note; and tags a note by category of who, what, when, where, why, extra.
    reuse : Estimate
        Notes a distinct tag is on.
    single_note_share : Estimate
        Share of distinct tags that one note only carries, in [0, 1].
    near_by_spelling, near_by_meaning : Estimate
        Pairs of near-duplicates a case; by meaning None where that was not asked for.
    growth : tuple of Estimate
        Distinct tags a case after each tenth of its notes: the curve of new tags, which flattens where a vocabulary converges.
    """

    extraction: str
    cases: int
    notes: int
    untagged: int
    failures: int | None
    tags: int
    distinct_overall: int
    distinct: Estimate
    tags_per_note: Estimate
    by_category: Mapping[str, Estimate]
    reuse: Estimate
    single_note_share: Estimate
    near_by_spelling: Estimate
    near_by_meaning: Estimate | None
    growth: tuple[Estimate, ...]


def vocabulary_row(extraction: str, cases: Sequence[CaseVocabulary]) -> VocabularyRow:
    """What the vocabularies of an extraction's cases amount to."""
    reports = [case.report for case in cases]
    columns: list[list[float | None]] = [
        [float(report.distinct) for report in reports],
        [report.tags_per_note for report in reports],
        [report.reuse for report in reports],
        [report.single_note_share for report in reports],
        [float(case.near_count(is_by_meaning=False)) for case in cases],
        [float(case.near_count(is_by_meaning=True)) for case in cases],
        *(
            [case.by_category.get(name, 0) / case.report.notes if case.report.notes else None for case in cases]
            for name in CATEGORIES
        ),
        *([case.distinct_after(part) for case in cases] for part in range(1, PARTS + 1)),
    ]
    distinct, tags_per_note, reuse, single, spelling, meaning, *rest = estimates(columns)
    failures = [case.failures for case in cases if case.failures is not None]
    return VocabularyRow(
        extraction,
        len(cases),
        sum(report.notes for report in reports),
        sum(report.untagged for report in reports),
        sum(failures) if failures else None,
        sum(report.tags for report in reports),
        len({path for case in cases for path in case.uses}),
        distinct,
        tags_per_note,
        dict(zip(CATEGORIES, rest[: len(CATEGORIES)], strict=True)),
        reuse,
        single,
        spelling,
        meaning if all(case.has_meaning for case in cases) else None,
        tuple(rest[len(CATEGORIES) :]),
    )
