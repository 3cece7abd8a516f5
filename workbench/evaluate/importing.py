"""Other systems' rankings: a run file, judged like a run of ours, becomes a stored run."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import workbench
from workbench.engine import Progress
from workbench.errors import BadInput
from workbench.evaluate.inputs import input_digest
from workbench.evaluate.judging import Judged, Ranked, judge, judged_questions
from workbench.evaluate.relevance import Relevance
from workbench.evaluate.run_files.collect import UNITS, Accounts, Collected, Placed, collect
from workbench.evaluate.run_files.names import History, Questions
from workbench.evaluate.runs import run_id
from workbench.records import Gold, Hit, Question, QuestionResult, Ranking, Run
from workbench.store import Choice, Store, open_store
from workbench.versions import environment
from workbench.words import counted

EXTRACTION = {"extractor": "not available"}
"""What an imported run says of its notes' tags."""
UNANSWERED = "not answered in the file: counted as a miss"
NOT_JUDGED = "no relevant id in the judgements given"
TIE_RANGE = ("mrr_worst_tie", "mrr_best_tie")
WAIT_SECONDS = 60.0
"""How long an import waits for its turn at the store."""


@dataclass(frozen=True)
class ImportReport:
    """An imported run with what became of its file.

    ``answered`` maps an arm to how many of the ``questions`` that have gold it ranks anything for; the others count as misses.
    ``judgements`` are the accounts of the qrels file, None without one.
    """

    run: Run
    format: str
    unit: Ranked
    questions: int
    answered: Mapping[str, int]
    rankings: Accounts
    judgements: Accounts | None = None

    def coverage(self) -> list[str]:
        """How much of the benchmark each arm answers, in words."""
        of = counted(self.questions, "question")
        rows = [(arm, answered, self.questions - answered) for arm, answered in self.answered.items()]
        return [
            f"{arm}: {answered:,} of {of} answered; {missing:,} unanswered, counted as misses" for arm, answered, missing in rows
        ]

    def to_json(self) -> dict[str, Any]:
        """The report in plain JSON values."""
        accounts = {"rankings": self.rankings} | ({"judgements": self.judgements} if self.judgements else {})
        return {
            "format": self.format,
            "unit": self.unit,
            "questions": self.questions,
            "answered": dict(self.answered),
            **{name: _accounts_json(found) for name, found in accounts.items()},
        }


def _accounts_json(found: Accounts) -> dict[str, Any]:
    counts = {"rows": found.rows, "kept": found.kept, "repaired": found.repaired, "quarantined": found.quarantined}
    listed = [{"position": one.position, "level": one.level, "reason": one.reason} for one in found.findings]
    return counts | {"kinds": dict(found.kinds), "findings": listed}


@dataclass(frozen=True)
class _Subject:
    """What is needed of a case to judge rankings of it, without its texts."""

    key: str
    digest: str
    questions: tuple[Question, ...]
    history: History
    judged: Sequence[Judged]
    excluded: Counter[str]


def import_run(
    store: Store | Path,
    file: Path,
    *,
    benchmark: str,
    cases: Sequence[str] = (),
    name: str = "",
    unit: str = "auto",
    qrels: Path | None = None,
    extraction: Choice = None,
    now: Callable[[], datetime] = datetime.now,
    progress: Progress | None = None,
) -> ImportReport:
    """Judge the rankings of a file like those of a run of ours, and store them as a run of kind "import".

    Measures are taken over what the file ranks. Rankings that were exported from a run get that run's measures, as far as it
    kept ranks (`workbench.evaluate.runs.KEPT`); the tie range needs scores that are more than counted-down ranks.

    Parameters
    ----------
    store : Store or Path
        Of a path, the store is opened for reading first and for writing at the end.
    file : Path
        In any registered format; each tag or method in it is an arm of the run.
    benchmark : str
        Whose questions the file answers. All that have gold count: those without a row are misses.
    cases : sequence of str
        Only these cases of the benchmark, by key.
    name : str
        Of the run, and of the arm whose rows name none; by default the file's name.
    unit : "auto", "note" or "session"
        What the file's ids are. Measures over notes are not available (None) for ranked sessions.
    qrels : Path, optional
        Judgements that take the place of the stored gold; questions without a relevant id in it are left out.
    extraction : optional
        Under which extraction the notes are read. It changes no measure; it belongs to the digest of the data.

    Raises
    ------
    ValueError
        For an unknown unit, or cases of another benchmark.
    KeyError
        If the benchmark is not stored.
    BadInput
        If a file is of no known format, nothing in it can be used, or it mixes notes and sessions.
    """
    if unit not in UNITS:
        raise ValueError(f"unit is {unit!r}; known: {', '.join(UNITS)}")
    with _opened(store, read_only=True) as opened:
        keys = list(cases) or [row.key for row in opened.cases.list(benchmark)]
        if any(key.partition("/")[0] != benchmark for key in keys):
            raise ValueError(f"a run answers one benchmark, here {benchmark}; cases are given of others: {', '.join(keys[:5])}")
        if not keys:
            raise KeyError(f"no benchmark {benchmark!r}; the store has: {', '.join(opened.cases.benchmarks()) or 'none'}")
        subjects = [_subject(opened, key, extraction) for key in _advancing(keys, progress)]
    questions = Questions((each.key, question.id) for each in subjects for question in each.questions)
    histories = {each.key: each.history for each in subjects}
    judgements = None
    if qrels is not None:
        judgements = collect(qrels, "judgements", questions, histories)
        subjects = [_judged_by(judgements, each) for each in subjects]
    judged = {(each.key, one.question.id) for each in subjects for one in each.judged}
    excluded = sum((each.excluded for each in subjects), Counter[str]())
    if not judged:
        raise BadInput(f"nothing to judge: no question of these cases has gold ({sum(excluded.values())} without)")
    name = name or file.name.partition(".")[0]
    found = collect(file, "rankings", questions, histories, judged=judged, unit=unit, arm=name)
    without_ties = frozenset(arm for arm, ranked in found.rankings.items() if _is_counted_down(ranked.values()))
    made_from = _made_from(file, found, qrels)
    created = now()
    digest = hashlib.sha256("".join(f"{each.key} {each.digest}\n" for each in subjects).encode()).hexdigest()
    run = Run(
        run_id(created, digest),
        created,
        benchmark,
        EXTRACTION,
        {arm: made_from | {"scores": "made from ranks" if arm in without_ties else "as given"} for arm in found.rankings},
        digest,
        workbench.__version__,
        environment(),
        dict(excluded),
        {},
        tuple(result for each in subjects for result in _results(each, found, without_ties)),
        name,
        "import",
    )
    with _opened(store, read_only=False) as opened:
        opened.runs.add(run)
    answered = {arm: len(ranked) for arm, ranked in found.rankings.items()}
    accounts = judgements.accounts if judgements else None
    return ImportReport(run, found.format, found.unit, len(judged), answered, found.accounts, accounts)


@contextmanager
def _opened(store: Store | Path, *, read_only: bool) -> Iterator[Store]:
    if isinstance(store, Store):
        yield store
    else:
        with open_store(store, read_only=read_only, wait_seconds=WAIT_SECONDS) as opened:
            yield opened


def _advancing(keys: Sequence[str], progress: Progress | None) -> Iterator[str]:
    for done, key in enumerate(keys, 1):
        yield key
        if progress is not None:
            progress(done, key)


def _subject(store: Store, key: str, extraction: Choice) -> _Subject:
    case, chosen = store.cases.get(key), store.extractions.choose(key, extraction)
    notes = store.notes.get(key, chosen.id)
    history = History.of({note.id: note.session_id for note in notes}, (session.id for session in case.sessions))
    judged, excluded = judged_questions(case.questions, notes)
    return _Subject(key, input_digest(store, key, chosen), case.questions, history, judged, excluded)


def _judged_by(judgements: Collected, subject: _Subject) -> _Subject:
    """The case with the file's judgements in the place of its gold."""
    (by_question,) = judgements.rankings.values()
    judged, history = [], subject.history
    for question in subject.questions:
        ids = [placed.id for placed in by_question.get((subject.key, question.id), ()) if (placed.score or 0) > 0]
        if not ids:
            continue
        if judgements.unit == "note":
            gold, sessions = Gold(notes=tuple(ids)), frozenset(history.session_of[id_] for id_ in ids)
            relevant = Relevance(frozenset(ids), sessions, "note")
        else:
            gold, sessions = Gold(sessions=tuple(ids)), frozenset(ids)
            notes = frozenset(note for note, session in history.session_of.items() if session in sessions)
            relevant = Relevance(notes, sessions, "session")
        judged.append(Judged(replace(question, gold=gold), relevant, ("", frozenset())))
    excluded = Counter({NOT_JUDGED: len(subject.questions) - len(judged)})
    return replace(subject, judged=judged, excluded=+excluded)


def _made_from(file: Path, found: Collected, qrels: Path | None) -> dict[str, Any]:
    """Where rankings and judgements come from, as the configuration of every arm."""
    return {
        "file": file.name,
        "sha256": _sha256(file),
        "format": found.format,
        "unit": found.unit,
        "order": "score descending; equal to 12 digits: order of the file",
        "judged_by": f"{qrels.name} {_sha256(qrels)}" if qrels else "stored gold",
    }


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _is_counted_down(rankings: Iterable[Sequence[Placed]]) -> bool:
    """Whether an arm's scores are whole numbers of which none repeats in a question: ranks in disguise, which know no ties."""
    return all(placed.key.is_integer() and placed.block == rank for ranked in rankings for rank, placed in enumerate(ranked, 1))


def _results(subject: _Subject, found: Collected, without_ties: Container[str]) -> Iterator[QuestionResult]:
    """The results of one case, for all arms and all questions with gold; ``without_ties`` are arms that tell no ties."""
    rankings = {
        (arm, one.question.id): _ranking(arm, one.question, by_question.get((subject.key, one.question.id), ()), subject, found)
        for arm, by_question in found.rankings.items()
        for one in subject.judged
    }
    notes = len(subject.history.session_of)
    for result in judge(subject.key, subject.judged, rankings, store_notes=notes, unit=found.unit):
        unknown = dict.fromkeys(TIE_RANGE) if result.method in without_ties else {}
        yield replace(result, measures={**result.measures, **unknown})


def _ranking(arm: str, question: Question, ranked: Sequence[Placed], subject: _Subject, found: Collected) -> Ranking:
    """What the file ranks for a question. Where it gives no scores, they are made from ranks: n, n - 1 ... 1, ties alike."""
    hits: list[Hit] = []
    first = 1
    for rank, placed in enumerate(ranked, 1):
        first = first if hits and hits[-1].block == placed.block else rank
        score = float(len(ranked) + 1 - first) if placed.score is None else placed.score
        ids = (placed.id, subject.history.session_of[placed.id]) if found.unit == "note" else ("", placed.id)
        hits.append(Hit(*ids, rank, score, placed.block))
    return Ranking(question.text, arm, tuple(hits), len(hits), () if ranked else (UNANSWERED,))
