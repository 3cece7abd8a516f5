"""One question's answers: each beside what is expected, its scores, the notes that were shown, and the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from workbench import colours
from workbench.answer.prompt import asked_on
from workbench.answer.records import Answer, QuestionKey
from workbench.answer.report import WORDS
from workbench.answer.scored import ABSTAINS, ABSTAINS_WRONGLY, CONTAINS, F1, F1_LOCOMO, HAS_ALL, JUDGED
from workbench.records import Question
from workbench.ui import answers_work as work
from workbench.ui import cached, comparison, context, navigation
from workbench.ui import evaluate_cells as cells
from workbench.ui.answers_work import Stored
from workbench.ui.cached import OpenCase
from workbench.ui.context import Context
from workbench.ui.node_panel import plain
from workbench.ui.note_view import method_themed, question_html, show_note, themed
from workbench.words import counted, visible

Scores = Mapping[str, float | None]
"""The scores of one answer; None where one does not apply."""


def show_list(chosen: Context, stored: Stored) -> None:
    """Draw the questions that were asked, with whether each method's answer was right; a click opens one below."""
    texts = {(row.case, row.id): row for row in cached.question_table(chosen.store_path, chosen.benchmark, None, None)}
    keys = [key for key in texts if key in stored.answers]
    rows = []
    for key in keys:
        row: dict[str, Any] = {"Question": texts[key].text, "Type": texts[key].type}
        marks = {each.method: _mark(stored.scores[*key, each.method], each) for each in stored.answers[key]}
        rows.append(row | {line.method: marks.get(line.method) for line in stored.report.lines})
    name = cells.stable_key("answers-questions", [stored.chosen.run, stored.chosen.version, *keys])
    st.dataframe(
        cells.frame(rows),
        key=name,
        hide_index=True,
        height=cells.HEAD + cells.ROW * min(len(rows), 8),
        on_select=lambda: _open(name, keys),
        selection_mode=["single-row", "single-cell"],
        placeholder=cells.DASH,
    )


def _open(table: str, keys: Sequence[QuestionKey]) -> None:
    selection = st.session_state[table]["selection"]
    at = [*selection["rows"], *(row for row, _ in selection["cells"])]
    if at:
        case_key, question_id = keys[at[-1]]
        context.select(case=case_key, question=question_id, q="", note="")


def _mark(found: Scores, answer: Answer) -> str:
    if answer.answer is None:
        return "failed"
    if found[ABSTAINS] is not None:
        return "✓ abstained" if found[ABSTAINS] else "✗ did not abstain"
    value = found[CONTAINS] if found[HAS_ALL] is None else found[HAS_ALL]
    if not value and found[ABSTAINS_WRONGLY]:
        return "✗ abstained"
    return "answered" if value is None else "✓ contained" if value else "✗ not contained"


def show(chosen: Context, stored: Stored) -> None:
    """Draw the sidebar's question with its answers; where it was not asked, what to do."""
    key = (chosen.case_key, chosen.question_id)
    if key not in stored.answers:
        st.info("The question in the sidebar was not asked in this set. Choose one in the table above.", icon=":material/info:")
        return
    assert chosen.extraction is not None
    opened = cached.open_case(chosen.store_path, chosen.case_key, chosen.extraction)
    question = next(each for each in opened.case.questions if each.id == chosen.question_id)
    st.html(question_html(question))
    answers = {answer.method: answer for answer in work.with_prompts(chosen.store_path, stored.chosen, key)}
    shown = [answers[line.method] for line in stored.report.lines if line.method in answers]
    for at in range(0, len(shown), 3):
        for column, answer in zip(st.columns(3, gap="small"), shown[at : at + 3], strict=False):
            with column, st.container(border=True, key=f"answer-{answer.method}"):
                _answer(answer, question, stored.scores[*key, answer.method])
    with opened.lock:
        _context(shown, question, opened)
    with st.container(horizontal=True):
        navigation.link("compare", "See the whole rankings")
        navigation.link("diagnose", "Why a note was missed")


def _answer(answer: Answer, question: Question, found: Scores) -> None:
    st.html(f"<div style='font-weight:600;color:{method_themed(answer.method)}'>{escape(visible(answer.method))}</div>")
    if answer.answer is None:
        st.markdown(":material/error: No answer; it counts in no score.")
        st.text(visible(answer.failure or ""))
    else:
        st.html(answer_html(answer.answer, question))
    said = [
        _score(name, value)
        for name in (CONTAINS, HAS_ALL, F1, F1_LOCOMO, ABSTAINS, ABSTAINS_WRONGLY, JUDGED)
        if (value := found[name]) is not None
    ]
    if said:
        st.caption(plain(" · ".join(said)))
    tokens = "tokens not told" if answer.tokens_in is None else f"{answer.tokens_in:,} + {answer.tokens_out or 0:,} tokens"
    st.caption(f"{tokens}, {answer.seconds:.1f} s")
    with st.expander("Prompt and output", key=f"prompt-{answer.method}", on_change="rerun") as folded:
        if folded.open:
            for label, text in (("Task", answer.system), ("Question and notes", answer.prompt), ("Output", answer.text)):
                st.caption(label)
                st.code(visible(text), language=None, wrap_lines=True, height=200)


def _score(name: str, value: float) -> str:
    if name in (F1, F1_LOCOMO):
        return f"{WORDS[name]} {value:.3f}"
    return (
        f"{'✓' if value else '✗'} {WORDS[name]}"
        if name != ABSTAINS_WRONGLY
        else "abstained wrongly"
        if value
        else "not abstained"
    )


def answer_html(answer: str, question: Question) -> str:
    """An answer as HTML, with the expected words marked where they stand as they were written.

    Examples
    --------
    >>> "<mark" in answer_html("On Thursday & later", Question("q", "When?", "thursday"))
    True
    """
    text = visible(answer)
    pieces, end = [], 0
    for start, stop in _found(text, [question.answer or "", *question.gold.substrings]):
        gold = f"background:none;color:{themed(colours.GOLD)};font-weight:600;text-decoration:underline"
        pieces.append(f"{escape(text[end:start])}<mark style='{gold}'>{escape(text[start:stop])}</mark>")
        end = stop
    pieces.append(escape(text[end:]))
    return f"<div dir='auto' style='unicode-bidi:isolate;white-space:pre-wrap;overflow-wrap:anywhere'>{''.join(pieces)}</div>"


def _found(text: str, expected: Sequence[str]) -> list[tuple[int, int]]:
    """Where expected texts stand, without overlap, from left to right."""
    said = text.lower()
    if len(said) != len(text):  # a letter whose small form is longer: places would be off
        return []
    spots = sorted((said.index(one.lower()), len(one)) for one in map(visible, expected) if one and one.lower() in said)
    found: list[tuple[int, int]] = []
    for start, length in spots:
        if not found or start >= found[-1][1]:
            found.append((start, start + length))
    return found


def _context(answers: Sequence[Answer], question: Question, opened: OpenCase) -> None:
    """The notes that the model was shown for one method, gold marked."""
    methods = [answer.method for answer in answers]
    gold = comparison.gold_of(question, opened.memory)
    golden = gold.notes if gold is not None else frozenset()
    st.markdown("**What the model was shown**")
    picked = st.segmented_control(
        "Method",
        methods,
        default=methods[0],
        key="answers-context",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    answer = answers[methods.index(str(picked))] if picked in methods else answers[0]
    held = sum(note in golden for note in answer.note_ids)
    when = asked_on(question)
    st.caption(
        f"{counted(len(answer.note_ids), 'note')} in the order of the ranking, {held:,} of {counted(len(golden), 'gold note')} "
        f"among them{f'; the question is dated {plain(when)}' if when else ''}. Tags were not shown, and long texts were cut."
    )
    for at, note_id in enumerate(answer.note_ids, 1):
        if note_id not in opened.memory:
            st.text(visible(f"{at}. {note_id} is not in the store any more"))
            continue
        st.caption(f"Note {at}")
        show_note(opened.memory[note_id], frozenset(), question, is_gold=note_id in golden, height=220)
