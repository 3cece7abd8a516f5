"""The conversation around a gold note: its session round by round, folded but for the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from workbench import colours
from workbench.records import Note
from workbench.ui.diagnose_view import Shown
from workbench.ui.node_panel import plain
from workbench.ui.note_view import note_html, short_title, themed, when
from workbench.words import counted

AROUND = 8
"""Rounds before and after the evidence that can be unfolded (ours); further ones are counted."""


def show_conversation(shown: Shown) -> None:
    """Draw it. The caller holds the memory's lock."""
    st.markdown("**Conversation**")
    if not shown.is_stored:
        st.caption("None of the notes in the store holds this evidence.")
        return
    gold = shown.memory[shown.note_id]
    rounds = [note for note in shown.memory.notes if note.session_id == gold.session_id]
    held = f"{plain(when(gold))} · {counted(len(rounds), 'round')}"
    st.caption(f"{held}; a click unfolds one. Words of the question are underlined.")
    st.html(_rounds_html(shown, rounds))


def _rounds_html(shown: Shown, rounds: Sequence[Note]) -> str:
    at = next(at for at, note in enumerate(rounds) if note.id == shown.note_id)
    first, last = max(0, at - AROUND), min(len(rounds), at + AROUND + 1)
    parts = [_more(first, "earlier")]
    for note in rounds[first:last]:
        is_gold = note.id in shown.answers
        mark = f"<b style='color:{themed(colours.GOLD)}'>{colours.GOLD_MARK} gold</b> · " if is_gold else ""
        head = f"{mark}round {note.interaction.round} · <bdi>{escape(short_title(note))}</bdi>"
        body = note_html(note, shown.words, shown.question, is_gold)
        opened = " open" if note.id == shown.note_id else ""
        parts.append(f"<details{opened}><summary>{head}</summary><div class='body'>{body}</div></details>")
    parts.append(_more(len(rounds) - last, "later"))
    return f"<div class='rounds' style='--muted:{themed(colours.MUTED)}'>{''.join(parts)}</div>"


def _more(count: int, which: str) -> str:
    return f"<div class='hint'>{counted(count, which + ' round')} not drawn</div>" if count else ""
