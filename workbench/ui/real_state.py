"""What the page REAL shows and what is chosen on it: moment, step, lanes, settings, in the session and in the URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime, time
from functools import cached_property

import streamlit as st

from workbench.memory import Memory
from workbench.methods.base import create
from workbench.methods.dense import has_word
from workbench.methods.real import RealConfig
from workbench.real.case_facts import facts_of, last_moment, registry_of
from workbench.real.facts import Fact
from workbench.real.intervals import Edge, timeline
from workbench.real.relations import Relations, readable
from workbench.real.retrieval import Fate, Searched, fates, search_memory
from workbench.records import Question, Ranking
from workbench.ui.cached import OpenCase
from workbench.ui.comparison import gold_of
from workbench.ui.context import Context

DEFAULT = RealConfig()
SWITCHES: Mapping[str, str] = {
    "intervals": "validity intervals",
    "confidence": "confidence",
    "intents": "intents",
    "evaluator": "semantic evaluator",
    "counterfactual": "counterfactual rules",
}
"""The parts that an ablation takes away, as the page calls them."""
CHOICES = ("at", "step", "head", "relation")
"""What is chosen for one question; settings are widgets that are bound to the URL themselves."""
State = dict[str, str]


# --- state and URL ----------------------------------------------------------------------------------------------------------


def state() -> State:
    """What was chosen on the page; what is not in it has its default."""
    return st.session_state.setdefault("real", {})  # type: ignore[no-any-return]


def one(name: str) -> str:
    """The value of a choice; empty for its default."""
    return state().get(name, "")


def change(**values: str) -> None:
    """Change choices; for callbacks. Empty: back to the default."""
    state().update(values)
    st.session_state["real-touched"] = True


def _from_url() -> State:
    return {name: st.query_params[name] for name in CHOICES if st.query_params.get(name)}


def adopt_url(chosen: Context) -> None:
    """Take over what the URL says where it is not what was written there; start anew with another question."""
    asked = (str(chosen.store_path), chosen.case_key, chosen.query)
    here = st.session_state.get("real-of")
    if not st.session_state.pop("real-touched", False) and _from_url() != st.session_state.get("real-written"):
        st.session_state["real"] = _from_url()
    elif here is not None and here != asked:
        st.session_state["real"] = {}
    st.session_state["real-of"] = asked


def write_url() -> None:
    """Let the URL say what is shown."""
    wanted = {name: value for name, value in state().items() if value}
    for name in CHOICES:
        if st.query_params.get(name, "") != wanted.get(name, ""):
            if name in wanted:
                st.query_params[name] = wanted[name]
            else:
                del st.query_params[name]
    st.session_state["real-written"] = wanted


def _chosen_day() -> date | None:
    try:
        return date.fromisoformat(one("at"))
    except ValueError:
        return None


# --- what is worked out -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A search and the ranking that comes of it. It holds its case: the case's id is part of the cache's key."""

    opened: OpenCase
    searched: Searched
    ranking: Ranking


@st.cache_resource(max_entries=48, show_spinner="Searching the facts", hash_funcs={OpenCase: id})
def run_of(opened: OpenCase, text: str, config: RealConfig, at_time: datetime | None) -> Run | None:
    """A question's search; None where it holds no word. The caller holds the case's lock."""
    if not has_word(text):
        return None
    searched = search_memory(opened.memory, config, config.embeddings, text, at_time)
    return Run(opened, searched, ranking_of(opened, "real", text, config, at_time))


@st.cache_resource(max_entries=48, show_spinner="Ranking", hash_funcs={OpenCase: id})
def ranking_of(opened: OpenCase, method: str, text: str, config: RealConfig | None, at_time: datetime | None) -> Ranking:
    """A whole ranking by `real` under some settings, or by another method under its default ones; the caller holds the lock."""
    changed = {} if config is None else {k: v for k, v in asdict(config).items() if v != getattr(DEFAULT, k)}
    return create(method, "default", changed, opened.memory).query(text, k=None, at_time=at_time)


@dataclass(frozen=True)
class Shown:
    """What this run of the page shows. ``at_time`` is the moment asked about, None for that of the last session."""

    opened: OpenCase
    question: Question | None
    query: str
    note_id: str
    config: RealConfig
    at_time: datetime | None
    run: Run | None

    @staticmethod
    def of(chosen: Context, opened: OpenCase, question: Question | None, config: RealConfig) -> Shown:
        """What the choices come to; the caller holds the case's lock."""
        day = _chosen_day()
        # The end of the day: what was said on it counts, and what is closed on it is over.
        at_time = datetime.combine(day, time(23, 59, 59)) if day else question.time if question else None
        run = run_of(opened, chosen.query, config, at_time)
        return Shown(opened, question, chosen.query, chosen.note_id, config, at_time, run)

    @property
    def memory(self) -> Memory:
        return self.opened.memory

    @property
    def registry(self) -> Relations:
        return registry_of(self.config)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        return facts_of(self.memory, self.config)

    @cached_property
    def moment(self) -> datetime | None:
        """τ_q: the moment asked about; None where nothing has a date."""
        return self.at_time or last_moment(self.memory)

    @cached_property
    def gold(self) -> frozenset[str]:
        """Ids of the question's gold notes."""
        found = gold_of(self.question, self.memory)
        return frozenset(found.notes) if found else frozenset()

    @cached_property
    def fates(self) -> dict[str, Fate]:
        """What became of each gold note."""
        return fates(self.run.searched, self.gold) if self.run else {}

    def is_gold(self, edge: Edge) -> bool:
        return any(note in self.gold for note, _ in edge.refs)

    def edges(self, known_at: datetime | None = None) -> list[Edge]:
        """The graph's edges, by head, relation and start."""
        return timeline(self.facts, self.registry, self.config.theta_stable, known_at)


def holds(edge: Edge, moment: datetime | None) -> bool:
    """Whether a stable edge is valid at a moment; at none, whether it is still open."""
    if edge.status in ("superseded", "tentative"):
        return False
    if moment is None:
        return edge.end is None
    return (edge.start is None or edge.start <= moment) and (edge.end is None or moment < edge.end)


def lane_name(edge: Edge) -> str:
    """Head and relation, as the lane of a timeline is called."""
    return f"{edge.names[0]} {readable(edge.relation)}"
