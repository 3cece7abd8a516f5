"""Cases as methods need them, read from a store: the notes of one extraction, and the full case of a reduced one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.evaluate.runs import CaseInput
from workbench.records import Case, Note
from workbench.store import Choice, ExtractionKey, Store

FULL_CASE = {"longmemeval_oracle": "longmemeval_s"}
"""Benchmarks that are reduced copies, with the one that holds the full cases under the same ids (decision 2)."""


def case_input(store: Store, case_key: str, extraction: Choice = None) -> CaseInput:
    """A case with the notes of an extraction; for a reduced copy also the full case's notes, where the store has them.

    Raises
    ------
    KeyError
        If the case or the extraction is not stored.
    """
    case = store.cases.get(case_key)
    chosen = store.extractions.choose(case.key, extraction)
    notes = store.notes.get(case.key, chosen.id)
    row = store.cases.find(case.key)
    digest = f"{row.digest if row else ''}:{chosen.extractor}:{chosen.digest}"
    return CaseInput(case, notes, digest, _full_notes(store, case, chosen.key))


def _full_notes(store: Store, case: Case, extraction: ExtractionKey) -> tuple[Note, ...] | None:
    """The notes of the full case under the same extraction; None where there is no such case."""
    full_key = f"{FULL_CASE[case.benchmark]}/{case.id}" if case.benchmark in FULL_CASE else None
    if full_key is None or not any(row.key == extraction for row in store.extractions.list(full_key)):
        return None
    return store.notes.get(full_key, extraction)


def case_inputs(store: Store, case_keys: Iterable[str], extraction: Choice = None) -> Iterator[CaseInput]:
    """Several cases, one at a time."""
    for case_key in case_keys:
        yield case_input(store, case_key, extraction)
