"""Cases as methods need them, read from a store: the notes of one extraction, and the full case of a reduced one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from workbench.embed.vectors import Vectors, text_digest
from workbench.errors import BadInput
from workbench.evaluate.embedding import texts_of
from workbench.evaluate.runs import DF_FULL, DF_STORE, CaseInput
from workbench.records import Case, Note
from workbench.states import States
from workbench.store import Choice, ExtractionRow, Store, open_store

FULL_CASE = {"longmemeval_oracle": "longmemeval_s"}
"""Benchmarks that are reduced copies, with the one that holds the full cases under the same ids (decision 2)."""


Models = Collection[tuple[str, str]] | None
"""Whose vectors are read along: (backend, model) pairs, or None for all that the store has."""


def case_input(store: Store, case_key: str, extraction: Choice = None, models: Models = None) -> CaseInput:
    """A case with the notes of an extraction; for a reduced copy also the full case's notes, where the store has them.

    The stored vectors of its texts come along, whichever case they were worked out for, and the states of the case.

    Raises
    ------
    KeyError
        If the case or the extraction is not stored.
    """
    case = store.cases.get(case_key)
    chosen = store.extractions.choose(case.key, extraction)
    notes = store.notes.get(case.key, chosen.id, case)
    digest = input_digest(store, case.key, chosen)
    full = _full_case(store, case.key, chosen)
    vectors, states = _vectors(store, case, notes, models), States(store.states.of_case(case.key))
    if case.benchmark not in FULL_CASE:
        return CaseInput(case, notes, digest, vectors=vectors, states=states)
    if full is None:
        return CaseInput(case, notes, digest, remark=DF_STORE, vectors=vectors, states=states)
    return CaseInput(case, notes, digest, store.notes.get(full, chosen.key), DF_FULL, vectors, states)


def _vectors(store: Store, case: Case, notes: Sequence[Note], models: Models) -> Vectors:
    wanted = [each for each in store.vectors.models() if models is None or each in models]
    if not wanted:
        return Vectors()
    # Some methods ask for texts that they make themselves: the store knows what they asked for before.
    digests = list({*map(text_digest, texts_of(notes, case.questions)), *store.vectors.held(case.key)})
    return Vectors(store.vectors.get(*each, digests) for each in wanted)


def input_digest(store: Store, case_key: str, extraction: ExtractionRow) -> str:
    """Digest of all that `case_input` reads: the case, its extraction, and the full case of a reduced one."""
    digest = f"{_digest(store, case_key)}:{extraction.extractor}:{extraction.digest}"
    if failed := extraction.counters.get("failed"):  # asked again, these notes get other tags under the same configuration
        digest += f":{len(failed)} failed"
    full = _full_case(store, case_key, extraction)
    return digest if full is None else f"{digest}:{_digest(store, full)}"


def _full_case(store: Store, case_key: str, extraction: ExtractionRow) -> str | None:
    """Key of the full case that a reduced one was taken from, where the store has it under the same extraction."""
    benchmark, _, case_id = case_key.partition("/")
    if benchmark not in FULL_CASE:
        return None
    key = f"{FULL_CASE[benchmark]}/{case_id}"
    return key if any(row.key == extraction.key for row in store.extractions.list(key)) else None


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


def case_inputs(
    store: Store | Path, case_keys: Iterable[str], extraction: Choice = None, models: Models = None
) -> Iterator[CaseInput]:
    """Several cases, one at a time. Of a path, the store is opened for each case only, so that others get in between."""
    for case_key in case_keys:
        if isinstance(store, Store):
            yield case_input(store, case_key, extraction, models)
        else:
            with open_store(store, read_only=True) as opened:
                given = case_input(opened, case_key, extraction, models)
            yield given
