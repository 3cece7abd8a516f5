"""Helpful tags as TAGGRAPH 5.5 defines them, and the query words that lack one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from builders import WORDS, memory_of, note, note_lists
from hypothesis import given
from hypothesis import strategies as st

from workbench.diagnose.tags import BY_SPELLING, HelpfulTag, MissingWord, near_by_spelling, tag_report
from workbench.diagnose.telling import telling
from workbench.graph import tag_graph
from workbench.methods.base import Words, create
from workbench.methods.tags import BasicConfig, match_tags, traverse
from workbench.records import Note
from workbench.text import Analyser


def test_helpful_is_attached_and_matched_whatever_the_filter_does() -> None:
    crowd = [note(f"c{number}", user="cake", day=number + 2) for number in range(5)]
    report = tag_report(memory_of(note("n", ("food/cake", "music")), *crowd), "n", "Which cakes?")
    assert report.helpful == (HelpfulTag("food/cake", ("cake",), ("cake",)),)
    assert report.filtered == report.helpful


def test_missing_words_say_where_the_note_holds_them() -> None:
    memory = memory_of(
        note("n", "music", user="We went to the museum", assistant="The museum has a garden", where="place/hall"),
        note("m", "place/museum", day=2),
    )
    report = tag_report(memory, "n", "the museum, garden or bakery?")
    by_word = {word.spoken: word for word in report.missing}
    assert {spoken: (word.where, word.is_telling) for spoken, word in by_word.items()} == {
        "the": ("user", False),
        "museum": ("user", True),
        "garden": ("assistant", True),
        "or": ("nowhere", False),
        "bakery": ("nowhere", True),
    }
    (near,) = by_word["museum"].near
    assert (near.path, near.score, near.notes, near.is_on_note) == ("place/museum", 100.0, 1, False)


def test_a_tag_that_is_near_in_two_ways_counts_under_the_first() -> None:
    memory = memory_of(note("n", "food/pastry"), note("m", "food/cakes_and_pies"))

    def by_meaning(word: str, paths: Sequence[str]) -> list[tuple[str, float]]:
        return [(path, 90.0) for path in paths]

    report = tag_report(memory, "n", "cake", near={**BY_SPELLING, "meaning": by_meaning})
    (word,) = report.missing
    assert isinstance(word, MissingWord)
    found = [(each.path, each.by, each.is_on_note) for each in word.near]
    assert found == [("food/cakes_and_pies", "spelling", False), ("food/pastry", "meaning", True)]


def test_spelling_is_near_without_digits_and_reserved_roots() -> None:
    assert near_by_spelling("place", ["place/museum"]) == []
    assert near_by_spelling("2023", ["date/2024", "date/2023"]) == [("date/2023", 100.0)]
    assert near_by_spelling("guitars", ["music/guitar", "guitar", "food"])[0][1] > 90


def test_a_note_that_is_not_there_raises() -> None:
    with pytest.raises(KeyError, match="no note 'gone'"):
        tag_report(memory_of(note("n")), "gone", "cake")


def test_other_languages_keep_their_words() -> None:
    analyser = Analyser()
    assert telling(analyser.words("Wo steht mein Fahrrad?"), analyser) == tuple(analyser.words("Wo steht mein Fahrrad"))


@given(notes=note_lists(), text=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join))
def test_helpful_tags_are_those_that_a_traversal_reaches_at_distance_zero(notes: list[Note], text: str) -> None:
    memory = memory_of(*notes)
    method = create("tag_basic", memory=memory)
    config = method.config
    assert isinstance(config, BasicConfig)
    graph = tag_graph(memory, config)
    reached = traverse(graph, match_tags(graph, Words(text, memory, config))[0], config)
    for row, each in enumerate(memory.notes):
        report = tag_report(memory, each.id, text, config)
        assert bool(report.helpful) == (reached.distance[row] == 0)
        words = {word for tag in report.helpful for word in tag.words} | {word.word for word in report.missing}
        assert words == set(Analyser().words(text))
