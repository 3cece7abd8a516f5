"""Figures of tables: every number in its place, words as they are, and pages that need no network."""

from __future__ import annotations

import math
import re
from pathlib import Path

import plotly.graph_objects as go
import pytest

from workbench import colours
from workbench.charts import Dot, ablation_figure, leaderboard_figure, literal, sweep_figure, write_page
from workbench.errors import WorkbenchError
from workbench.evaluate.ablations import AblationRow, AblationTable
from workbench.evaluate.estimates import Estimate
from workbench.evaluate.significance import paired_test
from workbench.evaluate.sweep_table import Contribution, SweepRow, SweepTable

HOSTILE = '<b onmouseover="x">run</b> $\\frac{1}{2}$ %{x}'
ROWS = (
    Dot("bm25", 0.8, (0.7, 0.9), 40, "bm25"),
    Dot("adaptive", 0.85, None, 1, "adaptive"),
    Dot(HOSTILE, None, None, 0, "mine"),
)
WIN, LOSS = paired_test([1.0, 1.0, 0.5], [0.5, 1.0, 0.5]), paired_test([0.0, 0.5, 0.5], [0.5, 1.0, 0.5])


def ablation_of(mean: float | None = 0.6) -> AblationTable:
    full = AblationRow("adaptive", (), Estimate(0.9, (0.8, 1.0), 3), None, None, 0, 3)
    less = AblationRow("adaptive - diffusion", ("diffusion",), Estimate(mean, (0.5, 0.7), 3), LOSS, 0.25, 2, 3)
    return AblationTable("adaptive", "mrr", 3, (full, less))


def sweep_of(scale: str = "linear", points: tuple = (0, 3, 8), contributions: bool = True) -> SweepTable:
    rows = tuple(
        SweepRow(value, arm, "adaptive", off, Estimate(0.5, (0.4, 0.7), 3), 2, (0.45, 0.55), 20.0 + 10 * at)
        for at, value in enumerate(points)
        for arm, off in (("adaptive", ()), ("adaptive - diffusion", ("diffusion",)))
    )
    found = tuple(Contribution(value, "diffusion", "adaptive", (), WIN) for value in points)
    return SweepTable("distractors", "distractor sessions", scale, "mrr", 3, rows, found if contributions else ())  # type: ignore[arg-type]


def axis_titles(figure: go.Figure) -> str:
    return " | ".join(figure.layout[name].title.text or "" for name in figure.layout if re.fullmatch(r"[xy]axis\d*", name))


def test_the_leaderboard_draws_means_with_their_intervals() -> None:
    figure = leaderboard_figure(ROWS)
    first = figure.data[0]
    assert (first.x, first.y) == ((0.8,), ("bm25",))
    assert (first.error_x.array[0], first.error_x.arrayminus[0]) == pytest.approx((0.1, 0.1))
    assert figure.data[1].error_x.array == (None,)
    assert "too few for an interval" in figure.data[1].hovertemplate
    assert "over 0 to 40 questions" in axis_titles(figure)


def test_what_is_not_available_is_said_and_not_drawn_as_nought() -> None:
    figure = leaderboard_figure(ROWS)
    assert figure.data[2].x == (None,)
    assert [(each.text, each.y) for each in figure.layout.annotations] == [("not available", literal(HOSTILE))]
    missing = ablation_figure(ablation_of(mean=None))
    assert "not available" in [each.text for each in missing.layout.annotations]


def test_names_are_shown_as_they_are() -> None:
    for part in ("<b", "$", "%{"):
        assert part not in literal(HOSTILE)
    figure = leaderboard_figure(ROWS, measure=HOSTILE)
    said = [figure.data[2].name, *figure.data[2].y, *(each.hovertemplate for each in figure.data), axis_titles(figure)]
    assert not [text for text in said if "<b " in text or "$" in text or "%{" in text]


def test_the_ablation_shows_means_and_paired_differences() -> None:
    figure = ablation_figure(ablation_of())
    means, change = [each for each in figure.data if each.xaxis == "x"], [each for each in figure.data if each.xaxis == "x2"]
    assert [each.x[0] for each in means] == [0.9, 0.6]
    assert [(each.x[0], each.y[0]) for each in change] == [(LOSS.difference, "adaptive - diffusion")]
    assert "p 0.250 after Holm; another ranking for 2 of 3" in change[0].hovertemplate
    assert "over 3 questions" in axis_titles(figure)


def test_a_sweep_has_a_line_for_every_arm_and_its_contributions_below() -> None:
    figure = sweep_figure(sweep_of())
    above, below = [each for each in figure.data if each.yaxis == "y"], [each for each in figure.data if each.yaxis == "y2"]
    assert [each.name for each in above] == ["adaptive", "adaptive - diffusion"]
    assert above[0].y == (0.5, 0.5, 0.5)
    assert (above[0].error_y.array[0], above[0].error_y.arrayminus[0]) == pytest.approx((0.2, 0.1))
    assert "2 seeds: 0.450 to 0.550; 20.0 notes in the store" in above[0].hovertext[0]
    assert [(each.name, each.y[0]) for each in below] == [("diffusion in adaptive", WIN.difference)]
    assert "distractor sessions; 95% intervals over 3 questions" in axis_titles(figure)
    assert len(sweep_figure(sweep_of(contributions=False)).data) == 2


def test_points_stand_at_their_values_and_arms_beside_each_other() -> None:
    one, other = sweep_figure(sweep_of(contributions=False)).data
    assert [(a + b) / 2 for a, b in zip(one.x, other.x, strict=True)] == pytest.approx([0, 3, 8])
    assert all(a < b for a, b in zip(one.x, other.x, strict=True))


def test_the_whole_store_stands_at_its_size_on_a_logarithmic_axis() -> None:
    figure = sweep_figure(sweep_of("log", (8, 16, "all"), contributions=False))
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.xaxis.tickvals == (8.0, 16.0, 40.0)
    assert figure.layout.xaxis.ticktext == ("8", "16", "all")
    one, other = figure.data
    assert [math.sqrt(a * b) for a, b in zip(one.x, other.x, strict=True)] == pytest.approx([8, 16, 40])


def test_names_stand_in_their_order() -> None:
    figure = sweep_figure(sweep_of("category", ("primary_what", "per_note"), contributions=False))
    assert (figure.layout.xaxis.tickvals, figure.layout.xaxis.ticktext) == ((0.0, 1.0), ("primary_what", "per_note"))


def test_a_single_point_can_be_drawn() -> None:
    for scale in ("linear", "log", "category"):
        assert len(sweep_figure(sweep_of(scale, (3,))).data) == 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_two_arms_look_alike(theme: colours.Theme) -> None:
    arms = [("adaptive", f"adaptive - {at}") for at in range(8)] + [("bm25", "bm25"), ("real", "real")]
    styles = colours.arm_styles(arms, theme)
    assert len({(style.symbol, style.colour, style.dash) for style in styles.values()}) == len(arms)
    assert styles["adaptive - 0"] == colours.method_style("adaptive", theme)
    for figure in (leaderboard_figure(ROWS, theme=theme), ablation_figure(ablation_of(), theme), sweep_figure(sweep_of(), theme)):
        assert figure.layout.font.color == colours.TEXT[theme]
        assert figure.layout.paper_bgcolor == colours.BACKGROUND[theme]


def test_a_page_stands_alone(tmp_path: Path) -> None:
    path = tmp_path / "figure.html"
    write_page(leaderboard_figure(ROWS), path, "A <title>")
    page = path.read_text("utf-8")
    assert not re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=", page)
    assert "<title>A &lt;title&gt;</title>" in page
    assert "<b onmouseover" not in page
    assert len(page) > 1_000_000  # Plotly's own script


def test_a_page_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"none/figure.html can't be written"):
        write_page(leaderboard_figure(ROWS), tmp_path / "none" / "figure.html", "t")
