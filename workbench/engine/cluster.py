"""Tasks run by the workers of a Dask cluster: one of this machine's own, or one that is reached by its scheduler's address."""

from __future__ import annotations

import itertools
import logging
import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.engine.base import Done, Task, TaskFailed, named
from workbench.errors import WorkbenchError
from workbench.versions import Versions, differences, versions

if TYPE_CHECKING:  # half a second, which only who asks for a cluster pays
    from distributed import Client, Future

    from workbench.engine.parcels import Parcel

T = TypeVar("T")
R = TypeVar("R")
TIMEOUT = 10.0
"""Seconds that a scheduler may take to answer, and a worker to join (ours)."""
ALONE = 120.0
"""Seconds that a cluster may be without any worker while tasks wait: a nanny needs some to start a new one (ours)."""
DEATHS = 1
"""Deaths of a worker after which a cluster of our own gives a task back once more, when it is tried again, twice in all (ours).

A scheduler counts a death against every task that its worker held, also against those that only waited for their turn.
"""
_ADDRESS = re.compile(r"(tcp|tls)://[^/\s]+:\d+")


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
        if self.scheduler is not None and not _ADDRESS.fullmatch(self.scheduler):
            raise ValueError(f"a scheduler's address reads tcp://HOST:PORT or tls://HOST:PORT, not {self.scheduler!r}")
        if self.scheduler is not None and self.exchange is None:
            raise ValueError(
                f"the cluster at {self.scheduler} needs an exchange (--exchange): a path or URL that this machine and "
                "its workers can see"
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
            waiting: deque[_Sent] = deque()
            try:
                for task in tasks:
                    waiting.append(_sent(client, function, task, exchange))
                    if len(waiting) >= 2 * len(_workers(client)):  # asked each time: workers come and go
                        yield _result(client, waiting[0])
                        waiting.popleft().parcel.remove()
                while waiting:
                    yield _result(client, waiting[0])
                    waiting.popleft().parcel.remove()
            finally:
                client.cancel([each.future for each in waiting], force=True)  # type: ignore[no-untyped-call]
                for each in waiting:
                    each.parcel.remove()

    @contextmanager
    def _client(self) -> Iterator[tuple[Client, str]]:
        import dask
        from distributed import Client

        with ExitStack() as stack:
            # Its chatter about lost connections says nothing that our messages don't.
            for name in ("distributed", "tornado.application", "asyncio"):
                stack.enter_context(_quiet(name))
            stack.enter_context(_terminable())
            stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": DEATHS}))
            exchange, address = self.exchange, self.scheduler
            if exchange is None:
                exchange = stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-exchange-"))
            if address is None:
                scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-dask-"))
                address = stack.enter_context(_own(self.workers or os.cpu_count() or 1, scratch))
            try:
                client = stack.enter_context(Client(address, timeout=TIMEOUT, set_as_default=False))  # type: ignore[no-untyped-call]
                client.wait_for_workers(1, timeout=TIMEOUT)
            except (OSError, ValueError) as error:
                raise WorkbenchError(
                    f"the Dask scheduler at {address} does not answer, or has no worker: {error}. Start it (dask scheduler) and "
                    f"its workers (dask worker {address}), or leave --scheduler out for workers on this machine"
                ) from error
            _check_threads(client)
            _check_versions(client)
            _check_exchange(client, exchange)
            yield client, exchange


@contextmanager
def _own(workers: int, scratch: str) -> Iterator[str]:
    """Worker processes of this machine under a scheduler of ours, for as long as the context lasts; the scheduler's address."""
    from distributed import LocalCluster

    try:
        with _interrupts_stay_here():
            cluster = LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",  # its small web server stays on this machine, at a free port
                memory_limit=0,  # none, as for local processes; text of cases is not spilled to a disk
                local_directory=scratch,
                silence_logs=logging.CRITICAL,
            )
    except RuntimeError as error:
        raise WorkbenchError(f"the workers could not be started on this machine: {error}") from error
    with cluster:
        yield cluster.scheduler_address


@dataclass(frozen=True)
class _Sent:
    """A task under way: where its argument lies, and how it is sent again."""

    name: str
    parcel: Parcel
    submit: Callable[[], Future[Any]]
    future: Future[Any]


def _sent(client: Client, function: Callable[[T], R], task: Task[T], exchange: str) -> _Sent:
    from workbench.engine.parcels import Parcel

    parcel = Parcel.sent(task.argument, exchange)

    def submit() -> Future[Any]:
        key = f"{task.name}-{next(_number)}-{os.getpid()}"
        return client.submit(_work, function, parcel, versions(), key=key, pure=False)

    return _Sent(task.name, parcel, submit, submit())


_number = itertools.count()


def _work(function: Callable[[Any], R], parcel: Parcel, wanted: Versions) -> R:
    unlike = differences(wanted, versions())
    if unlike:  # a worker that joined after the work began
        raise WorkbenchError(_unlike("a worker", unlike))
    return function(parcel.opened())


def _result(client: Client, sent: _Sent) -> Done[Any]:
    from distributed import CancelledError, KilledWorker

    name = sent.name
    try:
        try:
            return Done(name, _awaited(client, sent.future))
        except KilledWorker:
            # What really kills workers was on each worker that died, and is given back with or before this task: a task that
            # was only near it comes through now.
            return Done(name, _awaited(client, sent.submit()))
    except KilledWorker as error:
        deaths = 2 * (error.allowed_failures + 1)
        raise TaskFailed(f"{name}: {deaths} workers died at this task (out of memory?)") from error
    except CancelledError as error:
        raise TaskFailed(f"{name}: the scheduler was lost before this task was done; what is stored is kept") from error
    except Exception as error:
        raise named(name, error) from error


def _awaited(client: Client, future: Future[Any]) -> Any:
    """A future's result; WorkbenchError where no worker is left that could bring it."""
    seen = time.monotonic()
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            if future.done():  # type: ignore[no-untyped-call]
                return future.result()  # or the task's own TimeoutError
        if client.status != "running" or _workers(client):
            seen = time.monotonic()
        elif time.monotonic() - seen > ALONE:
            raise WorkbenchError(
                f"no worker is left, and none came back in {ALONE:.0f} s: start some, and give the command again"
            )


def _workers(client: Client) -> dict[str, Any]:
    """The workers by address, as the scheduler knows them now."""
    found: dict[str, Any] = client.scheduler_info(n_workers=-1)["workers"]
    return found


def _check_threads(client: Client) -> None:
    for worker, about in _workers(client).items():
        if about["nthreads"] > 1:
            raise WorkbenchError(
                f"worker {worker} runs {about['nthreads']} tasks at a time in one process, which falsifies their seconds: "
                "start it with --nthreads 1, and more of them with --nworkers"
            )


def _check_versions(client: Client) -> None:
    for worker, found in _everywhere(client, versions).items():
        unlike = differences(versions(), found)
        if unlike:
            raise WorkbenchError(_unlike(f"worker {worker}", unlike))


def _unlike(worker: str, unlike: str) -> str:
    return f"{worker} has other versions than this machine, so results could differ: {unlike}. Install the same on both"


def _check_exchange(client: Client, exchange: str) -> None:
    from workbench.engine.parcels import seen, token

    with token(exchange) as (url, content):
        for worker, found in _everywhere(client, seen, url).items():
            if found != content:
                raise WorkbenchError(
                    f"worker {worker} does not see {exchange} as this machine does ({found}): name a place both can see"
                )


def _everywhere(client: Client, function: Callable[..., R], *arguments: object) -> dict[str, R]:
    """What a function returns on every worker; a worker without this package says so."""
    try:
        found: dict[str, R] = client.run(function, *arguments)
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


@contextmanager
def _terminable() -> Iterator[None]:
    """Let a polite kill (SIGTERM) end the work as Ctrl-C does: workers end, and no case is left in the exchange."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def _interrupts_stay_here() -> Iterator[None]:
    """Let Ctrl-C, which reaches the whole process group, be answered by this process alone: the workers end with it.

    Threads that begin here, and the processes that these start, now or for a worker that died, inherit the mask.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock the signal again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
