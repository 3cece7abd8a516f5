"""What pages read again and again, kept between runs: caches around the core, never in it.

The store is opened for each read and closed after it, so that a command line or another program gets in between.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.evaluate.imported import PREFIX, ImportedArm, ImportedRun, imported_arms
from workbench.evaluate.inputs import FULL_CASE, case_input
from workbench.memory import Memory
from workbench.methods.base import create
from workbench.records import Case, Question, QuestionResult, Ranking
from workbench.settings import Profile
from workbench.store import (
    CaseRow,
    Cells,
    ExtractionRow,
    LoadReport,
    QuestionRow,
    RunRow,
    Store,
    StoreInfo,
    UnfinishedRow,
    open_store,
)

WAIT_SECONDS = 3.0
"""How long a page waits for a store that another program is writing to (ours); then it says so."""

P = ParamSpec("P")
R = TypeVar("R")
Stamp = tuple[tuple[int, int], ...]


def stamp(path: Path) -> Stamp:
    """What changes whenever a store's content does: time (ns) and size of the file and of its write-ahead log."""
    found = []
    for file in (path, path.with_name(path.name + ".wal")):
        try:
            status = file.stat()
        except FileNotFoundError:
            found.append((0, 0))
        else:
            found.append((status.st_mtime_ns, status.st_size))
    return tuple(found)


def _reads(query: Callable[Concatenate[Store, P], R]) -> Callable[Concatenate[Path, P], R]:
    """A query of a store as a cached function of the store's path: asked again only when the file has changed."""

    def ask(path: str, state: Stamp, arguments: tuple[Any, ...], named: dict[str, Any]) -> R:
        with open_store(path, read_only=True, wait_seconds=WAIT_SECONDS) as store:
            return query(store, *arguments, **named)

    ask.__qualname__ = query.__qualname__  # the cache tells functions apart by name and source, and this one's source is shared
    cached = st.cache_data(max_entries=64, show_spinner=False)(ask)

    def asked(path: Path, /, *arguments: P.args, **named: P.kwargs) -> R:
        return cached(str(path), stamp(path), arguments, named)

    asked.__doc__ = query.__doc__
    return asked


@_reads
def info(store: Store) -> StoreInfo:
    """How much the store holds."""
    return store.info()


@_reads
def cases(store: Store, benchmark: str | None = None) -> list[CaseRow]:
    """The cases of a benchmark, or all."""
    return store.cases.list(benchmark)


@_reads
def questions(store: Store, case_key: str) -> tuple[Question, ...]:
    """The questions of a case."""
    return store.questions.of(case_key)


@_reads
def extractions(store: Store, case_key: str) -> list[ExtractionRow]:
    """The extractions of a case, the default one first."""
    return store.extractions.list(case_key)


@_reads
def cases_with(store: Store, benchmark: str, extraction: int) -> list[str]:
    """Keys of the benchmark's cases that have an extraction like the one of this id: same extractor, same configuration."""
    rows = [row for row in store.extractions.list() if row.case.startswith(f"{benchmark}/")]
    wanted = next((row.key for row in rows if row.id == extraction), None)
    having = {row.case for row in rows if row.key == wanted}
    return [row.key for row in store.cases.list(benchmark) if row.key in having]


@_reads
def question_table(store: Store, benchmark: str | None, type: str | None, text: str | None) -> list[QuestionRow]:
    """Questions under a filter."""
    return store.questions.table(benchmark, type=type, text=text)


@_reads
def question_types(store: Store, benchmark: str | None) -> dict[str, int]:
    """How many questions there are of each type."""
    return store.questions.types(benchmark)


@_reads
def expected_texts(store: Store, case_keys: tuple[str, ...]) -> dict[tuple[str, str], tuple[str, ...]]:
    """The texts that an answer must hold, by (case key, question id); for some cases at once, in one opening of the store."""
    found = ((key, question) for key in case_keys for question in store.questions.of(key))
    return {(key, question.id): question.gold.substrings for key, question in found if question.gold.substrings}


@_reads
def runs(store: Store, benchmark: str) -> list[RunRow]:
    """The runs of a benchmark, newest first."""
    return store.runs.list(benchmark)


@_reads
def unfinished(store: Store, benchmark: str) -> list[UnfinishedRow]:
    """The interrupted runs of a benchmark, newest first; one that is under way is among them."""
    return [row for row in store.unfinished.list() if row.benchmark == benchmark]


@_reads
def cells(store: Store, measure: str, run: str) -> Cells:
    """One measure of every question and method of a run."""
    return store.runs.cells(measure, run=run)


@_reads
def imported(store: Store, benchmark: str) -> dict[str, ImportedArm]:
    """The arms of the benchmark's imported runs, by the names under which they stand beside methods."""
    return imported_arms(store.runs.list(benchmark, ("import",)))


@_reads
def imported_cells(store: Store, measure: str, benchmark: str, names: tuple[str, ...]) -> Cells:
    """One measure of every question of some imported arms, by their names beside methods."""
    arms = imported_arms(store.runs.list(benchmark, ("import",)))
    found: Cells = {}
    for name in names:
        for key, values in store.runs.cells(measure, run=arms[name].run).items():
            if arms[name].arm in values:
                found.setdefault(key, {})[name] = values[arms[name].arm]
    return found


@_reads
def _results(store: Store, run: str, case_key: str, arm: str) -> tuple[QuestionResult, ...]:
    return store.runs.results(run, case_key=case_key, method=arm)


@_reads
def loads(store: Store) -> list[LoadReport]:
    """Load reports, newest first."""
    return store.loads.list()


@_reads
def _identity(store: Store, case_key: str, extraction: int) -> tuple[str, ...]:
    """What a case's memory is made from: the case and its extraction, and the same of the full case that it was taken from.

    Ids are given anew in a store that was made anew at the same path. The time tells apart what two versions of an extractor
    made under one configuration.
    """
    benchmark, _, case_id = case_key.partition("/")
    keys = [case_key, *([f"{FULL_CASE[benchmark]}/{case_id}"] if benchmark in FULL_CASE else [])]
    chosen = store.extractions.choose(case_key, extraction)
    made_from = []
    for key in keys:
        row = store.cases.find(key)
        made_from += [row.digest if row else ""]
        same = (one for one in store.extractions.list(key) if one.key == chosen.key)
        made_from += [f"{one.extractor}:{one.digest}:{one.created.isoformat()}" for one in same]
    return tuple(made_from)


# --- memories and rankings --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OpenCase:
    """A case with its memory. All visitors share it: whoever asks the memory holds ``lock``.

    ``warm`` are the methods that have built their index and graph. ``identity`` is what the memory is made from: equal ones give
    equal results.
    """

    case: Case
    memory: Memory
    identity: tuple[str, ...] = ()
    lock: threading.RLock = field(default_factory=threading.RLock)
    warm: set[tuple[str, Profile]] = field(default_factory=set)


@dataclass(frozen=True)
class Timed:
    """A whole ranking, and the milliseconds it took once the method's index and graph were there; None of an imported run."""

    ranking: Ranking
    ms: float | None


def open_case(path: Path, case_key: str, extraction: int) -> OpenCase:
    """A case's memory, with everything that is derived from it once it was asked for.

    Parameters
    ----------
    extraction : int
        Id of the extraction whose tags are used.

    Raises
    ------
    KeyError
        If the case or the extraction is not in the store.
    """
    return _open_case(str(path), case_key, extraction, _identity(path, case_key, extraction))


@st.cache_resource(max_entries=8, show_spinner=False)
def _open_case(path: str, case_key: str, extraction: int, identity: tuple[str, ...]) -> OpenCase:
    with open_store(path, read_only=True, wait_seconds=WAIT_SECONDS) as store:
        given = case_input(store, case_key, extraction)
    return OpenCase(given.case, given.memory(), (path, case_key, *identity))


def rank(
    path: Path,
    case_key: str,
    extraction: int,
    method: str,
    text: str,
    profile: Profile = "default",
    question_id: str = "",
) -> Timed:
    """All candidates of a query, best first.

    Parameters
    ----------
    method : str
        A registered method, or the name of an imported arm (`imported`): that one answers where the text is a question's.
    question_id : str
        The chosen question, which tells apart questions of one text.

    Raises
    ------
    WorkbenchError
        If the method can't answer, or there is no imported arm of that name.
    """
    # The lock comes before the cache's own, here as on pages that hold it already: the other order could wait for itself.
    with open_case(path, case_key, extraction).lock:
        if method.startswith(PREFIX):
            return Timed(_imported_run(path, case_key, extraction, method).query(text, question_id), None)
        return _rank(str(path), case_key, extraction, _identity(path, case_key, extraction), method, text, profile)


@st.cache_resource(max_entries=256, show_spinner=False)
def _rank(
    path: str, case_key: str, extraction: int, identity: tuple[str, ...], method: str, text: str, profile: Profile
) -> Timed:
    opened = _open_case(path, case_key, extraction, identity)
    retriever = create(method, profile, memory=opened.memory)
    if (method, profile) not in opened.warm:
        retriever.query(text, k=None)
        opened.warm.add((method, profile))
    begin = time.perf_counter()
    ranking = retriever.query(text, k=None)
    return Timed(ranking, 1000 * (time.perf_counter() - begin))


def _imported_run(path: Path, case_key: str, extraction: int, name: str) -> ImportedRun:
    arm = imported(path, case_key.partition("/")[0]).get(name)
    if arm is None:
        raise WorkbenchError(f"there is no imported run {name!r} any more: choose another method in the sidebar")
    opened = open_case(path, case_key, extraction)
    return ImportedRun(name, arm, _results(path, arm.run, case_key, arm.arm), opened.case.questions, opened.memory)
