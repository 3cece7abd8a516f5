"""Which notes a diagnosis looks for: the question's own gold or notes that the visitor marked, and which one is looked at.

Marks belong to what is asked. They live in the session, so that a note marked on one page is marked on the others, and in the
URL of the page Diagnose.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from workbench.errors import StoreError, WorkbenchError
from workbench.memory import Memory
from workbench.records import Hit, Question
from workbench.ui import cached
from workbench.ui.cached import OpenCase
from workbench.ui.comparison import gold_of
from workbench.ui.context import Context
from workbench.ui.note_view import short_title, when

_STATE, _WRITTEN, _TOUCHED = "diagnose-gold", "diagnose-gold-written", "diagnose-gold-touched"
OFFERED = 20
"""Notes that are offered for marking (ours): the first that BM25 finds."""
Asked = tuple[str, str, str]
"""What is asked: store, case, and the typed text or the question's id."""


@dataclass(frozen=True)
class _Choice:
    """``looked_at`` is one gold note of several; empty until one is chosen."""

    asked: Asked
    marks: tuple[str, ...] = ()
    looked_at: str = ""


def asked_of(chosen: Context) -> Asked:
    """What is asked now."""
    return (str(chosen.store_path), chosen.case_key, f"text {chosen.typed}" if chosen.typed else f"id {chosen.question_id}")


def _choice(chosen: Context) -> _Choice:
    kept: _Choice | None = st.session_state.get(_STATE)
    return kept if kept is not None and kept.asked == asked_of(chosen) else _Choice(asked_of(chosen))


def _keep(choice: _Choice) -> None:
    st.session_state[_STATE], st.session_state[_TOUCHED] = choice, True


def marks(chosen: Context, memory: Memory) -> tuple[str, ...]:
    """The notes marked as answers to what is asked."""
    return tuple(note_id for note_id in _choice(chosen).marks if note_id in memory)


def mark(chosen: Context, notes: Sequence[str]) -> None:
    """Mark notes, for callbacks; the marks that were there are gone."""
    _keep(replace(_choice(chosen), marks=tuple(notes)))


def looked_at(chosen: Context) -> str:
    """The gold note that was chosen among several; empty where none was."""
    return _choice(chosen).looked_at


def look_at(chosen: Context, note_id: str) -> None:
    """Choose among several gold notes, for callbacks."""
    _keep(replace(_choice(chosen), looked_at=note_id))


def adopt_url(chosen: Context) -> None:
    """Take over what the URL says where it is not what was written there: a link was opened, or the browser went back."""
    shown = (tuple(st.query_params.get_all("mark")), st.query_params.get("gold", ""))
    # A link of the menu names no note: who comes from another page finds what was marked there.
    is_return = not any(shown) and st.session_state.get("arrived", False)
    if not (st.session_state.pop(_TOUCHED, False) or is_return or shown == st.session_state.get(_WRITTEN, ((), ""))):
        st.session_state[_STATE] = _Choice(asked_of(chosen), *shown)


def write_url(chosen: Context) -> None:
    """Write marks and the chosen gold note to the URL."""
    choice = _choice(chosen)
    st.session_state[_WRITTEN] = (choice.marks, choice.looked_at)
    for name, values in (("mark", list(choice.marks)), ("gold", [choice.looked_at] if choice.looked_at else [])):
        if st.query_params.get_all(name) != values:
            if values:
                st.query_params[name] = values
            else:
                del st.query_params[name]


def label(memory: Memory, note_id: str) -> str:
    """A note in a list; gold that is not stored, as the question names it."""
    if note_id not in memory:
        return f"not in the store: {note_id}"
    return f"{short_title(memory[note_id])} · {when(memory[note_id])}"


def choose_marks(chosen: Context, opened: OpenCase, question: Question | None, place: str) -> None:
    """Let notes be marked as answers: among those that fit the text or other words, or the gold of the chosen question.

    The caller holds the memory's lock. ``place`` tells apart two such choosers on one page.
    """
    name = hashlib.sha256(repr((asked_of(chosen), place)).encode()).hexdigest()[:12]
    marked = list(marks(chosen, opened.memory))
    find = st.text_input("Find notes", key=f"find-{name}", placeholder="words of the note", icon=":material/search:")
    key = f"marks-{name}"
    st.session_state[key] = marked
    st.multiselect(
        "Notes that answer",
        _offered(chosen, opened, marked, find.strip()),
        key=key,
        format_func=lambda note_id: label(opened.memory, note_id),
        on_change=lambda: mark(chosen, st.session_state[key]),
        placeholder="choose one or more",
    )
    own = gold_of(question, opened.memory)
    if own is not None and own.notes and chosen.typed:
        notes = [note.id for note in opened.memory.notes if note.id in own.notes]
        st.button(
            "Take the gold of the chosen question",
            key=f"take-{name}",
            icon=":material/star:",
            disabled=set(notes) == set(marked),
            on_click=mark,
            args=(chosen, notes),
        )


def _offered(chosen: Context, opened: OpenCase, marked: Sequence[str], find: str) -> list[str]:
    """The marked notes, the one that is open, and the first that hold words of what is sought."""
    assert chosen.extraction is not None  # a case always has one
    is_open = [chosen.note_id] if chosen.note_id in opened.memory else []
    hits: tuple[Hit, ...] = ()
    try:
        hits = cached.rank(chosen.store_path, chosen.case_key, chosen.extraction, "bm25", find or chosen.query).ranking.hits
    except StoreError:
        raise
    except WorkbenchError as error:
        st.text(f"No notes are offered: bm25 can't answer. {error}")
    return list(dict.fromkeys([*marked, *is_open, *(hit.note_id for hit in hits[:OFFERED])]))
