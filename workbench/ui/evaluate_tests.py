"""Arms against each other: the matrix of paired tests, wins and losses by question, and where rankings disagree most."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import streamlit as st

from workbench.errors import BadInput
from workbench.evaluate.comparing import ArmComparison, Change
from workbench.evaluate.leaderboard import LEVEL
from workbench.evaluate.significance import Pair, PairedTest, Unit
from workbench.store import RunRow
from workbench.ui import evaluate_cells as cells
from workbench.ui import evaluate_results as results
from workbench.ui.evaluate_view import MOST_ARMS, View, beside, question_table, question_texts, run_words
from workbench.ui.node_panel import plain
from workbench.words import counted, visible

UNITS: dict[Unit, str] = {"question": "Questions", "case": "Cases"}
_ALL = "All pairs"


def _is_pair(view: View, most: int = MOST_ARMS) -> bool:
    """Whether the run has arms to set against each other here; else it is said why not."""
    if len(view.arms) < 2:
        st.info("This run has one arm: nothing to compare it with. Start a run with two methods or more.", icon=":material/info:")
    elif len(view.arms) > most:
        st.info(
            f"This run has {len(view.arms)} arms, more than can be read in pairs: see the tab Ablations & sweeps.",
            icon=":material/info:",
        )
    return 2 <= len(view.arms) <= most


# --- paired tests -----------------------------------------------------------------------------------------------------------


def show_tests(view: View) -> None:
    """Draw the matrix of differences of one group of questions, and every pair's figures below."""
    if not _is_pair(view):
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        slot = st.container(width=280)
        unit = st.segmented_control(
            "What counts once",
            list(UNITS),
            default="question",
            format_func=UNITS.__getitem__,
            key="test-unit",
            required=True,
            help="Questions of one conversation share its notes: by case, each conversation counts once, by its mean.",
        )
    found = results.pairs(view.path, view.run.id, view.measure, unit)
    with slot:
        group = st.selectbox("Over", list(found), format_func=cells.group_words, key="test-group")
    pairs = found[group]
    _matrix(view, pairs, f"{group}-{unit}")
    _details(pairs, f"{group}-{unit}-{view.run.id}-{view.measure}")


def _matrix(view: View, pairs: Sequence[Pair], key: str) -> None:
    """Row minus column. Each pair is tested once, and stands there twice with its sign turned."""
    cells_of: dict[tuple[str, str], tuple[PairedTest, float | None, int]] = {}
    for pair in pairs:
        cells_of[pair.first, pair.second] = (pair.test, pair.p_holm, 1)
        cells_of[pair.second, pair.first] = (pair.test, pair.p_holm, -1)
    largest = max((abs(pair.test.difference or 0.0) for pair in pairs), default=0.0)
    rows, css = [], []
    for row in view.arms:
        texts, styles = {"Row minus column": row}, {}
        for column in view.arms:
            if row == column:
                texts[column] = ""
                continue
            test, p, sign = cells_of[row, column]
            texts[column] = _signed(test, p, sign)
            styles[column] = cells.change(sign * (test.difference or 0.0), largest, cells.is_apart(p))
        rows.append(texts)
        css.append(styles)
    st.caption(
        f"Difference of the mean {plain(view.measure)} with its 95% interval; ▲ ▼ and a strong colour where p is below {LEVEL} "
        f"after Holm's correction over the {counted(len(pairs), 'pair')} of this table."
    )
    cells.styled(rows, css, cells.stable_key("matrix", [view.run.id, view.measure, key]))


def _signed(test: PairedTest, p: float | None, sign: int) -> str:
    if test.difference is None:
        return cells.DASH
    value = sign * test.difference
    low, high = test.interval or (None, None)
    interval = None if low is None or high is None else ((low, high) if sign > 0 else (-high, -low))
    mark = ("▲ " if value > 0 else "▼ ") if cells.is_apart(p) else ""
    return f"{mark}{value + 0.0:+.3f} {cells.bounds(interval, '+')}"


def _details(pairs: Sequence[Pair], key: str) -> None:
    rows = [
        {
            "First": pair.first,
            "Second": pair.second,
            "n": pair.test.n,
            "First - second [95%]": cells.difference(pair.test),
            "p": cells.p_value(pair.test.p),
            "p (Holm)": cells.p_value(pair.p_holm),
            "p (sign test)": cells.p_value(pair.test.p_sign),
            "Effect d_z": pair.test.d_z,
            "Won / lost / tied": f"{pair.test.wins} / {pair.test.losses} / {pair.test.ties}",
        }
        for pair in pairs
    ]
    shape = {
        "p": st.column_config.TextColumn(help="Two-sided sign-flip randomisation test of the mean difference."),
        "Effect d_z": st.column_config.NumberColumn(format="%.2f", help="Mean over standard deviation of the differences."),
        "Won / lost / tied": st.column_config.TextColumn(help="Questions at which the first has the higher, lower, same value."),
    }
    cells.table(rows, cells.stable_key("pairs", [key]), shape, tallest=10)


# --- wins and losses --------------------------------------------------------------------------------------------------------

SHOWN = {"all": "All changes", "worse": "Worse", "better": "Better"}


def show_changes(view: View, rows: Sequence[RunRow]) -> None:
    """Draw the questions at which an arm does better or worse than another, of this or of another run."""
    others = {row.id: row for row in rows if row.id != view.run.id}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ordered = [line.arm for line in results.lines(view.path, view.run.id, view.measure)]
        arm = st.selectbox("Arm", ordered, key=f"change-arm-{view.run.id}", format_func=visible, width=260)
        against = st.container(width=260)
        shown = st.segmented_control(
            "Questions", list(SHOWN), default="all", format_func=SHOWN.__getitem__, key="change-shown", required=True
        )
        with st.popover("More", icon=":material/tune:", key="more-changes"):
            other = st.selectbox(
                "Against the run",
                [view.run.id, *others],
                format_func=lambda id_: "this run" if id_ == view.run.id else run_words(others[id_]),
                key=f"change-run-{view.run.id}",
            )
    baseline = results.run(view.path, other or view.run.id)
    arms = [name for name in ordered if name != arm] if baseline.id == view.run.id else list(baseline.config)
    with against:
        same = arms.index(str(arm)) if arm in arms else 0
        second = st.selectbox(
            "Against", arms, index=same if arms else None, key=f"change-against-{baseline.id}-{arm}", format_func=visible
        )
    if arm is None or second is None:
        st.info("This run has one arm: choose another run to set it against, under More.", icon=":material/info:")
        return
    try:
        found = results.compared(view.path, (baseline.id, second), (view.run.id, arm), view.measure)
    except (BadInput, ValueError) as error:
        st.text(str(error))
        return
    _changes(view, found, shown or "all", _beside(view, baseline.id, second, arm))


def _beside(view: View, baseline: str, first: str, second: str) -> tuple[str, ...]:
    names = [*beside(view.path, view.chosen.benchmark, results.run(view.path, baseline), [first])]
    names += beside(view.path, view.chosen.benchmark, view.run, [second])
    return tuple(dict.fromkeys(names))


def _changes(view: View, found: ArmComparison, shown: str, methods: Sequence[str]) -> None:
    test = found.test
    lacking = found.only_first + found.only_second
    st.markdown(
        f"**{plain(found.second)}** is better than **{plain(found.first)}** at {counted(test.wins, 'question')}, worse at "
        f"{test.losses:,}, alike at {test.ties:,} of {test.n:,}: "
        + plain(f"{cells.difference(test)}, p {cells.p_value(test.p)}")
        + (f". {counted(lacking, 'question')} only one of them has." if lacking else ".")
    )
    changes = {"worse": found.worse, "better": found.better, "all": (*found.worse, *found.better)}[shown]
    if not changes:
        st.info("No question differs in this direction.", icon=":material/check:")
        return
    ordered = sorted(changes, key=lambda change: (change.second - change.first, change.case, change.question))
    _change_table(view, ordered, found, methods)


def _change_table(view: View, changes: Sequence[Change], found: ArmComparison, methods: Sequence[str]) -> None:
    texts = question_texts(view)
    same = found.first == found.second
    turn = "before → now" if same else f"{found.first} → {found.second}"
    rows: list[dict[str, Any]] = [
        {
            "Question": texts.get((each.case, each.question), each.question),
            "Type": each.type,
            "Change": each.second - each.first,
            view.measure: f"{each.first:.3f} → {each.second:.3f}",
            "Rank": f"{_rank(each.first_rank)} → {_rank(each.second_rank)}",
        }
        for each in changes
    ]
    shape = {
        "Question": st.column_config.TextColumn(width=400),
        "Change": st.column_config.NumberColumn(format="%+.3f", help=f"Of {plain(view.measure)}; click the head to sort."),
        view.measure: st.column_config.TextColumn(help=plain(turn)),
        "Rank": st.column_config.TextColumn(help=f"Of the first gold item, {plain(turn)}"),
    }
    st.caption(
        f"{counted(len(rows), 'question')}, the greatest loss first; arrows read {plain(turn)}. "
        "A click opens the question on the page Compare."
    )
    ids = [(each.case, each.question) for each in changes]
    question_table(rows, ids, f"changes-{view.run.id}-{view.measure}", methods, shape)


def _rank(rank: int | None) -> str:
    return "not found" if rank is None else str(rank)


# --- disagreement -----------------------------------------------------------------------------------------------------------


def show_disagreement(view: View) -> None:
    """Draw the questions by how little the arms' rankings have in common."""
    if not _is_pair(view):
        return
    pairs = [_ALL, *(f"{first} | {second}" for at, first in enumerate(view.arms) for second in view.arms[at + 1 :])]
    named = dict(zip(pairs[1:], ((one, two) for at, one in enumerate(view.arms) for two in view.arms[at + 1 :]), strict=True))
    wanted = st.selectbox("Between", pairs, key=f"overlap-{view.run.id}", format_func=visible, width=360)
    arms = named.get(wanted or _ALL, ())
    with st.spinner("Comparing the rankings of every question …", show_time=True):
        found = results.overlaps(view.path, view.run.id, *arms)
    texts = question_texts(view)
    rows = [
        {
            "Question": texts.get((each.case, each.question), each.question),
            "Type": each.type,
            "Overlap": each.overlap,
            "Pairs": each.pairs,
        }
        for each in found
    ]
    shape = {
        "Question": st.column_config.TextColumn(width=460),
        "Overlap": st.column_config.ProgressColumn(
            format="%.2f", min_value=0.0, max_value=1.0, help="Mean rank-biased overlap, p = 0.9: 1 is the same order, 0 nothing."
        ),
        "Pairs": st.column_config.NumberColumn(help="Pairs of arms that both ranked something."),
    }
    known = [each.overlap for each in found if each.overlap is not None]
    middle = f"median {median(known):.2f} over {counted(len(known), 'question')}; " if known else ""
    st.caption(f"Rank-biased overlap, {middle}the least alike first. A click opens the question on the page Compare.")
    methods = beside(view.path, view.chosen.benchmark, view.run, arms or view.arms)
    question_table(rows, [(each.case, each.question) for each in found], f"overlaps-{view.run.id}", methods, shape)
