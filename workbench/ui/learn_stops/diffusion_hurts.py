"""Diffusion hurts, and how concentration measures what it did."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from workbench.spread import SpreadMeasures, measures
from workbench.ui import learn_parts as parts
from workbench.ui.diffusion_state import DEFAULT, run_of
from workbench.ui.learn_stop import RANK_OPTIONS, Prediction, Scene, Stop, open_scene, rank_option, rank_words, stops

OTHER = "longmemeval_demo/demo_diffusion_helps"
"""The case beside which the measures are set: they are about as large where diffusion helps."""


def measured(scene: Scene) -> SpreadMeasures:
    """The measures of the question's diffusion."""
    return measures(run_of(scene.opened, scene.question.text, DEFAULT, ()).traced.spread, scene.gold)


def _row(name: str, found: SpreadMeasures) -> dict[str, object]:
    return {
        "Case": name,
        "Gold rank by seeds": found.rank_before,
        "with diffusion": found.rank_after,
        "Effective notes by seeds": found.files_before.effective if found.files_before else None,
        "with diffusion ": found.files.effective if found.files else None,
        "Share of notes' mass that moved": found.moved,
    }


class DiffusionHurts(Stop):
    """The seeds had the answer; the walk carries its mass to a cluster."""

    order = 60
    title = "Diffusion hurts, and how concentration measures it"
    claim = (
        "Where the words of the question already single out the note, diffusion can only give its mass away. How far the mass is "
        "spread can be measured: as the **number of equally heavy notes** that would be as concentrated."
    )
    case = "longmemeval_demo/demo_diffusion_hurts"
    page = "diffusion"

    def holds(self, scene: Scene) -> bool:
        found = measured(scene)
        spreads = (
            found.files is not None and found.files_before is not None and found.files.effective > found.files_before.effective
        )
        return found.rank_before == 1 and found.rank_after is not None and found.rank_after > 1 and spreads

    def prediction(self, scene: Scene) -> Prediction:
        found = measured(scene)
        asked = f"By its seeds alone the note that answers is {rank_words(found.rank_before)}. Where does diffusion leave it?"
        return Prediction(asked, RANK_OPTIONS, rank_option(found.rank_after))

    def before(self, scene: Scene) -> None:
        parts.question(scene)
        parts.said(scene, scene.gold_note)

    def after(self, scene: Scene) -> None:
        found = {
            "adaptive, diffusion off": scene.ranking("adaptive", diffusion=False),
            "adaptive": scene.ranking("adaptive"),
        }
        parts.rankings(scene, "hurts", found)
        rows = [_row("this question", measured(scene))]
        other = open_scene(scene.path, OTHER)
        if other is not None:
            with other.opened.lock:
                rows.append(_row("the stop before", measured(other)))
        numbers = {name: st.column_config.NumberColumn(format="%.2f") for name in [*rows[0]][3:]}
        st.dataframe(pd.DataFrame(rows), hide_index=True, placeholder="", key="learn-measures", column_config=numbers)

    def told(self, scene: Scene) -> str:
        found = measured(scene)
        if found.files is None or found.files_before is None or found.moved is None:
            return "The question meets nothing in this case, so nothing spreads."
        return (
            f"By the seeds the note is {rank_words(found.rank_before)}, in the end {rank_words(found.rank_after)}. The seeds "
            f"were as concentrated as {found.files_before.effective:.1f} equally heavy notes, the limit as "
            f"{found.files.effective:.1f}; {found.moved:.0%} of the notes' mass changed place. "
            "Diffusion spreads mass where it helps as well, as the table shows: one question proves nothing, so "
            "`workbench dilution` sets the measures against the rank change over many."
        )


stops.register("diffusion_hurts")(DiffusionHurts())
