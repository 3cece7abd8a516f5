"""kill -9 at any moment: the store opens, holds whole cases, keeps what was reported, and the same command completes the rest.

Moments are drawn from a seed, and every failure names its kill. By default one kill a kind, in the slow tests over fifty.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from killing import CommandLine, assert_whole, contents, run_contents

from workbench.cli import main
from workbench.evaluate.stored import COMMIT_SECONDS
from workbench.store import open_labels, open_store

BENCHMARK = "atant_demo"
CASE, QUESTION = "atant_demo/demo_01", "demo_01_q1"
QUICK, LONG = "bm25,real", "bm25,adaptive,ariadne,real"
"""Methods whose work leaves states in the store; the long ones take several commits."""
LATE = 1.0
"""Seconds by which a busy machine may show a progress late."""


def strike(command: CommandLine, chance: random.Random, most: int, start_seconds: float) -> bool:
    """Kill a command line while it starts, or shortly after one of its next steps; whether it still ran."""
    steps = chance.randint(0, most)
    if steps:
        command.wait_for(command.reported + steps, 60)
        time.sleep(chance.uniform(0, 0.25))
    else:
        time.sleep(chance.uniform(0, start_seconds))
    return command.kill(whole_group=chance.random() < 0.5)


def strike_late(command: CommandLine, chance: random.Random, seconds: float) -> tuple[bool, float]:
    """Kill a command line in the later part of the seconds that it takes; whether it still ran, and how long it takes at most."""
    start = time.monotonic()
    try:
        command.process.wait(chance.uniform(0.5, 1) * seconds)
    except subprocess.TimeoutExpired:
        return command.kill(whole_group=True), seconds
    seconds = time.monotonic() - start  # the machine has become quicker than it was when that was measured
    return command.kill(whole_group=True), seconds


# --- load -------------------------------------------------------------------------------------------------------------------


def kill_loads(path: Path, folder: Path, expected: object, workers: int, kills: int, seed: int) -> None:
    """Loads of one folder, killed and begun again; each one that comes to its end is compared, and the next begins anew."""
    chance, done, kept = random.Random(seed), 0, 0
    while done < kills:
        load = CommandLine("load", folder, "--workers", workers, "--store", path)
        done += (was_killed := strike(load, chance, 6, 5.0))
        where = f"seed {seed}, kill {done}, {load.reported} cases reported"
        if path.exists():
            assert_whole(path)
            with open_store(path, read_only=True) as store:
                stored = len(store.cases.list())
            assert stored >= max(load.reported, kept), where
            kept = stored
        else:
            assert load.reported == kept == 0, where
        if not was_killed:
            assert contents(path) == expected, where
            path.unlink()
            kept = 0
    assert main(["load", str(folder), "--workers", "1", "--store", str(path)]) == 0
    assert contents(path) == expected, f"seed {seed}"


def test_a_killed_load_keeps_what_it_reported_and_is_completed(tmp_path: Path, demo_folder: Path, demo_store: Path) -> None:
    path = tmp_path / "store.duckdb"
    load = CommandLine("load", demo_folder, "--workers", 2, "--store", path)
    load.wait_for(3, 60)
    assert load.kill(whole_group=False)  # its workers have to leave by themselves
    assert_whole(path)
    with open_store(path, read_only=True) as store:
        assert 3 <= load.reported <= len(store.cases.list()) < 21
    assert main(["load", str(demo_folder), "--workers", "1", "--store", str(path)]) == 0
    assert contents(path) == contents(demo_store)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("workers", [1, 2])
def test_loads_killed_at_twelve_moments(tmp_path: Path, demo_folder: Path, demo_store: Path, workers: int) -> None:
    kill_loads(tmp_path / "store.duckdb", demo_folder, contents(demo_store), workers, kills=12, seed=workers)


# --- evaluate ---------------------------------------------------------------------------------------------------------------


def evaluation(path: Path, methods: str, engine: str = "inline") -> list[str]:
    return ["evaluate", "--benchmark", BENCHMARK, "--methods", methods, "--engine", engine, "--store", str(path)]


def finished(path: Path) -> int:
    """How many cases of the run the store has as done: all of them where it is finished."""
    with open_store(path, read_only=True) as store:
        return store.cases.benchmarks()[BENCHMARK] if store.runs.list() else sum(row.done for row in store.unfinished.list())


def owed(command: CommandLine) -> int:
    """How many cases have to be stored: those reported long enough before the last report."""
    last = command.reports[-1][0] if command.reports else 0.0
    return max((count for moment, count in command.reports if moment <= last - COMMIT_SECONDS - LATE), default=0)


def uninterrupted(store: Path, folder: Path, methods: str) -> object:
    """What an evaluation that nobody kills leaves in a copy of a store."""
    path = Path(shutil.copy(store, folder / "uninterrupted.duckdb"))
    assert main(evaluation(path, methods)) == 0
    return run_contents(path)


def kill_evaluations(path: Path, fresh: Path, expected: object, engine: str, kills: int, seed: int) -> None:
    chance, done, kept = random.Random(seed), 0, 0
    while done < kills:
        command = CommandLine(*evaluation(path, LONG, engine))
        done += (was_killed := strike(command, chance, 8, 4.0))
        where = f"seed {seed}, kill {done}, {command.reported} cases reported"
        assert_whole(path)
        stored = finished(path)
        assert stored >= max(owed(command), kept), where
        kept = stored
        if not was_killed or "mrr" in command.output:  # the table is printed once the run is stored
            assert run_contents(path) == expected, where
            shutil.copy(fresh, path)
            kept = 0
    assert main(evaluation(path, LONG)) == 0
    assert run_contents(path) == expected, f"seed {seed}"


def test_a_killed_evaluation_goes_on_to_the_same_run(demo_store: Path, own_demo_store: Path, tmp_path: Path) -> None:
    command = CommandLine(*evaluation(own_demo_store, QUICK))
    command.wait_for(5, 60)
    assert command.kill(whole_group=True)
    assert_whole(own_demo_store)
    assert finished(own_demo_store) >= owed(command)
    assert main(evaluation(own_demo_store, QUICK)) == 0
    assert run_contents(own_demo_store) == uninterrupted(demo_store, tmp_path, QUICK)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("engine", "kills"), [("inline", 8), ("local", 4)])
def test_evaluations_killed_at_twelve_moments(
    own_demo_store: Path, demo_store: Path, tmp_path: Path, engine: str, kills: int
) -> None:
    expected = uninterrupted(demo_store, tmp_path, LONG)
    kill_evaluations(own_demo_store, demo_store, expected, engine, kills, seed=kills)


# --- label ------------------------------------------------------------------------------------------------------------------

GIVE = """
import sys
from datetime import datetime
from workbench.store import Label, open_labels
for number in range(int(sys.argv[2]), 1_000_000):
    with open_labels(sys.argv[1]) as labels:
        labels.add([Label(case="c", question="q", analyst="Ann", comment=str(number), created=datetime(2024, 5, 1))])
    print(number, flush=True)
"""


def given(path: Path) -> list[str]:
    """The comments of all labels, oldest first."""
    with open_labels(path, read_only=True) as labels:
        return [label.comment for label in labels.history()]


def kill_givers(path: Path, run_python: Callable[..., subprocess.Popen[str]], kills: int, seed: int) -> None:
    """Processes that label without end, each going on behind the last label that the one before it left."""
    chance, first = random.Random(seed), 0
    for kill in range(kills):
        giver = run_python(GIVE, path, first)
        assert giver.stdout is not None
        acknowledged = [giver.stdout.readline()]
        time.sleep(chance.uniform(0, 0.6))
        giver.kill()
        acknowledged += giver.communicate()[0].splitlines()
        found = given(path)
        assert found == [str(number) for number in range(len(found))], f"seed {seed}, kill {kill}"
        assert first + len(acknowledged) <= len(found) <= first + len(acknowledged) + 1, f"seed {seed}, kill {kill}"
        first = len(found)


def test_labels_that_were_acknowledged_outlive_a_kill(tmp_path: Path, run_python) -> None:
    kill_givers(tmp_path / "store.duckdb", run_python, kills=2, seed=3)


@pytest.mark.slow
def test_labels_that_were_acknowledged_outlive_six_kills(tmp_path: Path, run_python) -> None:
    kill_givers(tmp_path / "store.duckdb", run_python, kills=6, seed=6)


def label(path: Path, comment: str) -> list[str]:
    return ["label", CASE, QUESTION, "--analyst", "Ann", "--comment", comment, "--store", str(path)]


@pytest.mark.slow
def test_labels_of_the_command_line_killed_at_six_moments(own_demo_store: Path) -> None:
    chance, kills = random.Random(5), 0
    start = time.monotonic()
    assert CommandLine(*label(own_demo_store, "whole")).finish() == 0
    seconds = time.monotonic() - start
    while kills < 6:
        comment = f"kill {kills}"
        command = CommandLine(*label(own_demo_store, comment))
        was_killed, seconds = strike_late(command, chance, seconds)
        kills += was_killed
        assert_whole(own_demo_store)
        if "saved" in command.output:
            assert comment in given(own_demo_store)
        assert main(label(own_demo_store, comment)) == 0
        assert given(own_demo_store).count(comment) == 1


# --- remove -----------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_removals_killed_at_eight_moments(demo_store: Path, tmp_path: Path) -> None:
    """A benchmark and its labels are there as a whole or gone as a whole, and the next who writes leaves no text of it."""
    chance, kills, seconds, gone = random.Random(8), 0, 0.0, 0
    path = tmp_path / "store.duckdb"
    while kills < 8:
        shutil.copy(demo_store, path)
        with open_labels(path) as labels:
            labels.add([])
        assert main(label(path, "an unmistakable comment")) == 0
        start = time.monotonic()
        command = CommandLine("remove", "--benchmark", BENCHMARK, "--store", path)
        if not seconds:
            assert command.finish() == 0
            seconds = time.monotonic() - start
        else:
            was_killed, seconds = strike_late(command, chance, seconds)
            kills += was_killed
        assert_whole(path)
        with open_store(path) as store:
            is_there = BENCHMARK in store.cases.benchmarks()
            assert store.cases.benchmarks().get(BENCHMARK, 14) == 14
        if is_there:
            assert main(["remove", "--benchmark", BENCHMARK, "--store", str(path)]) == 0
        gone += not is_there
        assert given(path) == []
        for file in path.parent.iterdir():
            found = file.read_bytes()
            assert b"The Second Bakery" not in found, (file, kills)
            assert b"an unmistakable comment" not in found, (file, kills)
        shutil.rmtree(path.parent)
        path.parent.mkdir()
    print(f"{gone} of {kills + 1} removals had been committed", file=sys.stderr)
