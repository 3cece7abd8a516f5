"""The whole comparison, case by case: a store of any size is read once, one case at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations, islice
from pathlib import Path
from typing import Any

from workbench.compare_extractions.blind_spots import BlindSpot, Reached, blind_spots, reached_questions
from workbench.compare_extractions.note_diffs import NoteDiff, PairAgreement, note_diffs, pair_agreement
from workbench.compare_extractions.sources import Source, shared_cases, sources
from workbench.compare_extractions.supported import LISTED, CaseSupport, SupportRow, Unsupported, listed, support_rows
from workbench.compare_extractions.vocabulary import CaseVocabulary, VocabularyRow, vocabulary_row
from workbench.diagnose.merging import NearPair, near_pairs
from workbench.diagnose.support import Spoken
from workbench.embed.base import embedder
from workbench.engine import Progress, Task, Workers, run_tasks
from workbench.errors import BadInput
from workbench.evaluate.runs import CaseInput
from workbench.records import Case, Note
from workbench.store import ExtractionRow, open_store


@dataclass(frozen=True)
class CaseTask:
    """A case with its notes under each extraction (by label), and how many of them each extractor failed on."""

    case: Case
    notes: Mapping[str, tuple[Note, ...]]
    failures: Mapping[str, int | None]

    def to_parquet(self, folder: Path) -> None:
        """Write all of it into an empty folder, for a worker on another machine."""
        (folder / "failures.json").write_text(json.dumps(dict(self.failures)), encoding="utf-8")
        for number, notes in enumerate(self.notes.values()):
            (folder / str(number)).mkdir()
            CaseInput(self.case, notes, "").to_parquet(folder / str(number))

    @staticmethod
    def from_parquet(folder: Path) -> CaseTask:
        """What `to_parquet` wrote."""
        failures = json.loads((folder / "failures.json").read_text(encoding="utf-8"))
        given = [CaseInput.from_parquet(folder / str(number)) for number in range(len(failures))]
        return CaseTask(given[0].case, dict(zip(failures, (each.notes for each in given), strict=True)), failures)


@dataclass(frozen=True)
class CaseComparison:
    """What one case came to, by label and by pair of labels."""

    case: str
    vocabulary: Mapping[str, CaseVocabulary]
    diffs: Mapping[tuple[str, str], tuple[NoteDiff, ...]]
    questions: tuple[Reached, ...]
    support: Mapping[str, CaseSupport]


@dataclass(frozen=True)
class Comparison:
    """Extractions of the same cases beside each other; labels name them throughout.

    ``near`` and ``unsupported`` are by label; of the latter at most `LISTED` are listed. ``uses`` counts the notes that carry
    each tag, over all cases; ``meaning`` names the backend that found near-duplicates by meaning, where one was asked.
    """

    cases: tuple[str, ...]
    labels: tuple[str, ...]
    meaning: str | None
    vocabulary: tuple[VocabularyRow, ...]
    agreement: tuple[PairAgreement, ...]
    questions: tuple[Reached, ...]
    blind_spots: tuple[BlindSpot, ...]
    support: tuple[SupportRow, ...]
    unsupported: Mapping[str, tuple[Unsupported, ...]]
    near: Mapping[str, tuple[NearPair, ...]]
    uses: Mapping[str, Mapping[str, int]]


def known_sources(path: Path, case_keys: Sequence[str]) -> tuple[Source, ...]:
    """The extractions that any of some cases has."""
    wanted = set(case_keys)
    with open_store(path, read_only=True) as store:
        return sources(row for row in store.extractions.list() if row.case in wanted)


def compare(
    path: Path,
    case_keys: Sequence[str],
    chosen: Sequence[Source],
    *,
    meaning: str | None = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Compare extractions over those of the cases that have all of them. The store is only read, one case at a time.

    Parameters
    ----------
    chosen : sequence of Source
        One is enough for its own figures.
    meaning : str, optional
        Embedding backend that finds near-duplicates by meaning beside those by spelling.
    workers : int or Cluster
        Local processes, or a cluster (`workbench.engine`).
    progress : callable, optional
        Called after each case with the number of cases done and its key.

    Raises
    ------
    ValueError
        If no extraction is given, or the backend is unknown.
    BadInput
        If no case has all the extractions.
    """
    if not chosen:
        raise ValueError("a comparison takes one extraction or more; got none")
    labels = tuple(source.label for source in chosen)
    keys = shared_cases(chosen, case_keys)
    if not keys:
        raise BadInput(f"none of these {len(case_keys)} cases has all of {', '.join(labels)}: choose others, or extract them too")
    if meaning is not None:
        embedder(meaning)
    work = partial(compare_case, meaning=meaning)
    done = [each.result for each in run_tasks(work, _tasks(path, keys, chosen), workers=workers, progress=progress)]
    uses = {label: _uses(case.vocabulary[label] for case in done) for label in labels}
    questions = tuple(each for case in done for each in case.questions)
    return Comparison(
        tuple(keys),
        labels,
        meaning,
        tuple(vocabulary_row(label, [case.vocabulary[label] for case in done]) for label in labels),
        tuple(pair_agreement(*pair, [case.diffs[pair] for case in done]) for pair in combinations(labels, 2)),
        questions,
        blind_spots(questions, labels),
        tuple(row for label in labels for row in support_rows(label, [case.support[label] for case in done])),
        {label: tuple(islice(listed((case.case, case.support[label]) for case in done), LISTED)) for label in labels},
        {label: near_pairs((case.vocabulary[label].near for case in done), uses[label]) for label in labels},
        uses,
    )


def compare_case(task: CaseTask, meaning: str | None = None) -> CaseComparison:
    """One case under all its extractions. Texts are read once for all of them."""
    source = None if meaning is None else embedder(meaning)
    first = next(iter(task.notes.values()))
    spoken = {note.id: Spoken(note.interaction) for note in first}
    return CaseComparison(
        task.case.key,
        {label: CaseVocabulary.of(notes, source, task.failures[label]) for label, notes in task.notes.items()},
        {(one, other): note_diffs(task.notes[one], task.notes[other]) for one, other in combinations(task.notes, 2)},
        reached_questions(task.case, task.notes),
        {label: CaseSupport.of(notes, spoken) for label, notes in task.notes.items()},
    )


def near_duplicates(
    path: Path,
    case_keys: Sequence[str],
    source: Source,
    *,
    meaning: str | None = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> tuple[tuple[NearPair, ...], dict[str, int]]:
    """The near-duplicates of one extraction, and how many notes carry each tag: a part of `compare`, with its arguments."""
    if meaning is not None:
        embedder(meaning)
    tasks = _tasks(path, case_keys, [source])
    found = [each.result for each in run_tasks(partial(_vocabulary, meaning=meaning), tasks, workers=workers, progress=progress)]
    uses = _uses(found)
    return near_pairs((case.near for case in found), uses), uses


def _vocabulary(task: CaseTask, meaning: str | None) -> CaseVocabulary:
    (notes,) = task.notes.values()
    return CaseVocabulary.of(notes, None if meaning is None else embedder(meaning))


def comparison_json(found: Comparison) -> dict[str, Any]:
    """The comparison as plain JSON values: what ``workbench extractions --json`` writes."""
    result = asdict(found)
    del result["uses"], result["questions"]
    for spot in result["blind_spots"]:
        spot["only"] = [
            {"blind": blind, "reached": seeing, "questions": [list(key) for key in keys]}
            for (blind, seeing), keys in spot["only"].items()
        ]
    return result


def _tasks(path: Path, case_keys: Sequence[str], chosen: Sequence[Source]) -> Iterator[Task[CaseTask]]:
    for key in case_keys:
        with open_store(path, read_only=True) as store:
            case = store.cases.get(key)
            notes = {source.label: store.notes.get(key, source.key) for source in chosen}
        failures = {source.label: failed_notes(source.rows[key]) for source in chosen}
        yield Task(key, CaseTask(case, notes, failures))


def failed_notes(row: ExtractionRow) -> int | None:
    """How many notes an extractor failed on, as its counters say; None where it does not count them."""
    failed = row.counters.get("failed")
    return None if failed is None else failed if isinstance(failed, int) else len(failed)


def _uses(cases: Iterable[CaseVocabulary]) -> dict[str, int]:
    uses: Counter[str] = Counter()
    for case in cases:
        uses.update(case.uses)
    return dict(uses)
