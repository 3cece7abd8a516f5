"""The graph on a Streamlit page: draws a GraphView in the browser and returns what the user selected there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyvis
import streamlit as st

from workbench import colours
from workbench.ui.graph_view import GraphView, edge_colour, legend, network, options

_ASSETS = Path(__file__).parent / "assets"
_VIS = Path(pyvis.__file__).parent / "templates" / "lib" / "vis-9.1.2" / "vis-network.min.js"


def _read(path: Path) -> str:
    """A script or style as Streamlit takes it: it must hold a newline inside, or it is taken for the name of a file."""
    return f"/* {path.name} */\n{path.read_text(encoding='utf-8')}\n"


# Registered once, at import: a component that is registered again with each run is mounted again with each run.
_component = st.components.v2.component(
    "workbench.graph",
    html=(_ASSETS / "graph.html").read_text(encoding="utf-8"),
    css=_read(_ASSETS / "graph.css"),
    js=_read(_VIS) + _read(_ASSETS / "stepper.js") + _read(_ASSETS / "graph.js"),
)


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user selected: node ids, and edge ids (see ``graph_view.edge_ends``)."""

    nodes: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Steps:
    """Iterates of the mass that the browser plays without asking Python.

    Attributes
    ----------
    run : str
        Names the iteration: with another name the bar forgets the step that it had.
    step, last : int
        The step that is shown, and the last there is; from 0.
    frames : sequence of int
        The iterations that are sent, rising, with 0, ``step`` and ``last`` among them.
    masses : sequence of mappings of node id to float
        One a frame.
    lines : sequence of str
        What is said of each frame.
    events : sequence of (int, str)
        Iterations worth jumping to.
    """

    run: str
    step: int
    last: int
    frames: Sequence[int]
    masses: Sequence[Mapping[str, float]]
    lines: Sequence[str]
    events: Sequence[tuple[int, str]] = ()


def show(
    view: GraphView,
    key: str,
    height: int = 620,
    selected: Collection[str] = (),
    on_select: Callable[[], None] | None = None,
    steps: Steps | None = None,
    on_step: Callable[[], None] | None = None,
) -> Selection:
    """Draw a view and return the selection that the user last made in it.

    Parameters
    ----------
    view : GraphView
    key : str
        Identity of the drawing on the page: with the same key it is kept through reruns, with its zoom and place.
    height : int
        In pixels.
    selected : collection of node ids
        Drawn as selected, for a selection that was made elsewhere, such as in a table.
    on_select : callable, optional
        Called before the next run when the user selects something here; ``selection(key)`` says what.
    steps : Steps, optional
        If given, a bar under the graph steps through them.
    on_step : callable, optional
        Called before the next run when the bar came to rest on another step; ``step(key)`` says which.
    """
    net = network(view)
    data = {
        "version": view.version(),
        "nodes": net.nodes,
        "edges": net.edges,
        "height": height,
        "count": view.count_line(),
        "legend": legend(view),
        "focus": sorted({*view.gold, *view.seeds, *view.ranks} & set(view.graph)),
        "boxed": bool(view.layout.boxed),
        "selected": sorted(selected),
        "stepper": _steps(view, steps) if steps else None,
        "themes": {theme: _theme(view, theme, {edge["kind"] for edge in net.edges}) for theme in ("light", "dark")},
    }
    _component(
        key=key,
        data=data,
        default={"selection": {"nodes": [], "edges": []}, "step": None},
        on_selection_change=on_select or (lambda: None),
        on_step_change=on_step or (lambda: None),
        height=height,
    )
    return selection(key)


def selection(key: str) -> Selection:
    """What is selected in the drawing with this key; nothing where it is not on the page yet."""
    state = st.session_state.get(key) or {}
    chosen = state.get("selection") or {}
    return Selection(tuple(chosen.get("nodes", ())), tuple(chosen.get("edges", ())))


def step(key: str) -> int | None:
    """The step on which the drawing with this key last came to rest; None where no user stepped."""
    state = st.session_state.get(key) or {}
    return (state.get("step") or {}).get("at")


def _steps(view: GraphView, steps: Steps) -> dict[str, Any]:
    nodes = sorted(view.graph)
    return {
        "run": steps.run,
        "step": steps.step,
        "last": steps.last,
        "frames": list(steps.frames),
        "nodes": [view.sized(node) for node in nodes],
        "sizes": [[view.radius(mass.get(node, 0.0)) for node in nodes] for mass in steps.masses],
        "lines": list(steps.lines),
        "events": [list(event) for event in steps.events],
    }


def _theme(view: GraphView, theme: colours.Theme, edge_kinds: Collection[str]) -> dict[str, Any]:
    kinds = {kind: {"border": colours.KIND[kind][theme], "background": colours.KIND_FILL[kind][theme]} for kind in colours.KIND}
    plain = colours.BACKGROUND[theme]
    marks = {
        "gold": {"border": colours.GOLD[theme], "background": colours.GOLD_FILL[theme]},
        "seed": {"border": colours.SEED[theme], "background": plain},
        "ghost": {"border": colours.TEXT[theme], "background": plain},
        "hit": {"border": colours.KIND["file"][theme], "background": plain},
        "path": {"border": colours.ACCENT[theme], "background": colours.ACCENT[theme]},
    }
    return {
        "options": options(view, theme),
        "edges": {kind: edge_colour(kind, theme) for kind in sorted(edge_kinds)},
        "marks": kinds | marks,
    }
