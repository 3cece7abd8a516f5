"""What brought a note its score, as HTML with every text escaped: bars by seed and last edge, walks, the equation of a step."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape

from workbench import colours
from workbench.memory import Memory
from workbench.spread import Attribution
from workbench.ui.diffusion_view import Equation, kind_of, name_of
from workbench.ui.graph_view import WORD
from workbench.ui.note_view import themed
from workbench.words import number

LISTED = 6
"""Bars and terms that are listed one by one; the rest is one line."""
MUTED = f"color:{themed(colours.MUTED)};font-size:0.82rem"


_NUMBERS = "font-variant-numeric:tabular-nums;line-height:1.7;overflow-wrap:anywhere"
_CELL = "overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:0.85rem;padding:1px 6px 1px 0;width:100%;max-width:0"
_FIGURE = "font-variant-numeric:tabular-nums;font-size:0.85rem;text-align:right;white-space:nowrap;padding:1px 0 1px 6px"


@dataclass(frozen=True)
class Bar:
    """An addend: what it is called, how much it is, and the kind of node it comes from."""

    label: str
    value: float
    kind: str
    detail: str = ""


def seed_bars(found: Attribution, memory: Memory) -> list[Bar]:
    """What each seed brought of a score."""
    return [
        Bar(
            "its own words"
            if part.node == f"file:{found.note_id}"
            else f"{WORD[kind_of(part.node)]} {name_of(part.node, memory)}",
            part.value,
            kind_of(part.node),
            f"{part.share:.1%} of the seed mass" + (f", by {', '.join(part.words)}" if part.words else ""),
        )
        for part in found.seeds
    ]


def edge_bars(found: Attribution, memory: Memory) -> list[Bar]:
    """What came over each last edge, and what restarted on the note itself."""
    bars = [
        Bar(
            f"{WORD[kind_of(part.source)]} {name_of(part.source, memory)}",
            part.value,
            kind_of(part.source),
            part.kind.replace("_", " to "),
        )
        for part in found.edges
    ]
    return sorted([*bars, Bar("restart on it", found.restart, "file")], key=lambda bar: -bar.value)


def bars_html(bars: Sequence[Bar], listed: int = LISTED) -> str:
    """Bars with their numbers, and the sum under a line; every text escaped."""
    total = sum(bar.value for bar in bars)
    places = _places(total)
    rows = [bar for bar in bars if bar.value >= 0.5 * 10**-places][:listed]
    widest = max((bar.value for bar in rows), default=1.0)
    lines = [_bar(bar, widest, places) for bar in rows]
    if rest := [bar for bar in bars if bar.value > 0 and bar not in rows]:
        lines.append(_bar(Bar(f"{len(rest)} more", sum(bar.value for bar in rest), ""), widest, places))
    lines.append(
        f"<div style='display:flex;border-top:1px solid {themed(colours.MUTED)};margin-top:3px'><span style='flex:1'>sum</span>"
        f"<b style='font-variant-numeric:tabular-nums'>{total:.{places}f}</b></div>"
    )
    return f"<div style='line-height:1.5;font-size:0.88rem'>{''.join(lines)}</div>"


def _places(total: float) -> int:
    """Decimals that give a sum four digits, so that its parts can be added up as they stand.

    Examples
    --------
    >>> _places(0.01276), _places(0.5), _places(0.0)
    (5, 4, 4)
    """
    return min(12, max(0, 3 - math.floor(math.log10(total)))) if total > 0 else 4


def _bar(bar: Bar, widest: float, places: int) -> str:
    colour = themed(colours.KIND.get(bar.kind, colours.MUTED))
    value = f"{bar.value:.{places}f}" if bar.value >= 0.5 * 10**-places else f"&lt; {10**-places:.{places}f}"
    title = escape(f"{bar.label}: {bar.detail}" if bar.detail else bar.label, quote=True)
    return (
        f"<div style='display:flex;align-items:center;gap:8px' title='{title}'>"
        f"<span style='flex:0 0 52%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap'>{escape(bar.label)}</span>"
        f"<span style='flex:1'><span style='display:block;height:10px;border-radius:2px;"
        f"width:{min(100 * bar.value / widest, 100):.2f}%;background:{colour}'></span></span>"
        f"<span style='font-variant-numeric:tabular-nums'>{value}</span></div>"
    )


def walks_html(found: Attribution, memory: Memory, shown: Collection[str]) -> str:
    """The strongest walks as text, each with its share of the score; a node that is not in the picture is in brackets."""
    lines = []
    for nodes, value in found.walks:
        said = [_stop(node, memory, shown) for node in nodes]
        share = f"<b style='font-variant-numeric:tabular-nums'>{value / found.score:.1%}</b>"
        where = " → ".join(said) if len(said) > 1 else f"{said[0]} <span style='{MUTED}'>(starts and ends there)</span>"
        lines.append(
            "<div style='display:flex;gap:10px;margin:2px 0'>"
            f"<span style='flex:0 0 3.4rem'>{share}</span><span>{where}</span></div>"
        )
    return f"<div style='line-height:1.4;font-size:0.88rem;overflow-wrap:anywhere'>{''.join(lines)}</div>"


def _stop(node: str, memory: Memory, shown: Collection[str]) -> str:
    colour = themed(colours.KIND[kind_of(node)])
    name = " ".join(name_of(node, memory).split())
    name = name if len(name) <= 34 else name[:33].rstrip() + "…"
    text = f"<span style='color:{colour}'>{WORD[kind_of(node)]}</span> {escape(name)}"
    return text if node in shown else f"[{text}]"


def equation_html(one: Equation, memory: Memory, listed: int = LISTED) -> str:
    """The equation with its numbers, and under it what each neighbour passed on."""
    k = one.iteration
    if k == 0:
        return (
            f"<div style='{_NUMBERS}'>x<sub>0</sub> = s = <b>{number(one.seed)}</b></div>"
            f"<div style='{MUTED}'>The first step is the seeds themselves: the share of the restart that this node gets.</div>"
        )
    alpha, back = number(one.alpha), number(1 - one.alpha)
    lost = f" + {number(one.lost)} × {number(one.seed)}" if one.lost > 0 and one.seed > 0 else ""
    sum_ = f"({number(one.arrived)}{lost})" if lost else number(one.arrived)
    words = (
        f"x<sub>{k}</sub> = α · Σ x<sub>{k - 1}</sub>(u) · share(u)"
        if not lost
        else (f"x<sub>{k}</sub> = α · (Σ x<sub>{k - 1}</sub>(u) · share(u) + lost · s)")
    )
    rows = [
        f"<tr><td style='{_CELL}'>{WORD[kind_of(term.source)]} {escape(name_of(term.source, memory))}</td>"
        f"<td style='{_FIGURE}'>{number(term.mass)} × {number(term.share)} = {number(term.value)}</td></tr>"
        for term in one.terms[:listed]
    ]
    if rest := one.terms[listed:]:
        amount = number(sum(term.value for term in rest))
        rows.append(f"<tr><td style='{_CELL}'>{len(rest)} more</td><td style='{_FIGURE}'>{amount}</td></tr>")
    table = f"<table style='border-collapse:collapse;width:100%'>{''.join(rows)}</table>"
    said = (
        "What each neighbour u passes on, its mass times the share of its edges that leads here:"
        if rows
        else ("No neighbour had any mass before this step.")
    )
    return (
        f"<div style='{_NUMBERS}'>{words} + (1 − α) · s"
        f"<div style='padding-left:1em'>= {alpha} × {sum_} + {back} × {number(one.seed)}</div>"
        f"<div style='padding-left:1em'>= <b>{number(one.value)}</b></div></div>"
        f"<div style='{MUTED};margin:4px 0'>{said}</div>{table if rows else ''}"
    )
