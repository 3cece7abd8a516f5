"""Runs and arms compared question by question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from made_runs import made_result, made_run, run_of

from workbench.errors import BadInput
from workbench.evaluate.agreement import rank_biased_overlap
from workbench.evaluate.comparing import (
    Change,
    Difference,
    compare_arms,
    compare_runs,
    differences,
    disagreement,
    first_gold_rank,
    worse_than,
)
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.runs import MethodSpec, evaluate
from workbench.evaluate.significance import HEADLINE, paired_test
from workbench.store import open_store

Q1, Q2, Q3, Q4 = (("c", f"q{at}", "t") for at in range(1, 5))
APART = ("c", "q5", "adversarial")


def two_runs():
    """In ``a``, q1 gets better, q2 worse, q3 stays; q4 and the new q6 are each in one run only; q5 is outside the headline."""
    before = {Q1: 0.25, Q2: 1.0, Q3: 0.5, Q4: 1.0, APART: 1.0}
    after = {Q1: 1.0, Q2: 0.5, Q3: 0.5, ("c", "q6", "t"): 0.1, APART: 0.5}
    first = made_run({"a": before, "old": before}, ("adversarial",), id="first")
    second = made_run({"a": after, "new": after}, ("adversarial",), id="second")
    return first, second


def test_common_arms_are_compared_and_others_named() -> None:
    found = compare_runs(*two_runs())
    assert [(arm.first, arm.second) for arm in found.arms] == [("a", "a")]
    assert (found.only_first, found.only_second) == (("old",), ("new",))


def test_test_is_second_against_first_over_shared_headline_questions() -> None:
    (arm,) = compare_runs(*two_runs()).arms
    assert arm.test == paired_test([1.0, 0.5, 0.5], [0.25, 1.0, 0.5])
    assert arm.test.difference == pytest.approx(0.25 / 3)
    assert (arm.only_first, arm.only_second) == (1, 1)
    assert {group: test.n for group, test in arm.tests.items()} == {HEADLINE: 3, "t": 3, "adversarial": 1}
    assert arm.p_holm == arm.test.p


def test_changed_questions_carry_values_and_gold_ranks() -> None:
    (arm,) = compare_runs(*two_runs()).arms
    assert arm.worse == (Change(*Q2, 1.0, 0.5, 1, 2),)
    assert arm.better == (Change(*Q1, 0.25, 1.0, 4, 1),)


def test_largest_change_comes_first() -> None:
    run = made_run({"a": {Q1: 0.5, Q2: 1.0, Q3: 0.25}, "b": {Q1: 0.25, Q2: 0.0, Q3: 0.2}})
    assert [change.question for change in compare_arms(run, "a", "b").worse] == ["q2", "q1", "q3"]


def test_a_value_not_available_is_no_change() -> None:
    found = compare_arms(made_run({"a": {Q1: None, Q2: 1.0}, "b": {Q1: 1.0, Q2: None}}), "a", "b")
    assert found.worse == found.better == ()
    assert found.test.n == 0
    assert found.test.difference is None


def test_not_found_and_not_available_have_no_gold_rank() -> None:
    ranks = [first_gold_rank(made_result(Q1, "a", mrr=value)) for value in (1 / 3, 1 / 487, 0.0, None)]
    assert ranks == [3, 487, None, None]


def test_arms_of_two_runs_may_have_other_names() -> None:
    first, second = two_runs()
    assert compare_arms(first, "old", "new", other=second).test == compare_runs(first, second).arms[0].test


def test_holm_covers_the_arms_that_are_compared() -> None:
    low, high = ({("c", f"q{at}", "t"): value for at in range(8)} for value in (0.5, 1.0))
    found = compare_runs(made_run({"a": low, "b": low}), made_run({"a": high, "b": low}))
    assert [(arm.test.p, arm.p_holm) for arm in found.arms] == [(2 / 256, 4 / 256), (1.0, 1.0)]


def test_worse_than_a_baseline() -> None:
    first, second = two_runs()
    assert worse_than(second, first, "a") == {("c", "q2"), ("c", "q5")}
    assert worse_than(first, second, "old", baseline_arm="new") == {("c", "q1")}


def test_a_run_is_not_worse_than_itself() -> None:
    run = two_runs()[0]
    assert worse_than(run, run, "a") == frozenset()


def test_differences_are_readable() -> None:
    values = {"a": {Q1: 1.0}, "b": {Q1: 1.0}}
    first = made_run(values, environment={"numpy": "2.4.5"})
    second = made_run(
        values, config={"a": {"k1": 1.2, "words": ["x"]}, "c": {"k1": 9}}, environment={"numpy": "2.4.6"}, data_digest="e" * 64
    )
    assert [*differences(first, second)] == [
        Difference("data", "d" * 12, "e" * 12),
        Difference("a.k1", "1.5", "1.2"),
        Difference("environment.numpy", "2.4.5", "2.4.6"),
        Difference("a.words", None, '["x"]'),
    ]
    assert [*differences(first, first)] == []


def test_other_benchmarks_are_refused() -> None:
    first = made_run({"a": {Q1: 1.0}}, id="one", benchmark="locomo")
    with pytest.raises(BadInput, match=r"run one is of locomo, run two of atant"):
        compare_runs(first, made_run({"a": {Q1: 1.0}}, id="two", benchmark="atant"))


@pytest.mark.parametrize(
    "call", [compare_runs, lambda one, two: worse_than(one, two, "a"), lambda one, two: compare_arms(one, "a", "a", other=two)]
)
def test_session_against_note_is_refused(call) -> None:
    by_note = run_of(made_result(Q1, "a", mrr=1.0), made_result(Q2, "a", mrr=1.0), id="notes")
    by_session = run_of(made_result(Q1, "a", mrr=1.0, mrr_note=0.5), made_result(Q2, "a", mrr=1.0), id="sessions")
    with pytest.raises(BadInput, match=r"run notes judges by note and run sessions by session, at 1 of 2 shared questions"):
        call(by_note, by_session)


def test_unknown_arms_and_measures_are_named() -> None:
    run = two_runs()[0]
    with pytest.raises(KeyError, match=r"no arm 'x'; it has a, old"):
        compare_arms(run, "a", "x")
    with pytest.raises(ValueError, match=r"no measure 'map'; it has mrr"):
        compare_runs(run, run, "map")


def test_disagreement_puts_the_least_overlap_first() -> None:
    lists = {Q1: ("abc", "abc"), Q2: ("abc", "xyz"), Q3: ("abc", "acb"), Q4: ("abc", "")}
    run = run_of(*(made_result(where, arm, both[at], mrr=1.0) for at, arm in enumerate("pq") for where, both in lists.items()))
    found = disagreement(run, "p", "q")
    assert [row.question for row in found] == ["q2", "q3", "q1", "q4"]
    assert [row.overlap for row in found] == [0, pytest.approx(rank_biased_overlap("abc", "acb")), pytest.approx(1), None]


def test_disagreement_of_all_arms_is_the_mean_over_pairs() -> None:
    run = run_of(*(made_result(Q1, arm, notes, mrr=1.0) for arm, notes in {"p": "ab", "q": "ab", "r": "xy", "s": ""}.items()))
    (found,) = disagreement(run)
    assert (found.overlap, found.pairs) == (pytest.approx(1 / 3), 3)


def test_session_judged_questions_disagree_by_session() -> None:
    one = made_result(Q1, "p", "ab", mrr=1.0, mrr_note=1.0)
    other = replace(made_result(Q1, "q", "cd", mrr=1.0, mrr_note=1.0), session_ids=("a", "b"))
    assert disagreement(run_of(one, other))[0].overlap == pytest.approx(1)


def test_one_arm_alone_can_not_disagree() -> None:
    run = made_run({"a": {Q1: 1.0}, "b": {Q1: 1.0}})
    with pytest.raises(ValueError, match="1 given of a, b"):
        disagreement(run, "a")


def test_real_runs_of_the_demo_compare(demo_store: Path) -> None:
    """Another configuration of the same method: changed questions are those whose stored values differ."""
    with open_store(demo_store, read_only=True) as store:
        keys = [row.key for row in store.cases.list() if row.key.startswith("atant")][:6]
        inputs = [*case_inputs(store, keys)]
    first = evaluate(inputs, [MethodSpec("adaptive")], {"extractor": "rules"})
    second = evaluate(inputs, [MethodSpec("adaptive", overrides={"diffusion": False})], {"extractor": "rules"})
    found = compare_runs(first, second)
    assert found.differences == (Difference("adaptive.diffusion", "true", "false"),)
    values = [{(one.case, one.question): one.measures["mrr"] for one in run.results} for run in (first, second)]
    worse = {key for key in values[0] if values[1][key] < values[0][key]}
    assert {(change.case, change.question) for change in found.arms[0].worse} == worse == worse_than(second, first, "adaptive")
    assert found.arms[0].test.n == len(values[0]) > 0
