"""Page Diffusion: step through Personalized PageRank on a case's graph, see what brought a note, and what would change it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import networkx as nx
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from workbench.colours import GOLD_MARK, Theme
from workbench.errors import StoreError
from workbench.graph import EDGE_KINDS
from workbench.methods.adaptive import AdaptiveConfig, Spread
from workbench.records import Question
from workbench.spread import Attribution, SpreadTrace, WhatIf, attribution, trace
from workbench.ui import cached, context, graph_component, navigation
from workbench.ui.cached import OpenCase
from workbench.ui.comparison import gold_of, matched_words
from workbench.ui.context import Context
from workbench.ui.diffusion_charts import apart, charts, drawn_notes, mark
from workbench.ui.diffusion_view import (
    bars_html,
    edge_bars,
    equation,
    equation_html,
    frames,
    kind_of,
    line_of,
    masses_of,
    move,
    move_rows,
    name_of,
    node_rows,
    part_of,
    seed_bars,
    shown_nodes,
    unit_radius,
    walks_html,
)
from workbench.ui.graph_component import Steps
from workbench.ui.graph_details import drawable
from workbench.ui.graph_layout import Layout, layered
from workbench.ui.graph_view import SEED_MARK, WORD, GraphView
from workbench.ui.navigation import page
from workbench.ui.node_panel import plain
from workbench.ui.note_view import short_title, show_note
from workbench.words import counted, visible

HEIGHT = 640
GRAPH, CHARTS = "diffusion-graph", "diffusion-charts"
GRAPH_FIRST = 0.4
"""Seconds by which the charts come after the graph when the page is opened: their library keeps a browser busy for a second, and
the graph is what the page is about (ours)."""
LIMITS = (30, 50, 80, 150, 300)
CHIPS = 14
"""Seeds that have a switch, the largest first; the others are counted."""
MAX_ALPHA = 0.95
"""Most of alpha on this page: at 0.99 the iteration takes over 2,000 steps."""
DEFAULT = AdaptiveConfig()
EDGE_WORDS = {
    "tag_topic": "Tag – topic",
    "topic_file": "Topic – note",
    "similarity": "Similar topics",
    "ontology": "Broader – narrower",
    "instance": "Tag – concept",
    "chronological": "Time order",
}
SWITCHES = {"diffusion": "Diffusion", "chronological": "Time order", "file_seeding": "Note seeds"}
"""The components that the paper's ablation switches off (TAGGRAPH 5.1)."""


@page("diffusion", "Diffusion", icon=":material/blur_on:", order=110, group="Inside a method")
def show() -> None:
    """Draw the page."""
    chosen = context.require_case()
    st.header("Diffusion")
    st.caption("How AdaptiveGraph spreads a question from tags and notes over the graph, step by step, until nothing moves.")
    try:
        _body(chosen)
    except StoreError as error:
        context.show_problem(str(error))


# --- what is worked out -----------------------------------------------------------------------------------------------------


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
def _run(opened: OpenCase, text: str, config: AdaptiveConfig, muted: tuple[str, ...]) -> Run:
    """The caller holds the case's lock."""
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
        return min(int(_state()["step"]), self.last)

    @cached_property
    def gold(self) -> frozenset[str]:
        found = gold_of(self.question, self.opened.memory)
        return frozenset(found.notes) if found else frozenset()

    @cached_property
    def selected(self) -> str:
        """The chosen node; else the best gold note, else the first note."""
        note, node = context.current().note_id, str(_state()["node"])
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


def _body(chosen: Context) -> None:
    assert chosen.extraction is not None  # a case always has one
    opened = cached.open_case(chosen.store_path, chosen.case_key, chosen.extraction)
    question = next((q for q in opened.case.questions if q.id == chosen.question_id), None)
    _adopt_url(chosen)
    limit = _controls(chosen, question)
    if not chosen.query.strip():
        st.info("Type a question above, or choose one in the sidebar.", icon=":material/edit:")
        return
    picture = st.container()
    table, panel = st.columns([1, 1], gap="small")
    panel = panel.container(border=True, key="what-if")
    with opened.lock:
        with panel:
            config = _what_if_controls()
        before = _run(opened, chosen.query, DEFAULT, ())
        seeds = _run(opened, chosen.query, config, ())
        starting = set(_starting(seeds))
        muted = tuple(sorted(node for node in _state()["mute"] if node in starting))
        shown = Shown(opened, question, chosen.query, config, muted, before, seeds, _run(opened, chosen.query, config, muted))
        with panel:
            _seed_chips(shown)
            _moves(shown)
        with picture:
            drawn = _picture(shown, limit)
        if drawn is not None:
            with table:
                _table(shown, drawn.nodes)
    _write_url(shown)
    if drawn is not None:
        if st.session_state.get("arrived"):
            time.sleep(GRAPH_FIRST)
        with opened.lock, drawn.charts:
            _charts(shown, drawn.iterations)


# --- the page's own state: step, node and seeds switched off; in the session and in the URL ------------------------------------


def _state() -> dict[str, Any]:
    return st.session_state.setdefault("diffusion", {"step": 0, "node": "", "mute": ()})  # type: ignore[no-any-return]


def _from_url() -> dict[str, Any]:
    step = st.query_params.get("step", "")
    return {
        "step": int(step) if step.isascii() and step.isdigit() and len(step) < 6 else 0,
        "node": st.query_params.get("node", ""),
        "mute": tuple(st.query_params.get_all("mute")),
    }


def _adopt_url(chosen: Context) -> None:
    """Take over what the URL says where it is not what was written there, and start anew with another question."""
    asked = (str(chosen.store_path), chosen.case_key, chosen.query)
    here = st.session_state.get("diffusion-of")
    if not st.session_state.pop("diffusion-touched", False) and _from_url() != st.session_state.get("diffusion-written"):
        st.session_state["diffusion"] = _from_url()
    elif here is not None and here != asked:
        st.session_state["diffusion"] = {"step": 0, "node": "", "mute": ()}
    st.session_state["diffusion-of"] = asked


def _write_url(shown: Shown) -> None:
    state = _state()
    state["step"], state["mute"] = shown.step, shown.muted
    if state["node"] not in shown.traced.spread.graph.node_ids:
        state["node"] = ""
    wanted = {"step": [str(state["step"])] if state["step"] else [], "node": [state["node"]] if state["node"] else []}
    for name, values in (wanted | {"mute": list(state["mute"])}).items():
        if st.query_params.get_all(name) != values:
            if values:
                st.query_params[name] = values
            else:
                del st.query_params[name]
    st.session_state["diffusion-written"] = dict(state)


def _change(**values: Any) -> None:
    """For callbacks: of widgets that are bound to the URL too, so that a browser that lags behind can't set back the rest."""
    _state().update(values)
    st.session_state["diffusion-touched"] = True


def _select(node: str) -> None:
    """Choose a node. A note is the one that all pages have open beside them."""
    is_note = node.startswith("file:")
    _change(node="" if is_note else node)
    context.select(note=node.removeprefix("file:") if is_note else "")


# --- the controls on top ----------------------------------------------------------------------------------------------------


def _controls(chosen: Context, question: Question | None) -> int:
    st.session_state["diffusion-query"] = chosen.query
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = question.text if question else ""
        st.text_input("Question", key="diffusion-query", on_change=_asked, args=(text,), label_visibility="collapsed")
        if chosen.typed:
            st.button("Back to the question", key="untype", icon=":material/undo:", on_click=context.select, kwargs={"q": ""})
        with st.popover("More", icon=":material/tune:", key="more-diffusion"):
            limit = st.select_slider("Most nodes", LIMITS, 50, key="drawn", bind="query-params", on_change=_change)
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
    _selected(shown, view)
    return Drawn(nodes, right.container(), apart(range(shown.last + 1), [event.iteration for event in events]))


def _seed_line(shown: Shown) -> None:
    """Where the walk starts and where gold stands, in one line."""
    traced = shown.traced
    seeds = traced.spread.seeds
    kinds = [kind_of(node) for node in _starting(shown.run)]
    parts = [f"{counted(kinds.count('tag'), 'tag')} and {counted(kinds.count('file'), 'note')} as seeds"]
    if shown.gold:
        ranks = [each.first_of(shown.gold) for each in (traced.ranks[0], traced.ranks[-1])]
        said = [
            f"{rank} of {len(each.notes)}" if rank else "not ranked"
            for rank, each in zip(ranks, (traced.ranks[0], traced.ranks[-1]), strict=True)
        ]
        parts.append(f"{GOLD_MARK} gold {said[0]} by the seeds, {said[1]} in the end")
    parts += seeds.remarks
    changed = _changes(shown)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(" · ".join(plain(part) for part in parts), width="content")
        if changed:
            st.caption(f":material/science: **What if:** {plain(', '.join(changed))}", width="content")
            st.button("Undo all", key="undo-all", icon=":material/undo:", type="tertiary", on_click=_undo)


def _no_seeds(shown: Shown) -> None:
    if _starting(shown.seeds):
        st.info("All seeds are switched off, so there is nothing to spread.", icon=":material/toggle_off:")
        st.button("Switch them on", key="unmute", on_click=_change, kwargs={"mute": ()})
        return
    if _starting(shown.before):
        st.info("With what is switched off, nothing of the question is left to spread.", icon=":material/toggle_off:")
        st.button("Undo all", key="undo-all", icon=":material/undo:", on_click=_undo)
        return
    reasons = "; ".join(shown.traced.spread.seeds.remarks) or "the query holds no word"
    st.info("Nothing of the question is in this case, so there is nothing to spread.", icon=":material/search_off:")
    st.text(f"Why: {visible(reasons)}")
    st.caption("Try other words in the question above, another extraction in the sidebar, or look at the whole case.")
    navigation.link("graph", "Graph of the case")


def _starting(run: Run) -> list[str]:
    """The seeds' node ids, the largest first."""
    mass, names = run.traced.spread.seeds.mass, run.traced.spread.graph.node_ids
    return [names[at] for at in (-mass).argsort(kind="stable").tolist() if mass[at] > 0]


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
        frozenset(_starting(shown.run)),
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
    _select(picked.nodes[-1] if picked.nodes else "")


def _stepped() -> None:
    _change(step=graph_component.step(GRAPH) or 0)


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
            _select(f"file:{note}")
        else:
            _change(step=int(iteration))


# --- the selected node ------------------------------------------------------------------------------------------------------


def _selected(shown: Shown, view: GraphView) -> None:
    node, memory = shown.selected, shown.opened.memory
    if not node:
        return
    note = shown.selected_note
    with st.container(border=True, key="selected"):
        title, read = st.columns([7, 1], vertical_alignment="center")
        with title.container(horizontal=True, vertical_alignment="center"):
            mark = f" · {GOLD_MARK} gold" if note in shown.gold else ""
            st.markdown(f"**Selected {WORD[kind_of(node)]}**{mark}", width="content")
            st.text(name_of(node, memory), width="content")
        if note:
            with read.popover("Read", key="read-note", width="stretch"):
                show_note(memory[note], matched_words(shown.query, memory), shown.question, note in shown.gold)
        if note:
            *parts, sum_at = st.columns(3, gap="medium")
            _attribution(shown, parts)
        else:
            sum_at = st.container()
        with sum_at:
            st.markdown(f"**Equation of step {shown.step}**")
            st.html(equation_html(equation(shown.traced, node, shown.step), memory))
        if note:
            _walks(shown, view)


def _attribution(shown: Shown, places: Sequence[DeltaGenerator]) -> None:
    """What brought the note's score in the end: the same sum split twice."""
    ranks, memory = shown.traced.ranks[-1], shown.opened.memory
    rank = ranks.rank_of(shown.selected_note)
    if rank is None:
        places[0].caption("No mass reaches this note in the end, so it is not ranked.")
        return
    found = shown.run.attribution(shown.selected_note)
    with places[0]:
        st.markdown("**Its score by seed**: whose mass it is")
        st.html(bars_html(seed_bars(found, memory)))
    with places[1]:
        st.markdown("**By last edge**: how it came in")
        st.html(bars_html(edge_bars(found, memory)))
        st.caption(f"Both sum to the score in the end: rank {rank} of {len(ranks.notes)}.")


def _walks(shown: Shown, view: GraphView) -> None:
    if shown.selected_note not in shown.traced.ranks[-1].notes:
        return
    found = shown.run.attribution(shown.selected_note)
    if found.walks:
        hidden = {node for nodes, _ in found.walks for node in nodes} - set(view.graph)
        where = "drawn in the graph" + (" but for the nodes in brackets" if hidden else "")
        st.markdown(f"**Strongest walks** and their share of the score, {where}")
        st.html(walks_html(found, shown.opened.memory, frozenset(view.graph)))


# --- the table --------------------------------------------------------------------------------------------------------------


def _table(shown: Shown, nodes: Sequence[str]) -> None:
    rows = node_rows(shown.traced, shown.step, nodes)
    ids = [row.node for row in rows]
    key = f"mass-{hashlib.sha256(repr(ids).encode()).hexdigest()[:16]}"
    st.session_state[key] = {"selection": {"rows": [ids.index(shown.selected)] if shown.selected in ids else []}}

    def chosen() -> None:
        picked = st.session_state[key]["selection"]["rows"]
        _select(ids[picked[0]] if picked else "")

    seeds = set(_starting(shown.run))
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


def _marks(node: str, seeds: set[str], gold: frozenset[str]) -> str:
    is_gold = node.startswith("file:") and node.removeprefix("file:") in gold
    is_seed = node in seeds
    return f"{GOLD_MARK} gold {SEED_MARK if is_seed else ''}".strip() if is_gold else f"{SEED_MARK} seed" if is_seed else ""


# --- what if ----------------------------------------------------------------------------------------------------------------


def _what_if_controls() -> AdaptiveConfig:
    """The changed configuration; what is left alone stays out of the URL."""
    st.markdown("**What if** · all of the page follows, and the ranks are compared with the unchanged run")
    alpha_at, share_at = st.columns(2, gap="medium")
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with alpha_at:
        words = "How much of the mass goes on along the edges at each step; the rest restarts at the seeds."
        alpha = st.slider(
            "alpha", 0.0, MAX_ALPHA, DEFAULT.alpha, 0.01, key="alpha", bind="query-params", on_change=_change, help=words
        )
    with share_at:
        words = "How much of the restart goes to notes that hold the question's words, the rest to tags."
        share = st.slider(
            "Share of the seeds on notes",
            0.0,
            1.0,
            DEFAULT.file_seed_share,
            0.05,
            key="share",
            bind="query-params",
            on_change=_change,
            help=words,
        )
    with row:
        on = st.pills(
            "Switched on",
            list(SWITCHES),
            selection_mode="multi",
            default=list(SWITCHES),
            format_func=SWITCHES.__getitem__,
            key="on",
            bind="query-params",
            on_change=_change,
        )
    with row, st.popover("Edges", icon=":material/polyline:", key="edges-diffusion"):
        direction = st.segmented_control(
            "Direction",
            ["symmetric", "directed"],
            default=DEFAULT.direction,
            format_func={"symmetric": "Both ways", "directed": "Tag to topic to note"}.__getitem__,
            key="direction",
            bind="query-params",
            on_change=_change,
            required=True,
        )
        weights = {f"weight_{kind}": _weight_slider(kind) for kind in EDGE_KINDS}
    switches = {name: name in on for name in SWITCHES}
    values: dict[str, Any] = {"alpha": alpha, "file_seed_share": share, "direction": direction, **switches, **weights}
    return replace(DEFAULT, **values)


def _weight_slider(kind: str) -> float:
    standard = float(getattr(DEFAULT, f"weight_{kind}"))
    words = "Factor on the weight of these edges; 0 leaves them out"
    return st.slider(
        EDGE_WORDS[kind], 0.0, 3.0, standard, 0.25, key=f"w_{kind}", bind="query-params", on_change=_change, help=words
    )


def _changes(shown: Shown) -> list[str]:
    """What differs from the unchanged run, in words."""
    config = shown.config
    found = []
    if config.alpha != DEFAULT.alpha:
        found.append(f"alpha {config.alpha:g} (not {DEFAULT.alpha:g})")
    if config.file_seed_share != DEFAULT.file_seed_share:
        found.append(f"{config.file_seed_share:.0%} of the seeds on notes (not {DEFAULT.file_seed_share:.0%})")
    found += [f"{words.lower()} off" for name, words in SWITCHES.items() if not getattr(config, name)]
    if config.direction != DEFAULT.direction:
        found.append("edges one way")
    for kind in EDGE_KINDS:
        if config.edge_weights[kind] != DEFAULT.edge_weights[kind] and (config.chronological or kind != "chronological"):
            found.append(f"{EDGE_WORDS[kind].lower()} × {config.edge_weights[kind]:g}")
    if shown.muted:
        found.append(f"{counted(len(shown.muted), 'seed')} off")
    return found


def _undo() -> None:
    st.session_state.update(
        alpha=DEFAULT.alpha,
        share=DEFAULT.file_seed_share,
        on=list(SWITCHES),
        direction=DEFAULT.direction,
        **{f"w_{kind}": float(getattr(DEFAULT, f"weight_{kind}")) for kind in EDGE_KINDS},
    )
    _change(mute=())


def _seed_chips(shown: Shown) -> None:
    """A switch for each of the largest seeds, and for any that is off."""
    every = _starting(shown.seeds)
    if not every:
        return
    listed = [node for at, node in enumerate(every) if at < CHIPS or node in shown.muted]
    spread, memory = shown.seeds.traced.spread, shown.opened.memory
    mass = dict(zip(spread.graph.node_ids, spread.seeds.mass.tolist(), strict=True))

    def words(node: str) -> str:
        name = " ".join(name_of(node, memory).split())
        short = name if len(name) <= 30 else name[:29] + "…"
        return plain(f"{WORD[kind_of(node)]} {short} {mass[node]:.0%}")

    key = f"seeds-{hashlib.sha256(repr(listed).encode()).hexdigest()[:16]}"
    st.session_state[key] = [node for node in listed if node not in shown.muted]

    def switched() -> None:
        _change(mute=tuple(node for node in listed if node not in st.session_state[key]))

    st.pills("Seeds, with their share", listed, selection_mode="multi", format_func=words, key=key, on_change=switched)
    if len(listed) < len(every):
        rest = sum(mass[node] for node in every if node not in listed)
        st.caption(f"and {counted(len(every) - len(listed), 'seed')} more with {rest:.0%} of the mass")


def _moves(shown: Shown) -> None:
    """Ranks before and after the change."""
    if not _changes(shown):
        st.caption("Nothing is changed yet. Move a slider or switch a seed off to see whose rank depends on it.")
        return
    compared = WhatIf(shown.before.traced.spread, shown.traced.spread)
    rows = move_rows(compared, shown.gold)
    memory = shown.opened.memory
    of = f"{len(shown.before.traced.ranks[-1].notes)} before, {len(shown.traced.ranks[-1].notes)} after"
    st.markdown(f"**First ten before and after, and gold** · ranked notes: {of}")
    frame = pd.DataFrame(
        {
            "Before": [row.before for row in rows],
            "After": [row.after for row in rows],
            "Move": [move(row.before, row.after) for row in rows],
            "Mark": [f"{GOLD_MARK} gold" if row.is_gold else "" for row in rows],
            "Note": [short_title(memory[row.note_id]) for row in rows],
        }
    ).astype({"Before": "Int64", "After": "Int64"})
    st.dataframe(
        frame,
        key="moves",
        hide_index=True,
        placeholder="–",
        height="content",
        column_config={"Note": st.column_config.TextColumn(width="large")},
        alt="Ranks before and after the change",
    )
