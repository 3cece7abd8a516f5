"""A note as every page shows it: its text as text, matched words underlined, evidence with a bar at the left.

The text of notes is untrusted. Everything that is drawn here as HTML goes through `html.escape` first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from html import escape

import streamlit as st

from workbench import colours
from workbench.records import CATEGORIES, Note, Question, Turn
from workbench.text import Analyser
from workbench.ui.titles import date_of as date_of
from workbench.ui.titles import short_title as short_title
from workbench.ui.titles import when as when
from workbench.words import visible

_WORD = re.compile(r"[^\W_]+")


def themed(colour: Mapping[str, str]) -> str:
    """A colour of the palette as CSS that follows the page's theme."""
    return f"light-dark({colour['light']}, {colour['dark']})"


def method_themed(method: str) -> str:
    """A method's colour as CSS that follows the page's theme."""
    return themed({"light": colours.method_colour(method, "light"), "dark": colours.method_colour(method, "dark")})


def marked(text: str, words: Collection[str], analyser: Analyser | None = None) -> str:
    """Text as HTML, escaped and `visible`, with the words underlined that share an index word with ``words``.

    Examples
    --------
    >>> marked("Two <b>museums</b>", {"museum"})
    'Two &lt;b&gt;<u>museums</u>&lt;/b&gt;'
    """
    analyser, text = analyser or Analyser(), visible(text)
    known: dict[str, bool] = {}
    pieces, end = [], 0
    for match in _WORD.finditer(text):
        word = match[0]
        if word not in known:
            known[word] = not words.isdisjoint(analyser.words(word)) if isinstance(words, (set, frozenset)) else False
        if known[word]:
            pieces.append(f"{escape(text[end : match.start()])}<u>{escape(word)}</u>")
            end = match.end()
    return "".join([*pieces, escape(text[end:])])


def is_evidence(turn: Turn, question: Question | None) -> bool:
    """Whether a turn is evidence itself: named by the gold, or holding one of its texts."""
    if question is None:
        return False
    if turn.ref and turn.ref in question.gold.turns:
        return True
    text = turn.full_text.casefold()
    return any(substring.casefold() in text for substring in question.gold.substrings)


def note_html(note: Note, words: Collection[str] = frozenset(), question: Question | None = None, is_gold: bool = False) -> str:
    """The whole note as HTML. ``words`` are index words to underline; ``question`` tells which turns are evidence."""
    muted = f"color:{themed(colours.MUTED)};font-size:0.82rem"
    gold = f"color:{themed(colours.GOLD)};font-weight:600"
    head = f"<span style='{gold}'>{colours.GOLD_MARK} gold</span> · " if is_gold else ""
    rows = [f"<div style='{muted}'>{head}<bdi>{_plain(when(note))}</bdi> · round {note.interaction.round}</div>"]
    if note.extraction.summary:
        rows.append(_block(marked(note.extraction.summary, words), "font-weight:600;margin:2px 0 6px"))
    for turn in note.interaction.turns:
        rows.append(_turn_html(turn, words, is_gold and is_evidence(turn, question)))
    rows.append(f"<div style='{muted};margin-top:8px'>{'<br>'.join(_tags(note, words)) or 'no tags'}</div>")
    return f"<div style='overflow-wrap:anywhere;line-height:1.45;font-size:0.92rem'>{''.join(rows)}</div>"


def question_html(question: Question) -> str:
    """A question with its answer, date, type and what the loader had to say of it, as HTML."""
    muted = f"color:{themed(colours.MUTED)};font-size:0.82rem"
    date = date_of(question.time, question.time_text)
    facts = " · ".join(f"<bdi>{_plain(fact)}</bdi>" for fact in (question.type, date and f"asked {date}", question.id) if fact)
    answer = _plain(question.answer) if question.answer is not None else f"<span style='{muted}'>the benchmark gives none</span>"
    expected = "".join(_block(_plain(text)) for text in question.gold.substrings)
    rows = [
        f"<div style='{muted}'>{facts}</div>",
        _block(_plain(question.text), "font-weight:600;font-size:1.05rem;margin:2px 0 8px"),
        f"<div style='{muted}'>answer</div>{_block(answer)}" if question.answer or not expected else "",
        f"<div style='{muted};margin-top:6px'>expected texts</div>{expected}" if expected else "",
        *(f"<div style='{muted};margin-top:6px'>{_plain(remark)}</div>" for remark in question.remarks),
    ]
    return f"<div style='overflow-wrap:anywhere;line-height:1.45'>{''.join(rows)}</div>"


def _plain(text: str) -> str:
    return escape(visible(text))


def _block(html: str, style: str = "") -> str:
    """A text of its own, whose direction of writing is its own as well: neither it nor its neighbours can turn the other."""
    return f"<div dir='auto' style='unicode-bidi:isolate;white-space:pre-wrap;{style}'>{html}</div>"


def _turn_html(turn: Turn, words: Collection[str], evidence: bool) -> str:
    gold = themed(colours.GOLD)
    bar = gold if evidence else "transparent"
    label = f" · <span style='color:{gold};font-weight:600'>{colours.GOLD_MARK} evidence</span>" if evidence else ""
    who = f"<bdi>{_plain(turn.speaker or turn.role)}</bdi>"
    return (
        f"<div style='border-left:4px solid {bar};padding:2px 0 2px 10px;margin:4px 0'>"
        f"<div style='color:{themed(colours.MUTED)};font-size:0.78rem'>{who}{label}</div>"
        f"{_block(marked(turn.full_text, words))}</div>"
    )


def _tags(note: Note, words: Collection[str]) -> Iterator[str]:
    for category in CATEGORIES:
        paths = getattr(note.extraction, category)
        if paths:
            yield f"<b>{category}</b> {', '.join(f'<bdi>{marked(path, words)}</bdi>' for path in paths)}"


def show_note(
    note: Note, words: Collection[str] = frozenset(), question: Question | None = None, is_gold: bool = False, height: int = 420
) -> None:
    """Draw a note; one that is longer than about ``height`` pixels scrolls."""
    length = sum(len(turn.full_text) + 80 * turn.full_text.count("\n") for turn in note.interaction.turns)
    with st.container(height=height if length > 2 * height else "content", border=True):
        st.html(note_html(note, words, question, is_gold))
