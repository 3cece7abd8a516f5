"""Bridges one by one: each pair of ends, what was looked at between them, and what came of it."""

from __future__ import annotations

import streamlit as st

from workbench.ariadne.bridges import BridgeStep
from workbench.colours import GOLD_MARK
from workbench.ui import ariadne_state
from workbench.ui.ariadne_state import Shown, go_to_step
from workbench.ui.node_panel import plain
from workbench.ui.note_table import note_table
from workbench.words import counted, visible


def show(shown: Shown) -> None:
    """Draw the tab."""
    steps = shown.trace.bridges
    if not steps:
        _none(shown)
        return
    built = [at for at, step in enumerate(steps, 1) if step.chosen is not None]
    st.markdown(
        f"**{counted(len(built), 'bridge')}** from {counted(len(steps), 'pair')} of entries in different components, "
        "nearest in time first"
    )
    at = ariadne_state.step_from_url()
    at = at if 1 <= at <= len(steps) else (built or [1])[0]
    _stepper(at, len(steps), built)
    _step(shown, steps[at - 1])
    _control(shown)
    _table(shown, at)


def _none(shown: Shown) -> None:
    """Why no pair was looked at."""
    config, components = shown.config, len(shown.trace.components)
    if not config.bridges:
        why = "Bridges are switched off."
    elif components < 2:
        why = "All retrieved entries are in one component already: there is nothing to join."
    else:
        why = (
            f"No two entries in different components lie between {config.bridge_least_hours:g} and "
            f"{config.bridge_most_hours:g} hours apart."
        )
    st.info(f"No bridge was looked for: {why}", icon=":material/link_off:")


def _stepper(at: int, last: int, built: list[int]) -> None:
    later = next((pair for pair in built if pair > at), at)
    earlier = next((pair for pair in reversed(built) if pair < at), at)
    with st.container(horizontal=True, vertical_alignment="center", key="bridge-steps"):
        for key, label, icon, to in (
            ("bridge-before", "Bridge before", ":material/first_page:", earlier),
            ("pair-before", "Pair before", ":material/chevron_left:", at - 1),
            ("pair-after", "Next pair", ":material/chevron_right:", at + 1),
            ("bridge-after", "Next bridge", ":material/last_page:", later),
        ):
            st.button(label, key=key, icon=icon, disabled=to == at or not 1 <= to <= last, on_click=go_to_step, args=(to,))
        st.markdown(f"pair {at} of {last:,}", width="content")


def _step(shown: Shown, step: BridgeStep) -> None:
    before, after = step.components
    with st.container(border=True, key="bridge-step", gap="xsmall"):
        if step.chosen is not None:
            st.markdown(f"**Bridge found** · {counted(before, 'component')} before, {after} after")
        else:
            st.markdown(f"**No bridge because** {plain(step.reason)} · {counted(before, 'component')}")
        one, other = step.ends
        _said(shown, "from", one)
        if step.chosen is not None:
            _said(shown, "◆ by", step.chosen)
        _said(shown, "to", other)
        st.caption(f"{step.gap_hours:,.1f} hours apart")
        if step.query:
            st.caption("Looked for: the entities and keywords of both ends (q_ij):")
            st.text(visible(step.query))
    if step.candidates:
        _candidates(shown, step)


def _said(shown: Shown, word: str, node: int) -> None:
    with st.container(gap=None):
        mark = f" · {GOLD_MARK} gold" if shown.is_gold_node(node) else ""
        st.caption(f"{word} · {plain(shown.date(node))}{mark}")
        st.text(visible(shown.node(node).entry.restatement))


def _candidates(shown: Shown, step: BridgeStep) -> None:
    st.markdown(f"**Nearest entries to it** · {len(step.candidates)}, of which only those between the ends may be taken")
    words = {"usable": "inside, shares with both ends", "outside the interval": "outside the interval"}
    rows = [
        {
            "Taken": "◆ bridge" if each.node == step.chosen else "",
            "Standing": words.get(each.standing, f"inside, {each.standing}"),
            "Cosine": each.cosine,
            "When": shown.date(each.node),
            "Mark": f"{GOLD_MARK} gold" if shown.is_gold_node(each.node) else "",
            "Text": visible(shown.node(each.node).entry.restatement),
        }
        for each in step.candidates
    ]
    cosine = st.column_config.NumberColumn(format="%.3f", width=66)
    columns = {
        "Cosine": cosine,
        "Mark": st.column_config.TextColumn(width=66),
        "Standing": st.column_config.TextColumn(width=230),
    }
    notes = [shown.note_of(each.node) for each in step.candidates]
    note_table(rows, notes, "ariadne-candidates", "Candidates for this bridge", columns=columns)


def _control(shown: Shown) -> None:
    """What as many further hits of the dense leg would have brought instead."""
    trace = shown.trace
    bridges = [each.node for each in trace.members.values() if each.role == "bridge"]
    if not bridges:
        return
    found = [sum(map(shown.is_gold_node, nodes)) for nodes in (bridges, trace.control)]
    gold = f" {GOLD_MARK} gold among them: {found[0]} of the bridges, {found[1]} of these." if shown.gold else ""
    st.markdown(f"**Next dense hits instead** · as many as there are bridges.{gold}")
    rows = [
        {
            "Mark": f"{GOLD_MARK} gold" if shown.is_gold_node(node) else "",
            "Cosine": float(trace.legs.cosine[node]),
            "Text": visible(shown.node(node).entry.restatement),
        }
        for node in trace.control
    ]
    if not rows:
        st.caption("The dense leg has no further hit.")
        return
    cosine = st.column_config.NumberColumn(format="%.3f", width=66)
    columns = {"Cosine": cosine, "Mark": st.column_config.TextColumn(width=66)}
    note_table(rows, [shown.note_of(node) for node in trace.control], "ariadne-control", "Next dense hits", columns=columns)


def _table(shown: Shown, at: int) -> None:
    """All pairs; choosing one goes to it."""
    steps = shown.trace.bridges
    key = "ariadne-pairs"
    st.session_state[key] = {"selection": {"rows": [at - 1]}}

    def pick() -> None:
        picked = st.session_state[key]["selection"]["rows"]
        if picked:
            go_to_step(picked[0] + 1)

    st.markdown("**All pairs**")
    st.dataframe(
        [
            {
                "Pair": number,
                "Came to": "◆ bridge" if step.chosen is not None else step.reason,
                "Hours apart": step.gap_hours,
                "From": visible(shown.node(step.ends[0]).entry.text),
                "To": visible(shown.node(step.ends[1]).entry.text),
                "Components": f"{step.components[0]} → {step.components[1]}",
            }
            for number, step in enumerate(steps, 1)
        ],
        key=key,
        on_select=pick,
        selection_mode="single-row",
        hide_index=True,
        height=300 if len(steps) > 7 else "content",
        column_config={
            "Pair": st.column_config.NumberColumn(width=46),
            "Came to": st.column_config.TextColumn(width=300),
            "Hours apart": st.column_config.NumberColumn(format="%.1f", width=90),
        },
        alt="All pairs of entries that were looked at",
    )
