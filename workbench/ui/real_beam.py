"""The beam search step by step: every beam with its scores, decision and reason; what was pruned, and what filters held back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from workbench.colours import GOLD_MARK
from workbench.real.beam import Judged, Path, Step
from workbench.real.graph import FactGraph
from workbench.real.relations import readable
from workbench.real.serialise import edge_text
from workbench.ui.note_table import note_table
from workbench.ui.real_state import Run, Shown, change, one
from workbench.words import counted, visible

LISTED = 200
"""Pruned paths and held back facts that are listed (ours)."""
NUMBERS = ("S", "S_QR", "S_LC", "S_AS", "c^½")


def show(shown: Shown, run: Run) -> None:
    """Draw the tab."""
    found, graph = run.searched.found, run.searched.graph
    st.caption(
        "S = (0.4 S_QR + 0.2 S_LC + 0.4 S_AS) · √c: nearness to the question, coherence in time and intent, how far the path "
        "answers, and its least confidence."
        if shown.config.evaluator
        else "The evaluator is off: S = S_QR · √c, and no path is sufficient."
    )
    step = _slider(found.steps)
    _beams(shown, step, graph)
    _after(step)
    if step.pruned:
        st.markdown(
            f"**Pruned in this step**: {counted(len(step.pruned), 'path')} beyond the beam width of {shown.config.beam_width}"
        )
        _paths(shown, [(path, "pruned", "not among the best") for path in step.pruned[:LISTED]], graph, f"pruned-{step.number}")
        _rest(len(step.pruned))
    _filtered(shown, run)


def _slider(steps: Sequence[Step]) -> Step:
    last = steps[-1].number
    said = one("step")
    at = min(int(said), last) if said.isascii() and said.isdigit() and len(said) < 6 else 0
    if not last:
        return steps[0]
    key = "beam-step"
    st.session_state[key] = at

    def moved() -> None:
        change(step=str(st.session_state[key] or ""))

    st.slider("Step: 0 is the first beams out of the roots", 0, last, key=key, on_change=moved)
    return steps[at]


def _beams(shown: Shown, step: Step, graph: FactGraph) -> None:
    if step.number == 0:
        st.markdown(f"**Step 0**: {counted(len(step.kept), 'first beam')}, one fact each, out of the roots")
        _paths(shown, [(path, "kept", "among the best") for path in step.kept], graph, "beams-0")
        return
    st.markdown(f"**Step {step.number}**: what was decided of {counted(len(step.judged), 'beam')}")
    _paths(shown, [(each.path, _decision(each), each.reason) for each in step.judged], graph, f"beams-{step.number}")


def _decision(each: Judged) -> str:
    return f"{each.decision}: {each.ending}" if each.ending else each.decision


def _after(step: Step) -> None:
    """What became of the step's beams, and what rules gave."""
    ended = sum(each.ending is not None for each in step.judged)
    said = f"{counted(ended, 'path')} ended and became evidence; " if step.number else ""
    st.caption(f"{said}{counted(len(step.kept), 'beam')} to go on with, {counted(len(step.pruned), 'path')} pruned")
    for each in step.inferences:
        st.text(f"Rules: {visible(each.remark)}")
    if step.number == 0 and not step.inferences:
        st.caption("Counterfactual rules were not tried: see Derivation.")


def _paths(shown: Shown, rows: Sequence[tuple[Path, str, str]], graph: FactGraph, key: str) -> None:
    if not rows:
        st.caption("None.")
        return
    found = [_row(shown, *row, graph) for row in rows]
    columns: dict[str, Any] = {name: st.column_config.NumberColumn(format="%.2f", width=52) for name in NUMBERS}
    columns |= {"Path": st.column_config.TextColumn(width=330), "Mark": st.column_config.TextColumn(width=66)}
    note_table(found, [path.edges[-1].facts[-1].note for path, _, _ in rows], key, "Paths with their scores", columns=columns)


def _row(shown: Shown, path: Path, decision: str, reason: str, graph: FactGraph) -> dict[str, Any]:
    score = path.score
    enough = score.sufficiency
    fits = {True: "fits", False: "does not fit", None: "unknown"}[enough.type_fits]
    is_gold = any(shown.is_gold(edge) for edge in path.edges)
    return {
        "Mark": f"{GOLD_MARK} gold" if is_gold else "",
        "Path": path_words(path, graph),
        "S": score.total,
        "S_QR": score.relevance,
        "S_LC": score.coherence,
        "S_AS": enough.value,
        "c^½": score.confidence,
        "Decision": decision,
        "Why": reason,
        "Found": visible(", ".join(enough.found)),
        "Missing": visible(", ".join(enough.missing)),
        "Type": fits,
    }


def path_words(path: Path, graph: FactGraph) -> str:
    """A path in one line, its inferred edges marked."""
    words = [visible(graph.nodes.get(path.nodes[0], path.nodes[0]))]
    for edge in path.edges:
        mark = f", inferred by {edge.rule}" if edge.rule else ""
        words.append(f"–[{readable(edge.relation, edge.preposition)}{mark}]→ {visible(edge.names[1])}")
    return " ".join(words)


def _filtered(shown: Shown, run: Run) -> None:
    held = run.searched.found.filtered
    counts = run.searched.found.filter_counts
    said = ", ".join(f"{count:,} by {name}" for name, count in sorted(counts.items()))
    with st.expander(f"Facts held back by a filter: {said or 'none'}", key="held-back", on_change="rerun") as folded:
        if not folded.open or not held:
            return
        edges = sorted(held, key=lambda edge: (held[edge], edge.facts[0].key))[:LISTED]
        rows = [
            {
                "Mark": f"{GOLD_MARK} gold" if shown.is_gold(edge) else "",
                "Filter": held[edge],
                "Status": edge.status,
                "Fact": visible(edge_text(edge)),
            }
            for edge in edges
        ]
        columns = {"Fact": st.column_config.TextColumn(width=620)}
        note_table(rows, [edge.facts[-1].note for edge in edges], "held-back-table", "Facts held back", columns=columns)
        _rest(len(held))


def _rest(count: int) -> None:
    if count > LISTED:
        st.caption(f"and {count - LISTED:,} more")
