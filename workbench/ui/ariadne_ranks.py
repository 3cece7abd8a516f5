"""The ranking that comes of the evidence, and what a changed setting does to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from workbench.colours import GOLD_MARK
from workbench.records import Hit, Ranking
from workbench.ui.ariadne_settings import changes
from workbench.ui.ariadne_state import Shown
from workbench.ui.comparison import tie_ranges
from workbench.ui.diffusion_view import move
from workbench.ui.note_table import note_table
from workbench.ui.titles import short_title, when
from workbench.words import counted

SHOWN = 10


def show(shown: Shown) -> None:
    """Draw the tab: the first ten before and after, and gold."""
    assert shown.run is not None
    after, before = shown.run.ranking, shown.before.ranking if shown.before else None
    changed = changes(shown.config)
    st.markdown(
        f"**{counted(len(after.hits), 'note')} ranked** · a note by its best entry; evidence first, then what the budget cut"
    )
    if not changed:
        st.caption("Nothing is changed. Switch a part off above, or move a slider under More, to see whose rank depends on it.")
    elif before is not None:
        kept = [set(run.trace.budget.kept) for run in (shown.before, shown.run) if run]
        acted = "the evidence is the same" if _same(shown) else f"{len(kept[1])} entries in the evidence, {len(kept[0])} before"
        st.caption(f"What if {', '.join(changed)}: {acted}.")
    _table(shown, before if changed else None, after)


def _same(shown: Shown) -> bool:
    """Whether both runs keep the same turns."""
    turns = [
        {ref for node in run.trace.budget.kept for ref in run.trace.index.nodes[node].refs}
        for run in (shown.before, shown.run)
        if run
    ]
    return turns[0] == turns[-1]


def _table(shown: Shown, before: Ranking | None, after: Ranking) -> None:
    old = {hit.note_id: hit for hit in before.hits} if before else {}
    new = {hit.note_id: hit for hit in after.hits}
    listed = _listed(shown, after.hits, before.hits if before else ())
    if not listed:
        st.caption("No note is ranked.")
        return
    ties = tie_ranges(after.hits)
    rows = []
    for note_id in listed:
        hit = new.get(note_id)
        row: dict[str, Any] = {
            "Rank": "" if hit is None else _rank(hit, ties),
            "Score": None if hit is None else hit.score,
            "Mark": f"{GOLD_MARK} gold" if note_id in shown.gold else "",
            "Note": short_title(shown.memory[note_id]),
            "When": when(shown.memory[note_id]),
            "As": "" if hit is None else ", ".join(hit.why.remarks),
        }
        if before is not None:
            was = old.get(note_id)
            change = move(was.rank if was else None, hit.rank if hit else None)
            row = {"Before": None if was is None else was.rank, "Move": change} | row
        rows.append(row)
    note_table(
        rows,
        listed,
        "ariadne-ranks",
        "Ranks before and after the change" if before else "The ranking",
        columns={
            "Before": st.column_config.NumberColumn(width=58),
            "Move": st.column_config.TextColumn(width=56),
            "Rank": st.column_config.TextColumn(width=84),
            "Score": st.column_config.NumberColumn(format="%.3f", width=66),
            "Mark": st.column_config.TextColumn(width=66),
            "Note": st.column_config.TextColumn(width=380),
        },
    )


def _rank(hit: Hit, ties: dict[int, tuple[int, int]]) -> str:
    low, high = ties[hit.block]
    return f"{hit.rank}" if low == high else f"{hit.rank}, tied {low}-{high}"


def _listed(shown: Shown, after: Sequence[Hit], before: Sequence[Hit]) -> list[str]:
    """The first ten of both, and gold wherever it is ranked, in the new order."""
    wanted = {hit.note_id for hits in (after, before) for hit in hits if hit.rank <= SHOWN or hit.note_id in shown.gold}
    place = {hit.note_id: hit.rank for hit in after}
    return sorted(wanted, key=lambda note: (place.get(note, len(after) + 1), note))
