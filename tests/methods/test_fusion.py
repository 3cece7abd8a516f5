"""Reciprocal-rank fusion."""

from __future__ import annotations

import pytest
from builders import memory_of, note
from hypothesis import given
from hypothesis import strategies as st

from workbench.methods.base import create

NOTES = (
    note("n1", "food/cake", user="lemon cake", day=1),
    note("n2", "food/cake", user="another cake with cream", day=2),
    note("n3", user="lemon tea", day=3),
    note("n4", user="red roses", day=4),
)


def by_hand(members: tuple[str, ...], constant: float, text: str) -> dict[str, float]:
    """Sums of 1 / (constant + rank), tied notes at the first rank of their block."""
    total: dict[str, float] = {}
    for name in members:
        first: dict[int, int] = {}
        for hit in create(name, memory=memory_of(*NOTES)).query(text, None).hits:
            rank = first.setdefault(hit.block, hit.rank)
            total[hit.note_id] = total.get(hit.note_id, 0.0) + 1 / (constant + rank)
    return total


@given(st.sampled_from(["lemon cake", "tea", "cake", "roses", "lemon"]), st.sampled_from([0.0, 1.0, 60.0]))
def test_scores_equal_the_formula(text: str, constant: float) -> None:
    for members in (("bm25", "dense"), ("bm25", "tag_basic", "adaptive")):
        method = create("fusion", overrides={"members": members, "constant": constant}, memory=memory_of(*NOTES))
        found = method.query(text, None)
        assert {hit.note_id: hit.score for hit in found.hits} == pytest.approx(by_hand(members, constant, text))


def test_parts_name_members_and_their_ranks() -> None:
    hit = create("fusion", memory=memory_of(*NOTES)).query("lemon cake").hits[0]
    assert {(part.kind, part.name, part.detail["rank"]) for part in hit.why.parts} == {
        ("fusion", "bm25", 1),
        ("fusion", "dense", 1),
    }
    assert hit.score == pytest.approx(2 / 61)


def test_a_members_tie_is_no_evidence() -> None:
    twins = memory_of(*(note(f"n{i}", user="red roses", day=i) for i in range(3)), note("x", user="tea", day=9))
    hits = [hit for hit in create("fusion", memory=twins).query("roses", None).hits if hit.note_id != "x"]
    assert len({hit.score for hit in hits}) == 1
    assert [hit.note_id for hit in hits] == ["n2", "n1", "n0"]


def test_members_remarks_are_kept_with_their_name() -> None:
    found = create("fusion", memory=memory_of(*NOTES)).query("physician", None)
    assert "bm25: no note holds a word of the query" in found.remarks


def test_the_embeddings_reach_the_members() -> None:
    found = create("fusion", overrides={"embeddings": "hash", "members": "dense,openclaw"}, memory=memory_of(*NOTES))
    assert found._member("dense").config.embeddings == found._member("openclaw").config.embeddings == "hash"


@pytest.mark.parametrize(
    ("members", "said"),
    [(("bm25",), "two or more"), (("bm25", "bm25"), "each once"), ((), "empty"), (("bm25", "x"), "no member 'x'")],
)
def test_members_that_cannot_be_fused_are_refused(members: tuple[str, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        create("fusion", overrides={"members": members})


def test_fusion_holds_no_fusion() -> None:
    with pytest.raises(ValueError, match="no member 'fusion'"):
        create("fusion", overrides={"members": ("bm25", "fusion")})
