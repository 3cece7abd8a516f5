"""The three localized traversals on six notes, every score worked out by hand (spec 2.5; see six_notes.py for the notes).

A file at distance d with overlap o scores 1 / (1 + d) + 0.08 * o / (1 + o): two hops, so 0.96 / (3 * 4) = 0.08.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from builders import memory_of, note
from six_notes import LENGTH, NOTES, A, B, C, six_notes

from workbench.graph import GraphConfig, tag_graph
from workbench.memory import Memory
from workbench.methods.base import create
from workbench.records import Ranking

EXACT = pytest.approx


def ranking(method: str, text: str, memory: Memory | None = None, k: int | None = None, **settings: object) -> Ranking:
    return create(method, overrides=settings, memory=memory or six_notes()).query(text, k)


def scores(ranking: Ranking) -> dict[str, float]:
    """Score by note, in rank order."""
    return {hit.note_id: hit.score for hit in ranking.hits}


def order(ranking: Ranking) -> list[str]:
    return [hit.note_id for hit in ranking.hits]


# Basic ---------------------------------------------------------------------------------------------------------------------


def test_basic_scores_by_hand() -> None:
    # "cake chocolate": cake matches the tags chocolate, vanilla, food/cake and lemon; chocolate only the first. All their
    # carriers are at d = 0: n1 with o = 2, n2, n3, n4 with o = 1. The tag lemon belongs to topic music/guitar, whose other
    # note n5 is at d = 0 + 1 with the o = 1 of lemon's matched word (cake). n6: no path.
    found = scores(ranking("tag_basic", "cake chocolate"))
    assert found == EXACT(
        {"n1": 1 + 0.08 * 2 / 3, "n4": 1 + 0.08 / 2, "n3": 1 + 0.08 / 2, "n2": 1 + 0.08 / 2, "n5": 1 / 2 + 0.08 / 2}, abs=1e-12
    )


def test_basic_orders_the_tie_newest_first() -> None:
    found = ranking("tag_basic", "cake chocolate")
    assert order(found) == ["n1", "n4", "n3", "n2", "n5"]
    assert [hit.block for hit in found.hits] == [1, 2, 2, 2, 3]
    assert found.tiers == {"d=0": 4, "d=1": 1}


def test_basic_with_one_direct_match_reaches_all_four_distances() -> None:
    # "chocolate" matches one tag, of n1 (d = 0). food/cake is its parent (d = 1): n3 carries it. n2 shares n1's topic food/cake:
    # d = 0 + 1. The siblings vanilla and lemon are at d = 2: n4 carries lemon (n2 keeps its least distance 1). n5 shares n4's
    # topic music/guitar: d = 2 + 1. The root food is at d = 2 but nobody carries it. All were reached from one matched word.
    found = ranking("tag_basic", "chocolate")
    assert scores(found) == EXACT({"n1": 1.04, "n3": 0.54, "n2": 0.54, "n4": 1 / 3 + 0.04, "n5": 1 / 4 + 0.04}, abs=1e-12)
    assert order(found) == ["n1", "n3", "n2", "n4", "n5"]
    assert found.tiers == {"d=0": 1, "d=1": 2, "d=2": 1, "d=3": 1}


def test_overlap_below_the_first_tier_counts_the_words_of_the_tags_that_reached_the_file() -> None:
    # "chocolate lemon": d = 0 for n1 (chocolate) and n4 (lemon), o = 1 each. At d = 1: n3 by the parent food/cake of both
    # matched tags, o = 2; n2 only as topic mate of n1, o = 1; n5 only as topic mate of n4, o = 1.
    found = ranking("tag_basic", "chocolate lemon")
    assert scores(found) == EXACT({"n4": 1.04, "n1": 1.04, "n3": 1 / 2 + 0.08 * 2 / 3, "n5": 0.54, "n2": 0.54}, abs=1e-12)
    assert order(found) == ["n4", "n1", "n3", "n5", "n2"]


def test_overlap_counts_the_words_of_all_tags_that_reached_the_file_equally_near() -> None:
    # "guitar lemon": n4 carries both matched tags, o = 2; n5 carries guitar at d = 0, o = 1 (lemon would be at d = 1).
    found = scores(ranking("tag_basic", "guitar lemon"))
    assert (found["n4"], found["n5"]) == EXACT((1 + 0.08 * 2 / 3, 1.04), abs=1e-12)
    # "rome ann": the first note carries both tags; the second is their topic mate, d = 0 + 1 from each, so o = 2 as well.
    memory = memory_of(note("a", "food/cake", where="city/rome", who="friend/ann", day=1), note("b", "food/cake", day=2))
    assert scores(ranking("tag_basic", "rome ann", memory)) == EXACT({"a": 1 + 0.16 / 3, "b": 1 / 2 + 0.16 / 3}, abs=1e-12)


def test_literal_overlap_counts_only_words_matched_by_the_files_own_tags() -> None:
    # The same query: n3, n5, n2 carry no matched tag, so o = 0 and they tie at 1/2, newest first.
    found = ranking("tag_basic", "chocolate lemon", overlap="own")
    assert scores(found) == EXACT({"n4": 1.04, "n1": 1.04, "n5": 0.5, "n3": 0.5, "n2": 0.5}, abs=1e-12)
    assert order(found)[2:] == ["n5", "n3", "n2"]


def test_strict_credit_reaches_only_files_that_carry_the_tag() -> None:
    # "chocolate": n2 no longer as topic mate but by its own tag vanilla at d = 2, like n4; n5 not at all.
    found = ranking("tag_basic", "chocolate", credit="strict")
    assert scores(found) == EXACT({"n1": 1.04, "n3": 0.54, "n4": 1 / 3 + 0.04, "n2": 1 / 3 + 0.04}, abs=1e-12)


def test_fewer_hops_reach_less() -> None:
    # hops = 0: only chocolate itself; n2 as topic mate at d = 1. The overlap's share is 0.96 / (1 * 2) = 0.48.
    assert scores(ranking("tag_basic", "chocolate", hops=0)) == EXACT({"n1": 1 + 0.24, "n2": 0.5 + 0.24}, abs=1e-12)
    # hops = 1: also the parent food/cake. 0.96 / (2 * 3) = 0.16.
    assert scores(ranking("tag_basic", "chocolate", hops=1)) == EXACT({"n1": 1.08, "n3": 0.58, "n2": 0.58}, abs=1e-12)


def test_negative_hops_are_refused() -> None:
    with pytest.raises(ValueError, match="hops is -1"):
        ranking("tag_basic", "chocolate", hops=-1)


def test_a_root_reached_from_below_is_expanded_only_on_request() -> None:
    # "roses" matches garden/roses of n3. Its parent garden is a root: by default its other child garden/tulips (n6) stays out.
    assert scores(ranking("tag_basic", "roses")) == EXACT({"n3": 1.04}, abs=1e-12)
    assert scores(ranking("tag_basic", "roses", expand_roots=True)) == EXACT({"n3": 1.04, "n6": 1 / 3 + 0.04}, abs=1e-12)


def test_a_matched_root_is_expanded() -> None:
    # The tag "garden" itself is matched at d = 0, so its children are at d = 1.
    memory = memory_of(note("root", "garden", day=1), note("child", "garden/pond", day=2), note("leaf", "garden/pond/koi", day=3))
    # All three match "garden" directly; "koi" reaches garden/pond (d = 1) and the root garden (d = 2).
    assert scores(ranking("tag_basic", "garden", memory)) == EXACT({"leaf": 1.04, "child": 1.04, "root": 1.04}, abs=1e-12)
    # leaf and child share the topic garden/pond, so child is at d = 1 either way.
    assert scores(ranking("tag_basic", "koi", memory)) == EXACT({"leaf": 1.04, "child": 0.54, "root": 1 / 3 + 0.04}, abs=1e-12)
    # A root that no other word matches: reserved, so "time" matches the one-segment tag alone; its child follows at d = 1.
    memory = memory_of(note("root", "time", day=1), note("child", "time/noon", day=2))
    assert scores(ranking("tag_basic", "time", memory)) == EXACT({"root": 1.04, "child": 0.54}, abs=1e-12)


def test_a_reserved_root_is_never_matched() -> None:
    # place/chile: "place" says of what kind the tag is; "chile" is its word.
    found = ranking("tag_basic", "place")
    assert found.hits == ()
    assert any("no tag" in remark for remark in found.remarks)
    assert scores(ranking("tag_basic", "chile")) == EXACT({"n6": 1.04}, abs=1e-12)


def test_query_and_tag_meet_in_the_same_stem() -> None:
    assert order(ranking("tag_basic", "rose")) == order(ranking("tag_basic", "roses")) == ["n3"]
    literal = create("tag_basic", "literal", memory=six_notes())
    assert literal.query("rose").hits == ()
    # Literal: the root garden is expanded, so n6 follows.
    assert order(literal.query("roses")) == ["n3", "n6"]


@pytest.mark.parametrize(
    ("tie", "expected"),
    [
        ("newest", ["n1", "n4", "n3", "n2", "n5"]),
        ("oldest", ["n1", "n2", "n3", "n4", "n5"]),
        ("id", ["n1", "n2", "n3", "n4", "n5"]),
    ],
)
def test_tie_rules(tie: str, expected: list[str]) -> None:
    assert order(ranking("tag_basic", "cake chocolate", tie=tie)) == expected


# Stopwords -----------------------------------------------------------------------------------------------------------------


def test_stopwords_drops_the_common_word_before_matching() -> None:
    # cake is in 4 of 6 notes and dropped; what is left is "chocolate", scored as in the Basic test for that word alone.
    found = ranking("tag_stopwords", "cake chocolate")
    assert scores(found) == EXACT({"n1": 1.04, "n3": 0.54, "n2": 0.54, "n4": 1 / 3 + 0.04, "n5": 1 / 4 + 0.04}, abs=1e-12)
    assert any("cake" in remark and "common" in remark for remark in found.remarks)


def test_stopwords_falls_back_to_the_unfiltered_query_and_says_so() -> None:
    # "cake food": both dropped, nothing matches, so the whole query is matched: n1..n4 carry both words, o = 2;
    # n5 is a topic mate of lemon's, d = 1, o = 2.
    found = ranking("tag_stopwords", "cake food")
    assert scores(found) == EXACT(
        {"n4": 1 + 0.16 / 3, "n3": 1 + 0.16 / 3, "n2": 1 + 0.16 / 3, "n1": 1 + 0.16 / 3, "n5": 1 / 2 + 0.16 / 3}, abs=1e-12
    )
    assert any("unfiltered" in remark for remark in found.remarks)
    assert any("unfiltered" in remark for remark in found.hits[0].why.remarks)


def test_the_fallback_tests_the_outcome_not_the_emptiness_of_the_query() -> None:
    # "volcano" is in no note and kept by the filter, yet matches no tag: the outcome is empty, so the fallback fires.
    assert order(ranking("tag_stopwords", "cake volcano")) == ["n4", "n3", "n2", "n1", "n5"]


def test_literal_stopwords_returns_nothing_for_common_words() -> None:
    found = create("tag_stopwords", "literal", memory=six_notes()).query("cake food")
    assert found.hits == ()
    assert any("cake" in remark for remark in found.remarks)


def test_the_floor_decides_in_small_stores() -> None:
    # guitar is in 2 of 6 notes (33%): kept with floor 2, dropped with floor 0.
    assert scores(ranking("tag_stopwords", "guitar")) == EXACT({"n5": 1.04, "n4": 1.04}, abs=1e-12)
    assert ranking("tag_stopwords", "guitar", filter_floor=0, unfiltered_fallback=False).hits == ()


def test_frequencies_come_from_the_full_case_where_one_is_given() -> None:
    # In the six notes cake is common (4/6); in a case of 40 notes it would be rare (4/40 = 10%), so it is kept.
    full = memory_of(*NOTES, *(note(f"x{i}", user="filler", day=10 + i) for i in range(34)))
    reduced = memory_of(*NOTES, base=full)
    assert order(ranking("tag_stopwords", "cake chocolate", reduced)) == ["n1", "n4", "n3", "n2", "n5"]


# TFIDF ---------------------------------------------------------------------------------------------------------------------


def saturated(o: float) -> float:
    return 0.08 * o / (1 + o)


def test_tfidf_scores_by_hand() -> None:
    # "cake chocolate concert" -> chocolate, concert. Distances as for "chocolate": n1 0, n2 and n3 1, n4 2, n5 3 (concert is in
    # no tag). Overlap of content: chocolate is in n1 (idf C), concert in n5 (idf C); each over the note's norm.
    found = ranking("tag_tfidf", "cake chocolate concert")
    assert scores(found) == EXACT(
        {
            "n1": 1 + saturated(C / LENGTH["n1"]),
            "n3": 1 / 2,
            "n2": 1 / 2,
            "n4": 1 / 3,
            "n5": 1 / 4 + saturated(C / LENGTH["n5"]),
        },
        abs=1e-12,
    )
    assert order(found) == ["n1", "n3", "n2", "n4", "n5"]


def test_tfidf_appends_files_without_a_path_by_overlap() -> None:
    # "chile concert": chile matches n6's tag (d = 0). concert is only in n5's text: no path, distance term 0.
    found = ranking("tag_tfidf", "chile concert")
    assert scores(found) == EXACT({"n6": 1 + saturated(C / LENGTH["n6"]), "n5": saturated(C / LENGTH["n5"])}, abs=1e-12)
    assert found.tiers == {"d=0": 1, "overlap only": 1}
    assert found.hits[1].why.path == ()
    assert order(ranking("tag_tfidf", "chile concert", tail=False)) == ["n6"]


def test_tfidf_overlap_falls_back_to_the_unfiltered_query() -> None:
    # "food" alone: dropped. No tag matched, no overlap: both fall back. n1..n4 d = 0, overlap idf A over the norm each;
    # n5 at d = 1 without the word.
    found = ranking("tag_tfidf", "food")
    expected = {name: 1 + saturated(A / LENGTH[name]) for name in ("n2", "n3", "n1", "n4")} | {"n5": 1 / 2}
    assert scores(found) == EXACT(expected, abs=1e-12)
    assert sum("unfiltered" in remark for remark in found.remarks) == 2


def test_tfidf_overlap_falls_back_in_the_literal_profile_too() -> None:
    # The tags' fallback is ours and off; that of the overlap is not a switch (a file without path is still admitted).
    found = create("tag_tfidf", "literal", memory=six_notes()).query("food")
    assert {hit.note_id for hit in found.hits} == {"n1", "n2", "n3", "n4"}
    assert found.tiers == {"overlap only": 4}


def test_tfidf_sums_the_weights_of_all_matched_words() -> None:
    # "guitar music lemon" (df 2, 2, 1: all kept): n4 has all three, n5 two; both at d = 0.
    found = ranking("tag_tfidf", "guitar music lemon")
    expected = {"n4": 1 + saturated((2 * B + C) / LENGTH["n4"]), "n5": 1 + saturated(2 * B / LENGTH["n5"])}
    assert {name: scores(found)[name] for name in expected} == EXACT(expected, abs=1e-12)


# Why -----------------------------------------------------------------------------------------------------------------------


def test_why_names_the_path_the_distance_and_the_words() -> None:
    found = ranking("tag_basic", "chocolate")
    by_note = {hit.note_id: hit.why for hit in found.hits}
    assert by_note["n1"].path == ("tag:food/cake/chocolate", "topic:food/cake", "file:n1")
    assert by_note["n2"].path == ("tag:food/cake/chocolate", "topic:food/cake", "file:n2")
    assert by_note["n3"].path == (
        "tag:food/cake/chocolate",
        "ont:food/cake/chocolate",
        "ont:food/cake",
        "tag:food/cake",
        "topic:garden/roses",
        "file:n3",
    )
    assert by_note["n5"].path == (
        "tag:food/cake/chocolate",
        "ont:food/cake/chocolate",
        "ont:food/cake",
        "ont:food/cake/lemon",
        "tag:food/cake/lemon",
        "topic:music/guitar",
        "file:n5",
    )
    distance, overlap = by_note["n5"].parts
    assert (distance.kind, distance.name, distance.value) == ("distance", "d=3", 0.25)
    assert distance.detail["matched_tags"] == {"food/cake/chocolate": ["chocol"]}
    assert (overlap.kind, overlap.name) == ("overlap", "chocol")
    assert overlap.value == EXACT(0.04, abs=1e-12)


def test_every_step_of_a_path_is_an_edge_of_the_graph() -> None:
    memory = six_notes()
    edges = tag_graph(memory, GraphConfig()).to_networkx().to_undirected()
    for text in ("chocolate", "cake lemon", "roses", "guitar tulips"):
        for hit in ranking("tag_basic", text, memory, expand_roots=True).hits:
            path = hit.why.path
            assert all(edges.has_edge(one, other) for one, other in pairwise(path)), path
