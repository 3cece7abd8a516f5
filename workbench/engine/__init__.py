"""Runs one function over many independent tasks: here, in local processes, or on a Dask cluster. Results keep their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from workbench.engine.base import Done, Progress, Task, TaskFailed
from workbench.engine.cluster import Cluster
from workbench.engine.local import here, in_processes

__all__ = ["Cluster", "Done", "Progress", "Task", "TaskFailed", "Workers", "run_tasks"]

T = TypeVar("T")
R = TypeVar("R")
Workers = int | Cluster
"""Who works: so many local processes (1: this one), or a Dask cluster."""


def run_tasks(
    function: Callable[[T], R], tasks: Iterable[Task[T]], *, workers: Workers = 1, progress: Progress | None = None
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
    workers : int or Cluster
        At least 1 process; or a cluster, to which tasks travel as Parquet.
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
    if isinstance(workers, Cluster):
        return _counted(workers.run(function, tasks), progress)
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    results = here(function, tasks) if workers == 1 else in_processes(function, tasks, workers)
    return _counted(results, progress)


def _counted(results: Iterator[Done[R]], progress: Progress | None) -> Iterator[Done[R]]:
    for count, done in enumerate(results, 1):
        yield done
        if progress is not None:
            progress(count, done.name)
