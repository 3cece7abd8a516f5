"""Repair searches and the following of other questions: at once where they are short, else beside the page.

What runs beside the page works on a memory of its own, so that the page, and other visitors of the case, need not wait for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from workbench.diagnose.edits import Edit
from workbench.diagnose.repair import Effect, Progress, Search, collateral, search
from workbench.errors import WorkbenchError
from workbench.memory import Memory
from workbench.ui.cached import OpenCase
from workbench.ui.diagnose_view import Shown, made
from workbench.ui.jobs import Job, Jobs, Stopped
from workbench.words import counted

AT_ONCE = 60
"""Notes up to which repairs are searched without asking (ours): 42 notes take about 0.3 s."""
QUERIES_AT_ONCE = 100
"""Questions times methods up to which others are followed without asking (ours): about 0.3 s at 300 notes."""


@st.cache_resource(show_spinner=False)
def _works() -> Jobs:
    """Apart from runs and loads, which take minutes."""
    return Jobs()


# --- repairs ----------------------------------------------------------------------------------------------------------------


def repairs(shown: Shown) -> Search | None:
    """The repairs of the note; where that takes longer, a button that begins the search, and None until it is done.

    The caller holds the memory's lock.
    """
    if len(shown.memory) <= AT_ONCE:
        return _searched(shown.opened, shown.about, shown)[1]

    def work(own: Memory, job: Job) -> Search:
        def tell(done: int, total: int) -> None:
            job.total = total
            job.advance(done, "")

        return _search(own, shown, tell)

    found = _beside(shown, "repair", "Search repairs", "edit", 0, work)
    return found if isinstance(found, Search) else None


@st.cache_resource(max_entries=32, show_spinner="Searching repairs", hash_funcs={OpenCase: id})
def _searched(opened: OpenCase, about: tuple[Any, ...], _shown: Shown) -> tuple[OpenCase, Search]:
    return opened, _search(opened.memory, _shown)


def _search(memory: Memory, shown: Shown, progress: Progress | None = None) -> Search:
    methods = made(shown.asked, shown.profile, memory)
    return search(memory, shown.question, shown.note_id, methods, shown.k, progress=progress)


# --- other questions --------------------------------------------------------------------------------------------------------


def effects(shown: Shown, edits: tuple[Edit, ...]) -> Sequence[Effect] | None:
    """What edits do to the other questions of the case; where that takes longer, a button, and None until it is done.

    The caller holds the memory's lock.
    """
    if len(shown.others) * len(shown.asked) <= QUERIES_AT_ONCE:
        return _followed(shown.opened, shown.about, edits, shown)[1]

    def work(own: Memory, job: Job) -> tuple[Effect, ...]:
        found: list[Effect] = []
        for done, (name, method) in enumerate(made(shown.asked, shown.profile, own).items()):
            job.advance(done, name)
            found += collateral(own, edits, {name: method}, shown.others)
        return tuple(found)

    words = f"Follow the other {counted(len(shown.others), 'question')}"
    found = _beside(shown, f"others {edits!r}", words, "method", len(shown.asked), work)
    return found if isinstance(found, tuple) else None


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs={OpenCase: id})
def _followed(
    opened: OpenCase, about: tuple[Any, ...], edits: tuple[Edit, ...], _shown: Shown
) -> tuple[OpenCase, tuple[Effect, ...]]:
    return opened, collateral(opened.memory, edits, made(_shown.asked, _shown.profile, opened.memory), _shown.others)


# --- beside the page --------------------------------------------------------------------------------------------------------


def _beside(shown: Shown, what: str, label: str, unit: str, total: int, work: Callable[[Memory, Job], Any]) -> Any:
    """The result of work that was asked for; else its progress or a button that begins it, and None."""
    key = hashlib.sha256(repr((shown.opened.identity, shown.about, what)).encode()).hexdigest()[:16]
    job = _works().of(key)

    def begin() -> None:
        with shown.opened.lock:
            own = _own(shown.memory)
        _works().start(label, key, lambda job: work(own, job), total)

    if job is not None and not job.future.done():
        _watch(key, unit)
        return None
    error = job.future.exception() if job is not None else None
    if job is not None and error is None:
        return job.future.result()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(label, key=f"begin-{key}", icon=":material/build:", on_click=begin)
        if isinstance(error, Stopped):
            st.caption("It was stopped.", width="content")
        elif error is not None:
            st.text(f"It failed: {error if isinstance(error, WorkbenchError) else repr(error)}")
    return None


def _own(memory: Memory) -> Memory:
    """A copy that nobody else reads, with the word counts that are known."""
    own = memory.edited({})
    own.base = memory.base.edited({}) if memory.base is not None else None
    return own


@st.fragment(run_every=0.5)
def _watch(key: str, unit: str) -> None:
    job = _works().of(key)
    if job is None or job.future.done():
        st.rerun(scope="app")
    far = f"{job.done} of {counted(job.total, unit)}" if job.total else "starting …"
    st.progress(min(1.0, job.done / job.total) if job.total else 0.0, f"{job.title}: {far}")
    st.button("Stop", key=f"stop-{key}", icon=":material/stop_circle:", on_click=job.stop, disabled=job.is_stopping)
