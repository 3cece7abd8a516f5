"""The one palette of pages, charts, notebooks and reports: methods, node kinds, edges and gold, in light and dark.

Hues follow Okabe and Ito (2008), "Color Universal Design", which stay apart under the common colour deficiencies; lightness is
set per theme so that every mark has a contrast of at least 3:1 with its background (WCAG 2.1, 1.4.11). Methods of one family
share a hue and differ by lightness, dash and symbol, because a dozen hues can't be told apart by anyone.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Theme = Literal["light", "dark"]

BACKGROUND = {"light": "#ffffff", "dark": "#14171c"}
PANEL = {"light": "#f4f5f7", "dark": "#1d2127"}
TEXT = {"light": "#1c2330", "dark": "#e6e9ee"}
MUTED = {"light": "#5c6573", "dark": "#9aa4b2"}
ACCENT = {"light": "#276dd9", "dark": "#5c95fe"}
GOLD = {"light": "#8f6a14", "dark": "#fcb404"}
"""The answer's evidence. Always drawn with ``GOLD_MARK`` and the word as well, never by colour alone."""
GOLD_MARK = "★"
SEED = {"light": "#a51c00", "dark": "#fe5a16"}
"""What the query matched."""

KIND = {
    "tag": {"light": "#276dd9", "dark": "#5c95fe"},
    "topic": {"light": "#016359", "dark": "#8ff0b4"},
    "file": {"light": "#333848", "dark": "#b0c0d0"},
    "ontology": {"light": "#b0409a", "dark": "#bb759e"},
}
"""Line and text colour of a node kind."""

KIND_FILL = {
    "tag": {"light": "#e6effc", "dark": "#182d52"},
    "topic": {"light": "#def2ee", "dark": "#143a2c"},
    "file": {"light": "#eef0f3", "dark": "#2a3039"},
    "ontology": {"light": "#f9eaf5", "dark": "#3d2434"},
}
"""Fill under the kind's text: its contrast with TEXT is at least 7:1."""

GOLD_FILL = {"light": "#fdeec8", "dark": "#4d3a0c"}

EDGE = {
    "tag_topic": {"light": "#8d99a8", "dark": "#6f7b8a"},
    "topic_file": {"light": "#8d99a8", "dark": "#6f7b8a"},
    "similarity": {"light": "#3f9c82", "dark": "#3f9c82"},
    "ontology": {"light": "#c48fb0", "dark": "#96648a"},
    "instance": {"light": "#c48fb0", "dark": "#96648a"},
    "chronological": {"light": "#9aa4b2", "dark": "#66707d"},
    "entity": {"light": "#8d99a8", "dark": "#6f7b8a"},
    "near": {"light": "#9aa4b2", "dark": "#66707d"},
    "continues": {"light": "#c48fb0", "dark": "#96648a"},
    "updated": {"light": "#3f9c82", "dark": "#3f9c82"},
    "bridge": {"light": "#a51c00", "dark": "#fe5a16"},
    "fact": {"light": "#6a4fb3", "dark": "#b39df0"},
    "derived": {"light": "#a51c00", "dark": "#fe5a16"},
}


@dataclass(frozen=True, slots=True)
class Style:
    """How one method is drawn: a colour, a Plotly dash and a Plotly symbol, so that no two differ by colour alone."""

    colour: str
    dash: str
    symbol: str


_METHOD = {
    "bm25": ("#a66a00", "#f0b53a", "solid", "circle"),
    "bm25_filtered": ("#7d5200", "#ffd98a", "dash", "circle-open"),
    "tag_basic": ("#4f9bd1", "#8fc7f2", "dot", "square-open"),
    "tag_stopwords": ("#2478b5", "#5aa9e6", "dash", "square"),
    "tag_tfidf": ("#0a4d86", "#3d8fd6", "solid", "diamond"),
    "adaptive": ("#c23b00", "#ff8a50", "solid", "star"),
    "openclaw": ("#00775a", "#3cc79a", "solid", "triangle-up"),
    "dense": ("#4d8f1e", "#9ad45f", "dash", "triangle-down"),
    "fusion": ("#4a5361", "#b4bdca", "dashdot", "hexagon"),
    "ariadne": ("#a8487f", "#e296c2", "solid", "cross"),
    "real": ("#6a4fb3", "#b39df0", "solid", "x"),
    "vanilla_graph": ("#8f7fc4", "#8a78cf", "dot", "x-open"),
}
_SPARE = (
    ("#8a3b2e", "#e08a7a", "longdash", "pentagon"),
    ("#2f6f73", "#6cc3c8", "longdash", "star-diamond"),
    ("#75662b", "#cdbb6a", "longdash", "bowtie"),
    ("#7a3f99", "#cb93e6", "longdash", "hourglass"),
)

_OPEN = ("circle-open", "square-open", "diamond-open", "triangle-up-open")


def method_style(name: str, theme: Theme = "light") -> Style:
    """The style of a method; one that is not known here gets a spare one, chosen by its name and so the same everywhere.

    Examples
    --------
    >>> method_style("adaptive").symbol
    'star'
    >>> method_style("my own run") == method_style("my own run")
    True
    """
    light, dark, dash, symbol = _METHOD.get(name) or _SPARE[zlib.crc32(name.encode()) % len(_SPARE)]
    return Style(light if theme == "light" else dark, dash, symbol)


def method_colour(name: str, theme: Theme = "light") -> str:
    """The colour of a method, as ``#rrggbb``."""
    return method_style(name, theme).colour


def arm_styles(arms: Iterable[tuple[str, str]], theme: Theme = "light") -> dict[str, Style]:
    """Styles of a run's arms, given as (method, label): a method's first arm has its style, further ones spare ones.

    Beyond the spare ones an arm has its method's colour with another dash and symbol, and past a dozen these come again.

    Examples
    --------
    >>> found = arm_styles([("adaptive", "adaptive"), ("adaptive", "adaptive - diffusion")])
    >>> found["adaptive"] == method_style("adaptive"), found["adaptive - diffusion"] == method_style("adaptive")
    (True, False)
    """
    found: dict[str, Style] = {}
    at = 0 if theme == "light" else 1
    more = [Style(each[at], *each[2:]) for each in _SPARE]
    for method, label in arms:
        own = method_style(method, theme)
        if own not in found.values():
            found[label] = own
            continue
        free = [style for style in more if style not in found.values()]
        dashed = (Style(own.colour, dash, symbol) for dash in ("dot", "dashdot") for symbol in _OPEN)
        found[label] = next((style for style in (*free, *dashed) if style not in found.values()), own)
    return found
