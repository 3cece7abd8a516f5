"""Blind spots of an extraction by question type: questions none of whose gold notes carries a tag that the query matches.

TAGGRAPH 5.3 reads blind spots off MRR by type; this looks at what a tag graph is entered through, the helpful tags of 5.5, and
so says of each question whether its extraction could be the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.diagnose.tags import asked_words, helpful_tags, rows
from workbench.evaluate.estimates import Estimate, estimates
from workbench.evaluate.judging import is_headline, judged_questions
from workbench.evaluate.significance import HEADLINE
from workbench.graph import tag_graph
from workbench.memory import Memory
from workbench.methods.tags import StopwordsConfig
from workbench.records import Case, Note


@dataclass(frozen=True, slots=True)
class Reached:
    """A question with the gold notes that the case holds, and under each extraction those of them with a helpful tag."""

    case: str
    question: str
    type: str
    headline: bool
    gold: tuple[str, ...]
    helped: Mapping[str, tuple[str, ...]]

    def is_blind(self, extraction: str) -> bool:
        """Whether no gold note has a tag that the query matches."""
        return not self.helped[extraction]


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """The questions of one type (all headline questions under ``headline``).

    ``reached`` is under each extraction the share of questions with a helpful tag on a gold note, in [0, 1], with its interval
    over questions. ``only`` holds, for (blind, seeing) pairs of extractions, the questions that are blind under the one and
    reached under the other, as (case, question).
    """

    type: str
    questions: int
    reached: Mapping[str, Estimate]
    only: Mapping[tuple[str, str], tuple[tuple[str, str], ...]]


def reached_questions(case: Case, notes: Mapping[str, Sequence[Note]]) -> tuple[Reached, ...]:
    """The questions of a case that have gold in it, each under every extraction (notes by label)."""
    first = next(iter(notes.values()))
    judged = [each for each in judged_questions(case.questions, first)[0] if each.relevant.notes]
    if not judged:
        return ()
    config, helped = StopwordsConfig(), {}
    for label, own in notes.items():
        memory = Memory(own, case.participants)
        graph, row_of = tag_graph(memory, config), rows(memory)
        for each in judged:
            query = asked_words(memory, each.question.text, config)
            gold = sorted(each.relevant.notes)
            helped[each.question.id, label] = tuple(note for note in gold if helpful_tags(graph, row_of[note], query))
    return tuple(
        Reached(
            case.key,
            each.question.id,
            each.question.type or "untyped",
            is_headline(case.benchmark, each.question),
            tuple(sorted(each.relevant.notes)),
            {label: helped[each.question.id, label] for label in notes},
        )
        for each in judged
    )


def blind_spots(questions: Sequence[Reached], labels: Sequence[str]) -> tuple[BlindSpot, ...]:
    """The blind spots of every question type, all headline questions first; none where no question has gold."""
    groups: dict[str, list[Reached]] = {HEADLINE: [each for each in questions if each.headline]}
    for each in sorted(questions, key=lambda each: each.type):
        groups.setdefault(each.type, []).append(each)
    found = [(name, members) for name, members in groups.items() if members]
    columns = [[float(not each.is_blind(label)) for each in members] for _, members in found for label in labels]
    shares = iter(estimates(columns))
    return tuple(
        BlindSpot(name, len(members), {label: next(shares) for label in labels}, dict(_only(members, labels)))
        for name, members in found
    )


def _only(questions: Sequence[Reached], labels: Sequence[str]) -> Iterator[tuple[tuple[str, str], tuple[tuple[str, str], ...]]]:
    for blind in labels:
        for seeing in labels:
            if blind != seeing:
                these = (each for each in questions if each.is_blind(blind) and not each.is_blind(seeing))
                yield (blind, seeing), tuple((each.case, each.question) for each in these)
