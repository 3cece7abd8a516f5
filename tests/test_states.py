"""Work that methods did on notes is kept by what it was done on, and done once."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from tests.builders import note
from workbench.memory import Memory
from workbench.states import State, States, state_digest
from workbench.store import open_store


def test_a_state_reads_back_as_it_was_made() -> None:
    rows = {"entries": [{"id": "a", "size": 1.5, "words": ["tea", "</script>", "\ud800"]}], "empty": []}
    assert State.made("entries", "d", rows).parts == rows


def test_the_digest_sees_text_place_and_configuration_but_no_tags() -> None:
    one = note("s#1", user="I drink tea.")
    assert state_digest([one], {"a": 1}) == state_digest([note("s#1", user="I drink tea.", what=("food/tea",))], {"a": 1})
    others = [
        state_digest([note("s#1", user="I drink Tea.")], {"a": 1}),
        state_digest([note("s#2", user="I drink tea.")], {"a": 1}),
        state_digest([one], {"a": 2}),
        state_digest([one, one], {"a": 1}),
    ]
    assert len({state_digest([one], {"a": 1}), *others}) == 5


def test_a_note_is_worked_on_once_also_in_a_copy_and_another_process() -> None:
    notes = [note(f"s#{i}", user=f"cup {i}") for i in (1, 2, 3)]
    asked: list[list[str]] = []

    def build(missing: object) -> dict[str, list[dict[str, object]]]:
        asked.append([one.id for one in missing])  # type: ignore[attr-defined]
        return {one.id: [{"text": one.interaction.user}] for one in missing}  # type: ignore[attr-defined]

    states = States()
    states.by_note("cups", {}, notes[:2], build)
    rows = pickle.loads(pickle.dumps(states)).by_note("cups", {}, notes, build)
    assert asked == [["s#1", "s#2"], ["s#3"]]
    assert rows["s#3"] == [{"text": "cup 3"}]
    memory = Memory(notes, states=states)
    assert memory.edited({"s#1": notes[0]}).states is states
    assert len(states.fresh) == 2


def test_a_store_keeps_states_of_its_cases_only_and_drops_them_with_the_case(own_demo_store: Path) -> None:
    with open_store(own_demo_store) as store:
        key = store.cases.list()[0].key
        first, other = State.made("k", "d", {"rows": [{"a": 1}]}), State.made("k", "e", {"rows": []})
        store.states.put(key, [first, other])
        newer = State.made("k", "d", {"rows": [{"a": 2}]})
        store.states.put(key, [newer])
        store.states.put("demo/nowhere", [first])
        assert store.states.of_case(key) == [newer, other]
        assert store.states.of_case("demo/nowhere") == []
        store.cases.remove(key)
        assert store.states.of_case(key) == []


def test_a_row_without_a_json_form_is_refused() -> None:
    with pytest.raises(TypeError):
        State.made("k", "d", {"rows": [{"a": object()}]})
