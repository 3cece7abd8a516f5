"""The ontology of a case: its tag paths in the order they came, their reuse, their tree, and their near-duplicates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz, process

from workbench.records import Note
from workbench.text import Analyser

RESERVED_ROOTS = frozenset(
    {
        "person",
        "organization",
        "group",
        "place",
        "date",
        "time",
        "money",
        "quantity",
        "product",
        "title",
        "event",
        "name",
        "action",
    }
)
"""Root segments of named-entity families and of actions. They say of what kind a tag is and are never matched by a query
(decision 11): "time" in a question must not match every clock time in the store."""

MEASURED_ROOTS = frozenset({"date", "time", "money", "quantity"})
"""Families whose members differ by a figure: never each other's near-duplicates."""


def matched_segments(path: str) -> tuple[str, ...]:
    """The segments of a path that a query can match: all but a reserved root.

    A path of one segment keeps it, whatever it says.

    Examples
    --------
    >>> matched_segments("place/san_diego"), matched_segments("food/cake"), matched_segments("time")
    (('san_diego',), ('food', 'cake'), ('time',))
    """
    root, *rest = path.split("/")
    return tuple(rest) if rest and root in RESERVED_ROOTS else (root, *rest)


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Two paths whose last segments say the same. ``score``: 0-100, 100 where they have the same words."""

    first: str
    second: str
    score: float
    reason: Literal["same words", "similar spelling", "similar meaning"]


class Ontology:
    """Tag paths in order of first use, with use counts and the tree of their prefixes.

    Examples
    --------
    >>> ontology = Ontology(["food/cake"])
    >>> ontology.add("food/cake"), ontology.add("food/bread")
    (False, True)
    >>> ontology.paths, ontology.uses("food/cake"), ontology.children("food")
    (('food/cake', 'food/bread'), 2, ('food/cake', 'food/bread'))
    """

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._uses: dict[str, int] = {}
        self._first_of_leaf: dict[str, str] = {}
        self._children: dict[str, dict[str, None]] = {}
        for path in paths:
            self.add(path)

    def add(self, path: str) -> bool:
        """Count one use of a normalised path; True if it was new."""
        if path in self._uses:
            self._uses[path] += 1
            return False
        self._uses[path] = 1
        self._first_of_leaf.setdefault(path.rpartition("/")[2], path)
        child = path
        while (above := self.parent(child)) is not None:
            siblings = self._children.setdefault(above, {})
            if child in siblings:
                break
            siblings[child] = None
            child = above
        return True

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path, in order of first use."""
        return tuple(self._uses)

    def uses(self, path: str) -> int:
        """How often a path was added; 0 for one that never was."""
        return self._uses.get(path, 0)

    def path_of_leaf(self, leaf: str) -> str | None:
        """The first path that ended in this segment: what a name is filed under stays what it was at first."""
        return self._first_of_leaf.get(leaf)

    @staticmethod
    def parent(path: str) -> str | None:
        """The path without its last segment; None for a root."""
        return path.rpartition("/")[0] or None

    def children(self, path: str) -> tuple[str, ...]:
        """Direct descendants in order of first use, prefixes included that were never used as a tag themselves."""
        return tuple(self._children.get(path, ()))

    def __contains__(self, path: object) -> bool:
        return path in self._uses

    def __iter__(self) -> Iterator[str]:
        return iter(self._uses)

    def __len__(self) -> int:
        return len(self._uses)

    def near_duplicates(self, threshold: float = 90.0) -> tuple[NearDuplicate, ...]:
        """Pairs of paths that a reader would merge, the likest first.

        Compared are the last segments: the same set of stems ("same words": inflection, word order, another root), or a
        normalised edit similarity (rapidfuzz ``ratio``) of at least ``threshold`` between leaves that begin with the same
        letter ("similar spelling"). A leaf that contains a digit is never similar to another, nor are dates and amounts.

        Parameters
        ----------
        threshold : float
            Least similarity, 0-100. The default is ours.
        """
        analyser = Analyser()
        by_words: defaultdict[frozenset[str], list[str]] = defaultdict(list)
        by_letter: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._uses:
            leaf = path.rpartition("/")[2]
            if path.partition("/")[0] in MEASURED_ROOTS:
                continue
            by_words[frozenset(analyser.words(leaf))].append(path)
            if not any(c.isdigit() for c in leaf):
                by_letter[leaf[0]].append(path)
        found = {
            (first, second): NearDuplicate(first, second, 100.0, "same words")
            for group in by_words.values()
            for i, first in enumerate(group)
            for second in group[i + 1 :]
        }
        for group in by_letter.values():
            for first, second, score in _similar(group, threshold):
                found.setdefault((first, second), NearDuplicate(first, second, score, "similar spelling"))
        return tuple(sorted(found.values(), key=lambda pair: (-pair.score, pair.first, pair.second)))


def _similar(paths: list[str], threshold: float) -> Iterator[tuple[str, str, float]]:
    """Pairs (earlier, later, score) of one group; compared in blocks, so that memory stays linear in the group."""
    leaves = [path.rpartition("/")[2] for path in paths]
    block = 512
    for start in range(0, len(paths), block):
        scores = process.cdist(leaves[start : start + block], leaves, scorer=fuzz.ratio, score_cutoff=threshold)
        for i, j in zip(*scores.nonzero(), strict=True):
            if start + i < j:
                yield paths[start + i], paths[j], round(float(scores[i, j]), 1)


@dataclass(frozen=True, slots=True)
class OntologyReport:
    """How a tag vocabulary is used over a set of notes: what the paper's Appendix D reports by its description in 5.2.

    ``tags`` counts (note, path) incidences, a path once a note. ``reuse`` is tags / distinct; ``single_note_share`` the share of
    distinct paths that one note only carries; both are None where there are no tags. ``new_by_note`` holds, in the notes' order,
    how many paths each note was the first to carry.
    """

    notes: int
    untagged: int
    tags: int
    distinct: int
    tags_per_note: float | None
    reuse: float | None
    single_note_share: float | None
    new_by_note: tuple[int, ...]
    by_root: tuple[tuple[str, int], ...]
    """(root segment, distinct paths under it), largest first."""
    near_duplicates: tuple[NearDuplicate, ...]

    @classmethod
    def of(cls, notes: Iterable[Note], threshold: float = 90.0) -> OntologyReport:
        """The statistics of these notes, taken in their own order (time, session position, round)."""
        ordered = sorted(notes, key=lambda note: note.order)
        ontology = Ontology()
        paths_by_note = [note.extraction.paths for note in ordered]
        new = tuple(sum([ontology.add(path) for path in paths]) for paths in paths_by_note)
        tags, distinct = sum(map(len, paths_by_note)), len(ontology)
        roots = Counter(path.partition("/")[0] for path in ontology)
        return cls(
            notes=len(ordered),
            untagged=sum(not paths for paths in paths_by_note),
            tags=tags,
            distinct=distinct,
            tags_per_note=tags / len(ordered) if ordered else None,
            reuse=tags / distinct if distinct else None,
            single_note_share=sum(ontology.uses(path) == 1 for path in ontology) / distinct if distinct else None,
            new_by_note=new,
            by_root=tuple(sorted(roots.items(), key=lambda item: (-item[1], item[0]))),
            near_duplicates=ontology.near_duplicates(threshold),
        )
