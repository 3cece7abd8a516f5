"""Comparisons of extractions as aligned lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.compare_extractions.comparison import Comparison
from workbench.compare_extractions.matrix import Matrix
from workbench.compare_extractions.supported import ALL, SupportRow
from workbench.diagnose.merging import NearPair
from workbench.evaluate.estimates import Estimate
from workbench.evaluate.significance import PairedTest
from workbench.printing import interval, table
from workbench.words import counted

NEAR = 20
"""Near-duplicates that are printed; JSON has all."""


def comparison_lines(found: Comparison) -> list[str]:
    """A comparison for people: vocabulary, agreement of pairs, blind spots by type, and support by the notes' texts."""
    lines = [f"{counted(len(found.cases), 'case')}; means over cases with 95% intervals"]
    lines += table(
        [
            "extraction",
            "distinct tags",
            "tags a note",
            "notes a tag",
            "on one note only",
            "near-duplicates",
            "untagged",
            "failed",
        ],
        [
            [
                row.extraction,
                _estimate(row.distinct),
                _estimate(row.tags_per_note),
                _estimate(row.reuse),
                _estimate(row.single_note_share),
                _estimate(row.near_by_spelling) + (f" + {_estimate(row.near_by_meaning)}" if row.near_by_meaning else ""),
                f"{row.untagged} of {row.notes}",
                row.failures,
            ]
            for row in found.vocabulary
        ],
    )
    if found.agreement:
        head = ["first", "second", "same notes", "shared tags", "only first", "only second", "moved", "alike by words"]
        rows = [
            [
                pair.first,
                pair.second,
                f"{pair.same_notes} of {pair.notes}",
                pair.shared,
                pair.only_first,
                pair.only_second,
                pair.moved,
                _estimate(pair.jaccard),
            ]
            for pair in found.agreement
        ]
        lines += ["", *table(head, rows)]
    if found.blind_spots:
        head = ["questions with a helpful tag", "n", *found.labels]
        spots = [
            [spot.type, spot.questions, *(_estimate(spot.reached[label]) for label in found.labels)] for spot in found.blind_spots
        ]
        lines += ["", *table(head, spots)]
    head = ["support", "tags", "user", "assistant", "session date", "none", "share not supported"]
    return [*lines, "", *table(head, [_support(row) for row in found.support if row.category == ALL])]


def _support(row: SupportRow) -> list[object]:
    counts = (row.tags, row.user, row.assistant, row.session_date, row.unsupported)
    return [row.extraction, *counts, _estimate(row.share)]


def matrix_lines(found: Matrix) -> list[str]:
    """The matrix for people: means, then the steps from extraction to extraction under each method."""
    methods = list(dict.fromkeys(cell.method for cell in found.cells))
    rows = [[label, *(_estimate(found.cell(label, method).estimate) for method in methods)] for label in found.runs]
    lines = table([f"{found.measure}, {counted(found.questions, 'question')}", *methods], rows)
    return [*lines, "", *change_lines(found)] if found.steps else lines


def change_lines(found: Matrix) -> list[str]:
    """The steps of a matrix: before, after, and the paired test of the difference."""
    rows = [
        [
            step.method,
            f"{step.first} -> {step.second}",
            step.test.n,
            step.test.first if step.test.second is None else f"{step.test.second:.3f} -> {step.test.first:.3f}",
            _change(step.test),
            f"{step.test.wins}/{step.test.losses}/{step.test.ties}",
            step.test.p,
            step.p_holm,
        ]
        for step in found.steps
    ]
    return table(["method", "from -> to", "n", found.measure, "change [95%]", "better/worse/same", "p", "p (Holm)"], rows)


def near_lines(extraction: str, found: Sequence[NearPair]) -> list[str]:
    """Near-duplicate tags, those that most cases hold first."""
    rows = [[row.kept, row.uses_kept, row.dropped, row.uses_dropped, row.score, row.reason, row.cases] for row in found[:NEAR]]
    more = [f"and {len(found) - NEAR:,} more (--json lists them)"] if len(found) > NEAR else []
    lines = table(["would be kept", "notes", "would be dropped", "notes", "likeness", "reason", "cases"], rows)
    return [f"{extraction}: {counted(len(found), 'pair')} of near-duplicate tags", *lines, *more]


def _estimate(found: Estimate) -> str:
    return interval(found.mean, found.interval)


def _change(test: PairedTest) -> str | None:
    if test.difference is None:
        return None
    return f"{test.difference:+.3f}" + (f" [{test.interval[0]:+.3f}, {test.interval[1]:+.3f}]" if test.interval else "")
