"""Terminals and alignment, the fast path, the context, and what a construction can find at all."""

from __future__ import annotations

import numpy as np
import pytest
from ariadne_dialogues import BIKE, BIKE_QUESTION, MAY, MEETING, at, config, method, talk
from builders import memory_of, note

from workbench.ariadne.coverage import coverage
from workbench.ariadne.decisions import row_of
from workbench.ariadne.fast_path import attribute_asked
from workbench.ariadne.index import DECIDED, READ, construction_of, index_of
from workbench.ariadne.terminals import first, named_persons
from workbench.memory import Memory


def test_the_first_are_the_largest_above_zero_and_the_newer_of_equals() -> None:
    assert first(np.array([0.2, 0.5, 0.0, 0.5, -1.0]), 3) == [3, 1, 0]
    assert first(np.array([0.2, 0.5, 0.0, 0.5, -1.0]), 10) == [3, 1, 0]


def test_an_entry_without_the_named_person_counts_half_on_both_legs() -> None:
    memory = talk((MAY, "Ana", "I sing in the choir."), (MAY, "Ben", "I sing in the shower."), (MAY, "Eva", "The boat leaks."))
    one = method(memory).trace("Where does Ana sing?").legs
    none = method(memory).trace("Where do you sing?").legs
    assert one.persons == ("ana",)
    assert none.persons == ()
    assert one.factor.tolist() == [1.0, 0.5, 0.5]
    plain = method(memory, align_factor=1.0).trace("Where does Ana sing?").legs
    assert one.cosine == pytest.approx(plain.cosine * one.factor)
    assert one.bm25 == pytest.approx(plain.bm25 * one.factor)


def test_a_query_that_names_all_who_talk_weighs_nobody_down() -> None:
    memory = talk(*BIKE)
    index = index_of(memory, config())
    assert named_persons("Did Lena meet Tom?", index) == ()
    assert named_persons("Did Lena go?", index) == ("lena",)
    assert named_persons("Could Ida go?", index) == ("ida",)
    assert named_persons("Idaho?", index) == ()


def test_relevance_is_the_sum_of_both_halves() -> None:
    trace = method(talk(*BIKE)).trace(BIKE_QUESTION)
    best = trace.legs.bm25.max()
    for member in trace.terminals.values():
        expected = 0.5 * trace.legs.cosine[member.node] + 0.5 * trace.legs.bm25[member.node] / best
        assert member.relevance == pytest.approx(expected)
        assert member.place_dense is not None or member.place_keyword is not None
    assert (trace.legs.cosine >= 0).all()


def test_the_context_lists_facts_by_time_with_their_price() -> None:
    trace = method(talk(*BIKE), k_sem=2, k_lex=1).trace(BIKE_QUESTION)
    facts = [line for line in trace.context.text.split("\n") if line.startswith("[")]
    assert facts[0] == "[F1] Lena on 4 March 2024: My sister Ida started at the bakery on Mill Street."
    assert "F1 → F2 → F3" in trace.context.text
    assert [trace.index.nodes[node].refs[0] for node in trace.context.facts.values()] == ["E1", "E3", "E6"]
    assert trace.context.tokens == -(-len(trace.context.text) // 4)


def test_without_topology_there_are_facts_alone() -> None:
    text = method(talk(*MEETING), topology=False).trace("When is the budget meeting?").context.text
    assert "Facts:" in text
    assert "Paths:" not in text
    assert "Updates:" not in text


@pytest.mark.parametrize("text", ["When is the meeting?", "What happened?", "the meeting", ""])
def test_other_questions_take_no_fast_path(text: str) -> None:
    assert attribute_asked(text) is None


def test_the_fast_path_answers_from_a_chain_of_updates_alone() -> None:
    moves = (
        (at(MAY, 1), "Ana", "My phone number ends in 44."),
        (at(MAY, 2), "Ben", "My phone number ends in 13."),
        (at(MAY, 9), "Ana", "My phone number ends in 71."),
    )
    question = "What is Ana's phone number?"
    fast = method(talk(*moves), fast_path=True).trace(question)
    assert fast.is_fast
    assert [fast.index.nodes[node].refs[0] for node in sorted(fast.budget.kept)] == ["E1", "E3"]
    assert "(updated: 44, now 71)" in fast.context.text
    assert not method(talk(*moves)).trace(question).is_fast
    assert not method(talk(*moves), fast_path=True).trace("What is Ana's shoe size?").is_fast


def test_decisions_are_kept_and_read_back_without_work(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = talk(*MEETING)
    found = construction_of(memory, config())
    assert {state.kind for state in memory.states.fresh} == {READ, DECIDED}
    again = Memory(memory.notes, memory.participants, states=memory.states)

    def none(*args: object) -> None:
        raise AssertionError("worked out again")

    monkeypatch.setattr("workbench.ariadne.index.decide", none)
    monkeypatch.setattr("workbench.ariadne.index.read_notes", none)
    other = construction_of(again, config())
    assert [row_of(each) for each in other.coarsening] == [row_of(each) for each in found.coarsening]
    assert other.nodes == found.nodes
    with pytest.raises(AssertionError, match="again"):
        construction_of(again, config(coarsen_overlap=0.5))


def test_coverage_tells_what_can_not_be_found() -> None:
    memory = memory_of(note("a", user="I sing."), note("b", assistant="You do.", day=2), note("c", user="?!", day=3))
    found = coverage(construction_of(memory, config()), memory.notes)
    assert (found.kept, found.only_suppressed, found.none) == ({"a"}, frozenset(), {"b", "c"})
    assert found.share == pytest.approx(1 / 3)
    assert coverage(construction_of(Memory(), config()), ()).share is None
