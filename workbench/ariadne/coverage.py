"""Which notes a construction can find at all, and which it lost on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.ariadne.construction import Construction
from workbench.records import Note


@dataclass(frozen=True)
class Coverage:
    """Notes by id: with an entry that is kept; with turns that the gate dropped and none else; with no turn that is read."""

    kept: frozenset[str]
    only_suppressed: frozenset[str]
    none: frozenset[str]

    @property
    def share(self) -> float | None:
        """Share of notes that can be found, in [0, 1]; None without notes."""
        total = len(self.kept) + len(self.only_suppressed) + len(self.none)
        return len(self.kept) / total if total else None


def coverage(construction: Construction, notes: Sequence[Note]) -> Coverage:
    """Coverage of the notes that the construction was made from."""
    kept = frozenset(notes[row].id for node in construction.nodes for row in node.notes)
    heard = frozenset(entry.note_id for entry in construction.utterances)
    return Coverage(kept, heard - kept, frozenset(note.id for note in notes) - heard)
