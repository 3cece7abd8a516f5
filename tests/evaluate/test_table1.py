"""The paper's table beside ours: verdicts by a fixed rule, rows by benchmark and extraction, runs that are not repeated."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.datasets.read import read
from workbench.evaluate.published import (
    AT_ZERO,
    AT_ZERO_NO_DIFFUSION,
    CLAIMS,
    CORE,
    LME_S,
    ORACLE,
    PERMISSIVE,
    PUBLISHED,
    STRESS,
    Claim,
    row_of,
)
from workbench.evaluate.runs import TABLE1
from workbench.evaluate.table1 import FAILS, HOLDS, NOT_AVAILABLE, UNDECIDED, table1, verdict
from workbench.extract.base import extractors
from workbench.ingest import ingest
from workbench.store import open_store

STORY = """
story_id: {id}
story_name: The kiln
category: Learning
batches:
  - {{batch: 1, time: Monday 9:00 AM, user_input: "I booked a kiln slot with Oriane for Thursday."}}
  - {{batch: 2, time: Tuesday 9:00 AM, user_input: "How do I wedge clay with a wire?"}}
  - {{batch: 3, time: Thursday 6:00 PM, user_input: "The celadon glaze came out greener than I hoped."}}
questions:
  - {{question_id: {id}_q1, question: "Who did I book the kiln with?", expected_contains: [Oriane]}}
  - {{question_id: {id}_q2, question: "Which glaze did I use?", expected_contains: [celadon, greener]}}
  - {{question_id: {id}_q3, question: "Which glaze was green?", expected_contains: [celadon, turquoise]}}
"""


@pytest.mark.parametrize(
    ("higher", "lower", "kind", "expected"),
    [
        ([1, 1, 1, 1], [0.5, 0.5, 0.25, 0.5], "below", HOLDS),
        ([0.5, 0.5, 0.25, 0.5], [1, 1, 1, 1], "below", FAILS),
        ([1, 0.5, 1, 0.5], [0.5, 1, 0.5, 1], "below", UNDECIDED),
        ([1, 1, 1, 1], [1, 1, 1, 1], "below", UNDECIDED),
        ([1, 1, 1, 1], [1, 1, 1, 1], "not_above", HOLDS),
        ([1, 0.5], [1, 0.5], "same", HOLDS),
        ([1, 0.5], [0.5, 1], "same", FAILS),
        ([None, None], [0.5, 1], "below", NOT_AVAILABLE),
    ],
)
def test_an_ordering_needs_its_interval_on_one_side_of_nothing(higher, lower, kind, expected) -> None:
    found = verdict(Claim("row", kind, "a", "b"), {"a": higher * 4, "b": lower * 4})
    assert found.verdict == expected


def test_a_few_questions_decide_no_ordering() -> None:
    columns = {"a": [1.0] * 9, "b": [0.5] * 9}
    assert verdict(Claim("row", "below", "a", "b"), columns).verdict == UNDECIDED
    assert verdict(Claim("row", "below", "a", "b"), {arm: [*each, each[0]] for arm, each in columns.items()}).verdict == HOLDS


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1] * 10, HOLDS), ([0.99] * 10, HOLDS), ([0.5, 0.25] * 5, FAILS), ([1] * 11 + [0.5], UNDECIDED), ([1] * 9, UNDECIDED)],
)
def test_a_level_is_reached_where_its_interval_reaches_it(values, expected) -> None:
    assert verdict(Claim("row", "at_least", "a", bound=0.99), {"a": values}).verdict == expected


def test_a_claim_about_a_method_that_did_not_run_is_not_available() -> None:
    found = verdict(Claim("row", "below", "openclaw", "bm25"), {"bm25": [1.0, 1.0]})
    assert (found.verdict, found.n, found.difference) == (NOT_AVAILABLE, 0, None)


def test_rows_follow_the_benchmark_and_the_number_of_the_story() -> None:
    assert [row_of("atant", each) for each in ("1", "50", "51", "250", "251", "x")] == [
        CORE,
        CORE,
        STRESS,
        STRESS,
        "atant",
        "atant",
    ]
    assert (row_of("longmemeval_s", "x"), row_of("longmemeval_oracle", "x"), row_of("locomo", "1")) == (LME_S, ORACLE, "locomo")


def test_the_published_table_bears_out_the_claims_made_of_it() -> None:
    """The data as typed against the orderings as typed: a slip in either shows."""
    for claim in CLAIMS:
        for line in PUBLISHED:
            if line.row != claim.row or not {claim.higher, claim.lower or claim.higher} <= set(line.mrr):
                continue
            high, low = line.mrr[claim.higher], line.mrr.get(claim.lower)
            if claim.kind == "at_least" and isinstance(high, float):
                assert high >= (claim.bound or 0), claim.text
            elif isinstance(high, float) and isinstance(low, float):
                assert low < high, (claim.text, line.extraction)


@pytest.fixture
def stories(own_demo_store: Path, tmp_path: Path) -> Path:
    """The demo with two stories that count as Core and one that counts as Stress."""
    for number in (3, 4, 60):
        (tmp_path / f"story{number}.yaml").write_text(STORY.format(id=number), encoding="utf-8")
    files = [(str(file), read(file)) for file in sorted(tmp_path.glob("*.yaml"))]
    ingest(files, own_demo_store, extractors["rules"]())
    return own_demo_store


def test_every_benchmark_and_extraction_has_a_row_with_intervals(stories: Path) -> None:
    rows = {row.row: row for row in table1(stories)}
    assert set(rows) == {"atant_demo", "longmemeval_demo", CORE, CORE + PERMISSIVE, STRESS}
    core = rows[CORE]
    assert core.extraction == "rules"
    assert {name for name in core.cells if name in TABLE1} <= set(TABLE1)
    assert core.cells["bm25"].n == 6
    assert core.cells["bm25"].interval is not None
    assert rows[STRESS].cells["bm25"].n == 3
    assert core.tags is not None
    assert core.tags.cases == 2
    assert {claim.claim.row for claim in core.verdicts} == {CORE}
    # The third question's texts never stand together: strict 0, permissive not.
    assert rows[CORE + PERMISSIVE].cells["bm25"].mean > core.cells["bm25"].mean
    assert set(core.by_type) == {"Learning"}


def test_a_second_call_repeats_no_run(stories: Path) -> None:
    first = table1(stories, ["atant"])
    with open_store(stories, read_only=True) as store:
        runs = [row.id for row in store.runs.list()]
    seen: list[tuple[str, int, int]] = []
    assert table1(stories, ["atant"], announce=lambda *told: seen.append(told)) == first
    with open_store(stories, read_only=True) as store:
        assert [row.id for row in store.runs.list()] == runs
    assert seen == []


def test_an_unknown_benchmark_is_named_with_those_there_are(demo_store: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(demo_store, tmp_path / "one.duckdb"))
    with pytest.raises(KeyError, match="no benchmark 'longmemeval_x'; the store has: atant_demo"):
        table1(path, ["longmemeval_x"])


def test_a_full_history_gets_the_control_without_distractors(real_data: Path, tmp_path: Path) -> None:
    """On a real history: with the gold sessions only, diffusion changes no reciprocal rank (6.1)."""
    path = tmp_path / "one.duckdb"
    file = real_data / "longmemeval" / "longmemeval_s_e47becba.json"
    ingest([(str(file), read(file))], path, extractors["rules"]())
    (row,) = table1(path)
    assert row.row == LME_S
    assert {AT_ZERO, AT_ZERO_NO_DIFFUSION} <= set(row.cells)
    assert row.cells[AT_ZERO].mean == 1.0
    (same,) = (each for each in row.verdicts if each.claim.kind == "same")
    assert (same.difference, same.verdict) == (0.0, HOLDS)
