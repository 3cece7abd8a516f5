"""Cases as methods need them, read from a store: the notes of one extraction, and the full case of a reduced one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from workbench.errors import BadInput
from workbench.evaluate.runs import DF_FULL, DF_STORE, CaseInput
from workbench.store import Choice, ExtractionRow, Store, open_store

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
    digest = f"{_digest(store, case.key)}:{chosen.extractor}:{chosen.digest}"
    full_key = f"{FULL_CASE[case.benchmark]}/{case.id}" if case.benchmark in FULL_CASE else None
    if full_key is None:
        return CaseInput(case, notes, digest)
    if not any(row.key == chosen.key for row in store.extractions.list(full_key)):
        return CaseInput(case, notes, digest, remark=DF_STORE)
    return CaseInput(case, notes, f"{digest}:{_digest(store, full_key)}", store.notes.get(full_key, chosen.key), DF_FULL)


def _digest(store: Store, case_key: str) -> str:
    row = store.cases.find(case_key)
    return row.digest if row else ""


def common_extraction(store: Store, case_keys: Sequence[str], wanted: Choice = None) -> ExtractionRow:
    """The one extraction that all cases of a run are read under: that of the first case.

    Raises
    ------
    KeyError
        If the first case has none of the wanted name.
    BadInput
        If other cases lack it; the message lists them.
    """
    chosen = store.extractions.choose(case_keys[0], wanted)
    having = {row.case for row in store.extractions.list() if row.key == chosen.key}
    lacking = [key for key in case_keys if key not in having]
    if lacking:
        listed = ", ".join(lacking[:5]) + (f" and {len(lacking) - 5} more" if len(lacking) > 5 else "")
        raise BadInput(
            f"cases of one run need the same extraction, here {chosen.extractor} with configuration {chosen.digest[:8]}; "
            f"it is missing for {listed}: load them with it, or name other cases or another extraction"
        )
    return chosen


def case_inputs(store: Store | Path, case_keys: Iterable[str], extraction: Choice = None) -> Iterator[CaseInput]:
    """Several cases, one at a time. Of a path, the store is opened for each case only, so that others get in between."""
    for case_key in case_keys:
        if isinstance(store, Store):
            yield case_input(store, case_key, extraction)
        else:
            with open_store(store, read_only=True) as opened:
                given = case_input(opened, case_key, extraction)
            yield given
