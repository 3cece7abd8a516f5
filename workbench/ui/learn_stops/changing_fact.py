"""A fact that changes: what is left of the old value in a memory that overwrites, in AriadneMem and in REAL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import pandas as pd
import streamlit as st

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.index import construction_of
from workbench.ariadne.telling import construction_json
from workbench.memory import Memory
from workbench.real.case_facts import facts_of, registry_of
from workbench.real.config import FactsConfig, SearchConfig
from workbench.real.intervals import Edge, timeline
from workbench.real.serialise import interval_text
from workbench.records import Interaction, Note, Turn
from workbench.ui.learn_stop import Prediction, Scene, Stop, stops
from workbench.ui.node_panel import plain
from workbench.words import counted, visible

DIARY = """\
2024-05-03 I live in Leeds.
2024-05-03 Our choir rehearsal is on Tuesday.
2024-07-12 I moved to York.
2024-07-12 Our choir rehearsal is on Thursday now."""
"""Two facts that change, one for each of the two methods' offline readers; a reader of the tour may write other lines."""
BETWEEN = datetime(2024, 6, 15)
RELATION = "lives_in"
ALL, KEEPS, NONE = OPTIONS = ("A memory that overwrites, too", "Only one that keeps intervals", "Neither")
_LINE = re.compile(r"\s*(\d{4}-\d\d-\d\d)\s+(\S.*)")
MOST_LINES = 20


@dataclass(frozen=True)
class Kept:
    """What the two methods made of some notes: REAL's edges; AriadneMem's updates as (old, new, text before, text after)."""

    edges: tuple[Edge, ...]
    updates: tuple[tuple[str, str, str, str], ...]

    def at(self, moment: datetime, relation: str) -> list[str]:
        """The values that hold at a moment, by REAL's intervals."""
        held = [edge for edge in self.edges if edge.relation == relation]
        return [edge.names[1] for edge in held if _starts(edge) <= moment and (edge.end is None or moment < edge.end)]

    def closed(self) -> int:
        """Values of relations with one value at a time that a later value closed."""
        registry = registry_of(FactsConfig())
        return sum(registry[edge.relation].is_single and edge.end is not None and edge.retraction is None for edge in self.edges)

    def newest(self, relation: str) -> str | None:
        """What a memory that overwrites has: the value said last."""
        held = [edge for edge in self.edges if edge.relation == relation]
        return max(held, key=_starts).names[1] if held else None


def _starts(edge: Edge) -> datetime:
    return edge.start or datetime.min


def read_diary(text: str) -> tuple[list[tuple[datetime, str]], list[str]]:
    """(day, sentence) of every line that begins with a date, and the lines that do not."""
    entries, refused = list[tuple[datetime, str]](), list[str]()
    for line in [line for line in text.splitlines() if line.strip()][:MOST_LINES]:
        found = _LINE.fullmatch(line)
        try:
            entries.append((datetime.fromisoformat(found[1] if found else ""), found[2] if found else ""))
        except ValueError:
            refused.append(line)
    return sorted(entries), refused


def keep(entries: Sequence[tuple[datetime, str]]) -> Kept:
    """Let both methods read the diary, each line a note."""
    memory = Memory(
        Note(Interaction(f"line-{at}#1", f"line-{at}", (Turn("user", text, ref=f"line-{at}:0"),), at, 1, day))
        for at, (day, text) in enumerate(entries)
    )
    return kept_of(memory)


def kept_of(memory: Memory) -> Kept:
    """What both methods' offline readers make of a memory, under their default settings."""
    facts, ariadne = FactsConfig(), AriadneConfig()
    edges = timeline(facts_of(memory, facts), registry_of(facts), SearchConfig().theta_stable)
    updates = construction_json(construction_of(memory, ariadne), ariadne)["updates"]
    told = tuple((", ".join(each["old"]), ", ".join(each["new"]), each["from_text"], each["to_text"]) for each in updates)
    return Kept(tuple(edge for edge in edges if edge.status != "tentative"), told)


@st.cache_resource(max_entries=16, show_spinner="Reading the lines")
def _kept(text: str) -> Kept:
    return keep(read_diary(text)[0])


class ChangingFact(Stop):
    """Two values of one fact: overwritten, linked, or side by side with their times."""

    order = 70
    title = "A fact that changes"
    claim = (
        "A memory that overwrites knows the newest value only. **AriadneMem** keeps both states and links the old to the new. "
        "**REAL** gives each value an interval, which the next one closes."
    )
    case = "longmemeval_demo/demo_moves"
    page = "real"
    methods = ("ariadne", "real")

    def holds(self, scene: Scene) -> bool:
        found = _kept(DIARY)
        return found.at(BETWEEN, RELATION) == ["Leeds"] and found.newest(RELATION) == "York" and len(found.updates) == 1

    def prediction(self, scene: Scene) -> Prediction:
        found = _kept(DIARY)
        then, newest = found.at(BETWEEN, RELATION), found.newest(RELATION)
        answer = NONE if not then else ALL if newest in then else KEEPS
        asked = f"Asked on 1 August: which memory knows where you lived on {BETWEEN:%d %B}?"
        return Prediction(asked, OPTIONS, answer)

    def before(self, scene: Scene) -> None:
        with st.container(border=True, gap="xsmall"):
            st.caption("What was said, and when")
            st.text(DIARY)

    def after(self, scene: Scene) -> None:
        text = st.text_area("Lines of your own, each with its date", DIARY, key="learn-diary", height=130)
        entries, refused = read_diary(text)
        for line in refused:
            st.text(f"Left out, since it does not begin with a date such as 2024-05-03: {visible(line)}")
        if not entries:
            return
        found = _kept("\n".join(f"{day:%Y-%m-%d} {line}" for day, line in entries))
        left, right = st.columns(2)
        with left:
            st.markdown("**REAL**: facts with their intervals")
            self._edges(found)
        with right:
            st.markdown("**AriadneMem**: states and links")
            self._updates(found)

    def told(self, scene: Scene) -> str:
        found, own = _kept(DIARY), kept_of(scene.opened.memory)
        return (
            f"REAL answers *{plain(', '.join(found.at(BETWEEN, RELATION)) or 'nothing')}*; a memory that overwrites has only "
            f"*{plain(found.newest(RELATION) or 'nothing')}*. Keeping is the easy half; reading is the hard one. In the demo "
            f"case `{scene.opened.case.id}`, {counted(len(scene.opened.memory.notes), 'note')} around the "
            f"same two facts, the offline readers see {counted(own.closed(), 'closed interval')} and "
            f"{counted(len(own.updates), 'update')}. Say a line of yours in other words, and they may see nothing."
        )

    @staticmethod
    def _edges(found: Kept) -> None:
        if not found.edges:
            st.caption("The offline reader finds no fact in these lines.")
            return
        rows = [
            {
                "Who": edge.names[0],
                "Relation": edge.relation.replace("_", " "),
                "Value": edge.names[1],
                "Holds": interval_text(edge),
            }
            for edge in found.edges
        ]
        st.dataframe(pd.DataFrame(rows), hide_index=True, placeholder="", key="learn-edges")

    @staticmethod
    def _updates(found: Kept) -> None:
        if not found.updates:
            st.caption("No line is near enough to an earlier one to be taken for its update.")
        for old, new, before, after in found.updates:
            with st.container(border=True, gap="xsmall"):
                st.text(f"{visible(old)} → {visible(new)}")
                st.caption(plain(before))
                st.caption(plain(after))


stops.register("changing_fact")(ChangingFact())
