"""Word statistics by hand, and the common-word filter (spec 2.5, decision 2)."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from builders import memory_of, note, note_lists
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.memory import Memory
from workbench.records import Note
from workbench.terms import TermIndex, is_common, query_words, term_index
from workbench.text import Analyser

FIELDS = ("user",)


def index(*texts: str) -> TermIndex:
    memory = memory_of(*(note(f"n{i}", user=text, day=i) for i, text in enumerate(texts)))
    return term_index(memory, Analyser(), FIELDS)


def test_counts_and_frequencies_by_hand() -> None:
    terms = index("tea tea milk", "tea", "")
    assert terms.n_notes == 3
    assert terms.tf("tea").tolist() == [2, 1, 0]
    assert terms.tf("milk").tolist() == [1, 0, 0]
    assert terms.tf("rum").tolist() == [0, 0, 0]
    assert [terms.frequency(word) for word in ("tea", "milk", "rum")] == [2, 1, 0]


def test_idf_by_hand() -> None:
    # ln((1 + N) / (1 + df)) + 1 with N = 3.
    terms = index("tea tea milk", "tea", "")
    assert terms.idf_of("tea") == pytest.approx(math.log(4 / 3) + 1, abs=1e-15)
    assert terms.idf_of("milk") == pytest.approx(math.log(4 / 2) + 1, abs=1e-15)
    assert terms.idf_of("rum") == pytest.approx(math.log(4) + 1, abs=1e-15)
    assert terms.idf[terms.vocabulary["tea"]] == terms.idf_of("tea")


def test_overlap_by_hand() -> None:
    # "tea tea milk": weights (1 + ln 2) idf(tea) and idf(milk), over their norm; "tea": 1; "": 0.
    terms = index("tea tea milk", "tea", "")
    tea, milk = (1 + math.log(2)) * (math.log(4 / 3) + 1), math.log(2) + 1
    norm = math.hypot(tea, milk)
    assert terms.overlap(("tea",)) == pytest.approx([tea / norm, 1, 0], abs=1e-15)
    assert terms.overlap(("tea", "milk", "rum")) == pytest.approx([(tea + milk) / norm, 1, 0], abs=1e-15)
    assert terms.overlap(()).tolist() == [0, 0, 0]


@settings(max_examples=50, deadline=None)
@given(notes=note_lists())
def test_the_index_counts_as_a_counter_does(notes: list[Note]) -> None:
    memory = memory_of(*notes)
    terms = term_index(memory, Analyser(), FIELDS)
    counters = [Counter(Analyser().words(each.interaction.user)) for each in memory.notes]
    assert set(terms.vocabulary) == set().union(*counters)
    for word in terms.vocabulary:
        assert terms.tf(word).tolist() == [counter[word] for counter in counters]
        assert terms.frequency(word) == sum(word in counter for counter in counters)
    norms = np.sqrt(np.asarray(terms.tfidf.multiply(terms.tfidf).sum(axis=1))).ravel()
    assert norms == pytest.approx([1.0 if counter else 0.0 for counter in counters], abs=1e-12)


def test_an_index_of_nothing() -> None:
    terms = term_index(Memory(), Analyser(), FIELDS)
    assert (terms.n_notes, terms.vocabulary, terms.frequency("tea")) == (0, {}, 0)
    assert terms.overlap(("tea",)).tolist() == []
    assert index("", "").overlap(("tea",)).tolist() == [0, 0]


@given(df=st.integers(0, 500), n=st.integers(0, 500), floor=st.integers(0, 4))
def test_a_word_is_common_in_more_than_15_of_100_notes_and_above_the_floor(df: int, n: int, floor: int) -> None:
    assert is_common(df, n, 0.15, floor) == (100 * df > 15 * n and df > floor)


def words(text: str, memory: Memory, share: float | None = 0.15, floor: int = 2) -> tuple[tuple[str, ...], ...]:
    found = query_words(text, memory, Analyser(), FIELDS, share, floor)
    return found.all, found.kept, found.dropped


def store(n: int, holders: int) -> Memory:
    return memory_of(*(note(f"n{i}", user="cup" if i < holders else "other", day=i) for i in range(n)))


def test_a_query_is_split_into_kept_and_dropped_words() -> None:
    memory = store(20, 4)
    assert words("Cups of cup rum", memory) == (("cup", "of", "cup", "rum"), ("of", "rum"), ("cup",))
    assert words("cups", memory, share=None) == (("cup",), ("cup",), ())
    assert query_words("a b a", memory, Analyser(), FIELDS, None, 0).distinct == ("a", "b")


@pytest.mark.parametrize(
    ("n", "df", "floor", "is_dropped"), [(20, 3, 2, False), (20, 4, 2, True), (6, 2, 2, False), (6, 2, 0, True), (1, 1, 2, False)]
)
def test_the_boundary_of_the_filter(n: int, df: int, floor: int, is_dropped: bool) -> None:
    assert words("cup", store(n, df), floor=floor)[2] == (("cup",) if is_dropped else ())


def test_a_word_that_no_note_holds_is_kept() -> None:
    assert words("rum", store(20, 20), floor=0)[1] == ("rum",)


def test_frequencies_are_counted_in_the_base() -> None:
    full = store(40, 5)
    assert words("cup", Memory(full.notes[:5]))[2] == ("cup",)
    assert words("cup", Memory(full.notes[:5], base=full))[1] == ("cup",)


def test_an_index_follows_its_memory() -> None:
    memory = store(3, 1)
    assert term_index(memory, Analyser(), FIELDS) is term_index(memory, Analyser(), FIELDS)
    memory.add(note("late", user="cup", day=9))
    assert term_index(memory, Analyser(), FIELDS).frequency("cup") == 2
