"""MRR of every method under every extraction, with paired tests between extractions (TAGGRAPH 5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from workbench.compare_extractions.sources import Source, shared_cases
from workbench.engine import Progress, Workers
from workbench.errors import BadInput
from workbench.evaluate.estimates import Estimate, estimates
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.significance import PairedTest, Unit, check_measure, columns, holm, paired_tests
from workbench.evaluate.stored import run_stored
from workbench.records import Run


@dataclass(frozen=True, slots=True)
class Cell:
    """The mean of a measure over headline questions, for one method under one extraction; ``run`` holds its rankings."""

    extraction: str
    method: str
    estimate: Estimate
    run: str


@dataclass(frozen=True, slots=True)
class Step:
    """Two extractions under one method over the questions that both have. ``test`` reads second against first.

    ``p_holm`` is corrected over all steps of the matrix, since that is the table one looks through.
    """

    method: str
    first: str
    second: str
    test: PairedTest
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """Extraction by method. ``runs`` are the ids of the runs by extraction."""

    measure: str
    unit: Unit
    questions: int
    runs: Mapping[str, str]
    cells: tuple[Cell, ...]
    steps: tuple[Step, ...]

    def cell(self, extraction: str, method: str) -> Cell:
        """One cell; KeyError where there is none."""
        for cell in self.cells:
            if (cell.extraction, cell.method) == (extraction, method):
                return cell
        raise KeyError(f"the matrix has no cell of {extraction!r} and {method!r}")


def run_matrix(
    path: Path,
    case_keys: Sequence[str],
    chosen: Sequence[Source],
    specs: Sequence[MethodSpec],
    *,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> dict[str, Run]:
    """Run the methods under each extraction, over the cases that all have, and keep the runs.

    A run of the same plan that the store holds is taken as it is, and an interrupted one goes on.

    Parameters
    ----------
    progress : callable, optional
        Called after each case with the number of (extraction, case) pairs done and the case's key.

    Returns
    -------
    dict of str to Run
        By the extraction's label, in the order given.

    Raises
    ------
    BadInput
        If no case has all the extractions, or no question of the cases has gold.
    ValueError
        If no extraction or no method is given, or the cases are of several benchmarks.
    """
    if not chosen or not specs:
        raise ValueError(f"a matrix takes extractions and methods; got {len(chosen)} and {len(specs)}")
    keys = shared_cases(chosen, case_keys)
    if not keys:
        raise BadInput(f"none of these cases has all of {', '.join(source.label for source in chosen)}")
    runs: dict[str, Run] = {}
    for source in chosen:
        before = len(runs) * len(keys)

        def advance(done: int, name: str, before: int = before) -> None:
            if progress is not None:
                progress(before + done, name)

        row, name = source.rows[keys[0]], f"extraction {source.label}"
        runs[source.label] = run_stored(path, keys, specs, row, name=name, may_reuse=True, workers=workers, progress=advance)
        advance(len(keys), keys[-1])
    return runs


def matrix_of(runs: Mapping[str, Run], measure: str = "mrr", unit: Unit = "question") -> Matrix:
    """The matrix of some runs with the same arms, by the label of the extraction that each was made under.

    Parameters
    ----------
    measure : str
        Its mean is over headline questions.
    unit : "question" or "case"
        What counts once in the tests: questions of one conversation share its notes.

    Raises
    ------
    ValueError
        If there is no run, or a run lacks the measure.
    """
    if not runs:
        raise ValueError("a matrix needs one run or more")
    tables = {}
    for label, run in runs.items():
        check_measure(measure, run)
        keys, table = columns((result for result in run.results if result.headline), run.config, measure)
        tables[label] = {arm: dict(zip(keys, values, strict=True)) for arm, values in table.items()}
    methods = [*next(iter(runs.values())).config]
    at = [(label, method) for label in runs for method in methods]
    cells = [
        Cell(label, method, estimate, runs[label].id)
        for (label, method), estimate in zip(
            at, estimates([[*tables[label][method].values()] for label, method in at]), strict=True
        )
    ]
    questions = [*dict.fromkeys(key for label in tables for key in tables[label][methods[0]])]
    pairs = [(method, *pair) for method in methods for pair in combinations(runs, 2)]
    tests = paired_tests(
        [
            ([tables[second][method].get(key) for key in questions], [tables[first][method].get(key) for key in questions])
            for method, first, second in pairs
        ],
        [case for case, _ in questions] if unit == "case" else None,
    )
    corrected = holm([test.p for test in tests])
    steps = tuple(Step(*pair, test, p) for pair, test, p in zip(pairs, tests, corrected, strict=True))
    return Matrix(measure, unit, len(questions), {label: run.id for label, run in runs.items()}, tuple(cells), steps)


def matrix_json(found: Matrix) -> dict[str, Any]:
    """The matrix as plain JSON values."""
    return asdict(found)
