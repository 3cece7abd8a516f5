"""Recordings in memory and in a store are the same thing, and leave with their case."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.chat.base import MemoryRecordings, Recording
from workbench.store import StoredRecordings, open_store

SLOTS = [("tags", "1", "m", "demo/a", "u1"), ("tags", "1", "m", "demo/a", "u2"), ("tags", "2", "m", "demo/b", "u1")]


def recording(slot: int = 0, digest: str = "d", text: str = "{}", failure: str | None = None) -> Recording:
    return Recording(*SLOTS[slot], digest, text, failure, 1, 10, None, 0.5, "json_schema")


made = st.builds(
    recording, st.sampled_from(range(3)), st.sampled_from("xyz"), st.text(max_size=3), st.sampled_from([None, "refused"])
)


@given(st.lists(made, max_size=8))
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_store_gives_what_memory_gives(recordings: list[Recording]) -> None:
    memory = MemoryRecordings(recordings)
    with open_store(":memory:") as store:
        for each in recordings:
            store.recordings.put(each, is_loading=True)
        stored = StoredRecordings(store)
        for slot in SLOTS:
            for digest in (None, "x", "y", "z"):
                kept = memory.get(*slot, digest)
                assert store.recordings.get(*slot, digest) == kept
                assert stored.get(*slot, digest) == kept


def test_a_new_answer_takes_the_place_of_failures_and_of_one_for_the_same_prompt() -> None:
    recordings = MemoryRecordings([recording(digest="a", failure="no"), recording(digest="b"), recording(digest="c", text="new")])
    assert recordings.get(*SLOTS[0], "a") is None
    assert [recordings.get(*SLOTS[0], digest).text for digest in "bc"] == ["{}", "new"]  # type: ignore[union-attr]
    assert recordings.get(*SLOTS[0]).digest == "c"  # type: ignore[union-attr]
    recordings.put(recording(digest="b", text="other"))
    assert recordings.get(*SLOTS[0]).text == "other"  # type: ignore[union-attr]


def test_recordings_are_there_for_who_comes_later_and_others_get_in_between(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    mine = StoredRecordings(path, is_loading=True)
    for n in range(3):
        mine.put(recording(digest=str(n), text=f"{{{n}}}"))
        with open_store(path, read_only=True, wait_seconds=0) as store:
            assert len(store.recordings.of_case("demo/a")) == n + 1
            assert store.recordings.models("tags", "demo/a") == [("m", "1", n + 1)]
    assert StoredRecordings(path).get(*SLOTS[0], "1") == recording(digest="1", text="{1}")


def test_recordings_leave_with_their_case(own_demo_store: Path) -> None:
    with open_store(own_demo_store) as store:
        first, second = (row.key for row in store.cases.list()[:2])
        for case in (first, second):
            store.recordings.put(Recording("tags", "1", "m", case, "u", "d", "secret words", None, 1, 1, 1, 0.1, "text"))
        store.cases.remove(first)
        store.recordings.put(Recording("tags", "1", "m", first, "u", "d", "late words", None, 1, 1, 1, 0.1, "text"))
        assert store.recordings.of_case(first) == []
        assert len(store.recordings.of_case(second)) == 1


@pytest.mark.parametrize("text", ["half \ud83d a pair", "nul \x00 within"])
def test_any_output_can_be_kept(text: str) -> None:
    with open_store(":memory:") as store:
        store.recordings.put(recording(text=text), is_loading=True)
        assert store.recordings.get(*SLOTS[0]) is not None
