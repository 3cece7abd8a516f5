"""Answers with their scores, as measures of a run: what compares retrieval then compares answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from workbench.answer.abstention import abstains, is_unanswerable
from workbench.answer.records import Answer, Judgement, QuestionKey, answer_digest
from workbench.answer.scores import contains, f1_locomo, f1_squad, has_all
from workbench.records import Question, Run

CONTAINS, F1, F1_LOCOMO, HAS_ALL = "answer_contains", "answer_f1", "answer_f1_locomo", "answer_has_all"
ABSTAINS, ABSTAINS_WRONGLY, JUDGED = "answer_abstains", "answer_abstains_wrongly", "answer_judged"
MEASURES: Mapping[str, str] = {
    CONTAINS: "the expected answer stands in the answer, both normalised (TAGGRAPH F.2)",
    F1: "token F1 by SQuAD's rule (TAGGRAPH F.2)",
    F1_LOCOMO: "token F1 by LoCoMo's rule for the question's category",
    HAS_ALL: "every expected text stands in the answer (ATANT)",
    ABSTAINS: "of questions without an answer: it says that the notes do not tell",
    ABSTAINS_WRONGLY: "of questions with an answer: it says that the notes do not tell; lower is better",
    JUDGED: "a language model takes it for right: an opinion, not a count",
}
"""What each score of an answer says; all are in [0, 1], one value a question."""
NOT_JUDGED: Mapping[tuple[str, str, str], Judgement] = {}


def scores(benchmark: str, question: Question, answer: str) -> dict[str, float | None]:
    """The scores of an answer but for the judge's; None where one does not apply.

    Of a question without an answer only whether it was recognised as such counts (and LoCoMo's F1, which is just that): the
    benchmark's "expected answer" is an explanation there, whose words nobody need say.
    """
    found: dict[str, float | None] = dict.fromkeys(MEASURES)
    gold, unanswerable = question.answer, is_unanswerable(benchmark, question)
    found[ABSTAINS if unanswerable else ABSTAINS_WRONGLY] = float(abstains(answer))
    if benchmark == "locomo" and question.type[:1] in "12345":
        found[F1_LOCOMO] = f1_locomo(answer, gold, int(question.type[:1] or 0))
    if unanswerable:
        return found
    if gold is not None and (is_in := contains(answer, gold)) is not None:
        found |= {CONTAINS: float(is_in), F1: f1_squad(answer, gold)}
    if question.gold.substrings:
        found[HAS_ALL] = float(has_all(answer, question.gold.substrings))
    return found


def scores_of(
    answer: Answer, question: Question, judgements: Mapping[tuple[str, str, str], Judgement] = NOT_JUDGED
) -> dict[str, float | None]:
    """All scores of an answer; none is available where the model gave none: a failure is no wrong answer."""
    if answer.answer is None:
        return dict.fromkeys(MEASURES)
    found = scores(answer.case.partition("/")[0], question, answer.answer)
    judged = judgements.get((*answer.key, answer_digest(answer.answer)))
    if judged is not None and judged.is_right is not None:
        found[JUDGED] = float(judged.is_right)
    return found


def by_answer(judgements: Iterable[Judgement]) -> dict[tuple[str, str, str], Judgement]:
    """Judgements by case, question and digest of the answer."""
    return {(each.case, each.question, each.answer): each for each in judgements}


def scored_run(
    run: Run, answers: Iterable[Answer], questions: Mapping[QuestionKey, Question], judgements: Iterable[Judgement] = ()
) -> Run:
    """The part of a run that was answered, each result with the scores of its answer beside its measures."""
    verdicts = by_answer(judgements)
    known = {(answer.case, answer.question, answer.method): answer for answer in answers}
    results = []
    for result in run.results:
        answer = known.get((result.case, result.question, result.method))
        if answer is not None:
            measures = {**result.measures, **scores_of(answer, questions[answer.key], verdicts)}
            results.append(replace(result, measures=measures))
    arms = {result.method for result in results}
    return replace(run, results=tuple(results), config={arm: config for arm, config in run.config.items() if arm in arms})
