"""Why a note has its score: one bar an addend, and their sum."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from workbench import colours
from workbench.records import Part
from workbench.ui.comparison import Row, part_label, spoken, spoken_remark
from workbench.ui.note_view import method_themed, themed
from workbench.words import counted, number

PARTS = 12
"""Bars before the rest is drawn as one (ours)."""


def why_html(row: Row, method: str, query: str) -> str:
    """The addends of a hit's score as bars, in the method's colour, with their sum, the path and the remarks."""
    why, said = row.hit.why, spoken(query)
    muted = f"color:{themed(colours.MUTED)};font-size:0.8rem"
    colour = method_themed(method)
    largest = sorted(why.parts, key=lambda part: -abs(part.value))
    bars = [(part_label(part, row.hit.note_id, said), part.value, _detail(part)) for part in largest[:PARTS]]
    if rest := largest[PARTS:]:
        bars.append((f"{len(rest)} more", sum(part.value for part in rest), ""))
    widest = max((abs(value) for _, value, _ in bars), default=0.0)
    lines = [_bar(*bar, widest, colour) for bar in bars] or [f"<div style='{muted}'>This method gives no parts.</div>"]
    if bars:
        lines.append(
            f"<div style='display:flex;border-top:1px solid {themed(colours.MUTED)};margin-top:3px'>"
            f"<span style='flex:1'>sum</span><b style='font-variant-numeric:tabular-nums'>{number(why.total)}</b></div>"
        )
    if why.path:
        lines.append(f"<div style='{muted};margin-top:4px'>path {' → '.join(map(escape, why.path))}</div>")
    lines += [f"<div style='{muted};margin-top:4px'>{escape(spoken_remark(remark, said))}</div>" for remark in why.remarks]
    return f"<div style='overflow-wrap:anywhere;line-height:1.5;font-size:0.9rem'>{''.join(lines)}</div>"


def _bar(label: str, value: float, detail: str, widest: float, colour: str) -> str:
    share = 100 * abs(value) / widest if widest else 0.0
    # A negative addend is hollow, so that it can be told without its sign.
    fill = f"background:{colour}" if value >= 0 else f"border:1.5px solid {colour};box-sizing:border-box"
    return (
        f"<div style='display:flex;align-items:center;gap:8px' title='{escape(detail, quote=True)}'>"
        f"<span style='flex:0 0 45%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap'>{escape(label)}</span>"
        f"<span style='flex:1'><span style='display:block;height:10px;border-radius:2px;width:{share:.2f}%;{fill}'></span></span>"
        f"<span style='font-variant-numeric:tabular-nums'>{number(value)}</span></div>"
    )


def _detail(part: Part) -> str:
    return ", ".join(f"{name} {number(value) if isinstance(value, float) else value}" for name, value in part.detail.items())


def show_whys(found: Sequence[tuple[str, Row | None, int]], query: str) -> None:
    """Draw the why of one note for several methods: (method, its row or None where it is not ranked, candidates)."""
    for method, row, candidates in found:
        if row is None:
            continue
        with st.container(border=True, gap="xsmall"):
            tied = f", tied {row.tie[0]}-{row.tie[1]}" if row.is_tied else ""
            st.markdown(f"**{method}** · rank {row.hit.rank} of {candidates}{tied}")
            st.html(why_html(row, method, query))
    if absent := [f"{method} ({counted(candidates, 'candidate')})" for method, row, candidates in found if row is None]:
        st.caption(f"Not ranked by {', '.join(absent)}")
