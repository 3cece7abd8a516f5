"""The real command line as a process that a test can watch and kill, and what has to hold of the store that it leaves."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import termios
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from workbench.store import Store, open_store

ROOT = Path(__file__).resolve().parents[2]
# One bar counts up, the other goes towards a total; tqdm writes either again at every step once its pause is 0.
_COUNTED = re.compile(rb"(\d+)(?:/\d+| cases) \[")


class CommandLine:
    """``workbench`` with its workers in a session of its own, its progress bar on a terminal.

    ``reports`` holds (moment, count) of every progress that was shown; ``output`` what was printed.
    """

    def __init__(self, *arguments: object) -> None:
        self._bar, terminal = pty.openpty()
        termios.tcsetwinsize(terminal, (24, 120))  # a bar of no width shows nothing
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workbench", *map(str, arguments)],
            env=os.environ | {"PYTHONPATH": str(ROOT), "TQDM_MININTERVAL": "0"},
            stdout=subprocess.PIPE,
            stderr=terminal,
            start_new_session=True,
        )
        os.close(terminal)
        self.reports: list[tuple[float, int]] = []
        self.shown = b""
        self._output: list[bytes] = []
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_bar, self._read_output)]
        for reader in self._readers:
            reader.start()

    def _read_bar(self) -> None:
        while True:
            try:
                part = os.read(self._bar, 4096)
            except OSError:  # how a terminal ends
                return
            if not part:
                return
            self.shown += part
            counts = _COUNTED.findall(self.shown[-4096 - 64 :])
            if counts and (not self.reports or int(counts[-1]) > self.reports[-1][1]):
                self.reports.append((time.monotonic(), int(counts[-1])))

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._output.append(line)

    @property
    def output(self) -> str:
        return b"".join(self._output).decode()

    @property
    def reported(self) -> int:
        """The last count that the progress bar showed."""
        return self.reports[-1][1] if self.reports else 0

    def wait_for(self, count: int, seconds: float) -> None:
        """Until the bar shows a count, the process has ended, or the time is up."""
        end = time.monotonic() + seconds
        while self.reported < count and self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)

    def kill(self, *, whole_group: bool) -> bool:
        """SIGKILL the command line, alone or with its workers; whether it still ran."""
        was_running = self.process.poll() is None
        if was_running:
            try:
                (os.killpg if whole_group else os.kill)(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                was_running = False
        self._end()
        return was_running and self.process.returncode == -signal.SIGKILL

    def finish(self, seconds: float = 120) -> int:
        """Wait for its end; the exit code."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        finally:
            self._end()
        return self.process.returncode

    def _end(self) -> None:
        self.process.wait(30)
        left = self.left_behind(seconds=10)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        for reader in self._readers:
            reader.join(10)
        os.close(self._bar)
        assert not left, f"processes {left} outlived the command line {self.process.args}"

    def left_behind(self, seconds: float) -> list[int]:
        """Processes of its session that are still there after some time."""
        end = time.monotonic() + seconds
        while (found := _of_session(self.process.pid)) and time.monotonic() < end:
            time.sleep(0.02)
        return found


def _of_session(session: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, *fields = (entry / "stat").read_text().rpartition(") ")[2].split()
            except OSError:  # it has ended meanwhile
                continue
            if int(fields[2]) == session and state != "Z":
                found.append(int(entry.name))
    return found


def assert_whole(path: Path) -> None:
    """Every case has all that its row and its extractions claim, and no table holds anything of half a case or half a run."""
    with open_store(path, read_only=True) as store:
        for row in store.cases.list():
            case = store.cases.get(row.key)
            sizes = len(case.sessions), sum(len(session.turns) for session in case.sessions), len(case.questions)
            assert sizes == (row.sessions, row.turns, row.questions), row.key
            extractions = store.extractions.list(row.key)
            assert extractions, f"{row.key} has no extraction"
            for extraction in extractions:
                assert len(store.notes.get(row.key, extraction.key)) == extraction.notes == row.notes, row.key
        assert _strays(store) == {}
        for unfinished in store.unfinished.list():
            _assert_whole_parts(store, unfinished.run)


def _strays(store: Store) -> dict[str, int]:
    """Rows by table whose case, extraction or run is not there."""
    rows = store.cases._db.rows
    known = {"case_key": "SELECT case_key FROM cases", "extraction": "SELECT id FROM extractions"}
    owned = rows(
        "SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = 'store' AND table_name <> 'findings'"
    )
    found = {
        f"{table}.{column}": rows(f"SELECT count(*) FROM {table} WHERE {column} NOT IN ({known[column]})")[0][0]
        for table, column in owned
        if column in known
    }
    runs = "SELECT id FROM runs UNION SELECT run FROM unfinished"
    found["results.run"] = rows(f"SELECT count(*) FROM results WHERE run NOT IN ({runs})")[0][0]
    found["tags"] = rows(
        "SELECT count(*) FROM extractions WHERE notes <> (SELECT count(*) FROM tags WHERE tags.extraction = extractions.id)"
    )[0][0]
    return {name: count for name, count in found.items() if count}


def _assert_whole_parts(store: Store, run: str) -> None:
    """The results of an unfinished run are those of its finished cases, every question under every method."""
    rows = store.cases._db.rows(
        "SELECT case_key, count(*), count(DISTINCT (question, method)), count(DISTINCT question) * count(DISTINCT method) "
        "FROM results WHERE run = ? GROUP BY case_key",
        [run],
    )
    assert {case for case, *_ in rows} <= store.unfinished.done(run)
    assert all(count == distinct == full for _, count, distinct, full in rows), rows


def contents(path: Path) -> dict[str, Any]:
    """What loading put into a store, without the moments at which it did: cases, notes and counts by case and extraction."""
    with open_store(path, read_only=True) as store:
        return {
            row.key: (
                store.cases.get(row.key),
                {
                    (each.extractor, each.digest): (store.notes.get(row.key, each.key), each.counters)
                    for each in store.extractions.list(row.key)
                },
            )
            for row in store.cases.list()
        }


def run_contents(path: Path) -> tuple[list[Any], Counter[tuple[str, str, str]]]:
    """What evaluations put into a store, without moments and seconds: every run, and every state by case, kind and text."""
    with open_store(path, read_only=True) as store:
        runs = [store.runs.get(row.id) for row in store.runs.list()]
        states = [(row.key, state.kind, state.text) for row in store.cases.list() for state in store.states.of_case(row.key)]
    return [(run.benchmark, run.config, run.data_digest, run.excluded, run.results) for run in runs], Counter(states)
