"""Extractions: what two or more extractions made of the same cases, and what that does to retrieval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from workbench.embed.base import embedders
from workbench.ui import (
    context,
    extractions_blind,
    extractions_editor,
    extractions_matrix,
    extractions_notes,
    extractions_support,
    extractions_vocabulary,
    navigation,
)
from workbench.ui import extractions_work as work
from workbench.ui.context import Context
from workbench.ui.evaluate_jobs import require_free
from workbench.ui.extractions_work import Kept, Known, Made, Request
from workbench.ui.jobs import show_job
from workbench.words import counted, visible

_CHOICE = "extractions"
_SET = "extractions-set"
"""That the choice was set by a button in this run: a default beside it would be one too many."""
_SPELLING = "by spelling"
_SHOWN = 4
"""Extractions that are chosen at first (ours)."""


@navigation.page("extractions", "Extractions", icon=":material/sell:", order=61)
def show() -> None:
    """Draw the page."""
    chosen = context.require_case()
    st.header("Extractions")
    st.caption(
        "What two or more extractions made of the same cases: their tags, their blind spots, and what that does to retrieval."
    )
    _body(chosen)


def _body(chosen: Context) -> None:
    known = work.known(chosen.store_path, chosen.benchmark)
    request = _controls(chosen, known)
    work.dismiss_shown(str(chosen.store_path))
    show_job(str(chosen.store_path), _describe, work.PLACE)
    if len(known.sources) == 1:
        _only_one(chosen)
    if not request.labels:
        st.info("Choose one extraction or more.", icon=":material/sell:")
        return
    kept = work.kept_comparison(request)
    if kept is None:
        _offer(request, known)
        return
    _tabs(chosen, kept, known)


def _controls(chosen: Context, known: Known) -> Request:
    labels = [source.label for source in known.sources]
    made = [source.label for source in known.sources if source.row.variant is None]
    is_set = st.session_state.pop(_SET, False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if any(label not in labels for label in st.session_state.get(_CHOICE, ())):
            del st.session_state[_CHOICE]  # another benchmark, or an extraction that is gone
        picked = st.multiselect(
            "Extractions",
            labels,
            default=None if is_set else (made if len(made) > 1 else labels)[:_SHOWN],
            format_func=visible,
            key=_CHOICE,
            bind="query-params",
            width=580,
        )
        backends = [name for name, make in embedders.items() if not getattr(make, "is_for_tests", False)]
        near = st.selectbox(
            "Near-duplicates",
            [_SPELLING, *backends],
            key="near",
            bind="query-params",
            format_func=lambda name: name if name == _SPELLING else f"also by meaning: {name}",
            width=240,
            help="Tags that nearly say the same: by the spelling of their last segment, or also by an embedding of it.",
        )
    meaning = None if near in (None, _SPELLING) else str(near)
    return Request(str(chosen.store_path), chosen.benchmark, tuple(map(str, picked)), meaning)


def _only_one(chosen: Context) -> None:
    st.info(
        "These cases have one extraction: there is nothing to set beside it yet. Make another on the command line, or rewrite "
        "this one under Support or Ontology editor.",
        icon=":material/sell:",
    )
    st.code(
        f"workbench extract --benchmark {chosen.benchmark} --extractor llm --store {chosen.store_path}",
        language=None,
        wrap_lines=True,
    )


def _offer(request: Request, known: Known) -> None:
    """A comparison that is not there: one button makes it."""
    keys = known.cases_of(request.labels)
    if not keys:
        st.info(
            f"No case has all of {', '.join(map(visible, request.labels))}. Choose others, or extract the missing cases too "
            "(workbench extract --cases).",
            icon=":material/sell:",
        )
        return
    busy = require_free(request.path)
    what = "Read this extraction" if len(request.labels) == 1 else f"Compare {counted(len(request.labels), 'extraction')}"
    st.button(
        f"{what} over {counted(len(keys), 'case')}",
        key="start-comparison",
        type="primary",
        icon=":material/play_arrow:",
        disabled=bool(busy),
        help=busy,
        on_click=work.start_comparison,
        args=(request, len(keys)),
    )


def _tabs(chosen: Context, kept: Kept, known: Known) -> None:
    """Only the open tab is drawn."""
    left = len(known.cases) - len(kept.found.cases)
    st.caption(
        f"{counted(len(kept.found.cases), 'case')}, {counted(kept.found.vocabulary[0].notes, 'note')}"
        + (f"; {counted(left, 'case')} left out that not all of these extractions have" if left else "")
    )
    parts: dict[str, Callable[[], None]] = {
        "Vocabulary": lambda: extractions_vocabulary.show(kept),
        "Notes": lambda: extractions_notes.show(chosen, kept),
        "Blind spots": lambda: extractions_blind.show(chosen, kept),
        "MRR matrix": lambda: extractions_matrix.show(chosen, kept),
        "Support": lambda: extractions_support.show(chosen, kept),
        "Ontology editor": lambda: extractions_editor.show(chosen, kept),
    }
    tabs = st.tabs(list(parts), key="part", on_change="rerun", bind="query-params")
    for tab, draw in zip(tabs, parts.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def _describe(result: Any) -> None:
    """What a finished job came to."""
    if isinstance(result, Made):
        extractions_matrix.show_made(result)
        st.button(
            "Compare it with its base", key="compare-made", icon=":material/compare_arrows:", on_click=_choose, args=(result,)
        )


def _choose(made: Made) -> None:
    """Compare a new variant with its base."""
    st.session_state[_CHOICE] = list(made.request.labels)
    st.session_state[_SET] = True
    work.start_comparison(made.request, made.rewritten.cases)
