"""Runs kept while they are worked out: stopped, killed and gone on with, they equal uninterrupted ones."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from workbench.errors import BadInput
from workbench.evaluate import stored
from workbench.evaluate.inputs import case_inputs, common_extraction
from workbench.evaluate.runs import MethodSpec, evaluate
from workbench.evaluate.stored import run_stored
from workbench.records import QuestionResult, Run
from workbench.store import ExtractionRow, open_store

SPECS = [MethodSpec("bm25"), MethodSpec("tag_tfidf"), MethodSpec("adaptive", overrides={"alpha": 0.5}, label="half")]
BENCHMARK = "atant_demo"


def plan(path: Path) -> tuple[list[str], ExtractionRow]:
    with open_store(path, read_only=True) as store:
        keys = [row.key for row in store.cases.list(BENCHMARK)]
        return keys, common_extraction(store, keys)


def go(path: Path, **options: object) -> Run:
    keys, extraction = plan(path)
    return run_stored(path, keys, SPECS, extraction, **options)  # type: ignore[arg-type]


@pytest.fixture
def expected(demo_store: Path) -> tuple[QuestionResult, ...]:
    """The results of a run that no store and no interruption touched."""
    keys, extraction = plan(demo_store)
    return evaluate(case_inputs(demo_store, keys, extraction.key), SPECS, {}).results


class Enough(Exception):
    pass


def test_a_stored_run_is_the_one_worked_out_in_memory(own_demo_store: Path, expected: tuple[QuestionResult, ...]) -> None:
    run = go(own_demo_store, name="first", now=lambda: datetime(2026, 1, 2, 3, 4, 5))
    assert run.results == expected
    assert (run.name, run.kind, run.points["half"]) == ("first", "evaluation", {"method": "adaptive"})
    assert run.config["half"]["alpha"] == 0.5
    assert all(0 < run.building[arm] <= run.seconds[arm] for arm in run.config)
    with open_store(own_demo_store, read_only=True) as store:
        assert store.unfinished.list() == []
        assert store.runs.get(run.id) == run


@pytest.mark.parametrize("stop_after", [1, 5, 13])
def test_a_stopped_run_goes_on_without_repeating_a_case(own_demo_store, expected, stop_after, monkeypatch) -> None:
    monkeypatch.setattr(stored, "COMMIT_SECONDS", 1e9)  # so that only the stop itself stores

    def stop(done: int, name: str) -> None:
        if done == stop_after:
            raise Enough

    with pytest.raises(Enough):
        go(own_demo_store, progress=stop)
    with open_store(own_demo_store, read_only=True) as store:
        (row,) = store.unfinished.list()
        assert row.done == stop_after
        assert store.runs.list() == []
        assert store.runs.cells("mrr") == {}
    seen: list[int] = []
    run = go(own_demo_store, progress=lambda done, name: seen.append(done))
    assert seen == list(range(stop_after + 1, row.cases + 1))
    assert run.id == row.run
    assert run.results == expected


@pytest.mark.parametrize("other", [{"kind": "sweep"}, {"is_fresh": True}])
def test_another_plan_or_a_fresh_start_begins_anew(own_demo_store, expected, other) -> None:
    def stop(done: int, name: str) -> None:
        raise Enough

    with pytest.raises(Enough):
        go(own_demo_store, progress=stop)
    seen: list[int] = []
    run = go(own_demo_store, progress=lambda done, name: seen.append(done), **other)
    assert seen[0] == 1
    assert run.results == expected


def test_a_case_removed_meanwhile_is_worked_out_again(own_demo_store, demo_folder, expected) -> None:
    from workbench.datasets.read import read
    from workbench.extract.base import extractors
    from workbench.ingest import ingest

    def stop(done: int, name: str) -> None:
        if done == 3:
            raise Enough

    keys, extraction = plan(own_demo_store)
    with pytest.raises(Enough):
        run_stored(own_demo_store, keys, SPECS, extraction, progress=stop)
    with open_store(own_demo_store) as store:
        store.cases.remove(keys[1])
        (row,) = store.unfinished.list()
        assert row.done == 2
    ingest([(str(demo_folder), read(demo_folder))], own_demo_store, extractors["rules"]())
    assert run_stored(own_demo_store, keys, SPECS, extraction).results == expected


KILLED = """
import sys
from pathlib import Path
from workbench.evaluate import stored
from tests_plan import go

stored.COMMIT_SECONDS = 0.0
go(Path(sys.argv[1]), progress=lambda done, name: print(done, flush=True))
"""


def test_a_killed_run_resumes_to_the_same_rankings(own_demo_store: Path, expected, tmp_path: Path) -> None:
    """Killed three times, each at another moment, then left alone."""
    (tmp_path / "tests_plan.py").write_text(
        f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom test_stored import go\n"
    )
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    for _ in range(3):
        child = subprocess.Popen([sys.executable, "-c", KILLED, own_demo_store], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        lines = iter(child.stdout.readline, "")
        for _ in range(chance.randint(1, 4)):
            next(lines, None)
        child.send_signal(signal.SIGKILL)
        child.wait()
    with open_store(own_demo_store, read_only=True) as store:
        assert [row.done > 0 for row in store.unfinished.list()] == [True], f"seed {seed}"
    assert go(own_demo_store).results == expected, f"seed {seed}"


def test_cases_without_gold_leave_nothing_behind(own_demo_store: Path, tmp_path: Path) -> None:
    from workbench.datasets.read import read
    from workbench.extract.base import extractors
    from workbench.ingest import ingest

    note = tmp_path / "notes"
    note.mkdir()
    (note / "talk.txt").write_text("User: The kayak is in the shed.\nAssistant: Noted.\n")
    ingest([(str(note), read(note))], own_demo_store, extractors["rules"]())
    with open_store(own_demo_store, read_only=True) as store:
        (key,) = (row.key for row in store.cases.list() if not row.key.startswith(("atant", "longmemeval")))
        extraction = common_extraction(store, [key])
    with pytest.raises(BadInput, match="nothing to evaluate"):
        run_stored(own_demo_store, [key], SPECS, extraction)
    with open_store(own_demo_store, read_only=True) as store:
        assert (store.unfinished.list(), store.runs.list()) == ([], [])


def test_cases_of_two_benchmarks_are_refused(own_demo_store: Path) -> None:
    _, extraction = plan(own_demo_store)
    with pytest.raises(ValueError, match="cases of one benchmark"):
        run_stored(own_demo_store, ["a/1", "b/1"], SPECS, extraction)


def test_two_arms_of_one_name_are_refused(own_demo_store: Path) -> None:
    keys, extraction = plan(own_demo_store)
    with pytest.raises(ValueError, match="names of their own"):
        run_stored(own_demo_store, keys, [MethodSpec("bm25"), MethodSpec("bm25")], extraction)


def test_a_run_of_the_same_plan_may_be_reused_until_a_case_is_removed(own_demo_store: Path) -> None:
    keys, extraction = plan(own_demo_store)
    first = go(own_demo_store, may_reuse=True)
    assert go(own_demo_store, may_reuse=True).id == first.id
    assert go(own_demo_store).id != first.id
    with open_store(own_demo_store) as store:
        store.runs.remove(store.runs.list()[0].id)
        store.cases.remove(keys[0])
    rest = run_stored(own_demo_store, keys[1:], SPECS, extraction, may_reuse=True)
    assert rest.id != first.id
