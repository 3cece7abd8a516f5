"""A memory keeps its notes in order and derives each thing once."""

from __future__ import annotations

import random

import pytest
from builders import memory_of, note, note_lists
from hypothesis import given
from hypothesis import strategies as st

from workbench.memory import Memory
from workbench.records import Note
from workbench.text import Analyser


def ids(memory: Memory) -> list[str]:
    return [each.id for each in memory.notes]


def test_notes_are_ordered_by_time_then_session_position_then_round() -> None:
    # Two sessions share their minute; without the position their rounds would interleave.
    memory = memory_of(
        note("b1", day=1, position=1, round=1),
        note("late", day=2, position=0),
        note("a1", day=1, position=0, round=1),
        note("b0", day=1, position=1, round=0),
        note("a0", day=1, position=0, round=0),
        note("undated", day=None, position=9),
    )
    assert ids(memory) == ["undated", "a0", "a1", "b0", "b1", "late"]


def test_notes_at_the_same_place_are_told_apart_by_id() -> None:
    # Newest first is the reverse of this order, and lists the smaller id first.
    assert ids(memory_of(note("b"), note("c"), note("a"))) == ["c", "b", "a"]


@given(notes=note_lists(), shuffle=st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_when_a_note_was_remembered(notes: list[Note], shuffle: random.Random) -> None:
    assert ids(Memory(shuffle.sample(notes, len(notes)))) == ids(Memory(notes))


def test_a_memory_is_a_container_of_notes() -> None:
    one = note("n1")
    memory = memory_of(one)
    assert (len(memory), "n1" in memory, "n2" in memory, memory["n1"]) == (1, True, False, one)
    assert len(Memory()) == 0
    assert Memory().notes == ()


def test_a_duplicate_id_is_named() -> None:
    memory = memory_of(note("n1"))
    with pytest.raises(ValueError, match="note 'n1' is already remembered"):
        memory.add(note("n1", user="other"))
    assert memory["n1"].interaction.user == ""


def test_a_view_is_built_once_until_the_next_note() -> None:
    memory, built = memory_of(note("n1")), []

    def build(memory: Memory) -> int:
        built.append(len(memory))
        return len(memory)

    assert [memory.view("size", build) for _ in range(3)] == [1, 1, 1]
    memory.add(note("n2"))
    assert [memory.view("size", build) for _ in range(2)] == [2, 2]
    assert built == [1, 2]


def test_word_counts_follow_the_notes_and_are_kept_per_analyser_and_fields() -> None:
    memory = memory_of(note("late", user="Cakes cake", day=2), note("early", user="tea", assistant="milk", day=1))
    assert memory.word_counts(Analyser(), ("user",)) == [{"tea": 1}, {"cake": 2}]
    assert memory.word_counts(Analyser("simple"), ("user",)) == [{"tea": 1}, {"cakes": 1, "cake": 1}]
    assert memory.word_counts(Analyser(), ("user", "assistant")) == [{"tea": 1, "milk": 1}, {"cake": 2}]
    memory.add(note("first", user="rose", day=0))
    assert memory.word_counts(Analyser(), ("user",)) == [{"rose": 1}, {"tea": 1}, {"cake": 2}]


# What a method costs -------------------------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still unless a view moves it."""
    now = [0.0]
    monkeypatch.setattr("workbench.memory.time.perf_counter", lambda: now[0])
    return now


def test_a_view_that_was_built_before_is_charged_to_everyone_who_needs_it(clock: list[float]) -> None:
    def slow(memory: Memory) -> int:
        clock[0] += 3.0
        return 1

    def on_top(memory: Memory) -> int:
        clock[0] += 0.5
        return memory.view("slow", slow) + 1

    memory = memory_of(note("n1"))
    with memory.watch() as first:
        memory.view("top", on_top)
    with memory.watch() as second:
        memory.view("top", on_top)
        memory.view("slow", slow)  # needed twice, charged once
    with memory.watch() as third:
        memory.view("slow", slow)
    with memory.watch() as free:
        pass
    assert (first.seconds, second.seconds, third.seconds, free.seconds) == (3.5, 3.5, 3.0, 0.0)
