"""Work of the page AriadneMem: reading a case's turns beside the pages, keeping what was read, and asking a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.index import DECIDED, READ, index_of, read_entries, unread
from workbench.ariadne.query import QueryTrace
from workbench.ariadne.synthesis import Synthesis, synthesise
from workbench.chat.asking import Live
from workbench.chat.base import Endpoint
from workbench.errors import StoreError
from workbench.store import StoredRecordings
from workbench.ui.cached import OpenCase
from workbench.ui.case_states import keep, known
from workbench.ui.jobs import Job, jobs
from workbench.ui.node_panel import plain
from workbench.words import counted

READING, ASKING = "ariadne-reading", "ariadne-asking"
"""Where the progress of either work is drawn."""
BATCH = 24
"""Notes that are read between two looks at whether the reader still waits: about a second (ours)."""


@dataclass(frozen=True)
class WasRead:
    """What a finished job came to."""

    case_key: str
    notes: int
    entries: int


@dataclass(frozen=True)
class WasAnswered:
    """A model's answer to one question of a case; None where it gave nothing."""

    case_key: str
    query: str
    synthesis: Synthesis | None


def read_now(path: Path, opened: OpenCase, config: AriadneConfig) -> str:
    """Read a small case on the spot; why nothing could be stored, or empty. The caller holds the case's lock."""
    with st.spinner("Reading the turns"):
        before = known(opened)
        index_of(opened.memory, config)
    try:
        keep(path, opened, (READ, DECIDED), before)
    except StoreError as error:
        return str(error)
    return ""


def start_reading(path: Path, opened: OpenCase, config: AriadneConfig) -> None:
    """Begin to read the turns of a case beside the pages."""
    total = len(unread(opened.memory, config))
    job = jobs().start("Reading the turns", str(path), lambda job: read(path, opened, config, job), total, READING)
    job.unit = "note"


def is_reading(store: str) -> bool:
    """Whether turns of some case of a store are being read."""
    job = jobs().of(store)
    return job is not None and job.place == READING and not job.future.done()


def read(path: Path, opened: OpenCase, config: AriadneConfig, job: Job) -> WasRead:
    """Read batch by batch, so that it can be stopped, and store what was read."""
    before = known(opened)
    waiting = unread(opened.memory, config)
    try:
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            with opened.lock:
                read_entries(opened.memory, config, batch)
            job.advance(start + len(batch), batch[-1].id)
        with opened.lock:
            nodes = index_of(opened.memory, config).nodes
    finally:
        keep(path, opened, (READ, DECIDED), before)
    return WasRead(opened.case.key, len(waiting), len(nodes))


def start_asking(path: Path, case_key: str, question_id: str, trace: QueryTrace) -> None:
    """Begin to ask the configured model; what is recorded for the same evidence is not asked again."""

    def work(job: Job) -> WasAnswered:
        asker = Live(Endpoint(), StoredRecordings(path))
        found = synthesise(trace, case_key, question_id or trace.text, asker)
        job.advance(1, case_key)
        return WasAnswered(case_key, trace.text, found)

    job = jobs().start("Answer from the evidence", str(path), work, 1, ASKING)
    job.unit = "answer"


def describe_reading(result: WasRead) -> None:
    """What the finished reading came to."""
    read = f"{counted(result.notes, 'note')} of {plain(result.case_key)} read"
    st.caption(f"{read}; {result.entries:,} entries stand after gate and coarsening.")
