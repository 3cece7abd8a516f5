"""Work of the page Extractions: comparisons, runs and variants made beside the pages, kept while their data stay the same."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.compare_extractions.comparison import Comparison, compare, comparison_json
from workbench.compare_extractions.matrix import Matrix, matrix_of, run_matrix
from workbench.compare_extractions.sources import Source, choose, shared_cases, sources
from workbench.diagnose.rewriting import Rewriting, Rewritten, rewrite
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.significance import Unit
from workbench.records import Run
from workbench.store import CaseRow, ExtractionRow, open_store
from workbench.ui import evaluate_results
from workbench.ui.cached import WAIT_SECONDS, Stamp, stamp
from workbench.ui.jobs import Job, jobs
from workbench.words import counted

PLACE = "extractions"
"""Where the progress of work begun on this page is drawn."""
KEPT = 4
"""Comparisons that are kept for a store (ours)."""


@dataclass(frozen=True)
class Request:
    """What is compared: extractions of a benchmark by their labels, over the cases that have all of them."""

    store: str
    benchmark: str
    labels: tuple[str, ...]
    meaning: str | None = None

    @property
    def path(self) -> Path:
        return Path(self.store)


@dataclass(frozen=True)
class Kept:
    """A comparison with what it was made from."""

    request: Request
    state: str
    chosen: tuple[Source, ...]
    found: Comparison

    @cached_property
    def result(self) -> dict[str, Any]:
        """The comparison as the command line writes it."""
        return comparison_json(self.found)

    @property
    def path(self) -> Path:
        return self.request.path

    def source(self, label: str) -> Source:
        return next(each for each in self.chosen if each.label == label)


@dataclass(frozen=True)
class Measured:
    """Methods that were run under extractions: the id of each extraction's run."""

    request: Request
    state: str
    methods: tuple[str, ...]
    runs: Mapping[str, str]


@dataclass(frozen=True)
class Made:
    """A variant that was stored, under the label that it has now, and what it changed by method."""

    request: Request
    base: str
    label: str
    rewritten: Rewritten
    measured: Measured | None


@dataclass
class _Shelf:
    """What was worked out for all stores, the newest last."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    comparisons: list[Kept] = field(default_factory=list)
    measured: list[Measured] = field(default_factory=list)

    def keep(self, made: Kept | Measured) -> None:
        with self.lock:
            if isinstance(made, Kept):
                self.comparisons = [*(each for each in self.comparisons if each.request != made.request), made][-KEPT:]
            else:
                self.measured = [*self.measured, made][-4 * KEPT :]


@st.cache_resource(show_spinner=False)
def _shelf() -> _Shelf:
    return _Shelf()


# --- what there is ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """A benchmark's cases with their digests, and its extractions."""

    cases: Mapping[str, str]
    sources: tuple[Source, ...]

    def request_state(self, labels: Sequence[str]) -> str:
        """What changes where a comparison's result might: cases and the extractions compared."""
        rows = [
            (case, row.id, row.digest, row.created, repr(row.counters))
            for source in self.sources
            if source.label in labels
            for case, row in source.rows.items()
        ]
        return hashlib.sha256(repr((sorted(self.cases.items()), sorted(rows))).encode()).hexdigest()

    def cases_of(self, labels: Sequence[str]) -> list[str]:
        """The cases that all of some extractions hold."""
        return shared_cases(choose(self.sources, labels), self.cases)


def _read(path: str | Path) -> tuple[list[CaseRow], list[ExtractionRow]]:
    with open_store(path, read_only=True, wait_seconds=WAIT_SECONDS) as store:
        return store.cases.list(), store.extractions.list()


@st.cache_data(max_entries=8, show_spinner=False)
def _cached(path: str, now: Stamp) -> tuple[list[CaseRow], list[ExtractionRow]]:
    return _read(path)


def _known(stored: tuple[list[CaseRow], list[ExtractionRow]], benchmark: str) -> Known:
    cases = {row.key: row.digest for row in stored[0] if row.benchmark == benchmark}
    return Known(cases, sources(row for row in stored[1] if row.case in cases))


def known(path: Path, benchmark: str) -> Known:
    """The extractions of a benchmark."""
    return _known(_cached(str(path), stamp(path)), benchmark)


def kept_comparison(request: Request) -> Kept | None:
    """The comparison that was asked for, where it is there and its data are as they were."""
    now = known(request.path, request.benchmark).request_state(request.labels)
    return next((each for each in reversed(_shelf().comparisons) if (each.request, each.state) == (request, now)), None)


def measured(request: Request) -> Measured | None:
    """The newest runs of the extractions that are compared, whose data are as they were."""
    now = known(request.path, request.benchmark).request_state(request.labels)
    for each in reversed(_shelf().measured):
        same = (each.request.store, each.request.benchmark, each.request.labels) == (
            request.store,
            request.benchmark,
            request.labels,
        )
        if same and each.state == now:
            return each
    return None


def matrix(path: Path, found: Measured, measure: str, unit: Unit) -> Matrix:
    """The matrix of some runs; KeyError where one was removed since."""
    return _matrix(str(path), tuple(found.runs.items()), measure, unit)


@st.cache_resource(max_entries=32, show_spinner=False)
def _matrix(path: str, runs: tuple[tuple[str, str], ...], measure: str, unit: Unit) -> Matrix:
    return matrix_of(runs_of(Path(path), dict(runs)), measure, unit)


def runs_of(path: Path, ids: Mapping[str, str]) -> dict[str, Run]:
    """The runs by extraction."""
    return {label: evaluate_results.run(path, id_) for label, id_ in ids.items()}


def dismiss_shown(store: str) -> None:
    """Forget a job of this page that ended well, where its result is drawn in full below."""
    job = jobs().of(store)
    if job is None or job.place != PLACE or not job.future.done() or job.future.exception() is not None:
        return
    if isinstance(job.future.result(), Kept | Measured):
        jobs().dismiss(store)


# --- work -------------------------------------------------------------------------------------------------------------------


def start_comparison(request: Request, total: int) -> None:
    """Begin a comparison beside the pages."""
    title = f"Comparison of {counted(len(request.labels), 'extraction')}"
    jobs().start(title, request.store, lambda job: comparison(request, job), total=total, place=PLACE)


def comparison(request: Request, job: Job) -> Kept:
    """Compare, and keep the result."""
    there = _known(_read(request.path), request.benchmark)
    chosen = choose(there.sources, request.labels)
    found = compare(request.path, list(there.cases), chosen, meaning=request.meaning, progress=job.advance)
    kept = Kept(request, there.request_state(request.labels), chosen, found)
    _shelf().keep(kept)
    return kept


def start_runs(request: Request, methods: Sequence[str], total: int) -> None:
    """Begin runs of methods under every extraction."""
    title = f"{counted(len(methods), 'method')} under {counted(len(request.labels), 'extraction')}"
    jobs().start(title, request.store, lambda job: measure_all(request, methods, job), total=total, place=PLACE)


def measure_all(request: Request, methods: Sequence[str], job: Job, done: int = 0) -> Measured:
    """Run the methods, and keep which runs they made; ``done`` cases of the job were something else."""
    there = _known(_read(request.path), request.benchmark)
    chosen = choose(there.sources, request.labels)
    specs = [MethodSpec(name) for name in methods]

    def advance(now: int, name: str) -> None:
        job.advance(done + now, name)

    runs = run_matrix(request.path, list(there.cases), chosen, specs, progress=advance)
    made = {label: run.id for label, run in runs.items()}
    found = Measured(request, there.request_state(request.labels), tuple(methods), made)
    _shelf().keep(found)
    return found


def start_variant(request: Request, base: str, rule: Rewriting, name_key: str, methods: Sequence[str]) -> None:
    """Begin to store a variant under the name typed in a widget, and to measure what it changes."""
    name = str(st.session_state[name_key]).strip()
    keys = known(request.path, request.benchmark).cases_of([base])
    total = len(keys) * (3 if methods else 1)
    work = lambda job: variant(request, base, rule, name, methods, job)  # noqa: E731
    jobs().start("A variant and what it changes", request.store, work, total=total, place=PLACE)


def variant(request: Request, base: str, rule: Rewriting, name: str, methods: Sequence[str], job: Job) -> Made:
    """Store a variant over all cases of its base, then run methods under both."""
    there = _known(_read(request.path), request.benchmark)
    keys = there.cases_of([base])
    made = rewrite(request.path, keys, choose(there.sources, [base])[0].key, rule, name, progress=job.advance)
    now = _known(_read(request.path), request.benchmark)
    label = next(each.label for each in now.sources if each.key == made.key)
    pair = Request(request.store, request.benchmark, (base, label))
    found = measure_all(pair, methods, job, len(keys)) if methods else None
    return Made(pair, base, label, made, found)
