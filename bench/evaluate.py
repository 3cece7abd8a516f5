"""Time of the five TAGGRAPH-family methods over stored cases, against a bare rank-bm25 script on the same notes in the same run.

    python bench/evaluate.py [--data FILE] [--cases N] [--repeats N]

Stages of a case: reading it from the store; then, in one go and from nothing, tokens, index, graph and all five methods'
answers. The bare script tokenises the same text with the same analyser's pattern, builds rank-bm25 and asks it once a question.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rank_bm25 import BM25Okapi

from workbench.datasets.read import read
from workbench.evaluate.inputs import case_input
from workbench.evaluate.runs import CaseInput, MethodSpec, evaluate_case
from workbench.extract.base import extractors
from workbench.ingest import ingest
from workbench.notes import full_text
from workbench.store import open_store

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data" / "longmemeval" / "longmemeval_s_subset.json.gz"
FAMILY = ("bm25", "tag_basic", "tag_stopwords", "tag_tfidf", "adaptive")


def bare(given: CaseInput) -> None:
    """What a script of ten lines does."""
    word = re.compile(r"[^\W_]+")
    table = BM25Okapi([word.findall(full_text(note).casefold()) for note in given.notes])
    for question in given.case.questions:
        table.get_scores(word.findall(question.text.casefold()))


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--cases", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.duckdb"
        first = (item for at, item in enumerate(read(options.data)) if at < options.cases)
        ingest([(str(options.data), first)], path, extractors["rules"](), workers=2)
        specs = [MethodSpec(name) for name in FAMILY]
        rows: dict[str, list[float]] = {"read from the store": [], "bare rank-bm25": [], "five methods": []}
        by_method: dict[str, list[float]] = {name: [] for name in FAMILY}
        with open_store(path, read_only=True) as store:
            keys = [row.key for row in store.cases.list()]
            notes = 0
            for _ in range(options.repeats):
                for key in keys:
                    rows["read from the store"].append(seconds(lambda key=key: case_input(store, key)))
                    given = case_input(store, key)
                    notes += len(given.notes)
                    rows["bare rank-bm25"].append(seconds(lambda given=given: bare(given)))
                    begin = time.perf_counter()
                    result = evaluate_case(given, specs)
                    rows["five methods"].append(time.perf_counter() - begin)
                    for name, spent in result.seconds.items():
                        by_method[name].append(spent)
    print(f"{len(keys)} cases of {notes / len(rows['five methods']):.0f} notes, {options.repeats} repeats; median ms a case")
    for name, values in (rows | {f"  {name} alone": values for name, values in by_method.items()}).items():
        print(f"{name:<24} {1000 * statistics.median(values):8.1f}")
    ratios = [five / one for five, one in zip(rows["five methods"], rows["bare rank-bm25"], strict=True)]
    print(f"five methods / bare rank-bm25: median {statistics.median(ratios):.2f} (target: at most 2)")


if __name__ == "__main__":
    main()
