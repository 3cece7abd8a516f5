"""The tab Notes: what two extractions made of each note of the sidebar's case, and of one note side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import streamlit as st

from workbench.compare_extractions.note_diffs import NoteDiff, note_diff, note_diffs
from workbench.diagnose.support import Spoken
from workbench.records import Note
from workbench.ui import cached, context
from workbench.ui import evaluate_cells as cells
from workbench.ui.context import Context
from workbench.ui.evaluate_view import selected
from workbench.ui.extractions_vocabulary import decimal
from workbench.ui.extractions_work import Kept
from workbench.ui.node_panel import plain
from workbench.ui.note_view import short_title, when
from workbench.words import counted, visible

_NOTE = "diff"
Pair = tuple[str, str]


def show(chosen: Context, kept: Kept) -> None:
    """Draw the tab."""
    labels = kept.found.labels
    if len(labels) < 2:
        st.info("Choose a second extraction to see where notes differ.", icon=":material/info:")
        return
    pairs = list(combinations(labels, 2))
    pair = pairs[0]
    if len(pairs) > 1:
        pair = st.selectbox(
            "Pair", pairs, format_func=lambda each: visible(" and ".join(each)), key="diff-pair", bind="query-params", width=520
        )
    _overall(kept, pair)
    case = chosen.case_key
    if case not in kept.found.cases:
        st.info("The sidebar's case does not have both extractions. Choose another case there.", icon=":material/info:")
        return
    first, second = (_notes(kept, case, label) for label in pair)
    diffs = note_diffs(first, second)
    is_all = st.toggle("Also notes that do not differ", key="diff-all", bind="query-params")
    shown = [diff for diff in diffs if is_all or not diff.is_same]
    wanted = st.query_params.get(_NOTE)
    at = next((place for place, note in enumerate(first) if note.id == wanted), None)
    _steps(kept, case, pair, at)
    if shown:
        _table({note.id: note for note in first}, shown, pair)
    else:
        st.caption("No note of this case differs.")
    if at is None and shown:
        at = next(place for place, note in enumerate(first) if note.id == shown[0].note_id)
    if at is not None:
        _one(first[at], second[at], pair)


def _overall(kept: Kept, pair: Pair) -> None:
    found = next(each for each in kept.found.agreement if (each.first, each.second) == pair)
    st.caption(
        f"Over all cases {found.same_notes:,} of {counted(found.notes, 'note')} have the same tags in the same categories; "
        f"{found.shared:,} tags of a note are shared, {found.only_first:,} only in {plain(pair[0])}, {found.only_second:,} only "
        f"in {plain(pair[1])}, {found.moved:,} in other categories. Alike by the words of their tags (Jaccard): "
        f"{plain(decimal(found.jaccard, 3))} over {counted(found.jaccard.n, 'case')}."
    )


def _notes(kept: Kept, case: str, label: str) -> tuple[Note, ...]:
    opened = cached.open_case(kept.path, case, kept.source(label).rows[case].id)
    with opened.lock:
        return opened.memory.notes


def _steps(kept: Kept, case: str, pair: Pair, at: int | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Next difference", key="diff-next", icon=":material/arrow_forward:", on_click=_next, args=(kept, case, pair, at)
        )
        st.caption(f"Notes of {plain(case)}; the sidebar chooses the case. At its end the next case with a difference follows.")


def _next(kept: Kept, case: str, pair: Pair, at: int | None) -> None:
    """Open the next note that differs: in this case, else in the following ones, and from the last on again from the first."""
    cases = kept.found.cases
    start = cases.index(case)
    for step in range(len(cases) + 1):
        here = cases[(start + step) % len(cases)]
        after = at if step == 0 and at is not None else -1
        diffs = note_diffs(*(_notes(kept, here, label) for label in pair))
        found = next((diff.note_id for place, diff in enumerate(diffs) if place > after and not diff.is_same), None)
        if found is not None:
            if here != case:
                context.select(case=here)
            st.query_params[_NOTE] = found
            return


def _table(notes: dict[str, Note], diffs: Sequence[NoteDiff], pair: Pair) -> None:
    rows = [
        {
            "Note": short_title(notes[diff.note_id]),
            "When": when(notes[diff.note_id]),
            "Shared": len(diff.shared),
            f"Only {pair[0]}": ", ".join(diff.only_first),
            f"Only {pair[1]}": ", ".join(diff.only_second),
            "Other category": ", ".join(diff.moved),
            "Alike": diff.jaccard,
        }
        for diff in diffs
    ]
    ids = [diff.note_id for diff in diffs]
    key = cells.stable_key("diffs", [*ids, *pair])
    st.dataframe(
        cells.frame(rows),
        key=key,
        hide_index=True,
        height=cells.HEAD + cells.ROW * min(len(rows), 8),
        on_select=lambda: _open(key, ids),
        selection_mode=["single-row", "single-cell"],
        placeholder=cells.DASH,
        column_config={
            "Alike": st.column_config.NumberColumn(format="%.2f", help="Shared over all words of the tags' last segments.")
        },
    )


def _open(key: str, ids: Sequence[str]) -> None:
    at = selected(key)
    if at is not None:
        st.query_params[_NOTE] = ids[at]


def _one(first: Note, second: Note, pair: Pair) -> None:
    """One note: its text on the left, each of its tags on the right with the category under either extraction."""
    diff = note_diff(first, second)
    st.markdown(f"**{plain(short_title(first))}**")
    left, right = st.columns([1, 1], gap="medium")
    length = sum(len(turn.full_text) for turn in first.interaction.turns)
    with left, st.container(height=420 if length > 1200 else "content", border=True):
        for turn in first.interaction.turns:
            st.caption(plain(turn.speaker or turn.role))
            st.text(visible(turn.full_text))
    with right:
        rows = []
        spoken = Spoken(first.interaction)
        for path in (*diff.shared, *diff.only_first, *diff.only_second):
            categories = [[name for name, each in note.extraction.pairs() if each == path] for note in (first, second)]
            source = spoken.support(first.id, (categories[0] or categories[1])[0], path).source
            rows.append(
                {
                    "Tag": path,
                    pair[0]: ", ".join(categories[0]) or None,
                    pair[1]: ", ".join(categories[1]) or None,
                    "Supported by": source or "nothing said",
                }
            )
        if rows:
            cells.table(rows, cells.stable_key("diff", [first.id, *pair]), tallest=11)
        else:
            st.caption("Neither extraction gave this note a tag.")
