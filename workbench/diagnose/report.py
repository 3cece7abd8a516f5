"""An audit as plain values and as the tables and sentences made of them: page, command line and report show these."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from workbench.diagnose.audit import Audit, NoteRow
from workbench.diagnose.control import ControlRow, Share, control
from workbench.diagnose.pool import pooled
from workbench.diagnose.stages import FOUND, stages
from workbench.words import counted

Plain = dict[str, Any]
ROW_FIELDS = tuple(field.name for field in fields(NoteRow))


def audit_json(found: Audit) -> Plain:
    """The audit's tables as plain JSON values.

    Shares are ``{"count", "of", "share", "interval"}``. What is not available is null; an infinite odds ratio is the text "inf".
    """
    pool = pooled(found)
    return {
        "k": found.k,
        "cases": len(found.cases),
        "benchmarks": list(dict.fromkeys(key.partition("/")[0] for key in found.cases)),
        "extractions": list(found.extractions),
        "methods": list(found.methods),
        "graph_methods": list(found.graph_methods),
        "questions": len({(row.case, row.question) for row in found.questions}),
        "gold_notes": len({(row.case, row.question, row.note) for row in found.notes}),
        "not_stored": found.not_stored,
        "without_gold": found.without_gold,
        "interventions": found.is_tried,
        "rows": len(found.notes),
        "pool": _plain(asdict(pool)) if pool else None,
        "stages": _stages(found),
        "control": [_control_json(row) for row in control(found)],
    }


def _stages(found: Audit) -> list[Plain]:
    """How many gold notes each stage lost, by extraction and method; those of which it cannot be known under "not available"."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in found.notes:
        counts.setdefault((row.extraction, row.method), Counter())[row.stage or "not available"] += 1
    order = stage_names()
    return [
        {"extraction": extraction, "method": method, "notes": {name: own[name] for name in order if own[name]}}
        for (extraction, method), own in counts.items()
    ]


def stage_names() -> tuple[str, ...]:
    """What can have become of a gold note, in order."""
    return (FOUND, *(check.stage for check in stages()), "not available")


def _control_json(row: ControlRow) -> Plain:
    return {field.name: _plain(getattr(row, field.name)) for field in fields(row)}


def _plain(value: Any) -> Any:
    if isinstance(value, Share):
        return {"count": value.count, "of": value.of, "share": value.share, "interval": _plain(value.interval)}
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return "inf" if isinstance(value, float) and math.isinf(value) else value


def note_rows(found: Audit) -> list[Plain]:
    """Every gold note under every method and extraction as plain values, with the fields of `ROW_FIELDS`."""
    return [
        {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(row).items()} for row in found.notes
    ]


# Words ----------------------------------------------------------------------------------------------------------------------


def figure(value: float | str | None) -> str:
    """A number of a table: three decimals; a dash where it is not available."""
    return "-" if value is None else value if isinstance(value, str) else f"{value:.3f}"


def with_interval(value: float | str | None, interval: Sequence[float | str] | None) -> str:
    """A number with its interval."""
    return figure(value) + (f" [{figure(interval[0])}, {figure(interval[1])}]" if interval else "")


def share_text(share: Plain | None) -> str:
    """A share with its counts and interval."""
    return "-" if share is None else f"{share['count']}/{share['of']} = {with_interval(share['share'], share['interval'])}"


def headline(result: Plain) -> str:
    """What was audited, in a sentence."""
    parts = [
        f"{counted(result['gold_notes'], 'gold note')} of {counted(result['questions'], 'question')} in "
        f"{counted(result['cases'], 'case')} ({', '.join(result['benchmarks'])})",
        f"{counted(len(result['methods']), 'method')}, extractions: {', '.join(result['extractions'])}; the first {result['k']} "
        "notes count",
    ]
    if result["not_stored"]:
        parts.append(f"{counted(result['not_stored'], 'piece')} of gold the memories do not hold")
    if result["without_gold"]:
        parts.append(f"{counted(result['without_gold'], 'question')} without gold left out")
    return "; ".join(parts) + "."


POOL_HEAD = ("unit", "looked at", "pool", "lacking a helpful tag", "helpful, outcome differs", "helpful, always missed")


def pool_table(result: Plain) -> list[list[Any]]:
    """The pooled table: a row for each unit."""
    names = ("unit", "units", "pool", "lacking", "differing", "always_missed")
    return [[result["pool"][unit][name] for name in names] for unit in ("notes", "sessions")] if result["pool"] else []


def pool_sentences(result: Plain) -> list[str]:
    """How the pool is to be read, and why its two units differ."""
    pool = result["pool"]
    if pool is None:
        return ["No graph configuration is among the methods: there is no pool."]
    under = (
        f"under at least one of {len(result['extractions'])} extractions"
        if len(result["extractions"]) > 1
        else f"under the one extraction there is ({result['extractions'][0]}): the paper pools over several"
    )
    lines = [
        f"Pool: gold missed by at least one of {', '.join(result['graph_methods'])}, {under}.",
        f"Of the {counted(pool['notes']['pool'], 'note')}, {pool['in_missed_sessions']:,} lie in one of the "
        f"{counted(pool['sessions']['pool'], 'session')} that are missed too.",
    ]
    for reason in pool["reasons"]:
        if reason["notes"]:
            some = ", ".join(f"{case} {question} {note}" for case, question, note in reason["examples"])
            lines.append(f"{counted(reason['notes'], 'note')}: {reason['meaning']} (such as {some}).")
    return lines


CONTROL_HEAD = (
    "extraction",
    "method",
    "misses without helpful tag",
    "hits without",
    "difference",
    "odds ratio",
    "misses one tag repairs",
    "... of the note's words",
    "hits broken without their tags",
)


def control_table(result: Plain, unit: str, by: str) -> list[list[Any]]:
    """The comparison of misses and hits in one unit: over all, or with the group in front of each row."""
    return [
        [
            *([row["group"]] if by != "all" else []),
            row["extraction"],
            row["method"],
            share_text(row["misses"]),
            share_text(row["hits"]),
            with_interval(row["difference"], row["difference_interval"]),
            with_interval(row["odds_ratio"], row["odds_interval"]),
            share_text(row["repaired"]),
            share_text(row["repaired_as_said"]),
            share_text(row["broken"]),
        ]
        for row in result["control"]
        if (row["unit"], row["by"]) == (unit, by)
    ]


CONTROL_WORDS = (
    "A helpful tag is attached to a gold note and shares a word with the question. Shares have Wilson's 95% intervals, "
    "differences Newcombe's, odds ratios the exact conditional one. Over notes they take notes of one question as independent; "
    "a question is missed if all its gold notes are, and lacks a helpful tag if all of them do. Repairs and breaks were read "
    "from rankings that were made again: with one added tag, of any words of the question or of those that the note says too; "
    "with all helpful tags taken away."
)


def label_lines(labels: Plain) -> list[str]:
    """Labels in sentences: how many, of whom, how far they agree, and how much gold is contested."""
    by = ", ".join(f"{name} {count}" for name, count in labels["analysts"].items()) or "nobody"
    states = ", ".join(f"{count} {name}" for name, count in labels["status"].items())
    lines = [f"{counted(labels['places'], 'current label')} by {by}" + (f"; {states}." if states else ".")]
    for pair in labels["agreement"]:
        lines.append(
            f"{pair['first']} and {pair['second']} agree on {pair['agreed']} of {counted(pair['places'], 'place')}; "
            f"Cohen's kappa {with_interval(pair['kappa'], pair['interval'])}."
        )
    if labels["contested"]:
        lines.append(f"The gold of {counted(labels['contested'], 'question')} is contested.")
    return lines
