"""Edits make copies; a memory with edited notes ranks like one that was built from them."""

from __future__ import annotations

import pytest
from builders import PATHS, WORDS, memory_of, note, note_lists
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workbench.diagnose.edits import AddTag, DropTag, Edit, MergeTag, SetField, apply, changed, from_plain, to_plain
from workbench.diagnose.tags import tag_report
from workbench.extract.schema import MAX_PER_CATEGORY, validate
from workbench.graph import tag_graph
from workbench.methods.base import Words, create, methods
from workbench.methods.tags import BasicConfig, match_tags, traverse
from workbench.records import CATEGORIES, Note, Ranking

queries = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


def paths_of(notes: tuple[Note, ...]) -> list[tuple[str, ...]]:
    return [each.extraction.paths for each in notes]


def test_each_kind_of_edit() -> None:
    notes = (note("a", ("food/cake", "tea"), where="tea", summary="kept"), note("b", "tea"))
    assert paths_of(apply(AddTag("b", "music"), notes))[1] == ("tea", "music")
    assert paths_of(apply(DropTag("tea", "a"), notes)) == [("food/cake",), ("tea",)]
    assert paths_of(apply(DropTag("tea"), notes)) == [("food/cake",), ()]
    assert paths_of(apply(MergeTag("tea", "food/cake"), notes)) == [("food/cake",), ("food/cake",)]
    assert paths_of(apply([AddTag("b", "music"), DropTag("tea", "b")], notes))[1] == ("music",)
    assert apply(DropTag("tea"), notes)[0].extraction.summary == "kept"
    assert paths_of(notes) == [("food/cake", "tea"), ("tea",)], "the original was touched"


def test_untouched_notes_are_the_same_objects() -> None:
    notes = (note("a", "tea"), note("b", "tea"))
    assert apply(DropTag("tea", "a"), notes)[1] is notes[1]
    assert list(changed(DropTag("tea", "a"), notes)) == ["a"]


@pytest.mark.parametrize("edit", [AddTag("gone", "tea"), AddTag("a", "tea"), DropTag("music"), MergeTag("music", "tea")])
def test_an_edit_that_changes_nothing_raises(edit: AddTag | DropTag | MergeTag) -> None:
    with pytest.raises(ValueError, match="changes nothing"):
        apply(edit, (note("a", "tea"),))


def test_a_full_category_takes_no_more() -> None:
    full = note("a", [f"tag{number}" for number in range(MAX_PER_CATEGORY)])
    with pytest.raises(ValueError, match="changes nothing"):
        apply(AddTag("a", "tea"), (full,))
    assert "tea" in apply(AddTag("a", "tea", "extra"), (full,))[0].extraction.extra


@pytest.mark.parametrize(("path", "category"), [("Tea Time", "what"), ("tea", "whom")])
def test_a_tag_that_the_schema_refuses_raises(path: str, category: str) -> None:
    with pytest.raises(ValueError, match=r"near to it|known"):
        AddTag("a", path, category)


@pytest.mark.parametrize("edit", [AddTag("a", "tea"), DropTag("tea"), MergeTag("a", "b"), SetField("bm25", "b", 0.5, "tea")])
def test_plain_values_read_back(edit: Edit) -> None:
    assert from_plain(to_plain(edit)) == edit


@pytest.mark.parametrize("values", [{"kind": "paint"}, {"kind": "drop", "colour": "red"}])
def test_other_plain_values_raise(values: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="kind"):
        from_plain(values)


# --- laws ---------------------------------------------------------------------------------------------------------------------


def plain(ranking: Ranking) -> list[tuple[str, int, int, float]]:
    return [(hit.note_id, hit.rank, hit.block, hit.score) for hit in ranking.hits]


@pytest.mark.parametrize("name", list(methods))
@settings(max_examples=25)
@given(notes=note_lists(), text=queries, path=st.sampled_from(PATHS), at=st.integers(0, 6), is_added=st.booleans())
def test_an_edited_memory_ranks_exactly_as_a_new_one(
    name: str, notes: list[Note], text: str, path: str, at: int, is_added: bool
) -> None:
    memory = memory_of(*notes)
    before = [hit.note_id for hit in create(name, memory=memory).query(text, None).hits]
    target = notes[at % len(notes)]
    assume((path in target.extraction.paths) != is_added)
    edit = AddTag(target.id, path) if is_added else DropTag(path, target.id)
    edited = memory.edited(changed(edit, memory.notes))
    assert plain(create(name, memory=edited).query(text, None)) == plain(
        create(name, memory=memory_of(*apply(edit, notes))).query(text, None)
    )
    again = [hit.note_id for hit in create(name, memory=memory).query(text, None).hits]
    assert again == before, "the original memory changed"


@settings(max_examples=150)
@given(notes=note_lists(), text=queries, path=st.sampled_from(PATHS), at=st.integers(0, 6))
def test_adding_a_matched_tag_never_makes_tag_basic_rank_the_note_worse(notes: list[Note], text: str, path: str, at: int) -> None:
    memory, target = memory_of(*notes), notes[at % len(notes)]
    assume(path not in target.extraction.paths)
    edited = memory.edited(changed(AddTag(target.id, path), memory.notes))
    assume(any(tag.path == path for tag in tag_report(edited, target.id, text).helpful))

    def rank(of: object) -> float:
        hits = create("tag_basic", memory=of).query(text, None).hits  # type: ignore[arg-type]
        return next((hit.rank for hit in hits if hit.note_id == target.id), float("inf"))

    assert rank(edited) <= rank(memory)


@given(notes=note_lists(), text=queries, at=st.integers(0, 6))
def test_without_its_helpful_tags_a_note_has_no_path_of_distance_zero(notes: list[Note], text: str, at: int) -> None:
    memory, target = memory_of(*notes), notes[at % len(notes)]
    helpful = tag_report(memory, target.id, text).helpful
    assume(helpful)
    edited = memory.edited(changed([DropTag(tag.path, target.id) for tag in helpful], memory.notes))
    config = BasicConfig()
    graph = tag_graph(edited, config)
    reached = traverse(graph, match_tags(graph, Words(text, edited, config))[0], config)
    row = next(row for row, each in enumerate(edited.notes) if each.id == target.id)
    assert reached.distance[row] != 0


@given(notes=note_lists(), path=st.sampled_from(PATHS), into=st.sampled_from(PATHS))
def test_edited_extractions_stay_valid(notes: list[Note], path: str, into: str) -> None:
    assume(path != into and any(path in each.extraction.paths for each in notes))
    for each in apply(MergeTag(path, into), notes):
        raw = {category: list(getattr(each.extraction, category)) for category in CATEGORIES}
        assert validate({**raw, "summary": each.extraction.summary})[0] == each.extraction


def test_a_memory_replaces_only_what_it_holds() -> None:
    memory = memory_of(note("a"))
    with pytest.raises(KeyError, match="no note 'b'"):
        memory.edited({"b": note("b")})
    with pytest.raises(ValueError, match="id 'b'"):
        memory.edited({"a": note("b")})
