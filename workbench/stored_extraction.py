"""Extracting tags of cases that are stored already, beside the extractions that they have; and notes that failed, again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from workbench.engine import Task, run_tasks
from workbench.errors import StoreError
from workbench.extract.base import Extractor
from workbench.extract.llm import ByModel, Llm
from workbench.ingest import extract_case
from workbench.ontology import Ontology
from workbench.records import Loaded, Note
from workbench.store import GIVEN, ExtractionKey, ExtractionRow, Store, StoredRecordings, open_store

Outcome = Literal["extracted", "retried", "present", "given"]
WAIT_SECONDS = 60.0
"""How long an extraction waits for its turn to be stored."""


@dataclass(frozen=True, slots=True)
class CaseExtracted:
    """What became of a case: ``present`` had this extraction, ``given`` brought tags of its own and is never extracted.

    ``counters`` are those that stand in the store.
    """

    case: str
    outcome: Outcome
    notes: int
    counters: Mapping[str, Any]

    @property
    def failed(self) -> tuple[tuple[str, str], ...]:
        """(note, reason) of the notes that have no valid tags."""
        return tuple((note, reason) for note, reason in self.counters.get("failed", ()))


def extract_stored(
    store: Store | str | Path,
    cases: Iterable[str],
    extractor: Extractor,
    *,
    retry_failed: bool = False,
    workers: int = 1,
) -> Iterator[CaseExtracted]:
    """Extract cases of a store, each stored as a whole when it is done; the store is open for moments only.

    Parameters
    ----------
    store : Store, str or Path
    cases : iterable of str
        Keys of cases.
    extractor : Extractor
        One that asks a language model is given the store's recordings, so that interrupted work goes on.
    retry_failed : bool
        Where a case has this extraction, ask again for the notes that failed. They see the tags of all others.
    workers : int
        Processes, for an extractor that asks no model.

    Yields
    ------
    CaseExtracted
        As they are done; those that need no work may come before their turn.

    Raises
    ------
    KeyError
        If a case is not stored.
    WorkbenchError
        What the extractor raises, the case's key put in front; cases before it are stored.
    """
    if isinstance(extractor, ByModel):
        extractor.recordings, workers = StoredRecordings(store), 1
    if isinstance(extractor, Llm):
        extractor.retry_failed = retry_failed
    key = ExtractionKey.of(extractor)
    settled: dict[str, CaseExtracted] = {}

    def tasks() -> Iterator[Task[tuple[str, Loaded]]]:
        for case in cases:
            with _opened(store, read_only=True) as target:
                rows = target.extractions.list(case)
                found = target.cases.get(case)
            mine = next((row for row in rows if row.key == key), None)
            if any(row.key == GIVEN for row in rows):
                settled[case] = CaseExtracted(case, "given", len(found.notes), {})
            elif mine is not None and not (retry_failed and mine.counters.get("failed")):
                settled[case] = CaseExtracted(case, "present", mine.notes, mine.counters)
            elif mine is not None:
                settled[case] = _retry(store, extractor, mine)
            else:
                yield Task(case, ("", Loaded(found)))

    for done in run_tasks(partial(extract_case, extractor), tasks(), workers=workers):
        yield from _drained(settled)
        extracted = done.result
        with _opened(store, read_only=False) as target:
            if target.cases.find(done.name) is None:
                raise StoreError(f"{done.name} was removed from the store while its tags were extracted")
            target.cases.add(extracted.loaded.case, extracted.notes, extracted.key, counters=extracted.counters)
        yield CaseExtracted(done.name, "extracted", len(extracted.notes), extracted.counters)
    yield from _drained(settled)


def _drained(settled: dict[str, CaseExtracted]) -> Iterator[CaseExtracted]:
    while settled:
        yield settled.pop(next(iter(settled)))


def _retry(store: Store | str | Path, extractor: Extractor, row: ExtractionRow) -> CaseExtracted:
    """Extract the failed notes of an extraction again, and rewrite it."""
    with _opened(store, read_only=True) as target:
        case, notes = target.cases.get(row.case), target.notes.get(row.case, row.id)
    failed = {note for note, _ in row.counters["failed"]}
    again = [note.interaction for note in notes if note.id in failed]
    ontology = Ontology(path for note in notes if note.id not in failed for path in note.extraction.paths)
    new = dict(zip((one.id for one in again), extractor.extract(case, again, ontology), strict=True))
    mended = tuple(Note(note.interaction, new.get(note.id, note.extraction)) for note in notes)
    counters = _counters(row.counters, extractor, failed) | {"distinct_tags": len(ontology)}
    with _opened(store, read_only=False) as target:
        target.extractions.rewrite(row, mended, counters)
    return CaseExtracted(row.case, "retried", len(mended), counters)


def _counters(before: Mapping[str, Any], extractor: Extractor, again: set[str]) -> dict[str, Any]:
    """Counters of an extraction after some of its notes were done again: counts add up, remarks on those notes are new."""
    counted = asdict(extractor.counts) | (extractor.counters if isinstance(extractor, ByModel) else {})
    counters = dict(before)
    for name, value in counted.items():
        if isinstance(value, int | float):
            counters[name] = (before.get(name) or 0) + value
    kept = {note: remarks for note, remarks in before.get("remarks", {}).items() if note not in again}
    return counters | {"failed": counted.get("failed", []), "remarks": kept | dict(extractor.remarks)}


def _opened(store: Store | str | Path, *, read_only: bool) -> AbstractContextManager[Store]:
    if isinstance(store, Store):
        return nullcontext(store)
    return open_store(store, read_only=read_only, wait_seconds=WAIT_SECONDS)
