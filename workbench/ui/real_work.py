"""Work of the page REAL: reading a case's facts beside the pages, keeping them, and asking a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from workbench.chat.asking import Live
from workbench.chat.base import Asked, Endpoint
from workbench.errors import StoreError
from workbench.methods.real import RealConfig
from workbench.real.answering import answer_prompt, read_answer
from workbench.real.beam import Search
from workbench.real.case_facts import KIND, fact_graph, facts_of, read_rows, unread
from workbench.store import StoredRecordings
from workbench.ui.cached import OpenCase
from workbench.ui.case_states import keep, known
from workbench.ui.jobs import Job, jobs
from workbench.words import counted

READING, ASKING = "real-reading", "real-asking"
"""Where the progress of either work is drawn."""
BATCH = 24
"""Notes that are read between two looks at whether the reader still waits: about a second (ours)."""
SMALL = 60
"""Notes that are read on the spot, in a second or two (ours)."""


@dataclass(frozen=True)
class WasRead:
    """What a finished reading came to."""

    notes: int
    facts: int


@dataclass(frozen=True)
class WasAnswered:
    """A model's answer to one question of a case under some evidence."""

    case_key: str
    digest: str
    asked: Asked[str]


def read_now(path: Path, opened: OpenCase, config: RealConfig) -> str:
    """Read a small case on the spot; why nothing could be stored, or empty. The caller holds the case's lock."""
    with st.spinner("Reading the facts"):
        before = known(opened)
        facts_of(opened.memory, config)
    try:
        keep(path, opened, (KIND,), before)
    except StoreError as error:
        return str(error)
    return ""


def start_reading(path: Path, opened: OpenCase, config: RealConfig) -> None:
    """Begin to read the facts of a case beside the pages."""
    total = len(unread(opened.memory, config))
    job = jobs().start("Reading the facts", str(path), lambda job: read(path, opened, config, job), total, READING)
    job.unit = "note"


def read(path: Path, opened: OpenCase, config: RealConfig, job: Job) -> WasRead:
    """Read batch by batch, so that it can be stopped, and store what was read; what is stored stays when it is stopped."""
    before = known(opened)
    waiting = unread(opened.memory, config)
    try:
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            with opened.lock:
                read_rows(opened.memory, config, batch)
            job.advance(start + len(batch), batch[-1].id)
        with opened.lock:
            found = facts_of(opened.memory, config)
            fact_graph(opened.memory, config, config.theta_stable, config.embeddings).vectors()
    finally:
        keep(path, opened, (KIND,), before)
    return WasRead(len(waiting), len(found))


def is_reading(store: str) -> bool:
    """Whether facts of some case of a store are being read."""
    job = jobs().of(store)
    return job is not None and job.place == READING and not job.future.done()


def start_asking(path: Path, case_key: str, question_id: str, found: Search) -> None:
    """Begin to ask the configured model; what is recorded for the same evidence is not asked again."""
    prompt = answer_prompt(case_key, question_id, found)

    def work(job: Job) -> WasAnswered:
        asked = Live(Endpoint(), StoredRecordings(path)).ask(prompt, read_answer)
        job.advance(1, case_key)
        return WasAnswered(case_key, prompt.digest, asked)

    job = jobs().start("Answer from the evidence", str(path), work, 1, ASKING)
    job.unit = "answer"


def describe_reading(result: WasRead) -> None:
    """What the finished reading came to."""
    st.caption(f"{counted(result.notes, 'note')} read; the case states {counted(result.facts, 'fact')}.")
