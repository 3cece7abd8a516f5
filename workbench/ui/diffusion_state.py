"""What the page Diffusion shows and what is chosen on it: step, node and seeds switched off, in the session and in the URL."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from workbench.methods.adaptive import AdaptiveConfig, Spread
from workbench.records import Question
from workbench.spread import Attribution, SpreadTrace, attribution, trace
from workbench.ui import context
from workbench.ui.cached import OpenCase
from workbench.ui.comparison import gold_of
from workbench.ui.context import Context

DEFAULT = AdaptiveConfig()


@dataclass(frozen=True)
class Run:
    """A traced spread with the attributions asked for so far and the charts last drawn.

    It holds its case: the case's id is part of the cache's key.
    """

    opened: OpenCase
    traced: SpreadTrace
    attributions: dict[str, Attribution] = field(default_factory=dict)
    figures: dict[Any, go.Figure] = field(default_factory=dict)

    def attribution(self, note_id: str) -> Attribution:
        if note_id not in self.attributions:
            self.attributions[note_id] = attribution(self.traced.spread, note_id)
        return self.attributions[note_id]


@st.cache_resource(max_entries=24, show_spinner="Spreading the question", hash_funcs={OpenCase: id})
def run_of(opened: OpenCase, text: str, config: AdaptiveConfig, muted: tuple[str, ...]) -> Run:
    """The traced spread of a query; the caller holds the case's lock."""
    traced = trace(Spread.of(opened.memory, text, config, muted))
    return Run(opened, traced)


@dataclass(frozen=True)
class Shown:
    """What this run of the page shows. ``before`` is the unchanged run, ``seeds`` the changed one with no seed switched off."""

    opened: OpenCase
    question: Question | None
    query: str
    config: AdaptiveConfig
    muted: tuple[str, ...]
    before: Run
    seeds: Run
    run: Run

    @property
    def traced(self) -> SpreadTrace:
        return self.run.traced

    @property
    def last(self) -> int:
        return len(self.traced.steps) - 1

    @cached_property
    def step(self) -> int:
        return min(int(state()["step"]), self.last)

    @cached_property
    def gold(self) -> frozenset[str]:
        found = gold_of(self.question, self.opened.memory)
        return frozenset(found.notes) if found else frozenset()

    @cached_property
    def selected(self) -> str:
        """The chosen node; else the best gold note, else the first note."""
        note, node = context.current().note_id, str(state()["node"])
        if node in self.traced.spread.graph.node_ids:
            return node
        if note in self.opened.memory:
            return f"file:{note}"
        ranked = self.traced.ranks[-1].notes
        best = next((note for note in ranked if note in self.gold), next(iter(ranked), ""))
        return f"file:{best}" if best else ""

    @property
    def selected_note(self) -> str:
        return self.selected.removeprefix("file:") if self.selected.startswith("file:") else ""


def state() -> dict[str, Any]:
    """Step, node and seeds switched off, as the page last left them."""
    return st.session_state.setdefault("diffusion", {"step": 0, "node": "", "mute": ()})  # type: ignore[no-any-return]


def _from_url() -> dict[str, Any]:
    step = st.query_params.get("step", "")
    return {
        "step": int(step) if step.isascii() and step.isdigit() and len(step) < 6 else 0,
        "node": st.query_params.get("node", ""),
        "mute": tuple(st.query_params.get_all("mute")),
    }


def adopt_url(chosen: Context) -> None:
    """Take over what the URL says where it is not what was written there, and start anew with another question."""
    asked = (str(chosen.store_path), chosen.case_key, chosen.query)
    here = st.session_state.get("diffusion-of")
    if not st.session_state.pop("diffusion-touched", False) and _from_url() != st.session_state.get("diffusion-written"):
        st.session_state["diffusion"] = _from_url()
    elif here is not None and here != asked:
        st.session_state["diffusion"] = {"step": 0, "node": "", "mute": ()}
    st.session_state["diffusion-of"] = asked


def write_url(shown: Shown) -> None:
    """Let the URL say what is shown."""
    chosen = state()
    chosen["step"], chosen["mute"] = shown.step, shown.muted
    if chosen["node"] not in shown.traced.spread.graph.node_ids:
        chosen["node"] = ""
    wanted = {"step": [str(chosen["step"])] if chosen["step"] else [], "node": [chosen["node"]] if chosen["node"] else []}
    for name, values in (wanted | {"mute": list(chosen["mute"])}).items():
        if st.query_params.get_all(name) != values:
            if values:
                st.query_params[name] = values
            else:
                del st.query_params[name]
    st.session_state["diffusion-written"] = dict(chosen)


def change(**values: Any) -> None:
    """For callbacks: of widgets that are bound to the URL too, so that a browser that lags behind can't set back the rest."""
    state().update(values)
    st.session_state["diffusion-touched"] = True


def select(node: str) -> None:
    """Choose a node. A note is the one that all pages have open beside them."""
    is_note = node.startswith("file:")
    change(node="" if is_note else node)
    context.select(note=node.removeprefix("file:") if is_note else "")


def starting(run: Run) -> list[str]:
    """The seeds' node ids, the largest first."""
    mass, names = run.traced.spread.seeds.mass, run.traced.spread.graph.node_ids
    return [names[at] for at in (-mass).argsort(kind="stable").tolist() if mass[at] > 0]
