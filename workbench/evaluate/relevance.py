"""Which notes and sessions answer a question: one interface over session, turn, note and substring gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.records import Note, Question

Level = Literal["turn", "session", "substring", "note", "none"]


@dataclass(frozen=True, slots=True)
class Relevance:
    """The relevant notes and sessions of a question in one memory.

    ``level`` says how finely the gold is given: notes of a gold session without flagged turns are all relevant, at level
    "session" (decision 12). ``missing`` lists gold that this memory does not hold.
    """

    notes: frozenset[str]
    sessions: frozenset[str]
    level: Level
    missing: tuple[str, ...] = ()


def relevance(question: Question, notes: Sequence[Note], permissive: bool = False) -> Relevance:
    """Judge a memory's notes for a question.

    Parameters
    ----------
    question : Question
    notes : sequence of Note
        All notes of the memory.
    permissive : bool
        With substring gold: a note with any of the substrings is relevant; otherwise it must hold all (TAGGRAPH 4.4, F.1).

    Returns
    -------
    Relevance
        Without gold in the question, empty with level "none".
    """
    gold = question.gold
    if gold.substrings:
        found = [note for note in notes if _contains(note, gold.substrings, any_suffices=permissive)]
        return _of(found, "substring", () if found else gold.substrings)
    if gold.notes:
        wanted = set(gold.notes)
        found = [note for note in notes if note.id in wanted]
        return _of(found, "note", tuple(sorted(wanted - {note.id for note in found})))
    if not gold:
        return Relevance(frozenset(), frozenset(), "none")

    wanted_turns = set(gold.turns)
    flagged = [note for note in notes if any(turn.ref in wanted_turns for turn in note.interaction.turns if turn.ref)]
    covered = {note.session_id for note in flagged}
    unflagged = set(gold.sessions) - covered
    whole = [note for note in notes if note.session_id in unflagged]
    held = {note.session_id for note in notes}
    refs = {turn.ref for note in flagged for turn in note.interaction.turns}
    missing = (*sorted(set(gold.sessions) - held), *sorted(wanted_turns - refs))
    sessions = (frozenset(gold.sessions) & held) or frozenset(covered)
    return Relevance(
        frozenset(note.id for note in (*flagged, *whole)), frozenset(sessions), "session" if whole else "turn", missing
    )


def _of(found: Sequence[Note], level: Level, missing: tuple[str, ...]) -> Relevance:
    return Relevance(frozenset(note.id for note in found), frozenset(note.session_id for note in found), level, missing)


def _contains(note: Note, substrings: Sequence[str], any_suffices: bool) -> bool:
    """Whether the conversation itself (not tags or summary) holds the substrings, without regard to case."""
    text = "\n".join(turn.full_text for turn in note.interaction.turns).casefold()
    held = [substring.casefold() in text for substring in substrings]
    return any(held) if any_suffices else all(held)
