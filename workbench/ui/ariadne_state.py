"""What the page AriadneMem shows: a case's construction and a question's trace, under the settings chosen on the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property

import streamlit as st

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.construction import Construction, Node
from workbench.ariadne.entries import Entry
from workbench.ariadne.index import construction_of
from workbench.ariadne.query import QueryTrace
from workbench.memory import Memory
from workbench.methods.ariadne import Ariadne
from workbench.methods.base import create
from workbench.methods.dense import has_word
from workbench.records import Question, Ranking
from workbench.ui.cached import OpenCase
from workbench.ui.comparison import gold_of
from workbench.ui.titles import date_of

DEFAULT = AriadneConfig()


@dataclass(frozen=True)
class Run:
    """A question worked out, and the ranking that comes of it. It holds its case: the case's id is part of the cache's key."""

    opened: OpenCase
    trace: QueryTrace
    ranking: Ranking


@dataclass(frozen=True)
class Built:
    """The offline phase under some settings."""

    opened: OpenCase
    construction: Construction


def _memory(opened: OpenCase, config: AriadneConfig) -> Memory:
    """The case's memory; a passing copy for changed settings, so that playing with sliders leaves nothing behind in it."""
    return opened.memory if config.construction == DEFAULT.construction else opened.memory.edited({})


@st.cache_resource(max_entries=16, show_spinner="Deciding what is kept", hash_funcs={OpenCase: id})
def built(opened: OpenCase, config: AriadneConfig) -> Built:
    """The construction of a case; the caller holds the case's lock."""
    return Built(opened, construction_of(_memory(opened, config), config))


@st.cache_resource(max_entries=24, show_spinner="Working the question out", hash_funcs={OpenCase: id})
def run_of(opened: OpenCase, text: str, config: AriadneConfig) -> Run | None:
    """A question's trace and ranking; None where there is nothing to ask or nothing to ask of. The caller holds the lock."""
    memory = _memory(opened, config)
    if not has_word(text) or not construction_of(memory, config).nodes:
        return None
    changed = {name: value for name, value in asdict(config).items() if value != getattr(DEFAULT, name)}
    method = create("ariadne", "default", changed, memory)
    assert isinstance(method, Ariadne)
    return Run(opened, method.trace(text), method.query(text, k=None))


@dataclass(frozen=True)
class Shown:
    """What this run of the page shows. ``before`` is the question under the default settings."""

    opened: OpenCase
    question: Question | None
    query: str
    config: AriadneConfig
    construction: Construction
    run: Run | None
    before: Run | None
    note_id: str

    @property
    def memory(self) -> Memory:
        return self.opened.memory

    @property
    def trace(self) -> QueryTrace:
        """The trace; only where there is one."""
        assert self.run is not None
        return self.run.trace

    @cached_property
    def gold(self) -> frozenset[str]:
        """Ids of the question's gold notes."""
        found = gold_of(self.question, self.memory)
        return frozenset(found.notes) if found else frozenset()

    @cached_property
    def gold_turns(self) -> frozenset[str]:
        """Ids of the turns that are evidence, where the benchmark names turns."""
        return frozenset(self.question.gold.turns) if self.question else frozenset()

    def is_gold(self, notes: tuple[int, ...], refs: tuple[str, ...]) -> bool:
        """Whether an entry is evidence: by its turns where the benchmark names turns, else by its notes."""
        if self.gold_turns:
            return not self.gold_turns.isdisjoint(refs)
        return any(self.memory.notes[row].id in self.gold for row in notes)

    def is_gold_node(self, node: int) -> bool:
        found = self.construction.nodes[node]
        return self.is_gold(found.notes, found.refs)

    def is_gold_entry(self, entry: Entry) -> bool:
        return self.is_gold((entry.note,), entry.refs)

    def note_of(self, node: int) -> str:
        """The id of an entry's (first) note."""
        return self.construction.nodes[node].entry.note_id

    def node(self, node: int) -> Node:
        return self.construction.nodes[node]

    def date(self, node: int) -> str:
        """An entry's day and hour, or the source's words where it has no date."""
        found = self.construction.nodes[node]
        if found.time is not None:
            return f"{found.time:%Y-%m-%d %H:%M}"
        return date_of(None, self.memory[found.entry.note_id].interaction.time_text)

    @cached_property
    def component(self) -> Mapping[int, int]:
        """By terminal, the number of its component in the base graph, from 1."""
        return {node: at for at, group in enumerate(self.trace.components, 1) for node in group}


def gold_lost(shown: Shown) -> tuple[int, int]:
    """Over all questions of the case: evidence that the gate dropped, and evidence in all; turns, or notes where it names none.

    A note counts as lost if every turn of it that was read was dropped.
    """
    found, memory = shown.construction, shown.memory
    dropped = {ref for each in found.gate if each.action == "dropped" for ref in found.utterances[each.number].refs}
    read = {ref for entry in found.utterances for ref in entry.refs}
    turns = {turn for question in shown.opened.case.questions for turn in question.gold.turns} & read
    if turns:
        return len(turns & dropped), len(turns)
    notes = {note for question in shown.opened.case.questions if (gold := gold_of(question, memory)) for note in gold.notes}
    kept = {memory.notes[row].id for node in found.nodes for row in node.notes}
    heard = {entry.note_id for entry in found.utterances}
    return len((notes & heard) - kept), len(notes & heard)


def step_from_url() -> int:
    """The number of the pair of ends that the URL names, from 1; 0 where it names none."""
    said = st.query_params.get("pair", "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 6 else 0


def go_to_step(pair: int) -> None:
    """Let the URL name a pair; for callbacks."""
    st.query_params["pair"] = str(pair)
