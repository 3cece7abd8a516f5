"""The tab Export: the report, the rows, and labels out to a file and in again."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.diagnose.audit import NoteRow
from workbench.diagnose.report import ROW_FIELDS, note_rows
from workbench.diagnose.report_html import report_html
from workbench.errors import BadInput, StoreError
from workbench.labels.exchange import export_labels, import_labels
from workbench.labels.summary import labels_json, labels_of
from workbench.store import Label, open_labels
from workbench.table_files import ENDINGS, write_rows
from workbench.ui import access
from workbench.ui.audit_queue import Queue
from workbench.ui.audit_rows import is_wanted, lost_rows
from workbench.ui.audit_work import Kept
from workbench.ui.cached import WAIT_SECONDS
from workbench.words import counted

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

_SAID = "audit-import-said"
_NAMES = {".csv": "CSV", ".parquet": "Parquet", ".json": "JSON lines"}


def show(queue: Queue, labels: Sequence[Label]) -> None:
    """Draw the downloads and the import. ``labels`` are the current ones on the audited cases."""
    kept, name = queue.kept, f"audit-{'-'.join(queue.kept.request.benchmarks)}"
    st.markdown("**Report**")
    st.caption("One page with every table, the labels and the misses. It opens without a network.")
    _download("Report (HTML)", lambda: report(kept, labels).encode(), f"{name}.html", "report")
    st.markdown("**Rows**")
    every, left = kept.found.notes, filtered(queue)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        which = st.segmented_control(
            "Which rows",
            ["all", "filter"],
            default="all",
            format_func={
                "all": f"All {counted(len(every), 'row')}",
                "filter": f"{counted(len(left), 'row')} of the queue's filter",
            }.__getitem__,
            key="export-which",
            required=True,
        )
        chosen = left if which == "filter" else every
        for ending, word in _NAMES.items():
            _download(word, partial(rows_file, kept, chosen, labels, ending), f"{name}{ending}", f"rows{ending}")
    st.caption("A row for each gold note under each method and extraction, with the labels on it; hits are among all rows.")
    _labels(queue, labels)


def filtered(queue: Queue) -> list[NoteRow]:
    """The missed rows that the queue's filter leaves."""
    return [
        row
        for miss in queue.kept.misses
        if is_wanted(miss, queue.wanted, queue.facts)
        for row in lost_rows(miss, queue.wanted, queue.facts)
    ]


def _download(label: str, data: Callable[[], bytes], name: str, key: str) -> None:
    st.download_button(
        label,
        data,
        file_name=name,
        mime="application/octet-stream",
        key=f"export-{key}",
        icon=":material/download:",
        on_click="ignore",
    )


# --- report and rows --------------------------------------------------------------------------------------------------------


def _labelled(found: Sequence[NoteRow], kept: Kept, labels: Sequence[Label]) -> list[dict[str, Any]]:
    rows = note_rows(replace(kept.found, notes=tuple(found)))
    return [row | {"labels": given} for row, given in zip(rows, labels_of(rows, labels), strict=True)]


def result_of(kept: Kept, labels: Sequence[Label]) -> dict[str, Any]:
    """The audit's tables and its labels, as ``workbench audit --json`` has them."""
    return kept.result | {"labels": labels_json(labels)}


def report(kept: Kept, labels: Sequence[Label]) -> str:
    """The report, as ``workbench audit --out`` writes it."""
    rows = _labelled(kept.found.notes, kept, labels)
    return report_html(result_of(kept, labels), [row for row in rows if not row["is_found"]])


def rows_file(kept: Kept, found: Sequence[NoteRow], labels: Sequence[Label], ending: str) -> bytes:
    """Rows as a file, as ``workbench audit --rows`` writes it."""
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        file = Path(folder) / f"rows{ending}"
        write_rows(_labelled(found, kept, labels), (*ROW_FIELDS, "labels"), file)
        return file.read_bytes()


# --- labels -----------------------------------------------------------------------------------------------------------------


def _labels(queue: Queue, labels: Sequence[Label]) -> None:
    st.markdown("**Labels**")
    with st.container(horizontal=True):
        for ending, word in _NAMES.items():
            _download(word, partial(labels_file, queue.path, ending), f"labels{ending}", f"labels{ending}")
    analysts = len({label.analyst for label in labels})
    st.caption(
        f"{counted(len(labels), 'current label')} by {counted(analysts, 'analyst')} on these cases. The file has the whole "
        "store's, with their history."
    )
    given = st.file_uploader("Import labels", type=[ending[1:] for ending in ENDINGS], key="labels-file", width=420)
    st.button("Add them", key="import-labels", disabled=given is None, on_click=_import, args=(queue.path, given))
    if said := st.session_state.pop(_SAID, ""):
        st.text(said)


def labels_file(store: Path, ending: str) -> bytes:
    """All labels of a store with their history as a file, as ``workbench labels export`` writes it."""
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        file = Path(folder) / f"labels{ending}"
        with open_labels(store, read_only=True, wait_seconds=WAIT_SECONDS) as labels:
            export_labels(labels, file)
        return file.read_bytes()


def _import(store: Path, given: UploadedFile) -> None:
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        file = Path(folder) / f"labels{Path(given.name).suffix.lower()}"
        file.write_bytes(given.getvalue())
        try:
            with open_labels(store, wait_seconds=WAIT_SECONDS) as labels:
                count = import_labels(labels, file, access.labels_as("") if access.rules() else None)
                st.session_state[_SAID] = f"{counted(count, 'new label')} added."
        except (BadInput, StoreError) as error:
            st.session_state[_SAID] = f"Nothing was added: {str(error).replace(str(file), given.name)}"
