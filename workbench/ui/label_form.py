"""The form in which an analyst labels a miss: cause, comment, status, and why the gold is contested."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from html import escape
from pathlib import Path

import streamlit as st

from workbench import colours
from workbench.errors import StoreError
from workbench.labels.taxonomy import Taxonomy, give, taxonomy
from workbench.store import STATUSES, Label, labels_path, open_labels
from workbench.ui import access
from workbench.ui.cached import WAIT_SECONDS, Stamp, stamp
from workbench.ui.node_panel import plain
from workbench.ui.note_view import themed
from workbench.words import counted, visible

_ANALYST, _SAID = "analyst", "label-said"


@dataclass(frozen=True)
class Place:
    """What a label is about: a question, or one gold note of it (under one method, where it is named)."""

    case: str
    question: str
    note: str = ""
    method: str = ""


def analyst() -> str:
    """Who labels in this session: who has signed in, else the name that was given; empty until there is one."""
    return access.labels_as(str(st.session_state.get(_ANALYST, "")))


def name_analyst(name: str) -> None:
    """Say who labels in this session; who has signed in stays who they are."""
    st.session_state[_ANALYST] = name.strip()


def show(store: Path, place: Place, hint: str = "") -> None:
    """Draw the form with what the analyst has said of the place before; ``hint`` is a line that helps to choose."""
    try:
        causes, given = _read(str(store), stamp(labels_path(store)), place)
    except StoreError as error:
        st.markdown(":material/error: **The labels can't be read**")
        st.text(str(error))
        return
    if hint:
        st.caption(plain(hint))
    own = next((label for label in given if label.analyst == analyst()), None)
    _form(store, place, causes, own)
    if others := [label for label in given if label.analyst != analyst()]:
        # Folded, so that a second analyst can judge without knowing what the first one said.
        with st.expander(f"Said by others ({counted(len(others), 'label')})", key="labels-of-others"):
            st.html(labels_html(others))


@st.cache_data(max_entries=64, show_spinner=False)
def _read(store: str, state: Stamp, place: Place) -> tuple[Taxonomy, list[Label]]:
    """The taxonomy and the newest label of each analyst about a place."""
    with open_labels(store, read_only=True, wait_seconds=WAIT_SECONDS) as labels:
        found = labels.current(place.case, place.question)
        wanted = (place.case, place.question, place.note, place.method)
        return taxonomy(labels), [label for label in found if label.place == wanted]


def _form(store: Path, place: Place, causes: Taxonomy, own: Label | None) -> None:
    # Other places, analysts and saved labels are other forms: no half-typed word is ever carried over.
    key = hashlib.sha256(repr((store, place, analyst(), own)).encode()).hexdigest()[:12]
    names = [*causes.names, *([own.label] if own and own.label and own.label not in causes.names else [])]
    meanings = " · ".join(f"**{plain(cause.name)}**: {plain(cause.meaning)}" for cause in causes.causes)
    with st.form(f"label-{key}", border=False):
        st.pills(
            "Cause",
            names,
            default=own.label if own and own.label else None,
            format_func=plain,
            key=f"cause-{key}",
            help=meanings,
        )
        left, right = st.columns([3, 2], gap="medium")
        left.text_area("Comment", own.comment if own else "", key=f"comment-{key}", height=96)
        with right:
            st.text_input(
                "Analyst", analyst(), key=f"analyst-{key}", placeholder="your name", disabled=access.person() is not None
            )
            st.text_input(
                "Gold contested because",
                own.contested if own else "",
                key=f"contested-{key}",
                placeholder="leave empty where it is right",
            )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.segmented_control(
                "Status", STATUSES, default=own.status if own else "open", key=f"status-{key}", required=True, width="content"
            )
            st.form_submit_button("Save label", type="primary", on_click=_save, args=(store, place, key, own))
            _said(own)


def _said(own: Label | None) -> None:
    if problem := st.session_state.pop(_SAID, ""):
        st.text(f"Not saved: {problem}")
    elif own is not None:
        st.caption(f"✓ saved {own.created:%Y-%m-%d %H:%M} as {plain(own.analyst)}", width="content")


def _save(store: Path, place: Place, key: str, own: Label | None) -> None:
    state = st.session_state
    name = access.labels_as(state[f"analyst-{key}"]).strip()  # a field that can't be edited can still be sent
    if not name:
        state[_SAID] = "a label needs the analyst's name."
        return
    label = Label(
        case=place.case,
        question=place.question,
        note=place.note,
        method=place.method,
        analyst=name,
        label=state[f"cause-{key}"] or "",
        comment=state[f"comment-{key}"].strip(),
        status=state[f"status-{key}"],
        contested=state[f"contested-{key}"].strip(),
        created=datetime.now().replace(microsecond=0),
    )
    state[_ANALYST] = name
    if own is not None and replace(own, created=label.created) == label:
        return  # nothing new
    try:
        with open_labels(store, wait_seconds=WAIT_SECONDS) as labels:
            give(labels, label)
    except (StoreError, ValueError) as error:
        state[_SAID] = str(error)


def labels_html(labels: Sequence[Label]) -> str:
    """Labels as lines: who, which cause, status, comment, and why the gold is contested."""
    return "".join(_line(label) for label in labels)


def _line(label: Label) -> str:
    muted = f"color:{themed(colours.MUTED)}"
    facts = [
        f"<b><bdi>{_plain(label.analyst)}</bdi></b>",
        f"<bdi>{_plain(label.label or 'no cause')}</bdi>",
        label.status,
        *([f"<bdi>{_plain(label.comment)}</bdi>"] if label.comment else []),
        *([f"gold contested: <bdi>{_plain(label.contested)}</bdi>"] if label.contested else []),
    ]
    when = f"<span style='{muted}'>{label.created:%Y-%m-%d %H:%M}</span>"
    return f"<div style='overflow-wrap:anywhere'>{' · '.join(facts)} {when}</div>"


def _plain(text: str) -> str:
    return escape(visible(text))
