"""The settings that can be changed on the page AriadneMem: the paper's ablations in sight, thresholds and k behind More."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import streamlit as st

from workbench.ariadne.config import AriadneConfig
from workbench.ui.ariadne_state import DEFAULT

SWITCHES = {"gate": "Gate", "coarsening": "Coarsening", "bridges": "Bridges", "topology": "Topology"}
BOUNDS = DEFAULT.bounds


def switches() -> list[str]:
    """Draw a chip for each ablation of the paper; the parts that are on."""
    return st.pills(
        "Switched on",
        list(SWITCHES),
        selection_mode="multi",
        default=list(SWITCHES),
        format_func=SWITCHES.__getitem__,
        key="parts",
        bind="query-params",
        help="The paper's ablations. What a change does to the ranking stands under Ranks.",
    )


def more(on: Collection[str]) -> AriadneConfig:
    """Draw the sliders behind More; the settings with these parts ``on``."""
    words = "Cosine of a turn with its nearest earlier entry above which it counts as a repetition"
    near = st.slider("Gate: similarity", 0.3, 1.0, BOUNDS.gate, 0.01, key="gate_at", bind="query-params", help=words)
    hours = st.slider(
        "Gate: hours", 0.0, 48.0, DEFAULT.gate_hours, 0.5, key="hours", bind="query-params", help="A later repetition is kept"
    )
    words = "Cosine of two entries above which they merge or link"
    coarsen = st.slider("Coarsening: similarity", 0.3, 1.0, BOUNDS.coarsen, 0.01, key="merge_at", bind="query-params", help=words)
    words = "Share of the newer entry's keywords that the older must have for the two to merge; else they link"
    overlap = st.slider(
        "Coarsening: overlap", 0.0, 1.0, DEFAULT.coarsen_overlap, 0.05, key="overlap", bind="query-params", help=words
    )
    dense = st.slider("Entries of the dense leg", 1, 50, DEFAULT.k_sem, key="k_sem", bind="query-params")
    keyword = st.slider("Entries of the keyword leg", 0, 50, DEFAULT.k_lex, key="k_lex", bind="query-params")
    return replace(
        DEFAULT,
        gate_similarity=None if near == BOUNDS.gate else near,
        gate_hours=hours,
        coarsen_similarity=None if coarsen == BOUNDS.coarsen else coarsen,
        coarsen_overlap=overlap,
        k_sem=dense,
        k_lex=keyword,
        gate="gate" in on,
        coarsening="coarsening" in on,
        bridges="bridges" in on,
        topology="topology" in on,
    )


def undo() -> None:
    """Set everything back to the default settings; for callbacks."""
    st.session_state.update(
        parts=list(SWITCHES),
        gate_at=BOUNDS.gate,
        hours=DEFAULT.gate_hours,
        merge_at=BOUNDS.coarsen,
        overlap=DEFAULT.coarsen_overlap,
        k_sem=DEFAULT.k_sem,
        k_lex=DEFAULT.k_lex,
    )


def changes(config: AriadneConfig) -> list[str]:
    """What differs from the default settings, in words."""
    found = [f"{words.lower()} off" for name, words in SWITCHES.items() if not getattr(config, name)]
    numbers = (
        ("gate similarity", config.bounds.gate, BOUNDS.gate),
        ("gate hours", config.gate_hours, DEFAULT.gate_hours),
        ("coarsening similarity", config.bounds.coarsen, BOUNDS.coarsen),
        ("coarsening overlap", config.coarsen_overlap, DEFAULT.coarsen_overlap),
        ("dense leg", config.k_sem, DEFAULT.k_sem),
        ("keyword leg", config.k_lex, DEFAULT.k_lex),
    )
    return found + [f"{words} {now:g} (not {before:g})" for words, now, before in numbers if now != before]
