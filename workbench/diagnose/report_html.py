"""An audit as one HTML file that opens without a network, with its plain values once more as JSON under the id ``audit``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from workbench.colours import ACCENT, BACKGROUND, MUTED, PANEL, TEXT, method_colour
from workbench.diagnose.report import (
    CONTROL_HEAD,
    CONTROL_WORDS,
    POOL_HEAD,
    Plain,
    control_table,
    headline,
    label_lines,
    pool_sentences,
    pool_table,
    stage_names,
    with_interval,
)
from workbench.words import counted, visible

LISTED = 1000
"""Misses that are listed; the file of rows has all (ours)."""


def report_html(result: Plain, misses: Sequence[Plain] = (), title: str = "Failure audit") -> str:
    """One self-contained page: no script runs, nothing is fetched, all text is escaped.

    Parameters
    ----------
    result : dict
        Of `workbench.diagnose.report.audit_json`, with labels where there are some (`workbench.labels.summary`).
    misses : sequence of dict
        Rows (`note_rows`) that are listed, as far as ``LISTED`` goes.
    """
    data = json.dumps(result, ensure_ascii=False).replace("<", "\\u003c")
    body = "\n".join(_body(result, misses, title))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{_text(title)}</title>\n<style>{_style()}</style>\n</head>\n<body>\n{body}\n"
        f'<script type="application/json" id="audit">{data}</script>\n</body>\n</html>\n'
    )


def _body(result: Plain, misses: Sequence[Plain], title: str) -> Iterator[str]:
    yield f"<h1>{_text(title)}</h1>"
    yield f"<p>{_text(headline(result))}</p>"
    yield "<h2>Pool</h2>"
    if result["pool"]:
        yield _table(POOL_HEAD, pool_table(result))
    yield from (f"<p>{_text(line)}</p>" for line in pool_sentences(result))
    yield "<h2>Where gold notes were lost</h2>"
    yield _stage_table(result)
    yield f"<h2>Control and intervention</h2><p>{_text(CONTROL_WORDS)}</p>"
    for unit in ("gold notes", "questions"):
        yield f"<h3>By {'gold note' if unit == 'gold notes' else 'question'}</h3>"
        yield _forest([row for row in result["control"] if (row["unit"], row["by"]) == (unit, "all")])
        yield _table(CONTROL_HEAD, control_table(result, unit, "all"))
        for by in ("benchmark", "type"):
            rows = control_table(result, unit, by)
            if rows:
                yield f"<details><summary>By {by}</summary>{_table((by, *CONTROL_HEAD), rows)}</details>"
    yield from _label_section(result.get("labels"))
    yield from _misses(misses)


def _stage_table(result: Plain) -> str:
    seen = {name for each in result["stages"] for name in each["notes"]}
    names = [name for name in stage_names() if name in seen]
    rows = [[each["extraction"], each["method"], *(each["notes"].get(name, 0) for name in names)] for each in result["stages"]]
    return _table(("extraction", "method", *names), rows)


def _label_section(labels: Plain | None) -> Iterator[str]:
    if labels:
        yield "<h2>Labels</h2>"
        yield from (f"<p>{_text(line)}</p>" for line in label_lines(labels))
        yield _table(("label", "labels"), list(labels["by_label"].items()))


_MISS_FIELDS = ("case", "question", "note", "extraction", "method", "rank", "stage", "helpful", "repaired_by", "labels")


def _misses(misses: Sequence[Plain]) -> Iterator[str]:
    if not misses:
        return
    shown = misses[:LISTED]
    more = "" if len(shown) == len(misses) else f" of {len(misses):,}; the file of rows has all"
    yield f"<h2>Misses</h2><p>{counted(len(shown), 'row')}{more}</p>"
    names = [name for name in _MISS_FIELDS if name in misses[0]]
    yield _table(names, [[_cell(row[name]) for name in names] for row in shown])


def _cell(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _text(value: Any) -> str:
    return escape(visible(str(value)))


def _table(head: Iterable[Any], rows: Iterable[Sequence[Any]]) -> str:
    cells = "".join(f"<th>{_text(name)}</th>" for name in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{_text('-' if value is None else value)}</td>" for value in row) + "</tr>\n" for row in rows
    )
    return f"<div class=wide><table><thead><tr>{cells}</tr></thead>\n<tbody>\n{lines}</tbody></table></div>"


def _forest(rows: Sequence[Mapping[str, Any]]) -> str:
    """Differences between misses and hits as a forest plot; the table below it has the same numbers."""
    shown = [row for row in rows if row["difference"] is not None]
    if not shown:
        return "<p>No method has both misses and hits: there is no difference to draw.</p>"
    left, wide, step = 260, 420, 24
    height = step * (len(shown) + 2)

    def x(value: float) -> float:
        return round(left + (value + 1) / 2 * wide, 1)

    marks = []
    for at, row in enumerate(shown):
        y, (low, high) = step * at + step // 2, row["difference_interval"]
        marks.append(
            f'<text x="0" y="{y + 4}">{_text(row["method"])} · {_text(row["extraction"])}</text>'
            f'<g class=mark style="--light:{method_colour(row["method"])};--dark:{method_colour(row["method"], "dark")}">'
            f'<line x1="{x(low)}" y1="{y}" x2="{x(high)}" y2="{y}" stroke-width="2"/>'
            f'<rect x="{x(row["difference"]) - 4}" y="{y - 4}" width="8" height="8"/></g>'
            f'<text x="{left + wide + 12}" y="{y + 4}">{with_interval(row["difference"], row["difference_interval"])}</text>'
        )
    bottom = step * len(shown) + 8
    ticks = "".join(
        f'<text x="{x(value)}" y="{bottom + 14}" text-anchor="middle">{value:+.1f}</text>'
        for value in (-1.0, -0.5, 0.0, 0.5, 1.0)
    )
    return (
        f'<div class=wide><svg role="img" width="{left + wide + 200}" height="{height}">'
        "<title>Share without a helpful tag: misses less hits</title>"
        f'<line class=zero x1="{x(0)}" y1="0" x2="{x(0)}" y2="{bottom}"/>{"".join(marks)}{ticks}'
        f'<text x="{x(0)}" y="{bottom + 32}" text-anchor="middle">share without a helpful tag, misses less hits</text>'
        "</svg></div>"
    )


def _style() -> str:
    def theme(name: str) -> str:
        pairs = {"back": BACKGROUND, "panel": PANEL, "text": TEXT, "muted": MUTED, "accent": ACCENT}
        return "".join(f"--{each}:{colours[name]};" for each, colours in pairs.items())

    return (
        f":root{{color-scheme:light dark;{theme('light')}}}"
        ".mark{stroke:var(--light);fill:var(--light)}"
        f"@media(prefers-color-scheme:dark){{:root{{{theme('dark')}}}.mark{{stroke:var(--dark);fill:var(--dark)}}}}"
        "body{background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif;max-width:78rem;margin:2rem auto;"
        "padding:0 1rem}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}"
        "th,td{padding:.3rem .6rem;text-align:left;border-bottom:1px solid var(--panel);vertical-align:top}"
        "th{color:var(--muted);font-weight:600}summary{cursor:pointer;color:var(--accent)}"
        "svg text{fill:var(--text);font-size:12px}.zero{stroke:var(--muted);stroke-dasharray:3}"
    )
