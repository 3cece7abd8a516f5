"""Contested gold: what a run measures with and without the questions whose gold an analyst does not accept, and a patch file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.evaluate.estimates import Estimate, arms_of, estimates
from workbench.evaluate.judging import STORE_NOTES
from workbench.records import Run
from workbench.store import Label, Store
from workbench.store.values import dump_gold

Key = tuple[str, str]
"""A question: case key and question id."""


@dataclass(frozen=True, slots=True)
class ContestedRow:
    """A measure of one method over all headline questions, and over those whose gold nobody contests."""

    method: str
    measure: str
    all: Estimate
    uncontested: Estimate


def contested_questions(labels: Iterable[Label]) -> dict[Key, tuple[Label, ...]]:
    """The questions whose gold some analyst contests in a current label, with these labels."""
    found: dict[Key, tuple[Label, ...]] = {}
    for label in labels:
        if label.contested:
            key = (label.case, label.question)
            found[key] = (*found.get(key, ()), label)
    return found


def with_and_without(run: Run, labels: Iterable[Label]) -> list[ContestedRow]:
    """Every measure of a run by method, on all and on uncontested questions, each with its 95% interval and number of questions.

    Parameters
    ----------
    run : Run
        Its headline questions are taken.
    labels : iterable of Label
        Current labels (`workbench.store.Labels.current`).
    """
    contested = contested_questions(labels)
    rows: list[ContestedRow] = []
    for method in arms_of(run):
        results = [result for result in run.results if result.method == method and result.headline]
        accepted = [result for result in results if (result.case, result.question) not in contested]
        names = [name for name in dict.fromkeys(name for result in results for name in result.measures) if name != STORE_NOTES]
        found = estimates([[result.measures.get(name) for result in part] for name in names for part in (results, accepted)])
        rows += [ContestedRow(method, name, *found[2 * at : 2 * at + 2]) for at, name in enumerate(names)]
    return rows


def patch_lines(store: Store, labels: Iterable[Label]) -> Iterator[dict[str, Any]]:
    """Contested gold for those who keep the benchmark: a record for each question and analyst.

    Fields: benchmark, case, question, text, gold as stored, reason, proposed change (the comment), analyst and time. Labels of
    cases that the store does not hold are left out.
    """
    for (case_key, question_id), contesting in contested_questions(labels).items():
        row = store.cases.find(case_key)
        question = next((each for each in store.questions.of(case_key) if each.id == question_id), None)
        if row is None or question is None:
            continue
        for label in contesting:
            yield {
                "benchmark": row.benchmark,
                "case": row.id,
                "question": question.id,
                "text": question.text,
                "gold": json.loads(dump_gold(question.gold)),
                "reason": label.contested,
                "change": label.comment,
                "analyst": label.analyst,
                "created": label.created.isoformat(),
            }


def write_patch(store: Store, labels: Iterable[Label], path: Path) -> int:
    """Write `patch_lines` as JSON lines; how many they are.

    Raises
    ------
    WorkbenchError
        If the file can't be written.
    """
    lines = [json.dumps(line, ensure_ascii=False) + "\n" for line in patch_lines(store, labels)]
    try:
        path.write_text("".join(lines), encoding="utf-8", newline="\n")
    except OSError as error:
        raise WorkbenchError(f"{path} can't be written: {error.strerror}") from error
    return len(lines)
