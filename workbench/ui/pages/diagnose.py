"""Diagnose: where each method lost the answer of one question, what it lacked, and what would bring it back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import streamlit as st

from workbench.colours import GOLD_MARK
from workbench.diagnose.stages import Diagnosis
from workbench.records import Question
from workbench.settings import Profile
from workbench.ui import (
    cached,
    context,
    diagnose_cards,
    diagnose_gold,
    diagnose_misses,
    label_form,
    navigation,
    own_question,
    question_steps,
)
from workbench.ui.cached import OpenCase
from workbench.ui.comparison import gold_of
from workbench.ui.context import Context
from workbench.ui.diagnose_conversation import show_conversation
from workbench.ui.diagnose_repair import show_repair
from workbench.ui.diagnose_strip import legend, strip_html
from workbench.ui.diagnose_view import Gold, Shown, diagnosed
from workbench.ui.label_form import Place
from workbench.words import counted, visible

PROFILES = {"default": "Product", "literal": "Paper-literal"}
_STYLE = Path(__file__).parents[1] / "assets" / "diagnose.css"
MOST_PLACES = 50


@navigation.page("diagnose", "Diagnose", icon=":material/troubleshoot:", order=40)
def show() -> None:
    """Draw the page."""
    chosen = context.require_case()
    st.header("Diagnose")
    st.html(_STYLE)
    st.caption("Where each method lost the answer, what it lacked, and the smallest edit that would bring it back.")
    _body(chosen)


def _body(chosen: Context) -> None:
    assert chosen.extraction is not None  # a case always has one
    opened = cached.open_case(chosen.store_path, chosen.case_key, chosen.extraction)
    question = next((q for q in opened.case.questions if q.id == chosen.question_id), None)
    diagnose_gold.adopt_url(chosen)
    k, profile = _controls(chosen, opened, question)
    if not chosen.query.strip():
        st.info("Type a question above, or choose one in the sidebar.", icon=":material/edit:")
        return
    if not chosen.methods:
        st.info("Choose one method or more in the sidebar.", icon=":material/tune:")
        return
    with opened.lock:
        asked = Question("", chosen.typed) if chosen.typed or question is None else question
        gold, is_known = _gold(chosen, opened, asked, question)
        if is_known:
            answers = diagnosed(chosen, opened, asked, gold, k, profile)
            found = answers.found
            _problems(answers.problems)
            if found:
                _diagnosis(Shown(chosen, opened, asked, gold, k, profile, found, answers.ms, _looked_at(chosen, found)))
    diagnose_gold.write_url(chosen)


def _controls(chosen: Context, opened: OpenCase, question: Question | None) -> tuple[int, Profile]:
    st.session_state["diagnose-query"] = chosen.query
    st.text_input("Question", key="diagnose-query", on_change=_asked, args=(question.text if question else "",))
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover("More", icon=":material/tune:", key="more-diagnose"):
            words = "The note is found where it is among this many notes."
            context.forget_unreadable("k", is_readable=str.isdecimal)
            k = st.number_input("Places that count (k)", 1, MOST_PLACES, 5, key="k", bind="query-params", help=words)
            profile = st.selectbox(
                "Settings of the methods", list(PROFILES), format_func=PROFILES.__getitem__, key="profile", bind="query-params"
            )
        if chosen.typed:
            st.button("Back to the question", key="untype", icon=":material/undo:", on_click=context.select, kwargs={"q": ""})
        own_question.popover(chosen, opened, question)
        st.space("stretch")
        question_steps.show(chosen)
    if not chosen.typed and question is not None and (answer := question.answer or " · ".join(question.gold.substrings)):
        st.text(f"{'Answer' if question.answer else 'Expected'}: {visible(answer)}")
    return int(k), cast(Profile, profile)


def _asked(question: str) -> None:
    text = st.session_state["diagnose-query"].strip()
    context.select(q="" if text == question else text)


def _problems(problems: dict[str, str]) -> None:
    for name, reason in problems.items():
        with st.container(border=True):
            st.markdown(f":material/error: **{name}** can't answer")
            st.text(reason)


# --- gold -------------------------------------------------------------------------------------------------------------------


def _gold(chosen: Context, opened: OpenCase, asked: Question, question: Question | None) -> tuple[Gold, bool]:
    """Marked notes, or None for the question's own gold; and whether there is any. Where not, notes can be marked."""
    if not chosen.typed and gold_of(asked, opened.memory) is not None:
        return None, True
    marked = diagnose_gold.marks(chosen, opened.memory)
    reason = "A typed query has no gold of its own" if chosen.typed else "The benchmark names no gold for this question"
    if not marked:
        st.info(f"{reason}. Mark the notes that should have been found, and each method is diagnosed.", icon=":material/star:")
        diagnose_gold.choose_marks(chosen, opened, question, "page")
        return None, False
    with st.expander(f"{GOLD_MARK} {counted(len(marked), 'note')} marked as gold", key="marked-gold"):
        diagnose_gold.choose_marks(chosen, opened, question, "page")
    return marked, True


def _traced(found: dict[str, Diagnosis]) -> list[str]:
    """The gold notes, those that are not stored last."""
    return [trace.note_id for trace in next(iter(found.values())).traces]


def _misses(found: dict[str, Diagnosis], note_id: str) -> int:
    return sum(trace.note_id == note_id and not trace.is_found for each in found.values() for trace in each.traces)


def _looked_at(chosen: Context, found: dict[str, Diagnosis]) -> str:
    """The chosen gold note; else the first of those that most methods miss."""
    notes = _traced(found)
    kept = diagnose_gold.looked_at(chosen)
    return kept if kept in notes else max(notes, key=lambda note_id: _misses(found, note_id))


def _choose_note(shown: Shown) -> None:
    notes = _traced(dict(shown.found))
    level = next(iter(shown.found.values())).level
    words = {"session": " · whole sessions: no turn is flagged", "given": " · marked by hand"}.get(level, "")
    if len(notes) == 1:
        with st.container(gap="xxsmall"):
            st.caption(f"{GOLD_MARK} Gold note{words}")
            st.text(diagnose_gold.label(shown.memory, notes[0]))
        return

    def described(note_id: str) -> str:
        missed = f"missed by {_misses(dict(shown.found), note_id)} of {len(shown.found)}"
        return f"{GOLD_MARK} {diagnose_gold.label(shown.memory, note_id)} · {missed}"

    st.session_state["gold-note"] = shown.note_id
    st.selectbox(
        f"Gold note ({len(notes)} of the question{words})",
        notes,
        format_func=described,
        key="gold-note",
        on_change=lambda: diagnose_gold.look_at(shown.chosen, st.session_state["gold-note"]),
    )


# --- the diagnosis ----------------------------------------------------------------------------------------------------------


def _diagnosis(shown: Shown) -> None:
    _choose_note(shown)
    st.html(strip_html(shown.traces, shown.found))
    if said := legend(shown.traces):
        st.caption(said)
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, height="stretch", key="tags-card"):
        diagnose_cards.show_tags(shown)
    with right, st.container(border=True, height="stretch", key="competitors-card"):
        diagnose_cards.show_competitors(shown)
    diagnose_cards.show_opened(shown)
    with st.container(border=True, key="repair-card"):
        show_repair(shown)
    with st.container(border=True, key="conversation"):
        show_conversation(shown)
    with st.container(border=True, key="label-card"):
        _label(shown)


def _label(shown: Shown) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Label**", width="content")
        st.space("stretch")
        diagnose_misses.show(shown.chosen, shown.k)
    if not shown.question.id:
        st.caption("Labels belong to stored questions. Save this one as a question of your own above, and label it then.")
        return
    note_id = shown.note_id if shown.is_stored else ""
    label_form.show(shown.chosen.store_path, Place(shown.opened.case.key, shown.question.id, note_id), _hint(shown))


def _hint(shown: Shown) -> str:
    """The stages that diagnosis found, for the analyst to agree with or not."""
    stages: dict[str, list[str]] = {}
    for name in shown.missed:
        stages.setdefault(shown.traces[name].stage or "not available", []).append(name)
    said = "; ".join(f"{stage} ({_names(names)})" for stage, names in stages.items())
    return f"Diagnosis says: {said or 'found by every method'}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(names)
