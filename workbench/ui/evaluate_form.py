"""The form that begins a run: an evaluation, an ablation of one method, or a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from workbench.evaluate.ablations import ablation
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.sweeps.base import Options, offered
from workbench.methods.base import create, methods
from workbench.records import RunKind
from workbench.settings import Profile, ablation_switches
from workbench.store import ExtractionRow
from workbench.ui import cached
from workbench.ui.context import Context
from workbench.ui.evaluate_jobs import ENGINES, cases_of, require_free, start
from workbench.words import counted, visible

KINDS: dict[str, RunKind] = {"Evaluation": "evaluation", "Ablation": "ablation", "Sweep": "sweep"}
PROFILES: dict[Profile, str] = {"default": "Product", "literal": "Paper-literal"}


@dataclass(frozen=True)
class Plan:
    """The arms that a form asks for, and the run's name where none is typed; or why they can't be."""

    specs: Sequence[MethodSpec] = ()
    name: str = ""
    problem: str = ""


def show(chosen: Context) -> None:
    """Draw the form; its button begins the run."""
    kind = KINDS[str(st.segmented_control("What", list(KINDS), default="Evaluation", key="new-what", required=True))]
    profile = _profile()
    plan = {"evaluation": _evaluation, "ablation": _ablation, "sweep": _sweep}[kind](chosen, profile)
    extraction = _extraction(chosen)
    keys = cases_of(chosen, extraction.id)
    cases = st.multiselect(
        "Cases", keys, key="new-cases", placeholder=f"all {counted(len(keys), 'case')}", format_func=lambda key: visible(key)
    )
    name = st.text_input("Name", key="new-name", placeholder=plan.name or "none").strip()
    engine = st.selectbox("Where it runs", list(ENGINES), format_func=ENGINES.__getitem__, key="new-engine")
    if plan.problem:
        st.text(plan.problem)
    busy = require_free(chosen.store_path)
    st.button(
        f"Start: {counted(len(plan.specs), 'arm')} over {counted(len(cases or keys), 'case')}",
        key="new-start",
        type="primary",
        icon=":material/play_arrow:",
        disabled=bool(plan.problem or busy or not plan.specs),
        help=busy,
        on_click=start,
        args=(chosen.store_path, cases or keys, plan.specs, extraction, kind, name or plan.name, engine),
    )


def _profile() -> Profile:
    help_ = "Paper-literal sets every value that a paper states; the product's own differ where a paper's degenerate."
    return st.selectbox("Settings", list(PROFILES), format_func=PROFILES.__getitem__, key="new-profile", help=help_)


def _extraction(chosen: Context) -> ExtractionRow:
    """The extraction whose tags are used: asked only where the benchmark's cases have several."""
    rows = cached.extractions(chosen.store_path, chosen.case_key)
    by_id = {row.id: row for row in rows}
    if len(rows) < 2:
        return rows[0]
    ids = list(by_id)
    at = ids.index(chosen.extraction) if chosen.extraction in by_id else 0
    words = {row.id: visible(f"{row.extractor}, {row.created:%Y-%m-%d %H:%M}") for row in rows}
    wanted = st.selectbox("Extraction", ids, index=at, format_func=words.__getitem__, key="new-extraction")
    return by_id[wanted if wanted is not None else ids[at]]


# --- arms -------------------------------------------------------------------------------------------------------------------


def _evaluation(chosen: Context, profile: Profile) -> Plan:
    names = st.multiselect("Methods", list(methods), default=list(chosen.registered_methods), key="new-methods")
    return Plan([MethodSpec(name, profile) for name in names], problem="" if names else "Choose one method or more.")


def _ablation(_: Context, profile: Profile) -> Plan:
    able = [name for name in methods if ablation_switches(methods[name].Config)]
    if not able:
        return Plan(problem="No registered method has a part that can be switched off.")
    method = st.selectbox("Method", able, index=able.index("adaptive") if "adaptive" in able else 0, key="new-ablated")
    parts = [name for name in ablation_switches(methods[method].Config) if getattr(create(method, profile).config, name)]
    off = st.multiselect("Parts to switch off, singly and together", parts, placeholder="all of them", key=f"new-off-{method}")
    try:
        return Plan(ablation(method, off or None, profile), f"ablation of {method}")
    except ValueError as error:
        return Plan(problem=str(error))


def _sweep(_: Context, profile: Profile) -> Plan:
    known = offered()
    if not known:
        return Plan(problem="No registered method takes part in a sweep.")
    name = st.selectbox("What is moved", list(known), key="new-sweep")
    sweep = known[name]
    st.caption(sweep.help)
    points = st.text_input("Points", key=f"new-points-{name}", placeholder=", ".join(map(str, sweep.points)))
    labels = st.multiselect(
        "Methods", list(sweep.methods), default=list(sweep.methods), accept_new_options=True, key=f"new-swept-{name}"
    )
    seeds = 1
    if sweep.samples:
        help_ = "Samples of each point: each draws other notes."
        seeds = int(st.number_input("Seeds", 1, 20, 3, key=f"new-seeds-{name}", help=help_))
    try:
        wanted = [point.strip() for point in points.split(",") if point.strip()]
        return Plan(sweep.arms(Options(wanted or None, labels or None, seeds, profile)), f"sweep of {name}")
    except (KeyError, ValueError) as error:
        return Plan(problem=str(error.args[0]))
