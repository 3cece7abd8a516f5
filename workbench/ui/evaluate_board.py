"""Leaderboard and table by type: the arms of a run in the order of a measure, with what limits trust in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from workbench.charts import Dot, leaderboard_figure
from workbench.evaluate.estimates import Estimate
from workbench.evaluate.leaderboard import LEVEL, Line, is_best, p_against
from workbench.evaluate.significance import HEADLINE, Pair
from workbench.ui import evaluate_cells as cells
from workbench.ui import evaluate_results as results
from workbench.ui.evaluate_view import MOST_ARMS, View
from workbench.ui.node_panel import plain
from workbench.words import counted, visible

_SETS = {
    "all": "all",
    "without_abstention": "without abstention",
    "without_duplicated_sessions": "without duplicated sessions",
    "official": "LongMemEval's own gold",
}


def show_board(view: View) -> None:
    """Draw guards, who is best and whether that is more than chance, the figure and the table."""
    lines = results.lines(view.path, view.run.id, view.measure)
    pairs = _pairs(view)
    _guards(view)
    st.markdown(_verdict(lines, pairs, view.measure))
    dots = [Dot(visible(line.arm), line.estimate.mean, line.estimate.interval, line.estimate.n, line.method) for line in lines]
    figure = leaderboard_figure(dots, view.measure, cells.theme())
    st.plotly_chart(figure, key="board-figure", theme=None, config={"displayModeBar": False})
    _table(view, lines, pairs)


def _pairs(view: View) -> Sequence[Pair] | None:
    """The headline's tests; None where a run has more arms than are compared in pairs."""
    if len(view.arms) > MOST_ARMS:
        return None
    return results.pairs(view.path, view.run.id, view.measure)[HEADLINE]


def _guards(view: View) -> None:
    """What a reader should know first: the kinds in sight, the words one click away."""
    found = results.guards(view.path, view.run.id)
    if not found:
        return
    kinds = Counter(guard.kind for guard in found)
    listed = ", ".join(f"{kind} ({count})" if count > 1 else kind for kind, count in kinds.items())
    with st.expander(f"Before trusting these figures: {listed}", icon=":material/warning:", key="guards"):
        for guard in found:
            st.text(visible(guard.text))


def _verdict(lines: Sequence[Line], pairs: Sequence[Pair] | None, measure: str) -> str:
    """Whether the first arm is set apart from all others, as Markdown."""
    first = lines[0]
    if first.estimate.mean is None:
        return f"**{plain(measure)}** is not available for this run."
    if len(lines) == 1:
        return f"One arm, **{plain(first.arm)}**: nothing to compare it with."
    if pairs is None:
        return f"{counted(len(lines), 'arm')}: compared under the tab Ablations & sweeps."
    if is_best(lines, pairs):
        return (
            f"**{plain(first.arm)}** is best: p is below {LEVEL} against each of the other {len(lines) - 1}, "
            "by a paired test after Holm's correction."
        )
    against = p_against(first.arm, pairs)
    near = [line.arm for line in lines[1:] if not cells.is_apart(against.get(line.arm))]
    others = "any other" if len(near) == len(lines) - 1 > 1 else ", ".join(map(plain, near))
    return (
        f"No arm is best: **{plain(first.arm)}** has the highest mean, but is not separable from "
        f"{others} by a paired test after Holm's correction."
    )


def _table(view: View, lines: Sequence[Line], pairs: Sequence[Pair] | None) -> None:
    against = p_against(lines[0].arm, pairs) if pairs is not None else {}
    best = pairs is not None and is_best(lines, pairs)
    has_ties = view.measure == "mrr" and any(line.ties for line in lines)
    rows = []
    for at, line in enumerate(lines):
        row: dict[str, Any] = {
            "Arm": line.arm,
            view.measure: line.estimate.mean,
            "95% interval": None if line.estimate.mean is None else cells.bounds(line.estimate.interval),
            "n": line.estimate.n,
        }
        if pairs is not None and len(lines) > 1:
            row["Standing"] = _standing(at == 0, best, against.get(line.arm))
        if has_ties:
            row["If ties fell worst – best"] = None if line.ties is None else f"{line.ties[0]:.3f} – {line.ties[1]:.3f}"
        row["Empty"] = f"{line.empty:,} of {line.questions:,}"
        row |= {"ms a question": line.ms, "ms to build": line.building_ms}
        rows.append(row)
    number = st.column_config.NumberColumn
    shape = {
        view.measure: number(format="%.3f", help="Mean over n questions; click the head to sort."),
        "95% interval": st.column_config.TextColumn(help="Bootstrap over questions, seeded."),
        "n": number(help="Headline questions that have a value."),
        "Standing": st.column_config.TextColumn(help="Against the first arm: p of the paired test after Holm's correction."),
        "Empty": st.column_config.TextColumn(help="Questions for which the arm ranked nothing: they count as not found."),
        "ms a question": number(
            format="%.1f", help="Once index and graph are there; not measured for an import or by an older version."
        ),
        "ms to build": number(format="%.1f", help="Index and graph of a case, from its notes; shared parts count for every arm."),
    }
    cells.table(rows, cells.stable_key("board", [view.run.id, view.measure]), shape, tallest=14)


def _standing(is_first: bool, is_best_: bool, p: float | None) -> str:
    if is_first:
        return "★ best" if is_best_ else "first, not separable"
    return f"below the first, p {cells.p_value(p)}" if cells.is_apart(p) else f"not separable, p {cells.p_value(p)}"


# --- by type ----------------------------------------------------------------------------------------------------------------


def show_types(view: View) -> None:
    """Draw the measure by question type and arm, recall@5 (or MRR) beside it, and LongMemEval's question sets."""
    other = "recall@5" if view.measure != "recall@5" else "mrr"
    known = results.measures(view.path, view.run.id)
    for measure in (view.measure, *([other] if other in known else [])):
        st.markdown(f"**{plain(measure)}** by question type")
        _heat(results.types(view.path, view.run.id, measure), view.arms, f"types-{measure}-{view.run.id}")
    st.caption("Means with 95% intervals. A count in brackets is the arm's own n where some questions have no value.")
    if found := results.sets(view.path, view.run.id):
        st.markdown("**mrr** by question set")
        first = next(iter(found.values()))
        rows = [
            {"Questions": _SETS[name], "n": first[name]["n"]}
            | {arm: _mean(of_arm[name]["mrr"], of_arm[name]["mrr_ci"]) for arm, of_arm in found.items()}
            for name in first
        ]
        cells.table(rows, f"sets-{view.run.id}")


def _heat(found: Mapping[str, Mapping[str, Estimate]], arms: Sequence[str], key: str) -> None:
    rows, css = [], []
    for group, of_arm in found.items():
        n = max((each.n for each in of_arm.values()), default=0)
        rows.append({"Type": cells.group_words(group), "n": n} | {arm: cells.estimate(of_arm[arm], n) for arm in arms})
        css.append({arm: cells.heat(of_arm[arm].mean) for arm in arms})
    cells.styled(rows, css, key)


def _mean(value: float | None, interval: Sequence[float] | None) -> str:
    bounds = None if interval is None else (interval[0], interval[1])
    return cells.estimate(Estimate(value, bounds, 0))
