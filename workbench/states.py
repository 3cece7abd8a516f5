"""What methods worked out of notes and a store keeps: plain JSON rows, found again by a digest of what they came from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbench.records import Note

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class State:
    """JSON rows that some work came to.

    ``kind`` names the work (``ariadne entries``), ``digest`` (`state_digest`) what it was done on and how. ``text`` is the JSON
    of a mapping from a part's name to its rows; it is read when a part is asked for.
    """

    kind: str
    digest: str
    text: str

    @staticmethod
    def made(kind: str, digest: str, parts: Mapping[str, Rows]) -> State:
        """A state of rows that are plain JSON values.

        Raises
        ------
        TypeError
            If a row holds a value that has no JSON form.
        """
        return State(kind, digest, json.dumps(parts, separators=(",", ":")))

    @cached_property
    def parts(self) -> dict[str, Rows]:
        return dict(json.loads(self.text))


def state_digest(notes: Iterable[Note], config: Mapping[str, Any]) -> str:
    """32 hexadecimal digits over notes (id, time, turns; no tags) and a configuration of plain values."""
    digest = hashlib.sha256(json.dumps(config, sort_keys=True, default=str).encode())
    for note in notes:
        one = note.interaction
        turns = [[turn.role, turn.speaker, turn.text, turn.ref, turn.caption] for turn in one.turns]
        digest.update(json.dumps([one.id, str(one.time), one.position, one.round, turns]).encode())
    return digest.hexdigest()[:32]


class States:
    """The states that a memory's methods use, shared by all of them and by copies of it. Can be sent to another process.

    Parameters
    ----------
    known : iterable of State
        What a store held.
    """

    def __init__(self, known: Iterable[State] = ()) -> None:
        self._known = {(state.kind, state.digest): state for state in known}
        self._fresh: dict[tuple[str, str], State] = {}

    def get(self, kind: str, digest: str) -> State | None:
        """The state of this kind and digest, or None."""
        return self._known.get((kind, digest))

    def put(self, state: State) -> None:
        """Keep a state; the latest of a kind and digest counts."""
        self._known[state.kind, state.digest] = self._fresh[state.kind, state.digest] = state

    def of(self, kind: str, digest: str, build: Callable[[], Mapping[str, Rows]]) -> State:
        """The state that is there, else the one that is built now and kept."""
        found = self.get(kind, digest)
        if found is None:
            found = State.made(kind, digest, build())
            self.put(found)
        return found

    def by_note(
        self,
        kind: str,
        config: Mapping[str, Any],
        notes: Sequence[Note],
        build: Callable[[Sequence[Note]], Mapping[str, Rows]],
    ) -> dict[str, Rows]:
        """Rows of every note by its id, for work that sees one note at a time.

        ``build`` gets the notes that have none yet, in one call, and gives rows for each of their ids. A note that comes later,
        or again in a smaller copy of the case, costs what it costs alone.
        """
        digests = {note.id: state_digest([note], config) for note in notes}
        missing = [note for note in notes if self.get(kind, digests[note.id]) is None]
        if missing:
            built = build(missing)
            for note in missing:
                self.put(State.made(kind, digests[note.id], {"rows": built[note.id]}))
        return {note_id: self._known[kind, digest].parts["rows"] for note_id, digest in digests.items()}

    @property
    def all(self) -> tuple[State, ...]:
        """All that are there."""
        return tuple(self._known.values())

    @property
    def fresh(self) -> tuple[State, ...]:
        """What was put since: to be stored."""
        return tuple(self._fresh.values())
