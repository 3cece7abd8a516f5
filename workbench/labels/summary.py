"""What the labels of some cases amount to, and which of them belong to a row of an audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

from workbench.labels.agreement import agreement
from workbench.labels.contested import contested_questions
from workbench.store import Label


def labels_json(labels: Sequence[Label]) -> dict[str, Any]:
    """Current labels as plain values: counts by analyst, status and cause, agreement of every two, contested questions."""
    analysts = Counter(label.analyst for label in labels)
    pairs = [agreement(labels, *pair) for pair in combinations(sorted(analysts), 2)]
    return {
        "places": len(labels),
        "analysts": dict(sorted(analysts.items())),
        "status": dict(Counter(label.status for label in labels)),
        "by_label": dict(Counter(label.label for label in labels if label.label).most_common()),
        "agreement": [asdict(pair) | {"disagreements": len(pair.disagreements)} for pair in pairs],
        "contested": len(contested_questions(labels)),
    }


def labels_of(rows: Iterable[dict[str, Any]], labels: Iterable[Label]) -> list[list[str]]:
    """For each row of an audit the labels on it, as "analyst: label (status)"; those of the whole question or any method too."""
    by_place: dict[tuple[str, str, str, str], list[str]] = {}
    for label in labels:
        text = f"{label.analyst}: {label.label or '-'} ({label.status})"
        by_place.setdefault(label.place, []).append(text)
    return [
        [
            text
            for note in (row["note"], "")
            for method in (row["method"], "")
            for text in by_place.get((row["case"], row["question"], note, method), ())
        ]
        for row in rows
    ]
