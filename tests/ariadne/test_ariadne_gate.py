"""The gate: what repeats a recent entry is dropped, at the exact bounds, and what adds something is not."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from ariadne_dialogues import CAT, MAY, config, entry, method, talk

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.coverage import coverage
from workbench.ariadne.decisions import GateDecision, gate
from workbench.ariadne.index import construction_of


def decide(minutes: float = 30, similarity: float = 0.9, settings: AriadneConfig | None = None, **fields: object) -> GateDecision:
    earlier = entry(0, time=MAY)
    turn = entry(1, time=MAY + timedelta(minutes=minutes), **fields)  # type: ignore[arg-type]
    return gate(turn, [earlier], np.array([similarity]), settings or config())


@pytest.mark.parametrize(("minutes", "action"), [(0, "dropped"), (59, "dropped"), (60, "kept"), (61, "kept")])
def test_only_what_repeats_within_the_hour_is_dropped(minutes: float, action: str) -> None:
    found = decide(minutes)
    assert (found.action, found.match, found.gap_hours) == (action, 0, pytest.approx(minutes / 60))


@pytest.mark.parametrize(("similarity", "action"), [(0.6, "kept"), (0.6 + 1e-12, "kept"), (0.601, "dropped")])
def test_the_bound_itself_is_not_above_it(similarity: float, action: str) -> None:
    assert decide(similarity=similarity).action == action


def test_an_undated_turn_is_kept() -> None:
    found = gate(entry(1, time=None), [entry(0)], np.array([1.0]), config())
    assert (found.action, found.gap_hours) == ("kept", None)


def test_an_empty_store_and_a_gate_that_is_off_keep_everything() -> None:
    assert gate(entry(), [], np.empty(0), config()).action == "kept"
    assert decide(settings=config(gate=False)).rule == "the gate is off"


@pytest.mark.parametrize("kind", ["number", "date", "time", "negation", "name"])
def test_a_turn_that_adds_a_value_is_kept_under_the_guard(kind: str) -> None:
    added = {kind: ("x",)}
    assert decide(values=added).rule == f"adds a {kind}"
    assert decide(settings=config(gate_value_guard=False), values=added).action == "dropped"


def test_a_question_is_no_entry_to_repeat_under_the_guard() -> None:
    asked, told = entry(0, is_question=True), entry(1)
    turn = entry(2, time=MAY + timedelta(minutes=1))
    found = gate(turn, [asked, told], np.array([0.95, 0.3]), config())
    assert (found.action, found.match) == ("kept", 1)
    assert gate(turn, [asked], np.array([0.95]), config()).rule == "no earlier entry states anything"
    assert gate(turn, [asked, told], np.array([0.95, 0.3]), config(gate_value_guard=False)).action == "dropped"


def test_of_equally_near_entries_the_newest_is_compared() -> None:
    earlier = [entry(0, time=MAY), entry(1, time=MAY + timedelta(hours=3))]
    found = gate(entry(2, time=MAY + timedelta(hours=3.5)), earlier, np.array([0.9, 0.9]), config())
    assert (found.match, found.action) == (1, "dropped")


@pytest.mark.parametrize("embeddings", ["wordllama", "minilm"])
def test_repetition_recurrence_and_negation_in_a_made_up_talk(embeddings: str) -> None:
    memory = talk(*CAT)
    made = method(memory, embeddings=embeddings)
    found = construction_of(memory, made.config)
    assert [each.action for each in found.gate] == ["kept", "dropped", "kept", "kept", "kept"]
    assert [each.action for each in found.coarsening] == ["added", "dropped", "merged", "added", "linked"]
    cat, allergic, denied = found.nodes  # in the order in which each was said last
    assert (cat.refs, cat.suppressed) == (("E1", "E3"), ("E2",))
    assert cat.time == CAT[2][0]
    (link,) = found.links
    assert (found.nodes[link.older], found.nodes[link.newer], link.kind) == (allergic, denied, "updated")
    assert (link.old, link.new) == (("affirmed",), ("negated",))
    assert coverage(found, memory.notes).only_suppressed == {"s2#1"}
    assert "s2#1" not in [hit.note_id for hit in made.query("a grey cat", None).hits]


def test_methods_over_one_memory_decide_each_under_its_own_settings() -> None:
    memory = talk(*CAT)
    by_default = construction_of(memory, config())
    for fields in ({"gate": False}, {"coarsening": False}, {"gate_similarity": 0.99}, {"coarsen_similarity": 0.999}):
        changed = construction_of(memory, config(**fields))
        assert (changed.gate, changed.coarsening) != (by_default.gate, by_default.coarsening), fields
        assert changed == construction_of(talk(*CAT), config(**fields))
