"""Page Graph: the tag-topic-file graph around a question, with the selected node beside it and the same as a table below."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import networkx as nx
import pandas as pd
import streamlit as st

from workbench.colours import GOLD_MARK, Theme
from workbench.errors import StoreError, WorkbenchError
from workbench.graph import GraphConfig, tag_graph
from workbench.memory import Memory
from workbench.records import CATEGORIES, Ranking
from workbench.ui import cached, context, graph_component, node_panel, own_question
from workbench.ui.cached import OpenCase
from workbench.ui.comparison import spoken, spoken_remark
from workbench.ui.context import Context
from workbench.ui.graph_details import Marks, drawable, question_marks
from workbench.ui.graph_files import graphml, offline_html
from workbench.ui.graph_layout import LAYOUTS, Layout
from workbench.ui.graph_scope import KINDS, Scope, ego_view, find, paths_between
from workbench.ui.graph_view import SEED_MARK, WORD, GraphView
from workbench.ui.navigation import page
from workbench.ui.node_panel import Asked, plain, select, selected
from workbench.words import counted, visible

HEIGHT = 640
HITS = 5
"""Hits of the chosen method that the view is built around; the paper's cut for reading (TAGGRAPH 5.4)."""
RANKED = 10
KEPT_PATH = 40
"""Most nodes of the shortest paths to gold that are drawn around the question; longer ones have a view of their own."""
AROUND, PATHS, WHOLE = "around", "paths", "whole"
VIEWS = {AROUND: "Question", PATHS: "Paths to gold", WHOLE: "Whole case"}
LAYOUT_WORDS = {"layered": "Layered", "force": "Force", "timeline": "Time line"}
LIMITS = (60, 150, 300, 1000, 3000, 5000)
MOST = {AROUND: 150, PATHS: 150, WHOLE: 5000}
"""Most nodes of a view until another number is chosen (ours): around a question as many as can be read, of a case all."""


@page("graph", "Graph", icon=":material/account_tree:", order=30)
def show() -> None:
    """Draw the page."""
    chosen = context.require_case()
    st.header("Graph")
    st.caption("How a question reaches notes: from concepts and tags over topics, read from left to right.")
    assert chosen.extraction is not None  # a case always has one
    opened = cached.open_case(chosen.store_path, chosen.case_key, chosen.extraction)
    # A typed text has no gold, whatever question it was typed over.
    question = next((q for q in opened.case.questions if q.id == chosen.question_id and not chosen.typed), None)
    with opened.lock:
        graph = drawable(opened.memory)
    if not any(kind == "tag" for _, kind in graph.nodes(data="kind")):
        _no_tags(graph)
    node_panel.forget_lost_nodes(graph)
    method = _controls(chosen, opened)
    asked = Asked(chosen.query, question, method)
    ranking = None
    if chosen.query:
        ranking = _ranking(chosen, method)
    with opened.lock:
        marks = question_marks(opened.memory, asked.query, asked.question, ranking, method, RANKED)
    view = _view(graph, marks, bool(asked.query))
    if asked.query:
        _question_line(asked.query, marks, method if ranking is not None else "", bool(view and view.path))
    if view is None:
        return
    left, right = st.columns([2.6, 1])
    with left:
        drawn = [selected()] if selected() in view.graph else []
        graph_component.show(view, "graph", HEIGHT, drawn, _picked)
    with right, st.container(height=HEIGHT, border=True, key="node-panel"), opened.lock:
        node_panel.show(view, opened.memory, marks, asked)
    with opened.lock:
        _health(opened.memory)
    _table(view)
    _downloads(view, chosen)


def _ranking(chosen: Context, method: str) -> Ranking | None:
    """The method's hits, which are marked; where it can't answer, that is said and nothing is marked."""
    assert chosen.extraction is not None  # a case always has one
    asked = (chosen.store_path, chosen.case_key, chosen.extraction, method, chosen.query)
    try:
        return cached.rank(*asked, question_id=chosen.question_id).ranking
    except StoreError:
        raise
    except WorkbenchError as error:
        with st.container(border=True):
            st.markdown(f":material/error: **{method}** can't answer")
            st.text(str(error))
        return None


def _health(memory: Memory) -> None:
    """Whether topics group anything; a warning where they do not (decision 5)."""
    health = tag_graph(memory, GraphConfig()).health
    line = f"{counted(health.topics, 'topic')}, {health.singleton_share:.0%} of them with a single note"
    largest = f"the largest, {visible(health.largest_label)}, with {counted(health.largest, 'note')}"
    st.caption(plain(" · ".join([line, largest, *(f"⚠ {visible(warning)}" for warning in health.warnings)])))


def _no_tags(graph: nx.DiGraph) -> None:
    notes = sum(kind == "file" for _, kind in graph.nodes(data="kind"))
    st.info(
        f"None of this case's {counted(notes, 'note')} has a tag, so there is no graph to show. "
        "Choose another extraction in the sidebar, or load the case with another extractor.",
        icon=":material/label_off:",
    )
    st.stop()


# --- what is chosen on this page --------------------------------------------------------------------------------------------


def _controls(chosen: Context, opened: OpenCase) -> str:
    """Three controls in sight, the rest behind *More*; all of them in the URL. Returns the method whose hits are marked."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        context.forget_unreadable("view", "layout")
        st.segmented_control(
            "Show", list(VIEWS), default=AROUND, format_func=VIEWS.__getitem__, key="view", bind="query-params", required=True
        )
        st.segmented_control(
            "Layout",
            list(LAYOUTS),
            default="layered",
            format_func=LAYOUT_WORDS.__getitem__,
            key="layout",
            bind="query-params",
            required=True,
        )
        st.text_input(
            "Search", placeholder="Tag, topic, note", key="find", bind="query-params", icon=":material/search:", width=150
        )
        with st.popover("More", icon=":material/tune:"):
            st.pills(
                "Kinds",
                KINDS,
                selection_mode="multi",
                default=KINDS,
                format_func=lambda kind: WORD[kind].capitalize(),
                key="kinds",
                bind="query-params",
            )
            st.pills(
                "Tags of",
                CATEGORIES,
                selection_mode="multi",
                default=CATEGORIES,
                format_func=str.capitalize,
                key="tags",
                bind="query-params",
            )
            st.slider("Steps away", 0, 4, 1, key="steps", bind="query-params", help="Edges in time order don't count as a step.")
            view = st.session_state.view
            st.select_slider("Most nodes", LIMITS, MOST[view], key=_most(view), bind="query-params")
            names = list(chosen.methods)
            method = st.selectbox(
                "Ranks of",
                names,
                index=names.index("adaptive") if "adaptive" in names else 0,
                key="ranks_of",
                bind="query-params",
            )
        own_question.popover(chosen, opened, None)
    return str(method)


def _most(view: str) -> str:
    """The slider's key: the whole case has a number of its own."""
    return "most_whole" if view == WHOLE else "most"


def _reset() -> None:
    st.session_state.update(view=AROUND, find="", kinds=list(KINDS), tags=list(CATEGORIES), steps=1, most=MOST[AROUND])


def _picked() -> None:
    """A selection in the drawing: a node, an edge, or nothing."""
    picked = graph_component.selection("graph")
    select(picked.nodes[-1] if picked.nodes else "", picked.edges[0] if picked.edges else "")


# --- the picture ------------------------------------------------------------------------------------------------------------


def _view(graph: nx.DiGraph, marks: Marks, asked: bool) -> GraphView | None:
    """What is to be drawn; None where that is nothing, after saying why and what to do."""
    state = st.session_state
    path = paths_between(graph, marks.seeds, marks.gold)
    within = path if state.view == PATHS else None
    if within == set():
        _no_path(marks)
        return None
    if state.find.strip() and not find(graph, state.find):
        _not_found(state.find)
        return None
    # Of a whole case every node is drawn, connected to the question or not.
    around = [] if state.view == WHOLE else [*marks.centres(HITS), *node_panel.expanded()]
    kept = [*marks.gold_tags, *(path if len(path) <= KEPT_PATH else ()), *([selected()] if selected() else [])]
    if asked and state.view == AROUND and not around and not state.find:
        st.info(
            "Nothing of the question is in this graph. Search for a word, or show the whole case.", icon=":material/search_off:"
        )
        st.button("Show the whole case", on_click=lambda: state.update(view=WHOLE))
        return None
    scope = ego_view(
        graph,
        around,
        hops=state.steps if state.find or (around and state.view == AROUND) else None,
        limit=state[_most(state.view)],
        kinds=state.kinds,
        categories=state.tags,
        search=state.find,
        within=within,
        keep=kept if state.view == AROUND and not state.find else (),
    )
    if not len(scope.graph):
        _all_hidden(scope)
        return None
    layout = _laid_out(state.layout, _key(scope.graph), scope.graph)
    return GraphView(
        scope.graph,
        layout,
        marks.seeds,
        marks.gold,
        marks.ranks,
        frozenset(path) if path <= set(scope.graph) else frozenset(),
        scope.hidden,
    )


def _key(graph: nx.DiGraph) -> tuple[Any, ...]:
    return tuple(sorted(graph.nodes(data="order"))), tuple(sorted(graph.edges))


@st.cache_data(max_entries=32, show_spinner="Placing the nodes")
def _laid_out(name: str, key: tuple[Any, ...], _graph: nx.DiGraph) -> Layout:
    return LAYOUTS[name](_graph)


def _no_path(marks: Marks) -> None:
    reason = (
        "No tag of this case matches a word of the question"
        if not marks.seeds
        else "The gold of this question is not among the notes of this case"
        if not marks.gold
        else "No path leads from a matched tag to a gold note"
    )
    st.info(f"{reason}. Show what is around the question instead.", icon=":material/route:")
    st.button("Around the question", on_click=lambda: st.session_state.update(view=AROUND))


def _not_found(words: str) -> None:
    st.info(
        f"Nothing in this case is called “{plain(words)}”: no label of a tag, topic, note or concept holds it.",
        icon=":material/search_off:",
    )
    st.button("Clear the search", on_click=lambda: st.session_state.update(find=""), icon=":material/close:")


def _all_hidden(scope: Scope) -> None:
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in scope.hidden.items())
    st.info(f"All {sum(scope.hidden.values()):,} nodes are hidden: {reasons}.", icon=":material/visibility_off:")
    st.button("Reset the view", on_click=_reset)


def _question_line(query: str, marks: Marks, method: str, has_path: bool) -> None:
    """The question with what it met, in one line of text; without a rank where no ``method`` has answered."""
    st.text(visible(query))
    tags = [node.partition(":")[2] for node in sorted(marks.seeds)]
    met = f"Matches {', '.join(tags[:4])}{f' and {len(tags) - 4} more tags' if len(tags) > 4 else ''}" if tags else ""
    gold = counted(len(marks.gold), "gold note") if marks.gold else ""
    rank = ""
    if marks.gold and method:
        place = f"best gold rank {marks.gold_rank}" if marks.gold_rank else "no gold"
        rank = f"{place} of {counted(marks.candidates, 'candidate')} ({method})"
    said = spoken(query)
    remarks = [spoken_remark(remark, said) for remark in marks.remarks]
    path = "thick lines: shortest paths from matched tags to gold" if has_path else ""
    st.caption(" · ".join(plain(part) for part in (met, gold, rank, *remarks, path) if part))


# --- the same as a table ----------------------------------------------------------------------------------------------------


def _table(view: GraphView) -> None:
    """Every drawn node as a row; selecting a row selects the node, by its id and not by its place."""
    ids = sorted(view.graph, key=lambda node: _importance(node, view))
    key = f"nodes-{hashlib.sha256(repr(ids).encode()).hexdigest()[:16]}"
    node = selected()
    st.session_state[key] = {"selection": {"rows": [ids.index(node)] if node in view.graph else []}}

    def chosen() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        select(ids[rows[0]] if rows else "")

    st.dataframe(
        pd.DataFrame([_row(node, view) for node in ids], columns=["Mark", "Kind", "Name", "Notes", "Edges", "Session", "Time"]),
        key=key,
        on_select=chosen,
        selection_mode="single-row",
        hide_index=True,
        height=300,
        placeholder="",
        column_config={"Name": st.column_config.TextColumn(width="large")},
        alt="The nodes of the graph above",
    )


def _importance(node: str, view: GraphView) -> tuple[bool, bool, float, int, str]:
    return (
        node not in view.gold,
        node not in view.seeds,
        view.ranks.get(node, float("inf")),
        KINDS.index(view.graph.nodes[node]["kind"]),
        node,
    )


def _row(node: str, view: GraphView) -> tuple[str, str, str, int | None, int, str, str]:
    data = view.graph.nodes[node]
    marks = [
        *([f"{GOLD_MARK} gold"] if node in view.gold else []),
        *([f"{SEED_MARK} matched"] if node in view.seeds else []),
        *([f"#{view.ranks[node]}"] if node in view.ranks else []),
    ]
    notes = data.get("df", data.get("notes"))
    return (
        " ".join(marks),
        WORD[data["kind"]],
        visible(str(data["label"])),
        notes,
        view.graph.degree(node),
        data.get("session", ""),
        data.get("time", ""),
    )


def _downloads(view: GraphView, chosen: Context) -> None:
    title = f"{chosen.case_key}: {chosen.query}" if chosen.query else chosen.case_key
    stem = f"graph-{chosen.case_key.replace('/', '-')}-{chosen.question_id}".rstrip("-")
    theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
    make: dict[str, tuple[Callable[[], str | bytes], str, str]] = {
        "HTML, works offline": (lambda: offline_html(view, title, theme), f"{stem}.html", "text/html"),
        "GraphML": (lambda: graphml(view.graph), f"{stem}.graphml", "application/xml"),
    }
    with st.container(horizontal=True):
        for label, (build, name, kind) in make.items():
            st.download_button(label, build, name, kind, on_click="ignore", icon=":material/download:", key=f"download-{kind}")
