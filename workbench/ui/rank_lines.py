"""The bump view: one line a note through the ranks that neighbouring methods give it."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from workbench import colours
from workbench.charts import literal
from workbench.colours import Theme
from workbench.ui.comparison import SHOWN, Column, Row
from workbench.ui.note_view import short_title
from workbench.words import number

LABEL_LENGTH = {False: 34, True: 14}
_ROW_HEIGHT = 44
_LABELS = {False: 210, True: 105}
"""Pixels at the right for the titles of the last column's notes; fewer beside an open note (``is_narrow``)."""


def rank_lines(columns: Sequence[Column], theme: Theme, selected: str = "", is_narrow: bool = False) -> go.Figure:
    """A chart with the methods from left to right and the ranks from top to bottom.

    Every mark is a point with the note's id as ``customdata``, so that it can be clicked. A line joins equal notes of
    neighbouring columns. Gold is a star and has its word; a band joins tied ranks. ``is_narrow`` leaves less room to titles and
    puts the methods' names into two rows in turn.
    """
    figure = go.Figure()
    for at, column in enumerate(columns):
        for low, high in sorted({row.tie for row in column.rows if row.is_tied}):
            figure.add_shape(
                type="line",
                x0=at,
                x1=at,
                y0=low,
                y1=min(high, SHOWN + 0.45),
                line={"width": 20, "color": colours.PANEL[theme]},
                layer="below",
            )
    rows = {row.hit.note_id: row for column in columns for row in column.rows}
    for note_id in sorted(rows, key=lambda one: (one == selected, rows[one].is_gold)):  # what matters is drawn on top
        places = [next((row for row in column.rows if row.hit.note_id == note_id), None) for column in columns]
        figure.add_trace(_line(note_id, columns, places, theme, note_id == selected))
    _labels(figure, columns, theme, is_narrow)
    figure.update_layout(
        height=90 + _ROW_HEIGHT * SHOWN,
        margin={"l": 40, "r": _LABELS[is_narrow], "t": 48 if is_narrow else 40, "b": 8},
        showlegend=False,
        hovermode="closest",
        clickmode="event+select",
        dragmode=False,
        uirevision="rank-lines",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": colours.TEXT[theme], "size": 12, "family": "Source Sans, sans-serif"},
    )
    # An empty line above or below: names of neighbours stand in different rows and have twice the width.
    lines = ("<b>{}</b><br> ", " <br><b>{}</b>") if is_narrow else ("<b>{}</b>",) * 2
    width = len(columns)
    figure.update_xaxes(
        tickvals=list(range(width)),
        ticktext=[lines[at % 2].format(column.method) for at, column in enumerate(columns)],
        tickangle=0,
        side="top",
        showgrid=False,
        zeroline=False,
        range=[-0.25, width - 0.75],
    )
    figure.update_yaxes(tickvals=list(range(1, SHOWN + 1)), range=[SHOWN + 0.6, 0.4], showgrid=False, zeroline=False)
    return figure


def _line(note_id: str, columns: Sequence[Column], places: Sequence[Row | None], theme: Theme, is_selected: bool) -> go.Scatter:
    rows = [row for row in places if row is not None]
    is_gold = rows[0].is_gold
    colour = colours.GOLD[theme] if is_gold else colours.ACCENT[theme] if is_selected else colours.MUTED[theme]
    return go.Scatter(
        x=list(range(len(columns))),
        y=[None if row is None else row.hit.rank for row in places],
        connectgaps=False,
        mode="lines+markers",
        line={"color": colour, "width": 3 if is_gold or is_selected else 1.2},
        marker={
            "symbol": "star" if is_gold else "circle",
            "size": 15 if is_gold else 11,
            "color": [colour if is_gold or is_selected else colours.method_colour(column.method, theme) for column in columns],
            "line": {"width": 2 if is_selected else 0, "color": colours.TEXT[theme]},
        },
        customdata=[note_id] * len(columns),
        text=[_hover(row, is_gold) for row in places],
        hovertemplate="%{text}<extra></extra>",
        # Selecting must not fade the other lines: the reader compares them.
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
    )


def _hover(row: Row | None, is_gold: bool) -> str:
    if row is None:
        return ""
    gold = f"{colours.GOLD_MARK} gold · " if is_gold else ""
    return f"{gold}rank {row.hit.rank}, score {number(row.hit.score)}<br>{literal(short_title(row.note))}"


def _labels(figure: go.Figure, columns: Sequence[Column], theme: Theme, is_narrow: bool) -> None:
    """The titles of the last column's notes, beside their points."""
    if not columns:
        return
    for row in columns[-1].rows:
        title = short_title(row.note)
        mark = f"{colours.GOLD_MARK} gold · " if row.is_gold else ""
        room = LABEL_LENGTH[is_narrow] - (len(mark) if is_narrow else 0)
        short = title if len(title) <= room else title[: room - 1] + "…"
        figure.add_annotation(
            x=len(columns) - 1,
            y=row.hit.rank,
            xanchor="left",
            xshift=14,
            showarrow=False,
            text=mark + literal(short),
            font={"size": 11.5, "color": colours.GOLD[theme] if row.is_gold else colours.MUTED[theme]},
        )
