"""Scores of answers: tables worked out by hand, and laws."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.answer.abstention import NOT_TOLD, abstains, is_unanswerable
from workbench.answer.scored import (
    ABSTAINS,
    ABSTAINS_WRONGLY,
    CONTAINS,
    F1,
    F1_LOCOMO,
    HAS_ALL,
    MEASURES,
    scores,
)
from workbench.answer.scores import contains, f1, f1_locomo, f1_squad, has_all, normalised
from workbench.datasets.locomo import ADVERSARIAL
from workbench.datasets.read import read
from workbench.records import Gold, Loaded, Question

tokens = st.lists(st.sampled_from(["cake", "tea", "the", "two", "red"]), max_size=6)
texts = st.text(st.characters(codec="utf-8"), max_size=30)


@pytest.mark.parametrize(
    ("answer", "gold", "is_in"),
    [
        ("It was three days.", "Three", True),
        ("At the Blue  Café, I think", "the blue café", True),
        ("“Blue” café", "blue café", True),
        ("$1,100", "1100", True),
        ("13 cats", "3", True),  # the paper's rule is one of letters
        ("two", "three", False),
        ("anything", "the", None),
        ("", "three", False),
    ],
)
def test_containment(answer: str, gold: str, is_in: bool | None) -> None:
    assert contains(answer, gold) is is_in


def test_one_gold_token_in_an_answer_of_eleven_is_a_sixth() -> None:
    answer = "You told me that there were three of them last week"
    assert len(normalised(answer).split()) == 11
    assert f1_squad(answer, "three") == pytest.approx(2 / 12)


@pytest.mark.parametrize(
    ("answer", "gold", "score"),
    [
        ("blue car", "the blue car", 1.0),
        ("a blue car", "red car", 0.5),  # 1 common, precision 1/2, recall 1/2
        ("very very blue", "very blue", 0.8),  # 2 common, precision 2/3, recall 1
        ("", "blue", 0.0),
        ("the", "a", 1.0),  # nothing is left of either
    ],
)
def test_f1_by_squads_rule(answer: str, gold: str, score: float) -> None:
    assert f1_squad(answer, gold) == pytest.approx(score)


@pytest.mark.parametrize(
    ("category", "answer", "gold", "score"),
    [
        (4, "swimming and painting", "paints, swims", 1.0),  # stems; "and" and commas go
        (4, "1,000 dollars", "1000 dollars", 1.0),
        (2, "7 May 2023", "May 2023", 0.8),
        (1, "swimming, pottery", "pottery, camping, swimming", 2 / 3),
        (1, "she likes pottery", "pottery", 0.5),
        (1, "pottery", "pottery,", 1.0),  # an empty part is none
        (3, "Yes", "Yes; she said so often", 1.0),
        (4, "Yes", "Yes; she said so often", 1 / 3),
        (5, NOT_TOLD, None, 1.0),
        (5, "It is not mentioned anywhere.", None, 1.0),
        (5, "Paris", "Paris", 0.0),
        (4, "Paris", None, None),
        (4, "Paris", "the", None),
    ],
)
def test_f1_by_locomos_rule(category: int, answer: str, gold: str | None, score: float | None) -> None:
    found = f1_locomo(answer, gold, category)
    assert found == (None if score is None else pytest.approx(score))


def test_all_expected_texts_in_any_order_and_case() -> None:
    assert has_all("On TUESDAY, at the canal", ["canal", "Tuesday"])
    assert not has_all("On Tuesday", ["canal", "Tuesday"])


def test_abstention_is_recognised_by_the_words_that_the_prompt_gives() -> None:
    assert abstains(NOT_TOLD)
    assert abstains("no\ninformation   AVAILABLE")
    assert not abstains("There is plenty of information.")


def test_which_questions_have_no_answer() -> None:
    assert is_unanswerable("longmemeval_s", Question("q1_abs", "?"))
    assert is_unanswerable("locomo", Question("q1", "?", type="5 adversarial"))
    assert not is_unanswerable("locomo", Question("q1_abs", "?", type="4 single-hop"))
    assert not is_unanswerable("atant", Question("q1_abs", "?"))


def available(benchmark: str, question: Question, answer: str) -> dict[str, float]:
    found = scores(benchmark, question, answer)
    assert list(found) == list(MEASURES)
    return {name: value for name, value in found.items() if value is not None}


def test_scores_that_apply() -> None:
    plain = Question("q1", "How many?", "three")
    assert available("longmemeval_s", plain, "three") == {CONTAINS: 1.0, F1: 1.0, ABSTAINS_WRONGLY: 0.0}
    assert available("longmemeval_s", plain, NOT_TOLD) == {CONTAINS: 0.0, F1: 0.0, ABSTAINS_WRONGLY: 1.0}
    unanswerable = Question("q1_abs", "How many?", "You never told of any.")
    assert available("longmemeval_s", unanswerable, NOT_TOLD) == {ABSTAINS: 1.0}
    assert available("longmemeval_s", unanswerable, "three") == {ABSTAINS: 0.0}
    adversarial = Question("q1", "How many?", type="5 adversarial")
    assert available("locomo", adversarial, NOT_TOLD) == {ABSTAINS: 1.0, F1_LOCOMO: 1.0}
    assert available("locomo", Question("q1", "?", "swims", "4 single-hop"), "swimming") == {
        CONTAINS: 0.0,
        F1: 0.0,
        F1_LOCOMO: 1.0,
        ABSTAINS_WRONGLY: 0.0,
    }
    story = Question("q1", "?", gold=Gold(substrings=("oak", "desk")))
    assert available("atant", story, "A desk of oak") == {HAS_ALL: 1.0, ABSTAINS_WRONGLY: 0.0}
    assert available("locomo", Question("q1", "?", "x", "unknown"), "x") == {CONTAINS: 1.0, F1: 1.0, ABSTAINS_WRONGLY: 0.0}


@given(tokens, tokens)
def test_f1_is_symmetric_in_unit_range_and_blind_to_order(one: list[str], other: list[str]) -> None:
    found = f1(one, other)
    assert 0.0 <= found <= 1.0
    assert found == f1(other, one) == f1(sorted(one), other[::-1])
    assert (found == 1.0) == (sorted(one) == sorted(other))


@given(texts, texts, texts)
def test_a_text_contains_itself_whatever_stands_around(text: str, before: str, after: str) -> None:
    if not normalised(text):
        assert contains(text, text) is None
    else:
        assert contains(text, text) is True
        assert f1_squad(text, text) == 1.0
        assert contains(f"{before} {text} {after}", text) is True


@given(texts)
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalised(text)
    assert normalised(once) == once


@given(texts, st.sampled_from([1, 2, 3, 4]))
def test_locomos_score_lies_in_unit_range_and_an_answer_equals_itself(text: str, category: int) -> None:
    found = f1_locomo(text, text.partition(";")[0] if category == 3 else text, category)
    assert found is None or (0.0 <= found <= 1.0 and (category == 3 or found == pytest.approx(1.0)))


def test_the_expected_answers_of_real_questions_are_right_answers(real_data: Path) -> None:
    """All of LoCoMo: its rules read every gold; only what category 3 cuts at a semicolon is not matched by itself."""
    cases = [each.case for each in read(real_data / "locomo") if isinstance(each, Loaded)]
    questions = [question for case in cases for question in case.questions]
    asked = 0
    for question in questions:
        found = scores("locomo", question, question.answer or NOT_TOLD)
        if question.type == ADVERSARIAL:
            assert (found[ABSTAINS], found[F1_LOCOMO]) == (1.0, 1.0)
        elif question.answer is not None:
            asked += 1
            assert (found[CONTAINS], found[F1], found[ABSTAINS_WRONGLY]) == (1.0, 1.0, 0.0)
            assert found[F1_LOCOMO] == pytest.approx(1.0) or ";" in question.answer
    assert asked > 1000
