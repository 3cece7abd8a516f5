"""Rankings judged question by question: the unit that counts, every measure, tie ranges, other readings of the gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.datasets.longmemeval import is_abstention
from workbench.evaluate.measures.base import compute, measures
from workbench.evaluate.ranks import DEPTH, reciprocal_rank_range, sessions_of
from workbench.evaluate.relevance import Relevance, relevance
from workbench.records import Note, Question, QuestionResult, Ranking

STANDARD = ("mrr", "recall@2", "recall@5", "recall@10", "hit@5", "ndcg@5", "ndcg_longmemeval@5")
"""Recall at 2 is what passages of multi-hop questions are judged by, since two of them answer."""
CUT_OFF = 5
"""Of measures that others add (ours)."""


def _all_measures() -> tuple[str, ...]:
    """The standard ones, then every other that is registered."""
    known = {spec.partition("@")[0] for spec in STANDARD}
    added = [f"{name}@{CUT_OFF}" if each.takes_cutoff else name for name, each in measures.items() if name not in known]
    return (*STANDARD, *added)


MEASURES = _all_measures()
"""Computed for every question, over the unit in which its gold is given."""
STORE_NOTES = "store_notes"
"""Not a measure, but kept beside them: how many notes the memory held that the question was asked of."""
NO_GOLD = "no evidence is named that the history holds"
KEPT = 100
"""Ranked notes that a run keeps of each question; measures are taken over the whole ranking (ours)."""
Ranked = Literal["note", "session"]
"""What a ranking lists."""


def is_headline(benchmark: str, question: Question) -> bool:
    """Whether a question counts in the benchmark's headline figure (design 9): of LoCoMo's, those of categories 1 to 4."""
    return benchmark != "locomo" or question.type[:1] in ("1", "2", "3", "4")


def is_by_session(question: Question) -> bool:
    """Whether a question is judged over sessions: where its gold names sessions (LongMemEval); else over notes."""
    return bool(question.gold.sessions)


@dataclass(frozen=True, slots=True)
class Judged:
    """A question that takes part, with what is relevant to it. ``variant`` is another reading of its gold (see `_variant`)."""

    question: Question
    relevant: Relevance
    variant: tuple[str, frozenset[str]]


def judged_questions(questions: Iterable[Question], notes: Sequence[Note]) -> tuple[list[Judged], Counter[str]]:
    """The questions that name gold, judged over a memory's notes; and how many are left out, by reason."""
    judged, excluded = [], Counter[str]()
    for question in questions:
        found = relevance(question, notes)
        if found.level == "none":
            excluded[NO_GOLD] += 1
        else:
            judged.append(Judged(question, found, _variant(question, notes)))
    return judged, excluded


def judge(
    case_key: str,
    judged: Iterable[Judged],
    rankings: Mapping[tuple[str, str], Ranking],
    *,
    store_notes: int,
    remark: str = "",
    unit: Ranked = "note",
) -> Iterator[QuestionResult]:
    """Results of one case in the order of the rankings; measures are computed over all of them at once.

    Parameters
    ----------
    rankings : mapping
        (arm, question id) to the whole ranking.
    store_notes : int
        How many notes the memory holds.
    remark : str
        Of the case, kept with every result.
    unit : "note" or "session"
        What the hits are. Hits of unit "session" have no note id: measures over notes are not available (None, never 0).
    """
    found = {each.question.id: each for each in judged}
    by_note = {_key(at): [hit.note_id for hit in ranking.hits] for at, ranking in rankings.items()} if unit == "note" else {}
    by_session = {_key(at): sessions_of(ranking.hits) for at, ranking in rankings.items()}
    over_notes = compute(MEASURES, by_note, {_key(at): _graded(found[at[1]]) for at in rankings})
    over_sessions = compute(MEASURES, by_session, {_key(at): found[at[1]].relevant.sessions for at in rankings})
    benchmark = case_key.partition("/")[0]
    for at, ranking in rankings.items():
        key, each = _key(at), found[at[1]]
        question, (name, gold) = each.question, each.variant
        is_session = is_by_session(question)
        main, other, suffix = (over_sessions, over_notes, "_note") if is_session else (over_notes, over_sessions, "_session")
        # A question whose gold this memory does not hold was not found: 0, and it stays in the mean (spec 2.8).
        values: dict[str, float | None] = {measure: main[measure][key] or 0.0 for measure in MEASURES}
        values |= {measure + suffix: other[measure][key] for measure in MEASURES}
        values |= _tie_range(question, each.relevant, ranking)
        values[STORE_NOTES] = float(store_notes)
        if name:
            ranked = by_session[key] if is_session else by_note.get(key, ())
            values[name] = compute(["mrr"], {"q": ranked}, {"q": gold})["mrr"]["q"]
        if unit == "session":
            values |= dict.fromkeys(_over_notes(values, is_session))
        yield QuestionResult(
            case_key,
            question.id,
            question.type,
            at[0],
            tuple(hit.note_id for hit in ranking.hits[:KEPT]) if unit == "note" else (),
            tuple(hit.score for hit in ranking.hits[: KEPT if unit == "note" else DEPTH]),
            by_session[key],
            ranking.candidates,
            values,
            is_headline(benchmark, question),
            (*question.remarks, *([remark] if remark else []), *ranking.remarks),
        )


def _graded(each: Judged) -> Collection[str]:
    """The relevant notes, with their grades where the question has some."""
    gold, notes = each.question.gold, each.relevant.notes
    return {note: grade for note, grade in gold.grade_by_note.items() if note in notes} if gold.grades else notes


def _over_notes(values: Iterable[str], is_session: bool) -> list[str]:
    """The names among a question's values that are measured over notes."""
    names = [name for name in values if name != STORE_NOTES]
    return [name for name in names if (name.endswith("_note") if is_session else not name.endswith("_session"))]


def _key(at: tuple[str, str]) -> str:
    """A (method, question) pair as one name, for libraries that take names."""
    return "\t".join(at)


def _tie_range(question: Question, found: Relevance, ranking: Ranking) -> dict[str, float | None]:
    """Reciprocal rank at the worst and best order within ties (decision 4)."""
    if is_by_session(question):
        worst, best = reciprocal_rank_range(((hit.session_id, hit.block) for hit in ranking.hits), found.sessions, DEPTH)
    else:
        worst, best = reciprocal_rank_range(((hit.note_id, hit.block) for hit in ranking.hits), found.notes)
    return {"mrr_worst_tie": worst, "mrr_best_tie": best}


def _variant(question: Question, notes: Sequence[Note]) -> tuple[str, frozenset[str]]:
    """Another reading of the gold, where the benchmark has one: the name of its MRR, and the notes or sessions it takes."""
    if question.gold.substrings:
        return "mrr_permissive", relevance(question, notes, permissive=True).notes
    if is_by_session(question):
        return "mrr_official", official_gold(question, notes)
    return "", frozenset()


def official_gold(question: Question, notes: Sequence[Note]) -> frozenset[str]:
    """LongMemEval's own gold: evidence sessions with a flagged user turn; none for abstention questions (spec 6.1)."""
    if is_abstention(question):
        return frozenset()
    flagged = set(question.gold.turns)
    return frozenset(
        note.session_id
        for note in notes
        if any(turn.role == "user" and turn.ref in flagged for turn in note.interaction.turns)
        and note.session_id in question.gold.sessions
    )
