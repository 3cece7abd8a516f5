"""Repair: what a search offers does bring the note up when the methods run again, and says what else it moves."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from builders import memory_of, note

from workbench.diagnose.candidates import Bounds, setting_candidates
from workbench.diagnose.edits import AddTag, DropTag, MergeTag, SetField, apply
from workbench.diagnose.plain import search_json
from workbench.diagnose.repair import Search, collateral, rerun, search
from workbench.evaluate.inputs import case_input
from workbench.evaluate.relevance import relevance
from workbench.memory import Memory
from workbench.methods.base import MemoryRetriever, create
from workbench.records import Gold, Question
from workbench.store import open_store

METHODS = ("tag_basic", "tag_stopwords", "tag_tfidf", "adaptive", "bm25")


def ask(text: str, *gold: str, id: str = "q") -> Question:
    return Question(id, text, gold=Gold(notes=gold))


def made(memory: Memory, *names: str) -> dict[str, MemoryRetriever[Any]]:
    return {name: create(name, memory=memory) for name in names or METHODS}


def rank(method: MemoryRetriever[Any], text: str, note_id: str) -> int | None:
    return next((hit.rank for hit in method.query(text, None).hits if hit.note_id == note_id), None)


FILL = [note(f"x{number}", "garden/roses", user="roses", day=number + 10) for number in range(6)]


def test_a_missing_tag_is_added_where_the_text_supports_it() -> None:
    memory = memory_of(note("n", "music", user="lemon cake"), note("m", "food/cake", day=3), *FILL)
    found = search(memory, ask("lemon cake", "n"), "n", made(memory, "tag_basic"), k=1)
    smallest = found.smallest("tag_basic")
    assert smallest is not None
    assert smallest.edits == (AddTag("n", "lemon_cake"),)
    assert smallest.cost == 1
    (outcome,) = smallest.outcomes
    assert outcome.before is None
    assert outcome.after is not None
    assert outcome.after.rank == 1


def test_words_of_the_assistant_and_words_from_nowhere_cost_more() -> None:
    memory = memory_of(note("n", "music", assistant="lemon"), *FILL)
    costs = {edit: repair.cost for repair in search(memory, ask("lemon cake", "n"), "n", made(memory, "tag_basic")).repairs
             for edit in repair.edits}  # fmt: skip
    assert costs[AddTag("n", "lemon")] == 2
    assert costs[AddTag("n", "cake")] == 4


def test_a_word_is_let_through_the_filter_by_the_least_share() -> None:
    crowd = [note(f"c{number}", user="cake", day=number + 2) for number in range(5)]
    memory = memory_of(note("n", "food/cake", user="cake"), note("g", "guitar"), *crowd)
    config = create("tag_stopwords").config
    candidates = setting_candidates(memory, "cake or guitar", "n", "tag_stopwords", config)
    (edit,) = [each.edit for each in candidates if isinstance(each.edit, SetField) and each.edit.word]
    assert edit == SetField("tag_stopwords", "filter_share", 0.8572, "cake")
    methods = made(memory, "tag_stopwords")
    assert rank(methods["tag_stopwords"], "cake or guitar", "n") is None
    assert rank(rerun(methods, [edit], memory)["tag_stopwords"], "cake or guitar", "n") is not None


def test_pairs_are_tried_only_where_no_single_edit_is_enough() -> None:
    rivals = [note(f"r{number}", ("lemon/cake", "tea"), user="lemon cake tea", day=number + 2) for number in range(2)]
    memory = memory_of(note("n", "music", user="guitar"), *rivals, *FILL)
    found = search(memory, ask("lemon tea", "n"), "n", made(memory, "bm25"), k=1)
    none = search(memory, ask("lemon tea", "n"), "n", made(memory, "bm25"), k=1, bounds=Bounds(pairs_from=0))
    assert none.pairs == 0
    assert (found.pairs > 0) == bool(none.unrepaired)
    assert none.singles == found.singles


def test_a_note_that_is_found_needs_no_repair() -> None:
    memory = memory_of(note("n", "food/cake", user="cake"), *FILL)
    found = search(memory, ask("cake", "n"), "n", made(memory))
    assert (found.missed, found.repairs, found.singles, found.unrepaired) == ((), (), 0, ())


def test_misuse_raises() -> None:
    memory = memory_of(note("n"))
    with pytest.raises(KeyError, match="never stored"):
        search(memory, ask("cake"), "gone", made(memory))
    with pytest.raises(ValueError, match="k is 0"):
        search(memory, ask("cake"), "n", made(memory), 0)
    with pytest.raises(ValueError, match="no such field"):
        rerun(made(memory), [SetField("bm25", "colour", "red")], memory)


def test_collateral_follows_the_first_gold_note_of_other_questions() -> None:
    memory = memory_of(note("n", "tea", user="cake"), note("m", "food/cake", user="cake", day=2))
    methods = made(memory, "tag_basic")
    other = ask("cake", "m", id="other")
    (effect,) = collateral(memory, [AddTag("n", "food/cake/lemon")], methods, [other])
    assert (effect.before, effect.after, effect.change) == (1, 1, 0)
    (dropped,) = collateral(memory, [DropTag("food/cake")], methods, [other])
    assert (dropped.before, dropped.after, dropped.change) == (1, None, -1)
    (merged,) = collateral(memory, [MergeTag("tea", "food/cake")], methods, [ask("cake", "n", id="third")])
    assert (merged.before, merged.after, merged.change) == (None, 2, 1)


# --- the demo -----------------------------------------------------------------------------------------------------------------


@cache
def demo(store: Path, case: str) -> tuple[tuple[Question, ...], Memory]:
    with open_store(store, read_only=True) as opened:
        given = case_input(opened, case)
    return given.case.questions, given.memory()


@cache
def searched(store: Path, case: str, question: str = "") -> tuple[Search, Memory, Question]:
    questions, memory = demo(store, case)
    asked = next(each for each in questions if each.id == (question or case))
    gold = min(relevance(asked, memory.notes).notes)
    return search(memory, asked, gold, made(memory), others=questions), memory, asked


REPAIRED = [
    ("demo_missing_tag", "", {"tag_basic", "tag_stopwords", "tag_tfidf"}),
    ("demo_common_word", "", {"tag_basic", "bm25"}),
    ("demo_diffusion_helps", "", {"tag_basic", "tag_stopwords", "tag_tfidf", "bm25"}),
    ("demo_diffusion_hurts", "", {"tag_basic", "tag_stopwords", "tag_tfidf", "adaptive"}),
    ("demo_12", "demo_12_q1", {"tag_stopwords"}),
]


@pytest.mark.parametrize(("case", "question", "missed"), REPAIRED)
def test_each_prepared_failure_has_a_repair_that_works(demo_store: Path, case: str, question: str, missed: set[str]) -> None:
    """The methods run again over a memory that is built anew from edited notes."""
    found, memory, asked = searched(demo_store, case, question)
    assert set(found.missed) == missed
    assert not found.unrepaired
    for repair in found.repairs:
        tags = [edit for edit in repair.edits if not isinstance(edit, SetField)]
        anew = Memory(apply(tags, memory.notes) if tags else memory.notes, memory.participants)
        for outcome in repair.outcomes:
            fields = {
                edit.field: edit.value for edit in repair.edits if isinstance(edit, SetField) and edit.method == outcome.method
            }
            after = rank(create(outcome.method, overrides=fields, memory=anew), asked.text, found.note_id)
            assert after == (outcome.after.rank if outcome.after else None), (repair.edits, outcome.method)
            assert (outcome.method in repair.repairs) == (outcome.method in missed and after is not None and after <= found.k)


def test_the_demo_repairs_are_the_prepared_ones(demo_store: Path) -> None:
    missing, _, _ = searched(demo_store, "demo_missing_tag")
    assert missing.smallest("tag_stopwords").edits == (AddTag("answer_demo_a_1#1", "doorway_stretch"),)  # type: ignore[union-attr]

    hurts, memory, asked = searched(demo_store, "demo_diffusion_hurts")
    assert any(edit == SetField("adaptive", "diffusion", False) for repair in hurts.repairs for edit in repair.edits)
    switched = rerun(made(memory), [SetField("adaptive", "diffusion", False)], memory)
    assert rank(switched["adaptive"], asked.text, hurts.note_id) == 1

    filtered, _, _ = searched(demo_store, "demo_12", "demo_12_q1")
    assert any(edit.word == "dog" for repair in filtered.repairs for edit in repair.edits if isinstance(edit, SetField))


def test_collateral_is_given_for_the_smallest_repair(demo_store: Path) -> None:
    found, memory, asked = searched(demo_store, "demo_12", "demo_12_q1")
    smallest = found.smallest("tag_stopwords")
    assert smallest is not None
    assert smallest.collateral is not None
    assert asked.id not in {effect.question for effect in smallest.collateral}
    assert {effect.method for effect in smallest.collateral} == set(METHODS)
    again = rerun(made(memory), smallest.edits, memory)
    for effect in smallest.collateral:
        question = next(each for each in demo(demo_store, "demo_12")[0] if each.id == effect.question)
        gold = relevance(question, memory.notes).notes
        ranks = [hit.rank for hit in again[effect.method].query(question.text, None).hits if hit.note_id in gold]
        assert effect.after == min(ranks, default=None)


def test_a_search_changes_no_ranking_and_reads_as_plain_values(demo_store: Path) -> None:
    found, memory, asked = searched(demo_store, "demo_common_word")
    fresh = Memory(memory.notes, memory.participants)
    for name in METHODS:
        one, other = (create(name, memory=of).query(asked.text, None).hits for of in (memory, fresh))
        assert [(hit.note_id, round(hit.score, 9)) for hit in one] == [(hit.note_id, round(hit.score, 9)) for hit in other]
    written = search_json(found)
    assert written["repairs"][0]["outcomes"][0]["method"] == "tag_basic"
    assert written["bounds"]["pairs_from"] == 6
