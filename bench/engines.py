"""Two workers against one, of each engine, on the same cases: how much of the second worker arrives.

    python bench/engines.py [--store FILE --benchmark longmemeval_s] [--cases 8] [--methods ariadne,adaptive]

Cases and methods should be work enough that the start of the processes (told apart) does not decide. The rankings of all runs are
compared; stored states and vectors are left out, so that every run does all of the work.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from workbench.embed.vectors import Vectors
from workbench.engine import Cluster, Task, Workers, run_tasks
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.runs import CaseInput, MethodSpec, evaluate_case
from workbench.printing import table
from workbench.states import States
from workbench.store import open_store

ENGINES: dict[str, tuple[Workers, Workers]] = {"local": (1, 2), "dask": (Cluster(workers=1), Cluster(workers=2))}


def tasks(store: Path, keys: list[str]) -> Iterator[Task[CaseInput]]:
    for given in case_inputs(store, keys, None, ()):
        yield Task(given.case.key, replace(given, vectors=Vectors(), states=States()))


def timed(store: Path, keys: list[str], specs: list[MethodSpec], workers: Workers) -> tuple[float, float, object]:
    """Seconds until the first result can be worked on, seconds of the whole, and what came out."""
    begin = time.perf_counter()
    started: list[float] = []

    def given() -> Iterator[Task[CaseInput]]:
        for task in tasks(store, keys):
            started.append(time.perf_counter())
            yield task

    results = [done.result.results for done in run_tasks(partial(evaluate_case, specs=specs), given(), workers=workers)]
    return started[0] - begin, time.perf_counter() - begin, results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("data") / "workbench.duckdb")
    parser.add_argument("--benchmark", default="longmemeval_s")
    parser.add_argument("--cases", type=int, default=8)
    parser.add_argument("--methods", default="ariadne,adaptive")
    options = parser.parse_args()
    with open_store(options.store, read_only=True) as store:
        keys = [row.key for row in store.cases.list(options.benchmark)][: options.cases]
    specs = [MethodSpec(name) for name in options.methods.split(",")]
    rows, came_out = [], []
    for engine, (one, two) in ENGINES.items():
        for workers in (one, two):
            came_out.append(timed(options.store, keys, specs, workers))
        (start_one, whole_one, _), (start_two, whole_two, _) = came_out[-2:]
        work_one, work_two = whole_one - start_one, whole_two - start_two
        cells = (start_one, start_two, work_one, work_two, work_one / work_two / 2, whole_one / whole_two / 2)
        rows.append([engine, *(f"{cell:.2f}" for cell in cells)])
    assert all(result == came_out[0][2] for *_, result in came_out), "the engines' rankings differ"
    print(f"{len(keys)} cases of {options.benchmark}, {options.methods}; seconds; all engines give the same rankings")
    columns = ["engine", "start, 1", "start, 2", "work, 1", "work, 2", "efficiency of 2", "with the start"]
    print(*table(columns, rows), sep="\n")


if __name__ == "__main__":
    main()
