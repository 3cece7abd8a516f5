"""Vectors are worked out once; near tags by meaning."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import numpy as np
import pytest

from workbench.embed.base import Rows, Thresholds, embedder
from workbench.embed.near import near_by_meaning, near_duplicates_by_meaning
from workbench.embed.vectors import Vectors, VectorSet, text_digest
from workbench.errors import EmbeddingError


class Counting:
    """The hash backend in batches of two, noting what it is asked; it fails from a given call on."""

    name, model, batch, is_for_tests, dimension = "counting", "one", 2, True, None
    thresholds = Thresholds(0.1, 0.2, 0.3)

    def __init__(self, fails_at: int | None = None) -> None:
        self.calls: list[list[str]] = []
        self.fails_at = fails_at

    def embed(self, texts: Sequence[str]) -> Rows:
        self.calls.append(list(texts))
        if len(self.calls) == self.fails_at:
            raise EmbeddingError("down")
        return embedder("hash").embed(texts)


def test_a_text_is_worked_out_once_and_equal_texts_together() -> None:
    source, vectors = Counting(), Vectors()
    first = vectors.of(source, ["tea", "cake", "tea", "rose"])
    assert source.calls == [["tea", "cake"], ["rose"]]
    again = vectors.of(source, ["rose", "tea", "new"])
    assert source.calls[2:] == [["new"]]
    assert np.array_equal(again[:2], first[[3, 0]])


def test_what_was_known_is_not_fresh() -> None:
    source = Counting()
    known = VectorSet(source.name, source.model, {text_digest("tea"): np.ones(64, np.float32)})
    vectors = Vectors([known])
    assert vectors.of(source, ["tea", "cake"])[0].sum() == 64
    assert source.calls == [["cake"]]
    assert [list(each.rows) for each in vectors.fresh] == [[text_digest("cake")]]


def test_what_came_before_a_failure_is_kept() -> None:
    source, vectors = Counting(fails_at=2), Vectors()
    with pytest.raises(EmbeddingError, match="down"):
        vectors.of(source, ["a", "b", "c", "d", "e"])
    vectors.of(source, ["a", "b", "c"])
    assert source.calls[2:] == [["c"]]


def test_vectors_of_another_length_are_refused() -> None:
    source = Counting()
    known = VectorSet(source.name, source.model, {text_digest("tea"): np.ones(3, np.float32)})
    with pytest.raises(EmbeddingError, match=r"shape \(1, 64\)"):
        Vectors([known]).of(source, ["tea", "cake"])


def test_models_are_kept_apart() -> None:
    one, other, vectors = Counting(), Counting(), Vectors()
    other.model = "two"
    vectors.of(one, ["tea"])
    vectors.of(other, ["tea"])
    assert other.calls == [["tea"]]


def test_vectors_travel_to_another_process() -> None:
    source, vectors = Counting(), Vectors()
    vectors.of(source, ["tea"])
    copy = pickle.loads(pickle.dumps(vectors))
    assert np.array_equal(copy.of(source, ["tea"]), vectors.of(source, ["tea"]))
    assert len(source.calls) == 1


PATHS = ["health/doctor", "music/guitar", "vehicles/bicycle", "place/paris", "date/2024", "food/movie_snack"]


def test_a_tag_that_means_the_same_is_near() -> None:
    near = near_by_meaning(embedder("wordllama"))
    assert [path for path, _ in near("physician", PATHS)] == ["health/doctor"]
    ((path, score),) = near("bike", PATHS)
    assert path == "vehicles/bicycle"
    assert 40 <= score <= 100
    assert near("bike", []) == near("bike", ["date/2024"]) == []


def test_a_higher_bound_leaves_fewer() -> None:
    source = embedder("wordllama")
    assert near_by_meaning(source, 0.99)("physician", PATHS) == []
    assert len(near_by_meaning(source, -1.0)("physician", PATHS)) == len(PATHS) - 1  # all but the date


def test_each_tag_is_embedded_once_for_all_words() -> None:
    source = Counting()
    near = near_by_meaning(source)
    near("tea", PATHS)
    before = len(source.calls)
    near("cake", PATHS)
    assert source.calls[before:] == [["cake"]]


def test_near_duplicates_by_meaning_are_pairs_in_their_order() -> None:
    source = embedder("wordllama")
    found = near_duplicates_by_meaning(
        ["hobby/film", "family/kids", "leisure/movie", "people/children", "date/may", "a/car"], source
    )
    assert {(each.first, each.second) for each in found} == {
        ("hobby/film", "leisure/movie"),
        ("family/kids", "people/children"),
    }
    assert {each.reason for each in found} == {"similar meaning"}
    assert all(source.thresholds.same_tag * 100 <= each.score <= 100 for each in found)


def test_tags_of_the_same_stems_are_left_to_the_spelling() -> None:
    assert near_duplicates_by_meaning(["birds/hummingbird", "organization/hummingbirds"], embedder("wordllama")) == ()
