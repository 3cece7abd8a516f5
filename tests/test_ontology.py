"""The ontology: order, reuse, tree, near-duplicates, and statistics over notes."""

from __future__ import annotations

import random

from builders import note
from hypothesis import given
from hypothesis import strategies as st

from workbench.ontology import RESERVED_ROOTS, Ontology, OntologyReport, matched_segments

segments = st.sampled_from(["food", "cake", "lemon", "tea", "place"])
paths = st.lists(segments, min_size=1, max_size=3).map("/".join)


def test_add_says_whether_a_path_is_new_and_counts_uses() -> None:
    ontology = Ontology()
    assert [ontology.add(path) for path in ("food/cake", "food/tea", "food/cake")] == [True, True, False]
    assert (ontology.uses("food/cake"), ontology.uses("food/tea"), ontology.uses("food")) == (2, 1, 0)


def test_paths_keep_the_order_of_first_use() -> None:
    assert Ontology(["b/x", "a/y", "b/x", "c"]).paths == ("b/x", "a/y", "c")


def test_a_leaf_keeps_the_first_path_it_was_seen_with() -> None:
    ontology = Ontology(["place/riverside_museum", "organization/riverside_museum"])
    assert ontology.path_of_leaf("riverside_museum") == "place/riverside_museum"
    assert ontology.path_of_leaf("unseen") is None


def test_children_hold_prefixes_that_were_never_tags() -> None:
    ontology = Ontology(["music/guitar/old_guitar", "music/piano", "music/guitar/bass"])
    assert ontology.children("music") == ("music/guitar", "music/piano")
    assert ontology.children("music/guitar") == ("music/guitar/old_guitar", "music/guitar/bass")
    assert ontology.children("music/piano") == ()
    assert "music/guitar" not in ontology


@given(st.lists(paths, max_size=20))
def test_every_prefix_is_a_child_of_its_parent_once(added: list[str]) -> None:
    ontology = Ontology(added)
    for path in added:
        while (above := Ontology.parent(path)) is not None:
            assert ontology.children(above).count(path) == 1
            path = above


@given(st.lists(paths, max_size=20))
def test_uses_sum_to_the_additions(added: list[str]) -> None:
    ontology = Ontology(added)
    assert sum(map(ontology.uses, ontology)) == len(added)
    assert list(ontology) == list(dict.fromkeys(added))


def test_inflection_word_order_and_another_root_are_the_same_words() -> None:
    pairs = Ontology(["trip/day_trip", "travel/trips_day", "garden/rose"]).near_duplicates()
    assert [(pair.first, pair.second, pair.reason) for pair in pairs] == [("trip/day_trip", "travel/trips_day", "same words")]


def test_a_misspelling_is_similar_spelling() -> None:
    (pair,) = Ontology(["food/tiramisu", "food/tea", "dessert/tiramissu"]).near_duplicates()
    assert (pair.first, pair.second, pair.reason) == ("food/tiramisu", "dessert/tiramissu", "similar spelling")
    assert 90 <= pair.score < 100


def test_a_higher_threshold_finds_fewer() -> None:
    assert Ontology(["food/tiramisu", "food/tiramissu"]).near_duplicates(threshold=99) == ()


def test_dates_amounts_and_figures_are_never_near_duplicates() -> None:
    ontology = Ontology(["date/2023/may_20", "date/2024/may_20", "money/150", "money/1_50", "name/model_b12", "name/model_b13"])
    assert ontology.near_duplicates() == ()


def test_near_duplicates_of_many_paths_are_those_of_all_pairs() -> None:
    """More leaves of one letter than a block holds: compared with the plain double loop."""
    from rapidfuzz import fuzz

    generator = random.Random(5)
    leaves = ["w" + "".join(generator.choices("abcdefghij", k=12)) for _ in range(700)]
    leaves += [leaf[:6] + "z" + leaf[7:] for leaf in leaves[::10]]
    found = {(p.first, p.second) for p in Ontology(leaves).near_duplicates(90) if p.reason == "similar spelling"}
    slow = {(a, b) for i, a in enumerate(leaves) for b in leaves[i + 1 :] if fuzz.ratio(a, b) >= 90}
    assert found == slow
    assert slow


def test_a_reserved_root_is_not_matched_but_a_word_by_itself_is() -> None:
    assert "time" in RESERVED_ROOTS
    assert matched_segments("time/7_pm") == ("7_pm",)
    assert matched_segments("time") == ("time",)
    assert matched_segments("food/cake") == ("food", "cake")


def test_report_counts_by_hand() -> None:
    notes = [
        note("n2", ("food/cake", "food/tea"), day=2),
        note("n1", "food/cake", where="place/rome", day=1),
        note("n3", "food/cake", why="food/cake", day=3),
        note("n4", day=4),
    ]
    report = OntologyReport.of(notes)
    # n1: cake, rome; n2: cake, tea; n3: cake (once, though in two categories); n4: none.
    assert (report.notes, report.untagged, report.tags, report.distinct) == (4, 1, 5, 3)
    assert report.tags_per_note == 5 / 4
    assert report.reuse == 5 / 3
    assert report.single_note_share == 2 / 3
    assert report.new_by_note == (2, 1, 0, 0)
    assert report.by_root == (("food", 2), ("place", 1))


def test_report_of_nothing_has_no_rates() -> None:
    report = OntologyReport.of([])
    assert (report.tags_per_note, report.reuse, report.single_note_share) == (None, None, None)
    assert OntologyReport.of([note("n1")]).tags_per_note == 0
