"""A memory: the notes of one case in order, with everything derived from them worked out once and shared by all methods."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from workbench.embed.vectors import Vectors
from workbench.notes import full_text
from workbench.records import Note
from workbench.states import States
from workbench.text import Analyser

V = TypeVar("V")


@dataclass
class Watch:
    """What a stretch of work cost: seconds in all, those spent on building views inside it, and the views it asked for."""

    seconds: float = 0.0
    nested: float = 0.0
    needs: set[Hashable] = field(default_factory=set)

    @property
    def own(self) -> float:
        """Seconds without the views that were built inside."""
        return self.seconds - self.nested


class Memory:
    """Notes in order (time, session position, round), newest last; row ``i`` of every derived array belongs to ``notes[i]``.

    Parameters
    ----------
    notes : iterable of Note
    participants : tuple of str
        Names of the speakers, which are neither topics nor attributes (decisions 5 and 6).
    base : Memory, optional
        The full case that these notes were taken from: word frequencies of the 15% filter are counted there (decision 2).
    vectors : Vectors, optional
        Vectors of texts that are known already; those that methods work out are added to it.
    states : States, optional
        What methods worked out of these notes before; what they work out is added to it.

    Attributes
    ----------
    kept : dict
        What outlives ``add`` and is handed on by ``edited``, such as an index that grows. Whoever keeps something here never
        changes it, and checks that it fits the notes before using it.
    """

    def __init__(
        self,
        notes: Iterable[Note] = (),
        participants: tuple[str, ...] = (),
        base: Memory | None = None,
        vectors: Vectors | None = None,
        states: States | None = None,
    ) -> None:
        self.participants = participants
        self.base = base
        self.vectors = vectors if vectors is not None else Vectors()
        self.states = states if states is not None else States()
        self.kept: dict[Hashable, Any] = {}
        self._by_id: dict[str, Note] = {}
        self._words: dict[tuple[Analyser, tuple[str, ...]], dict[str, dict[str, int]]] = {}
        self._views: dict[Hashable, Any] = {}
        self._costs: dict[Hashable, Watch] = {}
        self._watches = [Watch()]
        for note in notes:
            self.add(note)

    def add(self, note: Note) -> None:
        """Remember a note. Derived arrays go stale; no older note is tokenised again.

        Raises
        ------
        ValueError
            If a note with this id is already remembered.
        """
        if note.id in self._by_id:
            raise ValueError(f"note {note.id!r} is already remembered; note ids are unique within a memory")
        self._by_id[note.id] = note
        self._views.clear()

    def edited(self, changed: Mapping[str, Note]) -> Memory:
        """A memory with some notes replaced, which shares vectors, states and, for all others, word counts.

        This one stays as it is. Frequencies of the 15% filter are still counted in the same base, where there is one.

        Raises
        ------
        KeyError
            If a note to replace is not remembered.
        ValueError
            If a note would get another id.
        """
        for note_id, note in changed.items():
            if note_id not in self._by_id:
                raise KeyError(f"the memory holds no note {note_id!r} to replace")
            if note.id != note_id:
                raise ValueError(f"note {note_id!r} can't be replaced by one with id {note.id!r}")
        notes = (changed.get(note_id, note) for note_id, note in self._by_id.items())
        copy = Memory(notes, self.participants, self.base, self.vectors, self.states)
        copy.kept = dict(self.kept)
        for key, counts in self._words.items():
            copy._words[key] = {note_id: words for note_id, words in counts.items() if note_id not in changed}
        return copy

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, note_id: object) -> bool:
        return note_id in self._by_id

    def __getitem__(self, note_id: str) -> Note:
        return self._by_id[note_id]

    @property
    def notes(self) -> tuple[Note, ...]:
        """All notes, oldest first; among equal order keys the larger id first, so that "newest" lists the smaller one first."""

        def build(memory: Memory) -> tuple[Note, ...]:
            return tuple(sorted(sorted(memory._by_id.values(), key=lambda n: n.id, reverse=True), key=lambda n: n.order))

        return self.view("notes", build)

    def view(self, key: Hashable, build: Callable[[Memory], V]) -> V:
        """Something derived from the notes, built at first use and kept until the next ``add``."""
        self._watches[-1].needs.add(key)
        if key not in self._views:
            with self._watch() as watch:
                self._views[key] = build(self)
            self._costs[key] = watch
            self._watches[-1].nested += watch.seconds
        return cast(V, self._views[key])

    @contextmanager
    def _watch(self) -> Iterator[Watch]:
        watch = Watch()
        self._watches.append(watch)
        begin = time.perf_counter()
        try:
            yield watch
        finally:
            watch.seconds = time.perf_counter() - begin
            self._watches.pop()

    @contextmanager
    def watch(self) -> Iterator[Watch]:
        """Time a method's work: afterwards ``seconds`` is what it would have cost alone.

        Views that another method had built before are charged at what their building took, each once.
        """
        known = set(self._views)
        with self._watch() as watch:
            yield watch
        todo, charged = list(watch.needs), set[Hashable]()
        while todo:
            key = todo.pop()
            if key not in charged and key in self._costs:
                charged.add(key)
                todo += self._costs[key].needs
        before = sum(self._costs[key].own for key in charged & known)
        watch.seconds += before
        watch.nested += before

    def word_counts(self, analyser: Analyser, fields: tuple[str, ...]) -> list[dict[str, int]]:
        """How often each note holds each index word, in the order of ``notes``; a note is tokenised once for good.

        A note that this memory shares with its base (the same object) is tokenised once for both.
        """

        def build(memory: Memory) -> list[dict[str, int]]:
            key, base = (analyser, fields), memory.base
            known = memory._words.setdefault(key, {})
            of_base = base._words.setdefault(key, {}) if base is not None else {}
            for note in memory.notes:
                if note.id in known:
                    continue
                if base is None or base._by_id.get(note.id) is not note:
                    known[note.id] = analyser.counts(full_text(note, fields))
                    continue
                if note.id not in of_base:
                    of_base[note.id] = analyser.counts(full_text(note, fields))
                known[note.id] = of_base[note.id]
            return [known[note.id] for note in memory.notes]

        return self.view(("words", analyser, fields), build)
