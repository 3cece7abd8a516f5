"""Adding data on the page Cases: demo, path, upload or typed turns, with a preview of what was recognised; load reports."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from workbench.datasets.read import detect, read
from workbench.errors import BadInput
from workbench.extract.base import extractors
from workbench.ingest import ingest
from workbench.records import Finding
from workbench.store import LoadReport
from workbench.ui import uploads
from workbench.ui.jobs import Job, is_running, jobs
from workbench.words import counted, visible

DEMO = Path(__file__).resolve().parents[2] / "data" / "demo"
EXTRACTOR = "rules"
PREVIEW_CASES = 20
PREVIEW_SECONDS = 3.0
"""A preview reads this many cases, or this long, and says that there are more (ours)."""
REMARKS = 5
"""Kinds of remarks of the extractor that a report shows (ours)."""
LOADING = "loading"
"""Where the progress of a load is drawn."""
DEMO_WORDS = "fourteen stories, and seven longer histories, six of which each show one effect"
WAYS = ("Demo", "Path", "Upload", "Type or paste")


@dataclass(frozen=True)
class Preview:
    """What was recognised in a file or folder. ``complete`` tells whether it was read to its end."""

    path: Path
    format: str
    cases: int = 0
    sessions: int = 0
    turns: int = 0
    questions: int = 0
    findings: tuple[Finding, ...] = ()
    complete: bool = True
    problem: str = ""


def preview(path: Path) -> Preview:
    """Read the beginning of a file or folder; what is wrong with it is told, not raised."""
    try:
        format = _format(path)
    except BadInput as error:
        return Preview(path, "", problem=str(error))
    end = time.monotonic() + PREVIEW_SECONDS
    cases = sessions = turns = questions = 0
    findings: list[Finding] = []
    complete, problem = True, ""
    try:
        for item in read(path):
            if isinstance(item, Finding):
                findings.append(item)
                continue
            if cases == PREVIEW_CASES or time.monotonic() > end:
                complete = False
                break
            cases += 1
            sessions += len(item.case.sessions)
            turns += sum(len(session.turns) for session in item.case.sessions)
            questions += len(item.case.questions)
            findings += item.findings
    except BadInput as error:
        problem = str(error)
    return Preview(path, format, cases, sessions, turns, questions, tuple(findings), complete, problem)


def _format(path: Path) -> str:
    """The format of a path; a folder that is not one history as a whole is read file by file."""
    try:
        return detect(path)
    except BadInput:
        if not path.is_dir():
            raise
        return "folder, each file by its own format"


# --- the form ---------------------------------------------------------------------------------------------------------------


def show(store: Path) -> None:
    """Draw the form; it starts a job that loads into ``store``."""
    way = st.segmented_control("Where from", WAYS, key="add-from", label_visibility="collapsed")
    paths: list[Path] = []
    if way == "Demo":
        st.caption(f"Twenty small cases written for this project: {DEMO_WORDS}.")
        paths = [DEMO]
    elif way == "Path":
        typed = st.text_input("File or folder on this machine", key="add-path", placeholder="../data/longmemeval_s.json").strip()
        st.caption(
            "Read in place, so the size does not matter. Formats: LongMemEval, LoCoMo, ATANT, chat exports, transcripts, notes."
        )
        paths = [Path(typed).expanduser()] if typed else []
    elif way == "Upload":
        uploaded = st.file_uploader("Files", accept_multiple_files=True, key="add-upload", label_visibility="collapsed")
        paths = [uploads.kept(file) for file in uploaded or []]
    elif way == "Type or paste":
        paths = _typed()
    if paths:
        _confirm(store, paths)


def _typed() -> list[Path]:
    name = st.text_input("Name of the case", value="my turns", key="add-name")
    text = st.text_area(
        "Turns",
        key="add-turns",
        height=180,
        placeholder="User: I signed up for a pottery class on Tuesdays.\nAssistant: Nice! Which studio?",
        help="One turn a line or more, each begun with User: or Assistant:",
    )
    if not text.strip():
        return []
    file = uploads.folder() / f"{re.sub(r'[^A-Za-z0-9 _-]+', '-', name).strip(' -')[:60] or 'typed'}.txt"
    file.write_text(text, encoding="utf-8", errors="replace")
    return [file]


@st.cache_data(max_entries=32, show_spinner="Looking at the beginning …")
def _cached_preview(path: str, state: tuple[int, int]) -> Preview:
    return preview(Path(path))


def _confirm(store: Path, paths: Sequence[Path]) -> None:
    """What was recognised, and the button that loads it."""
    seen = [_cached_preview(str(path), _state(path)) for path in paths]
    for one in seen:
        _show_preview(one)
    usable = [one.path for one in seen if one.cases]
    running = is_running(str(store))
    st.button(
        "Load",
        key="add-load",
        type="primary",
        icon=":material/download:",
        disabled=not usable or running,
        help="Another job is under way for this store." if running else None,
        on_click=start_load,
        args=(store, usable),
    )


def _state(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


def _show_preview(seen: Preview) -> None:
    with st.container(border=True, gap="xsmall"):
        st.text(visible(seen.path.name or str(seen.path)))
        if seen.format and seen.cases:
            least = "" if seen.complete else "at least "
            counts = {"case": seen.cases, "session": seen.sessions, "turn": seen.turns, "question": seen.questions}
            found = ", ".join(counted(count, noun) for noun, count in counts.items())
            st.markdown(f":material/check: Recognised as **{seen.format}**: {least}{found}")
        if seen.problem:
            st.markdown(
                ":material/error: **This can't be loaded as a whole**"
                if seen.cases
                else ":material/error: **This can't be loaded**"
            )
            st.text(without_folder(seen.problem, seen.path))
        if seen.findings:
            st.caption(f"{counted(len(seen.findings), 'finding')}: what would be repaired or set aside")
            show_findings(seen.findings, key=f"preview-{seen.path}")


def start_load(store: Path, paths: Sequence[Path]) -> None:
    """Begin to load files into a store, beside the pages."""

    def work(job: Job) -> LoadReport:
        # Under the name that the reader puts into its messages; the pages show what is behind the last slash.
        sources = [(str(path), read(path)) for path in paths]
        return ingest(sources, store, extractors[EXTRACTOR](), progress=job.advance)

    jobs().start("Loading", str(store), work, place=LOADING)


def without_folder(text: str, path: Path) -> str:
    """A message with a file's own name in place of its path: an upload lies in a folder that means nothing to its owner."""
    return text.replace(str(path), path.name) if path.name else text


# --- reports ----------------------------------------------------------------------------------------------------------------


def show_findings(findings: Sequence[Finding], key: str) -> None:
    """Findings as a table: level, file, position, reason."""
    rows = [
        {
            "level": f.level,
            "reason": visible(without_folder(f.reason, Path(f.file))),
            "position": f.position,
            "file": Path(f.file).name,
        }
        for f in findings
    ]
    widths = {"level": 95, "reason": 430, "position": 170, "file": 135}
    shape: Any = {name: st.column_config.TextColumn(width=width) for name, width in widths.items()}
    tall = 72 if any(len(row["reason"]) > 60 for row in rows) else 35  # from twice the usual height on, text is wrapped
    height = min(38 + tall * len(rows), 300)
    st.dataframe(pd.DataFrame(rows), hide_index=True, key=key, column_config=shape, height=height, row_height=tall)


def show_report(report: LoadReport, key: str) -> None:
    """A load report: what is in the store now, what was kept, mended and set aside."""
    counts = {"case": report.cases, "question": report.questions, "note": report.notes}
    stored = ", ".join(counted(count, noun) for noun, count in counts.items()) + " in the store"
    records = f"**{report.kept}** kept, **{report.repaired}** repaired, **{len(report.quarantined)}** quarantined"
    st.markdown(f"{stored}, in {report.seconds:.1f} s. Records: {records}.")
    remarks = sorted(report.remarks.items(), key=lambda item: -item[1])
    if remarks:
        more = [f"{counted(len(remarks) - REMARKS, 'other remark')}"] if len(remarks) > REMARKS else []
        st.text("\n".join([*(f"{remark}: {counted(count, 'note')}" for remark, count in remarks[:REMARKS]), *more]))
    findings = (*report.quarantined, *report.mended)
    if findings:
        show_findings(findings, key)


def show_earlier(reports: Sequence[LoadReport]) -> None:
    """Earlier load reports, newest first."""
    for report in islice(reports, 20):
        st.caption(f"{report.created:%Y-%m-%d %H:%M}, extractor {report.extractor}")
        st.text(", ".join(Path(file).name or file for file in report.files))
        show_report(report, f"report-{report.id}")
