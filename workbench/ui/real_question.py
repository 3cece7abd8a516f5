"""How the question is read: clauses with intents, roots, expected kind of answer, slots and time, with the words behind each."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape

import streamlit as st

from workbench import colours
from workbench.real.beam import Search
from workbench.real.graph import FactGraph
from workbench.real.intents import clauses, intent_of
from workbench.real.question import Asked, Slot
from workbench.real.relations import readable
from workbench.real.words import stems
from workbench.ui.note_view import themed
from workbench.ui.real_state import Run, Shown
from workbench.words import counted, visible

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def show(shown: Shown, run: Run) -> None:
    """Draw the tab."""
    found, graph = run.searched.found, run.searched.graph
    asked = found.asked
    st.html(question_html(asked))
    left, right = st.columns(2, gap="small")
    with left:
        _roots(asked, graph)
        _clauses(shown, asked)
    with right:
        _expected(shown, asked)
        _slots(asked)
    _filtered(found)


def question_html(asked: Asked) -> str:
    """The question with the words behind roots (h) and intents (i), and a stated period (τ), marked; all escaped."""
    named = {word for root in asked.roots for word in root.words}
    cues = {root.cue.casefold() for root in asked.roots if root.cue} | ({asked.cue.casefold()} if asked.cue else set())
    spans: dict[tuple[int, int], tuple[str, str]] = {}
    if asked.period is not None:
        spans[asked.period.at] = ("τ", themed(colours.ACCENT))
    for cue in sorted(cues):
        for match in re.finditer(rf"(?<!\w){re.escape(cue)}(?!\w)", asked.text, re.IGNORECASE):
            spans.setdefault(match.span(), ("intent", themed(colours.MUTED)))
    for match in _WORD.finditer(asked.text):
        if named & set(stems(match[0])):
            spans.setdefault(match.span(), ("root", themed(colours.KIND["tag"])))
    pieces, end = [], 0
    for (start, stop), (word, colour) in sorted(spans.items()):
        if start >= end:
            pieces.append(escape(visible(asked.text[end:start])))
            pieces.append(
                f"<mark style='background:none;color:{colour};font-weight:600;text-decoration:underline'>"
                f"{escape(visible(asked.text[start:stop]))}<sub>{word}</sub></mark>"
            )
            end = stop
    pieces.append(escape(visible(asked.text[end:])))
    return f"<div dir='auto' style='font-size:1.1rem;line-height:1.7;unicode-bidi:isolate'>{''.join(pieces)}</div>"


def _roots(asked: Asked, graph: FactGraph) -> None:
    st.markdown("**Roots**: nodes that the question names")
    if not asked.roots:
        st.caption("It names none: the search starts from the facts nearest to it.")
        return
    st.dataframe(
        [
            {
                "Root": visible(graph.nodes.get(root.node, root.node)),
                "By": ", ".join(root.words),
                "Intent": root.intent,
                "Cue": root.cue or "none",
                "Edges out": len(graph.out.get(root.node, ())),
                "Edges in": len(graph.into.get(root.node, ())),
                "Hub": "hub: never passed through" if graph.is_hub(root.node) else "",
            }
            for root in asked.roots
        ],
        hide_index=True,
        height="content",
        alt="Roots with the words and the intent that triggered them",
    )


def _clauses(shown: Shown, asked: Asked) -> None:
    st.markdown("**Intents**: one a clause")
    read = [(clause, *intent_of(clause)) for clause in clauses(asked.text)]
    if not shown.config.intents:
        st.caption("Intents are switched off: every clause is FACT.")
    rows = [
        {
            "Clause": visible(clause),
            "Intent": intent if shown.config.intents else "FACT",
            "Cue": (cue or "none: FACT has no cue") if shown.config.intents else "switched off",
        }
        for clause, intent, cue in read
    ]
    st.dataframe(rows, hide_index=True, height="content", alt="Clauses with their intents")


def _expected(shown: Shown, asked: Asked) -> None:
    st.markdown("**Answer and time**")
    kinds = " or ".join(asked.expected) or "not said: S_AS is the share of slots alone"
    moment = f"{asked.time:%Y-%m-%d}" if asked.time else "none: no session has a date"
    source = "" if asked.time is None else ", chosen or as asked" if shown.at_time else ", the end of the last session"
    st.markdown(f"- Expected kind: {kinds}\n- τ_q: {moment}{source}")
    if asked.period is not None:
        st.markdown(f"- Stated period: {asked.period.start:%Y-%m-%d} up to {asked.period.end:%Y-%m-%d}: facts must overlap it")


def _slots(asked: Asked) -> None:
    st.markdown("**Slots**: what a path should hold")
    st.dataframe(
        [_slot(slot) for slot in asked.slots], hide_index=True, height="content", placeholder="", alt="Slots of the question"
    )


def _slot(slot: Slot) -> dict[str, str]:
    kinds = ", ".join(sorted(map(readable, slot.relations)))
    return {"Slot": visible(slot.name), "Kind": slot.kind, "Relations it stands for": kinds}


def _filtered(found: Search) -> None:
    counts = found.filter_counts
    said = ", ".join(f"{count:,} by {name}" for name, count in sorted(counts.items())) or "none"
    st.caption(f"Facts held back before the search saw them: {said}. The tab Beam steps lists them.")


def names(nodes: Collection[str], graph: FactGraph) -> str:
    """Nodes as they were said, in the order of the alphabet."""
    return ", ".join(sorted(visible(graph.nodes.get(node, node)) for node in nodes)) or counted(0, "node")
