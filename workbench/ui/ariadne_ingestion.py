"""What gate and coarsening decided of every turn, with the numbers behind it, and what evidence that cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.construction import Construction
from workbench.ariadne.decisions import CoarseningDecision, GateDecision
from workbench.ariadne.thresholds import PAPER, is_calibrated
from workbench.colours import GOLD_MARK
from workbench.embed.base import embedder
from workbench.ui.ariadne_state import Shown, gold_lost
from workbench.ui.note_table import note_table
from workbench.words import counted, visible

DECISIONS = ("added", "updated", "continues", "merged", "dropped")
MEANING = {
    "added": "a new entry",
    "updated": "a new entry, linked as the newer state of another",
    "continues": "a new entry, linked as going on from another",
    "merged": "said before: its turn goes to that entry",
    "dropped": "repeats a recent entry: shown, not ranked",
}


@dataclass(frozen=True)
class Decided:
    """A turn with what the gate and, if it came that far, coarsening decided of it."""

    gate: GateDecision
    coarsening: CoarseningDecision

    @property
    def decision(self) -> str:
        """One of DECISIONS."""
        return self.coarsening.edge or self.coarsening.action

    @property
    def told(self) -> GateDecision | CoarseningDecision:
        """The decision whose numbers count: the gate's where the turn went no further."""
        return self.gate if self.gate.action == "dropped" else self.coarsening


def decided(found: Construction) -> list[Decided]:
    """Every turn's decisions, in the order of time. Rules make one entry of every turn."""
    return [Decided(*pair) for pair in zip(found.gate, found.coarsening, strict=True)]


def above(decisions: Sequence[GateDecision | CoarseningDecision], bound: float) -> float | None:
    """Share of decisions whose nearest earlier entry is nearer than a bound; None where there was nothing to compare."""
    near = [each.similarity for each in decisions if each.similarity is not None]
    return sum(one > bound for one in near) / len(near) if near else None


def show(shown: Shown, default: Construction) -> None:
    """Draw the tab; ``default`` is the construction under the default settings, for what a change did."""
    rows = decided(shown.construction)
    if not rows:
        st.info("No turn of this case is read: only what a user or a named speaker says gives entries.", icon=":material/inbox:")
        return
    counts, before = (Counter(each.decision for each in decided(one)) for one in (shown.construction, default))
    _lines(shown, len(rows))
    offered = [name for name in DECISIONS if counts[name] or before[name]]
    said = (f"{name} {counts[name]:,}{f' (was {before[name]:,})' * (counts[name] != before[name])}" for name in offered)
    st.markdown(" · ".join(said))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # Options are bare names, since the URL holds what an option shows.
        picked = st.pills(
            "Decision",
            offered,
            selection_mode="multi",
            key="decision",
            bind="query-params",
            help=" · ".join(f"{name}: {MEANING[name]}" for name in DECISIONS),
        )
        only_gold = st.toggle("Only evidence", key="evidence", bind="query-params") if shown.gold else False
    listed = [each for each in rows if not picked or each.decision in picked]
    if only_gold:
        listed = [each for each in listed if shown.is_gold_entry(shown.construction.utterances[each.gate.number])]
    if not listed:
        st.caption("No turn under this filter.")
        return
    st.caption(f"{len(listed):,} of {counted(len(rows), 'turn')}, oldest first; a click opens the note.")
    _table(shown, listed)


def _lines(shown: Shown, total: int) -> None:
    """What was lost, and how the two bounds bite in this case."""
    found, config = shown.construction, shown.config
    lost, evidence = gold_lost(shown)
    unit = "evidence turn" if any(question.gold.turns for question in shown.opened.case.questions) else "evidence note"
    parts = [f"{total:,} turns read, {len(found.nodes):,} entries stand"]
    if evidence:
        parts.append(f"{GOLD_MARK} gold lost at the gate: {lost} of {counted(evidence, unit)} of all questions")
    st.markdown(" · ".join(parts))
    st.caption(" ".join(_bound_words(found, config)))


def _bound_words(found: Construction, config: AriadneConfig) -> list[str]:
    source, bounds = embedder(config.embeddings), config.bounds
    shares = (above(found.gate, bounds.gate), above(found.coarsening, bounds.coarsen))
    said = [
        f"{name} looks above cosine {bound:g}: {share:.0%} of what it compares here."
        if share is not None
        else f"{name} has nothing to compare."
        for name, bound, share in zip(("Gate", "Coarsening"), (bounds.gate, bounds.coarsen), shares, strict=True)
    ]
    if not is_calibrated(source.name):
        said.append(f"These bounds are MiniLM's; {source.name} is not calibrated.")
    elif source.name != "minilm":
        said.append(
            f"{source.name}'s bounds let the same share of our calibration sentences pass as the paper's "
            f"{PAPER.gate:g} and {PAPER.coarsen:g} do under MiniLM."
        )
    return said


def _table(shown: Shown, listed: Sequence[Decided]) -> None:
    found = shown.construction
    rows = []
    for each in listed:
        entry, told = found.utterances[each.gate.number], each.told
        match = None if told.match is None else found.entries[told.match]
        rows.append(
            {
                "Mark": f"{GOLD_MARK} gold" if shown.is_gold_entry(entry) else "",
                "Decision": each.decision,
                "Text": visible(f"{entry.speaker}: {entry.text}" if entry.speaker else entry.text),
                "Because": told.rule,
                "Nearest earlier entry (m*)": "" if match is None else visible(match.text),
                "Cosine": told.similarity,
                "Overlap": each.coarsening.overlap if told is each.coarsening else None,
                "Hours apart": told.gap_hours,
                "Gate": each.gate.rule,
                "Turn": visible(", ".join(entry.refs)),
            }
        )
    note_table(
        rows,
        [found.utterances[each.gate.number].note_id for each in listed],
        "ariadne-turns",
        "What was decided of every turn",
        height=520,
        columns={
            "Mark": st.column_config.TextColumn(width=66),
            "Decision": st.column_config.TextColumn(width=84),
            "Because": st.column_config.TextColumn(width=190),
            "Nearest earlier entry (m*)": st.column_config.TextColumn(width=300),
            "Cosine": st.column_config.NumberColumn(format="%.3f", width=66),
            "Overlap": st.column_config.NumberColumn(
                format="%.2f", width=66, help="Share of its keywords that the nearest entry has"
            ),
            "Hours apart": st.column_config.NumberColumn(format="%.1f", width=90),
        },
    )
