"""The panel beside the graph: what the selected node is, with links to its neighbours.

The selected node and the expanded ones live in the session. The URL follows, and leads where a link was opened or the browser
went back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import networkx as nx
import streamlit as st

from workbench.memory import Memory
from workbench.records import Note, Question
from workbench.ui.comparison import matched_words
from workbench.ui.graph_details import Marks, concept_details, tag_details, topic_details
from workbench.ui.graph_view import SEED_MARK, WORD, GraphView, edge_ends
from workbench.ui.note_view import note_html, short_title
from workbench.words import counted, visible

LISTED = 8
"""Links of one list; the table below the graph has the rest."""
_NODE, _EDGE, _EXPANDED = "graph-node", "graph-edge", "graph-expanded"
_WRITTEN, _TOUCHED = "graph-written", "graph-touched"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked: a text, and the question with its gold unless the text was typed; ``method`` gives the ranks."""

    query: str
    question: Question | None
    method: str = ""


def selected() -> str:
    """The selected node's id; empty for none."""
    return str(st.session_state[_NODE])


def expanded() -> list[str]:
    """Nodes whose surroundings are drawn as well."""
    return list(st.session_state[_EXPANDED])


def select(node: str, edge: str = "") -> None:
    """Select a node, or an edge, or nothing; for callbacks."""
    st.session_state[_NODE] = node
    st.session_state[_EDGE] = edge
    st.session_state[_TOUCHED] = True  # the session leads this run, also where the browser has not heard of the last one


def forget_lost_nodes(graph: nx.DiGraph) -> None:
    """Adopt the URL where it is not what we wrote; drop what this graph has not; write the rest to the URL."""
    shown = (st.query_params.get("node", ""), st.query_params.get_all("expand"))
    is_ours = shown == st.session_state.get(_WRITTEN)
    # A link of the menu names no node: who comes back to this page finds what was selected.
    is_return = not any(shown) and st.session_state.get("arrived", False)
    if _NODE not in st.session_state or not (st.session_state.pop(_TOUCHED, False) or is_ours or is_return):
        st.session_state[_NODE], st.session_state[_EXPANDED] = shown
        st.session_state[_EDGE] = ""
    if selected() not in graph:
        st.session_state[_NODE] = ""
    st.session_state[_EXPANDED] = [node for node in expanded() if node in graph]
    st.session_state[_WRITTEN] = (selected(), expanded())
    for name, value in (("node", selected()), ("expand", expanded())):
        if value and st.query_params.get_all(name) != ([value] if isinstance(value, str) else value):
            st.query_params[name] = value
        elif not value and name in st.query_params:
            del st.query_params[name]


def _set_expanded(nodes: list[str]) -> None:
    st.session_state[_EXPANDED] = nodes
    st.session_state[_TOUCHED] = True


def _expand(node: str) -> None:
    _set_expanded([*expanded(), node])


def _fold(node: str) -> None:
    _set_expanded([other for other in expanded() if other != node])


_AUTOLINK = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=[\w.+-])(?=@[\w.-]*\.\w)", re.IGNORECASE)
"""Where an address would be made a link, which no escape prevents: an unseen word joiner there does."""


def plain(text: str) -> str:
    """Text as Markdown that shows it as it is, controls by their names."""
    shown = _AUTOLINK.sub("\u2060", visible(text))
    return "".join(f"\\{c}" if c in "\\`*_{}[]()#+-.!|<>$:~" else c for c in shown)


def show(view: GraphView, memory: Memory, marks: Marks, asked: Asked) -> None:
    """Draw the panel. The caller holds the memory's lock."""
    if selected():
        _node(selected(), view, memory, marks, asked)
    elif st.session_state[_EDGE]:
        _edge(st.session_state[_EDGE], view)
    else:
        st.markdown("**Nothing selected**")
        st.caption("Click a node in the picture, or choose a row of the table below, to read it here.")
        for node in expanded():
            label = f"Fold {plain(node.partition(':')[2])}"
            st.button(label, key=f"fold-{node}", on_click=_fold, args=(node,), icon=":material/close:", type="tertiary")


def _node(node: str, view: GraphView, memory: Memory, marks: Marks, asked: Asked) -> None:
    kind, _, name = node.partition(":")
    st.caption(WORD["ontology" if kind == "ont" else kind].capitalize() + ("" if node in view.graph else ", not in the picture"))
    if kind == "tag":
        _tag(name, memory, marks)
    elif kind == "topic":
        _topic(name, memory)
    elif kind == "file":
        _note(memory[name], node, memory, marks, asked)
    else:
        _concept(name, memory)
    with st.container(horizontal=True):
        if node in expanded():
            st.button("Fold", on_click=_fold, args=(node,), icon=":material/unfold_less:")
        else:
            help_ = "Draw what is around this node too"
            st.button("Expand", on_click=_expand, args=(node,), icon=":material/unfold_more:", help=help_)
        st.button("Close", on_click=select, args=("",), icon=":material/close:")


def _tag(path: str, memory: Memory, marks: Marks) -> None:
    tag = tag_details(memory, path)
    st.text(visible(path))
    if f"tag:{path}" in marks.seeds:
        st.markdown(f"**{SEED_MARK} matched by the query**")
    st.caption(f"{', '.join(tag.categories)} · in {len(tag.notes):,} of {counted(tag.of, 'note')} · idf {tag.idf:.2f}")
    if tag.near:
        st.markdown("**Near-duplicates**")
        others = [(pair.second if pair.first == path else pair.first, pair.reason) for pair in tag.near]
        _links((f"tag:{other}", f"{other} ({reason})") for other, reason in others)
    _note_links("Notes with this tag", tag.notes)


def _topic(label: str, memory: Memory) -> None:
    topic = topic_details(memory, label)
    st.text(visible(label))
    st.caption(f"{counted(len(topic.notes), 'note')} · {counted(len(topic.attributes), 'attribute')}")
    _note_links("Members", topic.notes)
    if topic.similar:
        st.markdown("**Similar topics**, by share of common attributes")
        _links((f"topic:{other}", f"{other} ({share:.2f})") for other, share in topic.similar)
    st.markdown("**Attributes**")
    _links((f"tag:{path}", f"{category}: {path}") for category, path in topic.attributes)


def _concept(path: str, memory: Memory) -> None:
    concept = concept_details(memory, path)
    st.text(visible(path))
    st.caption(f"{counted(concept.tags, 'tag')} and {counted(concept.notes, 'note')} at or below this concept")
    if concept.broader:
        st.markdown("**Broader**")
        _links([(f"ont:{concept.broader}", concept.broader)])
    if concept.narrower:
        st.markdown("**Narrower**")
        _links((f"ont:{other}", other) for other in concept.narrower)


def _note(note: Note, node: str, memory: Memory, marks: Marks, asked: Asked) -> None:
    if node in marks.ranks:
        st.caption(f"rank {marks.ranks[node]} of {counted(marks.candidates, 'candidate')} by {plain(asked.method)}")
    st.html(note_html(note, matched_words(asked.query, memory), asked.question, node in marks.gold))
    st.markdown("**Go to a tag**")
    _links((f"tag:{path}", path) for path in note.extraction.paths)


def _edge(edge: str, view: GraphView) -> None:
    a, b = edge_ends(edge)
    if not view.graph.has_edge(a, b):
        return  # the view has changed since it was selected
    data = view.graph.edges[a, b]
    st.caption(f"Edge · {data['kind'].replace('_', ' to ')} · weight {data['weight']:.2g}")
    _links([(a, a.partition(":")[2]), (b, b.partition(":")[2])])


def _note_links(title: str, notes: Sequence[Note]) -> None:
    st.markdown(f"**{title}**, newest first")
    _links((f"file:{note.id}", short_title(note)) for note in notes)


def _links(nodes: Iterable[tuple[str, str]]) -> None:
    """Buttons that select a node: the way to walk the graph with the keyboard."""
    listed = list(nodes)
    with st.container(gap=None):
        for at, (node, words) in enumerate(listed[:LISTED]):
            key = f"go-{at}-{node}-{words}"
            st.button(plain(words), key=key, on_click=select, args=(node,), type="tertiary", wrap=False)
    if len(listed) > LISTED:
        st.caption(f"and {len(listed) - LISTED:,} more")
