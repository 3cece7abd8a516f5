from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.engine import Done, Task, TaskFailed, run_tasks
from workbench.errors import MissingPart

HERE = Path(__file__).resolve().parent


def square(number: int) -> int:
    """The square, later for small numbers, with the failures that tests ask for."""
    if number == -1:
        raise ZeroDivisionError("minus one")
    if number == -2:
        raise MissingPart("no model; install it")
    if number == -3:
        os._exit(9)
    time.sleep(0.01 if number % 2 else 0)
    return number * number


def process_of(_: int) -> int:
    time.sleep(0.1)
    return os.getpid()


def tasks(*numbers: int) -> list[Task[int]]:
    return [Task(f"task {number}", number) for number in numbers]


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_tasks_with_progress(workers):
    seen: list[tuple[int, str]] = []
    done = list(run_tasks(square, tasks(*range(12)), workers=workers, progress=lambda count, name: seen.append((count, name))))
    assert done == [Done(f"task {n}", n * n) for n in range(12)]
    assert seen == [(n + 1, f"task {n}") for n in range(12)]


@pytest.mark.parametrize("workers", [1, 2])
def test_no_tasks_give_no_results(workers):
    assert list(run_tasks(square, [], workers=workers)) == []


def test_several_workers_are_several_other_processes():
    pids = {done.result for done in run_tasks(process_of, tasks(*range(6)), workers=2)}
    assert len(pids) == 2
    assert os.getpid() not in pids
    assert {done.result for done in run_tasks(process_of, tasks(1), workers=1)} == {os.getpid()}


@pytest.mark.parametrize(("workers", "most"), [(1, 1), (2, 4)])
def test_a_stream_is_not_read_ahead_of_its_use(workers, most):
    read = 0

    def stream() -> Iterator[Task[int]]:
        nonlocal read
        for task in tasks(*range(50)):
            read += 1
            yield task

    results = run_tasks(square, stream(), workers=workers)
    assert read == 0
    for count, _ in enumerate(results, 1):
        assert read <= count - 1 + most


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_task_is_named_after_the_results_before_it(workers):
    results = run_tasks(square, tasks(1, 2, -1, 3), workers=workers)
    assert [next(results).result, next(results).result] == [1, 4]
    with pytest.raises(TaskFailed, match=r"^task -1: ZeroDivisionError: minus one$") as error:
        next(results)
    assert isinstance(error.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("workers", [1, 2])
def test_our_own_errors_keep_their_type(workers):
    with pytest.raises(MissingPart, match=r"^task -2: no model; install it$"):
        list(run_tasks(square, tasks(-2), workers=workers))


def test_a_worker_that_dies_is_an_error():
    with pytest.raises(TaskFailed, match=r"task \S+: a worker process died"):
        list(run_tasks(square, tasks(1, -3, 2), workers=2))


@pytest.mark.parametrize("workers", [1, 2])
def test_closing_drops_what_has_not_begun(workers):
    started = 0

    def stream() -> Iterator[Task[int]]:
        nonlocal started
        for task in tasks(*range(100)):
            started += 1
            yield task

    results = run_tasks(square, stream(), workers=workers)
    next(results)
    results.close()
    assert started <= 2 * workers


def test_an_impossible_number_of_workers_is_refused():
    with pytest.raises(ValueError, match="at least 1, got 0"):
        run_tasks(square, [], workers=0)


def test_workers_leave_when_their_parent_is_killed():
    script = (
        "import test_engine as t\n"
        "from workbench.engine import run_tasks\n"
        "for done in run_tasks(t.process_of, t.tasks(*range(10_000)), workers=2): print(done.result, flush=True)\n"
    )
    path = os.pathsep.join([str(HERE), str(HERE.parent)])
    parent = subprocess.Popen(
        [sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, text=True
    )
    workers = {int(parent.stdout.readline()) for _ in range(6)}
    parent.kill()
    parent.wait()
    parent.stdout.close()
    end = time.monotonic() + 10
    while any(_lives(pid) for pid in workers) and time.monotonic() < end:
        time.sleep(0.05)
    left = [pid for pid in workers if _lives(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
