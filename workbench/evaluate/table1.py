"""The paper's Table 1 beside ours: means with intervals, and which of the paper's orderings hold here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

from workbench.engine import Workers
from workbench.evaluate.ablations import ablation
from workbench.evaluate.estimates import Estimate, estimates
from workbench.evaluate.guards import FEW
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.intervals import Interval, Values
from workbench.evaluate.published import CLAIMS, CORE, LME_S, PERMISSIVE, Claim, row_of
from workbench.evaluate.runs import TABLE1, MethodSpec
from workbench.evaluate.significance import columns, paired_test
from workbench.evaluate.stored import run_stored
from workbench.evaluate.sweeps.base import Options, sweeps
from workbench.methods.base import methods
from workbench.records import QuestionResult, RunKind
from workbench.store import ExtractionKey, ExtractionRow, open_store

HOLDS, FAILS, UNDECIDED, NOT_AVAILABLE = "holds", "does not hold", "undecided", "not available"
Announce = Callable[[str, int, int], None]
"""Called with what is being run, how many of its cases are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim of the paper, tested. ``difference`` is higher - lower (or the mean itself), with its paired interval."""

    claim: Claim
    n: int
    difference: float | None
    interval: Interval | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Tags:
    """Tag statistics over cases (App. D): means of each case's figures."""

    cases: int
    distinct: float
    per_note: float
    reuse: float


@dataclass(frozen=True)
class Row:
    """One benchmark under one extraction.

    ``cells`` maps a method or ablation arm to its MRR; ``by_type`` maps a question type to recall@5 by method (App. G).
    """

    row: str
    extraction: str
    cells: Mapping[str, Estimate]
    by_type: Mapping[str, Mapping[str, Estimate]]
    tags: Tags | None
    verdicts: tuple[Verdict, ...]


def table1(path: Path, benchmarks: Sequence[str] = (), *, workers: Workers = 1, announce: Announce | None = None) -> list[Row]:
    """Ours, for every benchmark and extraction of a store. Runs that the store has already are not repeated.

    Parameters
    ----------
    path : Path
        The store.
    benchmarks : sequence of str
        Only these; default: all.
    workers : int or Cluster
        Local processes, or a cluster (`workbench.engine`).

    Raises
    ------
    KeyError
        If a named benchmark is not stored.
    """
    with open_store(path, read_only=True) as store:
        held = store.cases.benchmarks()
        unknown = [name for name in benchmarks if name not in held]
        if unknown:
            raise KeyError(f"no benchmark {unknown[0]!r}; the store has: {', '.join(held) or 'none'}")
        keys = [row.key for name in benchmarks or held for row in store.cases.list(name)]
        extractions = store.extractions.list()
    rows: list[Row] = []
    by_row: dict[str, list[str]] = {}
    for key in keys:
        by_row.setdefault(row_of(*key.split("/", 1)), []).append(key)
    for name, mine in by_row.items():
        for extraction, having in _by_extraction(mine, extractions):
            rows += _rows(path, name, having, extraction, workers, announce)
    return rows


def _by_extraction(keys: Sequence[str], rows: Iterable[ExtractionRow]) -> Iterator[tuple[ExtractionRow, list[str]]]:
    """Each extraction that a case of these has, with the cases that have it."""
    found: dict[ExtractionKey, tuple[ExtractionRow, set[str]]] = {}
    for row in rows:
        if row.case in keys:
            found.setdefault(row.key, (row, set()))[1].add(row.case)
    for row, cases in found.values():
        yield row, [key for key in keys if key in cases]


def _rows(
    path: Path, name: str, keys: Sequence[str], extraction: ExtractionRow, workers: Workers, announce: Announce | None
) -> Iterator[Row]:
    """The row itself, and for ATANT the permissive one."""
    results: list[QuestionResult] = []
    for kind, arms in _runs_of(name).items():
        say = None if announce is None else partial(_say, announce, f"{name}, {extraction.extractor}: {kind}", len(keys))
        run = run_stored(path, keys, arms, extraction, kind=kind, may_reuse=True, workers=workers, progress=say)
        known = {result.method for result in results}
        results += [result for result in run.results if result.headline and result.method not in known]
    yield _row(name, extraction.extractor, results, "mrr", _tags(path, keys, extraction))
    if name == CORE:
        yield _row(name + PERMISSIVE, extraction.extractor, results, "mrr_permissive", None)


def _runs_of(name: str) -> dict[RunKind, list[MethodSpec]]:
    """The runs that a row takes: those that `evaluate`, `ablate` and `sweep` make by themselves, so that theirs are reused."""
    runs: dict[RunKind, list[MethodSpec]] = {
        "evaluation": [MethodSpec(method) for method in TABLE1 if method in methods],
        "ablation": ablation("adaptive"),
    }
    if name == LME_S:
        runs["sweep"] = sweeps["distractors"].arms(Options(points=["0"]))
    return runs


def _say(announce: Announce, what: str, of: int, done: int, name: str) -> None:
    announce(what, done, of)


def _row(name: str, extraction: str, results: Sequence[QuestionResult], measure: str, tags: Tags | None) -> Row:
    arms = tuple(dict.fromkeys(result.method for result in results))
    _, values = columns(results, arms, measure)
    shown = [arm for arm in arms if arm in TABLE1]
    by_type = {}
    for kind in sorted({result.type for result in results if result.type}):
        _, recalls = columns([result for result in results if result.type == kind], shown, "recall@5")
        by_type[kind] = dict(zip(shown, estimates([*recalls.values()]), strict=True))
    verdicts = tuple(verdict(claim, values) for claim in CLAIMS if claim.row == name)
    return Row(name, extraction, dict(zip(arms, estimates([*values.values()]), strict=True)), by_type, tags, verdicts)


def verdict(claim: Claim, values: Mapping[str, Values]) -> Verdict:
    """Test a claim on the questions that both arms have; ``values`` holds each arm's column over the same questions.

    An ordering holds where the 95% paired bootstrap interval of the difference lies on its side of 0, does not hold where it
    lies on the other, and is undecided in between and over fewer than `FEW` questions (the rule is ours). "Not above" also holds
    at an interval that begins at 0; "same" only where no question differs.
    """
    if claim.higher not in values or (claim.lower and claim.lower not in values):
        return Verdict(claim, 0, None, None, NOT_AVAILABLE)
    if claim.kind == "at_least":
        (found,) = estimates([values[claim.higher]])
        answer = _side(found.n, found.interval, claim.bound or 0.0, is_closed=True)
        return Verdict(claim, found.n, found.mean, found.interval, answer)
    test = paired_test(values[claim.higher], values[claim.lower])
    if not test.n:
        answer = NOT_AVAILABLE
    elif claim.kind == "same":
        answer = FAILS if test.wins or test.losses else HOLDS
    else:
        answer = _side(test.n, test.interval, 0.0, is_closed=claim.kind == "not_above")
    return Verdict(claim, test.n, test.difference, test.interval, answer)


def _side(n: int, interval: Interval | None, bound: float, is_closed: bool) -> str:
    if interval is None or n < FEW:
        return UNDECIDED
    low, high = interval
    if high < bound:
        return FAILS
    return HOLDS if low > bound or (is_closed and low == bound) else UNDECIDED


def _tags(path: Path, keys: Sequence[str], extraction: ExtractionRow) -> Tags | None:
    """Tag statistics of the cases that have any tag."""
    figures = []
    for given in case_inputs(path, keys, extraction.key):
        carried = [note.extraction.paths for note in given.notes]
        tags, distinct = sum(map(len, carried)), len({path for paths in carried for path in paths})
        if distinct:
            figures.append((distinct, tags / len(carried), tags / distinct))
    return Tags(len(figures), *(fmean(column) for column in zip(*figures, strict=True))) if figures else None
