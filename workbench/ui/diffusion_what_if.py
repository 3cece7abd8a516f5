"""What if, on the page Diffusion: sliders, switches and seeds, and the ranks before and after."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from workbench.colours import GOLD_MARK
from workbench.graph import EDGE_KINDS
from workbench.methods.adaptive import AdaptiveConfig
from workbench.spread import WhatIf
from workbench.ui.diffusion_state import DEFAULT, Shown, change, starting
from workbench.ui.diffusion_view import (
    kind_of,
    move,
    move_rows,
    name_of,
)
from workbench.ui.graph_view import WORD
from workbench.ui.node_panel import plain
from workbench.ui.note_view import short_title
from workbench.words import counted

CHIPS = 14
"""Seeds that have a switch, the largest first; the others are counted."""


MAX_ALPHA = 0.95
"""Most of alpha on this page: at 0.99 the iteration takes over 2,000 steps."""


EDGE_WORDS = {
    "tag_topic": "Tag – topic",
    "topic_file": "Topic – note",
    "similarity": "Similar topics",
    "ontology": "Broader – narrower",
    "instance": "Tag – concept",
    "chronological": "Time order",
}


SWITCHES = {"diffusion": "Diffusion", "chronological": "Time order", "file_seeding": "Note seeds"}
"""The components that the paper's ablation switches off (TAGGRAPH 5.1)."""


def controls() -> AdaptiveConfig:
    """The changed configuration; what is left alone stays out of the URL."""
    st.markdown("**What if** · all of the page follows, and the ranks are compared with the unchanged run")
    alpha_at, share_at = st.columns(2, gap="medium")
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with alpha_at:
        words = "How much of the mass goes on along the edges at each step; the rest restarts at the seeds."
        alpha = st.slider(
            "alpha", 0.0, MAX_ALPHA, DEFAULT.alpha, 0.01, key="alpha", bind="query-params", on_change=change, help=words
        )
    with share_at:
        words = "How much of the restart goes to notes that hold the question's words, the rest to tags."
        share = st.slider(
            "Share of the seeds on notes",
            0.0,
            1.0,
            DEFAULT.file_seed_share,
            0.05,
            key="share",
            bind="query-params",
            on_change=change,
            help=words,
        )
    with row:
        on = st.pills(
            "Switched on",
            list(SWITCHES),
            selection_mode="multi",
            default=list(SWITCHES),
            format_func=SWITCHES.__getitem__,
            key="on",
            bind="query-params",
            on_change=change,
        )
    with row, st.popover("Edges", icon=":material/polyline:", key="edges-diffusion"):
        direction = st.segmented_control(
            "Direction",
            ["symmetric", "directed"],
            default=DEFAULT.direction,
            format_func={"symmetric": "Both ways", "directed": "Tag to topic to note"}.__getitem__,
            key="direction",
            bind="query-params",
            on_change=change,
            required=True,
        )
        weights = {f"weight_{kind}": _weight_slider(kind) for kind in EDGE_KINDS}
    switches = {name: name in on for name in SWITCHES}
    values: dict[str, Any] = {"alpha": alpha, "file_seed_share": share, "direction": direction, **switches, **weights}
    return replace(DEFAULT, **values)


def _weight_slider(kind: str) -> float:
    standard = float(getattr(DEFAULT, f"weight_{kind}"))
    words = "Factor on the weight of these edges; 0 leaves them out"
    return st.slider(
        EDGE_WORDS[kind], 0.0, 3.0, standard, 0.25, key=f"w_{kind}", bind="query-params", on_change=change, help=words
    )


def changes(shown: Shown) -> list[str]:
    """What differs from the unchanged run, in words."""
    config = shown.config
    found = []
    if config.alpha != DEFAULT.alpha:
        found.append(f"alpha {config.alpha:g} (not {DEFAULT.alpha:g})")
    if config.file_seed_share != DEFAULT.file_seed_share:
        found.append(f"{config.file_seed_share:.0%} of the seeds on notes (not {DEFAULT.file_seed_share:.0%})")
    found += [f"{words.lower()} off" for name, words in SWITCHES.items() if not getattr(config, name)]
    if config.direction != DEFAULT.direction:
        found.append("edges one way")
    for kind in EDGE_KINDS:
        if config.edge_weights[kind] != DEFAULT.edge_weights[kind] and (config.chronological or kind != "chronological"):
            found.append(f"{EDGE_WORDS[kind].lower()} × {config.edge_weights[kind]:g}")
    if shown.muted:
        found.append(f"{counted(len(shown.muted), 'seed')} off")
    return found


def undo() -> None:
    """Set everything back to the unchanged run."""
    st.session_state.update(
        alpha=DEFAULT.alpha,
        share=DEFAULT.file_seed_share,
        on=list(SWITCHES),
        direction=DEFAULT.direction,
        **{f"w_{kind}": float(getattr(DEFAULT, f"weight_{kind}")) for kind in EDGE_KINDS},
    )
    change(mute=())


def seed_chips(shown: Shown) -> None:
    """A switch for each of the largest seeds, and for any that is off."""
    every = starting(shown.seeds)
    if not every:
        return
    listed = [node for at, node in enumerate(every) if at < CHIPS or node in shown.muted]
    spread, memory = shown.seeds.traced.spread, shown.opened.memory
    mass = dict(zip(spread.graph.node_ids, spread.seeds.mass.tolist(), strict=True))

    def words(node: str) -> str:
        name = " ".join(name_of(node, memory).split())
        short = name if len(name) <= 30 else name[:29] + "…"
        return plain(f"{WORD[kind_of(node)]} {short} {mass[node]:.0%}")

    key = f"seeds-{hashlib.sha256(repr(listed).encode()).hexdigest()[:16]}"
    st.session_state[key] = [node for node in listed if node not in shown.muted]

    def switched() -> None:
        change(mute=tuple(node for node in listed if node not in st.session_state[key]))

    st.pills("Seeds, with their share", listed, selection_mode="multi", format_func=words, key=key, on_change=switched)
    if len(listed) < len(every):
        rest = sum(mass[node] for node in every if node not in listed)
        st.caption(f"and {counted(len(every) - len(listed), 'seed')} more with {rest:.0%} of the mass")


def moves(shown: Shown) -> None:
    """Ranks before and after the change."""
    if not changes(shown):
        st.caption("Nothing is changed yet. Move a slider or switch a seed off to see whose rank depends on it.")
        return
    compared = WhatIf(shown.before.traced.spread, shown.traced.spread)
    rows = move_rows(compared, shown.gold)
    memory = shown.opened.memory
    of = f"{len(shown.before.traced.ranks[-1].notes)} before, {len(shown.traced.ranks[-1].notes)} after"
    st.markdown(f"**First ten before and after, and gold** · ranked notes: {of}")
    frame = pd.DataFrame(
        {
            "Before": [row.before for row in rows],
            "After": [row.after for row in rows],
            "Move": [move(row.before, row.after) for row in rows],
            "Mark": [f"{GOLD_MARK} gold" if row.is_gold else "" for row in rows],
            "Note": [short_title(memory[row.note_id]) for row in rows],
        }
    ).astype({"Before": "Int64", "After": "Int64"})
    st.dataframe(
        frame,
        key="moves",
        hide_index=True,
        placeholder="–",
        height="content",
        column_config={"Note": st.column_config.TextColumn(width="large")},
        alt="Ranks before and after the change",
    )
