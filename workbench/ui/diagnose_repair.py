"""The card Repair: edits that bring the note back, what else they move, and a copy of the extraction that keeps them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from workbench.diagnose.edits import AddTag, DropTag, Edit, SetField, TagEdit
from workbench.diagnose.inquiry import Place
from workbench.diagnose.repair import Effect, Outcome, Repair, Search
from workbench.diagnose.variants import keep
from workbench.errors import StoreError
from workbench.store import open_store
from workbench.ui import cached, context, navigation
from workbench.ui.context import Context
from workbench.ui.diagnose_view import Shown, tags_of, without_helpful
from workbench.ui.diagnose_work import effects, repairs
from workbench.ui.node_panel import plain
from workbench.words import counted, visible

_KEPT, _PROBLEM = "diagnose-kept", "diagnose-problem"


def show_repair(shown: Shown) -> None:
    """The card. The caller holds the memory's lock."""
    st.markdown("**Repair** · the smallest edits that bring the note back, found by running the methods again")
    _last_kept(shown.chosen)
    if not shown.is_stored:
        st.caption("What was never stored no edit can lift: load the missing history, or correct the gold.")
        return
    if not shown.asked:
        st.caption("An imported run can't be run again. Choose a method in the sidebar to search for repairs.")
        return
    if any(name in shown.asked for name in shown.missed):
        found = repairs(shown)
        if found is not None:
            _found(shown, found)
    else:
        st.caption(f"Nothing to repair: every method that can be run again has the note in its top {shown.k}.")
    _opposite(shown)


# --- the list ---------------------------------------------------------------------------------------------------------------


def _found(shown: Shown, found: Search) -> None:
    if found.unrepaired:
        st.caption(f"✕ Nothing found within the bounds for {', '.join(found.unrepaired)}.")
    if found.repairs:
        at = _table(shown, found)
        _chosen(shown, found.repairs[at])
    st.caption(bounds_text(found))


def bounds_text(found: Search) -> str:
    """How far the search went, in words."""
    bounds = found.bounds
    within = (
        f"up to {bounds.existing} tags of the memory, {bounds.competitors} notes in front and {bounds.merges} near-duplicates"
    )
    pairs = f"{counted(found.pairs, 'pair')} of the best {bounds.pairs_from}" if found.pairs else "no pairs were needed"
    return f"Tried: {counted(found.singles, 'single edit')}, all there are within {within}; {pairs}. The costs are ours."


def _table(shown: Shown, found: Search) -> int:
    """The repairs as rows; returns which is chosen."""
    frame = pd.DataFrame([_row(repair, found.note_id) for repair in found.repairs])
    key = "repairs-" + hashlib.sha256(repr((shown.about, [repair.edits for repair in found.repairs])).encode()).hexdigest()[:12]
    words = "The note's rank before → after; = is tied, how far the chosen row says below. ✓ brings it among the first."
    shape: dict[str, Any] = {
        "Edit": st.column_config.TextColumn(width=220),
        "Cost": st.column_config.NumberColumn(width=44, help="1 to 6 by how far the edit reaches; a pair costs the sum (ours)."),
        **{name: st.column_config.TextColumn(width=112, help=words) for name in shown.asked},
    }
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        height=min(38 + 35 * len(frame), 320),
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [0]}},
        placeholder="",
        column_config=shape,
        alt="Edits that repair a miss, with the note's rank before and after",
    )
    rows = (st.session_state.get(key) or {}).get("selection", {}).get("rows", [])
    return rows[0] if rows and rows[0] < len(frame) else 0


def _row(repair: Repair, gold: str) -> dict[str, Any]:
    moves = {
        each.method: ("✓ " if each.method in repair.repairs else "") + move_text(each.before, each.after)
        for each in repair.outcomes
    }
    return {"Edit": " and ".join(visible(edit_text(edit, gold)) for edit in repair.edits), "Cost": repair.cost, **moves}


def edit_text(edit: Edit, gold: str) -> str:
    """An edit in short: the gold note is not named.

    Examples
    --------
    >>> edit_text(AddTag("n", "food/cake"), "n"), edit_text(DropTag("tea", "m"), "n")
    ('add food/cake', 'drop tea from m')
    """
    if isinstance(edit, AddTag | DropTag) and edit.note_id == gold:
        return f"{edit.kind} {edit.path}"
    return str(edit)


def move_text(before: Place | None, after: Place | None) -> str:
    """A note's rank before and after, in short: ``=`` stands before a rank that it shares with others.

    Examples
    --------
    >>> move_text(Place(12, 12, 12), Place(2, 1, 3)), move_text(None, Place(1, 1, 1)), move_text(Place(3, 3, 3), Place(3, 3, 3))
    ('12 → =2', 'none → 1', '3')
    """
    return _short(before) if before == after else f"{_short(before)} → {_short(after)}"


def _short(place: Place | None) -> str:
    return "none" if place is None else f"{'' if place.best == place.worst else '='}{place.rank}"


def outcome_text(outcome: Outcome) -> str:
    """The same in full.

    Examples
    --------
    >>> outcome_text(Outcome("bm25", Place(12, 12, 12), Place(2, 1, 3)))
    'bm25 12 → 2 (1–3)'
    """
    if outcome.before == outcome.after:
        return f"{outcome.method} {_full(outcome.before)}"
    return f"{outcome.method} {_full(outcome.before)} → {_full(outcome.after)}"


def _full(place: Place | None) -> str:
    if place is None or place.best == place.worst:
        return _short(place)
    return f"{place.rank} ({place.best}–{place.worst})"


# --- the chosen one ---------------------------------------------------------------------------------------------------------


def _chosen(shown: Shown, repair: Repair) -> None:
    with st.container(border=True, key="chosen-repair", gap="small"):
        st.text(" and ".join(visible(str(edit)) for edit in repair.edits))
        st.caption(plain(f"Rank: {' · '.join(map(outcome_text, repair.outcomes))}"))
        _collateral(shown, repair)
        _apply_form(shown.chosen, repair.edits)


def _collateral(shown: Shown, repair: Repair) -> None:
    if not shown.others:
        st.caption("Collateral: the case has no other question with gold.")
        return
    found = effects(shown, repair.edits)
    if found is None:
        return
    st.caption(collateral_text(found, len(shown.others)))
    moved = sorted((effect for effect in found if effect.change), key=lambda effect: (effect.change, effect.question))
    if moved:
        texts = {question.id: question.text for question in shown.others}
        with st.expander(f"Questions that move ({len({effect.question for effect in moved})})", key="collateral"):
            st.dataframe(
                pd.DataFrame([_effect(effect, texts[effect.question]) for effect in moved]),
                hide_index=True,
                height="content" if len(moved) < 10 else 380,
                placeholder="",
                column_config={"Question": st.column_config.TextColumn(width="large")},
                alt="Other questions whose first gold note moves under the edit",
            )


def collateral_text(found: Sequence[Effect], questions: int) -> str:
    """How many other questions rise and fall under any method."""
    rise, fall = ({effect.question for effect in found if effect.change == sign} for sign in (1, -1))
    judged = len({effect.question for effect in found})
    gone = f" ({questions - judged} more have no gold in the store)" if judged < questions else ""
    return f"Collateral: of {counted(judged, 'other question')}{gone}, {len(rise)} rise and {len(fall)} fall under some method."


def _effect(effect: Effect, text: str) -> dict[str, str]:
    before, after = ("none" if rank is None else str(rank) for rank in (effect.before, effect.after))
    return {
        "Move": "▲ rises" if effect.change > 0 else "▼ falls",
        "Question": visible(text),
        "Method": effect.method,
        "First gold": f"{before} → {after}",
    }


def _apply_form(chosen: Context, edits: Sequence[Edit]) -> None:
    settings = [f"--set {edit.method}.{edit.field}={edit.value}" for edit in edits if isinstance(edit, SetField)]
    if settings:
        st.caption("A setting belongs to a method and not to an extraction, so there is no copy to keep. On the command line:")
        st.code(" ".join(settings), language=None)
        return
    key = f"variant-name-{chosen.extraction}"  # a name of its own for each extraction that is copied
    st.session_state.setdefault(key, _free_name(chosen))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name of the copy", key=key, width=240)
        st.button(
            "Apply to a copy",
            key="apply-repair",
            type="primary",
            icon=":material/content_copy:",
            help="Keeps the edited tags as another extraction of this case; the one shown stays as it is.",
            on_click=_apply,
            args=(chosen, [edit for edit in edits if isinstance(edit, TagEdit)], key),
        )
    if problem := st.session_state.pop(_PROBLEM, ""):
        st.error("The copy was not kept.", icon=":material/error:")
        st.text(problem)


def _free_name(chosen: Context) -> str:
    names = {row.variant for row in cached.extractions(chosen.store_path, chosen.case_key)}
    return next(f"repair-{at}" for at in range(1, len(names) + 2) if f"repair-{at}" not in names)


# --- a copy that is kept ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Kept:
    """A variant that was kept: of which case, under which name, and how its base is chosen again."""

    case: str
    name: str
    base: str
    edited: int


def _apply(chosen: Context, edits: Sequence[TagEdit], key: str) -> None:
    base = next(row for row in cached.extractions(chosen.store_path, chosen.case_key) if row.id == chosen.extraction)
    try:
        with open_store(chosen.store_path, wait_seconds=cached.WAIT_SECONDS) as store:
            row = keep(store, chosen.case_key, edits, st.session_state[key].strip(), base=base.id)
    except (StoreError, ValueError, KeyError) as error:
        st.session_state[_PROBLEM] = str(error.args[0])
        return
    edited = int(row.counters["edited_notes"])
    st.session_state[_KEPT] = _Kept(chosen.case_key, row.variant or "", context.extraction_choice(base), edited)
    del st.session_state[key]
    context.select(extraction=context.extraction_choice(row))


def _last_kept(chosen: Context) -> None:
    kept: _Kept | None = st.session_state.get(_KEPT)
    if kept is None or kept.case != chosen.case_key:
        return
    with st.container(border=True, key="kept", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(":material/check_circle: **Kept as an extraction of its own:**", width="content")
            st.text(visible(kept.name), width="content")
        st.caption(f"Tags of {counted(kept.edited, 'note')} differ from its base, which stays as it is. The sidebar has both.")
        with st.container(horizontal=True):
            navigation.link("compare", "See it in Compare")
            st.button(
                "Back to the base",
                key="back-to-base",
                icon=":material/undo:",
                on_click=context.select,
                kwargs={"extraction": kept.base},
            )
            st.button("Dismiss", key="dismiss-kept", type="tertiary", on_click=st.session_state.pop, args=(_KEPT, None))


# --- the opposite edit ------------------------------------------------------------------------------------------------------


def _opposite(shown: Shown) -> None:
    """For a note that is found: what becomes of it without its helpful tags."""
    found = [name for name in shown.asked if name not in shown.missed]
    helpful = tags_of(shown).helpful
    if not found or not helpful:
        return
    words = "The opposite edit, as a control: where removing the tags changes nothing, they did not bring the hit."
    if not st.toggle("What if I remove the helpful tags?", key="without", bind="query-params", help=words):
        return
    outcomes = without_helpful(shown)
    lost = [each.method for each in outcomes if each.method in found and (each.after is None or each.after.rank > shown.k)]
    said = f"lost by {', '.join(lost)}" if lost else "still found by every method that has it"
    st.caption(f"Without {counted(len(helpful), 'helpful tag')} the note is {said}.")
    frame = pd.DataFrame([{each.method: move_text(each.before, each.after) for each in outcomes}])
    st.dataframe(frame, hide_index=True, key="opposite", placeholder="", alt="The note's rank before and after")
