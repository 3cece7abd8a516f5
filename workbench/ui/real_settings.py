"""The settings that can be changed on the page REAL: the ablations in sight, thresholds and widths behind More."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from workbench.methods.real import RealConfig
from workbench.ui.real_state import DEFAULT, SWITCHES

NUMBERS = {"theta_stable": ("theta", "θ_stable"), "beam_width": ("width", "beam width"), "depth": ("depth", "depth")}
"""Numbers that can be changed: their key on the page and in the URL, and their words."""


def switches() -> dict[str, bool]:
    """Draw a chip for each part that an ablation takes away; which parts are on."""
    on = st.pills(
        "Switched on",
        list(SWITCHES),
        selection_mode="multi",
        default=list(SWITCHES),
        format_func=lambda name: SWITCHES[name].capitalize(),
        key="uses",
        bind="query-params",
        help="The ablations. What a change does to the ranking stands under Ranks.",
    )
    return {name: name in on for name in SWITCHES}


def more() -> RealConfig:
    """Draw the sliders behind More; the settings with all parts on."""
    theta = st.slider(
        "θ_stable: least confidence",
        0.0,
        1.0,
        DEFAULT.theta_stable,
        0.05,
        key="theta",
        bind="query-params",
        help="A fact below it is tentative: it closes nothing, and the search leaves it out.",
    )
    width = st.slider(
        "Beam width", 1, 50, DEFAULT.beam_width, key="width", bind="query-params", help="Paths that are kept in a step"
    )
    depth = st.slider("Depth", 1, 5, DEFAULT.depth, key="depth", bind="query-params", help="Edges of a path, at most")
    return replace(DEFAULT, theta_stable=theta, beam_width=width, depth=depth)


def changes(config: RealConfig) -> list[str]:
    """The settings that are not the default ones, in words."""
    off = [f"without {words}" for name, words in SWITCHES.items() if not getattr(config, name)]
    return off + [
        f"{words} {getattr(config, name):g} (default {getattr(DEFAULT, name):g})"
        for name, (_, words) in NUMBERS.items()
        if getattr(config, name) != getattr(DEFAULT, name)
    ]


def undo() -> None:
    """Set everything back to the default settings; for callbacks."""
    st.session_state["uses"] = list(SWITCHES)
    for name, (key, _) in NUMBERS.items():
        st.session_state[key] = getattr(DEFAULT, name)
