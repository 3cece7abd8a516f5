"""Runs that are kept in a store while they are worked out: what an interrupted one had done is not done again."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

import workbench
from workbench.embed.vectors import VectorSet
from workbench.engine import Progress, Task, Workers, run_tasks
from workbench.errors import BadInput, WorkbenchError
from workbench.evaluate.inputs import case_inputs, common_extraction, input_digest
from workbench.evaluate.judging import KEPT, MEASURES
from workbench.evaluate.requests import Request
from workbench.evaluate.runs import (
    CaseInput,
    MethodSpec,
    configurations,
    embeddings_of,
    evaluate_case,
    points,
    run_id,
)
from workbench.records import Run, RunKind
from workbench.states import State
from workbench.store import CasePart, ExtractionRow, UnfinishedRow, open_store
from workbench.store.values import to_json
from workbench.versions import environment

COMMIT_SECONDS = 2.0
"""Finished cases are stored at the latest after this long: what a kill can cost (ours)."""
WAIT_SECONDS = 60.0
"""How long a run waits for its turn to write."""


def run_stored(
    path: Path,
    case_keys: Sequence[str],
    specs: Sequence[MethodSpec],
    extraction: ExtractionRow,
    *,
    kind: RunKind = "evaluation",
    name: str = "",
    is_fresh: bool = False,
    may_reuse: bool = False,
    workers: Workers = 1,
    progress: Progress | None = None,
    now: Callable[[], datetime] = datetime.now,
) -> Run:
    """Run arms over stored cases of one benchmark and keep the run.

    The store is opened for moments only, so that others get in between. A run that was interrupted goes on where it stopped if
    its plan is the same: cases and their content, extraction, arms with every configuration field, and version of the code.
    Rankings of a resumed run are those of an uninterrupted one; its seconds are the sum over both parts.

    Parameters
    ----------
    path : Path
        The store.
    case_keys : sequence of str
        In the order in which the run lists them.
    specs : sequence of MethodSpec
    extraction : ExtractionRow
        The extraction of all cases, as `common_extraction` gives it.
    kind, name
        Kept with the run.
    is_fresh : bool
        Drop what an interrupted run of the same plan had done.
    may_reuse : bool
        Give the stored run of the same plan where there is one: it would be the same again, its seconds apart.
    workers : int or Cluster
        Local processes, or a cluster (`workbench.engine`).
    progress : callable, optional
        Called after each case with the number of cases done, earlier ones included, and its key.

    Raises
    ------
    BadInput
        If no question of the cases has gold, or an arm's embeddings are for tests only.
    ValueError
        If there is no case, cases of several benchmarks, or two arms of one name.
    StoreError
        If the store can't be written; what was stored until then stays.
    """
    benchmarks = sorted({key.partition("/")[0] for key in case_keys})
    if len(benchmarks) != 1:
        raise ValueError(f"a run takes cases of one benchmark; these are of {', '.join(benchmarks) or 'none'}")
    models = embeddings_of(specs)
    data = _data(path, case_keys, extraction)
    described = _described(extraction)
    plan = _plan(data, described, specs, kind)
    if may_reuse and not is_fresh:
        with open_store(path, read_only=True) as store:
            known = store.runs.of_plan(plan)
            if known is not None:
                return store.runs.get(known)
    with open_store(path, wait_seconds=WAIT_SECONDS) as store:
        asked = Request(tuple(case_keys), tuple(specs), extraction.key, kind).to_text()
        wanted = UnfinishedRow(run_id(now(), data), plan, benchmarks[0], name, now(), len(case_keys), 0, asked)
        row = store.unfinished.begin(wanted)
        if is_fresh and row.run != wanted.run:
            store.unfinished.abandon(row.run)
            row = store.unfinished.begin(wanted)
        done = store.unfinished.done(row.run)
    todo = [key for key in case_keys if key not in done]
    _work(path, row.run, case_inputs(path, todo, extraction.key, models), specs, workers, _after(len(done), progress))
    with open_store(path, wait_seconds=WAIT_SECONDS) as store:
        excluded, seconds, building = store.unfinished.totals(row.run)
        run = Run(
            row.run,
            now(),
            row.benchmark,
            described,
            configurations(specs),
            data,
            workbench.__version__,
            environment(),
            dict(excluded),
            dict(seconds),
            (),
            name or row.name,
            kind,
            points(specs),
            dict(building),
        )
        if not seconds or not store.unfinished.has_results(row.run):
            store.unfinished.abandon(row.run)
            raise BadInput(f"nothing to evaluate: no question of these cases has gold ({sum(excluded.values())} without)")
        store.unfinished.finish(run, case_keys)
        return store.runs.get(run.id)


def resume(path: Path, run: str, *, workers: Workers = 1, progress: Progress | None = None) -> Run:
    """Go on with an unfinished run by its id: what was asked for is kept with it.

    Raises
    ------
    KeyError
        If there is no unfinished run of that id.
    WorkbenchError
        If what was asked for is not known, or would give other results now: a case, its extraction or the code has changed.
    """
    with open_store(path, read_only=True) as store:
        row = next((row for row in store.unfinished.list() if row.run == run), None)
        if row is None:
            raise KeyError(f"no unfinished run {run!r}: it was finished or dropped")
        asked = Request.of_text(row.request)
        extraction = common_extraction(store, asked.cases, asked.extraction)
    if _plan(_data(path, asked.cases, extraction), _described(extraction), asked.specs, asked.kind) != row.plan:
        raise WorkbenchError(f"run {run} can't go on: cases, extraction or code have changed since. Drop it and start it anew")
    return run_stored(
        path, asked.cases, asked.specs, extraction, kind=asked.kind, name=row.name, workers=workers, progress=progress
    )


def _data(path: Path, case_keys: Sequence[str], extraction: ExtractionRow) -> str:
    """Digest of the cases and their notes."""
    with open_store(path, read_only=True) as store:
        digests = [f"{key} {input_digest(store, key, extraction)}\n" for key in case_keys]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def _described(extraction: ExtractionRow) -> dict[str, object]:
    return {"extractor": extraction.extractor, "config": dict(extraction.config)}


def _plan(data: str, extraction: object, specs: Sequence[MethodSpec], kind: str) -> str:
    """Digest of everything that the results depend on."""
    arms = [
        [spec.arm, spec.name, config, repr(spec.reduction)]
        for spec, config in zip(specs, configurations(specs).values(), strict=True)
    ]
    made_by = [workbench.__version__, environment(), KEPT, MEASURES]
    return hashlib.sha256(to_json([kind, data, extraction, arms, points(specs), made_by]).encode()).hexdigest()


def _after(earlier: int, progress: Progress | None) -> Progress | None:
    if progress is None:
        return None
    return lambda done, name: progress(earlier + done, name)


def _work(
    path: Path, run: str, inputs: Iterator[CaseInput], specs: Sequence[MethodSpec], workers: Workers, progress: Progress | None
) -> None:
    """Evaluate cases and store them in small batches, also those that were finished when the work is stopped.

    Vectors and states that were worked out on the way are stored with them.
    """
    waiting: list[CasePart] = []
    vectors: dict[str, tuple[VectorSet, ...]] = {}
    states: dict[str, tuple[State, ...]] = {}

    def store_waiting() -> None:
        if waiting:
            with open_store(path, wait_seconds=WAIT_SECONDS) as store:
                for case_key, sets in vectors.items():
                    store.vectors.put(case_key, sets)
                for case_key, made in states.items():
                    store.states.put(case_key, made)
                store.unfinished.add(run, waiting)  # last: a case that counts as done is not worked out again
            for each in (waiting, vectors, states):
                each.clear()

    tasks = (Task(each.case.key, each) for each in inputs)
    last = time.monotonic()
    try:
        for done in run_tasks(partial(evaluate_case, specs=specs), tasks, workers=workers, progress=progress):
            found = done.result
            waiting.append(CasePart(done.name, found.results, found.excluded, found.seconds, found.building))
            if found.vectors:
                vectors[done.name] = found.vectors
            if found.states:
                states[done.name] = found.states
            if time.monotonic() - last > COMMIT_SECONDS:
                store_waiting()
                last = time.monotonic()
    finally:
        store_waiting()
