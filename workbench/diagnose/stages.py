"""The stage trace: where a gold note was lost on its way from the store to the first k of a method's ranking.

Stages in order, each a file of `workbench.diagnose.checks` with its definition:

========== ==================================================== ===============================================
stage      lost means                                           can be known of
========== ==================================================== ===============================================
stored     the memory does not hold the evidence                everything
extracted  no tag keeps what the text says of it                methods with tags
tagged     tags and question use other words                    methods with tags
filtered   the 15% filter dropped what joins them               methods behind the filter
reached    the method gave the note no score                    rankings that hold every candidate
outscored  others scored more, or crowd it out with the same    rankings that hold the note
diluted    it is among the first k without diffusion            methods with diffusion switched on
cut        ties or other gold notes took the places             rankings that hold the note
========== ==================================================== ===============================================

The trace of a note among the first k says ``found`` and nothing else. Otherwise the stages are gone through in this order and
the first that lost the note ends the trace. Order and definitions are ours; TAGGRAPH 5.5 counts helpful tags only.

A note without a helpful tag is lost at ``extracted`` or ``tagged`` only where tags were its one way in: a method that also
seeds files, or compares texts, may still have ranked it, and then that stage is ``weakened`` and a later one lost the note. A
traversal ranks by the distance from matched tags, so a note that it reached over neighbours only counts as lost by its tags.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from workbench.diagnose.checks.base import Check, Finding, checks
from workbench.diagnose.inquiry import Competitor, Inquiry, Place
from workbench.evaluate.ranks import sessions_of
from workbench.evaluate.relevance import Level, relevance
from workbench.memory import Memory
from workbench.methods.base import Retriever
from workbench.records import Question, Ranking

FOUND = "found"
COMPETITORS = 5
"""Notes in front of a gold note that are given with their parts (ours)."""


@dataclass(frozen=True)
class NoteTrace:
    """What became of one gold note under one method.

    Attributes
    ----------
    note_id : str
        The note; of gold that the memory does not hold, the question's own name of it.
    session_id : str or None
    place : Place or None
        None where the note is not in the ranking.
    session_rank : int or None
        Rank of its session among the de-duplicated sessions (to a depth of 40).
    findings : tuple of Finding
        In the order of the stages, up to the one that lost the note.
    """

    note_id: str
    session_id: str | None
    method: str
    k: int
    place: Place | None
    session_rank: int | None
    findings: tuple[Finding, ...]
    inquiry: Inquiry = field(repr=False, compare=False)

    @property
    def is_found(self) -> bool:
        return self.findings[-1].stage == FOUND

    @property
    def stage(self) -> str | None:
        """``found``, the stage that lost the note, or None where that cannot be known."""
        last = self.findings[-1]
        return last.stage if self.is_found or last.status == "lost" else None

    def competitors(self, count: int = COMPETITORS) -> tuple[Competitor, ...]:
        """The first notes in front of a missed note that do not answer, with their parts; none for a note that was found."""
        return () if self.is_found or self.session_id is None else self.inquiry.competitors(count)


@dataclass(frozen=True)
class Diagnosis:
    """A question under one method: a trace for each gold note, those the memory lacks last.

    ``level`` says how finely the gold is given; ``given`` where the caller named it.
    """

    question: Question
    method: str
    k: int
    level: Level | str
    traces: tuple[NoteTrace, ...]
    remarks: tuple[str, ...]
    candidates: int

    @property
    def sessions(self) -> dict[str, NoteTrace]:
        """For each gold session the trace of its note that came furthest: found, else by stage, else by rank."""
        best: dict[str, NoteTrace] = {}
        for trace in self.traces:
            if trace.session_id is not None and (trace.session_id not in best or _came(trace) > _came(best[trace.session_id])):
                best[trace.session_id] = trace
        return best


def _came(trace: NoteTrace) -> tuple[bool, int, float]:
    return trace.is_found, len(trace.findings), -(trace.place.rank if trace.place else float("inf"))


def stages() -> list[Check]:
    """All registered checks in the order of their stages."""
    return sorted((check for _, check in checks.items()), key=lambda check: check.order)


def follow(inquiry: Inquiry) -> NoteTrace:
    """The trace of one note."""
    session = inquiry.memory[inquiry.note_id].session_id if inquiry.is_stored else None
    ranked = sessions_of(inquiry.ranking.hits)
    findings: list[Finding] = []
    if inquiry.is_found:
        findings.append(Finding(FOUND, "passed"))
    else:
        for check in stages():
            findings.append(check.examine(inquiry))
            if findings[-1].status == "lost":
                break
    return NoteTrace(
        inquiry.note_id,
        session,
        inquiry.ranking.method,
        inquiry.k,
        inquiry.place,
        ranked.index(session) + 1 if session in ranked else None,
        tuple(findings),
        inquiry,
    )


def diagnose(memory: Memory, question: Question, method: Retriever, k: int = 5, gold: Collection[str] | None = None) -> Diagnosis:
    """Trace every gold note of a question through a method.

    Parameters
    ----------
    memory : Memory
        The notes that the method has remembered.
    question : Question
    method : Retriever
        Any registered method, or a user's own: what can be known of it follows from its configuration. It is queried and, where
        it diffuses, a copy of it without; nothing of it changes.
    k : int
        Places that count, in notes; 5 as in TAGGRAPH 5.5.
    gold : collection of str, optional
        Ids of notes or sessions, in place of the question's own gold.

    Raises
    ------
    ValueError
        If ``k`` is below 1, or there is no gold.
    """
    return diagnose_ranking(memory, question, method.query(question.text, k=None), k, gold, method=method)


def diagnose_ranking(
    memory: Memory,
    question: Question,
    ranking: Ranking,
    k: int = 5,
    gold: Collection[str] | None = None,
    *,
    method: Retriever | None = None,
    is_complete: bool | None = None,
) -> Diagnosis:
    """Trace every gold note of a question through a ranking that is there already.

    Parameters
    ----------
    method : Retriever, optional
        What made it; without, only the stages that any ranking shows are known.
    is_complete : bool, optional
        Whether the ranking holds every candidate; by default that of a method's ranking is taken to, any other not.

    Raises
    ------
    ValueError
        If ``k`` is below 1, or there is no gold.
    """
    if k < 1:
        raise ValueError(f"k is {k}; it is 1 or more")
    notes, missing, level = _gold(memory, question, gold)
    complete = method is not None if is_complete is None else is_complete
    answers = frozenset(notes)
    traces = tuple(follow(Inquiry(memory, question, name, ranking, k, answers, method, complete)) for name in (*notes, *missing))
    return Diagnosis(question, ranking.method, k, level, traces, ranking.remarks, ranking.candidates)


def _gold(memory: Memory, question: Question, gold: Collection[str] | None) -> tuple[list[str], list[str], Level | str]:
    """Gold notes in the order of time, names of gold that the memory lacks, and how it is given."""
    if gold is None:
        found = relevance(question, memory.notes)
        if found.level == "none":
            raise ValueError(f"question {question.id!r} has no gold to look for; name notes or sessions that answer it")
        missing = [" … ".join(found.missing)] if found.level == "substring" and found.missing else list(found.missing)
        return [note.id for note in memory.notes if note.id in found.notes], missing, found.level
    wanted = set(gold)
    if not wanted:
        raise ValueError("gold is empty; name notes or sessions that answer the question")
    notes = [note for note in memory.notes if note.id in wanted or note.session_id in wanted]
    held = {note.id for note in notes} | {note.session_id for note in notes}
    return [note.id for note in notes], sorted(wanted - held), "given"


def sentence(trace: NoteTrace) -> str:
    """What became of the note, in one plain sentence."""
    if trace.is_found and trace.place is not None:
        return f"{trace.method} found the note at rank {trace.place.rank}."
    if trace.stage is None:
        listed = len(trace.inquiry.ranking.hits)
        return f"{trace.method} lists {listed} notes and not this one; the list does not tell why."
    return checks[trace.stage].word(trace.method, trace.findings[-1].evidence)
