"""Audits of the page Audit: worked out beside the pages, and kept as long as what they were made from stays the same."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.diagnose.audit import Audit, audit, chosen_extractions
from workbench.diagnose.report import audit_json
from workbench.errors import StoreError
from workbench.evaluate.inputs import FULL_CASE
from workbench.evaluate.runs import MethodSpec
from workbench.settings import Profile
from workbench.store import CaseRow, ExtractionRow, open_store
from workbench.ui.audit_rows import Miss, misses
from workbench.ui.cached import WAIT_SECONDS, Stamp, stamp
from workbench.ui.context import extraction_choice
from workbench.ui.jobs import Job, jobs
from workbench.words import counted

PLACE = "audit"
"""Where the progress of work begun on this page is drawn."""
KEPT = 4
"""Audits that are kept for a store (ours)."""
_SHOWN = "audit"


@dataclass(frozen=True)
class Request:
    """What is asked for. ``extractions`` are names of extractors or variants; none means all that the cases have in common."""

    store: str
    benchmarks: tuple[str, ...]
    methods: tuple[str, ...]
    extractions: tuple[str, ...] = ()
    k: int = 5
    profile: Profile = "default"
    interventions: bool = False

    @property
    def id(self) -> str:
        """A name for the URL."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:10]


@dataclass(frozen=True)
class Source:
    """An extraction that a case was audited under: its id, and how the sidebar chooses it (empty where it has no choice)."""

    id: int
    choice: str


@dataclass(frozen=True)
class Kept:
    """An audit with what it was made from, and what is worked out of it once."""

    request: Request
    state: str
    found: Audit
    sources: Mapping[str, Mapping[str, Source]]
    made: datetime
    seconds: float

    @cached_property
    def result(self) -> dict[str, Any]:
        """The tables, as the command line and the report have them."""
        return audit_json(self.found)

    @cached_property
    def misses(self) -> tuple[Miss, ...]:
        return misses(self.found.notes)

    @cached_property
    def by_key(self) -> dict[tuple[str, str, str], int]:
        """The place of each miss."""
        return {miss.key: at for at, miss in enumerate(self.misses)}

    @cached_property
    def cases(self) -> frozenset[str]:
        return frozenset(self.found.cases)

    @property
    def words(self) -> str:
        """The audit in a list."""
        extractions = ", ".join(self.found.extractions)
        more = [
            *(["paper-literal"] if self.request.profile == "literal" else []),
            *(["interventions"] if self.found.is_tried else []),
        ]
        methods = ", ".join(self.found.methods) if len(self.found.methods) < 3 else counted(len(self.found.methods), "method")
        return " · ".join([f"{self.made:%H:%M}", methods, extractions, f"k {self.found.k}", *more])


@dataclass
class _Shelf:
    """The audits of all stores, the newest of each last."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    by_store: dict[str, list[Kept]] = field(default_factory=dict)

    def put(self, kept: Kept) -> None:
        with self.lock:
            others = [each for each in self.by_store.get(kept.request.store, ()) if each.request != kept.request]
            self.by_store[kept.request.store] = [*others, kept][-KEPT:]

    def of(self, store: str) -> list[Kept]:
        with self.lock:
            return list(self.by_store.get(store, ()))


@st.cache_resource(show_spinner=False)
def _shelf() -> _Shelf:
    return _Shelf()


# --- what an audit is made from ---------------------------------------------------------------------------------------------


Stored = tuple[list[CaseRow], list[ExtractionRow]]


def _read(path: str | Path) -> Stored:
    with open_store(path, read_only=True, wait_seconds=WAIT_SECONDS) as store:
        return store.cases.list(), store.extractions.list()


@st.cache_data(max_entries=8, show_spinner=False)
def _cached(path: str, now: Stamp) -> Stored:
    return _read(path)


def _stored(path: Path) -> Stored:
    return _cached(str(path), stamp(path))


def _state(request: Request, cases: Sequence[CaseRow], extractions: Sequence[ExtractionRow]) -> str:
    """What changes where an audit's result might: cases, questions and tags; not runs, nor variants that it does not name."""
    benchmarks = {*request.benchmarks, *(FULL_CASE[name] for name in request.benchmarks if name in FULL_CASE)}
    used = [(row.key, row.digest) for row in cases if row.benchmark in benchmarks]
    keys = {key for key, _ in used}
    made = [
        (row.case, row.id, row.extractor, row.digest, row.created)
        for row in extractions
        if row.case in keys
        and (row.variant is None or row.variant in request.extractions or row.extractor in request.extractions)
    ]
    return hashlib.sha256(repr((used, made)).encode()).hexdigest()


def state_of(request: Request) -> str:
    """The state of the store now, as far as an audit depends on it."""
    return _state(request, *_stored(Path(request.store)))


def cases_of(path: Path, benchmarks: Sequence[str]) -> list[str]:
    """Keys of the cases of some benchmarks, in the order in which the command line takes them."""
    rows, _ = _stored(path)
    return [row.key for name in benchmarks for row in rows if row.benchmark == name]


def extractions_of(path: Path, benchmarks: Sequence[str]) -> list[str]:
    """Names of the extractions and variants that all cases of some benchmarks have."""
    keys = set(cases_of(path, benchmarks))
    _, rows = _stored(path)
    holders: dict[str, set[str]] = {}
    for row in rows:
        if row.case in keys:
            holders.setdefault(row.variant or row.extractor, set()).add(row.case)
    return [name for name, cases in holders.items() if cases == keys]


def kept_audits(path: Path, benchmark: str) -> list[Kept]:
    """The audits that hold a benchmark and whose data are as they were, newest first."""
    return [
        each
        for each in reversed(_shelf().of(str(path)))
        if benchmark in each.request.benchmarks and each.state == state_of(each.request)
    ]


def is_outdated(path: Path, benchmark: str) -> bool:
    """Whether there is an audit of a benchmark whose data have changed since."""
    return any(benchmark in each.request.benchmarks for each in _shelf().of(str(path)))


# --- work -------------------------------------------------------------------------------------------------------------------


def start(request: Request) -> None:
    """Begin an audit beside the pages, and show it when it is done."""
    path = Path(request.store)
    try:
        keys = cases_of(path, request.benchmarks)
    except StoreError:
        return  # the next run of the page says why
    st.session_state[_SHOWN] = request.id
    st.query_params[_SHOWN] = request.id
    words = f"Audit of {counted(len(request.methods), 'method')}"
    jobs().start(words, request.store, lambda job: work(request, keys, job), total=len(keys), place=PLACE)


def work(request: Request, keys: Sequence[str], job: Job) -> Kept:
    """Work an audit out and keep it. What another program writes meanwhile makes it outdated from the start."""
    path, begin = Path(request.store), time.perf_counter()
    stored = _read(path)
    sources = _sources(chosen_extractions(path, keys, request.extractions), stored[1])
    specs = [MethodSpec(name, request.profile) for name in request.methods]
    found = audit(
        path,
        keys,
        specs,
        request.extractions,
        request.k,
        interventions=request.interventions,
        progress=job.advance,
        between=job.check,
    )
    kept = Kept(request, _state(request, *stored), found, sources, datetime.now(), time.perf_counter() - begin)
    _shelf().put(kept)
    return kept


def _sources(chosen: Mapping[str, Mapping[str, int]], rows: Sequence[ExtractionRow]) -> dict[str, dict[str, Source]]:
    by_id = {row.id: row for row in rows}
    have = Counter(row.case for row in rows)
    return {
        label: {case: Source(id_, extraction_choice(by_id[id_]) if have[case] > 1 else "") for case, id_ in ids.items()}
        for label, ids in chosen.items()
    }


def describe(result: Any) -> None:
    """A finished audit in a line."""
    if isinstance(result, Kept):
        st.text(f"{counted(result.result['gold_notes'], 'gold note')} looked for, {result.seconds:.1f} s")
