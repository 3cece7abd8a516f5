"""Right of the queue: what became of one gold note under every method of the audit, and the ways on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape

import streamlit as st

from workbench import colours
from workbench.colours import GOLD_MARK
from workbench.diagnose.audit import NoteRow
from workbench.diagnose.stages import sentence
from workbench.errors import StoreError
from workbench.records import Question
from workbench.ui import cached, diagnose_cards, diagnose_gold, label_form, navigation
from workbench.ui.audit_queue import Queue, extraction_of
from workbench.ui.audit_rows import UNKNOWN, Miss, stage_of
from workbench.ui.cached import OpenCase
from workbench.ui.diagnose_strip import LOST
from workbench.ui.diagnose_view import Shown, diagnosed
from workbench.ui.label_form import Place
from workbench.ui.node_panel import plain
from workbench.ui.note_view import method_themed, themed
from workbench.words import visible


def show(queue: Queue) -> None:
    """Draw the shown miss."""
    if queue.shown is None:
        st.markdown("**No miss chosen**")
        st.caption("Press j for the first one, or tick a row. Keys 1–9 then give it a label.")
        return
    miss = queue.shown
    case, question, note = miss.key
    extraction = extraction_of(miss, queue.wanted.extraction)
    with st.container(gap="xxsmall"):
        st.caption("Question")
        st.text(visible(queue.texts.get((case, question), question)))
        answer, slot = st.empty(), st.empty()
        slot.text(f"{GOLD_MARK} gold: {visible(note)}")
    rows = [row for row in miss.rows if row.extraction == extraction]
    if len(queue.kept.found.extractions) > 1:
        st.caption(f"Under the extraction {plain(extraction)}")
    story = st.empty()
    story.html(_rows_html(rows, {}, queue.kept.found.k))
    with st.container(horizontal=True, key="audit-ways"):
        navigation.link("diagnose", "Diagnose")
        navigation.link("compare", "Compare")
    tags = st.container()
    with st.expander("Comment, status, contested gold", key="audit-label", expanded=False):
        label_form.show(queue.path, Place(case, question, note))
    # The audit's own rows stand at once; sentences and tags need the case's memory, which takes a moment.
    try:
        with st.spinner("Reading the case …"):
            shown = _diagnosis(queue, miss, extraction)
    except (StoreError, KeyError) as error:
        st.text(f"The case can't be read: {error.args[0]}")
        return
    if said := shown.question.answer or " · ".join(shown.question.gold.substrings):
        answer.text(f"{'Answer' if shown.question.answer else 'Expected'}: {visible(said)}")
    with shown.opened.lock:
        slot.text(f"{GOLD_MARK} gold: {diagnose_gold.label(shown.memory, note)}")
        story.html(_rows_html(rows, {name: sentence(trace) for name, trace in shown.traces.items()}, shown.k))
        with tags:
            diagnose_cards.show_tags(shown)


def _diagnosis(queue: Queue, miss: Miss, extraction: str) -> Shown:
    """The miss as the page Diagnose has it, under the audit's methods."""
    case, question_id, note = miss.key
    source, request = queue.kept.sources[extraction][case], queue.kept.request
    opened: OpenCase = cached.open_case(queue.path, case, source.id)
    question: Question = next(each for each in opened.case.questions if each.id == question_id)
    about = replace(
        queue.chosen, case_key=case, question_id=question_id, extraction=source.id, methods=request.methods, typed="", note_id=""
    )
    with opened.lock:
        found = diagnosed(about, opened, question, None, request.k, request.profile)
    return Shown(about, opened, question, None, request.k, request.profile, found.found, found.ms, note)


def _rows_html(rows: Sequence[NoteRow], sentences: Mapping[str, str], k: int) -> str:
    """What each method made of the note; of those that miss it, in one sentence why."""
    found, lost = themed(colours.KIND["topic"]), themed(colours.SEED)
    parts = []
    for row in rows:
        mark, colour = (f"✓ in top {k}", found) if row.is_found else (f"✕ {_lost(row, k)}", lost)
        said = "" if row.is_found else _safe(sentences.get(row.method, ""))
        parts.append(
            f"<div style='border-left:4px solid {method_themed(row.method)};padding:1px 0 3px 8px;margin:5px 0'>"
            f"<div><b>{_safe(row.method)}</b> <b style='color:{colour}'>{_safe(mark)}</b></div>"
            f"<div style='color:{themed(colours.MUTED)};font-size:0.8rem'>{_safe(' · '.join(_facts(row)))}</div>"
            f"<div style='font-size:0.88rem'>{said}</div></div>"
        )
    return f"<div style='overflow-wrap:anywhere;line-height:1.4'>{''.join(parts)}</div>"


def _lost(row: NoteRow, k: int) -> str:
    stage = stage_of(row)
    return LOST.get(stage, stage if stage == UNKNOWN else f"lost: {stage}").replace("{k}", str(k))


def _facts(row: NoteRow) -> Iterator[str]:
    """Ranks, and what the interventions came to."""
    if row.rank is None:
        yield "not ranked"
    else:
        tie = f" (tied {row.best}–{row.worst})" if row.best != row.worst else ""
        yield f"rank {row.rank:,}{tie}"
    if row.session_rank is not None:
        yield f"session {row.session_rank}"
    if row.is_tried and not row.is_found:
        tag = f"one added tag brings it in: {row.repaired_by}" if row.repaired_by else "no single added tag brings it in"
        yield tag + (" (the note's words)" if row.is_repair_said else "")
    if row.is_broken is not None and row.helpful:
        yield "falls out without its helpful tags" if row.is_broken else "stays without its helpful tags"


def _safe(text: str) -> str:
    return escape(visible(text))
