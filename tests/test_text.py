"""The analyser: words, folding and stems (spec 1, decision 1)."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from workbench.text import Analyser

SIMPLE = Analyser("simple")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("   \n\t", []),
        ("?! -- ___ ...", []),
        ("Hello, World", ["hello", "world"]),
        ("food/cake_pops-and/more", ["food", "cake", "pops", "and", "more"]),
        ("don't", ["don", "t"]),
        ("5k run at 10:30", ["5k", "run", "at", "10", "30"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("ＦＵＬＬ ｗｉｄｔｈ １２", ["full", "width", "12"]),
        ("ﬁne", ["fine"]),
        ("São Paulo café", ["são", "paulo", "café"]),
        ("東京 タワー", ["東京", "タワー"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("a\x00b", ["a", "b"]),
        ("zero\u200bwidth \u202eright", ["zero", "width", "right"]),
        ("🎸guitar🎸", ["guitar"]),
        ("tea tea", ["tea", "tea"]),
    ],
)
def test_words_are_folded_runs_of_letters_and_digits(text: str, words: list[str]) -> None:
    assert SIMPLE.words(text) == words


def test_composed_and_decomposed_letters_are_the_same_word() -> None:
    assert SIMPLE.words(unicodedata.normalize("NFD", "crème brûlée")) == SIMPLE.words("crème brûlée") == ["crème", "brûlée"]


def test_the_default_brings_inflections_together() -> None:
    for one, other in [("museum", "museums"), ("visit", "visited"), ("bake", "baking"), ("city", "cities")]:
        assert Analyser().words(one) == Analyser().words(other)
        assert SIMPLE.words(one) != SIMPLE.words(other)


def test_surface_keeps_the_words_before_stemming() -> None:
    assert Analyser().surface("Two Museums") == ["two", "museums"]


@pytest.mark.parametrize(("text", "words"), [("हिन्दी में", ["हिन्दी", "में"]), ("ภาษาไทย", ["ภาษาไทย"]), ("e\u0301tude", ["étude"])])
def test_marks_belong_to_their_word(text: str, words: list[str]) -> None:
    assert SIMPLE.words(text) == words


@given(st.text())
def test_any_text_becomes_plain_words(text: str) -> None:
    words = SIMPLE.words(text)
    assert all(regex.fullmatch(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*", word) for word in words)
    assert len(Analyser().words(text)) == len(words)


@given(st.text(st.sampled_from("aAbs ingd,é")))
def test_counts_are_those_of_the_words(text: str) -> None:
    for analyser in (Analyser(), SIMPLE):
        assert analyser.counts(text) == Counter(analyser.words(text))


@given(st.text(), st.text())
def test_texts_are_analysed_one_by_one(one: str, other: str) -> None:
    assert Analyser().words(f"{one}\n{other}") == Analyser().words(one) + Analyser().words(other)


@given(st.text(st.characters(codec="ascii")))
def test_case_does_not_matter(text: str) -> None:
    assert Analyser().words(text.upper()) == Analyser().words(text.lower())


def test_analysers_of_the_same_kind_are_one_key() -> None:
    # Words, indexes and graphs are shared by the analyser that made them.
    assert Analyser() == Analyser("snowball")
    assert hash(Analyser()) == hash(Analyser("snowball"))
    assert Analyser() != SIMPLE
