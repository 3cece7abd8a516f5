"""Restart mass that spreads step by step."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.spread import SpreadTrace
from workbench.ui import graph_component
from workbench.ui.diffusion_state import DEFAULT, Run, run_of, starting
from workbench.ui.diffusion_view import frames, line_of, masses_of, part_of, shown_nodes, unit_radius
from workbench.ui.graph_component import Steps
from workbench.ui.graph_details import drawable
from workbench.ui.graph_layout import layered
from workbench.ui.graph_view import GraphView
from workbench.ui.learn_stop import Prediction, Scene, Stop, stops
from workbench.words import counted

MOST = 30
"""Nodes that are drawn: few enough to follow one by one (ours)."""
HEIGHT = 440
SHARES = (0.15, 0.5, 0.85)
OPTIONS = tuple(f"About {share:.0%} of it" for share in SHARES)


def run(scene: Scene) -> Run:
    """The traced spread of the scene's question under the default settings."""
    return run_of(scene.opened, scene.question.text, DEFAULT, ())


def reached(traced: SpreadTrace, iteration: int) -> int:
    """How many nodes have mass after a step."""
    return int((traced.steps[iteration].x > 0).sum())


class RestartMass(Stop):
    """The power iteration as a picture that can be stepped through."""

    order = 40
    title = "Restart mass spreads step by step"
    claim = (
        "**Personalized PageRank** puts all mass on what the question meets. In each step every node passes most of its mass on "
        "to its neighbours, and the rest goes back to the start. The sum stays 1."
    )
    case = "longmemeval_demo/demo_diffusion_helps"
    page = "diffusion"

    def holds(self, scene: Scene) -> bool:
        traced = run(scene).traced
        grows = reached(traced, 0) < reached(traced, 1) < reached(traced, 2)
        return grows and traced.trace.converged and all(abs(step.x.sum() - 1) < 1e-9 for step in traced.steps)

    def prediction(self, scene: Scene) -> Prediction:
        back = run(scene).traced.teleport(1)
        nearest = min(range(len(SHARES)), key=lambda at: abs(SHARES[at] - back))
        return Prediction("How much of all mass does each step send back to the start?", OPTIONS, OPTIONS[nearest])

    def before(self, scene: Scene) -> None:
        parts_of = run(scene)
        st.caption(f"Step 0: {counted(len(starting(parts_of)), 'node')} of the graph hold all the mass.")
        self._draw(scene, (0,))

    def after(self, scene: Scene) -> None:
        traced = run(scene).traced
        self._draw(scene, frames(len(traced.steps) - 1))

    def told(self, scene: Scene) -> str:
        traced = run(scene).traced
        last, now = len(traced.steps) - 1, [reached(traced, at) for at in (0, 1, 2)]
        gold = traced.ranks[-1].first_of(scene.gold)
        return (
            f"{traced.teleport(1):.0%} goes back, {traced.trace_alpha:.0%} goes on. Mass stood on {now[0]} nodes at the start, "
            f"on {now[1]} after one step and on {now[2]} after two, of {traced.spread.graph.n_nodes}. After {last} steps nothing "
            f"moves by more than {traced.trace.tol:.0e}; the answer's note ends {f'at rank {gold}' if gold else 'unranked'}. "
            "Play it below the picture: area is mass now, outline is mass in the end."
        )

    def _draw(self, scene: Scene, sent: Sequence[int]) -> None:
        """The heaviest nodes with their mass; with a bar of steps where there is more than the first."""
        found = run(scene)
        traced, spread = found.traced, found.traced.spread
        nodes = shown_nodes(traced, scene.gold, MOST)
        part = part_of(drawable(scene.opened.memory), nodes, spread.config.edge_weights)
        masses = masses_of(traced, sent, nodes)
        is_revealed = len(sent) > 1
        view = GraphView(
            part,
            layered(part),
            frozenset(starting(found)),
            frozenset(f"file:{note}" for note in scene.gold),
            hidden={"with less mass": spread.graph.n_nodes - len(part)},
            mass=masses[0],
            ghost=masses[-1] if is_revealed else None,
            unit_radius=unit_radius(traced, nodes),
        )
        steps = None
        if is_revealed:
            lines = [line_of(traced, at, scene.gold, sum(mass.values())) for at, mass in zip(sent, masses, strict=True)]
            events = [(event.iteration, event.text) for event in traced.events(scene.gold)]
            steps = Steps("tour", 0, len(traced.steps) - 1, sent, masses, lines, events)
        graph_component.show(view, f"learn-steps-{is_revealed}", HEIGHT, steps=steps)


stops.register("restart_mass")(RestartMass())
