"""Page Diffusion: step through Personalized PageRank on a case's graph, see what brought a note, and what would change it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import networkx as nx
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from workbench.colours import GOLD_MARK, Theme
from workbench.records import Question
from workbench.ui import cached, context, graph_component, navigation
from workbench.ui import diffusion_what_if as what_if
from workbench.ui.context import Context
from workbench.ui.diffusion_charts import apart, charts, drawn_notes, mark
from workbench.ui.diffusion_selected import show_selected
from workbench.ui.diffusion_state import DEFAULT, Shown, adopt_url, change, run_of, select, starting, state, write_url
from workbench.ui.diffusion_view import (
    frames,
    kind_of,
    line_of,
    masses_of,
    move,
    name_of,
    node_rows,
    part_of,
    shown_nodes,
    unit_radius,
)
from workbench.ui.graph_component import Steps
from workbench.ui.graph_details import drawable
from workbench.ui.graph_layout import Layout, layered
from workbench.ui.graph_view import SEED_MARK, WORD, GraphView
from workbench.ui.lesson import lesson
from workbench.ui.lesson_html import lesson_html
from workbench.ui.navigation import page
from workbench.ui.node_panel import plain
from workbench.ui.note_view import short_title
from workbench.words import counted, visible

HEIGHT = 640
GRAPH, CHARTS = "diffusion-graph", "diffusion-charts"
GRAPH_FIRST = 0.4
"""Seconds by which the charts come after the graph when the page is opened: their library keeps a browser busy for a second, and
the graph is what the page is about (ours)."""
LIMITS = (30, 50, 80, 150, 300)


@page("diffusion", "Diffusion", icon=":material/blur_on:", order=110, group="Inside a method")
def show() -> None:
    """Draw the page."""
    chosen = context.require_case()
    st.header("Diffusion")
    st.caption("How AdaptiveGraph spreads a question from tags and notes over the graph, step by step, until nothing moves.")
    _body(chosen)


def _body(chosen: Context) -> None:
    assert chosen.extraction is not None  # a case always has one
    opened = cached.open_case(chosen.store_path, chosen.case_key, chosen.extraction)
    question = next((q for q in opened.case.questions if q.id == chosen.question_id), None)
    adopt_url(chosen)
    limit = _controls(chosen, question)
    if not chosen.query.strip():
        st.info("Type a question above, or choose one in the sidebar.", icon=":material/edit:")
        return
    picture = st.container()
    table, panel = st.columns([1, 1], gap="small")
    panel = panel.container(border=True, key="what-if")
    with opened.lock:
        with panel:
            config = what_if.controls()
        before = run_of(opened, chosen.query, DEFAULT, ())
        seeds = run_of(opened, chosen.query, config, ())
        there = set(starting(seeds))
        muted = tuple(sorted(node for node in state()["mute"] if node in there))
        shown = Shown(opened, question, chosen.query, config, muted, before, seeds, run_of(opened, chosen.query, config, muted))
        with panel:
            what_if.seed_chips(shown)
            what_if.moves(shown)
        with picture:
            drawn = _picture(shown, limit)
        if drawn is not None:
            with table:
                _table(shown, drawn.nodes)
                _download(shown)
    write_url(shown)
    if drawn is not None:
        if st.session_state.get("arrived"):
            time.sleep(GRAPH_FIRST)
        with opened.lock, drawn.charts:
            _charts(shown, drawn.iterations)


# --- the controls on top ----------------------------------------------------------------------------------------------------


def _controls(chosen: Context, question: Question | None) -> int:
    st.session_state["diffusion-query"] = chosen.query
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = question.text if question else ""
        st.text_input("Question", key="diffusion-query", on_change=_asked, args=(text,), label_visibility="collapsed")
        if chosen.typed:
            st.button("Back to the question", key="untype", icon=":material/undo:", on_click=context.select, kwargs={"q": ""})
        with st.popover("More", icon=":material/tune:", key="more-diffusion"):
            limit = st.select_slider("Most nodes", LIMITS, 50, key="drawn", bind="query-params", on_change=change)
    if chosen.typed and question is not None:
        st.caption("A typed query; gold is that of the chosen question.")
    return int(limit)


def _asked(question: str) -> None:
    text = st.session_state["diffusion-query"].strip()
    context.select(q="" if text == question else text)


# --- the picture ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawn:
    """Ids of the drawn nodes, and where the charts of which iterations belong."""

    nodes: list[str]
    charts: DeltaGenerator
    iterations: Sequence[int]


def _picture(shown: Shown, limit: int) -> Drawn | None:
    """Draw all but the charts; None where there is nothing to draw, after saying why and what to do."""
    spread = shown.traced.spread
    if not spread.seeds.mass.any():
        _no_seeds(shown)
        return None
    _seed_line(shown)
    if spread.diffusion is None:
        st.info(
            "Diffusion is off: nothing spreads, and notes keep their own seed. Switch it on below.", icon=":material/blur_off:"
        )
    nodes = _drawn(shown, limit)
    graph = part_of(drawable(shown.opened.memory), nodes, spread.config.edge_weights)
    events = shown.traced.events(shown.gold)
    sent = frames(shown.last, [shown.step - 1, shown.step, shown.step + 1, *(event.iteration for event in events)])
    masses = masses_of(shown.traced, sent, nodes)
    view = _view(shown, graph, dict(zip(sent, masses, strict=True)))
    lines = [line_of(shown.traced, at, shown.gold, sum(mass.values())) for at, mass in zip(sent, masses, strict=True)]
    run = hashlib.sha256(repr((shown.opened.case.key, shown.query, shown.config, shown.muted)).encode()).hexdigest()[:16]
    steps = Steps(run, shown.step, shown.last, sent, masses, lines, [(event.iteration, event.text) for event in events])
    left, right = st.columns([1.75, 1], gap="small")
    with left:
        drawn = [shown.selected] if shown.selected in view.graph else []
        graph_component.show(view, GRAPH, HEIGHT, drawn, _node_clicked, steps, _stepped)
    show_selected(shown, view)
    return Drawn(nodes, right.container(), apart(range(shown.last + 1), [event.iteration for event in events]))


def _seed_line(shown: Shown) -> None:
    """Where the walk starts and where gold stands, in one line."""
    traced = shown.traced
    seeds = traced.spread.seeds
    kinds = [kind_of(node) for node in starting(shown.run)]
    parts = [f"{counted(kinds.count('tag'), 'tag')} and {counted(kinds.count('file'), 'note')} as seeds"]
    if shown.gold:
        ranks = [each.first_of(shown.gold) for each in (traced.ranks[0], traced.ranks[-1])]
        said = [
            f"{rank} of {len(each.notes)}" if rank else "not ranked"
            for rank, each in zip(ranks, (traced.ranks[0], traced.ranks[-1]), strict=True)
        ]
        parts.append(f"{GOLD_MARK} gold {said[0]} by the seeds, {said[1]} in the end")
    parts += seeds.remarks
    changed = what_if.changes(shown)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(" · ".join(plain(part) for part in parts), width="content")
        if changed:
            st.caption(f":material/science: **What if:** {plain(', '.join(changed))}", width="content")
            st.button("Undo all", key="undo-all", icon=":material/undo:", type="tertiary", on_click=what_if.undo)


def _no_seeds(shown: Shown) -> None:
    if starting(shown.seeds):
        st.info("All seeds are switched off, so there is nothing to spread.", icon=":material/toggle_off:")
        st.button("Switch them on", key="unmute", on_click=change, kwargs={"mute": ()})
        return
    if starting(shown.before):
        st.info("With what is switched off, nothing of the question is left to spread.", icon=":material/toggle_off:")
        st.button("Undo all", key="undo-all", icon=":material/undo:", on_click=what_if.undo)
        return
    reasons = "; ".join(shown.traced.spread.seeds.remarks) or "the query holds no word"
    st.info("Nothing of the question is in this case, so there is nothing to spread.", icon=":material/search_off:")
    st.text(f"Why: {visible(reasons)}")
    st.caption("Try other words in the question above, another extraction in the sidebar, or look at the whole case.")
    navigation.link("graph", "Graph of the case")


def _drawn(shown: Shown, limit: int) -> list[str]:
    return shown_nodes(shown.traced, shown.gold, limit, [shown.selected] if shown.selected else [])


def _view(shown: Shown, graph: nx.DiGraph, masses: dict[int, dict[str, float]]) -> GraphView:
    ranked = shown.traced.ranks[shown.step].notes[:10]
    walks = shown.run.attribution(shown.selected_note).walks if shown.selected_note in shown.traced.ranks[-1].notes else ()
    gold = frozenset(f"file:{note}" for note in shown.gold)
    total = shown.traced.spread.graph.n_nodes
    placed = _laid_out((tuple(sorted(graph.nodes)), tuple(sorted(graph.edges))), graph)
    return GraphView(
        graph,
        placed,
        frozenset(starting(shown.run)),
        gold,
        {f"file:{note}": rank for rank, note in enumerate(ranked, 1)},
        frozenset(node for nodes, _ in walks for node in nodes),
        {"with less mass": total - len(graph)},
        masses[shown.step],
        masses[shown.last],
        unit_radius(shown.traced, list(graph)),
    )


@st.cache_data(max_entries=32, show_spinner="Placing the nodes")
def _laid_out(key: tuple[Any, ...], _graph: nx.DiGraph) -> Layout:
    return layered(_graph)


def _node_clicked() -> None:
    picked = graph_component.selection(GRAPH)
    select(picked.nodes[-1] if picked.nodes else "")


def _stepped() -> None:
    change(step=graph_component.step(GRAPH) or 0)


def _charts(shown: Shown, iterations: Sequence[int]) -> None:
    theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
    note, kept = shown.selected_note, shown.run.figures
    key = (shown.gold, note, theme)
    if key not in kept:
        kept.clear()  # one is enough: what is stepped through is one note in one theme
        kept[key] = _figure(shown, iterations, theme)
    mark(kept[key], shown.step, theme)
    st.plotly_chart(
        kept[key],
        key=CHARTS,
        on_select=_point_clicked,
        selection_mode="points",
        theme=None,
        config={"displayModeBar": False},
        alt="Ranks, mass by kind of node and residual over the iterations",
    )


def _figure(shown: Shown, iterations: Sequence[int], theme: Theme) -> go.Figure:
    note = shown.selected_note
    titles = {one: short_title(shown.opened.memory[one]) for one in drawn_notes(shown.traced, shown.gold, note)}
    return charts(shown.traced, iterations, shown.gold, note, titles, theme, HEIGHT)


def _point_clicked() -> None:
    points = st.session_state[CHARTS]["selection"]["points"]
    if points:
        note, iteration = points[0]["customdata"][:2]
        if note:
            select(f"file:{note}")
        else:
            change(step=int(iteration))


# --- the table --------------------------------------------------------------------------------------------------------------


def _table(shown: Shown, nodes: Sequence[str]) -> None:
    rows = node_rows(shown.traced, shown.step, nodes)
    ids = [row.node for row in rows]
    key = f"mass-{hashlib.sha256(repr(ids).encode()).hexdigest()[:16]}"
    st.session_state[key] = {"selection": {"rows": [ids.index(shown.selected)] if shown.selected in ids else []}}

    def chosen() -> None:
        picked = st.session_state[key]["selection"]["rows"]
        select(ids[picked[0]] if picked else "")

    seeds = set(starting(shown.run))
    memory = shown.opened.memory
    frame = pd.DataFrame(
        {
            "Rank": [row.rank for row in rows],
            "Move": [move(row.by_seeds, row.rank) + (" tied" if row.is_tied else "") for row in rows],
            "Mass": [row.mass for row in rows],
            "Mark": [_marks(row.node, seeds, shown.gold) for row in rows],
            "Name": [name_of(row.node, memory) for row in rows],
            "Kind": [WORD[kind_of(row.node)] for row in rows],
            "In the end": [row.end for row in rows],
        }
    ).astype({"Rank": "Int64"})
    st.markdown(f"**After step {shown.step}** · notes by rank, then other drawn nodes by mass")
    st.dataframe(
        frame,
        key=key,
        on_select=chosen,
        selection_mode="single-row",
        hide_index=True,
        height=420,
        placeholder="",
        column_config={
            "Rank": st.column_config.NumberColumn(width=46),
            "Move": st.column_config.TextColumn(width=56, help="Against the ranks by the seeds alone"),
            "Mass": st.column_config.NumberColumn(format="%.4f", width=62),
            "Mark": st.column_config.TextColumn(width=66),
            "Name": st.column_config.TextColumn(width=210),
            "In the end": st.column_config.NumberColumn(format="%.4f"),
        },
        alt="Mass and rank of the nodes after this step",
    )


def _download(shown: Shown) -> None:
    """The question as a lesson; made when it is asked for, of what is shown with its changes."""

    def build() -> str:
        question = replace(shown.question, text=shown.query) if shown.question else Question("", shown.query)
        with shown.opened.lock:
            return lesson_html(lesson(shown.opened.case, question, shown.opened.memory, shown.config, shown.muted))

    name = f"lesson-{shown.opened.case.key.replace('/', '-')}-{shown.question.id if shown.question else 'query'}.html"
    st.download_button(
        "Lesson file, works offline",
        build,
        name,
        "text/html",
        on_click="ignore",
        icon=":material/school:",
        key="download-lesson",
        help="One page for a class: predict, step through the diffusion, read the notes.",
    )


def _marks(node: str, seeds: set[str], gold: frozenset[str]) -> str:
    is_gold = node.startswith("file:") and node.removeprefix("file:") in gold
    is_seed = node in seeds
    return f"{GOLD_MARK} gold {SEED_MARK if is_seed else ''}".strip() if is_gold else f"{SEED_MARK} seed" if is_seed else ""
