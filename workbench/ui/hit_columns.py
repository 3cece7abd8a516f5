"""Rankings side by side as one drawing in the browser: hits are buttons, and the one that was clicked comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from workbench import colours
from workbench.ui.comparison import Column, Row, rank_text, score_texts, spoken, spoken_remark, why_line
from workbench.ui.note_view import method_themed, short_title, themed, when
from workbench.words import counted

_ASSETS = Path(__file__).parent / "assets"
_COLOURS = {
    "gold": colours.GOLD,
    "gold-fill": colours.GOLD_FILL,
    "muted": colours.MUTED,
    "up": colours.KIND["topic"],
    "down": colours.SEED,
}
"""What the style sheet calls ``--gold``, ``--gold-fill`` and so on."""


def _read(name: str) -> str:
    """A script or style as Streamlit takes it: it must hold a newline inside, or it is taken for the name of a file."""
    return f"/* {name} */\n{(_ASSETS / name).read_text(encoding='utf-8')}\n"


# Registered once, at import: a component that is registered again with each run is mounted again with each run.
_component = st.components.v2.component(
    "workbench.hits", html="<div class='hits'></div>", css=_read("hits.css"), js=_read("hits.js")
)


def show(columns: Sequence[Column], key: str, selected: str, on_select: Callable[[], None]) -> None:
    """Draw the columns; ``on_select`` is called when a hit is clicked, and `clicked` tells which.

    ``selected`` is the id of the note that is drawn as selected in every column that has it.
    """
    _component(
        key=key,
        data={
            "columns": [_column(column) for column in columns],
            "selected": selected,
            "mark": colours.GOLD_MARK,
            "colours": {name: themed(colour) for name, colour in _COLOURS.items()},
        },
        default={"hit": None},
        on_hit_change=on_select,
    )


def clicked(key: str) -> tuple[str, str] | None:
    """The (method, note id) that was clicked last in the drawing with this key."""
    hit = (st.session_state.get(key) or {}).get("hit")
    return (str(hit["method"]), str(hit["note"])) if hit else None


def _column(column: Column) -> dict[str, Any]:
    ranking, said = column.ranking, spoken(column.ranking.query)
    scores = score_texts([row.hit.score for row in column.rows])
    judged = {"first_gold": "", "hit": ""}
    if column.is_hit is not None:
        judged = {"first_gold": rank_text(column.first_gold, ranking.candidates), "hit": "yes" if column.is_hit else "no"}
    return {
        "method": column.method,
        "colour": method_themed(column.method),
        "count": f"{len(column.rows)} of {counted(ranking.candidates, 'candidate')}",
        "remarks": [spoken_remark(remark, said) for remark in ranking.remarks],
        "unit": column.unit,
        "ms": "not available" if column.ms is None else f"{column.ms:.1f} ms" if column.ms < 100 else f"{column.ms:.0f} ms",
        "hits": [_row(row, score, said) for row, score in zip(column.rows, scores, strict=True)],
        **judged,
    }


def _row(row: Row, score: str, said: dict[str, str]) -> dict[str, Any]:
    return {
        "note": row.hit.note_id,
        "rank": row.hit.rank,
        "tie": list(row.tie) if row.is_tied else None,
        "move": row.move,
        "title": short_title(row.note),
        "when": when(row.note),
        "score": score,
        "why": why_line(row.hit.why, row.hit.note_id, said),
        "gold": row.is_gold,
    }
