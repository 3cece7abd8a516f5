"""Runs: methods over cases, judged question by question."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from importlib.metadata import version
from typing import Any, Literal

import workbench
from workbench.datasets.longmemeval import is_abstention
from workbench.embed.base import embedder
from workbench.embed.vectors import Vectors, VectorSet
from workbench.engine import Progress, Task, run_tasks
from workbench.errors import BadInput
from workbench.evaluate.measures.base import compute
from workbench.evaluate.ranks import DEPTH, reciprocal_rank_range, sessions_of
from workbench.evaluate.relevance import Relevance, relevance
from workbench.memory import Memory
from workbench.methods.base import create
from workbench.records import Case, Note, Question, QuestionResult, Ranking, Run, RunKind
from workbench.settings import Profile

MEASURES = ("mrr", "recall@5", "recall@10", "hit@5", "ndcg@5", "ndcg_longmemeval@5")
"""Computed for every question, over the unit in which its gold is given."""
STORE_NOTES = "store_notes"
"""Not a measure, but kept beside them: how many notes the memory held that the question was asked of."""
DF_FULL = "word frequencies of the filter are counted in the full case"
DF_STORE = "word frequencies of the filter are counted in this reduced case: the full one is not stored under this extraction"
DF_REMARKS = (DF_FULL, DF_STORE)
NO_GOLD = "no evidence is named that the history holds"
KEPT = 100
"""Ranked notes that a run keeps of each question; measures are taken over the whole ranking (ours)."""
TABLE1 = ("tag_basic", "tag_stopwords", "tag_tfidf", "adaptive", "bm25", "openclaw")
"""The methods of the paper's Table 1, in its order."""


@dataclass(frozen=True)
class MethodSpec:
    """One arm of a run: a method with its configuration by profile and single fields, as given on a command line.

    ``label`` is the arm's name in the run, by default the method's. ``reduction`` makes a smaller copy of each case before the
    method sees it, and can be sent to another process. ``point`` says what the arm stands for in an ablation or a sweep.
    """

    name: str
    profile: Profile = "default"
    overrides: Mapping[str, Any] | None = None
    label: str = ""
    reduction: Reduction | None = None
    point: Mapping[str, Any] = field(default_factory=dict)

    @property
    def arm(self) -> str:
        """The arm's name in the run."""
        return self.label or self.name


@dataclass(frozen=True)
class CaseInput:
    """A case with the notes of one extraction.

    ``base`` holds the full case's notes where this one is a reduced copy of a stored one; ``remark`` says of a reduced copy where
    the word frequencies of the filter are counted (decision 2). ``digest`` covers all of it. ``vectors`` are those of its texts
    that a store held; methods add to them, and no ranking depends on what was there.
    """

    case: Case
    notes: tuple[Note, ...]
    digest: str
    base: tuple[Note, ...] | None = None
    remark: str = ""
    vectors: Vectors = field(default_factory=Vectors, compare=False, repr=False)

    def memory(self, full: Memory | None = None) -> Memory:
        """A memory of the notes, which all methods of the case share; ``full`` is one of the base, where it is there already."""
        if full is None and self.base is not None:
            full = Memory(self.base)
        return Memory(self.notes, self.case.participants, full, self.vectors)


Ranked = Literal["note", "session"]
"""What a ranking lists."""
Reduction = Callable[[CaseInput], Sequence[CaseInput]]
"""Makes smaller copies of a case, one for each of its questions (`workbench.evaluate.reductions`)."""


@dataclass(frozen=True)
class CaseResult:
    """What one case came to: a result per method and question, seconds per method, and left-out questions by reason.

    ``building`` is the part of the seconds that went into index, graph and whatever else is kept for later queries. ``vectors``
    are those that were worked out, to be stored.
    """

    results: tuple[QuestionResult, ...]
    seconds: dict[str, float]
    building: dict[str, float]
    excluded: Counter[str]
    vectors: tuple[VectorSet, ...] = ()


def is_headline(benchmark: str, question: Question) -> bool:
    """Whether a question counts in the benchmark's headline figure (design 9): of LoCoMo's, those of categories 1 to 4."""
    return benchmark != "locomo" or question.type[:1] in ("1", "2", "3", "4")


def is_by_session(question: Question) -> bool:
    """Whether a question is judged over sessions: where its gold names sessions (LongMemEval); else over notes."""
    return bool(question.gold.sessions)


def evaluate_case(given: CaseInput, specs: Sequence[MethodSpec]) -> CaseResult:
    """All arms over one case; its graph is built once for all arms with the same reduction.

    Reduced copies take the words of their notes from the full case, so that a note is tokenised once for all of them: seconds of
    arms with a reduction are without it.
    """
    whole = given.base if given.base is not None else given.notes
    full = Memory(whole)
    excluded: Counter[str] = Counter()
    results: list[QuestionResult] = []
    seconds, building = Counter[str](), Counter[str]()
    for reduction in dict.fromkeys(spec.reduction for spec in specs):
        arms = [spec for spec in specs if spec.reduction == reduction]
        lacking: Counter[str] = Counter()
        for reduced in reduction(given) if reduction is not None else (given,):
            reduced = replace(reduced, vectors=given.vectors)
            found = _evaluate_arms(reduced, reduced.memory(full if reduced.base is whole else None), arms)
            results += found.results
            seconds.update(found.seconds)
            building.update(found.building)
            lacking += found.excluded
        excluded |= lacking  # the same questions lack gold in every copy
    return CaseResult(tuple(results), dict(seconds), dict(building), excluded, given.vectors.fresh)


def _evaluate_arms(given: CaseInput, memory: Memory, specs: Sequence[MethodSpec]) -> CaseResult:
    judged, excluded = judged_questions(given.case.questions, memory.notes)
    rankings: dict[tuple[str, str], Ranking] = {}
    seconds: dict[str, float] = {}
    building: dict[str, float] = {}
    for spec in specs:
        with memory.watch() as watch:
            method = create(spec.name, spec.profile, spec.overrides, memory)
            rankings |= {(spec.arm, each.question.id): method.query(each.question.text, k=None) for each in judged}
        seconds[spec.arm], building[spec.arm] = watch.seconds, watch.nested
    results = judge(given.case.key, judged, rankings, store_notes=len(memory.notes), remark=given.remark)
    return CaseResult(tuple(results), seconds, building, excluded)


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


def evaluate(
    inputs: Iterable[CaseInput],
    specs: Sequence[MethodSpec],
    extraction: Mapping[str, Any],
    *,
    workers: int = 1,
    now: Callable[[], datetime] = datetime.now,
    progress: Progress | None = None,
    name: str = "",
    kind: RunKind = "evaluation",
) -> Run:
    """Run methods over cases of one benchmark, in memory; `workbench.evaluate.stored.run_stored` keeps what it works out.

    Parameters
    ----------
    inputs : iterable of CaseInput
        Read one by one.
    specs : sequence of MethodSpec
    extraction : mapping
        Name and configuration of the extraction the notes come from, kept with the run.
    workers : int
        Local processes.
    now
        The clock.
    progress : callable, optional
        Called after each case with the number of cases done and its key.

    Raises
    ------
    ValueError
        If there is no case, or cases of several benchmarks.
    BadInput
        If no question of the cases has gold, or an arm's embeddings are for tests only.
    """
    embeddings_of(specs)
    digest = hashlib.sha256()
    benchmarks: set[str] = set()

    def tasks() -> Iterator[Task[CaseInput]]:
        for each in inputs:
            benchmarks.add(each.case.benchmark)
            digest.update(f"{each.case.key} {each.digest}\n".encode())
            yield Task(each.case.key, each)

    excluded: Counter[str] = Counter()
    results: list[QuestionResult] = []
    seconds, building = Counter[str](), Counter[str]()
    for done in run_tasks(partial(evaluate_case, specs=specs), tasks(), workers=workers, progress=progress):
        results += done.result.results
        excluded += done.result.excluded
        seconds.update(done.result.seconds)
        building.update(done.result.building)
    if len(benchmarks) != 1:
        raise ValueError(f"a run takes cases of one benchmark; these are of {', '.join(sorted(benchmarks)) or 'none'}")
    if not results:
        raise BadInput(f"nothing to evaluate: no question of these cases has gold ({sum(excluded.values())} without)")
    created = now()
    return Run(
        run_id(created, digest.hexdigest()),
        created,
        benchmarks.pop(),
        dict(extraction),
        configurations(specs),
        digest.hexdigest(),
        workbench.__version__,
        environment(),
        dict(excluded),
        dict(seconds),
        tuple(results),
        name,
        kind,
        points(specs),
        dict(building),
    )


def embeddings_of(specs: Sequence[MethodSpec]) -> set[tuple[str, str]]:
    """The (backend, model) of every arm that compares vectors.

    Raises
    ------
    BadInput
        If one is for tests only: its vectors mean nothing, and so would the figures.
    """
    found = set()
    for spec in specs:
        config = create(spec.name, spec.profile, spec.overrides).config
        named = getattr(config, "embeddings", None)
        if named is None:
            continue
        source = embedder(named)
        if source.is_for_tests:
            raise BadInput(f"{spec.arm}: embeddings {named!r} are for tests only and give no figures: use wordllama or a model")
        found.add((source.name, source.model))
    return found


def run_id(created: datetime, digest: str) -> str:
    """An id that sorts by time and that no other run has."""
    unique = hashlib.sha256(f"{digest} {time.time_ns()} {os.getpid()}".encode()).hexdigest()[:6]
    return f"{created:%Y%m%d-%H%M%S}-{unique}"


def configurations(specs: Sequence[MethodSpec]) -> dict[str, dict[str, Any]]:
    """Every arm's configuration fields; ValueError where two arms share a name."""
    if len({spec.arm for spec in specs}) < len(specs):
        raise ValueError(f"arms of a run need names of their own; these are {', '.join(spec.arm for spec in specs)}")
    return {spec.arm: asdict(create(spec.name, spec.profile, spec.overrides).config) for spec in specs}


def points(specs: Sequence[MethodSpec]) -> dict[str, dict[str, Any]]:
    """What every arm stands for: its method, and where it lies in an ablation or a sweep."""
    return {spec.arm: {"method": spec.name, **spec.point} for spec in specs}


def environment() -> dict[str, str]:
    """Versions of what a ranking depends on."""
    packages = ("numpy", "scipy", "rank-bm25", "ir-measures", "spacy", "PyStemmer", "wordllama")
    return {"python": platform.python_version(), "platform": platform.platform()} | {each: version(each) for each in packages}
