"""The cards Tags and Competitors: what the note lacks, and which notes stand in its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import get_args

import streamlit as st

from workbench import colours
from workbench.diagnose.stages import NoteTrace
from workbench.diagnose.tags import MissingWord, NearTag, TagReport, Where
from workbench.records import Note
from workbench.ui import context, hit_columns
from workbench.ui.comparison import Column, Row, tie_ranges
from workbench.ui.diagnose_view import Shown, tags_of
from workbench.ui.note_view import show_note, themed
from workbench.ui.why_view import show_whys
from workbench.words import counted, number, visible

_HITS = "diagnose-hits"
SHOWN = 10
"""Notes in front that are drawn at most."""
PLACES: tuple[Where, ...] = get_args(Where)


# --- tags -------------------------------------------------------------------------------------------------------------------


def show_tags(shown: Shown) -> None:
    """The card Tags. The caller holds the memory's lock."""
    st.markdown("**Tags**")
    if not shown.is_stored:
        st.caption("The note is not in the store, so it has no tags.")
        return
    st.html(tags_html(tags_of(shown), shown.memory[shown.note_id]))


def tags_html(report: TagReport, note: Note) -> str:
    """Helpful tags, the note's other tags, and query words that no tag of the note has."""
    muted = f"color:{themed(colours.MUTED)}"
    rows = [_part("Helpful: on the note, and in the question", _helpful(report))]
    helpful = {tag.path for tag in report.helpful}
    if others := [path for path in report.tags if path not in helpful]:
        rows.append(_part("Its other tags", [", ".join(f"<bdi>{_plain(path)}</bdi>" for path in others)]))
    telling = [word for word in report.missing if word.is_telling]
    for where in PLACES:
        if found := [_missing(word) for word in telling if word.where == where]:
            rows.append(_part(f"Missing · {_plain(_said(where, note))}", found))
    if not telling:
        rows.append(_part("Missing", ["nothing: every telling word of the question is in a tag of the note"]))
    if rest := [word.spoken for word in report.missing if not word.is_telling]:
        rows.append(
            f"<div style='{muted};font-size:0.82rem'>not looked for, as they tell little: {_plain(', '.join(rest))}</div>"
        )
    return f"<div style='overflow-wrap:anywhere;line-height:1.5;font-size:0.9rem'>{''.join(rows)}</div>"


def _said(where: Where, note: Note) -> str:
    """Who says a word, by name where the speakers have names."""
    if where == "nowhere":
        return "nowhere in the note"
    names = {turn.role: turn.speaker or f"the {turn.role}" for turn in note.interaction.turns}
    return f"{names[where]} says it, no tag has it" if where == "user" else f"only {names[where]} says it"


def _part(head: str, lines: Sequence[str]) -> str:
    muted = f"color:{themed(colours.MUTED)};font-size:0.8rem"
    return (
        f"<div style='margin-bottom:8px'><div style='{muted}'>{head}</div>{''.join(f'<div>{line}</div>' for line in lines)}</div>"
    )


def _helpful(report: TagReport) -> list[str]:
    if not report.tags:
        return ["<b>✕ none</b>: the note has no tags"]
    return [_tag(tag.path, tag.words, tag.dropped) for tag in report.helpful] or ["<b>✕ none</b>"]


def _tag(path: str, words: Sequence[str], dropped: Sequence[str]) -> str:
    """A helpful tag; one that the filter leaves no word of says so."""
    lost = themed(colours.SEED)
    if len(dropped) == len(words):
        note = f" <span style='color:{lost}'>✕ filtered: too common</span>"
    else:
        note = f" <span style='color:{themed(colours.MUTED)}'>(partly filtered)</span>" if dropped else ""
    return f"✓ <b><bdi>{_plain(path)}</bdi></b>{note}"


def _missing(word: MissingWord) -> str:
    common = ", too common for the filter" if word.is_common else ""
    return f"<b><bdi>{_plain(word.spoken)}</bdi></b>{common}{''.join(_near(word))}"


def _near(word: MissingWord) -> Iterator[str]:
    for way, said in (("spelling", "spelled alike"), ("meaning", "of near meaning")):
        if found := [_placed(tag) for tag in word.near if tag.by == way]:
            yield f" · {said}: {', '.join(found)}"


def _placed(tag: NearTag) -> str:
    where = "on this note" if tag.is_on_note else f"on {counted(tag.notes, 'note')}"
    return f"<bdi>{_plain(tag.path)}</bdi> ({where})"


def _plain(text: str) -> str:
    return escape(visible(text))


# --- competitors ------------------------------------------------------------------------------------------------------------


def show_competitors(shown: Shown) -> None:
    """The card Competitors. The caller holds the memory's lock."""
    st.markdown("**Competitors**")
    ranked = [name for name in shown.missed if shown.found[name].candidates]
    if not ranked:
        st.caption(
            "No method that misses this note ranks anything else." if shown.missed else f"None: all have it in the top {shown.k}."
        )
        return
    name = _choose(ranked)
    trace = shown.traces[name]
    st.caption(_summary(trace))
    hit_columns.show([_column(shown, name)], _HITS, _opened(shown), _hit_clicked)


def _choose(names: Sequence[str]) -> str:
    chosen = st.pills(
        "Under", names, default=names[0], key="of", bind="query-params", required=True, label_visibility="collapsed"
    )
    return str(chosen)


def _summary(trace: NoteTrace) -> str:
    """How many scored more or the same, and by how much the last place was won."""
    inquiry = trace.inquiry
    if inquiry.hit is None:
        return "The note is not ranked; these are."
    said = [f"{counted(len(inquiry.ahead), 'note')} scored more" if inquiry.ahead else ""]
    said += [f"{counted(len(inquiry.tied), 'note')} the same" if inquiry.tied else ""]
    lead = inquiry.ranking.hits[trace.k - 1].score - inquiry.hit.score
    needed = f"; {number(lead)} more would have reached place {trace.k}" if lead > 0 else ""
    return f"{', '.join(filter(None, said)) or 'Only notes that answer as well are in front'}{needed}."


def _column(shown: Shown, name: str) -> Column:
    """The first k notes, and behind them the gold note where it is ranked."""
    hits = shown.traces[name].inquiry.ranking.hits
    ties = tie_ranges(hits)
    front = min(shown.k, SHOWN)
    drawn = [hit for at, hit in enumerate(hits) if at < front or hit.note_id == shown.note_id]
    rows = [
        Row(hit, shown.memory[hit.note_id], ties[hit.block], None, hit.note_id in shown.answers)
        for hit in drawn
        if hit.note_id in shown.memory
    ]
    return Column(name, shown.traces[name].inquiry.ranking, tuple(rows), None, None, "notes", shown.ms.get(name))


def _hit_clicked() -> None:
    if found := hit_columns.clicked(_HITS):
        context.select(note=found[1])


def _opened(shown: Shown) -> str:
    return shown.chosen.note_id if shown.chosen.note_id in shown.memory else ""


def show_opened(shown: Shown) -> None:
    """The note that was clicked, beside the reasons of its score and of the gold note's. The caller holds the memory's lock."""
    note_id = _opened(shown)
    if not note_id:
        return
    with st.container(border=True, key="opened-note"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("**Opened note**", width="content")
            st.space("stretch")
            st.button(
                "Close", key="close-note", icon=":material/close:", type="tertiary", on_click=context.select, kwargs={"note": ""}
            )
        left, right = st.columns([3, 2], gap="medium")
        with left:
            show_note(shown.memory[note_id], shown.words, shown.question, note_id in shown.answers)
        with right:
            name = str(st.session_state.get("of") or next(iter(shown.found)))
            name = name if name in shown.found else next(iter(shown.found))
            ranking = shown.traces[name].inquiry.ranking
            show_whys([(name, _row_of(shown, name, note_id), ranking.candidates)], shown.question.text)
            if note_id != shown.note_id and (gold := _row_of(shown, name, shown.note_id)) is not None:
                st.caption(f"{colours.GOLD_MARK} The gold note under the same method")
                show_whys([(name, gold, ranking.candidates)], shown.question.text)


def _row_of(shown: Shown, name: str, note_id: str) -> Row | None:
    hits = shown.traces[name].inquiry.ranking.hits
    hit = next((hit for hit in hits if hit.note_id == note_id), None)
    if hit is None or note_id not in shown.memory:
        return None
    return Row(hit, shown.memory[note_id], tie_ranges(hits)[hit.block], None, note_id in shown.answers)
