"""The form that begins an audit, and its one button where there is none yet."""

from __future__ import annotations

import streamlit as st

from workbench.evaluate.ranks import DEPTH
from workbench.methods.base import methods
from workbench.ui import cached
from workbench.ui.audit_work import Request, cases_of, extractions_of, start
from workbench.ui.context import Context
from workbench.ui.evaluate_form import PROFILES
from workbench.ui.evaluate_jobs import require_free
from workbench.words import counted, visible


def first_request(chosen: Context) -> Request:
    """The sidebar's methods over all cases of its benchmark."""
    return Request(str(chosen.store_path), (chosen.benchmark,), chosen.registered_methods)


def show_first(chosen: Context, is_outdated: bool) -> None:
    """What to do where no audit is at hand."""
    request = first_request(chosen)
    cases = counted(len(cases_of(chosen.store_path, request.benchmarks)), "case")
    reason = "The data have changed since the last audit." if is_outdated else "No audit yet."
    names = ", ".join(request.methods) or "no method: choose one in the sidebar"
    st.info(f"{reason} Look for every gold note of {cases} under {names}.", icon=":material/fact_check:")
    busy = require_free(chosen.store_path)
    with st.container(horizontal=True):
        st.button(
            f"Audit {cases}",
            key="first-audit",
            type="primary",
            icon=":material/play_arrow:",
            disabled=bool(busy or not request.methods),
            help=busy,
            on_click=start,
            args=(request,),
        )
        with st.popover("Another audit", icon=":material/tune:", key="new-audit"):
            show(chosen)


def show(chosen: Context) -> None:
    """Draw the form; its button begins the audit."""
    path = chosen.store_path
    stored = list(cached.info(path).benchmarks)
    benchmarks = st.multiselect("Benchmarks", stored, default=[chosen.benchmark], key=f"audit-benchmarks-{chosen.benchmark}")
    names = st.multiselect("Methods", list(methods), default=list(chosen.registered_methods), key="audit-methods")
    extractions = st.multiselect(
        "Extractions",
        extractions_of(path, benchmarks),
        key=f"audit-extractions-{'-'.join(benchmarks)}",
        placeholder="all that the cases have in common",
        format_func=visible,
        help="Edited copies take part only where they are named.",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = st.number_input("Places that count (k)", 1, DEPTH, 5, key="audit-k", width=150)
        profile = st.selectbox("Settings", list(PROFILES), format_func=PROFILES.__getitem__, key="audit-profile", width=170)
    interventions = st.toggle(
        "Interventions (slower)",
        key="audit-interventions",
        help="Add single tags to misses until one brings the note back, and take the helpful tags from hits. Each is a ranking "
        "made again: a conversation with many questions takes several times as long.",
    )
    busy = require_free(path)
    cases = len(cases_of(path, benchmarks))
    request = Request(str(path), tuple(benchmarks), tuple(names), tuple(extractions), int(k), profile, interventions)
    st.button(
        f"Audit {counted(cases, 'case')}",
        key="start-audit",
        type="primary",
        icon=":material/play_arrow:",
        disabled=bool(busy or not names or not cases),
        help=busy,
        on_click=start,
        args=(request,),
    )
