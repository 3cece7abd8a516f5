"""The queue of misses: a table with labels to be edited in place, steps from miss to miss, and causes on keys."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from workbench.store import STATUSES
from workbench.ui import context, diagnose_gold
from workbench.ui.audit_labels import Change, Known, save, unsaved
from workbench.ui.audit_rows import Facts, Filter, Miss, MissKey, lost_rows, methods_text, stages_text
from workbench.ui.audit_work import Kept
from workbench.ui.context import Context
from workbench.ui.evaluate_cells import HEAD, ROW
from workbench.ui.label_form import analyst
from workbench.ui.node_panel import plain
from workbench.words import visible

PAGE = 20
"""Misses of one page of the table (ours): few enough that it need not scroll."""
ON_KEYS = 9
_PAGE, _TURN, _DRAWN = "audit-page", "audit-turn", "audit-drawn"
_FIELDS = {"Label": "label", "Comment": "comment", "Status": "status"}
_NO_NAME = "Name yourself as the analyst above, and labels can be given."


@dataclass(frozen=True)
class Queue:
    """The misses that the filter leaves, and the one that is looked at, which need not be among them."""

    chosen: Context
    kept: Kept
    facts: Facts
    wanted: Filter
    misses: tuple[Miss, ...]
    shown: Miss | None
    texts: Mapping[tuple[str, str], str]
    known: Known

    @property
    def path(self) -> Path:
        return self.chosen.store_path

    @property
    def at(self) -> int | None:
        """The place of the shown miss in the queue."""
        keys = [miss.key for miss in self.misses]
        return keys.index(self.shown.key) if self.shown is not None and self.shown.key in keys else None

    def neighbours(self) -> tuple[Miss | None, Miss | None]:
        """The misses before and after the shown one; also where the filter has left it out."""
        order = self.kept.by_key
        here = order[self.shown.key] if self.shown is not None else -1
        before = [miss for miss in self.misses if order[miss.key] < here]
        after = [miss for miss in self.misses if order[miss.key] > here]
        return (before[-1] if before else None), (after[0] if after else None)


def shown_miss(chosen: Context, kept: Kept) -> Miss | None:
    """The miss of the question that the sidebar has: of its gold note that is looked at, else of its first one."""
    of_question = [miss for miss in kept.misses if miss.key[:2] == (chosen.case_key, chosen.question_id)]
    wanted = diagnose_gold.looked_at(chosen)
    return next((miss for miss in of_question if miss.key[2] == wanted), of_question[0] if of_question else None)


def extraction_of(miss: Miss, wanted: str = "") -> str:
    """The extraction under which a miss is shown: the filter's, else the first one under which some method misses it."""
    lost = [row.extraction for row in miss.lost]
    return wanted if wanted in lost else lost[0]


def select(chosen: Context, kept: Kept, miss: Miss, extraction: str = "") -> None:
    """Look at a miss, from a callback: the sidebar, the links and the page Diagnose follow.

    ``extraction`` is the filter's; a note that no method misses under it is looked at under another one.
    """
    case, question, note = miss.key
    source = kept.sources[extraction_of(miss, extraction)][case]
    choice = {"case": case, "question": question, "q": "", "note": ""}
    context.select(**choice, **({"extraction": source.choice} if source.choice else {}))
    diagnose_gold.look_at(replace(chosen, case_key=case, question_id=question, typed=""), note)
    st.session_state.pop(_PAGE, None)


# --- steps and keys ---------------------------------------------------------------------------------------------------------


def show_steps(queue: Queue) -> None:
    """Draw where in the queue one is, and the two steps."""
    before, after = queue.neighbours()
    total = f"{len(queue.misses):,}"
    place = f"miss {queue.at + 1:,} of {total}" if queue.at is not None else f"{total} misses"
    if queue.at is None and queue.shown is not None:
        place = f"not among the {total} of the filter"
    with st.container(horizontal=True, vertical_alignment="center", key="audit-steps"):
        _step("Previous", "k", queue, before)
        st.caption(place, width="content")
        _step("Next", "j", queue, after)


def _step(label: str, shortcut: str, queue: Queue, to: Miss | None) -> None:
    st.button(
        label,
        key=f"miss-{label.lower()}",
        shortcut=shortcut,
        type="tertiary",
        disabled=to is None,
        on_click=select,
        args=(queue.chosen, queue.kept, to, queue.wanted.extraction),
    )


def show_keys(queue: Queue) -> None:
    """Draw the first nine causes, each on its key, for the miss that is looked at."""
    shown = queue.shown
    label = queue.facts.own.get(shown.key) if shown else None
    help_ = None if analyst() else _NO_NAME
    with st.container(horizontal=True, gap="xsmall", key="audit-keys"):
        for number, cause in enumerate(queue.known.causes.causes[:ON_KEYS], 1):
            is_on = label is not None and label.label == cause.name
            st.button(
                plain(cause.name),
                key=f"cause-{number}",
                type="primary" if is_on else "secondary",
                shortcut=str(number),
                disabled=shown is None or not analyst(),
                help=help_ or plain(cause.meaning) or None,
                on_click=_give,
                args=(queue.path, shown, "" if is_on else cause.name),
            )


def _give(store: Path, miss: Miss, cause: str) -> None:
    save(store, {miss.key: {"label": cause}})


# --- the table --------------------------------------------------------------------------------------------------------------


def show_table(queue: Queue) -> None:
    """Draw a page of the queue. A tick in the first column looks at a miss; labels are saved as they are changed."""
    last = max(0, (len(queue.misses) - 1) // PAGE)
    number = min(st.session_state.get(_PAGE, (queue.at or 0) // PAGE), last)
    page = queue.misses[number * PAGE : (number + 1) * PAGE]
    labels = _labels(queue)
    rows = [_row(queue, miss) for miss in page]
    key = _key(queue, page, rows, labels)
    st.session_state[_DRAWN] = rows
    st.data_editor(
        # Of one type whether labels were given or not: another type would be another editor, closed while one types in it.
        pd.DataFrame(rows).astype(dict.fromkeys(_FIELDS, "string")),
        key=key,
        hide_index=True,
        height=HEAD + ROW * len(rows),
        placeholder="",
        disabled=["Question", "Gold note", "Missed by", "Lost at", *([] if analyst() else _FIELDS)],
        column_config=_columns(list(labels)),
        on_change=_edited,
        args=(queue, key, page, labels),
    )
    if last:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "", key="queue-back", icon=":material/chevron_left:", disabled=not number, on_click=_turn, args=(number - 1,)
            )
            st.caption(f"{number * PAGE + 1:,}–{number * PAGE + len(page):,} of {len(queue.misses):,}", width="content")
            st.button(
                "", key="queue-on", icon=":material/chevron_right:", disabled=number == last, on_click=_turn, args=(number + 1,)
            )


def _turn(page: int) -> None:
    st.session_state[_PAGE] = page


def _labels(queue: Queue) -> dict[str, str]:
    """The causes by what a cell shows of them: those of the taxonomy, and earlier ones that are still given."""
    names = [*queue.known.causes.names, *(label.label for label in queue.facts.own.values() if label.label)]
    return {visible(name): name for name in dict.fromkeys(names)}


def _row(queue: Queue, miss: Miss) -> dict[str, Any]:
    label, left = queue.facts.own.get(miss.key), unsaved(queue.path).get(miss.key, {})
    given = {
        "label": label.label if label else "",
        "comment": label.comment if label else "",
        "status": queue.facts.status(miss),
    } | left
    lost = lost_rows(miss, queue.wanted, queue.facts)
    case, question, note = miss.key
    return {
        "Show": queue.shown is not None and queue.shown.key == miss.key,
        "Question": visible(queue.texts.get((case, question), question)),
        "Lost at": stages_text(lost),
        "Missed by": methods_text(lost, miss),
        "Label": visible(given["label"]) or None,
        "Comment": visible(given["comment"]),
        "Status": given["status"],
        "Gold note": visible(note),
    }


def _columns(labels: Sequence[str]) -> dict[str, Any]:
    column, help_ = st.column_config, None if analyst() else _NO_NAME
    return {
        "Show": column.CheckboxColumn("", width=34, help="Look at this miss (j and k step on and back)."),
        "Question": column.TextColumn(width=190),
        "Lost at": column.TextColumn(width=100, help="Stages that lost the note, with how many methods each took it from."),
        "Missed by": column.TextColumn(width=100),
        "Label": column.SelectboxColumn(width=95, options=labels, help=help_),
        "Comment": column.TextColumn(width=110, help=help_),
        "Status": column.SelectboxColumn(width=70, options=STATUSES, required=True, help=help_),
        "Gold note": column.TextColumn(width=130),
    }


def _key(queue: Queue, page: Sequence[Miss], rows: Sequence[Mapping[str, Any]], labels: Mapping[str, str]) -> str:
    """The editor's key. It stays while what was edited there is what the rows say, so that a cell that is being typed in stays
    open; it changes with the rows, and where a label was given in another way, or the old edit would be shown over it."""
    about = (queue.kept.request.id, [miss.key for miss in page], list(labels), analyst(), str(queue.path))
    base = f"queue-{zlib.crc32(repr(about).encode()):08x}"
    turn: int = st.session_state.get(_TURN, 0)
    edits = st.session_state.get(f"{base}-{turn}", {}).get("edited_rows", {})
    if any(_cell(rows[at][name]) != _cell(value) for at, change in edits.items() for name, value in change.items()):
        turn += 1
        st.session_state[_TURN] = turn
    return f"{base}-{turn}"


def _cell(value: Any) -> Any:
    return "" if value is None else value


def _edited(queue: Queue, key: str, page: Sequence[Miss], labels: Mapping[str, str]) -> None:
    """Save what a change of the table says that its rows did not."""
    drawn: Sequence[Mapping[str, Any]] = st.session_state[_DRAWN]
    changes: dict[MissKey, Change] = {}
    for at, edit in st.session_state[key]["edited_rows"].items():
        fresh = {name: value for name, value in edit.items() if _cell(value) != _cell(drawn[at][name])}
        change = {_FIELDS[name]: _cell(value) for name, value in fresh.items() if name in _FIELDS}
        if "label" in change:
            change["label"] = labels.get(change["label"], "")
        if "comment" in change:
            change["comment"] = change["comment"].strip()
        if change:
            changes[page[at].key] = change
        if fresh.get("Show"):
            select(queue.chosen, queue.kept, page[at], queue.wanted.extraction)
    if changes:
        save(queue.path, changes)
