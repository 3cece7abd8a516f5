"""An unfinished run goes on by its id alone: what was asked for is kept with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.evaluate import stored
from workbench.evaluate.ablations import ablation
from workbench.evaluate.inputs import common_extraction
from workbench.evaluate.requests import Request
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.stored import resume, run_stored
from workbench.evaluate.sweeps.base import Options, sweeps
from workbench.store import ExtractionKey, open_store

BENCHMARK = "atant_demo"
SPECS = (*ablation("adaptive"), MethodSpec("bm25", "literal"), *sweeps["store_size"].arms(Options(["4", "all"], seeds=2)))


class Enough(Exception):
    pass


def interrupted(path: Path, specs: tuple[MethodSpec, ...] = SPECS, name: str = "kept name") -> str:
    """Stop a run after its third case; its id is returned."""

    def stop(done: int, _: str) -> None:
        if done == 3:
            raise Enough

    with open_store(path, read_only=True) as store:
        keys = [row.key for row in store.cases.list(BENCHMARK)]
        extraction = common_extraction(store, keys)
    with pytest.raises(Enough):
        run_stored(path, keys, specs, extraction, kind="sweep", name=name, progress=stop)
    with open_store(path, read_only=True) as store:
        (row,) = store.unfinished.list()
    assert row.done == 3
    return row.run


def test_it_goes_on_with_the_same_arms_and_equals_an_uninterrupted_run(own_demo_store: Path) -> None:
    done: list[int] = []
    id_ = interrupted(own_demo_store)
    run = resume(own_demo_store, id_, progress=lambda count, _: done.append(count))
    assert (run.id, run.name, run.kind, done[0]) == (id_, "kept name", "sweep", 4)
    with open_store(own_demo_store, read_only=True) as store:
        keys = [row.key for row in store.cases.list(BENCHMARK)]
        extraction = common_extraction(store, keys)
        assert store.unfinished.list() == []
    again = run_stored(own_demo_store, keys, SPECS, extraction, kind="sweep")
    assert (again.results, again.config, again.points) == (run.results, run.config, run.points)


def test_changed_code_or_data_is_refused_and_nothing_is_lost(own_demo_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    id_ = interrupted(own_demo_store, SPECS[:1])
    monkeypatch.setattr(stored, "KEPT", 7)
    with pytest.raises(WorkbenchError, match="have changed since"):
        resume(own_demo_store, id_)
    with open_store(own_demo_store, read_only=True) as store:
        assert [(row.run, row.done) for row in store.unfinished.list()] == [(id_, 3)]


def test_an_unknown_run_and_an_unknown_request_are_told_apart(own_demo_store: Path) -> None:
    with pytest.raises(KeyError, match="no unfinished run 'nobody'"):
        resume(own_demo_store, "nobody")
    with pytest.raises(WorkbenchError, match="what was asked for is not known"):
        Request.of_text("")


def test_a_request_reads_back_equal() -> None:
    asked = Request(("a/1", "a/2"), SPECS, ExtractionKey("rules", {"x": (1, 2)}), "sweep")
    again = Request.of_text(asked.to_text())
    assert (again.cases, again.extraction, again.kind) == (asked.cases, asked.extraction, asked.kind)
    assert [(s.arm, s.name, s.profile, s.reduction) for s in again.specs] == [
        (s.arm, s.name, s.profile, s.reduction) for s in SPECS
    ]


def test_an_arm_with_a_reduction_of_somebody_else_is_not_kept_half() -> None:
    foreign = MethodSpec("bm25", reduction=lambda given: (given,))
    assert Request(("a/1",), (foreign,), ExtractionKey("rules"), "sweep").to_text() == ""
