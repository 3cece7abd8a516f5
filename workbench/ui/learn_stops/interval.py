"""Reading an interval: two that overlap, and the one of the difference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from workbench.charts import Dot, forest_figure, leaderboard_figure
from workbench.colours import Theme
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.intervals import mean_interval
from workbench.evaluate.runs import MethodSpec, evaluate_case
from workbench.evaluate.significance import PairedTest, columns, paired_test
from workbench.ui import cached
from workbench.ui.learn_stop import EXTRACTOR, Prediction, Scene, Stop, stops

FIRST, SECOND = PAIR = ("tag_tfidf", "tag_stopwords")
MEASURE = "mrr"
YES, NO = OPTIONS = ("Yes: the interval of the difference leaves out 0", "No: it holds 0")
Table = dict[str, list[float | None]]
"""Values of the measure by method, in the order of the questions."""


def values(path: Path, benchmark: str) -> Table:
    """The measure of every headline question of the benchmark, for both methods."""
    keys = tuple(row.key for row in cached.cases(path, benchmark))
    return _values(str(path), cached.stamp(path), keys)


@st.cache_data(max_entries=4, show_spinner="Asking both methods all questions of the stories")
def _values(path: str, state: cached.Stamp, keys: tuple[str, ...]) -> Table:
    specs = [MethodSpec(name) for name in PAIR]
    results = [
        result
        for given in case_inputs(Path(path), keys, EXTRACTOR, ())
        for result in evaluate_case(given, specs).results
        if result.headline
    ]
    return columns(results, PAIR, MEASURE)[1]


class ReadingAnInterval(Stop):
    """What a mean over few questions is worth, and why two intervals are no test."""

    order = 80
    title = "Reading an interval"
    claim = (
        "A mean over a few questions could have come out otherwise with other questions; its **95% interval** says how far. "
        "To compare two methods, look at the interval of their **difference**, question by question."
    )
    case = "atant_demo/demo_01"
    page = "evaluate"

    def holds(self, scene: Scene) -> bool:
        first, second = (mean_interval(column) for column in self._table(scene).values())
        found = self._test(scene).interval
        if first is None or second is None or found is None:
            return False
        return first[0] < second[1] and second[0] < first[1] and not found[0] <= 0 <= found[1]

    def prediction(self, scene: Scene) -> Prediction:
        found = self._test(scene).interval
        settled = found is not None and not found[0] <= 0 <= found[1]
        asked = "Both methods answered the same questions. Is their difference more than the luck of these questions?"
        return Prediction(asked, OPTIONS, YES if settled else NO)

    def before(self, scene: Scene) -> None:
        self._means(scene)

    def after(self, scene: Scene) -> None:
        left, right = st.columns(2)
        with left:
            self._means(scene)
        with right:
            self._differences(scene)

    def _means(self, scene: Scene) -> None:
        dots = [_dot(name, name, column) for name, column in self._table(scene).items()]
        _chart(leaderboard_figure(dots, MEASURE, _theme()), "means")

    def _differences(self, scene: Scene) -> None:
        table, few = self._table(scene), len(scene.opened.case.questions)
        found = self._test(scene)
        short = paired_test(table[FIRST][:few], table[SECOND][:few])
        rows = [
            Dot(f"all {found.n} questions", found.difference, found.interval, found.n, FIRST),
            Dot(f"the first story's {short.n}", short.difference, short.interval, short.n, SECOND),
        ]
        _chart(forest_figure(rows, f"{FIRST} minus {SECOND}, {MEASURE}", "question", _theme()), "differences")

    def told(self, scene: Scene) -> str:
        found = self._test(scene)
        if found.interval is None or found.difference is None or found.p is None:
            return "There are too few questions for an interval."
        low, high = found.interval
        return (
            f"`{FIRST}` is better on {found.wins} questions, worse on {found.losses}, equal on {found.ties}. The difference is "
            f"{found.difference:.2f} [{low:.2f}, {high:.2f}], p = {found.p:.4f}. The two intervals on the left overlap all the "
            "same: they hold what makes questions easy or hard, which both methods share and the difference leaves out. Over "
            "one story alone the interval is wide: few questions say little."
        )

    @staticmethod
    def _table(scene: Scene) -> Table:
        return values(scene.path, scene.opened.case.benchmark)

    def _test(self, scene: Scene) -> PairedTest:
        table = self._table(scene)
        return paired_test(table[FIRST], table[SECOND])


def _dot(label: str, method: str, column: list[float | None]) -> Dot:
    known = [value for value in column if value is not None]
    return Dot(label, sum(known) / len(known) if known else None, mean_interval(column), len(known), method)


def _theme() -> Theme:
    return "dark" if st.context.theme.type == "dark" else "light"


def _chart(figure: Any, key: str) -> None:
    st.plotly_chart(figure, key=f"learn-{key}", theme=None, config={"displayModeBar": False})


stops.register("interval")(ReadingAnInterval())
