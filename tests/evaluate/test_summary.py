"""Means over question types, each once."""

from __future__ import annotations

from made_runs import made_run

from workbench.evaluate.summary import macro, summary


def test_each_type_counts_once_and_those_outside_the_headline_do_not() -> None:
    values = {
        ("c", "q1", "1 multi-hop"): 1.0,
        ("c", "q2", "1 multi-hop"): 0.5,
        ("c", "q3", "1 multi-hop"): 0.0,
        ("c", "q4", "2 temporal"): 1.0,
        ("c", "q5", "2 temporal"): None,
        ("c", "q6", "5 adversarial"): 0.0,
    }
    run = made_run({"bm25": values}, apart=("5 adversarial",))
    row = summary(run)["methods"]["bm25"]
    assert row["mrr"] == 0.625
    assert row["macro"]["mrr"] == 0.75
    assert row["macro"]["recall@10"] is None


def test_a_question_to_abstain_from_counts_under_its_type() -> None:
    run = made_run({"bm25": {("c", "q1", "a"): 1.0, ("c", "q2_abs", "a"): 0.0, ("c", "q3", "b"): 1.0}})
    assert macro(run.results, "mrr") == 0.75
