"""Ranks as small cells: from a run's reciprocal ranks to a text and a colour; and in words which run they come from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, get_args

import pandas as pd
import streamlit as st

from workbench import colours
from workbench.methods.base import methods as registered
from workbench.settings import Profile, configure
from workbench.store import Cells, RunRow
from workbench.words import counted

Ranks = dict[tuple[str, str], dict[str, int | None]]
"""(case key, question id) -> {method: rank of the first gold item, or None where none was found}."""

MISS = 1_000_000
"""Stands for a miss where ranks are sorted: behind every rank."""
NOT_RUN = MISS + 1
"""Stands for a method or a case that the run has not."""
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


def value(found: Mapping[str, int | None], method: str, is_run: bool) -> int | None:
    """A cell's number: the rank, MISS, NOT_RUN, or nothing for a question that takes no part.

    ``is_run`` tells whether the run has this method and this case.
    """
    return NOT_RUN if not is_run else (found[method] or MISS) if method in found else None


def text(cell: Any) -> str:
    """What a cell shows: the rank, ``miss``, ``not run``, or nothing."""
    return "" if pd.isna(cell) else {MISS: "miss", NOT_RUN: "not run"}.get(cell, f"{cell:.0f}")


def style(cell: Any) -> str:
    """A cell's colours as CSS: the stronger, the better the rank; a miss in another hue, and in words."""
    theme: colours.Theme = "dark" if st.context.theme.type == "dark" else "light"
    if pd.isna(cell) or cell == NOT_RUN:
        return f"background-color: {colours.PANEL[theme]}; color: {colours.MUTED[theme]}"
    if cell == MISS:
        background, colour = _NOTHING[theme]
    else:
        background, colour = next((pair for limit, pair in _SCALE[theme].items() if cell <= limit), _LATE[theme])
    return f"background-color: {background}; color: {colour}"


# --- which run --------------------------------------------------------------------------------------------------------------


def run_name(run: RunRow) -> str:
    """A run in a list: its moment, its name, and the end of its id, which tells apart what is made in one second."""
    return " · ".join(part for part in (f"{run.created:%Y-%m-%d %H:%M:%S}", run.name, run.id.rpartition("-")[2]) if part)


def run_line(run: RunRow) -> str:
    """What a run is: its moment, name, cases, and methods with the settings that are not the default ones."""
    named = [run.name] if run.name else []
    made = [
        f"{name}{f' ({changed})' if (changed := changed_settings(name, run.config.get(name, {}))) else ''}"
        for name in run.methods
    ]
    return " · ".join([f"{run.created:%Y-%m-%d %H:%M}", *named, counted(run.cases, "case"), ", ".join(made)])


def changed_settings(method: str, config: Mapping[str, Any]) -> str:
    """How a stored configuration differs from the default one: a profile's name, or ``field=value``; empty where it does not."""
    if method not in registered:
        return ""
    kind = registered[method].Config
    profiles = {profile: _stored(asdict(configure(kind, profile))) for profile in get_args(Profile)}
    given = profiles["default"] | _stored(config)
    same = next((profile for profile, values in profiles.items() if values == given), None)
    if same is not None:
        return "" if same == "default" else f"profile {same}"
    return ", ".join(f"{name}={value}" for name, value in given.items() if value != profiles["default"].get(name))


def _stored(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration as a store gives it back: tuples are lists."""
    return dict(json.loads(json.dumps(config)))
