"""The audit: every gold note of many questions under every method and extraction, hits as well as misses.

It is worked out each time and never kept in a run, so that no measure can depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from workbench.diagnose.interventions import Added, is_among, one_added_tag, without_tags
from workbench.diagnose.repair import Methods
from workbench.diagnose.stages import Diagnosis, NoteTrace, diagnose
from workbench.diagnose.tags import asked_words, helpful_tags, rows
from workbench.engine import Progress, Task, Workers, run_tasks
from workbench.errors import BadInput
from workbench.evaluate.inputs import case_input
from workbench.evaluate.ranks import DEPTH
from workbench.evaluate.runs import CaseInput, MethodSpec
from workbench.graph import GraphConfig, tag_graph
from workbench.memory import Memory
from workbench.methods.base import create, methods
from workbench.methods.tags import StopwordsConfig
from workbench.records import Question
from workbench.store import Choice, ExtractionRow, open_store

OTHER_GOLD, OTHER_NOTE, COUNTED_ONCE = "another gold note", "a note that is no gold", "sessions counted once"
SESSION_BY = {
    OTHER_GOLD: "another gold note of the session is among the first k notes",
    OTHER_NOTE: "a note of the session that is no gold is among the first k notes",
    COUNTED_ONCE: "the session is among the first k sessions, whose notes take one place together, but not by the first k notes",
}
"""By what a session is found one of whose gold notes is missed, each with its meaning."""


@dataclass(frozen=True, slots=True)
class NoteRow:
    """One gold note under one method and extraction.

    Attributes
    ----------
    is_graph : bool
        Whether the method is a graph configuration: those alone make the pool (TAGGRAPH 5.5).
    rank, best, worst : int or None
        Of the note, and within ties; None where it is not ranked.
    is_found : bool
        Whether it is among the first k.
    stage : str or None
        What lost it, "found", or None where that cannot be known.
    session_rank : int or None
        Of its session, each session counted once.
    session_by : str or None
        A key of `SESSION_BY` where the note is missed and its session is not.
    helpful, filtered : tuple of str
        Its helpful tags, and those of them that the 15% filter leaves no word of.
    repaired_by : str or None
        Of a missed note: the cheapest single tag that brings it among the first k, None where none does.
    is_repair_said : bool or None
        Whether the note's own text says all words of that tag.
    is_broken : bool or None
        Of a found note: whether it falls out without its helpful tags, and False if it has none.
    is_tried : bool
        Whether interventions were run at all; without, ``repaired_by`` and ``is_broken`` are None.
    """

    case: str
    question: str
    type: str
    note: str
    session: str
    extraction: str
    method: str
    is_graph: bool
    rank: int | None
    best: int | None
    worst: int | None
    is_found: bool
    stage: str | None
    session_rank: int | None
    session_by: str | None
    helpful: tuple[str, ...]
    filtered: tuple[str, ...]
    repaired_by: str | None
    is_repair_said: bool | None
    is_broken: bool | None
    is_tried: bool

    @property
    def is_session_found(self) -> bool:
        return self.is_found or self.session_by is not None


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question under one method and extraction: found if any of its gold notes is, helped if any has a helpful tag.

    ``is_repaired``: of a miss, whether one added tag brings some gold note in; ``is_repair_said``: whether one does that holds
    only words that the note says. ``is_broken``: of a hit, whether no gold note is left when all of them lose their helpful tags.
    None where the other is asked, or interventions were not run.
    """

    case: str
    question: str
    type: str
    extraction: str
    method: str
    is_found: bool
    is_helped: bool
    is_repaired: bool | None
    is_repair_said: bool | None
    is_broken: bool | None


@dataclass(frozen=True)
class CaseAudit:
    """What one case came to. ``not_stored``: gold that its memory does not hold; ``without_gold``: questions that name none."""

    notes: tuple[NoteRow, ...]
    questions: tuple[QuestionRow, ...]
    not_stored: int
    without_gold: int


@dataclass(frozen=True)
class Audit:
    """All rows, in the order of cases, extractions, questions, gold notes and methods."""

    k: int
    cases: tuple[str, ...]
    extractions: tuple[str, ...]
    methods: tuple[str, ...]
    graph_methods: tuple[str, ...]
    notes: tuple[NoteRow, ...]
    questions: tuple[QuestionRow, ...]
    not_stored: int
    without_gold: int
    is_tried: bool


def audit(
    path: Path,
    case_keys: Sequence[str],
    specs: Sequence[MethodSpec],
    extractions: Sequence[Choice] = (),
    k: int = 5,
    *,
    interventions: bool = True,
    workers: Workers = 1,
    progress: Progress | None = None,
    between: Callable[[], None] | None = None,
) -> Audit:
    """Audit stored cases; the store is opened for one case at a time and only read.

    Parameters
    ----------
    path : Path
        The store.
    case_keys : sequence of str
        Of one benchmark or several.
    specs : sequence of MethodSpec
    extractions : sequence of Choice
        By default every extraction that all the cases have; edited variants only where they are named.
    k : int
        Places that count, from 1 to 40; 5 as in TAGGRAPH 5.5.
    interventions : bool
        Whether tags are added to misses and taken from hits. This is most of the work.
    workers : int or Cluster
        Local processes, or a cluster (`workbench.engine`).
    progress : callable, optional
        Called after each case with the number of cases done and its key.
    between : callable, optional
        Called before each question, where the work is done in this process; what it raises ends the audit.

    Raises
    ------
    KeyError
        If a case or a named extraction of it is not stored.
    BadInput
        If no extraction is common to the cases, or none of their questions has gold that they hold.
    ValueError
        If there is no case or no method, two arms share a name, or ``k`` is out of range.
    """
    arms = tuple(spec.arm for spec in specs)
    if not case_keys or not specs or len(set(arms)) < len(arms) or not 1 <= k <= DEPTH:
        raise ValueError(f"an audit takes cases, methods of different names and k from 1 to {DEPTH}; got {len(case_keys)} cases, "
                         f"methods {', '.join(arms) or 'none'}, k={k}")  # fmt: skip
    chosen = chosen_extractions(path, case_keys, extractions)
    notes: list[NoteRow] = []
    questions: list[QuestionRow] = []
    not_stored = without_gold = 0
    work = partial(audit_case, specs=specs, k=k, interventions=interventions, between=between if workers == 1 else None)
    for done in run_tasks(work, _tasks(path, case_keys, chosen), workers=workers, progress=progress):
        notes += done.result.notes
        questions += done.result.questions
        not_stored += done.result.not_stored
        without_gold += done.result.without_gold
    if not notes:
        raise BadInput(f"nothing to audit: no question of these cases has gold that they hold ({without_gold} name none)")
    graphs = tuple(spec.arm for spec in specs if issubclass(methods[spec.name].Config, GraphConfig))
    return Audit(
        k, tuple(case_keys), tuple(chosen), arms, graphs, tuple(notes), tuple(questions), not_stored, without_gold, interventions
    )


def chosen_extractions(path: Path, case_keys: Sequence[str], wanted: Sequence[Choice] = ()) -> dict[str, Mapping[str, int]]:
    """The extractions of an audit by label: for each the id of it in every case.

    A label is the extractor's name, or the variant's own; with a part of the configuration's digest where two would be equal.

    Raises
    ------
    KeyError
        If a case lacks a named one.
    BadInput
        If none is named and the cases have none in common.
    """
    with open_store(path, read_only=True) as store:
        if wanted:
            columns = [[store.extractions.choose(key, each) for key in case_keys] for each in wanted]
        else:
            made = [[row for row in store.extractions.list(key) if row.variant is None] for key in case_keys]
            alike = [[row for rows in made for row in rows if row.key == first.key] for first in made[0]]
            columns = [column for column in alike if len(column) == len(case_keys)]
    if not columns:
        raise BadInput("these cases have no extraction in common: name those to audit, or load the cases with one extractor")
    labels = _labels([column[0] for column in columns])
    return {label: {row.case: row.id for row in column} for label, column in zip(labels, columns, strict=True)}


def _labels(found: Sequence[ExtractionRow]) -> list[str]:
    names = [row.variant or row.extractor for row in found]
    return [name if names.count(name) == 1 else f"{name} ({row.digest[:8]})" for name, row in zip(names, found, strict=True)]


def _tasks(path: Path, case_keys: Sequence[str], chosen: Mapping[str, Mapping[str, int]]) -> Iterator[Task[dict[str, CaseInput]]]:
    for key in case_keys:
        with open_store(path, read_only=True) as store:
            inputs = {label: case_input(store, key, ids[key]) for label, ids in chosen.items()}
        yield Task(key, inputs)


def audit_case(
    inputs: Mapping[str, CaseInput],
    specs: Sequence[MethodSpec],
    k: int,
    interventions: bool,
    between: Callable[[], None] | None = None,
) -> CaseAudit:
    """All gold notes of one case, under each of its extractions (by label) and each method."""
    notes: list[NoteRow] = []
    questions: list[QuestionRow] = []
    missing = without_gold = 0
    for label, given in inputs.items():
        memory = given.memory()
        made = {spec.arm: create(spec.name, spec.profile, spec.overrides, memory) for spec in specs}
        without_gold = sum(not question.gold for question in given.case.questions)
        missing = 0  # gold is found by text and ids: the same under every extraction
        for question in given.case.questions:
            if between is not None:
                between()
            if question.gold:
                asked = _Asked(given.case.key, label, memory, question, made, k, interventions)
                missing += asked.not_stored
                notes += asked.note_rows()
                questions += asked.question_rows()
    return CaseAudit(tuple(notes), tuple(questions), missing, without_gold)


class _Asked:
    """One question of a memory under all methods."""

    def __init__(
        self, case: str, extraction: str, memory: Memory, question: Question, made: Methods, k: int, interventions: bool
    ) -> None:
        self.case, self.extraction, self.memory, self.question = case, extraction, memory, question
        self.made, self.k, self.interventions = made, k, interventions
        found = {arm: diagnose(memory, question, method, k) for arm, method in made.items()}
        self.traces = {arm: {t.note_id: t for t in each.traces if t.session_id is not None} for arm, each in found.items()}
        self.not_stored = _not_stored(found)
        self.gold = tuple(next(iter(self.traces.values())))
        self.helpful = {arm: self._helpful(method.config) for arm, method in made.items()}

    def _helpful(self, config: Any) -> dict[str, dict[str, bool]]:
        """For each gold note its helpful tags, and whether the filter leaves no word of them.

        A method without tags is asked about those that a graph under its analyser would match, so that hits and misses of all
        methods are compared by the same thing.
        """
        if not isinstance(config, GraphConfig):
            normaliser = getattr(config, "normaliser", None)
            config = StopwordsConfig() if normaliser is None else replace(StopwordsConfig(), normaliser=normaliser)
        graph, query, row_of = (
            tag_graph(self.memory, config),
            asked_words(self.memory, self.question.text, config),
            rows(self.memory),
        )
        return {note: {tag.path: tag.is_filtered for tag in helpful_tags(graph, row_of[note], query)} for note in self.gold}

    def note_rows(self) -> Iterator[NoteRow]:
        for note in self.gold:
            broken = self._broken(note) if self.interventions else {}
            for arm, traces in self.traces.items():
                trace, helpful = traces[note], self.helpful[arm][note]
                place, added = trace.place, self.repairs.get(note, {}).get(arm)
                yield NoteRow(
                    self.case,
                    self.question.id,
                    self.question.type,
                    note,
                    str(trace.session_id),
                    self.extraction,
                    arm,
                    isinstance(self.made[arm].config, GraphConfig),
                    place.rank if place else None,
                    place.best if place else None,
                    place.worst if place else None,
                    trace.is_found,
                    trace.stage,
                    trace.session_rank,
                    self._session_by(trace),
                    tuple(helpful),
                    tuple(path for path, is_filtered in helpful.items() if is_filtered),
                    added.path if added else None,
                    added.is_said if added else None,
                    broken.get(arm),
                    self.interventions,
                )

    def _session_by(self, trace: NoteTrace) -> str | None:
        if trace.is_found or not is_among(trace.session_rank, self.k):
            return None
        first = {hit.note_id for hit in trace.inquiry.ranking.hits[: self.k] if hit.session_id == trace.session_id}
        if not first:
            return COUNTED_ONCE
        return OTHER_GOLD if first & set(self.gold) else OTHER_NOTE

    @cached_property
    def repairs(self) -> dict[str, dict[str, Added | None]]:
        """For each gold note, by method that misses it, the tag that would bring it in."""
        return {note: self._repairs(note) for note in self.gold} if self.interventions else {}

    def _repairs(self, note: str) -> dict[str, Added | None]:
        missed = {arm: method for arm, method in self.made.items() if not self.traces[arm][note].is_found}
        return one_added_tag(self.memory, self.question.text, note, missed, self.k) if missed else {}

    def _broken(self, note: str) -> dict[str, bool]:
        """Of the methods that found a note: whether it falls out without its helpful tags."""
        hits = [arm for arm in self.made if self.traces[arm][note].is_found]
        return self._fallen(hits, (note,))

    def _fallen(self, arms: Iterable[str], notes: Sequence[str]) -> dict[str, bool]:
        """Whether none of the notes is left among the first k when all lose their helpful tags; False if they have none."""
        groups: dict[tuple[tuple[str, ...], ...], list[str]] = {}
        for arm in arms:
            groups.setdefault(tuple(tuple(self.helpful[arm][note]) for note in notes), []).append(arm)
        found: dict[str, bool] = {}
        for tags, same in groups.items():
            if any(tags):
                lost = {note: paths for note, paths in zip(notes, tags, strict=True) if paths}
                made = {arm: self.made[arm] for arm in same}
                after = without_tags(self.memory, self.question.text, lost, made, frozenset(notes))
                found |= {arm: not is_among(rank, self.k) for arm, rank in after.items()}
            else:
                found |= dict.fromkeys(same, False)
        return found

    def question_rows(self) -> Iterator[QuestionRow]:
        """Rows of a question; none where the memory holds no gold of it."""
        if not self.gold:
            return
        is_found = {arm: any(trace.is_found for trace in traces.values()) for arm, traces in self.traces.items()}
        broken = self._fallen([arm for arm in self.made if is_found[arm]], self.gold) if self.interventions else {}
        for arm in self.made:
            is_asked = self.interventions and not is_found[arm]
            added = [tag for note in self.gold if is_asked and (tag := self.repairs[note].get(arm)) is not None]
            is_helped = any(self.helpful[arm][note] for note in self.gold)
            yield QuestionRow(
                self.case,
                self.question.id,
                self.question.type,
                self.extraction,
                arm,
                is_found[arm],
                is_helped,
                bool(added) if is_asked else None,
                any(tag.is_said for tag in added) if is_asked else None,
                broken.get(arm),
            )


def _not_stored(found: Mapping[str, Diagnosis]) -> int:
    """How many pieces of gold the memory does not hold."""
    return sum(trace.session_id is None for trace in next(iter(found.values())).traces)
