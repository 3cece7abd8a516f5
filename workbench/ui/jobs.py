"""Work that takes longer than a page may: it runs beside the pages, tells how far it is, and can be stopped.

Jobs belong to the app, not to a visitor: who reloads the page finds them again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.words import counted


class Stopped(WorkbenchError):
    """The visitor stopped the job, or the app is shutting down."""


@dataclass
class Job:
    """A piece of work under way.

    ``total`` is 0 where it is not known beforehand; ``place`` is where on a page it is drawn. ``unit`` is what is counted, and
    ``told`` what else is said of how far it is, such as its cost.
    """

    title: str
    store: str
    total: int = 0
    place: str = ""
    unit: str = "case"
    told: str = ""
    done: int = 0
    last: str = ""
    future: Future[Any] = field(default_factory=Future)
    _stop: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        """Ask the job to end; it does at its next step."""
        self._stop.set()

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set()

    def advance(self, done: int, name: str) -> None:
        """The progress callback that is handed to the core; raises Stopped where the job is to end."""
        self.done, self.last = done, name
        self.check()

    def check(self) -> None:
        """Raises Stopped where the job is to end; for steps too small to be told of."""
        # The interpreter waits for this thread before it ends, so a job must notice that the app is going.
        if self._stop.is_set() or not threading.main_thread().is_alive():
            raise Stopped(f"stopped after {counted(self.done, self.unit)}; what was stored until then stays")


class Jobs:
    """The app's jobs, one after another: they share two cores with the pages."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "job")
        self._by_store: dict[str, Job] = {}

    def start(self, title: str, store: str, work: Callable[[Job], Any], total: int = 0, place: str = "") -> Job:
        """Begin a job, in place of the finished one of its store.

        Where one is still under way, that one is returned and nothing begins: a button was clicked twice.
        """
        current = self._by_store.get(store)
        if current is not None and not current.future.done():
            return current
        job = Job(title, store, total, place)
        self._by_store[store] = job
        job.future = self._pool.submit(work, job)
        return job

    def of(self, store: str) -> Job | None:
        """The job of a store that is under way, or the last one that ended; None where there was none or it was dismissed."""
        return self._by_store.get(store)

    def dismiss(self, store: str) -> None:
        """Forget a job that has ended."""
        job = self._by_store.get(store)
        if job is not None and job.future.done():
            del self._by_store[store]


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """The one list of jobs of this app."""
    return Jobs()


@st.fragment(run_every=0.7)
def _watch(store: str) -> None:
    job = jobs().of(store)
    if job is None or job.future.done():
        st.rerun(scope="app")
    share = min(1.0, job.done / job.total) if job.total else 0.0
    far = "starting …"
    if job.done:
        far = f"{job.done} of {counted(job.total, job.unit)}" if job.total else counted(job.done, job.unit)
    st.progress(share, f"{job.title}: {far}{job.told and f', {job.told}'}")
    label = "Stopping …" if job.is_stopping else "Stop"
    st.button(label, key="stop-job", icon=":material/stop_circle:", on_click=job.stop, disabled=job.is_stopping)


def show_job(store: str, describe: Callable[[Any], None], place: str = "") -> None:
    """Draw the store's job: its progress, or what became of it; ``describe`` draws the result of one that was done.

    Nothing where there is none, or where it belongs to another ``place`` of the page: progress is told where it was started.
    """
    job = jobs().of(store)
    if job is None or job.place != place:
        return
    with st.container(border=True, key="job", gap="small"):
        if not job.future.done():
            _watch(store)
            return
        error = job.future.exception()
        with st.container(horizontal=True, vertical_alignment="center"):
            if error is None:
                st.markdown(f":material/check_circle: **{job.title}** is done", width="content")
            elif isinstance(error, Stopped):
                st.markdown(f":material/stop_circle: **{job.title}** was stopped", width="content")
            else:
                st.markdown(f":material/error: **{job.title}** failed", width="content")
            st.space("stretch")
            st.button(
                "Dismiss", key="dismiss-job", icon=":material/close:", type="tertiary", on_click=jobs().dismiss, args=(store,)
            )
        if error is None:
            describe(job.future.result())
        else:
            st.text(str(error) if isinstance(error, WorkbenchError) else f"{type(error).__name__}: {error}")


def is_running(store: str) -> bool:
    """Whether a job of the store is under way."""
    job = jobs().of(store)
    return job is not None and not job.future.done()
