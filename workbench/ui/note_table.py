"""Tables of entries whose rows open the note that they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from workbench.ui import context

TEXT_WIDTH = 420


def note_table(
    rows: Sequence[Mapping[str, Any]],
    notes: Sequence[str],
    key: str,
    alt: str,
    *,
    height: int = 420,
    columns: Mapping[str, Any] | None = None,
) -> None:
    """Draw rows of equal keys; choosing one opens its note beside the page. ``notes`` holds a note id a row."""
    chosen = context.current().note_id
    held = st.session_state.get(key) or {"selection": {"rows": []}}
    at = next(iter(held["selection"]["rows"]), None)
    if at is None or at >= len(notes) or notes[at] != chosen:
        st.session_state[key] = {"selection": {"rows": [notes.index(chosen)] if chosen in notes else []}}

    def pick() -> None:
        picked = st.session_state[key]["selection"]["rows"]
        context.select(note=notes[picked[0]] if picked else "")

    st.dataframe(
        pd.DataFrame(list(rows)),
        key=key,
        on_select=pick,
        selection_mode="single-row",
        hide_index=True,
        height=height if len(rows) > 10 else "content",
        placeholder="",
        column_config={"Text": st.column_config.TextColumn(width=TEXT_WIDTH)} | dict(columns or {}),
        alt=alt,
    )
