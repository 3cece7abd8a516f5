"""The curve of a vocabulary's growth, as Plotly draws it."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from workbench import colours
from workbench.charts import literal
from workbench.colours import Theme
from workbench.compare_extractions.vocabulary import PARTS, VocabularyRow
from workbench.evaluate.estimates import Estimate


def growth_figure(rows: Sequence[VocabularyRow], theme: Theme = "light") -> go.Figure:
    """Distinct tags a case after each tenth of its notes, a line an extraction, each mean with its 95% interval over cases.

    Extractions differ by symbol and dash as well as by colour; a bit of room between their marks keeps intervals apart.
    """
    styles = colours.arm_styles((("extraction", row.extraction) for row in rows), theme)
    figure = go.Figure()
    for at, row in enumerate(rows):
        style, aside = styles[row.extraction], 0.6 * (at - (len(rows) - 1) / 2)
        shares = [100 * part / PARTS for part in range(1, PARTS + 1)]
        ends = [_ends(each) for each in row.growth]
        figure.add_trace(
            go.Scatter(
                x=[share + aside for share in shares],
                y=[each.mean for each in row.growth],
                mode="lines+markers",
                name=literal(row.extraction),
                line={"color": style.colour, "dash": style.dash, "width": 2},
                marker={"symbol": style.symbol, "color": style.colour, "size": 8},
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": [above for _, above in ends],
                    "arrayminus": [below for below, _ in ends],
                    "color": style.colour,
                    "thickness": 1.2,
                    "width": 3,
                },
                hovertext=[_said(row.extraction, share, each) for share, each in zip(shares, row.growth, strict=True)],
                hoverinfo="text",
            )
        )
    grid = colours.PANEL[theme]
    figure.update_xaxes(title_text="share of a case's notes, in their order", ticksuffix="%", gridcolor=grid, zeroline=False)
    cases = max((row.cases for row in rows), default=0)
    title = f"distinct tags so far; {cases:,} cases"
    figure.update_yaxes(title_text=title, rangemode="tozero", gridcolor=grid, zeroline=False)
    return figure.update_layout(
        height=340,
        margin={"l": 64, "r": 24, "t": 16, "b": 52},
        paper_bgcolor=colours.BACKGROUND[theme],
        plot_bgcolor=colours.BACKGROUND[theme],
        font={"color": colours.TEXT[theme], "size": 12, "family": "Source Sans, sans-serif"},
        hoverlabel={"bgcolor": grid, "font": {"color": colours.TEXT[theme]}},
        showlegend=True,
        legend={"x": 0.01, "y": 0.99, "xanchor": "left", "yanchor": "top", "bgcolor": "rgba(0,0,0,0)"},
    )


def _ends(found: Estimate) -> tuple[float | None, float | None]:
    """How far the interval reaches below and above the mean."""
    if found.mean is None or found.interval is None:
        return None, None
    return found.mean - found.interval[0], found.interval[1] - found.mean


def _said(extraction: str, share: float, found: Estimate) -> str:
    if found.mean is None:
        return f"{literal(extraction)}: not available"
    bounds = f" [{found.interval[0]:.1f}, {found.interval[1]:.1f}]" if found.interval else ""
    return f"{literal(extraction)}<br>{found.mean:.1f}{bounds} distinct tags after {share:.0f}% of the notes"
