"""Plans that merge near-duplicates, and the variants they make."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import PATHS, note, note_lists
from compared import CATS, FIRST, OUTING, build
from hypothesis import given
from hypothesis import strategies as st

from workbench.diagnose.merging import NearPair, near_pairs, plan, preview
from workbench.diagnose.rewriting import MergeTags, rewrite
from workbench.ontology import Ontology
from workbench.store import open_store

USES = {"pets/cat": 5, "pets/cats": 2, "kitty/cat": 5, "food/tea": 1, "tea": 1}


def test_of_a_pair_the_more_used_is_kept() -> None:
    assert plan([("pets/cats", "pets/cat")], USES) == MergeTags((("pets/cats", "pets/cat"),))
    assert plan([("tea", "food/tea")], USES) == MergeTags((("tea", "food/tea"),)), "a tag with a root stays"
    assert plan([("pets/cat", "kitty/cat")], USES) == MergeTags((("kitty/cat", "pets/cat"),)), "then the shorter"


def test_chains_become_one_tag() -> None:
    merging = plan([("pets/cats", "kitty/cat"), ("tea", "food/tea"), ("pets/cats", "pets/cat")], USES)
    assert merging.merges == (("kitty/cat", "pets/cat"), ("pets/cats", "pets/cat"), ("tea", "food/tea"))


@pytest.mark.parametrize(
    ("pairs", "said"),
    [([], "at least one pair"), ([("tea", "tea")], "one tag"), ([("tea", "coffee")], "no note carries coffee")],
)
def test_what_is_no_plan_is_refused(pairs, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        plan(pairs, USES)


@given(note_lists(), st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from(PATHS)), max_size=4))
def test_after_a_plan_dropped_tags_are_gone_and_no_note_lost_its_kept_ones(notes, drawn) -> None:
    ontology = Ontology(path for each in notes for path in each.extraction.paths)
    uses = {path: ontology.uses(path) for path in ontology}
    pairs = [pair for pair in drawn if pair[0] != pair[1] and set(pair) <= set(uses)]
    if not pairs:
        return
    merging = plan(pairs, uses)
    into = dict(merging.merges)
    assert not into.keys() & set(into.values())
    after = merging.apply(notes)
    for old, new in zip(notes, after, strict=True):
        assert set(new.extraction.paths) == {into.get(path, path) for path in old.extraction.paths}
        assert (new is old) == into.keys().isdisjoint(old.extraction.paths)
    distinct = {path for each in after for path in each.extraction.paths}
    assert len(distinct) == preview(merging, uses).distinct_after
    assert len(uses) == preview(merging, uses).distinct_before


def test_a_merged_tag_stands_once_in_its_category() -> None:
    one = note("n", ["pets/cats", "food/tea", "pets/cat"], where="pets/cats", summary="cats")
    (merged,) = MergeTags((("pets/cats", "pets/cat"),)).apply([one])
    assert merged.extraction.what == ("pets/cat", "food/tea")
    assert (merged.extraction.where, merged.extraction.summary) == (("pets/cat",), "cats")


def test_pairs_of_several_cases_are_one_row_by_their_use_overall() -> None:
    cases = [
        Ontology(["pets/cats", "pets/cat"]).near_duplicates(),
        Ontology(["pets/cat", "pets/cats", "tea", "food/tea"]).near_duplicates(),
    ]
    rows = near_pairs(cases, USES)
    assert rows[0] == NearPair("pets/cat", "pets/cats", 100.0, "same words", 5, 2, 2)
    assert [(row.kept, row.dropped, row.cases) for row in rows[1:]] == [("food/tea", "tea", 1)]


def test_a_merged_variant_over_cases_keeps_its_base(tmp_path: Path) -> None:
    path, keys = build(tmp_path / "s.duckdb"), [OUTING.key, CATS.key]
    merging = plan([("pets/cat", "pets/cats")], {"pets/cat": 1, "pets/cats": 1})
    made = rewrite(path, keys, FIRST, merging, "merged")
    assert (made.changed_notes, made.notes, made.tags_before, made.tags_after) == (1, 5, 8, 8)
    with open_store(path, read_only=True) as store:
        assert [each.extraction.what for each in store.notes.get(CATS.key, "merged")] == [("pets/cat",), ("pets/cat",)]
        assert [each.extraction.what for each in store.notes.get(CATS.key, FIRST)] == [("pets/cat",), ("pets/cats",)]
        assert store.notes.get(OUTING.key, "merged") == store.notes.get(OUTING.key, FIRST)
        row = store.extractions.choose(CATS.key, "merged")
    assert row.config["merges"] == [["pets/cats", "pets/cat"]]
    assert row.config["base"] == {"extractor": "careful", "config": {}}
