"""A report of answers for people: table F.2, what failed, tests."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.answer.report import WORDS, AnswerReport, Line
from workbench.answer.scored import CONTAINS, F1, F1_LOCOMO, HAS_ALL, JUDGED
from workbench.evaluate.significance import HEADLINE
from workbench.printing import interval, pair_lines, table
from workbench.words import counted, visible

TESTED = (CONTAINS, F1, F1_LOCOMO, HAS_ALL, JUDGED)
"""Whose paired tests are printed; the JSON has all."""


def report_lines(found: AnswerReport) -> Iterator[str]:
    """The report, line by line."""
    yield f"answers of {visible(found.model)} from run {found.run} · {found.benchmark} · asked as {found.version}"
    head = ["method", "asked", "failed", *(f"{WORDS[name]} [95%] n" for name in found.columns)]
    yield from table(head, [_cells(line, found.columns) for line in found.lines])
    yield ""
    columns = [name for name in found.columns if any(line.macro[name] is not None for line in found.lines)]
    if columns and len(found.lines[0].by_type) > 1:
        yield from table(
            ["each type once", *(WORDS[name] for name in columns)],
            [[line.method, *(line.macro[name] for name in columns)] for line in found.lines],
        )
        yield ""
    for line in found.lines:
        for reason, count in line.failures.items():
            yield f"{line.method}: {counted(count, 'question')} without an answer, in no score: {visible(reason)}"
    if found.judges:
        yield f"judged by a language model, {visible(', '.join(found.judges))}: an opinion beside the scores"
        if found.model in found.judges:
            yield "the judge is the model that answered: it may favour its own words"
    for name in TESTED:
        if found.pairs.get(name):
            yield ""
            yield from pair_lines({HEADLINE: found.pairs[name]}, WORDS[name])


def _cells(line: Line, columns: tuple[str, ...]) -> list[str | int]:
    shown = [line.estimates[name] for name in columns]
    return [line.method, line.asked, sum(line.failures.values()), *(f"{interval(e.mean, e.interval)} {e.n}" for e in shown)]
