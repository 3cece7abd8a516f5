"""Ranks as small cells: from a run's reciprocal ranks to a text and a colour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from workbench.store import Cells
from workbench.ui import colours

Ranks = dict[tuple[str, str], dict[str, int | None]]
"""(case key, question id) -> {method: rank of the first gold item, or None where none was found}."""

MISS = 1_000_000
"""Stands for a miss where ranks are sorted: behind every rank."""
_SCALE = {
    "light": {1: ("#0a4d86", "#ffffff"), 5: ("#7fb2dc", "#1c2330"), 10: ("#cfe3f3", "#1c2330")},
    "dark": {1: ("#8fc7f2", "#14171c"), 5: ("#2f74ad", "#ffffff"), 10: ("#1f3f5c", "#e6e9ee")},
}
_LATE = {"light": ("#eef0f3", "#4a5361"), "dark": ("#2a3039", "#b4bdca")}
_NOTHING = {"light": ("#f7ddd3", "#7a2500"), "dark": ("#4a2417", "#ffb795")}


def ranks(cells: Cells) -> Ranks:
    """Ranks from reciprocal ranks, over sessions or notes as the benchmark is judged. Methods without a value are left out."""
    return {
        key: {method: round(1 / value) if value else None for method, value in found.items() if value is not None}
        for key, found in cells.items()
    }


def is_hit(rank: int | None, depth: int) -> bool:
    """Whether a rank is among the first ``depth``."""
    return rank is not None and rank <= depth


def value(found: Mapping[str, int | None], method: str) -> int | None:
    """A cell's number: the rank, MISS, or nothing where the method was not run."""
    return (found[method] or MISS) if method in found else None


def text(cell: Any) -> str:
    """What a cell shows: the rank, ``miss``, or nothing."""
    return "" if pd.isna(cell) else "miss" if cell == MISS else f"{cell:.0f}"


def style(cell: Any) -> str:
    """A cell's colours as CSS: the stronger, the better the rank; a miss in another hue, and in words."""
    theme: colours.Theme = "dark" if st.context.theme.type == "dark" else "light"
    if pd.isna(cell):
        return f"background-color: {colours.PANEL[theme]}"
    if cell == MISS:
        background, colour = _NOTHING[theme]
    else:
        background, colour = next((pair for limit, pair in _SCALE[theme].items() if cell <= limit), _LATE[theme])
    return f"background-color: {background}; color: {colour}"
