"""Plans that merge near-duplicate tags over whole extractions: chosen pairs become groups, and each group one tag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.diagnose.rewriting import MergeTags
from workbench.ontology import NearDuplicate


@dataclass(frozen=True, slots=True)
class NearPair:
    """Two near-duplicate tags of an extraction. ``kept`` is the one used by more notes; ``cases`` hold both.

    ``uses_kept`` and ``uses_dropped`` count the notes that carry each, over all cases.
    """

    kept: str
    dropped: str
    score: float
    reason: str
    uses_kept: int
    uses_dropped: int
    cases: int


@dataclass(frozen=True, slots=True)
class Merge:
    """One merge of a plan: ``notes`` carry the tag that is dropped."""

    dropped: str
    kept: str
    notes: int


@dataclass(frozen=True, slots=True)
class MergePreview:
    """What a plan would do to an extraction: its merges, and distinct tags (over all cases together) before and after."""

    merges: tuple[Merge, ...]
    distinct_before: int
    distinct_after: int


def near_pairs(found: Iterable[Sequence[NearDuplicate]], uses: Mapping[str, int]) -> tuple[NearPair, ...]:
    """The near-duplicates of several cases as pairs of the whole extraction: the ones that most cases hold first.

    Parameters
    ----------
    found : iterable of sequences of NearDuplicate
        One sequence a case: only tags of one case can stand in each other's way.
    uses : mapping of str to int
        Notes that carry each tag, over all cases.
    """
    cases: Counter[tuple[str, str]] = Counter()
    best: dict[tuple[str, str], NearDuplicate] = {}
    for pairs in found:
        for pair in pairs:
            kept, dropped = sorted((pair.first, pair.second), key=lambda path: _rank(path, uses))
            cases[kept, dropped] += 1
            best.setdefault((kept, dropped), pair)
    rows = (
        NearPair(*names, pair.score, pair.reason, uses[names[0]], uses[names[1]], cases[names]) for names, pair in best.items()
    )
    return tuple(sorted(rows, key=lambda row: (-row.cases, -row.score, row.kept, row.dropped)))


def plan(pairs: Iterable[tuple[str, str]], uses: Mapping[str, int]) -> MergeTags:
    """The merges that make every chain of chosen pairs one tag: the one that most notes carry.

    Of equally used ones a tag with a root is kept, then the shorter, then the alphabetically first (ours).

    Raises
    ------
    ValueError
        If there is no pair, a pair is one tag twice, or a tag is not in use.

    Examples
    --------
    >>> plan([("food/cake", "food/cakes"), ("food/cakes", "food/caks")], {"food/cake": 3, "food/cakes": 5, "food/caks": 1}).merges
    (('food/cake', 'food/cakes'), ('food/caks', 'food/cakes'))
    """
    group_of: dict[str, set[str]] = {}
    for first, second in pairs:
        unknown = [path for path in (first, second) if path not in uses]
        if unknown or first == second:
            raise ValueError(
                f"{first} and {second} can't be merged: " + (f"no note carries {unknown[0]}" if unknown else "one tag")
            )
        joined = group_of.get(first, {first}) | group_of.get(second, {second})
        group_of |= dict.fromkeys(joined, joined)
    if not group_of:
        raise ValueError("a plan needs at least one pair of tags to merge")
    kept = {path: min(group, key=lambda each: _rank(each, uses)) for path, group in group_of.items()}
    return MergeTags(tuple(sorted((path, into) for path, into in kept.items() if path != into)))


def preview(merging: MergeTags, uses: Mapping[str, int]) -> MergePreview:
    """What a plan would do. A tag that it keeps is in use already, so every merge takes one from the distinct tags."""
    merges = tuple(Merge(dropped, kept, uses[dropped]) for dropped, kept in merging.merges)
    return MergePreview(merges, len(uses), len(uses) - len(merges))


def _rank(path: str, uses: Mapping[str, int]) -> tuple[int, bool, int, str]:
    return (-uses[path], "/" not in path, len(path), path)
