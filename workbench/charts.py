"""Figures of what a run amounts to: leaderboard, ablation and sweep, each a pure function of its table.

Every mean is a mark with its 95% interval; arms differ by symbol and dash as well as by colour. Pages draw the figures with
Streamlit, the command line writes them as pages of their own.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from workbench import colours
from workbench.colours import Style, Theme
from workbench.errors import WorkbenchError
from workbench.evaluate.ablations import AblationTable
from workbench.evaluate.intervals import Interval
from workbench.evaluate.sweep_table import SweepTable
from workbench.evaluate.sweeps.base import Point
from workbench.words import counted

ROW = 34
"""Pixels of a row of dots."""
DODGE = 0.008
"""Arms at one point stand apart by this share of the axis, or their intervals would hide each other."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A mean to be drawn with its interval; ``method`` gives the style, None as mean is said in words and not drawn at 0."""

    label: str
    mean: float | None
    interval: Interval | None
    n: int
    method: str


def literal(text: str) -> str:
    """Text that Plotly shows as it is: it reads a few HTML tags, TeX between dollar signs, and its own templates."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("$", "&#36;").replace("%{", "%&#123;")


def leaderboard_figure(rows: Sequence[Dot], measure: str = "mrr", theme: Theme = "light") -> go.Figure:
    """Means with intervals, one row each, in the order given from the top."""
    styles = colours.arm_styles(((row.method, row.label) for row in rows), theme)
    figure = go.Figure()
    for row in rows:
        figure.add_trace(_dot(row, styles[row.label], measure))
    _rows(figure, [row.label for row in rows], [row for row in rows if row.mean is None], theme)
    title = f"{literal(measure)}, mean and 95% interval over {_questions(row.n for row in rows)}"
    figure.update_xaxes(title_text=title, rangemode="tozero")
    return _finished(figure, theme, 90 + ROW * len(rows), left=_room(row.label for row in rows))


def ablation_figure(table: AblationTable, theme: Theme = "light") -> go.Figure:
    """Each arm's mean on the left, its difference to the full method on the right."""
    styles = colours.arm_styles(((table.method, row.arm) for row in table.rows), theme)
    labels = [row.arm for row in table.rows]
    figure = make_subplots(rows=1, cols=2, shared_yaxes=True, horizontal_spacing=0.06, column_widths=[0.5, 0.5])
    missing = []
    for row in table.rows:
        dot = Dot(row.arm, row.estimate.mean, row.estimate.interval, row.estimate.n, table.method)
        missing += [dot] if dot.mean is None else []
        figure.add_trace(_dot(dot, styles[row.arm], table.measure), row=1, col=1)
        if row.test is not None:
            more = "" if row.p_holm is None else f"p {row.p_holm:.3f} after Holm; "
            more += f"another ranking for {row.acted} of {row.compared}"
            change = Dot(row.arm, row.test.difference, row.test.interval, row.test.n, table.method)
            figure.add_trace(_dot(change, styles[row.arm], f"change of {table.measure}", more), row=1, col=2)
    _rows(figure, labels, missing, theme)
    over = f"over {counted(table.questions, 'question')}"
    figure.update_xaxes(title_text=f"{literal(table.measure)}, mean and 95% interval {over}", rangemode="tozero", row=1, col=1)
    figure.update_xaxes(title_text=f"change against {literal(labels[0])}, 95% interval", row=1, col=2)
    _zero(figure, 2, theme)
    return _finished(figure, theme, 90 + ROW * len(labels), left=_room(labels))


def sweep_figure(table: SweepTable, theme: Theme = "light") -> go.Figure:
    """A line for every arm over the swept value; below, what each switch contributes, where arms differ by one."""
    switches = list(dict.fromkeys((each.method, each.label) for each in table.contributions))
    figure = make_subplots(
        rows=2 if switches else 1,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.06,
        row_heights=[0.6, 0.4] if switches else None,
    )
    axis = _Axis.of(table)
    arms = list(dict.fromkeys((row.method, row.arm) for row in table.rows))
    styles = colours.arm_styles(arms, theme)
    for at, (method, arm) in enumerate(arms):
        rows = [row for row in table.rows if row.arm == arm]
        points = [(row.value, Dot(arm, row.estimate.mean, row.estimate.interval, row.estimate.n, method)) for row in rows]
        more = [
            ("" if row.spread is None else f"{row.seeds} seeds: {row.spread[0]:.3f} to {row.spread[1]:.3f}; ")
            + ("" if row.store_notes is None else f"{row.store_notes:.1f} notes in the store")
            for row in rows
        ]
        figure.add_trace(_line(points, more, styles[arm], axis, (at, len(arms)), table.measure), row=1, col=1)
    drawn = _contribution_styles(table, theme)
    for at, (method, label) in enumerate(switches):
        found = [each for each in table.contributions if each.label == label]
        points = [(each.value, Dot(label, each.test.difference, each.test.interval, each.test.n, method)) for each in found]
        what = f"change of {table.measure}"
        trace = _line(points, [""] * len(points), drawn[label], axis, (at, len(switches)), what)
        figure.add_trace(trace.update(legend="legend2"), row=2, col=1)
    if switches:
        figure.update_yaxes(title_text=f"contribution to {literal(table.measure)}", row=2, col=1)
        figure.add_hline(y=0, line={"color": colours.MUTED[theme], "width": 1, "dash": "dot"}, row=2, col=1)
    figure.update_xaxes(type=axis.kind, tickvals=axis.places, ticktext=axis.labels)
    over = f"over {counted(table.questions, 'question')}"
    figure.update_xaxes(title_text=f"{literal(table.axis)}; 95% intervals {over}", row=2 if switches else 1, col=1)
    figure.update_yaxes(title_text=literal(table.measure), rangemode="tozero", row=1, col=1)
    figure = _finished(figure, theme, 620 if switches else 400, left=64, right=300)
    legend = {"x": 1.01, "xanchor": "left", "yanchor": "top", "bgcolor": "rgba(0,0,0,0)"}
    return figure.update_layout(showlegend=True, legend={**legend, "y": 1}, legend2={**legend, "y": 0.36})


def forest_figure(rows: Sequence[Dot], what: str, unit: str, theme: Theme = "light") -> go.Figure:
    """Differences of shares with their intervals, one row each from the top, on an axis from -1 to 1 with a line at none.

    Parameters
    ----------
    rows : sequence of Dot
        ``n`` counts ``unit`` in the plural ("gold notes").
    what : str
        What is subtracted from what, for the axis.
    """
    styles = colours.arm_styles(((row.method, row.label) for row in rows), theme)
    figure = go.Figure()
    for row in rows:
        mark = _dot(row, styles[row.label], what)
        if row.mean is not None:
            bounds = f" [{row.interval[0]:+.3f}, {row.interval[1]:+.3f}]" if row.interval else ""
            said = f"{literal(row.label)}<br>{row.mean:+.3f}{bounds}, {row.n:,} {literal(unit)}"
            mark.update(hovertemplate=f"{said}<extra></extra>")
        figure.add_trace(mark)
    _rows(figure, [row.label for row in rows], [row for row in rows if row.mean is None], theme)
    figure.add_vline(x=0, line={"color": colours.MUTED[theme], "width": 1, "dash": "dot"})
    figure.update_xaxes(title_text=f"{literal(what)}, 95% interval", range=[-1.05, 1.05], tickformat="+.1f")
    return _finished(figure, theme, 90 + ROW * len(rows), left=_room(row.label for row in rows))


def write_page(figure: go.Figure, path: Path, title: str) -> None:
    """Write a figure as a page of its own that needs no network: Plotly's script stands in it.

    Raises
    ------
    WorkbenchError
        If the file can't be written.
    """
    drawn = figure.to_html(include_plotlyjs=True, full_html=False)
    page = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title></head>'
        f'<body style="margin:0;background:{figure.layout.paper_bgcolor}">\n{drawn}\n</body></html>\n'
    )
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise WorkbenchError(f"{path} can't be written: {error.strerror}") from error


# Marks and axes -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Axis:
    """Where the points of a sweep stand: numbers at their value, unless a name among them leaves only their order."""

    points: tuple[Point, ...]
    places: tuple[float, ...]
    kind: str

    @staticmethod
    def of(table: SweepTable) -> _Axis:
        points = tuple(dict.fromkeys(row.value for row in table.rows))
        notes = {row.value: row.store_notes for row in table.rows}
        if table.scale == "log":
            # "all" stands at the size that the stores have on average.
            places = [value if isinstance(value, int | float) else notes[value] for value in points]
            if all(place for place in places):
                return _Axis(points, tuple(float(place or 0) for place in places), "log")
        elif table.scale == "linear" and not any(isinstance(value, str) for value in points):
            return _Axis(points, tuple(float(value) for value in points), "linear")
        return _Axis(points, tuple(float(at) for at in range(len(points))), "linear")

    @property
    def labels(self) -> list[str]:
        return [literal(str(point)) for point in self.points]

    def place(self, point: Point, arm: int, arms: int) -> float:
        """Where an arm's mark of a point stands, beside those of the other arms."""
        at, aside = self.places[self.points.index(point)], DODGE * (arm - (arms - 1) / 2)
        low, high = min(self.places), max(self.places)
        if self.kind == "log":
            return at * math.exp(aside * (math.log(high / low) or 1))
        return at + aside * ((high - low) or 1)


def _contribution_styles(table: SweepTable, theme: Theme) -> dict[str, Style]:
    """A hue for each switch, so that they aren't taken for arms; dashed and hollow where other switches are off beside it."""
    hues = [colours.KIND[kind][theme] for kind in ("tag", "ontology", "topic", "file")]
    switches = list(dict.fromkeys(each.switch for each in table.contributions))
    marks = ("circle", "square", "diamond", "triangle-up")
    found = {}
    for each in table.contributions:
        at = switches.index(each.switch) % len(hues)
        dash, hollow = ("dash", "-open") if each.beside else ("solid", "")
        found[each.label] = Style(hues[at], dash, marks[at] + hollow)
    return found


def _dot(row: Dot, style: Style, what: str, more: str = "") -> go.Scatter:
    return go.Scatter(
        x=[row.mean],
        y=[literal(row.label)],
        mode="markers",
        name=literal(row.label),
        marker={"symbol": style.symbol, "color": style.colour, "size": 10},
        error_x=_error([row], style),
        cliponaxis=False,
        hovertemplate=_said(row, what, more) + "<extra></extra>",
        showlegend=False,
    )


def _line(
    points: Sequence[tuple[Point, Dot]],
    more: Sequence[str],
    style: Style,
    axis: _Axis,
    place: tuple[int, int],
    what: str,
) -> go.Scatter:
    dots = [dot for _, dot in points]
    return go.Scatter(
        x=[axis.place(value, *place) for value, _ in points],
        y=[dot.mean for dot in dots],
        mode="lines+markers",
        connectgaps=False,
        name=literal(dots[0].label),
        line={"color": style.colour, "dash": style.dash, "width": 2},
        marker={"symbol": style.symbol, "color": style.colour, "size": 9},
        error_y=_error(dots, style),
        cliponaxis=False,
        hovertext=[f"{literal(str(value))}: {_said(dot, what, each)}" for (value, dot), each in zip(points, more, strict=True)],
        hoverinfo="text",
    )


def _error(dots: Sequence[Dot], style: Style) -> dict[str, Any]:
    """Intervals as Plotly's error bars; a mean without one has none."""
    ends = [
        (None, None) if dot.mean is None or dot.interval is None else (dot.mean - dot.interval[0], dot.interval[1] - dot.mean)
        for dot in dots
    ]
    below, above = zip(*ends, strict=True)
    bar = {"color": style.colour, "thickness": 1.5, "width": 4}
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, **bar}


def _said(dot: Dot, what: str, more: str) -> str:
    """A mark in words."""
    if dot.mean is None:
        return f"{literal(dot.label)}<br>{literal(what)} not available"
    bounds = f" [{dot.interval[0]:.3f}, {dot.interval[1]:.3f}]" if dot.interval else " (too few for an interval)"
    text = f"{literal(dot.label)}<br>{literal(what)} {dot.mean:.3f}{bounds}, {counted(dot.n, 'question')}"
    return f"{text}<br>{literal(more)}" if more else text


def _rows(figure: go.Figure, labels: Sequence[str], missing: Iterable[Dot], theme: Theme) -> None:
    """The rows' order, and words where a mean is not available."""
    order = [literal(label) for label in labels]
    figure.update_yaxes(type="category", categoryorder="array", categoryarray=order, autorange="reversed", ticklabelstandoff=8)
    for row in missing:
        figure.add_annotation(
            x=0,
            xref="x domain",
            y=literal(row.label),
            text="not available",
            showarrow=False,
            xanchor="left",
            font={"color": colours.MUTED[theme]},
        )


def _zero(figure: go.Figure, column: int, theme: Theme) -> None:
    figure.add_vline(x=0, line={"color": colours.MUTED[theme], "width": 1, "dash": "dot"}, row=1, col=column)


def _questions(counts: Iterable[int]) -> str:
    """How many questions the rows are over; a range where they differ."""
    found = sorted(set(counts))
    return counted(found[0], "question") if len(found) == 1 else f"{found[0]:,} to {found[-1]:,} questions" if found else "none"


def _room(labels: Iterable[str]) -> int:
    """Pixels that row labels need."""
    return 24 + 7 * max((len(label) for label in labels), default=0)


def _finished(figure: go.Figure, theme: Theme, height: int, left: int, right: int = 24) -> go.Figure:
    text, grid = colours.TEXT[theme], colours.PANEL[theme]
    figure.update_xaxes(gridcolor=grid, zeroline=False)
    figure.update_yaxes(gridcolor=grid, zeroline=False)
    return figure.update_layout(
        height=height,
        margin={"l": left, "r": right, "t": 16, "b": 52},
        paper_bgcolor=colours.BACKGROUND[theme],
        plot_bgcolor=colours.BACKGROUND[theme],
        font={"color": text, "size": 12, "family": "Source Sans, sans-serif"},
        hoverlabel={"bgcolor": grid, "font": {"color": text}},
    )
