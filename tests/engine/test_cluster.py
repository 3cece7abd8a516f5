"""Tasks on a real Dask cluster: worker processes of our own, and a scheduler that runs elsewhere."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from workbench.cli import app, main
from workbench.engine import Cluster, Task, TaskFailed, run_tasks
from workbench.engine.parcels import Parcel
from workbench.errors import BadInput, WorkbenchError
from workbench.evaluate.export import write
from workbench.evaluate.inputs import case_input, case_inputs
from workbench.evaluate.runs import CaseInput
from workbench.store import open_store
from workbench.versions import versions

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Number:
    """A value that travels as a file."""

    value: int

    def to_parquet(self, folder: Path) -> None:
        (folder / "value.txt").write_text(str(self.value))

    @staticmethod
    def from_parquet(folder: Path) -> Number:
        return Number(int((folder / "value.txt").read_text()))


def squared(given: Number) -> int:
    if given.value == 13:
        raise BadInput("thirteen is not squared")
    return given.value**2


def die(folder: Path, dies: int, given: Number) -> tuple[int, int]:
    """Kills its own worker the first ``dies`` times that it is called with 3."""
    if given.value == 3:
        before = sorted(folder.glob("died-*"))
        if len(before) < dies:
            (folder / f"died-{len(before)}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return given.value, os.getpid()


def slow(given: Number) -> int:
    time.sleep(0.5)
    return given.value


def numbers(*values: int) -> list[Task[Number]]:
    return [Task(f"number {value}", Number(value)) for value in values]


@pytest.fixture(autouse=True)
def _workers_find_this_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(Path(__file__).parent)]))


@contextmanager
def scheduler_elsewhere(folder: Path, *options: str) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and a process that starts its workers, neither forked from here; the address, and the two processes."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(Path(__file__).parent)])}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    first = [sys.executable, "-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    workers = [sys.executable, "-m", "dask", "worker", address, "--no-dashboard", *options]
    started = [
        subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        for command in (first, workers)
    ]
    try:
        yield address, started
    finally:
        for process in started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with scheduler_elsewhere(tmp_path_factory.mktemp("dask"), "--nworkers", "2", "--nthreads", "1") as (address, _):
        yield address


def test_results_keep_the_order_of_the_tasks_and_nothing_is_left_in_the_exchange(tmp_path: Path) -> None:
    seen: list[tuple[int, str]] = []
    cluster = Cluster(exchange=str(tmp_path), workers=2)
    done = run_tasks(squared, numbers(*range(9)), workers=cluster, progress=lambda count, name: seen.append((count, name)))
    assert [each.result for each in done] == [value**2 for value in range(9)]
    assert seen[-1] == (9, "number 8")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_an_error_is_of_its_own_type_and_names_the_task(tmp_path: Path) -> None:
    tasks = run_tasks(squared, numbers(1, 13, 2, 3, 4, 5), workers=Cluster(exchange=str(tmp_path), workers=2))
    assert next(tasks).result == 1
    with pytest.raises(BadInput, match="number 13: thirteen is not squared"):
        next(tasks)
    assert list(tmp_path.iterdir()) == []


def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "deaths").mkdir()
    done = list(run_tasks(partial(die, tmp_path / "deaths", 1), numbers(*range(8)), workers=Cluster(workers=2)))
    assert [each.result[0] for each in done] == list(range(8))
    assert len(list((tmp_path / "deaths").iterdir())) == 1


@pytest.mark.slow
def test_a_task_that_kills_every_worker_is_given_up_by_name(tmp_path: Path) -> None:
    with pytest.raises(TaskFailed, match=r"number 3: 4 workers died"):
        list(run_tasks(partial(die, tmp_path, 99), numbers(1, 2, 3), workers=Cluster(workers=2)))


def test_an_external_scheduler_gives_the_same_through_a_url(scheduler: str, tmp_path: Path) -> None:
    cluster = Cluster(scheduler, f"file://{tmp_path}")
    assert [each.result for each in run_tasks(squared, numbers(4, 5, 6), workers=cluster)] == [16, 25, 36]
    assert list(tmp_path.iterdir()) == []


def test_a_place_the_workers_do_not_see_is_refused(scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.engine import parcels

    real = parcels.token

    def moved(exchange: str):  # what the workers are told to read is not where this machine has written
        token = real(exchange)
        url, content = token.__enter__()
        return _Left(token, (url.replace(tmp_path.name, "nowhere"), content))

    monkeypatch.setattr(parcels, "token", moved)
    with pytest.raises(WorkbenchError, match=r"worker .* does not see .*: name a place both can see"):
        list(run_tasks(squared, numbers(1), workers=Cluster(scheduler, str(tmp_path))))


@pytest.mark.slow
def test_workers_with_several_threads_are_refused(tmp_path: Path) -> None:
    with (
        scheduler_elsewhere(tmp_path, "--nworkers", "1", "--nthreads", "2") as (address, _),
        pytest.raises(WorkbenchError, match=r"worker .* runs 2 tasks at a time .*--nthreads 1"),
    ):
        list(run_tasks(squared, numbers(1), workers=Cluster(address, str(tmp_path / "exchange"))))


@pytest.mark.slow
@pytest.mark.parametrize(("which", "reason"), [(0, "the scheduler was lost"), (1, "no worker is left")])
def test_what_does_not_come_back_ends_the_work(which: int, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.engine.cluster.ALONE", 2.0)
    exchange = tmp_path / "exchange"
    with scheduler_elsewhere(tmp_path, "--nworkers", "1", "--nthreads", "1", "--no-nanny") as (address, processes):
        tasks = run_tasks(slow, numbers(*range(8)), workers=Cluster(address, str(exchange)))
        assert next(tasks).result == 0
        os.killpg(processes[which].pid, signal.SIGKILL)
        with pytest.raises(WorkbenchError, match=rf"number \d: {reason}"):
            list(tasks)
    assert list(exchange.iterdir()) == []


@dataclass
class _Left:
    token: object
    value: tuple[str, str]

    def __enter__(self) -> tuple[str, str]:
        return self.value

    def __exit__(self, *error: object) -> None:
        self.token.__exit__(*error)  # type: ignore[attr-defined]


def test_a_worker_of_another_version_is_refused(scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.engine.cluster.versions", lambda: {**versions(), "workbench": "0.0.1"})
    with pytest.raises(WorkbenchError, match=r"worker .* could differ: workbench \S+ instead of 0\.0\.1"):
        list(run_tasks(squared, numbers(1), workers=Cluster(scheduler, str(tmp_path))))


def test_a_scheduler_that_does_not_answer_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.engine.cluster.TIMEOUT", 1.0)
    begin = time.monotonic()
    with pytest.raises(WorkbenchError, match=r"scheduler at tcp://127\.0\.0\.1:9 does not answer"):
        list(run_tasks(squared, numbers(1), workers=Cluster("tcp://127.0.0.1:9", str(tmp_path))))
    assert time.monotonic() - begin < 30


def test_what_does_not_travel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="int has no to_parquet"):
        Parcel.sent(3, str(tmp_path))


def test_a_case_arrives_as_it_was_sent(own_demo_store: Path, tmp_path: Path) -> None:
    """With vectors, states, and the notes of a full case."""
    with open_store(own_demo_store) as store:
        given = case_input(store, "longmemeval_demo/demo_moves")
        memory = given.memory()
        from workbench.methods.base import create

        for name in ("dense", "real"):
            create(name, memory=memory).query("Where do I live?")
        store.vectors.put(given.case.key, memory.vectors.fresh)
        store.states.put(given.case.key, memory.states.fresh)
        given = case_input(store, "longmemeval_demo/demo_moves")
        given = replace(given, base=store.notes.get("longmemeval_demo/demo_updated_fact"), remark="a reduced copy")
    exchange = tmp_path / "exchange"
    parcel = Parcel.sent({"rules": given}, str(exchange))
    found: CaseInput = parcel.opened()["rules"]
    assert found == given
    assert {state.digest: state for state in found.states.all} == {state.digest: state for state in given.states.all}
    for sent, got in zip(given.vectors.all, found.vectors.all, strict=True):
        assert sent.rows.keys() == got.rows.keys()
        assert all((sent.rows[text] == got.rows[text]).all() for text in sent.rows)
    assert list(exchange.rglob("*.parquet"))
    parcel.remove()
    assert list(exchange.iterdir()) == []


def run(store: Path, *arguments: str) -> dict[str, object]:
    done = CliRunner().invoke(app, [*arguments, "--store", str(store), "--json", "-"])
    assert done.exit_code == 0, done.output
    found: dict[str, object] = json.loads(done.stdout)
    return found


COMMANDS = {
    "evaluate": ["evaluate", "--benchmark", "longmemeval_demo", "--methods", "bm25,adaptive,dense,real", "--fresh"],
    "ablate": ["ablate", "--benchmark", "longmemeval_demo", "--method", "adaptive", "--fresh"],
    "sweep": ["sweep", "alpha", "--benchmark", "longmemeval_demo", "--points", "0.5,0.85", "--fresh"],
    "audit": ["audit", "--benchmark", "atant_demo", "--methods", "tag_basic", "--no-interventions"],
    "extractions": ["extractions", "--benchmark", "atant_demo"],
}


def without_clock(value: object) -> object:
    """A result without what depends on the clock or the run's name."""
    if isinstance(value, dict):
        left_out = {"run", "runs", "seconds", "building", "created", "id"}
        return {name: without_clock(each) for name, each in value.items() if name not in left_out}
    return [without_clock(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "command", ["evaluate", *(pytest.param(each, marks=pytest.mark.slow) for each in COMMANDS if each != "evaluate")]
)
def test_commands_give_what_the_local_engine_gives(command: str, own_demo_store: Path, scheduler: str, tmp_path: Path) -> None:
    here = run(own_demo_store, *COMMANDS[command], "--engine", "local" if command == "evaluate" else "inline")
    there = run(own_demo_store, *COMMANDS[command], "--engine", "dask", "--scheduler", scheduler, "--exchange", str(tmp_path))
    assert without_clock(there) == without_clock(here)
    if command == "evaluate":
        with open_store(own_demo_store, read_only=True) as store:
            first, second = (store.runs.get(str(found["run"])) for found in (here, there))
        assert first.id != second.id
        assert first.results == second.results
        written = [tmp_path / f"{number}.trec" for number in range(2)]
        for each, file in zip((first, second), written, strict=True):
            write(each, file, "trec")
        assert written[0].read_bytes() == written[1].read_bytes()


@contextmanager
def command_under_way(store: Path, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """``evaluate --engine dask`` with workers of its own, in a process group of its own, when its first case is under way."""
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", *COMMANDS["evaluate"], "--engine", "dask", "--store", str(store), "--json", "-"],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        end = time.monotonic() + 120
        while not list(folder.glob("workbench-exchange-*/*/*.parquet")):
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            assert time.monotonic() < end
            time.sleep(0.02)
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.slow
def test_a_command_whose_worker_is_killed_loses_no_question(own_demo_store: Path, tmp_path: Path) -> None:
    with command_under_way(own_demo_store, tmp_path) as process:
        os.kill(_workers_of(process.pid)[0], signal.SIGKILL)
        printed, _ = process.communicate(timeout=180)
        assert process.returncode == 0
    assert not list(tmp_path.glob("workbench-*"))
    here = run(own_demo_store, *COMMANDS["evaluate"])
    assert without_clock(json.loads(printed)) == without_clock(here)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "codes"), [("SIGINT", (130,)), ("SIGTERM", (143, 130)), ("SIGKILL", (-9,))])
def test_a_stopped_command_leaves_no_worker_and_goes_on(
    name: str, codes: tuple[int, ...], own_demo_store: Path, tmp_path: Path
) -> None:
    with command_under_way(own_demo_store, tmp_path) as process:
        workers = _workers_of(process.pid)
        assert workers
        if name == "SIGINT":  # Ctrl-C reaches the whole group
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(getattr(signal, name))
        _, told = process.communicate(timeout=60)
        assert process.returncode in codes, told
        assert "Traceback" not in told
        end = time.monotonic() + 15
        while any(_lives(each) for each in workers) and time.monotonic() < end:
            time.sleep(0.05)
        assert not [each for each in workers if _lives(each)]
    if name != "SIGKILL":
        assert not list(tmp_path.glob("workbench-*"))
    gone_on = run(own_demo_store, *(each for each in COMMANDS["evaluate"] if each != "--fresh"), "--engine", "dask")
    assert without_clock(gone_on) == without_clock(run(own_demo_store, *COMMANDS["evaluate"]))


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _workers_of(process: int) -> list[int]:
    """The worker processes below another process."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and process in _parents(int(folder.name)):
            with suppress(FileNotFoundError):
                if b"spawn_main" in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
    return found


def _parents(process: int) -> list[int]:
    found = list[int]()
    with suppress(FileNotFoundError, ProcessLookupError):
        while process > 1:
            status = Path(f"/proc/{process}/status").read_text()
            process = int(re.search(r"PPid:\s+(\d+)", status)[1])  # type: ignore[index]
            found.append(process)
    return found


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--engine", "spark"], "known: inline, local, dask"),
        (["--scheduler", "tcp://127.0.0.1:1"], "are for --engine dask, not for inline"),
        (["--engine", "dask", "--scheduler", "10.0.0.5"], "reads tcp://HOST:PORT or tls://HOST:PORT, not '10.0.0.5'"),
        (["--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"], "needs an exchange (--exchange)"),
    ],
)
def test_wrong_usage_is_told(own_demo_store: Path, options: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--benchmark", "atant_demo", *options, "--store", str(own_demo_store)]) == 2
    assert reason in " ".join(capsys.readouterr().err.split())


def test_reading_cases_needs_no_cluster_before_a_task_runs(own_demo_store: Path) -> None:
    """Nothing is started for a command that fails before its work."""
    keys = ["longmemeval_demo/demo_moves"]
    assert [given.case.key for given in case_inputs(own_demo_store, keys, None)] == keys
    assert (
        "distributed"
        not in subprocess.run(
            [sys.executable, "-c", "import sys, workbench.cli; print(*sys.modules)"], capture_output=True, text=True, check=True
        ).stdout.split()
    )
