"""The ranking that comes of the evidence, what each ablation does to it, and the nodes that the search visited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from workbench.colours import GOLD_MARK
from workbench.methods.real import RealConfig
from workbench.real.retrieval import support
from workbench.records import Ranking
from workbench.ui.comparison import tie_ranges
from workbench.ui.diffusion_view import move
from workbench.ui.note_table import note_table
from workbench.ui.real_settings import changes
from workbench.ui.real_state import DEFAULT, SWITCHES, Run, Shown, ranking_of, run_of
from workbench.ui.titles import short_title
from workbench.words import counted, visible

SHOWN = 10
BASELINE = "vanilla_graph"


def show(shown: Shown, run: Run) -> None:
    """Draw the tab; the caller holds the case's lock."""
    found = run.searched.found
    tiers = [item.tier for item in support(found).values()]
    visited = f"{counted(len(found.visited), 'node')} visited of {len(run.searched.graph.nodes):,}"
    st.markdown(
        f"**{counted(len(run.ranking.hits), 'note')} ranked**: {tiers.count(1):,} in the evidence, "
        f"{tiers.count(2):,} found and pruned · {visited}"
    )
    changed = changes(shown.config)
    before = run_of(shown.opened, shown.query, DEFAULT, shown.at_time) if changed else None
    if before is not None:
        same = "the same evidence" if _evidence(before) == _evidence(run) else "another evidence"
        st.caption(f"What if {', '.join(changed)}: {same}. Ranks by the default settings stand first.")
    else:
        st.caption(
            "Each of the columns at the right leaves one part out; an arrow says how far a note moves. Switch a part off above "
            "to see it on every tab."
        )
    _table(shown, run, _ablations(shown), before)
    names = sorted(visible(run.searched.graph.nodes.get(node, node)) for node in found.visited)
    with st.expander(f"{counted(len(names), 'visited node')}", key="visited"):
        st.text(", ".join(names) or "none")


def _evidence(run: Run) -> set[tuple[str, ...]]:
    return {tuple(edge.id for edge in each.path.edges) for each in run.searched.found.evidence}


def _ablations(shown: Shown) -> dict[str, Ranking]:
    """The ranking without each part that is on, and the baseline's."""
    found = {
        f"− {words}": ranking_of(shown.opened, "real", shown.query, without(shown.config, name), shown.at_time)
        for name, words in SWITCHES.items()
        if getattr(shown.config, name)
    }
    return found | {BASELINE: ranking_of(shown.opened, BASELINE, shown.query, None, None)}


def without(config: RealConfig, part: str) -> RealConfig:
    """The settings with one part of SWITCHES off."""
    return replace(config, **{part: False})  # type: ignore[arg-type]


def _table(shown: Shown, run: Run, others: Mapping[str, Ranking], before: Run | None) -> None:
    rankings = {"": run.ranking} | dict(others) | ({"default": before.ranking} if before else {})
    wanted = [
        hit.note_id for ranking in rankings.values() for hit in ranking.hits if hit.rank <= SHOWN or hit.note_id in shown.gold
    ]
    place = {hit.note_id: hit.rank for hit in run.ranking.hits}
    notes = sorted(dict.fromkeys([*wanted, *sorted(shown.gold)]), key=lambda note: (place.get(note, len(place) + 1), note))
    if not notes:
        st.caption("No note is ranked: no fact leads from the question's nodes. The tab Beam steps says what was held back.")
        return
    ties = tie_ranges(run.ranking.hits)
    hits = {hit.note_id: hit for hit in run.ranking.hits}
    old = {hit.note_id: hit.rank for hit in before.ranking.hits} if before else {}
    ranks = {name: {hit.note_id: hit.rank for hit in ranking.hits} for name, ranking in others.items()}
    rows = []
    for note in notes:
        hit = hits.get(note)
        low, high = ties[hit.block] if hit else (0, 0)
        row: dict[str, Any] = {"Default": old.get(note)} if before else {}
        row |= {
            "Rank": "not ranked" if hit is None else f"{hit.rank}" if low == high else f"{hit.rank}, tied {low}-{high}",
            "Mark": f"{GOLD_MARK} gold" if note in shown.gold else "",
            "Note": short_title(shown.memory[note]),
            "Score": hit.score if hit else None,
        }
        row |= {name: _moved(place.get(note), found.get(note)) for name, found in ranks.items()}
        rows.append(row)
    st.dataframe(
        [_first_gold(place, ranks, shown.gold, len(run.ranking.hits), others)],
        hide_index=True,
        height="content",
        alt="Rank of the first gold note with and without each part",
    ) if shown.gold else None
    columns: dict[str, Any] = {
        "Default": st.column_config.NumberColumn(width=62),
        "Rank": st.column_config.TextColumn(width=84),
        "Mark": st.column_config.TextColumn(width=66),
        "Note": st.column_config.TextColumn(width=300),
        "Score": st.column_config.NumberColumn(format="%.3f", width=66),
    }
    note_table(rows, notes, "real-ranks", "Ranks with and without each part", columns=columns)


def _moved(rank: int | None, other: int | None) -> str:
    """A rank without a part, and the move from the rank with it."""
    if other is None:
        return "not ranked" if rank is not None else ""
    return f"{other} {move(rank, other)}".strip() if other != rank else str(other)


def _first_gold(
    place: Mapping[str, int], ranks: Mapping[str, Mapping[str, int]], gold: frozenset[str], of: int, others: Mapping[str, Ranking]
) -> dict[str, str]:
    """The first gold rank of every column, each of how many."""

    def first(found: Mapping[str, int], total: int) -> str:
        best = min((rank for note, rank in found.items() if note in gold), default=None)
        return f"{best} of {total:,}" if best else f"none of {total:,}"

    row = {f"First {GOLD_MARK} gold": first(place, of)}
    return row | {name: first(found, len(others[name].hits)) for name, found in ranks.items()}
