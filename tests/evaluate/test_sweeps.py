"""Sweeps: their arms, their tables, and what must hold at their ends."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from histories import ask, case_of

from workbench.datasets.read import read
from workbench.evaluate.inputs import case_inputs, common_extraction
from workbench.evaluate.reductions import Distractors, StoreSize
from workbench.evaluate.runs import CaseInput, configurations, evaluate
from workbench.evaluate.stored import run_stored
from workbench.evaluate.sweep_table import SweepTable, sweep_table
from workbench.evaluate.sweeps.base import Options, Sweep, offered, sweeps
from workbench.extract.base import extractors
from workbench.ingest import ingest
from workbench.records import Run
from workbench.store import open_store


def swept(name: str, cases: Sequence[CaseInput], **options: object) -> Run:
    arms = sweeps[name].arms(Options(**options))  # type: ignore[arg-type]
    return evaluate(cases, arms, {}, kind="sweep", now=lambda: datetime(2026, 1, 2))


def two_cases() -> list[CaseInput]:
    return [case_of(ask(id, f"the new {id}", sessions=(gold,)), id=id) for id, gold in (("cello", "s0"), ("kiln", "s6"))]


# Arms ---------------------------------------------------------------------------------------------------------------------


def test_what_the_task_names_is_offered() -> None:
    named = {"distractors", "store_size", "alpha", "filter_share", "filter_floor", "hop_bound", "topic_policy", "direction"}
    assert set(offered()) >= named | {"bm25_variant", "file_seed_share"}


@pytest.mark.parametrize("name", list(offered()))
def test_every_sweep_makes_valid_arms_at_all_its_points(name: str) -> None:
    sweep = offered()[name]
    arms = sweep.arms(Options())
    assert len(configurations(arms)) == len(arms)
    assert [*dict.fromkeys(each.point["value"] for each in arms)] == list(sweep.points)
    assert {each.point["arm"] for each in arms} == set(sweep.methods)
    assert all(each.point["sweep"] == name for each in arms)
    for text in (sweep.help, sweep.axis, sweep.source):
        assert text.strip()


@pytest.mark.parametrize("name", [name for name, each in offered().items() if not each.samples])
def test_a_fields_points_differ_in_that_field_alone(name: str) -> None:
    sweep = offered()[name]
    first = sweep.methods[0]
    configs = [config for arm, config in configurations(sweep.arms(Options(methods=[first]))).items() if arm.startswith(first)]
    differing = {field for field in configs[0] if len({str(config[field]) for config in configs}) > 1}
    assert differing == {sweep.field}  # type: ignore[attr-defined]


def test_points_are_read_from_text_and_keep_the_rest_of_the_configuration() -> None:
    arms = sweeps["alpha"].arms(Options(["0.2"], ["adaptive"], overrides={"adaptive": {"file_seed_share": "0.9"}}))
    config = configurations(arms)["adaptive @ alpha=0.2"]
    assert (config["alpha"], config["file_seed_share"], arms[0].point["value"]) == (0.2, 0.9, 0.2)


def test_every_point_is_drawn_under_every_seed_but_those_where_nothing_is_drawn() -> None:
    drawn = [each.reduction for each in sweeps["distractors"].arms(Options(["0", "8"], ["bm25"], seeds=2))]
    assert drawn == [Distractors(0, 1), Distractors(8, 1), Distractors(8, 2)]
    sizes = [each.reduction for each in sweeps["store_size"].arms(Options(["8", "all"], ["bm25"], seeds=2))]
    assert sizes == [StoreSize(8, 1), StoreSize(8, 2), None]


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("distractors", {"points": ["many"]}, "'many' is neither a whole number"),
        ("store_size", {"points": ["0"]}, "store size is 0"),
        ("alpha", {"points": ["1.5"]}, "alpha is 1.5"),
        ("alpha", {"methods": ["bm25"]}, "bm25 has no field 'alpha'; methods that have it: adaptive"),
        ("topic_policy", {"points": ["whole"]}, "'whole' is not one of"),
        ("direction", {"methods": ["adaptive - walking"]}, "no ablation switch 'walking'"),
        ("alpha", {"seeds": 0}, "seeds is 0"),
    ],
)
def test_what_does_not_fit_is_named(name: str, options: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        sweeps[name].arms(Options(**options))


def test_a_sweep_whose_methods_are_not_registered_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing(Sweep):
        def arms(self, options: Options) -> list:
            return []

    monkeypatch.setitem(sweeps._entries, "other", Missing("other", "h", "a", "linear", (1,), "s", ("not_a_method",)))
    assert "other" in sweeps
    assert "other" not in offered()


# Tables -------------------------------------------------------------------------------------------------------------------


def test_the_table_takes_each_questions_mean_over_seeds_first() -> None:
    run = swept("distractors", two_cases(), points=["1", "3"], methods=["bm25", "adaptive"], seeds=3)
    table = sweep_table(run, "recall@5")
    values = {(r.method, r.case): r.measures["recall@5"] for r in run.results}
    (row,) = (each for each in table.rows if (each.value, each.arm) == (3, "bm25"))
    by_seed = [
        [values[f"bm25 @ distractors=3 seed={seed}", f"longmemeval_s/{case}"] for case in ("cello", "kiln")] for seed in (1, 2, 3)
    ]
    assert row.estimate.n == 2
    assert row.estimate.mean == pytest.approx(sum(map(sum, by_seed)) / 6)
    assert row.spread == (min(map(sum, by_seed)) / 2, max(map(sum, by_seed)) / 2)
    assert (row.seeds, row.store_notes) == (3, 8.0)
    assert [(each.value, each.arm) for each in table.rows] == [(1, "bm25"), (1, "adaptive"), (3, "bm25"), (3, "adaptive")]


def test_contributions_are_paired_differences_of_arms_that_differ_by_one_switch() -> None:
    run = swept("distractors", two_cases(), points=["0", "8"], seeds=1)
    table = sweep_table(run)
    assert {each.label for each in table.contributions} == {
        "diffusion in adaptive",
        "diffusion in adaptive - file_seeding",
        "file_seeding in adaptive",
        "file_seeding in adaptive - diffusion",
    }
    means = {(row.value, row.arm): row.estimate.mean for row in table.rows}
    for each in table.contributions:
        base = " - ".join([each.method, *each.beside])
        less = next(arm for arm in table.arms if set(arm.split(" - ")) == {each.method, *each.beside, each.switch})
        assert each.test.difference == pytest.approx(means[each.value, base] - means[each.value, less])


def test_arms_of_other_methods_have_no_contributions() -> None:
    assert sweep_table(swept("store_size", two_cases(), points=["4"], methods=["bm25", "adaptive"])).contributions == ()


def test_the_whole_store_is_a_point_of_its_own() -> None:
    table = sweep_table(swept("store_size", two_cases(), points=["4", "all"], methods=["bm25"], seeds=2))
    assert [(row.value, row.store_notes, row.seeds) for row in table.rows] == [(4, 4.0, 2), ("all", 20.0, 1)]


def test_a_run_of_another_kind_is_refused() -> None:
    run = swept("alpha", two_cases(), points=["0.5"], methods=["adaptive"])
    with pytest.raises(ValueError, match="kind 'evaluation'"):
        sweep_table(replace(run, kind="evaluation"))
    with pytest.raises(ValueError, match="recall@7"):
        sweep_table(run, "recall@7")


# What must hold -----------------------------------------------------------------------------------------------------------


def diffusion_alone(table: SweepTable, value: int) -> tuple[float, tuple[float, float] | None, int]:
    (found,) = (each.test for each in table.contributions if (each.label, each.value) == ("diffusion in adaptive", value))
    return found.difference, found.interval, found.wins + found.losses


def keys_of(path: Path, benchmark: str) -> list[str]:
    with open_store(path, read_only=True) as store:
        return [row.key for row in store.cases.list(benchmark)]


@pytest.mark.parametrize("profile", ["default", "literal"])
def test_without_distractors_diffusion_contributes_exactly_nothing(demo_store: Path, profile: str) -> None:
    """With only gold sessions every candidate is right (TAGGRAPH 6.1); file seeds make sure that there is one."""
    keys = keys_of(demo_store, "longmemeval_demo")
    run = swept("distractors", [*case_inputs(demo_store, keys)], points=["0", "8"], seeds=2, profile=profile)
    table = sweep_table(run)
    assert table.questions == len(keys) == 7
    assert diffusion_alone(table, 0) == (0.0, (0.0, 0.0), 0)
    means = {row.arm: row.estimate.mean for row in table.rows if row.value == 0}
    assert (means["adaptive"], means["adaptive - diffusion"]) == (1.0, 1.0)
    # With both off no file has a score: diffusion then is worth all that it finds, and not 0.
    assert means["adaptive - diffusion - file_seeding"] == 0.0
    # With others among them the two arms do differ, so that the above could have failed.
    assert diffusion_alone(table, 8)[2] > 0


def test_without_distractors_diffusion_contributes_nothing_in_real_cases(real_data: Path, tmp_path: Path) -> None:
    check_real(sorted((real_data / "longmemeval").glob("longmemeval_s_*.json")), tmp_path, 1)


@pytest.mark.slow
def test_without_distractors_diffusion_contributes_nothing_in_all_real_cases(real_data: Path, tmp_path: Path) -> None:
    check_real([real_data / "longmemeval" / "longmemeval_s_subset.json.gz"], tmp_path, 40)


def check_real(paths: Sequence[Path], folder: Path, cases: int) -> None:
    store = folder / "real.duckdb"
    ingest([(str(path), read(path)) for path in paths], store, extractors["rules"](), workers=1)
    keys = keys_of(store, "longmemeval_s")
    assert len(keys) == cases
    run = swept("distractors", [*case_inputs(store, keys)], points=["0"])
    difference, _, changed = diffusion_alone(sweep_table(run), 0)
    assert (difference, changed) == (0.0, 0)


def test_a_stored_sweep_gives_the_table_of_the_one_in_memory(own_demo_store: Path) -> None:
    keys = keys_of(own_demo_store, "longmemeval_demo")[:2]
    arms = sweeps["distractors"].arms(Options(["0", "3"], ["adaptive", "bm25"], seeds=2))
    with open_store(own_demo_store, read_only=True) as store:
        row = common_extraction(store, keys)
    run = run_stored(own_demo_store, keys, arms, row, kind="sweep")
    in_memory = evaluate(case_inputs(own_demo_store, keys, row.key), arms, {}, kind="sweep")
    assert sweep_table(run) == sweep_table(in_memory)
    with open_store(shutil.copy(own_demo_store, own_demo_store.with_name("copy.duckdb")), read_only=True) as store:
        assert sweep_table(store.runs.get(run.id)) == sweep_table(in_memory)
