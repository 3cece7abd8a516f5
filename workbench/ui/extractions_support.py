"""The tab Support: tags that their note's text does not support, and a variant without them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.compare_extractions.supported import ALL, LISTED, SupportRow
from workbench.diagnose.rewriting import DropUnsupported
from workbench.ui import context, navigation
from workbench.ui import evaluate_cells as cells
from workbench.ui.context import Context
from workbench.ui.evaluate_view import selected
from workbench.ui.extractions_variant import ask_base, ask_name
from workbench.ui.extractions_vocabulary import share
from workbench.ui.extractions_work import Kept

_OPENED = "support-opened"


def show(chosen: Context, kept: Kept) -> None:
    """Draw the tab."""
    st.caption(
        "A tag is supported where the words of its last segment, or an alias that the lexicon knows, were said in the note; a "
        "date by words that say it or by the session's date. The check is deterministic and ours, and leans to *supported*."
    )
    _table([row for row in kept.found.support if row.category == ALL], repr(kept.request))
    base = ask_base(kept, "support-base")
    _table([row for row in kept.found.support if row.extraction == base and row.category != ALL], f"{kept.request} {base}")
    _listed(kept, base)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        is_strict = st.checkbox(
            "Also drop what only the assistant (or second speaker) said", key="support-strict", bind="query-params"
        )
        total = next(row for row in kept.found.support if (row.extraction, row.category) == (base, ALL))
        dropped = total.unsupported + (total.assistant if is_strict else 0)
        ask_name(chosen, kept, base, DropUnsupported(is_strict), f"Drop {dropped:,} of {total.tags:,} tags", bool(dropped))


def _table(found: Sequence[SupportRow], key: str) -> None:
    """Tags by what supports them: an extraction a row, or a category."""
    rows = [
        {
            "Tags of": row.extraction if row.category == ALL else row.category,
            "Tags": row.tags,
            "User": row.user,
            "Assistant": row.assistant,
            "Session date": row.session_date,
            "Nothing": row.unsupported,
            "Not supported [95%]": share(row.share),
        }
        for row in found
    ]
    shape = {
        "User": st.column_config.NumberColumn(help="The user said it, or the first speaker of an exchange."),
        "Assistant": st.column_config.NumberColumn(
            help="At least one of its words was said by the assistant (or second speaker) alone."
        ),
        "Not supported [95%]": st.column_config.TextColumn(help="Share of tags, mean over the cases that have some."),
    }
    cells.table(rows, cells.stable_key("support", [key]), shape)


def _listed(kept: Kept, base: str) -> None:
    found = kept.found.unsupported[base]
    if not found:
        st.caption("Every tag of this extraction is supported.")
        return
    st.caption(
        f"The first {LISTED:,} tags that nothing said supports; a click opens the note on the page Graph."
        if len(found) == LISTED
        else f"All {len(found):,} tags that nothing said supports; a click opens the note on the page Graph."
    )
    rows = [
        {"Tag": each.path, "Category": each.category, "Not said": ", ".join(each.missing), "Note": each.note, "Case": each.case}
        for each in found
    ]
    key = cells.stable_key("unsupported", [repr(kept.request), base])
    places = [(each.case, each.note) for each in found]
    st.dataframe(
        cells.frame(rows),
        key=key,
        hide_index=True,
        height=cells.HEAD + cells.ROW * min(len(rows), 9),
        on_select=lambda: _open(key, places),
        selection_mode=["single-row", "single-cell"],
    )
    if st.session_state.pop(_OPENED, False):
        navigation.go("graph")


def _open(key: str, places: list[tuple[str, str]]) -> None:
    at = selected(key)
    if at is not None:
        case, note = places[at]
        context.select(case=case)
        context.select(note=note)
        st.session_state[_OPENED] = True
