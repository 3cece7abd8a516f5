"""Interventions: does one added tag bring a missed note back, and does a found note fall when its helpful tags are taken away?

Both are read from rankings of an edited memory, so that what they give is an effect and not a coincidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.diagnose.candidates import Bounds, tag_candidates
from workbench.diagnose.edits import COSTS, AddTag, DropTag, can_apply
from workbench.diagnose.repair import Methods, rerun
from workbench.memory import Memory


@dataclass(frozen=True, slots=True)
class Added:
    """A tag that repairs a miss, and whether the note itself says all of its words."""

    path: str
    is_said: bool


def first_ranks(methods: Methods, text: str, notes: frozenset[str]) -> dict[str, int | None]:
    """The rank of the first of some notes under each method; None where none of them is ranked."""
    return {
        label: next((hit.rank for hit in method.query(text, k=None).hits if hit.note_id in notes), None)
        for label, method in methods.items()
    }


def is_among(rank: int | None, k: int) -> bool:
    """Whether a rank is one of the first k."""
    return rank is not None and rank <= k


def one_added_tag(memory: Memory, text: str, note_id: str, methods: Methods, k: int) -> dict[str, Added | None]:
    """For each method that misses a note, the cheapest single tag that brings it among the first k; None where none does.

    The tags are those that `workbench.diagnose.repair` tries, in the order of their costs: what the note says comes first, and
    last a tag of the question's words alone, which brings up nearly anything.
    """
    found: dict[str, Added | None] = dict.fromkeys(methods)
    for candidate in tag_candidates(memory, text, note_id, (), Bounds()):
        left = {label: method for label, method in methods.items() if found[label] is None}
        if not left:
            break
        if isinstance(candidate.edit, AddTag):
            again = rerun(left, [candidate.edit], memory)
            ranks = first_ranks(again, text, frozenset((note_id,)))
            added = Added(candidate.edit.path, candidate.cost < COSTS["add, not in the note's text"])
            found |= {label: added for label, rank in ranks.items() if is_among(rank, k)}
    return found


def without_tags(
    memory: Memory, text: str, helpful: Mapping[str, Sequence[str]], methods: Methods, notes: frozenset[str]
) -> dict[str, int | None]:
    """The rank of the first of some notes when tags are taken from notes.

    Parameters
    ----------
    helpful : mapping
        Note id to the paths that it loses.
    notes : frozenset of str
        The notes whose rank is read.

    Raises
    ------
    ValueError
        If no note loses a tag, or one is not there.
    """
    drops = [DropTag(path, note_id) for note_id, paths in helpful.items() for path in paths]
    if not drops or not can_apply(drops, memory.notes):
        raise ValueError(f"no tag to take away among {dict(helpful)}")
    return first_ranks(rerun(methods, drops, memory), text, notes)
