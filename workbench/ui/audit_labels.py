"""Labels on the page Audit: read at once for a whole audit, saved one row a change, and kept on the page where saving failed."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from workbench.errors import StoreError
from workbench.labels.taxonomy import Cause, Taxonomy, change_taxonomy, give, taxonomy
from workbench.store import Label, labels_path, open_labels
from workbench.ui import access
from workbench.ui.audit_rows import MissKey
from workbench.ui.cached import WAIT_SECONDS, Stamp, stamp
from workbench.ui.label_form import analyst, name_analyst
from workbench.words import counted

_UNSAVED, _PROBLEM, _CAUSES = "audit-unsaved", "audit-label-problem", "audit-causes"
Change = dict[str, str]
"""Fields of a label (``label``, ``comment``, ``status``) with their new values."""


@dataclass(frozen=True)
class Known:
    """The taxonomy of now, and the newest label of every place and analyst in the store."""

    causes: Taxonomy
    labels: tuple[Label, ...]

    def of_cases(self, cases: Iterable[str]) -> list[Label]:
        """The labels on some cases."""
        wanted = frozenset(cases)
        return [label for label in self.labels if label.case in wanted]

    def own(self) -> dict[MissKey, Label]:
        """What this session's analyst says of gold notes under any method."""
        name = analyst()
        return {(each.case, each.question, each.note): each for each in self.labels if each.analyst == name and not each.method}


def known(store: Path) -> Known:
    """All labels of a store. Raises StoreError where they can't be read."""
    return _known(str(store), stamp(labels_path(store)))


@st.cache_data(max_entries=8, show_spinner=False)
def _known(store: str, state: Stamp) -> Known:
    with open_labels(store, read_only=True, wait_seconds=WAIT_SECONDS) as labels:
        return Known(taxonomy(labels), tuple(labels.current()))


# --- who labels -------------------------------------------------------------------------------------------------------------


def ask_analyst() -> None:
    """Draw the analyst's name; it stays for the session, on other pages too."""
    st.session_state["audit-analyst"] = analyst()
    st.text_input(
        "Analyst",
        key="audit-analyst",
        placeholder="your name, to label",
        on_change=lambda: name_analyst(st.session_state["audit-analyst"]),
        icon=":material/person:",
        width=230,
        disabled=access.person() is not None,
    )


# --- saving -----------------------------------------------------------------------------------------------------------------


def _all_unsaved() -> dict[tuple[str, MissKey], Change]:
    return st.session_state.setdefault(_UNSAVED, {})  # type: ignore[no-any-return]


def unsaved(store: Path) -> dict[MissKey, Change]:
    """Changes that could not be saved, which the page goes on to show."""
    return {key: change for (path, key), change in _all_unsaved().items() if path == str(store)}


def save(store: Path, changes: Mapping[MissKey, Change]) -> None:
    """Append a label for each change, from a callback. What can't be saved stays on the page, and why is told."""
    kept = _all_unsaved()
    for key, change in changes.items():
        kept[str(store), key] = kept.get((str(store), key), {}) | change
    st.session_state.pop(_PROBLEM, None)
    wanted = unsaved(store)
    try:
        if not analyst():
            raise ValueError("a label needs the analyst's name.")
        with open_labels(store, wait_seconds=WAIT_SECONDS) as labels:
            new = [_changed(labels.current(key[0], key[1], analyst()), key, change) for key, change in wanted.items()]
            give(labels, *(label for label in new if label is not None))
    except (StoreError, ValueError) as error:
        st.session_state[_PROBLEM] = str(error)
        return
    for key in wanted:
        del kept[str(store), key]


def _changed(current: Iterable[Label], key: MissKey, change: Change) -> Label | None:
    """The analyst's label of a place with a change in it; None where it says that already."""
    case, question, note = key
    now = datetime.now().replace(microsecond=0)
    old = next((label for label in current if label.place == (*key, "")), None)
    label = old or Label(case=case, question=question, note=note, analyst=analyst(), created=now)
    new = replace(label, **change)  # type: ignore[arg-type]
    return None if new == label else replace(new, created=now)


def retry(store: Path) -> None:
    """Save again what could not be saved, from a callback."""
    save(store, {})


def _forget(store: Path) -> None:
    for key in unsaved(store):
        del _all_unsaved()[str(store), key]
    st.session_state.pop(_PROBLEM, None)


def show_unsaved(store: Path) -> None:
    """What could not be saved and why, with a way to try again."""
    left = unsaved(store)
    if not left:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="unsaved-labels"):
        st.markdown(f":material/error: **{counted(len(left), 'label')} not saved**", width="content")
        st.text(st.session_state.get(_PROBLEM, ""), width="content")
        st.button("Try again", key="retry-labels", icon=":material/refresh:", on_click=retry, args=(store,))
        st.button("Drop", key="drop-labels", type="tertiary", on_click=_forget, args=(store,))


# --- the taxonomy -----------------------------------------------------------------------------------------------------------


def show_causes(store: Path, causes: Taxonomy) -> None:
    """Draw the causes as a table that can be edited; saving makes a new version, and labels keep their names."""
    version = f"version {causes.version}" if causes.version else "the workbench's own"
    st.caption(f"Causes a miss can have, {version}. The first nine are on the keys 1–9. Saved labels keep their words.")
    rows = pd.DataFrame([{"Cause": cause.name, "Meaning": cause.meaning} for cause in causes.causes])
    key = f"causes-{zlib.crc32(repr(causes).encode()):08x}"
    edited = st.data_editor(
        rows,
        key=key,
        num_rows="dynamic",
        hide_index=True,
        height=300,
        column_config={
            "Cause": st.column_config.TextColumn(width=170, required=True),
            "Meaning": st.column_config.TextColumn(width=330),
        },
    )
    st.button(
        "Save as a new version",
        key="save-causes",
        disabled=edited.equals(rows) or not analyst(),
        help=None if analyst() else "Name yourself as the analyst first.",
        on_click=_save_causes,
        args=(store, edited),
    )
    if problem := st.session_state.pop(_CAUSES, ""):
        st.text(f"Not saved: {problem}")


def _save_causes(store: Path, edited: pd.DataFrame) -> None:
    causes = [Cause(_text(row["Cause"]), _text(row["Meaning"])) for row in edited.to_dict("records")]
    try:
        with open_labels(store, wait_seconds=WAIT_SECONDS) as labels:
            change_taxonomy(labels, causes, analyst(), datetime.now().replace(microsecond=0))
    except (StoreError, ValueError) as error:
        st.session_state[_CAUSES] = str(error)


def _text(cell: Any) -> str:
    return "" if pd.isna(cell) else str(cell).strip()
