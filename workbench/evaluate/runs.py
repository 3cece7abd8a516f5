"""Runs: methods over cases, and what every ranking came to."""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import workbench
from workbench.embed.base import embedder
from workbench.embed.vectors import Vectors, VectorSet
from workbench.engine import Progress, Task, Workers, run_tasks
from workbench.errors import BadInput
from workbench.evaluate.judging import judge, judged_questions
from workbench.memory import Memory
from workbench.methods.base import create
from workbench.records import Case, Note, QuestionResult, Ranking, Run, RunKind
from workbench.settings import Profile
from workbench.states import State, States
from workbench.versions import environment

DF_FULL = "word frequencies of the filter are counted in the full case"
DF_STORE = "word frequencies of the filter are counted in this reduced case: the full one is not stored under this extraction"
DF_REMARKS = (DF_FULL, DF_STORE)
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
    the word frequencies of the filter are counted (decision 2). ``digest`` covers all of it. ``vectors`` and
    ``states`` are those of its texts that a store held; methods add to them, and no ranking depends on what was there.
    """

    case: Case
    notes: tuple[Note, ...]
    digest: str
    base: tuple[Note, ...] | None = None
    remark: str = ""
    vectors: Vectors = field(default_factory=Vectors, compare=False, repr=False)
    states: States = field(default_factory=States, compare=False, repr=False)

    def memory(self, full: Memory | None = None) -> Memory:
        """A memory of the notes, which all methods of the case share; ``full`` is one of the base, where it is there already."""
        if full is None and self.base is not None:
            full = Memory(self.base)
        return Memory(self.notes, self.case.participants, full, self.vectors, self.states)

    def to_parquet(self, folder: Path) -> None:
        """Write all of it into an empty folder, for a worker on another machine."""
        from workbench.evaluate.parcels import pack

        pack(self, folder)

    @staticmethod
    def from_parquet(folder: Path) -> CaseInput:
        """What `to_parquet` wrote."""
        from workbench.evaluate.parcels import unpack

        return unpack(folder)


Reduction = Callable[[CaseInput], Sequence[CaseInput]]
"""Makes smaller copies of a case, one for each of its questions (`workbench.evaluate.reductions`)."""


@dataclass(frozen=True)
class CaseResult:
    """What one case came to: a result per method and question, seconds per method, and left-out questions by reason.

    ``building`` is the part of the seconds that went into index, graph and whatever else is kept for later queries. ``vectors``
    and ``states`` are those that were worked out, to be stored.
    """

    results: tuple[QuestionResult, ...]
    seconds: dict[str, float]
    building: dict[str, float]
    excluded: Counter[str]
    vectors: tuple[VectorSet, ...] = ()
    states: tuple[State, ...] = ()


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
            reduced = replace(reduced, vectors=given.vectors, states=given.states)
            found = _evaluate_arms(reduced, reduced.memory(full if reduced.base is whole else None), arms)
            results += found.results
            seconds.update(found.seconds)
            building.update(found.building)
            lacking += found.excluded
        excluded |= lacking  # the same questions lack gold in every copy
    return CaseResult(tuple(results), dict(seconds), dict(building), excluded, given.vectors.fresh, given.states.fresh)


def _evaluate_arms(given: CaseInput, memory: Memory, specs: Sequence[MethodSpec]) -> CaseResult:
    judged, excluded = judged_questions(given.case.questions, memory.notes)
    rankings: dict[tuple[str, str], Ranking] = {}
    seconds: dict[str, float] = {}
    building: dict[str, float] = {}
    for spec in specs:
        with memory.watch() as watch:
            method = create(spec.name, spec.profile, spec.overrides, memory)
            rankings |= {
                (spec.arm, each.question.id): method.query(each.question.text, k=None, at_time=each.question.time)
                for each in judged
            }
        seconds[spec.arm], building[spec.arm] = watch.seconds, watch.nested
    results = judge(given.case.key, judged, rankings, store_notes=len(memory.notes), remark=given.remark)
    return CaseResult(tuple(results), seconds, building, excluded)


def evaluate(
    inputs: Iterable[CaseInput],
    specs: Sequence[MethodSpec],
    extraction: Mapping[str, Any],
    *,
    workers: Workers = 1,
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
    workers : int or Cluster
        Local processes, or a cluster (`workbench.engine`).
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
