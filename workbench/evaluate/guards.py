"""What a reader should know before trusting a run's figures: each guard looks for one thing and says how often it is so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench.evaluate.comparing import granularity
from workbench.evaluate.judging import KEPT
from workbench.evaluate.summary import groups, mean
from workbench.records import QuestionResult, Run
from workbench.words import counted

FEW = 10
"""Questions below which an interval or a test says little (ours)."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A warning: what kind, in words, at ``count`` of ``of`` questions (or of question types), of one arm or of the whole run."""

    kind: str
    text: str
    count: int
    of: int
    arm: str | None = None


class Arms:
    """The headline results of a run by arm."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.headline: dict[str, list[QuestionResult]] = {arm: [] for arm in run.config}
        for result in run.results:
            if result.headline:
                self.headline[result.method].append(result)

    @cached_property
    def questions(self) -> dict[tuple[str, str], QuestionResult]:
        """Every headline question that some arm has, with one result of it."""
        return {(result.case, result.question): result for results in self.headline.values() for result in results}


def warnings_of(run: Run) -> tuple[Guard, ...]:
    """All guards that apply to a run's headline questions, in the order of `GUARDS`; none is no promise that all is well."""
    arms = Arms(run)
    return tuple(found for guard in GUARDS for found in guard(arms))


def mixed_granularity(arms: Arms) -> Iterator[Guard]:
    """Questions judged by session and by note in one mean."""
    kinds = Counter(kind for result in arms.questions.values() if (kind := granularity(result)))
    if len(kinds) > 1:
        (many, _), (few, count) = kinds.most_common(2)
        text = f"{counted(count, 'question')} judged by {few}, the others by {many}: one mean over both compares unlike things"
        yield Guard("mixed granularity", text, count, kinds.total())


def partial_coverage(arms: Arms) -> Iterator[Guard]:
    """An arm that lacks questions which others have."""
    of = len(arms.questions)
    for arm, results in arms.headline.items():
        if len(results) < of:
            text = f"{arm} has {len(results):,} of {counted(of, 'question')}: its means are over these"
            yield Guard("partial coverage", text, of - len(results), of, arm)


def empty_rankings(arms: Arms) -> Iterator[Guard]:
    """Questions for which an arm ranked nothing."""
    for arm, results in arms.headline.items():
        if count := sum(not _ranked(result) for result in results):
            text = f"{arm} ranked nothing for {count:,} of {counted(len(results), 'question')}: they count as not found"
            yield Guard("empty rankings", text, count, len(results), arm)


def cut_off_reaches_all(arms: Arms) -> Iterator[Guard]:
    """Cut-offs that leave nothing out, so that recall and hit at k say whether the gold was ranked and not how high."""
    for arm, results in arms.headline.items():
        counts = {k: sum(0 < _candidates(result) <= k for result in results) for k in _cut_offs(results)}
        reached = [f"k = {k} for {count:,}" for k, count in counts.items() if count]
        if reached:
            text = (
                f"the first k are all that {arm} ranked, {', '.join(reached)} of {counted(len(results), 'question')}: "
                "recall and hit at k say there only whether the evidence was ranked at all"
            )
            yield Guard("cut-off reaches all candidates", text, max(counts.values()), len(results), arm)


def unequal_depths(arms: Arms) -> Iterator[Guard]:
    """An arm whose rankings look cut: most end at one depth, where another arm goes on for the same question."""
    lengths = {arm: {_key(result): _depth(result) for result in results} for arm, results in arms.headline.items()}
    for arm, own in lengths.items():
        depth = max(own.values(), default=0)
        at_end = [key for key, length in own.items() if length == depth]
        if not 0 < depth < KEPT or 2 * len(at_end) <= sum(length > 0 for length in own.values()):
            continue
        others = [other for name, other in lengths.items() if name != arm and _same_unit(arms, arm, name)]
        if count := sum(any(other.get(key, 0) > depth for other in others) for key in at_end):
            text = (
                f"{arm} looks cut at rank {depth}, where another arm goes on, for {count:,} of {counted(len(own), 'question')}: "
                "what it would have found below counts as not found"
            )
            yield Guard("unequal depths", text, count, len(own), arm)


def ties(arms: Arms) -> Iterator[Guard]:
    """Reciprocal ranks that the order within equal scores decides."""
    for arm, results in arms.headline.items():
        ranges = [(result.measures.get("mrr_worst_tie"), result.measures.get("mrr_best_tie")) for result in results]
        known = [(worst, best) for worst, best in ranges if worst is not None and best is not None]
        if count := sum(worst < best for worst, best in known):
            worst, best = mean(results, "mrr_worst_tie"), mean(results, "mrr_best_tie")
            text = (
                f"{arm}: the order of equal scores decides the reciprocal rank of {count:,} of "
                f"{counted(len(known), 'question')}; its MRR could be {worst:.3f} to {best:.3f}"
            )
            yield Guard("ties", text, count, len(known), arm)


def few_questions(arms: Arms) -> Iterator[Guard]:
    """Too few questions for an interval or a test, in all or of a type."""
    n = len(arms.questions)
    if n < FEW:
        text = f"{counted(n, 'question')} in all: below {FEW}, intervals and tests say little"
        yield Guard("few questions", text, n, n)
        return
    sizes = {name: len(members) for name, members in groups(arms.questions.values()).items()}
    small = {name: size for name, size in sizes.items() if size < FEW}
    if small:
        listed = ", ".join(f"{name} ({size})" for name, size in small.items())
        text = f"types with fewer than {FEW} questions, whose intervals and tests say little: {listed}"
        yield Guard("few questions of a type", text, len(small), len(sizes))


def not_available(arms: Arms) -> Iterator[Guard]:
    """Measures that some questions do not have; means leave these questions out."""
    lacking: dict[tuple[str, int, int], list[str]] = {}
    for arm, results in arms.headline.items():
        for measure in sorted({name for result in results for name in result.measures}):
            if count := sum(result.measures.get(measure) is None for result in results):
                lacking.setdefault((measure, count, len(results)), []).append(arm)
    for (measure, count, of), names in lacking.items():
        is_all = len(names) == len(arms.headline)
        text = (
            f"{measure} is not available for {count:,} of {counted(of, 'question')}"
            f"{'' if is_all else ' under ' + ', '.join(names)}: they are left out of its mean"
        )
        yield Guard("not available", text, count, of, names[0] if len(names) == 1 and not is_all else None)


GUARDS: Sequence[Callable[[Arms], Iterator[Guard]]] = (
    mixed_granularity,
    partial_coverage,
    empty_rankings,
    cut_off_reaches_all,
    unequal_depths,
    ties,
    few_questions,
    not_available,
)


def _key(result: QuestionResult) -> tuple[str, str]:
    return (result.case, result.question)


def _ranked(result: QuestionResult) -> bool:
    return bool(result.note_ids or result.session_ids)


def _cut_offs(results: Sequence[QuestionResult]) -> list[int]:
    """The cut-offs of the measures that the results have."""
    names: Mapping[str, None] = {name: None for result in results for name in result.measures}
    found = {name.partition("@")[2].partition("_")[0] for name in names if "@" in name}
    return sorted(int(cut) for cut in found if cut.isdigit())


def _candidates(result: QuestionResult) -> int:
    """How many sessions or notes, whichever the question is judged by, the arm could have put in its first ranks."""
    return len(result.session_ids) if granularity(result) == "session" else max(result.candidates, len(result.note_ids))


def _depth(result: QuestionResult) -> int:
    """Notes ranked, as deep as the run kept them; sessions, where an arm ranks these alone."""
    return len(result.note_ids or result.session_ids)


def _same_unit(arms: Arms, first: str, second: str) -> bool:
    """Whether the depths of two arms count the same: both rank notes, or both sessions alone."""
    has_notes = [any(result.note_ids for result in arms.headline[arm]) for arm in (first, second)]
    return has_notes[0] == has_notes[1]
