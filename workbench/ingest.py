"""From what readers yield to stored cases: cut into interactions, extract tags, store, and report."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from workbench.engine import Progress, Task, run_tasks
from workbench.errors import BadInput
from workbench.extract.base import Extractor
from workbench.extract.given import Given
from workbench.extract.llm import ByModel
from workbench.notes import interactions
from workbench.ontology import Ontology
from workbench.records import Finding, Loaded, Note
from workbench.store import GIVEN, CaseFinding, ExtractionKey, LoadReport, Store, StoredRecordings, case_digest, open_store

Source = tuple[str, Iterable[Loaded | Finding]]
"""A file's name for messages, and what its reader yields."""
CONFLICT = "the store has {} with other content: remove it first (workbench remove), or load into another store"
TWICE = "{} comes again with other content in this input: the first one counts"
NOT_GIVEN = "{} brings no tags of its own, which extractor 'given' needs: load it with another extractor"


def ingest(
    sources: Iterable[Source],
    store: Store | str | Path,
    extractor: Extractor,
    *,
    progress: Progress | None = None,
    workers: int = 1,
) -> LoadReport:
    """Read, extract and store every case of the sources, each as a whole or not at all.

    A case that is stored already with the same content and extraction costs its digest only. The store is opened for each write
    and closed after it, so that others get in while tags are extracted; an open Store is used as it is. A reader that fails
    becomes a finding about its file, and the next file goes on; cases that it yielded before stay.

    Parameters
    ----------
    sources : iterable of (name, iterable of Loaded or Finding)
        One pair a file; read one case ahead of their use, never as a whole.
    store : Store, str or Path
        Where to; a path is made where it is missing.
    extractor : Extractor
        Makes the tags; picklable if ``workers`` is more than 1. Notes that bring their own tags are never extracted again.
    progress : callable, optional
        Called after each case with the number of cases so far and its key.
    workers : int
        Processes that extract; this one reads and writes. An extractor that asks a language model works here, in threads.

    Returns
    -------
    LoadReport
        As it was stored. A case whose key is taken by other content is a quarantined finding.

    Raises
    ------
    StoreError
        If the store can't be written; cases stored before stay.
    TaskFailed, MissingPart
        If the extractor fails; the message names the case, and cases before it stay.
    """
    started, clock = datetime.now(), time.perf_counter()
    if isinstance(extractor, ByModel):
        extractor.recordings, workers = StoredRecordings(store, is_loading=True), 1
    load = _Load(store, ExtractionKey.of(extractor), progress)
    for done in run_tasks(partial(extract_case, extractor), load.tasks(sources), workers=workers):
        load.write(done.result)
    report = LoadReport(
        files=tuple(load.files),
        extractor=extractor.name,
        cases=len(load.stored),
        questions=sum(questions for questions, _ in load.stored.values()),
        notes=sum(notes for _, notes in load.stored.values()),
        kept=load.kept,
        repaired=load.repaired,
        findings=tuple(load.findings),
        remarks=dict(load.remarks),
        seconds=time.perf_counter() - clock,
        created=started,
    )
    with load.opened() as target:
        return target.loads.add(report)


@dataclass(frozen=True)
class Extracted:
    """A case with its notes, on the way from the extractor to the store."""

    loaded: Loaded
    file: str
    key: ExtractionKey
    notes: tuple[Note, ...]
    counters: dict[str, Any]
    """What the extractor counted, and by note id what it had to remark."""


def extract_case(extractor: Extractor, argument: tuple[str, Loaded]) -> Extracted:
    """Make the notes of one case; where it brought notes, their own tags are held to the schema and kept."""
    file, loaded = argument
    case, ontology = loaded.case, Ontology()
    chosen = Given() if case.notes else extractor
    found = interactions(case)
    notes = tuple(Note(one, tags) for one, tags in zip(found, chosen.extract(case, found, ontology), strict=True))
    counters = {"distinct_tags": len(ontology), "remarks": dict(chosen.remarks)} | asdict(chosen.counts)
    if isinstance(chosen, ByModel):
        counters |= chosen.counters
    return Extracted(loaded, file, ExtractionKey.of(chosen), notes, counters)


class _Load:
    """What a load knows on its way: what was stored before it, what it has met, and what it counted."""

    def __init__(self, store: Store | str | Path, key: ExtractionKey, progress: Progress | None) -> None:
        self._target, self._key, self._progress = store, key, progress
        self._met = 0
        self.files: list[str] = []
        self.findings: list[CaseFinding] = []
        self.remarks: Counter[str] = Counter()
        self.kept = self.repaired = 0
        self.stored: dict[str, tuple[int, int]] = {}
        """Questions and notes of every case of the input that is in the store, by key."""
        with self.opened() as target:
            self._before = {row.key: row for row in target.cases.list()}
            self._extracted = {(row.case, row.key.extractor, row.digest) for row in target.extractions.list()}
        self._digests = {key: row.digest for key, row in self._before.items()}

    def opened(self) -> AbstractContextManager[Store]:
        return nullcontext(self._target) if isinstance(self._target, Store) else open_store(self._target)

    def tasks(self, sources: Iterable[Source]) -> Iterator[Task[tuple[str, Loaded]]]:
        """The cases that need work; all others are settled on the way."""
        for file, items in sources:
            self.files.append(file)
            try:
                for item in items:
                    if isinstance(item, Finding):
                        self.findings.append(CaseFinding(item))
                    elif self._is_new(file, item):
                        yield Task(item.case.key, (file, item))
            except BadInput as error:
                reason = str(error).removeprefix(f"{file}: ")
                self.findings.append(CaseFinding(Finding(file, "", "quarantined", reason, is_record=True)))

    def _is_new(self, file: str, loaded: Loaded) -> bool:
        case = loaded.case
        digest = case_digest(case)
        known = self._digests.setdefault(case.key, digest)
        if known != digest:
            self._refuse(file, loaded, CONFLICT if case.key in self._before else TWICE)
            return False
        if self._key.extractor == GIVEN.extractor and not case.notes:
            self._refuse(file, loaded, NOT_GIVEN)
            return False
        key = GIVEN if case.notes else self._key
        extraction = (case.key, key.extractor, key.digest)
        if extraction not in self._extracted:
            self._extracted.add(extraction)  # of two equal cases in one load, the second has nothing to do
            return True
        before = self._before.get(case.key)
        if before is not None:
            self._settle(loaded, before.notes)
        else:
            self._count(loaded)
        return False

    def write(self, done: Extracted) -> None:
        """Store one case; what the store finds wrong with it becomes a finding."""
        try:
            with self.opened() as target:
                outcome = target.cases.add(done.loaded.case, done.notes, done.key, counters=done.counters)
        except BadInput as error:
            self._refuse(done.file, done.loaded, "{}: " + str(error))
            return
        if outcome == "conflict":  # another process was faster
            self._refuse(done.file, done.loaded, CONFLICT)
        else:
            self._settle(done.loaded, len(done.notes))
            self.remarks.update(remark for remarks in done.counters["remarks"].values() for remark in remarks)

    def _settle(self, loaded: Loaded, notes: int) -> None:
        self.stored[loaded.case.key] = (len(loaded.case.questions), notes)
        self._count(loaded)

    def _count(self, loaded: Loaded) -> None:
        self.kept += loaded.kept
        self.repaired += loaded.repaired
        self._report(loaded)

    def _refuse(self, file: str, loaded: Loaded, reason: str) -> None:
        key = loaded.case.key
        finding = Finding(file, loaded.position, "quarantined", reason.replace("{}", key), is_record=True)
        self.findings.append(CaseFinding(finding, key))
        self._report(loaded)

    def _report(self, loaded: Loaded) -> None:
        self.findings += [CaseFinding(finding, loaded.case.key) for finding in loaded.findings]
        self._met += 1
        if self._progress is not None:
            self._progress(self._met, loaded.case.key)
