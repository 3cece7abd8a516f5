"""Coarsening: merge, link or add at the exact bounds; what a link says; the order of time, not of arrival."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from ariadne_dialogues import MAY, MEETING, at, config, entry, line_note, method, talk

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.construction import decide, settle
from workbench.ariadne.decisions import CoarseningDecision, coarsen, link_kind
from workbench.ariadne.entries import Entry
from workbench.ariadne.index import construction_of
from workbench.memory import Memory


def one(new: Entry, old: Entry, similarity: float = 0.9, settings: AriadneConfig | None = None) -> CoarseningDecision:
    return coarsen(new, [old], np.array([similarity]), settings or config())


FIVE = "budget meet priya office plan"


@pytest.mark.parametrize(("similarity", "action"), [(0.7, "added"), (0.7 + 1e-12, "added"), (0.701, "merged")])
def test_a_cosine_at_the_bound_adds(similarity: float, action: str) -> None:
    assert one(entry(1), entry(0), similarity).action == action


@pytest.mark.parametrize(
    ("shared", "overlap", "action"),
    [("budget meet priya office", 0.8, "linked"), (FIVE, 1.0, "merged"), ("budget", 0.2, "linked")],
)
def test_an_overlap_at_the_bound_links(shared: str, overlap: float, action: str) -> None:
    found = one(entry(1, FIVE), entry(0, shared))
    assert (found.overlap, found.action) == (pytest.approx(overlap), action)


def test_an_entry_without_keywords_links_where_it_is_similar() -> None:
    found = one(entry(1, ""), entry(0))
    assert (found.overlap, found.action) == (0.0, "linked")
    assert one(entry(1, ""), entry(0), 0.5).action == "added"


@pytest.mark.parametrize("kind", ["number", "date", "time", "negation", "name"])
def test_other_values_never_merge_under_the_guard(kind: str) -> None:
    new, old = entry(1, values={kind: ("x",)}), entry(0, values={kind: ("y",)})
    assert (one(new, old).action, one(new, old).rule) == ("linked", "other values")
    assert one(new, old, settings=config(merge_value_guard=False)).action == "merged"


def test_questions_and_short_entries_never_merge() -> None:
    assert one(entry(1, is_question=True), entry(0)).action == "linked"
    assert one(entry(1), entry(0, is_question=True)).action == "linked"
    assert one(entry(1, "budget meet"), entry(0, "budget meet")).rule == "too short to be the same"
    assert one(entry(1, "budget meet"), entry(0, "budget meet"), settings=config(merge_least_keywords=0)).action == "merged"


def test_any_merge_beats_a_link_and_the_nearest_merge_wins() -> None:
    earlier = [entry(0), entry(1), entry(2, "other words here")]
    found = coarsen(entry(3), earlier, np.array([0.75, 0.74, 0.99]), config())
    assert (found.action, found.match) == ("merged", 0)


def test_a_link_goes_from_the_newest_similar_entry() -> None:
    earlier = [entry(0, "a b c"), entry(1, "d e f"), entry(2, "g h i")]
    found = coarsen(entry(3), earlier, np.array([0.95, 0.8, 0.1]), config())
    assert (found.action, found.match) == ("linked", 1)


def test_coarsening_can_be_off() -> None:
    assert one(entry(1), entry(0), settings=config(coarsening=False)).action == "added"


def test_only_another_value_of_the_same_subject_is_an_update() -> None:
    old, new = entry(0, values={"number": ("2",)}), entry(1, values={"number": ("3",)})
    assert link_kind(old, new, frozenset()) == ("updated", ("2",), ("3",))
    assert link_kind(old, entry(1, values={"number": ("3",)}, subject="party"), frozenset())[0] == "continues"
    assert link_kind(old, entry(1, values={"number": ("3",)}, subject=None), frozenset())[0] == "continues"
    assert link_kind(old, entry(1, values={"number": ("3",)}, speaker="Ben"), frozenset())[0] == "continues"
    assert link_kind(old, entry(1, values={"number": ("3",)}, is_question=True), frozenset())[0] == "continues"
    assert link_kind(old, entry(1), frozenset())[0] == "continues"  # nothing in place of the 2
    assert link_kind(old, new, old.keywords)[0] == "continues"  # all that they share is everywhere


@pytest.mark.parametrize("embeddings", ["wordllama", "minilm"])
@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1)])
def test_a_moved_meeting_is_an_update_in_whatever_order_it_arrives(embeddings: str, order: tuple[int, ...]) -> None:
    memory = Memory((line_note(number, MEETING[number - 1]) for number in order), ("Ana",))
    found = construction_of(memory, method(memory, embeddings=embeddings).config)
    assert [node.refs for node in found.nodes] == [("E1",), ("E2",), ("E3",)]
    (link,) = found.links
    assert (link.older, link.newer, link.kind, link.old, link.new) == (0, 2, "updated", ("2 pm",), ("3 pm",))
    assert found.coarsening[2].overlap == pytest.approx(5 / 7)
    assert found.coarsening[2].similarity == pytest.approx(0.94 if embeddings == "wordllama" else 0.87, abs=0.01)


def test_without_the_guard_and_with_a_lower_overlap_the_new_time_is_thrown_away() -> None:
    memory = talk(*MEETING)
    made = method(memory, merge_value_guard=False, coarsen_overlap=0.7)
    assert [node.refs for node in construction_of(memory, made.config).nodes] == [("E2",), ("E1", "E3")]


def test_the_newest_state_is_found_and_takes_over_the_relevance() -> None:
    made = method(talk(*MEETING), embeddings="minilm")
    question = "When is the budget meeting?"
    hits = made.query(question).hits
    assert [hit.note_id for hit in hits][:2] == ["s3#1", "s1#1"]
    assert hits[0].score == hits[1].score == pytest.approx(0.82, abs=0.005)
    assert any("newest state of E1" in remark for remark in hits[0].why.remarks)
    assert "F1 ⇒ F3 (updated: 2 pm, now 3 pm)" in made.trace(question).context.text
    stale = method(talk(*MEETING), embeddings="minilm", follow_updates=False).query(question).hits
    assert stale[0].note_id == "s1#1"
    assert next(hit.score for hit in stale if hit.note_id == "s3#1") < 0.6


def test_a_return_to_an_earlier_state_is_a_state_of_its_own() -> None:
    back = (at(MAY, 7, 9), "Ana", "The budget meeting with Priya is on Friday at 2 pm.")
    memory = talk(*MEETING, back)
    made = method(memory)
    found = construction_of(memory, made.config)
    assert [node.refs for node in found.nodes] == [("E1",), ("E2",), ("E3",), ("E4",)]
    assert found.chains() == [(0, 2, 3)]
    assert found.newest == {0: 3, 2: 3}


def test_an_entry_that_merges_leaves_its_time_and_turns_behind() -> None:
    entries = [entry(0, time=MAY), entry(1, "x y z", time=MAY + timedelta(days=1)), entry(2, time=MAY + timedelta(days=2))]
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    found = settle(entries, entries, decide(entries, entries, vectors, vectors, config()))
    assert [(node.refs, node.notes, node.first_time, node.time) for node in found.nodes] == [
        (("E1",), (1,), MAY + timedelta(days=1), MAY + timedelta(days=1)),
        (("E0", "E2"), (0, 2), MAY, MAY + timedelta(days=2)),
    ]
