"""The order of a run's arms, their cost, and when one of them counts as the best."""

from __future__ import annotations

import pytest
from made_runs import made_result, made_run, run_of

from workbench.evaluate.leaderboard import by_type, is_best, leaderboard, measures_of, p_against
from workbench.evaluate.significance import HEADLINE, pairwise_by_type


def where(at: int, kind: str = "one") -> tuple[str, str, str]:
    return (f"made/{at}", f"q{at}", kind)


def columns(**values: list[float | None]):
    return {arm: {where(at): value for at, value in enumerate(column)} for arm, column in values.items()}


def test_arms_stand_by_their_mean_and_those_without_one_last() -> None:
    run = made_run(columns(low=[0.25, 0.25], none=[None, None], high=[1.0, 0.5]))
    lines = leaderboard(run)
    assert [(line.arm, line.estimate.mean, line.estimate.n) for line in lines] == [
        ("high", 0.75, 2),
        ("low", 0.25, 2),
        ("none", None, 0),
    ]


def test_cost_is_over_all_questions_and_not_available_is_not_zero() -> None:
    run = run_of(
        made_result(where(0), "a", mrr=1.0),
        made_result(where(1), "a", headline=False, mrr=0.0),
        made_result(where(0), "b", (), mrr=0.0, mrr_worst_tie=0.25, mrr_best_tie=0.5),
        seconds={"a": 3.0},
        building={"a": 1.0},
    )
    a, b = leaderboard(run)
    assert (a.ms, b.ms) == (1000.0, None)
    assert (a.building_ms, b.building_ms) == (500.0, None)  # two cases
    assert (a.empty, b.empty, a.questions) == (0, 1, 1)
    assert (a.ties, b.ties) == (None, (0.25, 0.5))


def test_the_best_is_marked_only_where_the_test_says_so_against_every_other() -> None:
    apart = made_run(columns(first=[1.0] * 12, second=[0.5] * 12, third=[0.25] * 12))
    close = made_run(columns(first=[1.0] * 12, second=[1.0] * 11 + [0.5], third=[0.25] * 12))
    for run, expected in ((apart, True), (close, False)):
        pairs = pairwise_by_type(run)[HEADLINE]
        assert is_best(leaderboard(run), pairs) is expected
        assert set(p_against("first", pairs)) == {"second", "third"}
    alone = made_run(columns(first=[1.0] * 12))
    assert not is_best(leaderboard(alone), pairwise_by_type(alone)[HEADLINE])


def test_types_have_estimates_of_their_own() -> None:
    values = {"a": {where(0, "x"): 1.0, where(1, "x"): 0.0, where(2, "y"): 0.25}}
    found = by_type(made_run(values, apart=["y"]), "mrr")
    assert {group: (cells["a"].mean, cells["a"].n) for group, cells in found.items()} == {
        HEADLINE: (0.5, 2),
        "x": (0.5, 2),
        "y": (0.25, 1),
    }


def test_measures_of_the_contract_come_first_and_no_unknown_one_is_taken() -> None:
    run = run_of(made_result(where(0), "a", mrr=1.0, aaa=1.0, store_notes=9.0, mrr_worst_tie=1.0))
    assert measures_of(run) == ("mrr", "aaa", "mrr_session")
    with pytest.raises(ValueError, match="no measure 'nothing'"):
        leaderboard(run, "nothing")
