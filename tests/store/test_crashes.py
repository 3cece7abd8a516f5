"""The command line, killed at random moments: whole cases only, nothing reported stored is missing, a second run completes."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench.engine import run_tasks  # noqa: F401  # the workers' module: a broken import shows here and not as a silent kill
from workbench.store import open_labels, open_store

ROOT = Path(__file__).resolve().parents[2]
STORIES = sorted((ROOT / "data" / "demo" / "stories").glob("*.yaml"))[:4]
LABELLER = """
import sys
from datetime import datetime
from workbench.store import Label, open_labels

for number in range(100_000):
    with open_labels(sys.argv[1]) as labels:
        labels.add([Label(case_key="atant_demo/demo_01", question=f"q{number}", analyst="Ann", comment="x" * 2000,
                          created=datetime(2024, 1, 1))])
    print(number, flush=True)
"""


def workbench(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "workbench", *map(str, arguments)]


def complete(*arguments: object) -> None:
    done = subprocess.run(workbench(*arguments), cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def killed(command: list[str], after: float, whole_group: bool) -> str:
    """What a command had printed when it, or it and its workers, were killed; nobody of them is left."""
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    ) as process:
        time.sleep(after)
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGKILL)
        printed, _ = process.communicate(timeout=30)
        end = time.monotonic() + 20
        while alive(process.pid) and time.monotonic() < end:
            time.sleep(0.05)
        assert not alive(process.pid), "a worker outlived its parent"
    return printed


def alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def content(store: Path) -> dict[str, Any]:
    """Every case with its notes; the notes are those that its row counts."""
    found = {}
    with open_store(store, read_only=True) as opened:
        for row in opened.cases.list():
            notes = opened.notes.get(row.key)
            assert len(notes) == row.notes, f"{row.key}: {len(notes)} notes of {row.notes}"
            case = opened.cases.get(row.key)
            assert (len(case.sessions), len(case.questions)) == (row.sessions, row.questions), row.key
            found[row.key] = (case, notes)
    return found


def results(store: Path) -> list[Any]:
    """The results of the newest run, without what depends on the clock."""
    with open_store(store, read_only=True) as opened:
        return [replace(each, remarks=()) for each in opened.runs.get(opened.runs.list()[0].id).results]


class Loading:
    """`workbench load` with two worker processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.whole = folder / "whole.duckdb"
        begin = time.monotonic()
        complete("load", *STORIES, "--workers", 2, "--store", self.whole)
        self.seconds, self.expected = time.monotonic() - begin, content(self.whole)

    def round(self, number: int, chance: random.Random) -> None:
        store = self.folder / f"load{number}.duckdb"
        command = ("load", *STORIES, "--workers", chance.choice((1, 2)), "--store", store)
        killed(workbench(*command), chance.uniform(0.3, 1.1) * self.seconds, chance.random() < 0.5)
        if store.exists():
            there = content(store)
            assert there.items() <= self.expected.items()
        complete(*command)
        assert content(store) == self.expected
        store.unlink()


class Evaluating:
    """`workbench evaluate`, resumed."""

    def __init__(self, folder: Path, whole: Path) -> None:
        self.folder, self.loaded = folder, folder / "loaded.duckdb"
        shutil.copy(whole, self.loaded)
        done = shutil.copy(whole, folder / "evaluated.duckdb")
        begin = time.monotonic()
        complete("evaluate", "--engine", "local", "--store", done)
        self.seconds, self.expected, self.cases = time.monotonic() - begin, results(Path(done)), content(Path(done))

    def round(self, number: int, chance: random.Random) -> None:
        store = Path(shutil.copy(self.loaded, self.folder / f"evaluate{number}.duckdb"))
        command = ("evaluate", "--engine", chance.choice(("inline", "local")), "--store", store)
        killed(workbench(*command), chance.uniform(0.3, 1.1) * self.seconds, chance.random() < 0.5)
        assert content(store) == self.cases
        complete(*command)
        assert results(store) == self.expected
        with open_store(store, read_only=True) as opened:
            assert opened.unfinished.list() == []
        store.unlink()


class Labelling:
    """Labels one after another, each acknowledged on a line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def round(self, number: int, chance: random.Random) -> None:
        store = self.folder / f"label{number}.duckdb"
        printed = killed([sys.executable, "-c", LABELLER, str(store)], chance.uniform(0.5, 4.0), whole_group=True)
        acknowledged = printed.count("\n")
        with open_labels(store, read_only=True) as labels:
            held = labels.history()
        assert acknowledged <= len(held) <= acknowledged + 1
        assert [label.question for label in held] == [f"q{at}" for at in range(len(held))]
        assert all(label.comment == "x" * 2000 for label in held)


@pytest.mark.parametrize("rounds", [1, pytest.param(17, marks=pytest.mark.slow)])
def test_kills_at_random_moments_lose_nothing(tmp_path: Path, rounds: int) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")  # shown where it fails
    chance = random.Random(seed)
    loading = Loading(tmp_path)
    kinds: list[Callable[[int, random.Random], None]] = [
        loading.round,
        Evaluating(tmp_path, loading.whole).round,
        Labelling(tmp_path).round,
    ]
    for number in range(rounds):
        for each in kinds:
            each(number, chance)
