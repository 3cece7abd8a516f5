"""The fact timeline as a chart: bars are intervals, one lane for each head and relation, a line at the moment asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import plotly.graph_objects as go

from workbench import colours
from workbench.charts import literal
from workbench.colours import GOLD_MARK, Theme
from workbench.real.facts import UNDATED
from workbench.real.intervals import Edge
from workbench.real.serialise import interval_text
from workbench.ui.real_lanes import Lane
from workbench.words import visible

ROW = 26
"""Pixels of a bar."""
SHORTEST = 0.012
"""Share of the axis that a bar has at least, so that a day can be seen and clicked (ours)."""
LETTER = 0.0115
"""Share of the axis that a letter takes (ours)."""
ROOM = 0.12
"""Share of the axis that is free behind it, for the words of short bars at its end (ours)."""
BEFORE = timedelta(days=180)
"""How far the axis goes back before the first session, at least; what starts earlier is cut and marked (ours)."""
LABEL = 30
"""Characters of a lane's name, and of a value in its bar."""
KINDS = ("stable", "tentative", "superseded")
WORDS = {"stable": "valid in its interval", "tentative": "tentative: hatched, closes nothing", "superseded": "superseded at once"}


@dataclass(frozen=True, slots=True)
class _Bar:
    """A bar with its place; ``width`` and ``room`` (up to the next bar of its row) are shares of the axis."""

    edge: Edge
    y: float
    start: datetime
    end: datetime
    width: float
    room: float

    def says(self, gold: frozenset[str]) -> str:
        """The value, where it has room; the table and the pointer have it in any case."""
        label = _label(self.edge, gold)
        return label if LETTER * len(label) < max(self.width, self.room - self.width) else ""

    def is_inside(self, gold: frozenset[str]) -> bool:
        """Whether the value stands in the bar."""
        return LETTER * len(_label(self.edge, gold)) < self.width


def timeline_figure(
    lanes: Sequence[Lane], moment: datetime | None, gold: frozenset[str], selected: str, theme: Theme
) -> go.Figure:
    """Lanes from the top. Every bar's ``customdata`` holds its edge's id and note, so that it can be clicked.

    Parameters
    ----------
    moment : datetime or None
        Where the line of τ_q stands.
    gold : frozenset of str
        Ids of gold notes: their facts have a star and the word.
    selected : str
        Id of the open note, whose bars are outlined.
    """
    low, high = extent([edge for lane in lanes for edge in lane.edges], moment)
    bars, ticks = _placed(lanes, low, high)
    figure = go.Figure()
    for kind in KINDS:
        drawn = [bar for bar in bars if bar.edge.status == kind]
        if drawn:
            figure.add_trace(_trace(kind, drawn, gold, selected, theme))
    _ends(figure, bars, theme)
    if moment is not None:
        _moment(figure, moment, theme)
    bottom = max((bar.y for bar in bars), default=0.0)
    figure.update_yaxes(
        tickvals=[y for y, _ in ticks],
        ticktext=[literal(text) for _, text in ticks],
        range=[bottom + 0.7, -0.7],
        gridcolor=colours.PANEL[theme],
        zeroline=False,
    )
    figure.update_xaxes(type="date", range=[low, high + (high - low) * ROOM], gridcolor=colours.PANEL[theme])
    room = 24 + 6.6 * max((len(text) for _, text in ticks), default=0)
    return figure.update_layout(
        height=int(max(220, 136 + ROW * bottom)),
        barmode="overlay",
        bargap=0.15,
        margin={"l": room, "r": 12, "t": 30, "b": 64},
        paper_bgcolor=colours.BACKGROUND[theme],
        plot_bgcolor=colours.BACKGROUND[theme],
        font={"color": colours.TEXT[theme], "size": 12, "family": "Source Sans, sans-serif"},
        hoverlabel={"bgcolor": colours.PANEL[theme], "font": {"color": colours.TEXT[theme]}},
        legend={"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0},
        showlegend=True,
    )


def _placed(lanes: Sequence[Lane], low: datetime, high: datetime) -> tuple[list[_Bar], list[tuple[float, str]]]:
    """Every bar with its place, open sides cut at the ends of the axis; and where the lanes' names stand."""
    shortest = (high - low) * SHORTEST
    bars, ticks, y = [], [], 0.0
    for lane in lanes:
        rows, left = lane.rows(shortest)
        for row in rows:
            ends = [*(max(edge.start or low, low) for edge in row[1:]), high + (high - low) * ROOM]
            for edge, free in zip(row, ends, strict=True):
                start = min(max(edge.start or low, low), high)
                end = max(min(edge.end or high, high), start + shortest)
                bars.append(_Bar(edge, y, start, end, (end - start) / (high - low), (free - start) / (high - low)))
            y += 1
        name = visible(lane.name)
        name = name if len(name) <= LABEL else name[: LABEL - 1] + "…"
        ticks.append((y - (len(rows) + 1) / 2, f"{name}{' (1)' if lane.is_single else ''}{f' +{left}' if left else ''}"))
        y += 0.35
    return bars, ticks


def extent(edges: Sequence[Edge], moment: datetime | None) -> tuple[datetime, datetime]:
    """The axis: from the first known date to the last, with a margin for open sides.

    It begins no more than half the conversation's length, or BEFORE, in front of the first session: one fact of long ago would
    leave all others no room.
    """
    known = [time for edge in edges for time in (edge.start, edge.end) if time is not None]
    known += [moment] if moment else []
    low, high = (min(known), max(known)) if known else (datetime(2000, 1, 1), datetime(2000, 12, 31))
    said = [fact.recorded[0] for edge in edges for fact in edge.facts if fact.recorded[0] != UNDATED]
    if said:
        first = min([*said, *([moment] if moment else [])])
        reach = max((max(said) - first) / 2, BEFORE)
        low = max(low, first - reach if first - datetime.min > reach else low)
    margin = max((high - low) * 0.06, timedelta(days=2))
    return low - margin if low - datetime.min > margin else low, high + margin if datetime.max - high > margin else high


def _trace(kind: str, bars: Sequence[_Bar], gold: frozenset[str], selected: str, theme: Theme) -> go.Bar:
    real = colours.method_colour("real", theme)
    fill = {"stable": real, "tentative": colours.BACKGROUND[theme], "superseded": colours.MUTED[theme]}[kind]
    notes = [[note for note, _ in bar.edge.refs] for bar in bars]
    lines = [colours.GOLD[theme] if gold & set(of) else colours.TEXT[theme] if selected in of else real for of in map(set, notes)]
    pattern = {"shape": "/", "fgcolor": real, "bgcolor": fill, "size": 6, "solidity": 0.35} if kind == "tentative" else {}
    return go.Bar(
        orientation="h",
        base=[bar.start for bar in bars],
        x=[(bar.end - bar.start).total_seconds() * 1000 for bar in bars],
        y=[bar.y for bar in bars],
        width=0.8,
        name=WORDS[kind],
        marker={
            "color": fill,
            "opacity": 0.8 if kind == "stable" else 1,
            "line": {"color": lines, "width": [2.5 if gold & set(of) or selected in of else 1 for of in notes]},
            "pattern": pattern,
        },
        text=[bar.says(gold) for bar in bars],
        textposition=["inside" if bar.is_inside(gold) else "outside" for bar in bars],
        insidetextanchor="start",
        textangle=0,
        constraintext="none",
        textfont={"color": [_ink(kind, bar.is_inside(gold), theme) for bar in bars], "size": 12},
        cliponaxis=False,
        customdata=[[bar.edge.id, bar.edge.facts[-1].note] for bar in bars],
        hovertext=[_said(bar.edge, gold) for bar in bars],
        hoverinfo="text",
    )


def _ink(kind: str, is_inside: bool, theme: Theme) -> str:
    """The page's ground in a filled bar; its text colour outside, and where the bar is hatched."""
    return colours.BACKGROUND[theme] if is_inside and kind != "tentative" else colours.TEXT[theme]


def _label(edge: Edge, gold: frozenset[str]) -> str:
    star = f"{GOLD_MARK} gold " if any(note in gold for note, _ in edge.refs) else ""
    tail = visible(edge.names[1])
    return literal(star + (tail if len(tail) <= LABEL else tail[: LABEL - 1] + "…"))


def _said(edge: Edge, gold: frozenset[str]) -> str:
    quote = visible(edge.facts[-1].quote)
    lines = [
        f"{visible(edge.names[1])}, {interval_text(edge)}, c={edge.confidence:.2f}, {edge.intent}, {edge.status}",
        f"start {'stated' if edge.is_stated else 'assumed'}; {how_it_ends(edge)}",
        f"“{quote if len(quote) <= 90 else quote[:89] + '…'}”",
        *([f"{GOLD_MARK} gold"] if any(note in gold for note, _ in edge.refs) else []),
    ]
    return "<br>".join(map(literal, lines))


def how_it_ends(edge: Edge) -> str:
    """Why an interval has the end that it has, in words."""
    if edge.end is None:
        return "open"
    if edge.retraction:
        return "taken back"
    if edge.status == "superseded":
        return "superseded at once"
    stated = any(fact.end == edge.end for fact in edge.facts)
    return "over by itself" if stated and edge.aspect == "event" else "end stated" if stated else "superseded by the next value"


def _ends(figure: go.Figure, bars: Sequence[_Bar], theme: Theme) -> None:
    """Caps: what was taken back, what begins before anything known, what is still open."""
    red, ink = colours.SEED[theme], colours.TEXT[theme]
    caps: list[tuple[str, dict[str, Any], list[tuple[datetime, float]]]] = [
        (
            "taken back",
            {"symbol": "line-ns", "size": 20, "line": {"width": 4, "color": red}},
            [(bar.end, bar.y) for bar in bars if bar.edge.retraction],
        ),
        (
            "start unknown or earlier",
            {"symbol": "triangle-left", "size": 9, "color": ink},
            [(bar.start, bar.y) for bar in bars if not bar.edge.start or bar.edge.start < bar.start],
        ),
        (
            "still open",
            {"symbol": "triangle-right", "size": 9, "color": ink},
            [(bar.end, bar.y) for bar in bars if not bar.edge.end],
        ),
    ]
    for name, marker, places in caps:
        if places:
            figure.add_trace(
                go.Scatter(
                    x=[at for at, _ in places],
                    y=[y for _, y in places],
                    mode="markers",
                    name=name,
                    marker=marker,
                    hoverinfo="skip",
                    cliponaxis=False,
                )
            )


def _moment(figure: go.Figure, moment: datetime, theme: Theme) -> None:
    line = {"color": colours.ACCENT[theme], "width": 2, "dash": "dash"}
    figure.add_shape(type="line", x0=moment, x1=moment, y0=0, y1=1, yref="paper", line=line)
    figure.add_annotation(
        x=moment,
        y=1,
        yref="paper",
        yanchor="bottom",
        text=f"τ_q {moment:%Y-%m-%d}",
        showarrow=False,
        font={"color": colours.ACCENT[theme]},
    )
