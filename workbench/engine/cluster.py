"""Tasks run by the workers of a Dask cluster: one of this machine's own, or one that is reached by its scheduler's address."""

from __future__ import annotations

import itertools
import logging
import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import workbench
from workbench.engine.base import Done, Task, TaskFailed, named
from workbench.errors import WorkbenchError

if TYPE_CHECKING:  # half a second, which only who asks for a cluster pays
    from distributed import Client, Future

    from workbench.engine.parcels import Parcel

T = TypeVar("T")
R = TypeVar("R")
TIMEOUT = 10.0
"""Seconds that a scheduler may take to answer, and a worker to join (ours)."""
DEATHS = 3
"""Workers that may die at one task before it is given up (Dask's own default)."""


@dataclass(frozen=True)
class Cluster:
    """A Dask cluster; nothing is started or connected before tasks run.

    Attributes
    ----------
    scheduler : str or None
        Address such as ``tcp://10.0.0.5:8786``; None starts worker processes on this machine, which end with the work.
    exchange : str or None
        Path or fsspec URL of a folder that this machine and all workers can see. Arguments of tasks travel through it as Parquet;
        each is removed after its task. None takes a temporary folder, for a cluster of our own.
    workers : int
        Processes of a cluster of our own; 0 is one a core (ours).
    """

    scheduler: str | None = None
    exchange: str | None = None
    workers: int = 0

    def __post_init__(self) -> None:
        if self.scheduler is not None and self.exchange is None:
            raise ValueError(
                f"the cluster at {self.scheduler} needs an exchange: a path or URL that this machine and its workers can see"
            )

    def run(self, function: Callable[[T], R], tasks: Iterable[Task[T]]) -> Iterator[Done[R]]:
        """Results in the order of the tasks; a task whose worker dies is done again by another.

        Raises
        ------
        WorkbenchError
            If the scheduler does not answer, has no worker, or a worker has another version of the workbench or can't see the
            exchange; and as `workbench.engine.run_tasks`.
        """
        with self._client() as (client, exchange):
            ahead = 2 * len(client.scheduler_info(n_workers=-1)["workers"])
            waiting: deque[tuple[str, Parcel, Future[Any]]] = deque()
            try:
                for task in tasks:
                    waiting.append(_submitted(client, function, task, exchange))
                    if len(waiting) >= ahead:
                        yield _result(*waiting.popleft())
                while waiting:
                    yield _result(*waiting.popleft())
            finally:
                client.cancel([future for *_, future in waiting], force=True)  # type: ignore[no-untyped-call]
                for _, parcel, _ in waiting:
                    parcel.remove()

    @contextmanager
    def _client(self) -> Iterator[tuple[Client, str]]:
        import dask
        from distributed import Client

        with ExitStack() as stack:
            # Its chatter about lost connections says nothing that our messages don't.
            stack.enter_context(_quiet("distributed"))
            stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": DEATHS}))
            exchange, address = self.exchange, self.scheduler
            if exchange is None:
                exchange = stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-exchange-"))
            if address is None:
                address = stack.enter_context(_own(self.workers or os.cpu_count() or 1))
            try:
                client = stack.enter_context(Client(address, timeout=TIMEOUT, set_as_default=False))  # type: ignore[no-untyped-call]
                client.wait_for_workers(1, timeout=TIMEOUT)
            except (OSError, ValueError) as error:
                raise WorkbenchError(
                    f"the Dask scheduler at {address} does not answer, or has no worker: {error}. Start it (dask scheduler) and "
                    f"its workers (dask worker {address}), or leave --scheduler out for workers on this machine"
                ) from error
            _check_versions(client)
            _check_exchange(client, exchange)
            yield client, exchange


@contextmanager
def _own(workers: int) -> Iterator[str]:
    """Worker processes of this machine under a scheduler of ours, for as long as the context lasts; the scheduler's address."""
    from distributed import LocalCluster

    try:
        cluster = LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
    except RuntimeError as error:
        raise WorkbenchError(f"the workers could not be started on this machine: {error}") from error
    with cluster:
        yield cluster.scheduler_address


def _submitted(client: Client, function: Callable[[T], R], task: Task[T], exchange: str) -> tuple[str, Parcel, Future[Any]]:
    from workbench.engine.parcels import Parcel

    parcel = Parcel.sent(task.argument, exchange)
    key = f"{task.name}-{next(_number)}-{os.getpid()}"
    return task.name, parcel, client.submit(_work, function, parcel, key=key, pure=False)


_number = itertools.count()


def _work(function: Callable[[Any], R], parcel: Parcel) -> R:
    return function(parcel.opened())


def _result(name: str, parcel: Parcel, future: Future[Any]) -> Done[Any]:
    from distributed import CancelledError, KilledWorker

    try:
        return Done(name, future.result())
    except KilledWorker as error:
        raise TaskFailed(f"{name}: {DEATHS + 1} workers died at this task (out of memory?)") from error
    except CancelledError as error:
        raise TaskFailed(f"{name}: the scheduler was lost before this task was done") from error
    except Exception as error:
        raise named(name, error) from error
    finally:
        with suppress(FileNotFoundError):
            parcel.remove()


def _version() -> str:
    return workbench.__version__


def _check_versions(client: Client) -> None:
    for worker, version in _everywhere(client, _version).items():
        if version != workbench.__version__:
            raise WorkbenchError(
                f"worker {worker} has workbench {version}, this machine {workbench.__version__}: results could differ. "
                "Install the same version on both"
            )


def _check_exchange(client: Client, exchange: str) -> None:
    from workbench.engine.parcels import seen, token

    with token(exchange) as (url, content):
        for worker, found in _everywhere(client, seen, url).items():
            if found != content:
                raise WorkbenchError(
                    f"worker {worker} does not see {exchange} as this machine does ({found}): name a place both can see"
                )


def _everywhere(client: Client, function: Callable[..., str], *arguments: object) -> dict[str, str]:
    """What a function returns on every worker; a worker without this package says so."""
    try:
        found: dict[str, str] = client.run(function, *arguments)
    except ModuleNotFoundError as error:
        raise WorkbenchError(f"the workers have no workbench installed: {error}") from error
    return found


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
