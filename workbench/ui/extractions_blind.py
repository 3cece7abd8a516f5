"""The tab Blind spots: question types whose gold notes an extraction gave no tag that the query matches."""

from __future__ import annotations

import streamlit as st

from workbench.ui import cached
from workbench.ui import evaluate_cells as cells
from workbench.ui.context import Context
from workbench.ui.evaluate_view import question_table
from workbench.ui.extractions_vocabulary import share
from workbench.ui.extractions_work import Kept
from workbench.words import visible


def show(chosen: Context, kept: Kept) -> None:
    """Draw the tab."""
    spots, labels = kept.found.blind_spots, kept.found.labels
    if not spots:
        st.info("No question of these cases names evidence that they hold: blind spots can't be told.", icon=":material/info:")
        return
    st.caption(
        "Share of questions with a helpful tag on a gold note, with its 95% interval over questions: a tag of the note that "
        "shares a word with the query. Without one, a tag graph can reach the note by detours only."
    )
    rows, css = [], []
    for spot in spots:
        name = cells.group_words(spot.type)
        rows.append({"Type": name, "n": spot.questions} | {label: share(spot.reached[label]) for label in labels})
        css.append({label: cells.heat(spot.reached[label].mean) for label in labels})
    cells.styled(rows, css, cells.stable_key("blind", [repr(kept.request)]))
    if len(labels) > 1:
        _pair(chosen, kept)


def _pair(chosen: Context, kept: Kept) -> None:
    labels, spots = kept.found.labels, {spot.type: spot for spot in kept.found.blind_spots}
    st.markdown("**Blind under one, reached under another**")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        blind = (
            st.selectbox("Blind under", labels, format_func=visible, key="blind-under", bind="query-params", width=300)
            or labels[0]
        )
        others = [label for label in labels if label != blind]
        seeing = st.selectbox("Reached under", others, format_func=visible, key=f"reached-under-{blind}", width=300) or others[0]
        type_ = st.selectbox("Type", list(spots), format_func=cells.group_words, key="blind-type", bind="query-params", width=280)
    keys = spots[str(type_)].only[blind, seeing]
    if not keys:
        st.caption(f"No such question among {spots[str(type_)].questions:,}.")
        return
    texts = {(row.case, row.id): row.text for row in cached.question_table(kept.path, chosen.benchmark, None, None)}
    types = {(each.case, each.question): each.type for each in kept.found.questions}
    rows = [{"Question": texts.get(key, ""), "Type": types[key], "Case": key[0], "Id": key[1]} for key in keys]
    st.caption(f"{len(keys):,} of {spots[str(type_)].questions:,}. A click opens a question on the page Compare.")
    question_table(rows, keys, "blind-questions", ())
