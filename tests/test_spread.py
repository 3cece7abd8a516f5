"""A query's diffusion as data: sums, events, what-if, and the same numbers everywhere."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from builders import memory_of, note

from workbench.datasets.read import read
from workbench.evaluate.inputs import case_inputs
from workbench.extract.base import extractors
from workbench.ingest import extract_case
from workbench.memory import Memory
from workbench.methods.adaptive import AdaptiveConfig, Spread
from workbench.methods.base import create
from workbench.records import Loaded
from workbench.spread import attribution, mass_by_kind, measures, ranks, spread_json, trace, what_if
from workbench.store import open_store

CONFIG = AdaptiveConfig()


@pytest.fixture(scope="module")
def demo_spreads(demo_store: Path) -> list[tuple[Memory, str, Spread]]:
    """Every question of the demo with its memory and spread."""
    found = []
    with open_store(demo_store, read_only=True) as store:
        for given in case_inputs(store, [row.key for row in store.cases.list()]):
            memory = given.memory()
            found += [(memory, q.text, Spread.of(memory, q.text, CONFIG)) for q in given.case.questions]
    return found


def check_attribution(spread: Spread) -> None:
    """Seeds, and edges plus restart, sum to the score; each seed's part is its own solve, weighted."""
    limit = ranks(spread, spread.x)
    for note_id in limit.notes[:10]:
        found = attribution(spread, note_id, walks=0)
        assert sum(part.value for part in found.seeds) == pytest.approx(found.score, abs=1e-9)
        assert sum(part.value for part in found.edges) + found.restart == pytest.approx(found.score, abs=1e-9)


def test_attribution_sums_to_the_score_for_every_hit_of_every_demo_question(demo_spreads: list) -> None:
    assert len(demo_spreads) == 91
    for _, _, spread in demo_spreads:
        check_attribution(spread)


def check_real_cases(file: Path, n: int) -> None:
    found = islice((item for item in read(file) if isinstance(item, Loaded)), n)
    asked = 0
    for loaded in found:
        memory = Memory(extract_case(extractors["rules"](), ("", loaded)).notes)
        for question in loaded.case.questions:
            check_attribution(Spread.of(memory, question.text, CONFIG))
            asked += 1
    assert asked == n


def test_attribution_sums_to_the_score_on_a_real_case(real_data: Path) -> None:
    check_real_cases(real_data / "longmemeval" / "longmemeval_s_e47becba.json", 1)


@pytest.mark.slow
def test_attribution_sums_to_the_score_on_ten_real_cases(real_data: Path) -> None:
    check_real_cases(real_data / "longmemeval" / "longmemeval_s_subset.json.gz", 10)


def test_a_seeds_part_is_its_own_solve(demo_spreads: list) -> None:
    """Without isolated nodes among the seeds, x is the seed-weighted mean of the single solves."""
    _, _, spread = demo_spreads[0]
    node = spread.files.start + 2
    parts = spread.diffusion.attribute(spread.seeds.mass, node, spread.x)
    lost = float(spread.x[spread.diffusion.is_dangling].sum())
    assert lost == 0
    for seed in np.flatnonzero(spread.seeds.mass):
        alone = np.zeros(spread.graph.n_nodes)
        alone[seed] = 1.0
        assert parts[seed] == pytest.approx(spread.seeds.mass[seed] * spread.diffusion.solve(alone)[node], abs=1e-8)


def test_the_trace_ends_where_the_method_ranks(demo_spreads: list) -> None:
    for memory, text, spread in demo_spreads[::9]:
        traced = trace(spread)
        assert traced.trace.converged
        hits = create("adaptive", memory=memory).query(text, k=None).hits
        assert ranks(spread, spread.x).notes == tuple(hit.note_id for hit in hits)
        assert traced.steps[-1].x == pytest.approx(spread.x, abs=1e-9)


def test_mass_by_kind_sums_to_one_at_every_step(demo_spreads: list) -> None:
    traced = trace(demo_spreads[3][2])
    for step in traced.steps:
        assert sum(traced.mass_by_kind(step.iteration).values()) == pytest.approx(1)
        assert 0 <= traced.teleport(step.iteration) <= 1
    assert mass_by_kind(traced.spread, traced.steps[0].x)["topic"] == 0


def test_events_happen_when_they_say(demo_spreads: list) -> None:
    for memory, _, spread in demo_spreads[::11]:
        traced = trace(spread)
        gold = {memory.notes[0].id}
        for event in traced.events(gold, k=5):
            top = [each.notes[:5] for each in traced.ranks]
            if event.kind == "order_freezes":
                assert all(notes == top[-1] for notes in top[event.iteration :])
                assert event.iteration == 0 or top[event.iteration - 1] != top[-1]
            if event.kind == "gold_in_top":
                assert all(gold & set(notes) for notes in top[event.iteration :])
                assert event.iteration == 0 or not gold & set(top[event.iteration - 1])
            if event.kind == "converged":
                assert traced.steps[event.iteration].residual <= traced.trace.tol


MEMORY = memory_of(
    note("a#1", "music/cello", user="I bought a cello", day=1),
    note("b#1", "music/cello", extra="music/strings", user="The cello needs strings", day=2),
    note("c#1", "travel/boat", where="place/oslo", user="We sailed to Oslo", day=3),
)


def test_what_if_nothing_changes_moves_nothing() -> None:
    found = what_if(MEMORY, "cello strings", CONFIG, CONFIG)
    assert found.moves
    assert all(move.before == move.after for move in found.moves)


def test_a_muted_seed_is_out_and_the_rest_keep_their_proportions() -> None:
    whole = Spread.of(MEMORY, "cello strings", CONFIG)
    muted = Spread.of(MEMORY, "cello strings", CONFIG, muted={"tag:music/strings"})
    names = whole.graph.node_ids
    at = names.index("tag:music/strings")
    assert whole.seeds.mass[at] > 0
    assert muted.seeds.mass[at] == 0
    kept = np.flatnonzero(muted.seeds.mass)
    ratios = muted.seeds.mass[kept] / whole.seeds.mass[kept]
    assert ratios == pytest.approx(np.full(len(kept), ratios[0]))
    assert muted.seeds.mass.sum() == pytest.approx(1)


def test_muting_every_seed_leaves_nothing_ranked() -> None:
    whole = Spread.of(MEMORY, "cello strings", CONFIG)
    every = {whole.graph.node_ids[at] for at in np.flatnonzero(whole.seeds.mass)}
    found = what_if(MEMORY, "cello strings", CONFIG, CONFIG, every)
    assert ranks(found.after, found.after.x).notes == ()
    assert all(move.after is None for move in found.moves)


def test_what_if_alpha_zero_is_diffusion_off() -> None:
    """Files without seed mass are ranked by neither."""
    zero = Spread.of(MEMORY, "cello strings", replace(CONFIG, alpha=0.0))
    off = Spread.of(MEMORY, "cello strings", replace(CONFIG, diffusion=False))
    assert ranks(zero, zero.x) == ranks(off, off.x)


def test_measures_without_diffusion_move_nothing() -> None:
    found = measures(Spread.of(MEMORY, "cello", replace(CONFIG, diffusion=False)), {"b#1"})
    assert found.moved == 0
    assert found.carried == {}
    assert found.rank_before == found.rank_after


def test_measures_of_a_query_without_file_seeds_are_not_available_rather_than_zero() -> None:
    found = measures(Spread.of(MEMORY, "cello", replace(CONFIG, file_seeding=False)), {"b#1"})
    assert found.files_before is None
    assert found.moved is None
    assert found.rank_before is None


def test_attribution_of_an_unknown_note_names_it() -> None:
    with pytest.raises(KeyError, match="nowhere"):
        attribution(Spread.of(MEMORY, "cello", CONFIG), "nowhere")


def test_json_holds_steps_events_and_attribution() -> None:
    found = spread_json(trace(Spread.of(MEMORY, "cello strings", CONFIG)), {"b#1"}, k=2)
    assert found["converged"]
    assert found["steps"][0]["residual"] is None
    assert found["steps"][-1]["gold_rank"] == 1
    assert len(found["attribution"]) == 2
    first = found["attribution"][0]
    assert sum(part["value"] for part in first["seeds"]) == pytest.approx(first["score"])
