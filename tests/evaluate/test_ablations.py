"""Ablations: which arms there are, and what their table says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import pytest
from histories import ask, case_of

from workbench.evaluate.ablations import ablation, ablation_table, arm, without
from workbench.evaluate.estimates import arms_of
from workbench.evaluate.inputs import common_extraction
from workbench.evaluate.runs import MethodSpec, evaluate
from workbench.evaluate.significance import paired_test
from workbench.evaluate.stored import run_stored
from workbench.methods.base import create
from workbench.records import Run
from workbench.settings import ablation_switches, setting
from workbench.store import open_store


@dataclass(frozen=True)
class FourParts:
    """A method with four parts to take away, and a yes/no field that is none."""

    gate: bool = setting(True, "a part", "Some paper 4, Ablation study")
    bridge: bool = setting(True, "a part", "Some paper ablation")
    budget: bool = setting(True, "a part", "Some paper ablation")
    paths: bool = setting(True, "a part", "Some paper ablation")
    verbose: bool = setting(True, "no part")
    alpha: float = setting(0.5, "not a yes/no field", "Some paper ablation")


def test_switches_are_what_the_configuration_marks() -> None:
    assert ablation_switches(FourParts) == ("gate", "bridge", "budget", "paths")
    assert ablation_switches(create("adaptive").Config) == ("diffusion", "chronological", "file_seeding")
    assert ablation_switches(create("bm25").Config) == ()


def test_all_combinations_of_three_switches() -> None:
    arms = ablation()
    assert [each.arm for each in arms] == [
        "adaptive",
        "adaptive - diffusion",
        "adaptive - chronological",
        "adaptive - file_seeding",
        "adaptive - diffusion - chronological",
        "adaptive - diffusion - file_seeding",
        "adaptive - chronological - file_seeding",
        "adaptive - diffusion - chronological - file_seeding",
    ]
    for each in arms:
        config = create(each.name, each.profile, each.overrides).config
        off = {name for name in ablation_switches(type(config)) if not getattr(config, name)}
        assert off == set(each.point["off"])


def test_more_than_three_switches_go_singly_and_all_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(create("adaptive").__class__, "Config", FourParts)
    assert [each.point["off"] for each in ablation()] == [
        [],
        ["gate"],
        ["bridge"],
        ["budget"],
        ["paths"],
        ["gate", "bridge", "budget", "paths"],
    ]


def test_the_rest_of_the_configuration_holds_in_every_arm() -> None:
    arms = ablation(switches=["diffusion"], profile="literal", overrides={"alpha": 0.5})
    configs = [create(each.name, each.profile, each.overrides).config for each in arms]
    assert configs[1] == replace(configs[0], diffusion=False)
    assert (configs[0].alpha, configs[0].filter_floor) == (0.5, 0)


@pytest.mark.parametrize(
    ("ask_for", "said"),
    [
        (lambda: ablation(switches=["diffuse"]), "no ablation switch 'diffuse'; it has: diffusion, chronological, file_seeding"),
        (lambda: ablation("bm25"), "bm25 has no part"),
        (lambda: ablation(switches=["diffusion"], overrides={"diffusion": False}), "diffusion is off already"),
        (lambda: without("bm25", ["idf"]), "it has: none"),
        (lambda: arm("adaptive - alpha"), "no ablation switch 'alpha'"),
    ],
)
def test_what_cannot_be_switched_off_is_named(ask_for, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ask_for()


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(KeyError, match="adaptiv"):
        arm("adaptiv - diffusion")


def test_a_label_reads_back_as_its_arm() -> None:
    for each in ablation(overrides={"alpha": 0.5}):
        assert arm(each.arm, overrides={"alpha": 0.5}) == each


def ablated(*questions: tuple[str, str, str]) -> Run:
    cases = [case_of(ask(id, text, sessions=(gold,)), id=id) for id, text, gold in questions]
    return evaluate(cases, ablation(), {}, kind="ablation", now=lambda: datetime(2026, 1, 2))


def test_the_table_holds_means_and_paired_differences_of_the_run() -> None:
    """ "new" is in every note and dropped; the cello's notes are s0's, so that s5 is reached by diffusion only, if at all."""
    run = ablated(("a", "the new cello", "s0"), ("b", "the new cello", "s5"), ("c", "ferry part", "s1"))
    table = ablation_table(run)
    values = {label: [r.measures["mrr"] for r in run.results if r.method == label] for label in run.points}
    assert (table.method, table.measure, table.questions) == ("adaptive", "mrr", 3)
    assert [row.arm for row in table.rows] == [each.arm for each in ablation()]
    full, off = table.rows[0], table.rows[1]
    assert (full.test, full.p_holm, full.acted) == (None, None, 0)
    assert full.estimate.mean == pytest.approx(sum(values["adaptive"]) / 3)
    assert off.test == paired_test(values["adaptive - diffusion"], values["adaptive"])
    assert off.test.difference < 0
    assert all(row.p_holm >= row.test.p for row in table.rows[1:])


def test_parts_that_could_not_act_are_seen() -> None:
    """Without diffusion the time line's edges carry nothing: its removal changes no ranking any more."""
    run = ablated(("a", "the new cello", "s0"), ("b", "orchid", "s5"))
    acted = {row.off: (row.acted, row.compared) for row in ablation_table(run).rows}
    assert acted["diffusion",] == acted["diffusion", "chronological"] == (2, 2)
    by_arm = {label: [r.note_ids for r in run.results if r.method == label] for label in run.points}
    assert by_arm["adaptive - diffusion"] == by_arm["adaptive - diffusion - chronological"]
    assert by_arm["adaptive - diffusion - file_seeding"] == [(), ()]


def test_a_stored_ablation_gives_the_same_table(own_demo_store: Path) -> None:
    with open_store(own_demo_store, read_only=True) as store:
        keys = [row.key for row in store.cases.list("longmemeval_demo")] or [row.key for row in store.cases.list()][:4]
        row = common_extraction(store, keys)
    arms = ablation()
    table = ablation_table(run_stored(own_demo_store, keys, arms, row, kind="ablation"))
    with open_store(own_demo_store, read_only=True) as store:
        again = store.runs.get(store.runs.list(kinds=["ablation"])[0].id)
    assert arms_of(again) == tuple(each.arm for each in arms)
    assert ablation_table(again) == table
    assert table.rows[-1].estimate.mean == 0.0


def test_runs_of_another_kind_or_without_the_full_method_are_refused() -> None:
    run = ablated(("a", "the new cello", "s0"))
    with pytest.raises(ValueError, match="kind 'evaluation'"):
        ablation_table(replace(run, kind="evaluation"))
    with pytest.raises(ValueError, match="recall@7"):
        ablation_table(run, "recall@7")
    less = evaluate([case_of(ask("a", "cello", sessions=("s0",)))], [arm("adaptive - diffusion")], {}, kind="ablation")
    with pytest.raises(ValueError, match="no arm with everything on"):
        ablation_table(less)


def test_an_ablated_arm_is_the_method_with_the_field_set() -> None:
    case = case_of(ask("a", "the new cello", sessions=("s5",)))
    one, other = evaluate(
        [case], [arm("adaptive - diffusion"), MethodSpec("adaptive", overrides={"diffusion": False})], {}
    ).results
    assert (one.note_ids, one.scores) == (other.note_ids, other.scores)
