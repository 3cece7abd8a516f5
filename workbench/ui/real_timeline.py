"""The fact timeline: what held when, by head and relation, and what closed it; beside it what an overwriting graph would hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, datetime

import pandas as pd
import streamlit as st

from workbench.colours import GOLD_MARK, Theme
from workbench.real.intervals import Edge
from workbench.real.relations import readable
from workbench.ui import context
from workbench.ui.note_table import note_table
from workbench.ui.real_charts import extent, how_it_ends, timeline_figure
from workbench.ui.real_facts import show_note_facts
from workbench.ui.real_lanes import Lane, compared, lanes_of, overwriting
from workbench.ui.real_state import Shown, change, holds, one
from workbench.words import counted, visible

CHART = "fact-timeline"
EVERY, ASKED = "everything", "the question's nodes"
LANES = (6, 12, 25, 50)


def show(shown: Shown) -> None:
    """Draw the tab."""
    if not shown.facts:
        st.info("No note of this case states a fact that was found. The tab Facts lists the notes.", icon=":material/info:")
        return
    head, relation, most, known_at = _controls(shown)
    evidence = {edge.id for one in shown.run.searched.found.evidence for edge in one.path.edges} if shown.run else set()
    edges = [edge for edge in shown.edges(known_at) if _fits(edge, shown, head, relation)]
    lanes = lanes_of(edges, shown.registry, evidence)
    if not lanes:
        st.info("No fact is so. Choose another head or relation, or a later day.", icon=":material/filter_alt_off:")
        return
    drawn = lanes[:most]
    single = sum(lane.is_single for lane in lanes)
    st.caption(
        f"{len(drawn):,} of {counted(len(lanes), 'lane')}, {single:,} with one value at a time, marked (1); "
        "lanes with a history come first, then those of the evidence. Click a bar to read its source."
    )
    left, right = st.columns([1.9, 1], gap="small")
    with left:
        _moment_slider(shown, edges)
        theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
        st.plotly_chart(
            timeline_figure(drawn, shown.moment, shown.gold, shown.note_id, theme),
            key=CHART,
            on_select=_clicked,
            selection_mode="points",
            theme=None,
            config={"displayModeBar": False},
            alt="Intervals of facts by head and relation, with the moment asked about",
        )
    with right:
        _overwriting(shown, drawn)
        if shown.note_id in shown.memory:
            show_note_facts(shown, shown.memory[shown.note_id])
    _table(shown, [edge for lane in lanes for edge in lane.edges])


def _controls(shown: Shown) -> tuple[str, str, int, datetime | None]:
    """Draw the filters: head, relation, most lanes, and the moment of knowing (None: all that was ever said)."""
    heads = Counter(fact.head.casefold() for fact in shown.facts)
    names = {fact.head.casefold(): fact.head for fact in reversed(shown.facts)}
    options = [*([ASKED] if _roots(shown) else []), EVERY, *(name for name, _ in heads.most_common())]
    head = one("head") if one("head") in options else options[0]
    relations = Counter(
        fact.relation
        for fact in shown.facts
        if head in (EVERY, fact.head.casefold()) or (head == ASKED and _is_asked(shown, fact.triple))
    )
    kinds = [EVERY, *(name for name, _ in relations.most_common())]
    relation = one("relation") if one("relation") in kinds else EVERY
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _picker("head", "Of", options, head, lambda name: f"{visible(names[name])} ({heads[name]:,})" if name in heads else name)
        words = lambda name: name if name == EVERY else f"{readable(name)} ({relations[name]:,})"  # noqa: E731
        _picker("relation", "Relation", kinds, relation, words)
        with st.popover("More", icon=":material/tune:", key="more-timeline"):
            most = st.select_slider("Most lanes", LANES, 12, key="lanes", bind="query-params")
            known = st.toggle(
                "Only what had been said by then",
                key="known",
                bind="query-params",
                help="The other time of the bitemporal model: what was known at the moment asked about.",
            )
    return head, relation, int(most), shown.moment if known else None


def _picker(name: str, label: str, options: Sequence[str], value: str, words: Callable[[str], str]) -> None:
    key = f"real-{name}"
    st.session_state[key] = value

    def picked() -> None:
        change(**{name: "" if st.session_state[key] == options[0] else st.session_state[key]})

    st.selectbox(label, options, key=key, on_change=picked, format_func=words, width=260)


def _roots(shown: Shown) -> set[str]:
    return {root.node for root in shown.run.searched.found.asked.roots} if shown.run else set()


def _is_asked(shown: Shown, triple: tuple[str, str, str]) -> bool:
    return not _roots(shown).isdisjoint((triple[0], triple[2]))


def _fits(edge: Edge, shown: Shown, head: str, relation: str) -> bool:
    named = head == EVERY or edge.head == head or (head == ASKED and _is_asked(shown, (edge.head, edge.relation, edge.tail)))
    return named and relation in (EVERY, edge.relation)


def _moment_slider(shown: Shown, edges: Sequence[Edge]) -> None:
    if shown.moment is None:
        st.caption("Nothing in this case has a date: there is no moment to ask about.")
        return
    low, high = (time.date() for time in extent(edges, shown.moment))
    key = "moment-slider"
    st.session_state[key] = shown.moment.date()
    st.slider(
        "τ_q, the moment asked about",
        low,
        high,
        key=key,
        on_change=_moved,
        args=(key,),
        format="YYYY-MM-DD",
        label_visibility="collapsed",
    )


def _moved(key: str) -> None:
    day: date | None = st.session_state[key]
    change(at=day.isoformat() if day else "")


def _clicked() -> None:
    points = st.session_state[CHART]["selection"]["points"]
    note = next((point["customdata"][1] for point in points if point.get("customdata")), "")
    if note:
        context.select(note=note)


def _overwriting(shown: Shown, lanes: Sequence[Lane]) -> None:
    """What REAL holds at the moment, and what a graph that overwrites would hold now."""
    found = compared(lanes, shown.moment, overwriting(shown.facts, shown.registry))
    at = f" at {shown.moment:%Y-%m-%d}" if shown.moment else ""
    st.markdown(f"**Held{at}, and what an overwriting graph has left**")
    frame = pd.DataFrame(
        {
            "Lane": [visible(each.lane.name) for each in found],
            "Held then": [_listed(each.valid) for each in found],
            "Overwriting": [_listed(tuple(map(visible, each.overwriting))) for each in found],
            "Lost by it": [_listed(each.lost) for each in found],
        }
    )
    lost = sum(bool(each.lost) for each in found)
    st.dataframe(
        frame,
        hide_index=True,
        height="content" if len(frame) < 9 else 320,
        alt="Values held, and those an overwriting graph has left",
    )
    st.caption(
        f"An overwriting graph has lost values in {lost:,} of {counted(len(found), 'lane')}: what a later value replaced, or "
        "what was taken back. It has no dates, so it answers the same at any moment."
    )


def _listed(values: tuple[str, ...]) -> str:
    shown = ", ".join(values[:4])
    return f"{shown} +{len(values) - 4}" if len(values) > 4 else shown or "—"


def _table(shown: Shown, edges: Sequence[Edge]) -> None:
    rows = [
        {
            "Mark": f"{GOLD_MARK} gold" if shown.is_gold(edge) else "",
            "Head": visible(edge.names[0]),
            "Relation": readable(edge.relation, edge.preposition),
            "Tail": visible(edge.names[1]),
            "Start": f"{edge.start:%Y-%m-%d}" if edge.start else "unknown",
            "Stated": "stated" if edge.is_stated else "assumed",
            "End": f"{edge.end:%Y-%m-%d}" if edge.end else "",
            "How it ends": how_it_ends(edge),
            "Held at τ_q": "yes" if holds(edge, shown.moment) else "no",
            "c": edge.confidence,
            "Intent": edge.intent,
            "Status": edge.status,
            "Said": len(edge.facts),
            "Text": visible(edge.facts[-1].quote),
        }
        for edge in edges
    ]
    st.markdown(f"**The same as a table**: {counted(len(rows), 'interval')}")
    columns = {"c": st.column_config.NumberColumn(format="%.2f"), "Mark": st.column_config.TextColumn(width=66)}
    note_table(rows, [edge.facts[-1].note for edge in edges], "timeline-table", "Intervals of facts", columns=columns)
