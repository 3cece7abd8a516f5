"""Left of the queue: how many misses there are of each kind, each count a click that narrows the queue to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import streamlit as st

from workbench.diagnose.report import stage_names
from workbench.store import STATUSES, RunRow, labels_path
from workbench.ui import evaluate_results as results
from workbench.ui.audit_rows import FACETS, UNLABELLED, Facts, Filter, RowKey, counts, ranked_better
from workbench.ui.audit_work import Kept, Request
from workbench.ui.cached import Stamp, stamp
from workbench.ui.context import Context
from workbench.ui.evaluate_view import run_words
from workbench.ui.label_form import analyst
from workbench.ui.node_panel import plain
from workbench.words import counted

_STATE, _WRITTEN, _TOUCHED = "audit-filter", "audit-filter-written", "audit-filter-touched"
_IN_URL = "only-"
"""Before a field's name in the URL, where the sidebar has a benchmark and an extraction too."""
_HEADS = {
    "stage": "Lost at",
    "label": "Your label",
    "status": "Status",
    "type": "Question type",
    "method": "Missed by",
    "extraction": "Extraction",
    "benchmark": "Benchmark",
}
_ALWAYS = ("stage", "label", "method")
"""Facets that are drawn with one value too; the others say nothing then."""
_MOST = 12
"""Values of a facet that are drawn; rarer ones are counted."""


# --- the filter in the session and in the URL -------------------------------------------------------------------------------


def current() -> Filter:
    """What the queue is narrowed to."""
    found: Filter = st.session_state.get(_STATE, Filter())
    return found


def narrow(**fields: str) -> None:
    """Change the filter from a callback."""
    st.session_state[_STATE] = replace(current(), **fields)
    st.session_state[_TOUCHED] = True


def clear() -> None:
    """Take the filter away, from a callback."""
    st.session_state[_STATE] = Filter()
    st.session_state[_TOUCHED] = True


def adopt_url() -> None:
    """Take over what the URL says where it is not what was written there: a link was opened, or the browser went back."""
    shown = Filter(**{name: st.query_params.get(_IN_URL + name, "") for name in asdict(Filter())})
    # A link of the menu names no filter: who comes from another page finds the queue as it was left.
    is_return = not shown.is_set and st.session_state.get("arrived", False)
    if not (st.session_state.pop(_TOUCHED, False) or is_return or shown == st.session_state.get(_WRITTEN, Filter())):
        st.session_state[_STATE] = shown


def write_url() -> None:
    """Write the filter to the URL."""
    st.session_state[_WRITTEN] = current()
    for field, value in asdict(current()).items():
        name = _IN_URL + field
        if value and st.query_params.get(name) != value:
            st.query_params[name] = value
        elif not value and name in st.query_params:
            del st.query_params[name]


# --- worse than a run -------------------------------------------------------------------------------------------------------


def worse(chosen: Context, kept: Kept, runs: Sequence[RunRow]) -> frozenset[RowKey]:
    """The rows that the filter's run ranks better; none without one. A run that is gone is dropped from the filter."""
    wanted = current().worse
    if not wanted:
        return frozenset()
    if wanted not in {row.id for row in runs}:
        narrow(worse="")
        return frozenset()
    return _worse(str(chosen.store_path), wanted, kept.request.id, kept.state, chosen, kept)


@st.cache_data(max_entries=8, show_spinner="Reading the run …")
def _worse(path: str, run_id: str, request: str, state: str, _chosen: Context, _kept: Kept) -> frozenset[RowKey]:
    return ranked_better(results.run(_chosen.store_path, run_id), _kept.found.notes)


# --- drawing ----------------------------------------------------------------------------------------------------------------


def show(kept: Kept, facts: Facts, runs: Sequence[RunRow]) -> None:
    """Draw the counts of every facet under the rest of the filter, and the choice of a run."""
    wanted = current()
    found = _counted(kept.request, kept.state, wanted, analyst(), stamp(labels_path(Path(kept.request.store))), kept, facts)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Filter**", width="content")
        st.space("stretch")
        st.button("Clear", key="clear-filter", type="tertiary", disabled=not wanted.is_set, on_click=clear)
    for name in FACETS:
        chosen = getattr(wanted, name)
        if chosen or len(found[name]) > 1 or name in _ALWAYS:
            _facet(name, found[name], chosen)
    _choose_run(runs, wanted.worse)


@st.cache_data(max_entries=64, show_spinner=False)
def _counted(
    request: Request, state: str, wanted: Filter, analyst: str, labels: Stamp, _kept: Kept, _facts: Facts
) -> dict[str, Counter[str]]:
    return counts(_kept.misses, wanted, _facts)


def _facet(name: str, found: Counter[str], chosen: str) -> None:
    values = _ordered(name, found, chosen)
    with st.container(gap=None, key=f"facet-{name}"):
        st.caption(_HEADS[name])
        for value in values[:_MOST]:
            is_on = value == chosen
            st.button(
                f"{'✓ ' if is_on else ''}{plain(_word(value))} **{found[value]:,}**",
                key=f"facet-{name}-{value}",
                type="tertiary",
                width="stretch",
                on_click=narrow,
                kwargs={name: "" if is_on else value},
            )
        if len(values) > _MOST:
            st.caption(f"and {counted(len(values) - _MOST, 'other')}")


def _word(value: str) -> str:
    return "no label" if value == UNLABELLED else value


def _ordered(name: str, found: Mapping[str, int], chosen: str) -> list[str]:
    """Stages and statuses in their own order, other values by how many there are; the chosen one is always there."""
    known: Collection[str] = {"stage": stage_names(), "status": STATUSES}.get(name, ())
    values = {*found, *([chosen] if chosen else [])}
    if known:
        return [value for value in known if value in values] + sorted(values - {*known})
    return sorted(values, key=lambda value: (value != chosen, -found[value], value))


def _choose_run(runs: Sequence[RunRow], chosen: str) -> None:
    """Narrow to misses that a run ranks better."""
    words = {row.id: run_words(row) for row in runs}
    st.session_state["audit-worse"] = chosen if chosen in words else None
    st.selectbox(
        "Worse than the run",
        list(words),
        format_func=words.__getitem__,
        key="audit-worse",
        placeholder="any" if words else "no run yet",
        disabled=not words,
        on_change=lambda: narrow(worse=st.session_state["audit-worse"] or ""),
        help="Gold notes that the run ranks higher under the same method; an imported run under any of its systems.",
    )
