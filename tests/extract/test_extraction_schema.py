"""The extraction schema: which paths parse, which limits hold, which input is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.extract.schema import (
    MAX_PER_CATEGORY,
    MAX_PER_NOTE,
    MAX_SUMMARY_WORDS,
    ValidationCounts,
    normalise_path,
    validate,
)
from workbench.records import CATEGORIES

GRAMMAR = re.compile(r"[^\W_]+(_[^\W_]+)*(/[^\W_]+(_[^\W_]+)*){0,2}")
raws = st.fixed_dictionaries(
    {},
    optional={name: st.none() | st.lists(st.text("aB1é/_- .!", max_size=9), max_size=14) for name in CATEGORIES}
    | {"summary": st.none() | st.text(max_size=300)},
)


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("Career/Software Engineering", "career/software_engineering"),
        ("food / gluten-free  bread", "food/gluten_free_bread"),
        ("place/São Paulo", "place/são_paulo"),
        ("place/Sa\u0303o Paulo", "place/são_paulo"),
        ("Ｆｏｏｄ/Ｔｅａ", "food/tea"),
        ("地名/京都", "地名/京都"),
        ("name/Trader Joe's", "name/trader_joes"),
        ("__food__/tea_", "food/tea"),
        ("straße", "strasse"),
        ("q&a", "qa"),
    ],
)
def test_paths_are_written_one_way(raw: str, path: str) -> None:
    assert normalise_path(raw) == path


@pytest.mark.parametrize("raw", ["", " ", "/", "food/", "/food", "food//tea", "a/b/c/d", "!!!", "x" * 61, "हिन्दी"])
def test_what_is_no_path_is_none(raw: str) -> None:
    assert normalise_path(raw) is None


@given(st.text(max_size=40))
def test_a_normalised_path_follows_the_grammar_and_stays(raw: str) -> None:
    path = normalise_path(raw)
    if path is not None:
        assert GRAMMAR.fullmatch(path)
        assert normalise_path(path) == path


@given(raws)
def test_an_extraction_keeps_its_bounds(raw: dict[str, Any]) -> None:
    extraction, counts = validate(raw)
    assert sum(1 for _ in extraction.pairs()) <= MAX_PER_NOTE
    assert len(extraction.summary.split()) <= MAX_SUMMARY_WORDS
    for name in CATEGORIES:
        paths = getattr(extraction, name)
        assert len(paths) == len(set(paths)) <= MAX_PER_CATEGORY
    given_paths = sum(len(raw.get(name) or ()) for name in CATEGORIES)
    kept = sum(1 for _ in extraction.pairs())
    assert given_paths == kept + counts.dropped + counts.duplicates + counts.cut


@given(raws)
def test_validating_twice_changes_nothing(raw: dict[str, Any]) -> None:
    once, _ = validate(raw)
    again, counts = validate({name: getattr(once, name) for name in (*CATEGORIES, "summary")})
    assert again == once
    assert counts == ValidationCounts()


def test_every_loss_is_counted() -> None:
    what = ["food/tea", "Food/Tea", "a/b/c/d", *(f"w{n}" for n in range(9))]
    extraction, counts = validate({"what": what, "summary": "word " * 41})
    assert extraction.what == ("food/tea", "w0", "w1", "w2", "w3", "w4", "w5", "w6")
    assert counts == ValidationCounts(dropped=1, duplicates=1, cut=2, summaries_cut=1)
    assert counts + counts == ValidationCounts(2, 2, 4, 2)


def test_over_the_limit_of_a_note_the_least_salient_go_whatever_their_category() -> None:
    raw = {name: [f"{name}/{n}" for n in range(8)] for name in ("who", "what", "where", "extra")}
    extraction, counts = validate(raw)
    assert all(getattr(extraction, name) == tuple(raw[name][:6]) for name in raw)
    assert counts.cut == 8


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ([], "must be a mapping"),
        ({"what": "food/tea"}, "what must be a list of tag paths, not str 'food/tea'"),
        ({"when": [2023]}, "when must hold tag paths as text, not int 2023"),
        ({"what": {"food": 1}}, "what must be a list"),
        ({"summary": ["a"]}, "summary must be text"),
    ],
)
def test_a_wrong_type_is_named(raw: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        validate(raw)


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(ValueError, match="unknown field whom; known: who, what"):
        validate({"whom": []})
