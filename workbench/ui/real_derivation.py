"""What counterfactual rules derived for a question: premises, rule and conclusion with the arithmetic of its confidence."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from workbench import colours
from workbench.colours import GOLD_MARK
from workbench.real.beam import Search
from workbench.real.counterfactual import RULES, Inference
from workbench.real.intervals import Edge
from workbench.real.relations import readable
from workbench.real.serialise import interval_text
from workbench.ui import context
from workbench.ui.note_view import themed
from workbench.ui.real_state import Run, Shown
from workbench.words import counted, visible

LISTED = 12
"""Derivations of one root that are drawn (ours)."""
SAYS = {
    "symmetry": "the relation holds both ways",
    "inverse": "the relation has an inverse",
    "inverse reading": "the fact is read backwards",
    "hyponymy": "what is of a kind is of the wider kind",
    "succession": "the last known value, less sure with every day since",
}
"""What each rule rests on."""


def show(shown: Shown, run: Run) -> None:
    """Draw the tab."""
    found = run.searched.found
    if not shown.config.counterfactual:
        st.info("Counterfactual rules are switched off: nothing is inferred.", icon=":material/toggle_off:")
        return
    inferences = found.inferences
    if not inferences:
        st.info(_not_tried(shown, found), icon=":material/check_circle:")
        return
    untried = [root.node for root in found.asked.roots if root.node not in {each.root for each in inferences}]
    st.caption(
        f"Rules are tried for a root none of whose first beams has S_AS above {shown.config.too_little:g}. What they derive is "
        f"never stored, and used from θ_stable {shown.config.theta_stable:.2f} on."
        + (f" Not needed for: {', '.join(map(visible, untried))}." if untried else "")
    )
    in_evidence = {edge for each in found.evidence for edge in each.path.edges}
    for number, each in enumerate(inferences):
        _root(shown, each, run, in_evidence, number)


def _not_tried(shown: Shown, found: Search) -> str:
    if not found.asked.roots:
        return "The question names no node, so there is no root to try rules for."
    return (
        f"No rule was tried: every root has a first beam whose S_AS is above {shown.config.too_little:g}. "
        f"The rules are {', '.join(RULES)}."
    )


def _root(shown: Shown, inference: Inference, run: Run, in_evidence: set[Edge], number: int) -> None:
    name = visible(run.searched.graph.nodes.get(inference.root, inference.root))
    with st.container(border=True, key=f"derived-{number}"):
        st.text(f"Root: {name}")
        st.caption(f"Rules tried: {', '.join(inference.tried)}")
        if not inference.derived:
            weak = f"; {len(inference.too_weak):,} came out too weak" if inference.too_weak else ""
            st.markdown(f":material/block: Nothing applied{weak}.")
        for at, edge in enumerate(inference.derived[:LISTED]):
            _derivation(shown, edge, edge in in_evidence, f"{number}-{at}")
        if len(inference.derived) > LISTED:
            st.caption(f"and {len(inference.derived) - LISTED:,} more")
        if inference.too_weak:
            with st.expander(f"{counted(len(inference.too_weak), 'conclusion')} below θ_stable, not used", key=f"weak-{number}"):
                for edge in inference.too_weak[:LISTED]:
                    st.html(derivation_html(edge, shown.gold))


def _derivation(shown: Shown, edge: Edge, is_evidence: bool, key: str) -> None:
    st.html(derivation_html(edge, shown.gold))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("in the evidence" if is_evidence else "found, not in the evidence", width="content")
        for at, (note, _) in enumerate(dict.fromkeys(edge.refs)):
            label = f"Source {at + 1}" + (f" {GOLD_MARK} gold" if note in shown.gold else "")
            st.button(
                label,
                key=f"source-{key}-{at}",
                type="tertiary",
                icon=":material/notes:",
                on_click=context.select,
                kwargs={"note": note},
            )


def derivation_html(edge: Edge, gold: frozenset[str]) -> str:
    """Premises over a line with the rule, under it the conclusion in a dashed box; every text escaped."""
    muted = f"color:{themed(colours.MUTED)};font-size:0.82rem"
    line = themed(colours.EDGE["derived"])
    premises = "".join(f"<div>{_fact(premise)}{_star(premise.facts, gold)}</div>" for premise in edge.premises)
    box = "border-radius:6px;padding:4px 10px"
    row = "display:flex;flex-wrap:wrap;align-items:center;gap:10px;line-height:1.5;font-size:0.92rem;overflow-wrap:anywhere"
    says = f"<div style='{muted}'>{escape(SAYS[edge.rule])}</div>"
    return (
        f"<div style='{row}'><div style='border:1px solid {themed(colours.EDGE['fact'])};{box}'>{premises}</div>"
        f"<div style='text-align:center'><b>{escape(edge.rule)}</b> →{says}</div>"
        f"<div style='border:2px dashed {line};{box}'>{_fact(edge)}"
        f"<div style='{muted}'>inferred · γ × least c: {escape(edge.arithmetic)}</div></div></div>"
    )


def _fact(edge: Edge) -> str:
    head, tail = (escape(visible(name)) for name in edge.names)
    relation = escape(readable(edge.relation, edge.preposition))
    return f"<bdi>{head}</bdi> –[{relation}, {interval_text(edge)}, c={edge.confidence:.2f}]→ <bdi>{tail}</bdi>"


def _star(facts: Sequence[object], gold: frozenset[str]) -> str:
    is_gold = any(getattr(fact, "note", "") in gold for fact in facts)
    return f" <span style='color:{themed(colours.GOLD)};font-weight:600'>{GOLD_MARK} gold</span>" if is_gold else ""
