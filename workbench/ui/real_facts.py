"""What the notes state: each note's facts, marked in its text, and the notes that state none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from workbench.colours import GOLD_MARK
from workbench.real.facts import Fact
from workbench.real.relations import readable
from workbench.records import Note
from workbench.ui.note_table import note_table
from workbench.ui.note_view import short_title
from workbench.ui.real_html import legend_html, note_html
from workbench.ui.real_state import Shown
from workbench.words import counted, visible

EVERY, WITH, WITHOUT, GOLD = "All", "With facts", "Without a fact", f"{GOLD_MARK} Gold"
FATE = {
    "evidence": "in the evidence",
    "pruned": "found, then pruned",
    "interval": "held back: not valid at the moment asked about",
    "confidence": "held back: confidence",
    "intent": "held back: intent",
    "not reached": "has facts, none on a path from the question's nodes",
    "no fact": "states no fact",
}
"""What becomes of a gold note in a search, in words."""


def show(shown: Shown) -> None:
    """Draw the tab."""
    by_note = Counter(fact.note for fact in shown.facts)
    _counts(shown, by_note)
    left, right = st.columns([1, 1.1], gap="small")
    with left:
        _notes(shown, by_note)
    with right:
        note = _chosen(shown, by_note)
        if note is not None:
            show_note_facts(shown, note)


def _counts(shown: Shown, by_note: Counter[str]) -> None:
    single = sum(shown.registry[fact.relation].is_single for fact in shown.facts)
    retractions = sum(fact.act == "retraction" for fact in shown.facts)
    unsure = sum(fact.confidence < shown.config.theta_stable for fact in shown.facts)
    without = sum(not by_note[note.id] for note in shown.memory.notes)
    st.caption(
        f"{counted(len(shown.facts), 'fact')} in {counted(len(shown.memory.notes), 'note')}, {without:,} of them without any · "
        f"**{counted(single, 'single-valued fact')}**: only these close one another's intervals · "
        f"{counted(retractions, 'retraction')} · {unsure:,} below θ_stable {shown.config.theta_stable:.2f}"
    )
    if not single:
        st.caption(
            ":material/info: Without single-valued facts nothing is ever superseded here, so a flat ablation of intervals on "
            "this case says nothing about intervals."
        )
    if shown.fates:
        fates = Counter(shown.fates.values())
        said = ", ".join(
            f"{count} {FATE[fate]}" for fate, count in sorted(fates.items(), key=lambda item: list(FATE).index(item[0]))
        )
        st.caption(f"{GOLD_MARK} {counted(len(shown.fates), 'gold note')}: {said}")


def _notes(shown: Shown, by_note: Counter[str]) -> None:
    options = [EVERY, WITH, WITHOUT, *([GOLD] if shown.gold else [])]
    picked = st.segmented_control(
        "Notes", options, default=EVERY, key="fact-notes", bind="query-params", required=True, label_visibility="collapsed"
    )
    notes = [
        note
        for note in shown.memory.notes
        if picked == EVERY
        or (picked == GOLD and note.id in shown.gold)
        or (picked == WITH and by_note[note.id])
        or (picked == WITHOUT and not by_note[note.id])
    ]
    if not notes:
        st.info("No note of this case is so.", icon=":material/done_all:")
        return
    rows = [
        {
            "Mark": f"{GOLD_MARK} gold" if note.id in shown.gold else "",
            "Facts": by_note[note.id],
            "Date": f"{note.interaction.time:%Y-%m-%d}" if note.interaction.time else note.interaction.time_text,
            "Text": short_title(note),
        }
        for note in notes
    ]
    columns = {"Mark": st.column_config.TextColumn(width=66), "Facts": st.column_config.NumberColumn(width=56)}
    note_table(rows, [note.id for note in notes], f"fact-notes-{picked}", "Notes with the number of their facts", columns=columns)


def _chosen(shown: Shown, by_note: Counter[str]) -> Note | None:
    """The open note; else a gold one, else the first that states something."""
    if shown.note_id in shown.memory:
        return shown.memory[shown.note_id]
    notes = shown.memory.notes
    gold = (note for note in notes if note.id in shown.gold)
    return next(gold, next((note for note in notes if by_note[note.id]), notes[0] if notes else None))


def show_note_facts(shown: Shown, note: Note, facts: Sequence[Fact] | None = None) -> None:
    """Draw a note with its facts marked in the text, and the facts as a table; ``facts`` marks only some of them."""
    stated = [fact for fact in shown.facts if fact.note == note.id]
    with st.container(border=True):
        st.html(note_html(note, stated if facts is None else facts, shown.registry, shown.question, note.id in shown.gold))
        st.html(legend_html())
    if not stated:
        st.caption("This note states no fact that was found: the search can't reach it.")
        return
    st.dataframe(
        [fact_row(shown, fact) for fact in stated],
        hide_index=True,
        height="content" if len(stated) <= 10 else 380,
        alt="Facts of the note",
        column_config={"c": st.column_config.NumberColumn(format="%.2f", help="Confidence, and the words behind it")},
    )


def fact_row(shown: Shown, fact: Fact) -> dict[str, str | float]:
    """A fact as a row of a table."""
    start = f"{fact.start:%Y-%m-%d}" if fact.start else "unknown"
    act = {"retraction": "taken back", "assertion": ""}[fact.act]
    valued = "one at a time" if shown.registry[fact.relation].is_single else "many"
    return {
        "Head": visible(fact.head),
        "Relation": readable(fact.relation, fact.preposition),
        "Tail": visible(fact.tail),
        "Start": f"{start} ({'stated' if fact.is_stated else 'assumed'}, {fact.precision})",
        "End": f"{fact.end:%Y-%m-%d}" if fact.end else act or "open",
        "c": fact.confidence,
        "Cue": visible(fact.cue),
        "Intent": fact.intent,
        "Intent cue": visible(fact.intent_cue),
        "Values": valued,
        "Aspect": fact.aspect,
    }
