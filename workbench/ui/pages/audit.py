"""Audit: every missed gold note of a benchmark with its stage, labelled by analysts, and what all of them amount to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from workbench.diagnose.report import headline
from workbench.errors import StoreError
from workbench.ui import (
    audit_analysts,
    audit_export,
    audit_filters,
    audit_form,
    audit_labels,
    audit_miss,
    audit_queue,
    audit_tables,
    audit_work,
    cached,
    context,
    diagnose_gold,
    navigation,
)
from workbench.ui.audit_queue import Queue
from workbench.ui.audit_rows import Facts, is_wanted
from workbench.ui.audit_work import Kept
from workbench.ui.context import Context
from workbench.ui.jobs import show_job
from workbench.ui.node_panel import plain

_STYLE = Path(__file__).parents[1] / "assets" / "audit.css"


@navigation.page("audit", "Audit", icon=":material/fact_check:", order=50)
def show() -> None:
    """Draw the page."""
    chosen = context.require_case()
    st.header("Audit")
    st.html(_STYLE)
    st.caption("Every answer that was missed: where it was lost, what you make of it, and whether missing tags are the cause.")
    _body(chosen)


def _body(chosen: Context) -> None:
    path = chosen.store_path
    found = audit_work.kept_audits(path, chosen.benchmark)
    kept = _controls(chosen, found) if found else None
    show_job(str(path), audit_work.describe, audit_work.PLACE)
    if kept is None:
        audit_form.show_first(chosen, audit_work.is_outdated(path, chosen.benchmark))
        return
    diagnose_gold.adopt_url(chosen)
    audit_filters.adopt_url()
    st.caption(plain(headline(kept.result)))
    queue = _queue(chosen, kept)
    if queue is not None:
        audit_labels.show_unsaved(path)
        _tabs(queue)
    audit_filters.write_url()
    diagnose_gold.write_url(chosen)


def _controls(chosen: Context, found: list[Kept]) -> Kept:
    """Which audit is shown, a new one, and who labels."""
    by_id = {kept.request.id: kept for kept in found}
    wanted = st.query_params.get("audit")
    kept = by_id.get(str(wanted), found[0])
    with st.container(horizontal=True, vertical_alignment="bottom", key="audit-controls"):
        if len(found) > 1:
            st.session_state["audit-choice"] = kept.request.id
            st.selectbox(
                "Audit",
                list(by_id),
                format_func=lambda id_: by_id[id_].words,
                key="audit-choice",
                on_change=lambda: st.query_params.update(audit=st.session_state["audit-choice"]),
                width=400,
            )
        with st.popover("New audit", icon=":material/play_arrow:", key="new-audit"):
            audit_form.show(chosen)
        st.space("stretch")
        causes = st.container(width="content")
        audit_labels.ask_analyst()
    with causes:
        _causes(chosen.store_path)
    return kept


def _causes(path: Path) -> None:
    try:
        known = audit_labels.known(path)
    except StoreError:
        return  # the queue says so
    with st.popover("Causes", icon=":material/sell:", key="causes"):
        audit_labels.show_causes(path, known.causes)


def _queue(chosen: Context, kept: Kept) -> Queue | None:
    """What the filter leaves; None, and why, where the labels can't be read."""
    path = chosen.store_path
    try:
        known = audit_labels.known(path)
    except StoreError as error:
        st.markdown(":material/error: **The labels can't be read**")
        st.text(str(error))
        st.button("Try again", key="read-labels", icon=":material/refresh:")
        return None
    runs = [row for name in kept.request.benchmarks for row in cached.runs(path, name)]
    facts = Facts(known.own(), audit_filters.worse(chosen, kept, runs))
    wanted = audit_filters.current()
    left = tuple(miss for miss in kept.misses if is_wanted(miss, wanted, facts))
    rows = [row for name in kept.request.benchmarks for row in cached.question_table(path, name, None, None)]
    texts = {(row.case, row.id): row.text for row in rows}
    return Queue(chosen, kept, facts, wanted, left, audit_queue.shown_miss(chosen, kept), texts, known)


def _tabs(queue: Queue) -> None:
    """Only the open tab is drawn."""
    labels = queue.known.of_cases(queue.kept.cases)
    runs = cached.runs(queue.path, queue.chosen.benchmark)
    parts: dict[str, Callable[[], None]] = {
        "Queue": lambda: _draw_queue(queue),
        "Pooled table": lambda: audit_tables.show_pool(queue.kept),
        "Control and intervention": lambda: audit_tables.show_control(queue.kept),
        "Agreement": lambda: audit_analysts.show_agreement(queue.chosen, queue.kept, labels, queue.texts),
        "Contested gold": lambda: audit_analysts.show_contested(queue.chosen, queue.kept, labels, runs, queue.texts),
        "Export": lambda: audit_export.show(queue, labels),
    }
    tabs = st.tabs(list(parts), key="part", on_change="rerun", bind="query-params")
    for tab, draw in zip(tabs, parts.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def _draw_queue(queue: Queue) -> None:
    if not queue.kept.misses:
        st.info("Nothing was missed: every method found every gold note.", icon=":material/check:")
        return
    runs = [row for name in queue.kept.request.benchmarks for row in cached.runs(queue.path, name)]
    with st.container(key="audit-body"):
        left, middle, right = st.columns([1.1, 4.2, 2.3], gap="medium")
    with left:
        audit_filters.show(queue.kept, queue.facts, runs)
    with middle:
        audit_queue.show_steps(queue)
        audit_queue.show_keys(queue)
        if queue.misses:
            audit_queue.show_table(queue)
        else:
            st.info("No miss fits the filter.", icon=":material/filter_alt_off:")
    with right, st.container(border=True, key="audit-miss"):
        audit_miss.show(queue)
