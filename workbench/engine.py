"""Runs one function over many independent tasks: here, or in local processes. Results come in the order of the tasks."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from signal import SIG_IGN, SIGINT, signal
from typing import Any, Generic, TypeVar

from workbench.errors import WorkbenchError

T = TypeVar("T")
R = TypeVar("R")
Progress = Callable[[int, str], None]
"""Called after every finished task with how many are done and the name of this one."""


class TaskFailed(WorkbenchError):
    """A task raised something unexpected, or its process died; the message names the task, ``__cause__`` is the error."""


@dataclass(frozen=True, slots=True)
class Task(Generic[T]):
    """What a function is to be called with, under a name that messages and progress use."""

    name: str
    argument: T


@dataclass(frozen=True, slots=True)
class Done(Generic[R]):
    """A finished task's name and result."""

    name: str
    result: R


def run_tasks(
    function: Callable[[T], R], tasks: Iterable[Task[T]], *, workers: int = 1, progress: Progress | None = None
) -> Iterator[Done[R]]:
    """Call a function with every task's argument.

    With one worker the calls happen here, one when each result is asked for. With more they happen in processes that start
    afresh (spawn), so function, arguments and results must be picklable and the main module safe to import; the function is
    sent once a process. At most two tasks a worker are under way, so a stream is not read ahead of its use. Closing the
    iterator drops tasks that have not begun and waits for those that have.

    Parameters
    ----------
    function : callable
        Takes one argument.
    tasks : iterable of Task
        May be a generator; it is advanced in this thread only.
    workers : int
        At least 1.
    progress : callable, optional
        See `Progress`.

    Yields
    ------
    Done
        One per task, in the order of the tasks.

    Raises
    ------
    ValueError
        If ``workers`` is less than 1.
    WorkbenchError
        What a task raised, its name put in front; a `TaskFailed` for any other exception and for a process that died. Results of
        tasks before it have been yielded, later tasks are dropped.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    results = _here(function, tasks) if workers == 1 else _in_processes(function, tasks, workers)
    return _counted(results, progress)


def _counted(results: Iterator[Done[R]], progress: Progress | None) -> Iterator[Done[R]]:
    for count, done in enumerate(results, 1):
        yield done
        if progress is not None:
            progress(count, done.name)


def _here(function: Callable[[T], R], tasks: Iterable[Task[T]]) -> Iterator[Done[R]]:
    for task in tasks:
        try:
            result = function(task.argument)
        except Exception as error:
            raise _named(task.name, error) from error
        yield Done(task.name, result)


def _in_processes(function: Callable[[T], R], tasks: Iterable[Task[T]], workers: int) -> Iterator[Done[R]]:
    waiting: deque[tuple[str, Future[R]]] = deque()
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_begin, initargs=(function,))
    try:
        for task in tasks:
            waiting.append((task.name, pool.submit(_call, task.argument)))
            if len(waiting) == 2 * workers:
                yield _result(*waiting.popleft())
        while waiting:
            yield _result(*waiting.popleft())
    finally:
        pool.shutdown(cancel_futures=True)


def _result(name: str, future: Future[R]) -> Done[R]:
    try:
        return Done(name, future.result())
    except Exception as error:
        raise _named(name, error) from error


def _named(name: str, error: Exception) -> WorkbenchError:
    """The error as one that names the task; our own types are kept, since callers tell them apart."""
    if isinstance(error, BrokenProcessPool):
        return TaskFailed(f"{name}: a worker process died at or near this task (out of memory?): try with fewer workers")
    if isinstance(error, WorkbenchError):
        return type(error)(f"{name}: {error}")
    return TaskFailed(f"{name}: {type(error).__name__}: {error}")


_function: Callable[[Any], Any]


def _begin(function: Callable[[Any], Any]) -> None:
    """Set up a worker process: what to call, and two ways not to outlive its parent."""
    global _function
    _function = function
    signal(SIGINT, SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    # A killed parent can't shut its pool down, and a worker waiting for its next call would stay for ever.
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _call(argument: Any) -> Any:
    return _function(argument)
