"""Runs: methods over cases, judged question by question, summed up with intervals."""

from __future__ import annotations

import hashlib
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from importlib.metadata import version
from typing import Any

import workbench
from workbench.datasets.longmemeval import SESSION_TWICE, is_abstention
from workbench.engine import Progress, Task, run_tasks
from workbench.errors import BadInput
from workbench.evaluate.intervals import mean_interval
from workbench.evaluate.measures.base import compute
from workbench.evaluate.ranks import DEPTH, reciprocal_rank_range, sessions_of
from workbench.evaluate.relevance import Relevance, relevance
from workbench.memory import Memory
from workbench.methods.base import create
from workbench.records import Case, Note, Question, QuestionResult, Ranking, Run
from workbench.settings import Profile

MEASURES = ("mrr", "recall@5", "recall@10", "hit@5", "ndcg@5", "ndcg_longmemeval@5")
"""Computed for every question, over the unit in which its gold is given."""
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
    """A method with its configuration by profile and single fields, as given on a command line."""

    name: str
    profile: Profile = "default"
    overrides: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class CaseInput:
    """A case with the notes of one extraction.

    ``base`` holds the full case's notes where this one is a reduced copy of a stored one; ``remark`` says of a reduced copy where
    the word frequencies of the filter are counted (decision 2). ``digest`` covers all of it.
    """

    case: Case
    notes: tuple[Note, ...]
    digest: str
    base: tuple[Note, ...] | None = None
    remark: str = ""

    def memory(self) -> Memory:
        """A memory of the notes, which all methods of the case share."""
        base = Memory(self.base) if self.base is not None else None
        return Memory(self.notes, self.case.participants, base)


@dataclass(frozen=True)
class CaseResult:
    """What one case came to: a result per method and question, seconds per method, and left-out questions by reason."""

    results: tuple[QuestionResult, ...]
    seconds: dict[str, float]
    excluded: Counter[str]


def is_headline(benchmark: str, question: Question) -> bool:
    """Whether a question counts in the benchmark's headline figure (design 9): of LoCoMo's, those of categories 1 to 4."""
    return benchmark != "locomo" or question.type[:1] in ("1", "2", "3", "4")


def is_by_session(question: Question) -> bool:
    """Whether a question is judged over sessions: where its gold names sessions (LongMemEval); else over notes."""
    return bool(question.gold.sessions)


def evaluate_case(given: CaseInput, specs: Sequence[MethodSpec]) -> CaseResult:
    """All methods over one case; its notes are tokenised and its graph is built once for all of them."""
    memory = given.memory()
    excluded: Counter[str] = Counter()
    judged: list[tuple[Question, Relevance]] = []
    for question in given.case.questions:
        found = relevance(question, memory.notes)
        if found.level == "none":
            excluded[NO_GOLD] += 1
        else:
            judged.append((question, found))
    rankings: dict[tuple[str, str], Ranking] = {}
    seconds: dict[str, float] = {}
    for spec in specs:
        with memory.watch() as watch:
            method = create(spec.name, spec.profile, spec.overrides, memory)
            rankings |= {(spec.name, question.id): method.query(question.text, k=None) for question, _ in judged}
        seconds[spec.name] = watch.seconds
    return CaseResult(tuple(_judge(given, memory.notes, judged, rankings)), seconds, excluded)


def _judge(
    given: CaseInput,
    notes: Sequence[Note],
    judged: Sequence[tuple[Question, Relevance]],
    rankings: Mapping[tuple[str, str], Ranking],
) -> Iterator[QuestionResult]:
    """Results in the order of the rankings; measures are computed over all of them at once."""
    found = {question.id: (question, relevant) for question, relevant in judged}
    variants = {question.id: _variant(question, notes) for question, _ in judged}
    by_note = {_key(at): [hit.note_id for hit in ranking.hits] for at, ranking in rankings.items()}
    by_session = {_key(at): sessions_of(ranking.hits) for at, ranking in rankings.items()}
    over_notes = compute(MEASURES, by_note, {_key(at): found[at[1]][1].notes for at in rankings})
    over_sessions = compute(MEASURES, by_session, {_key(at): found[at[1]][1].sessions for at in rankings})
    for at, ranking in rankings.items():
        key, (question, relevant) = _key(at), found[at[1]]
        is_session = is_by_session(question)
        main, other, suffix = (over_sessions, over_notes, "_note") if is_session else (over_notes, over_sessions, "_session")
        # A question whose gold this memory does not hold was not found: 0, and it stays in the mean (spec 2.8).
        values: dict[str, float | None] = {name: main[name][key] or 0.0 for name in MEASURES}
        values |= {name + suffix: other[name][key] for name in MEASURES}
        values |= _tie_range(question, relevant, ranking)
        name, gold = variants[question.id]
        if name:
            ranked = by_session[key] if is_session else by_note[key]
            values[name] = compute(["mrr"], {"q": ranked}, {"q": gold})["mrr"]["q"]
        yield QuestionResult(
            given.case.key,
            question.id,
            question.type,
            ranking.method,
            tuple(hit.note_id for hit in ranking.hits[:KEPT]),
            tuple(hit.score for hit in ranking.hits[:KEPT]),
            by_session[key],
            ranking.candidates,
            values,
            is_headline(given.case.benchmark, question),
            (*question.remarks, *([given.remark] if given.remark else []), *ranking.remarks),
        )


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
) -> Run:
    """Run methods over cases of one benchmark.

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
        If no question of the cases has gold.
    """
    digest = hashlib.sha256()
    benchmarks: set[str] = set()

    def tasks() -> Iterator[Task[CaseInput]]:
        for each in inputs:
            benchmarks.add(each.case.benchmark)
            digest.update(f"{each.case.key} {each.digest}\n".encode())
            yield Task(each.case.key, each)

    excluded: Counter[str] = Counter()
    results: list[QuestionResult] = []
    seconds: Counter[str] = Counter()
    for done in run_tasks(partial(evaluate_case, specs=specs), tasks(), workers=workers, progress=progress):
        results += done.result.results
        excluded += done.result.excluded
        seconds.update(done.result.seconds)
    if len(benchmarks) != 1:
        raise ValueError(f"a run takes cases of one benchmark; these are of {', '.join(sorted(benchmarks)) or 'none'}")
    if not results:
        raise BadInput(f"nothing to evaluate: no question of these cases has gold ({sum(excluded.values())} without)")
    created = now()
    return Run(
        id=f"{created:%Y%m%d-%H%M%S}-{hashlib.sha256(repr((digest.hexdigest(), time.time_ns())).encode()).hexdigest()[:6]}",
        created=created,
        benchmark=benchmarks.pop(),
        extraction=dict(extraction),
        config={spec.name: asdict(create(spec.name, spec.profile, spec.overrides).config) for spec in specs},
        data_digest=digest.hexdigest(),
        code_version=workbench.__version__,
        environment=environment(),
        excluded=dict(excluded),
        seconds=dict(seconds),
        results=tuple(results),
        name=name,
    )


def environment() -> dict[str, str]:
    """Versions of what a ranking depends on."""
    packages = ("numpy", "scipy", "rank-bm25", "ir-measures", "spacy", "PyStemmer")
    return {"python": platform.python_version(), "platform": platform.platform()} | {each: version(each) for each in packages}


# Summaries ----------------------------------------------------------------------------------------------------------------


def mean(results: Iterable[QuestionResult], measure: str) -> float | None:
    """Mean of a measure over the questions where it is available; None where it is nowhere."""
    values = [value for result in results if (value := result.measures.get(measure)) is not None]
    return sum(values) / len(values) if values else None


def groups(results: Iterable[QuestionResult]) -> dict[str, list[QuestionResult]]:
    """Results by question type; abstention questions appear once more under "abstention"."""
    found: dict[str, list[QuestionResult]] = {}
    for result in results:
        found.setdefault(result.type or "untyped", []).append(result)
        if result.question.endswith("_abs"):
            found.setdefault("abstention", []).append(result)
    return dict(sorted(found.items()))


def question_sets(results: Sequence[QuestionResult]) -> dict[str, dict[str, Any]]:
    """MRR on the question sets in use for LongMemEval (spec 6.1): all, without abstention, without duplicates, official."""
    official = [result for result in results if result.measures.get("mrr_official") is not None]
    sets = {
        "all": (results, "mrr"),
        "without_abstention": ([result for result in results if not result.question.endswith("_abs")], "mrr"),
        "without_duplicated_sessions": (
            [result for result in results if not any(remark.startswith(SESSION_TWICE) for remark in result.remarks)],
            "mrr",
        ),
        "official": (official, "mrr_official"),
    }
    return {
        name: {"n": len(chosen), "mrr": mean(chosen, measure), "mrr_ci": _interval(chosen, measure)}
        for name, (chosen, measure) in sets.items()
    }


def _by_type_only(first: Sequence[QuestionResult]) -> dict[str, int]:
    """Questions outside the headline figure, by type."""
    return dict(Counter(result.type for result in first if not result.headline))


def _interval(results: Iterable[QuestionResult], measure: str) -> list[float] | None:
    found = mean_interval([value for result in results if (value := result.measures.get(measure)) is not None])
    return list(found) if found else None


def summary(run: Run) -> dict[str, Any]:
    """The run in the shape of ``workbench evaluate --json`` (design 9)."""
    first = [result for result in run.results if result.method == next(iter(run.config))]
    by_method: dict[str, list[QuestionResult]] = {name: [] for name in run.config}
    for result in run.results:
        by_method[result.method].append(result)
    headline = {name: [result for result in results if result.headline] for name, results in by_method.items()}
    table = {}
    for name, results in headline.items():
        # Contract measures are there even where no question counts, as not available.
        names = sorted({*MEASURES, *(measure for result in results for measure in result.measures)})
        table[name] = {measure: mean(results, measure) for measure in names} | {
            "mrr_ci": _interval(results, "mrr"),
            "empty": sum(not result.note_ids for result in results),
            "by_type": {
                group: {"n": len(members), "mrr": mean(members, "mrr"), "recall@5": mean(members, "recall@5")}
                for group, members in groups(by_method[name]).items()
            },
            "seconds": run.seconds[name],
        }
        if any("mrr_official" in result.measures for result in results):
            table[name]["sets"] = question_sets(results)
    return {
        "run": run.id,
        "benchmark": run.benchmark,
        "questions": max((len(results) for results in headline.values()), default=0),
        "excluded": dict(run.excluded),
        "by_type_only": _by_type_only(first),
        "df_base": dict(Counter(remark for result in first for remark in result.remarks if remark in DF_REMARKS)),
        "extraction": dict(run.extraction),
        "methods": table,
    }
