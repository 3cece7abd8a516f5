"""Which tags a note's text supports, and the variant without the others."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from builders import note, note_lists
from compared import CATS, FIRST, OUTING, SECOND, build
from hypothesis import given

from workbench.diagnose.rewriting import DropUnsupported, rewrite
from workbench.diagnose.support import tag_support
from workbench.errors import BadInput
from workbench.evaluate.inputs import common_extraction
from workbench.records import Extraction, Interaction, Note, Turn
from workbench.store import ExtractionKey, open_store

KEYS = [OUTING.key, CATS.key]
MONDAY = datetime(2024, 3, 4, 18)


def source(
    path: str, user: str = "", assistant: str = "", category: str = "what", time: datetime | None = MONDAY, speaker: str = ""
):
    """What supports one tag of a note in which this was said."""
    turns = (Turn("user", user, speaker), Turn("assistant", assistant))
    (found,) = tag_support(Note(Interaction("n", "s", turns, 0, 1, time), Extraction(**{category: (path,)})))
    assert (found.source is None) == bool(found.missing)
    return found.source


@pytest.mark.parametrize(
    ("path", "user"),
    [
        ("art/museum", "We saw two museums."),
        ("food/lemon_cake", "The cake was full of lemon."),
        ("action/buy", "I bought it."),
        ("animal/mice", "A mouse!"),
        ("society/woman", "The role of women."),
        ("plan/trip_to_rome", "Rome will be our next trip."),
        ("health/allergy", "My hay fever is back."),
        ("anything/allergy", "My hay fever is back."),
        ("money/20_dollars", "It cost $20."),
        ("time", "No time."),
        ("动物/猫", "我喜欢猫咪"),
    ],
)
def test_what_the_user_said(path: str, user: str) -> None:
    assert source(path, user) == "user"


@pytest.mark.parametrize(
    ("path", "user"),
    [
        ("food/pizza", "We saw two museums."),
        ("food/lemon_cake", "The cake was good."),
        ("museum/opera", "We saw two museums."),
        ("health/allergy", "It is hay. The fever is back."),
        ("money/20_dollars", "It cost 20."),
        ("动物/狗", "我喜欢猫咪"),
        ("food/pizza", ""),
    ],
)
def test_what_nobody_said(path: str, user: str) -> None:
    assert source(path, user) is None


def test_what_the_assistant_said_is_told_apart() -> None:
    assert source("food/lemon_cake", "A lemon.", "In a cake?") == "assistant"
    assert source("food/lemon_cake", "A lemon cake.", "A cake?") == "user"


def test_a_speaker_is_named_by_speaking() -> None:
    assert source("person/mara", "I am here.", category="who", speaker="Mara") == "user"
    assert source("person/mara", "I am here.", category="who") is None


@pytest.mark.parametrize(
    ("path", "user", "expected"),
    [
        ("date/2024/march_3", "Yesterday it rained.", "user"),
        ("date/2024_03_03", "Yesterday it rained.", "user"),
        ("date/2024/march_1", "Yesterday it rained.", None),
        ("date/2024/february_26_march_3", "Last week it rained.", "user"),
        ("date/2024/may_20", "The wedding is on May 20th.", "user"),
        ("date/2023/november", "We met in November.", "user"),
        ("date/2019/november", "We met in November.", None),
        ("date/2024/april_5", "See you on 4/5.", "user"),
        ("date/friday", "See you on Friday.", "user"),
        ("time/7_pm", "At 7pm, please.", "user"),
        ("date/2024/march_4", "It rained.", "session date"),
        ("date/2024/march", "It rained.", "session date"),
        ("date/2024/march_5", "It rained.", None),
        ("date/2024", "It rained.", "session date"),
    ],
)
def test_dates_by_words_that_say_them_or_by_the_session(path: str, user: str, expected: str | None) -> None:
    assert source(path, user, category="when") == expected


def test_without_a_calendar_only_words_support_a_date() -> None:
    assert source("date/2024/march_4", "It rained.", time=None, category="when") is None
    assert source("date/2024/march_3", "Yesterday it rained.", time=None, category="when") is None
    assert source("date/2024/march_3", "On March 3, 2024.", time=None, category="when") == "user"


def test_the_session_supports_no_other_tag() -> None:
    assert source("number/2024", "It rained.") is None


def test_rules_extract_what_was_said(demo_store: Path) -> None:
    with open_store(demo_store, read_only=True) as store:
        notes = [each for row in store.cases.list() for each in store.notes.get(row.key)]
    found = [each for each in notes for each in tag_support(each)]
    lost = [each.path for each in found if each.source is None]
    assert len(found) > 1000
    assert len(lost) <= len(found) / 100, lost


# --- the variant ------------------------------------------------------------------------------------------------------------


@given(note_lists())
def test_what_is_left_is_supported_and_in_place(notes) -> None:
    left = DropUnsupported().apply(notes)
    assert all(each.source is not None for note in left for each in tag_support(note))
    for old, new in zip(notes, left, strict=True):
        kept = [(each.category, each.path) for each in tag_support(old) if each.source is not None]
        assert [*new.extraction.pairs()] == kept
        assert (new is old) == (len(kept) == len(tag_support(old)))
    assert all(old is new for old, new in zip(left, DropUnsupported().apply(left), strict=True))


def test_strict_also_drops_what_the_assistant_said() -> None:
    one = note("n", ["food/cake", "art/opera", "food/pizza"], user="A cake.", assistant="The opera.", summary="cake")
    (kept,) = DropUnsupported().apply([one])
    (strict,) = DropUnsupported(is_strict=True).apply([one])
    assert (kept.extraction.what, strict.extraction.what) == (("food/cake", "art/opera"), ("food/cake",))
    assert strict.extraction.summary == "cake"


def test_a_filtered_variant_is_one_extraction_over_all_cases(tmp_path: Path) -> None:
    path, steps = build(tmp_path / "s.duckdb"), []
    made = rewrite(path, KEYS, SECOND, DropUnsupported(), "filtered", progress=lambda done, key: steps.append(done))
    assert (made.cases, made.notes, made.changed_notes, made.tags_before, made.tags_after) == (2, 5, 1, 6, 5)
    assert steps == [1, 2]
    with open_store(path, read_only=True) as store:
        assert common_extraction(store, KEYS, "filtered").key == made.key
        assert common_extraction(store, KEYS).variant is None
        notes = {each.id: each for key in KEYS for each in store.notes.get(key, "filtered")}
        base = {each.id: each for key in KEYS for each in store.notes.get(key, SECOND)}
        row = store.extractions.choose(OUTING.key, "filtered")
    assert notes["a0#1"].extraction == Extraction(what=("dessert/cakes",), extra=("place/rome",))
    assert base["a0#1"].extraction.what == ("dessert/cakes", "food/pizza")
    assert {id_: each for id_, each in notes.items() if id_ != "a0#1"} == {id_: base[id_] for id_ in base if id_ != "a0#1"}
    assert row.counters == {"edited_notes": 1, "removed_tags": 1}


def test_the_same_again_changes_nothing_and_another_rule_needs_another_name(tmp_path: Path) -> None:
    path = build(tmp_path / "s.duckdb")
    first = rewrite(path, KEYS, SECOND, DropUnsupported(), "filtered")
    assert rewrite(path, KEYS, SECOND, DropUnsupported(), " filtered ") == first
    with open_store(path, read_only=True) as store:
        assert len(store.extractions.list()) == 6
    with pytest.raises(ValueError, match="'filtered' is the name of another extraction of shelf/"):
        rewrite(path, KEYS, SECOND, DropUnsupported(is_strict=True), "filtered")
    with pytest.raises(ValueError, match="'careful' is the name of another"):
        rewrite(path, KEYS, SECOND, DropUnsupported(), "careful")


def test_a_stop_leaves_whole_cases_and_the_same_call_goes_on(tmp_path: Path) -> None:
    path = build(tmp_path / "s.duckdb")

    def stop(done: int, key: str) -> None:
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        rewrite(path, KEYS, SECOND, DropUnsupported(), "filtered", progress=stop)
    with open_store(path, read_only=True) as store:
        assert [row.case for row in store.extractions.list() if row.variant == "filtered"] == [OUTING.key]
    rewrite(path, KEYS, SECOND, DropUnsupported(), "filtered")
    with open_store(path, read_only=True) as store:
        assert {row.case for row in store.extractions.list() if row.variant == "filtered"} == set(KEYS)


@pytest.mark.parametrize(
    ("base", "name", "error", "said"),
    [
        (FIRST, "filtered", BadInput, "the rule changes none of 5 notes"),
        (SECOND, " ", ValueError, "needs a name"),
        (ExtractionKey("llm"), "filtered", KeyError, "has no extraction"),
    ],
)
def test_what_cannot_be_rewritten_leaves_the_store_as_it_was(tmp_path: Path, base, name, error, said) -> None:
    path = build(tmp_path / "s.duckdb")
    with pytest.raises(error, match=said):
        rewrite(path, KEYS, base, DropUnsupported(), name)
    with open_store(path, read_only=True) as store:
        assert len(store.extractions.list()) == 4
