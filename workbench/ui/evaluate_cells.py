"""How the page Evaluate writes and colours its numbers: one way for means, differences and p, in every table."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from workbench import colours
from workbench.colours import Theme
from workbench.evaluate.estimates import Estimate
from workbench.evaluate.intervals import Interval
from workbench.evaluate.leaderboard import LEVEL
from workbench.evaluate.significance import HEADLINE, PairedTest
from workbench.words import visible

DASH = "–"
"""Stands for what is not available, in cells."""
ROW, HEAD = 35, 38
"""Pixels of a table's row and of its head."""
_STRONGEST = 0.5
"""How much of the hue the strongest cell takes: text on it keeps its contrast."""
_FAINT = 0.15
"""The same for a difference that no test sets apart."""


def theme() -> Theme:
    """The reader's theme."""
    return "dark" if st.context.theme.type == "dark" else "light"


def bounds(interval: Interval | None, sign: str = "") -> str:
    """An interval in brackets."""
    # Adding 0 takes the sign from a negative zero.
    return "[no interval]" if interval is None else f"[{interval[0] + 0.0:{sign}.3f}, {interval[1] + 0.0:{sign}.3f}]"


def estimate(found: Estimate | None, questions: int | None = None) -> str:
    """A mean with its interval; with its own count where that is not the one of its row."""
    if found is None or found.mean is None:
        return DASH
    n = f" ({found.n})" if questions is not None and found.n != questions else ""
    return f"{found.mean:.3f} {bounds(found.interval)}{n}"


def difference(test: PairedTest | None) -> str:
    """A difference of means with its interval, both signed."""
    return DASH if test is None or test.difference is None else f"{test.difference:+.3f} {bounds(test.interval, '+')}"


def group_words(group: str) -> str:
    """A group of questions: a type by its name."""
    return "all headline questions" if group == HEADLINE else visible(group)


def p_value(p: float | None) -> str:
    """A p value to three decimals."""
    return DASH if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def is_apart(p: float | None) -> bool:
    """Whether a corrected p is below the level."""
    return p is not None and p < LEVEL


# --- colours ----------------------------------------------------------------------------------------------------------------


def heat(share: float | None) -> str:
    """CSS of a cell whose value is in [0, 1]; squared, since good values lie close together. Nothing where there is no value."""
    return "" if share is None else _filled(colours.ACCENT, _STRONGEST * min(1.0, max(0.0, share)) ** 2)


def change(value: float | None, largest: float, is_sure: bool) -> str:
    """CSS of a difference: one hue for more, another for less; faint where a test does not set it apart."""
    if not value or not largest:
        return ""
    share = abs(value) / largest * (_STRONGEST if is_sure else _FAINT)
    return _filled(colours.ACCENT if value > 0 else colours.SEED, share)


def _filled(hue: Mapping[str, str], share: float) -> str:
    mode = theme()
    ground, ink = _channels(colours.BACKGROUND[mode]), _channels(hue[mode])
    mixed = [round(low + share * (high - low)) for low, high in zip(ground, ink, strict=True)]
    is_bright = sum(weight * each for weight, each in zip((0.299, 0.587, 0.114), mixed, strict=True)) > 140
    text = colours.TEXT["light"] if is_bright else "#ffffff"
    return f"background-color: #{''.join(f'{each:02x}' for each in mixed)}; color: {text}"


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


# --- tables -----------------------------------------------------------------------------------------------------------------


def stable_key(name: str, ids: Sequence[Any]) -> str:
    """A table's key that changes with its rows, so that no old selection is read against new ones."""
    return f"{name}-{zlib.crc32(repr(list(ids)).encode()):08x}"


def table(rows: Sequence[Mapping[str, Any]], key: str, columns: Mapping[str, Any] | None = None, tallest: int = 12) -> None:
    """A plain table; texts are shown with their control characters named."""
    st.dataframe(
        frame(rows),
        key=key,
        hide_index=True,
        height=HEAD + ROW * min(len(rows), tallest),
        column_config=dict(columns or {}),
        placeholder=DASH,
    )


def frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a data frame, texts and heads with their control characters named."""
    return pd.DataFrame(
        [{visible(name): visible(value) if isinstance(value, str) else value for name, value in row.items()} for row in rows]
    )


def styled(rows: Sequence[Mapping[str, Any]], css: Sequence[Mapping[str, str]], key: str, tallest: int = 14) -> None:
    """A table whose cells are coloured: ``css`` holds each row's styles by column."""
    shown = frame(rows)
    styles = pd.DataFrame("", index=shown.index, columns=shown.columns, dtype=object)
    for at, row in enumerate(css):
        for name, style in row.items():
            styles.loc[at, visible(name)] = style
    st.dataframe(
        shown.style.apply(lambda _: styles, axis=None),
        key=key,
        hide_index=True,
        height=HEAD + ROW * min(len(rows), tallest),
        placeholder=DASH,
    )
