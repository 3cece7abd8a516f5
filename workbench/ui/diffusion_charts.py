"""The charts beside the stepper: ranks, mass by kind and residual over the iterations of a spread, on one axis."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from workbench import colours
from workbench.charts import literal
from workbench.colours import Theme
from workbench.spread import SpreadTrace
from workbench.ui.diffusion_view import TOP
from workbench.ui.graph_view import WORD

STACK = ("file", "topic", "tag", "ontology")
"""Kinds from the bottom up."""
MARKED = 12
"""Iterations below this one stand apart enough for full marks; later ones run into each other."""
RANK_TICKS = (1, 5, 10, 20, 50, 100, 200, 500, 1000)


def along(iteration: float) -> float:
    """Where an iteration stands on the axis: log2(1 + k), so that the first steps, where all happens, have room.

    Examples
    --------
    >>> along(0), along(3)
    (0.0, 2.0)
    """
    return math.log2(1 + iteration)


def apart(iterations: Iterable[int], keep: Collection[int] = (), gap: float = 0.15) -> list[int]:
    """Those iterations that stand at least ``gap`` apart on the axis, the last one, and those to keep: more can't be seen.

    Examples
    --------
    >>> apart(range(22), keep=[20])
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 17, 19, 20, 21]
    """
    every, found = list(iterations), list[int]()
    for at in every:
        if not found or along(at) - along(found[-1]) >= gap - 1e-9 or at in keep or at == every[-1]:
            found.append(at)
    return found


def down(rank: int) -> float:
    """Where a rank stands: the first ten evenly, those below ever closer together.

    Examples
    --------
    >>> down(1), down(10), down(40)
    (1.0, 10.0, 14.0)
    """
    return float(rank) if rank <= TOP else TOP + 2 * math.log2(rank / TOP)


def charts(
    traced: SpreadTrace,
    iterations: Sequence[int],
    gold: Collection[str],
    selected: str,
    titles: Mapping[str, str],
    theme: Theme,
    height: int,
) -> go.Figure:
    """Three charts over one axis; ``mark`` draws the line at the step that is shown.

    Every mark is a point whose ``customdata`` holds the note it belongs to ("" for none) and its iteration, so that it can be
    clicked. Gold is a star and has its word; a hollow mark is a tied rank, and a band joins the ranks that are tied.

    Parameters
    ----------
    iterations : sequence of int
        The steps that have a point.
    selected : str
        A note's id, drawn in the accent colour; it is drawn at any rank.
    titles : mapping of note id to str
        What the notes are called, for all that ``drawn_notes`` names.
    """
    notes = drawn_notes(traced, gold, selected)
    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, row_heights=[0.54, 0.26, 0.2], vertical_spacing=0.085)
    _ties(figure, traced, iterations, notes, theme)
    for note in sorted(notes, key=lambda one: (one == selected, one in gold)):  # what matters is drawn on top
        figure.add_trace(_ranks(traced, iterations, note, note in gold, note == selected, titles[note], theme), row=1, col=1)
    for kind in STACK:
        figure.add_trace(_mass(traced, iterations, kind, theme), row=2, col=1)
    figure.add_trace(_residual(traced, iterations, theme), row=3, col=1)
    _axes(figure, traced, notes, theme)
    text, muted = colours.TEXT[theme], colours.MUTED[theme]
    for at, words in enumerate(
        ("Rank of the first notes and of gold", "Mass by kind of node", "Residual (L1 length of a step)"), 1
    ):
        place = {"xref": "paper", "yref": f"y{at if at > 1 else ''} domain", "x": 0, "y": 1}
        figure.add_annotation(
            **place, text=words, showarrow=False, xanchor="left", yanchor="bottom", font={"size": 12, "color": muted}
        )
    figure.update_layout(
        height=height,
        margin={"l": 44, "r": 58, "t": 20, "b": 34},
        showlegend=False,
        hovermode="closest",
        clickmode="event+select",
        dragmode=False,
        uirevision="diffusion-charts",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": text, "size": 11, "family": "Source Sans, sans-serif"},
        hoverlabel={"bgcolor": colours.PANEL[theme], "font": {"color": text}},
    )
    return figure


def mark(figure: go.Figure, step: int, theme: Theme) -> None:
    """Draw the line at a step through all three charts, in place of the one that was there."""
    line = {"color": colours.ACCENT[theme], "width": 1.5, "dash": "dot"}
    where = {"type": "line", "x0": along(step), "x1": along(step), "y0": 0, "y1": 1, "line": line}
    figure.layout.shapes = [where | {"xref": f"x{at}", "yref": f"y{at} domain"} for at in ("", 2, 3)]


def drawn_notes(traced: SpreadTrace, gold: Collection[str], selected: str = "", most_gold: int = 5) -> list[str]:
    """The first notes of the limit, the best gold notes, and the selected one, where they are ranked at any step."""
    last = traced.ranks[-1].notes
    golden = [note for note in last if note in gold][:most_gold]
    picked = [selected] if any(selected in each.notes for each in traced.ranks) else []
    return list(dict.fromkeys([*last[:TOP], *golden, *picked]))


def _ranks(
    traced: SpreadTrace, iterations: Sequence[int], note: str, is_gold: bool, is_selected: bool, title: str, theme: Theme
) -> go.Scatter:
    ranks = [traced.ranks[at].rank_of(note) for at in iterations]
    tied = [rank is not None and _is_tied(traced, at, rank) for at, rank in zip(iterations, ranks, strict=True)]
    colour = colours.GOLD[theme] if is_gold else colours.ACCENT[theme] if is_selected else colours.MUTED[theme]
    strong, last = is_gold or is_selected, iterations[-1]
    shape = "star" if is_gold else "circle"
    return go.Scatter(
        x=[along(at) for at in iterations],
        y=[None if rank is None else down(rank) for rank in ranks],
        mode="lines+markers",
        connectgaps=False,
        line={"color": colour, "width": 3 if strong else 1},
        marker={
            "symbol": [f"{shape}-open" if each else shape for each in tied],
            "size": [(9 if is_gold else 6 if strong else 4) if at in (*range(MARKED), last) else 3 for at in iterations],
            "color": colour,
        },
        customdata=[[note, at] for at in iterations],
        text=["" if rank is None else f"rank {rank}{' (tied)' if tie else ''}" for rank, tie in zip(ranks, tied, strict=True)],
        hovertemplate=f"{f'{colours.GOLD_MARK} gold · ' if is_gold else ''}{literal(title)}<br>%{{text}} after step "
        "%{customdata[1]}<extra></extra>",
        # Selecting must not fade the other lines: the reader compares them.
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
    )


def _is_tied(traced: SpreadTrace, iteration: int, rank: int) -> bool:
    blocks = traced.ranks[iteration].blocks
    near = blocks[max(rank - 2, 0) : rank + 1]
    return near.count(blocks[rank - 1]) > 1


def _ties(figure: go.Figure, traced: SpreadTrace, iterations: Sequence[int], notes: Collection[str], theme: Theme) -> None:
    """A band over the ranks of each block of equal scores that a drawn note is in."""
    x: list[float | None] = []
    y: list[float | None] = []
    for at in iterations:
        ranks = traced.ranks[at]
        touched = {block for note, block in zip(ranks.notes, ranks.blocks, strict=True) if note in notes}
        blocks = np.asarray(ranks.blocks)
        for block in sorted(touched):
            low, high = int(np.searchsorted(blocks, block)) + 1, int(np.searchsorted(blocks, block, side="right"))
            if low < high:
                x += [along(at), along(at), None]
                y += [down(low), down(high), None]
    if x:
        line = {"color": colours.PANEL[theme], "width": 9}
        figure.add_trace(go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", name="ties"), row=1, col=1)


def _mass(traced: SpreadTrace, iterations: Sequence[int], kind: str, theme: Theme) -> go.Scatter:
    shares = [traced.mass_by_kind(at)[kind] for at in iterations]
    return go.Scatter(
        x=[along(at) for at in iterations],
        y=shares,
        mode="lines+markers",
        stackgroup="mass",
        line={"color": colours.KIND[kind][theme], "width": 1},
        marker={"size": 3},
        fillcolor=colours.KIND_FILL[kind][theme],
        customdata=[["", at] for at in iterations],
        name=f"mass {kind}",
        hovertemplate=f"{WORD[kind]}s hold %{{y:.1%}} after step %{{customdata[1]}}<extra></extra>",
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
    )


def _residual(traced: SpreadTrace, iterations: Sequence[int], theme: Theme) -> go.Scatter:
    residuals = [traced.steps[at].residual for at in iterations]
    return go.Scatter(
        x=[along(at) for at in iterations],
        y=[value if 0 < value < math.inf else None for value in residuals],
        mode="lines+markers",
        line={"color": colours.TEXT[theme], "width": 1},
        marker={"size": 3, "color": colours.TEXT[theme]},
        customdata=[["", at] for at in iterations],
        name="residual",
        hovertemplate="residual %{y:.2g} after step %{customdata[1]}<extra></extra>",
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
    )


def _axes(figure: go.Figure, traced: SpreadTrace, notes: Collection[str], theme: Theme) -> None:
    last = len(traced.steps) - 1
    grid = colours.PANEL[theme]
    ticks = [at for at in (0, 1, 2, 5, 10, 20, 50, 100, 200, 500) if at < 0.75 * last] + [last]
    figure.update_xaxes(
        tickvals=[along(at) for at in ticks],
        ticktext=[str(at) for at in ticks],
        range=[-0.12, along(last) + 0.12],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        tickfont={"size": 11},
    )
    figure.update_xaxes(title={"text": "iteration", "standoff": 4, "font": {"size": 11}}, row=3, col=1)
    worst = max((rank for each in traced.ranks for note in notes if (rank := each.rank_of(note))), default=TOP)
    ranks = [rank for rank in RANK_TICKS if rank <= max(worst, TOP)]
    figure.update_yaxes(zeroline=False, gridcolor=grid, fixedrange=True, tickfont={"size": 11})
    figure.update_yaxes(
        tickvals=[down(rank) for rank in ranks],
        ticktext=[str(rank) for rank in ranks],
        range=[down(max(worst, TOP)) + 0.6, 0.4],
        row=1,
        col=1,
    )
    figure.update_yaxes(range=[0, 1], tickvals=[0, 0.5, 1], tickformat=".0%", row=2, col=1)
    figure.update_yaxes(type="log", exponentformat="power", nticks=4, row=3, col=1)
    _kind_names(figure, traced, theme)


def _kind_names(figure: go.Figure, traced: SpreadTrace, theme: Theme) -> None:
    """The kinds' names at the right end of their areas; one that is too thin there is named by its hover text only."""
    below = 0.0
    for kind in STACK:
        share = traced.mass_by_kind(len(traced.steps) - 1)[kind]
        if share > 0.08:
            figure.add_annotation(
                xref="paper",
                yref="y2",
                x=1.01,
                y=below + share / 2,
                text=WORD[kind],
                showarrow=False,
                xanchor="left",
                font={"size": 11, "color": colours.KIND[kind][theme]},
            )
        below += share
