"""The state timeline: chains of updates, each old value struck out beside the new one, with what was said."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

import streamlit as st

from workbench import colours
from workbench.ariadne.construction import Link
from workbench.colours import GOLD_MARK
from workbench.ui.ariadne_state import Shown
from workbench.ui.note_table import note_table
from workbench.ui.note_view import themed
from workbench.words import counted, visible

LIMIT = (
    "Offline, an update is recognised only where the newer wording stays close to the older one (a meeting moved from 2 pm to "
    "3 pm); “I live in Paris”, later “I moved to London”, stays two entries."
)
DRAWN = 40
"""Chains that are drawn; the table has all (ours)."""


def show(shown: Shown) -> None:
    """Draw the tab."""
    found = shown.construction
    st.caption(LIMIT)
    updates = {(link.older, link.newer): link for link in found.links if link.kind == "updated"}
    chains = found.chains()
    if chains:
        st.markdown(f"**{counted(len(updates), 'update')}** in {counted(len(chains), 'chain')}, oldest state first")
        ordered = sorted(chains, key=lambda chain: not any(map(shown.is_gold_node, chain)))
        with st.container(key="timeline", gap="small"):
            for chain in ordered[:DRAWN]:
                st.html(chain_html(shown, chain, [updates[pair] for pair in pairwise(chain)]))
        if len(chains) > DRAWN:
            st.caption(f"{len(chains) - DRAWN} more in the table below.")
    else:
        st.info("No update was recognised in this case.", icon=":material/update_disabled:")
    _table(shown, list(updates.values()))


def chain_html(shown: Shown, chain: Sequence[int], links: Sequence[Link]) -> str:
    """A chain as HTML, every text escaped."""
    rows = [_state(shown, chain[0], None, not links)]
    rows += [_state(shown, link.newer, link, link is links[-1]) for link in links]
    return (
        f"<div style='border-left:3px solid {themed(colours.EDGE['updated'])};padding-left:12px;overflow-wrap:anywhere;"
        f"line-height:1.45;font-size:0.92rem'>{''.join(rows)}</div>"
    )


def _state(shown: Shown, node: int, link: Link | None, is_last: bool) -> str:
    entry = shown.node(node).entry
    muted = f"color:{themed(colours.MUTED)};font-size:0.8rem"
    gold = (
        f" · <span style='color:{themed(colours.GOLD)};font-weight:600'>{GOLD_MARK} gold</span>"
        if shown.is_gold_node(node)
        else ""
    )
    change = ""
    if link is not None:
        old, new = (_plain(", ".join(values)) for values in (link.old, link.new))
        change = f"<div>⇒ updated: <s>{old}</s> → <b>{new}</b></div>"
    weight = "" if is_last else f"color:{themed(colours.MUTED)}"
    head = " · ".join(filter(None, (shown.date(node), entry.speaker, ", ".join(entry.refs))))
    now = " · now" if is_last else ""
    said = f"<div dir='auto' style='{weight};margin-bottom:4px'>{_plain(entry.text)}</div>"
    return f"{change}<div style='{muted}'>{_plain(head)}{now}{gold}</div>{said}"


def _plain(text: str) -> str:
    return escape(visible(text))


def _table(shown: Shown, updates: Sequence[Link]) -> None:
    """The links as a table; those that only continue a topic on request."""
    continues = [link for link in shown.construction.links if link.kind == "continues"]
    links = list(updates)
    if continues and st.toggle(
        f"Show the {counted(len(continues), 'link')} that only continue a topic", key="continues", bind="query-params"
    ):
        links = sorted([*links, *continues], key=lambda link: (link.newer, link.older))
    if not links:
        return
    decisions = {each.number: each for each in shown.construction.coarsening}
    rows = []
    for link in links:
        older, newer = shown.node(link.older).entry, shown.node(link.newer).entry
        decision = decisions[max(older.number, newer.number)]
        rows.append(
            {
                "Mark": f"{GOLD_MARK} gold" if shown.is_gold_node(link.newer) or shown.is_gold_node(link.older) else "",
                "Link": link.kind,
                "Old": visible(", ".join(link.old)),
                "New": visible(", ".join(link.new)),
                "From": visible(older.text),
                "To": visible(newer.text),
                "Cosine": decision.similarity,
                "When": shown.date(link.newer),
            }
        )
    notes = [shown.note_of(link.newer) for link in links]
    number = st.column_config.NumberColumn(format="%.3f", width=66)
    columns = {"From": st.column_config.TextColumn(width=300), "To": st.column_config.TextColumn(width=300), "Cosine": number}
    note_table(rows, notes, "ariadne-links", "Links between entries", columns=columns)
