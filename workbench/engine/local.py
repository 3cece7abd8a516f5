"""Tasks run here, or in processes of this machine."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection, get_context, parent_process
from signal import SIG_IGN, SIGINT, signal
from typing import Any, TypeVar

from workbench.engine.base import Done, Task, TaskFailed, named
from workbench.errors import WorkbenchError

T = TypeVar("T")
R = TypeVar("R")


def here(function: Callable[[T], R], tasks: Iterable[Task[T]]) -> Iterator[Done[R]]:
    for task in tasks:
        try:
            result = function(task.argument)
        except Exception as error:
            raise named(task.name, error) from error
        yield Done(task.name, result)


def in_processes(function: Callable[[T], R], tasks: Iterable[Task[T]], workers: int) -> Iterator[Done[R]]:
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
    if isinstance(error, BrokenProcessPool):
        return TaskFailed(f"{name}: a worker process died at or near this task (out of memory?): try with fewer workers")
    return named(name, error)


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
