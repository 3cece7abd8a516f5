"""Smaller copies of cases for controlled sweeps: gold kept, the rest sampled (TAGGRAPH 6.1).

A case with many questions gives one copy for each of them. Kept together, the evidence of a conversation's two hundred questions
is most of the conversation, so that no size below it could be reached; a copy for each question holds that question's evidence
and as much else as was asked for. Word frequencies of the 15% filter stay those of the full case (decision 2).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from workbench.errors import BadInput
from workbench.evaluate.judging import is_by_session
from workbench.evaluate.relevance import relevance
from workbench.evaluate.runs import DF_FULL, CaseInput
from workbench.records import Question
from workbench.words import counted


@dataclass(frozen=True)
class Distractors:
    """The gold sessions of a question and ``count`` other sessions of its history.

    The samples of one seed are nested: the 3 distractors are among the 8. Where the history has fewer, all of them are taken and
    the question says so.

    Parameters
    ----------
    count : int
        Sessions, 0 or more.
    seed : int
        Another seed draws other sessions; the order drawn is a question's own.
    """

    count: int
    seed: int = 1

    def __post_init__(self) -> None:
        if self.count < 0:
            raise ValueError(f"distractors is {self.count}; it is a number of sessions, 0 or more")

    def __call__(self, given: CaseInput) -> tuple[CaseInput, ...]:
        """A copy for each question.

        Raises
        ------
        BadInput
            If a question's gold does not name sessions.
        """
        return tuple(self._copy(given, question) for question in given.case.questions)

    def _copy(self, given: CaseInput, question: Question) -> CaseInput:
        if question.gold and not is_by_session(question):
            raise BadInput(
                f"{given.case.key}: distractor sessions need gold that names sessions, as in LongMemEval; that of question "
                f"{question.id!r} names {_unit(question)}: sweep store_size instead, which keeps gold notes of any kind"
            )
        gold = set(question.gold.sessions)
        others = [session for session in dict.fromkeys(note.session_id for note in given.notes) if session not in gold]
        drawn = shuffled(others, question.id, self.seed)[: self.count]
        if len(drawn) < self.count:
            short = f"{counted(self.count, 'distractor session')} asked for, the history has {len(others)}"
            question = replace(question, remarks=(*question.remarks, short))
        kept = gold | set(drawn)
        return _reduced(given, question, {note.id for note in given.notes if note.session_id in kept}, f"{self}")


@dataclass(frozen=True)
class StoreSize:
    """The gold notes of a question and other notes of its history, about ``notes`` in all.

    The samples of one seed are nested. A question with more gold notes than ``notes`` keeps them all; a history with fewer
    notes is taken whole.

    Parameters
    ----------
    notes : int
        1 or more.
    seed : int
        Another seed draws other notes; the order drawn is a question's own.
    """

    notes: int
    seed: int = 1

    def __post_init__(self) -> None:
        if self.notes < 1:
            raise ValueError(f"store size is {self.notes}; it is a number of notes, 1 or more")

    def __call__(self, given: CaseInput) -> tuple[CaseInput, ...]:
        """A copy for each question."""
        return tuple(self._copy(given, question) for question in given.case.questions)

    def _copy(self, given: CaseInput, question: Question) -> CaseInput:
        gold = relevance(question, given.notes).notes
        others = [note.id for note in given.notes if note.id not in gold]
        drawn = shuffled(others, question.id, self.seed)[: max(self.notes - len(gold), 0)]
        return _reduced(given, question, gold | set(drawn), f"{self}")


def shuffled(items: Sequence[str], question: str, seed: int) -> list[str]:
    """Items in a random order that depends on their names, the question's id and the seed alone.

    By digests instead of a random generator, so that the order is the same in every process and under every library version.
    """
    return sorted(items, key=lambda item: hashlib.sha256(f"{seed}\t{question}\t{item}".encode()).digest())


def _reduced(given: CaseInput, question: Question, kept: Set[str], how: str) -> CaseInput:
    """A copy with one question and some of the notes, in their order and under their ids."""
    notes = tuple(note for note in given.notes if note.id in kept)
    held = {note.session_id for note in notes}
    sessions = tuple(session for session in given.case.sessions if session.id in held)
    return CaseInput(
        replace(given.case, sessions=sessions, questions=(question,)),
        notes,
        f"{given.digest}:{how}:{question.id}",
        given.base if given.base is not None else given.notes,
        given.remark or DF_FULL,
    )


def _unit(question: Question) -> str:
    gold = question.gold
    return "turns" if gold.turns else "notes" if gold.notes else "texts that a note contains"
