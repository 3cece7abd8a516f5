"""What two extractions made of the same note, and how alike they are over whole cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.evaluate.estimates import Estimate, estimates, mean_of
from workbench.records import Note
from workbench.text import Analyser

_ANALYSER = Analyser()


@dataclass(frozen=True, slots=True)
class NoteDiff:
    """The tags that two extractions gave a note.

    ``moved`` are those of the shared paths that stand in other categories. ``jaccard``: shared over all stems of the tags' last
    segments, in [0, 1]; None where neither gave a tag. A museum filed under another root counts as agreement here and as a
    difference among the paths.
    """

    note_id: str
    shared: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    moved: tuple[str, ...]
    jaccard: float | None

    @property
    def is_same(self) -> bool:
        """Whether both gave the same paths in the same categories."""
        return not self.only_first and not self.only_second and not self.moved


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two extractions over all cases. ``same_notes`` have the same paths in the same categories; paths count once a note.

    ``jaccard`` is the mean over cases of the mean over their notes, notes without tags under both left out.
    """

    first: str
    second: str
    notes: int
    same_notes: int
    shared: int
    only_first: int
    only_second: int
    moved: int
    jaccard: Estimate


def leaf_words(paths: Sequence[str]) -> frozenset[str]:
    """The stems of the paths' last segments."""
    return frozenset(word for path in paths for word in _ANALYSER.words(path.rpartition("/")[2]))


def note_diff(first: Note, second: Note) -> NoteDiff:
    """Compare the tags of one note under two extractions.

    Raises
    ------
    ValueError
        If they are different notes.
    """
    if first.id != second.id:
        raise ValueError(f"{first.id} and {second.id} are different notes: a difference is of one note's tags")
    one, other = first.extraction.paths, second.extraction.paths
    words, others = leaf_words(one), leaf_words(other)
    union = words | others
    shared = tuple(path for path in one if path in other)
    return NoteDiff(
        first.id,
        shared,
        tuple(path for path in one if path not in other),
        tuple(path for path in other if path not in one),
        tuple(path for path in shared if _categories(first, path) != _categories(second, path)),
        len(words & others) / len(union) if union else None,
    )


def _categories(note: Note, path: str) -> set[str]:
    return {category for category, each in note.extraction.pairs() if each == path}


def note_diffs(first: Sequence[Note], second: Sequence[Note]) -> tuple[NoteDiff, ...]:
    """Compare a case's notes, which stand in one order under both extractions."""
    return tuple(note_diff(one, other) for one, other in zip(first, second, strict=True))


def pair_agreement(first: str, second: str, cases: Sequence[Sequence[NoteDiff]]) -> PairAgreement:
    """What the differences of all cases amount to."""
    diffs = [diff for case in cases for diff in case]
    (jaccard,) = estimates([[mean_of([diff.jaccard for diff in case]) for case in cases]])
    return PairAgreement(
        first,
        second,
        len(diffs),
        sum(diff.is_same for diff in diffs),
        sum(len(diff.shared) for diff in diffs),
        sum(len(diff.only_first) for diff in diffs),
        sum(len(diff.only_second) for diff in diffs),
        sum(len(diff.moved) for diff in diffs),
        jaccard,
    )
