"""Variants: edits kept in the store as an extraction of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.diagnose.edits import AddTag, DropTag, SetField
from workbench.diagnose.variants import keep
from workbench.evaluate.inputs import case_input
from workbench.store import open_store

CASE = "longmemeval_demo/demo_missing_tag"
GOLD = "answer_demo_a_1#1"
ADD = AddTag(GOLD, "exercise/doorway_stretch")


def test_a_variant_stands_beside_the_extraction_it_was_made_from(own_demo_store: Path) -> None:
    with open_store(own_demo_store) as store:
        before = store.notes.get(CASE)
        row = keep(store, CASE, [ADD], "with stretch")
        assert (row.extractor, row.variant, row.counters) == ("rules+edits", "with stretch", {"edited_notes": 1})
        assert store.notes.get(CASE) == before, "the default extraction changed"
        edited = case_input(store, CASE, "with stretch").notes
        (changed,) = [new for old, new in zip(before, edited, strict=True) if old != new]
        assert ADD.path in changed.extraction.what
        assert keep(store, CASE, [ADD], "with stretch") == row
        assert len(store.extractions.list(CASE)) == 2


def test_a_variant_can_be_edited_further(own_demo_store: Path) -> None:
    with open_store(own_demo_store) as store:
        first = keep(store, CASE, [ADD], "one")
        second = keep(store, CASE, [DropTag(ADD.path)], "two", base="one")
        assert second.extractor == "rules+edits"
        assert second.config["base"]["config"]["name"] == "one"
        assert store.notes.get(CASE, second.id) == store.notes.get(CASE)
        assert first.id != second.id


def test_what_makes_no_variant_raises(own_demo_store: Path) -> None:
    with open_store(own_demo_store) as store:
        keep(store, CASE, [ADD], "one")
        with pytest.raises(ValueError, match="another extraction"):
            keep(store, CASE, [AddTag(GOLD, "stretch")], "one")
        with pytest.raises(ValueError, match="another extraction"):
            keep(store, CASE, [ADD], "rules")
        with pytest.raises(ValueError, match="method's configuration"):
            keep(store, CASE, [SetField("bm25", "b", 0.5)], "two")  # type: ignore[list-item]
        with pytest.raises(ValueError, match="at least one edit"):
            keep(store, CASE, [], "two")
        with pytest.raises(ValueError, match="changes nothing"):
            keep(store, CASE, [DropTag("not/there")], "two")
        assert len(store.extractions.list(CASE)) == 2
