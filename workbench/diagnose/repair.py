"""Repair: the smallest edit that lifts a missed gold note into the first k, found by running the methods again.

Nothing is predicted: every rank that is given was read from a ranking of the edited memory. The memory that is diagnosed is
never changed; edited copies share its word counts, so that only the touched notes are tokenised again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from workbench.diagnose.candidates import Bounds, Candidate, setting_candidates, tag_candidates
from workbench.diagnose.edits import AddTag, Edit, SetField, can_apply, changed
from workbench.diagnose.inquiry import Inquiry, Place, place_of
from workbench.evaluate.relevance import relevance
from workbench.memory import Memory
from workbench.methods.base import MemoryRetriever
from workbench.records import Question, Ranking

Methods = Mapping[str, MemoryRetriever[Any]]
"""Methods over one memory, by label."""
Progress = Callable[[int, int], None]
"""Told how many single edits were tried, and of how many."""
KEPT = 3
"""Repairs of each kind that a search gives for each missed method, the cheapest first (ours)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A note's place under one method before and after an edit; None where it is not ranked."""

    method: str
    before: Place | None
    after: Place | None


@dataclass(frozen=True, slots=True)
class Effect:
    """What an edit does to another question: the rank of its first gold note before and after."""

    question: str
    method: str
    before: int | None
    after: int | None

    @property
    def change(self) -> int:
        """1 where the gold note rises, -1 where it falls, 0 where it stays; an unranked note stands behind all others."""
        before, after = (float("inf") if rank is None else rank for rank in (self.before, self.after))
        return (after < before) - (after > before)


@dataclass(frozen=True)
class Repair:
    """Edits that lift the note into the first k of at least one method that missed it.

    ``outcomes`` has every method; ``repairs`` names the missed ones that now have it. ``collateral`` is None where it was not
    asked for.
    """

    edits: tuple[Edit, ...]
    cost: int
    repairs: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    collateral: tuple[Effect, ...] | None = None


@dataclass(frozen=True)
class Search:
    """What a repair search came to.

    Attributes
    ----------
    missed : tuple of str
        The methods that do not have the note among the first k.
    repairs : tuple of Repair
        Cheapest first; equally cheap ones by how many methods they repair, then the shortest tag, then the worst rank they leave.
    singles, pairs : int
        Edits tried: single ones exhaustively within ``bounds``, pairs only for methods that no single edit repaired.
    bounds : Bounds
    unrepaired : tuple of str
        Missed methods for which nothing was found within the bounds.
    """

    note_id: str
    k: int
    missed: tuple[str, ...]
    repairs: tuple[Repair, ...]
    singles: int
    pairs: int
    bounds: Bounds
    unrepaired: tuple[str, ...]

    def smallest(self, method: str) -> Repair | None:
        """The first repair of a method; None where there is none."""
        return next((repair for repair in self.repairs if method in repair.repairs), None)


def rerun(methods: Methods, edits: Sequence[Edit], memory: Memory) -> dict[str, MemoryRetriever[Any]]:
    """The methods over an edited memory, with changed settings where an edit says so.

    Raises
    ------
    ValueError
        If a setting is not one of the method's, or an edit changes nothing.
    """
    tags = [edit for edit in edits if not isinstance(edit, SetField)]
    edited = memory.edited(changed(tags, memory.notes)) if tags else memory
    settings: dict[str, dict[str, Any]] = {}
    for edit in edits:
        if isinstance(edit, SetField):
            if edit.method not in methods or not hasattr(methods[edit.method].config, edit.field):
                raise ValueError(f"{edit}: no such field of these methods ({', '.join(methods)})")
            settings.setdefault(edit.method, {})[edit.field] = edit.value
    return {label: type(method)(replace(method.config, **settings.get(label, {})), edited) for label, method in methods.items()}


def search(
    memory: Memory,
    question: Question,
    note_id: str,
    methods: Methods,
    k: int = 5,
    *,
    others: Sequence[Question] = (),
    bounds: Bounds | None = None,
    progress: Progress | None = None,
) -> Search:
    """Find the smallest edits that bring a note among the first k.

    Parameters
    ----------
    memory : Memory
    question : Question
    note_id : str
        The gold note that is to be lifted.
    methods : mapping
        Methods over this memory by label.
    k : int
        Places that count.
    others : sequence of Question
        Questions of the case whose first gold note is followed under the smallest repair of each method; the question itself is
        left out.
    bounds : Bounds, optional
    progress : callable, optional
        Told after each single edit; what it raises ends the search.

    Raises
    ------
    KeyError
        If the memory holds no such note.
    ValueError
        If ``k`` is below 1.
    """
    if note_id not in memory:
        raise KeyError(f"the memory holds no note {note_id!r}: what was never stored no edit can lift")
    if k < 1:
        raise ValueError(f"k is {k}; it is 1 or more")
    return _Search(memory, question, note_id, methods, k, bounds or Bounds()).run(others, progress)


class _Search:
    """One search: the places before, and every edit tried with the places it gave."""

    def __init__(self, memory: Memory, question: Question, note_id: str, methods: Methods, k: int, bounds: Bounds) -> None:
        self.memory, self.question, self.note_id = memory, question, note_id
        self.methods, self.k, self.bounds = methods, k, bounds
        gold = relevance(question, memory.notes).notes | {note_id}
        rankings = {label: self._ask(method) for label, method in methods.items()}
        self.before = {label: place_of(ranking.hits, note_id) for label, ranking in rankings.items()}
        self.missed = tuple(label for label in methods if not self._is_in(self.before[label]))
        self.inquiries = [Inquiry(memory, question, note_id, rankings[label], k, gold, methods[label]) for label in self.missed]
        self.tried: dict[tuple[Edit, ...], tuple[int, dict[str, Place | None]]] = {}

    def _ask(self, method: MemoryRetriever[Any]) -> Ranking:
        return method.query(self.question.text, k=None)

    def _is_in(self, place: Place | None) -> bool:
        return place is not None and place.rank <= self.k

    def _places(self, edits: Sequence[Edit], labels: Iterable[str]) -> dict[str, Place | None]:
        """The note's place under an edit, for methods that the edit can touch."""
        labels = set(labels)
        if all(isinstance(edit, SetField) for edit in edits):
            labels &= {edit.method for edit in edits if isinstance(edit, SetField)}
        meant = [edit for edit in edits if not isinstance(edit, SetField) or edit.method in labels]
        again = rerun({label: method for label, method in self.methods.items() if label in labels}, meant, self.memory)
        return {label: place_of(self._ask(method).hits, self.note_id) for label, method in again.items()}

    def _try(self, edits: tuple[Edit, ...], cost: int, labels: Iterable[str]) -> None:
        self.tried[edits] = (cost, self._places(edits, labels))

    def run(self, others: Sequence[Question], progress: Progress | None) -> Search:
        singles = self._singles() if self.missed else []
        for done, each in enumerate(singles, 1):
            self._try((each.edit,), each.cost, self.missed)
            if progress is not None:
                progress(done, len(singles))
        stuck = [label for label in self.missed if not self._repaired(label)]
        pairs = self._pairs(stuck)
        repairs = self._repairs()
        unrepaired = tuple(label for label in self.missed if not any(label in repair.repairs for repair in repairs))
        asked = [question for question in others if question.id != self.question.id]
        if asked:
            first = {id(repair) for label in self.missed if (repair := _first(repairs, label)) is not None}
            follow = _Follower(self.memory, self.methods, asked)
            repairs = [replace(each, collateral=follow(each.edits)) if id(each) in first else each for each in repairs]
        return Search(self.note_id, self.k, self.missed, tuple(repairs), len(singles), pairs, self.bounds, unrepaired)

    def _singles(self) -> list[Candidate]:
        text = self.question.text
        found = tag_candidates(self.memory, text, self.note_id, self.inquiries, self.bounds)
        for label in self.missed:
            found += setting_candidates(self.memory, text, self.note_id, label, self.methods[label].config)
        return found

    def _repaired(self, label: str) -> list[tuple[Edit, ...]]:
        return [edits for edits, (_, places) in self.tried.items() if self._is_in(places.get(label))]

    def _pairs(self, stuck: Sequence[str]) -> int:
        """Pairs of the single edits that lifted the note most, for each method that none of them repaired."""
        count = 0
        for label in stuck:
            lifted = [
                (place.rank, cost, edits[0])
                for edits, (cost, places) in list(self.tried.items())
                if len(edits) == 1 and (place := places.get(label)) is not None and self._is_better(label, place)
            ]
            lifted.sort(key=lambda item: item[:2])
            for (_, one_cost, one), (_, other_cost, other) in combinations(lifted[: self.bounds.pairs_from], 2):
                pair = (one, other)
                if pair not in self.tried and self._go_together(*pair):
                    self._try(pair, one_cost + other_cost, stuck)
                    count += 1
        return count

    def _go_together(self, one: Edit, other: Edit) -> bool:
        """Whether two edits can be made one after the other: not one field twice, not what the first has undone or filled up."""
        if isinstance(one, SetField) and isinstance(other, SetField):
            return one.method == other.method and one.field != other.field
        return can_apply([edit for edit in (one, other) if not isinstance(edit, SetField)], self.memory.notes)

    def _is_better(self, label: str, place: Place) -> bool:
        before = self.before[label]
        return before is None or place.rank < before.rank

    def _repairs(self) -> list[Repair]:
        """The edits that repaired a method, ``KEPT`` of each kind at most, with the places of all methods."""
        order = {edits: self._order(edits) for edits in self.tried}
        kept: dict[tuple[Edit, ...], None] = {}
        for label in self.missed:
            by_kind: dict[tuple[str, ...], list[tuple[Edit, ...]]] = {}
            for edits in sorted(self._repaired(label), key=order.__getitem__):
                by_kind.setdefault(tuple(map(_kind, edits)), []).append(edits)
            kept |= dict.fromkeys(edits for each in by_kind.values() for edits in each[:KEPT])
        return [self._repair(edits) for edits in sorted(kept, key=order.__getitem__)]

    def _order(self, edits: tuple[Edit, ...]) -> tuple[int, int, int, int, tuple[str, ...]]:
        """Cheaper first, then more methods repaired, shorter tags added, better ranks, names."""
        cost, places = self.tried[edits]
        ranks = [place.worst for place in places.values() if place is not None and self._is_in(place)]
        words = sum(1 + edit.path.count("_") + edit.path.count("/") for edit in edits if isinstance(edit, AddTag))
        return cost, -len(ranks), words, max(ranks, default=0), tuple(map(str, edits))

    def _repair(self, edits: tuple[Edit, ...]) -> Repair:
        cost, places = self.tried[edits]
        places = places | self._places(edits, set(self.methods) - set(places))
        outcomes = tuple(Outcome(label, self.before[label], places.get(label, self.before[label])) for label in self.methods)
        return Repair(edits, cost, tuple(label for label in self.missed if self._is_in(places.get(label))), outcomes)


def _kind(edit: Edit) -> str:
    """What a list of repairs shows apart: each kind of tag edit, each setting."""
    return edit.field if isinstance(edit, SetField) else edit.kind


def _first(repairs: Sequence[Repair], label: str) -> Repair | None:
    return next((repair for repair in repairs if label in repair.repairs), None)


class _Follower:
    """Follows other questions under edits; their ranks without one are read once."""

    def __init__(self, memory: Memory, methods: Methods, questions: Sequence[Question]) -> None:
        self._memory, self._methods = memory, methods
        judged = [(question, relevance(question, memory.notes).notes) for question in questions]
        self._judged = [(question, gold) for question, gold in judged if gold]
        self._before = {label: self._ranks(method) for label, method in methods.items()}

    def _ranks(self, method: MemoryRetriever[Any]) -> list[int | None]:
        return [
            next((hit.rank for hit in method.query(question.text, k=None).hits if hit.note_id in gold), None)
            for question, gold in self._judged
        ]

    def __call__(self, edits: Sequence[Edit]) -> tuple[Effect, ...]:
        again = rerun(self._methods, edits, self._memory)
        effects: list[Effect] = []
        for label, method in again.items():
            after = self._ranks(method)
            effects += [
                Effect(question.id, label, old, new)
                for (question, _), old, new in zip(self._judged, self._before[label], after, strict=True)
            ]
        return tuple(effects)


def collateral(memory: Memory, edits: Sequence[Edit], methods: Methods, questions: Sequence[Question]) -> tuple[Effect, ...]:
    """What edits do to questions of the case: the rank of each one's first gold note before and after, by method.

    Gold is judged on the text, which no edit changes; questions whose gold the memory does not hold are left out.
    """
    return _Follower(memory, methods, questions)(edits)
