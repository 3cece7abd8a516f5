"""Entries by a model: windows, prompt, check, and a construction whose gate sees earlier windows only."""

from __future__ import annotations

from typing import Any

import pytest
from ariadne_dialogues import BIKE, CAT, MEETING, config, method, talk

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.index import construction_of, utterances_of
from workbench.ariadne.written import SCHEMA, check_reply, windows, written_state
from workbench.errors import MissingPart
from workbench.memory import Memory
from workbench.states import Rows

MODEL = {"extractor": "replay", "model": "made-up"}


def row(fact: str, *turns: str, **fields: Any) -> dict[str, Any]:
    return {"fact": fact, "turns": list(turns), "keywords": [], "persons": [], "entities": [], "location": None} | fields


def give(memory: Memory, by_window: list[Rows | None], settings: AriadneConfig) -> None:
    cut = windows(utterances_of(memory, settings), settings.window)
    memory.states.put(written_state(memory.notes, settings, list(zip(cut, by_window, strict=True))))


def test_windows_follow_each_other_and_the_last_may_be_shorter() -> None:
    cut = windows(utterances_of(talk(*BIKE), config()), 3)
    assert [window.id for window in cut] == ["E1..E3", "E4..E6", "E7..E8"]
    assert (
        cut[0].user.split("\n")[0] == "[E1] Lena (Monday 4 March 2024 00:00): My sister Ida started at the bakery on Mill Street."
    )


def test_what_a_model_may_answer_is_checked() -> None:
    known = {"E1", "E2"}
    assert check_reply({"entries": []}, known) == []
    good = row("Ida works at the bakery.", "E1", keywords=["bakery"])
    assert check_reply({"entries": [good]}, known) == [good]
    assert set(SCHEMA["properties"]["entries"]["items"]["required"]) == set(good)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "list 'entries'"),
        ({"entries": ["x"]}, r"entries\[0\] must be an object"),
        ({"entries": [row(" ", "E1")]}, r"entries\[0\].fact must be a sentence"),
        ({"entries": [row("A fact.")]}, r"entries\[0\].turns must name turns"),
        ({"entries": [row("A fact.", "E9")]}, r"not \['E9'\]"),
        ({"entries": [row("A fact.", "E1", keywords="x")]}, r"entries\[0\].keywords must be a list of texts, not 'x'"),
        ({"entries": [row("A fact.", "E1", location=3)]}, r"entries\[0\].location must be a text or null, not 3"),
    ],
)
def test_a_faulty_answer_is_refused_with_what_is_wrong(data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_reply(data, {"E1"})


def test_without_entries_made_beforehand_the_command_is_named() -> None:
    with pytest.raises(MissingPart, match="workbench entries --extractor replay --model made-up"):
        method(talk(*MEETING), **MODEL).query("the meeting")


def test_a_model_must_be_named() -> None:
    with pytest.raises(ValueError, match="needs the name of the model"):
        AriadneConfig(extractor="llm")


def test_a_models_entries_are_retrieved_merged_and_linked() -> None:
    memory, settings = talk(*MEETING), config(**MODEL, window=2)
    first = [row("The budget meeting with Priya is on Friday at 2 pm.", "E1", keywords=["budget meeting"], persons=["Priya"])]
    later = [row("The budget meeting with Priya is on Friday at 3 pm.", "E3", keywords=["budget meeting"], persons=["Priya"])]
    give(memory, [first, later], settings)
    found = construction_of(memory, settings)
    assert [node.refs for node in found.nodes] == [("E1",), ("E3",)]
    assert [(link.kind, link.old, link.new) for link in found.links] == [("updated", ("2 pm",), ("3 pm",))]
    assert [decision.number for decision in found.gate] == [0, 1, 2]
    hits = method(memory, **MODEL, window=2).query("When does Priya meet?").hits
    assert {hit.note_id for hit in hits} == {"s1#1", "s3#1"}


@pytest.mark.parametrize(("window", "actions"), [(1, ["added", "dropped"]), (2, ["added", "merged"])])
def test_the_gate_sees_earlier_windows_only_and_an_entry_goes_with_its_turns(window: int, actions: list[str]) -> None:
    memory = talk(*CAT[:2])
    settings = config(**MODEL, window=window, merge_least_keywords=0)
    rows = [row("Ivo adopted a grey cat called Miso.", turn, keywords=["cat"]) for turn in ("E1", "E2")]
    give(memory, [[each] for each in rows] if window == 1 else [rows], settings)
    found = construction_of(memory, settings)
    assert [each.action for each in found.coarsening] == actions
    assert [each.action for each in found.gate] == ["kept", "dropped" if window == 1 else "kept"]


def test_a_window_that_failed_gives_no_entry_and_is_kept_as_failed() -> None:
    memory, settings = talk(*MEETING), config(**MODEL, window=2)
    give(memory, [None, [row("The meeting moved.", "E3")]], settings)
    assert [node.refs for node in construction_of(memory, settings).nodes] == [("E3",)]
    (state,) = [each for each in memory.states.fresh if "model" in each.kind]
    assert state.parts["failed"] == [{"window": 0, "id": "E1..E2"}]


def test_entries_that_were_written_again_are_decided_again() -> None:
    memory, settings = talk(*MEETING), config(**MODEL, window=2)
    give(memory, [None, [row("The meeting moved.", "E3")]], settings)
    assert len(construction_of(memory, settings).nodes) == 1
    give(memory, [[row("The plants got water.", "E2")], [row("The meeting moved.", "E3")]], settings)
    later = Memory(memory.notes, memory.participants, states=memory.states)
    assert [node.refs for node in construction_of(later, settings).nodes] == [("E2",), ("E3",)]
