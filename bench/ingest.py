"""Offline ingestion: notes a second a core of the `rules` extractor, against a bare spaCy pipeline over the same user texts."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import spacy

from workbench.datasets.base import datasets
from workbench.extract.english import MODEL
from workbench.extract.rules import Rules
from workbench.notes import interactions
from workbench.ontology import Ontology
from workbench.records import Case, Interaction, Loaded

SUBSET = Path("longmemeval") / "longmemeval_s_subset.json.gz"
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def read_cases(file: Path, count: int) -> list[tuple[Case, Sequence[Interaction]]]:
    """The first cases of a LongMemEval file with their interactions."""
    loaded = (item.case for item in datasets["longmemeval"].read(file) if isinstance(item, Loaded))
    return [(case, interactions(case)) for case in islice(loaded, count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the benchmark data")
    parser.add_argument("--cases", type=int, default=4, help="how many cases to read")
    options = parser.parse_args()
    cases = read_cases(options.data / SUBSET, options.cases)
    notes = sum(len(found) for _, found in cases)
    extractor = Rules()
    list(extractor.extract(cases[0][0], cases[0][1][:5], Ontology()))  # loads the models
    bare = spacy.load(MODEL)
    limit = extractor.config.user_chars

    start = time.process_time()
    for case, found in cases:
        for _ in extractor.extract(case, found, Ontology()):
            pass
    rules_seconds = time.process_time() - start

    start = time.process_time()
    for _, found in cases:
        for _ in bare.pipe((one.user[:limit] for one in found), batch_size=64):
            pass
    bare_seconds = time.process_time() - start

    print(f"{notes} notes of {len(cases)} cases; notes a second of processor time")
    print(f"rules       {notes / rules_seconds:7.1f} notes/s")
    print(f"bare spaCy  {notes / bare_seconds:7.1f} notes/s")
    print(f"ratio       {bare_seconds / rules_seconds:7.2f} (rules to bare; above 1 is faster)")


if __name__ == "__main__":
    main()
