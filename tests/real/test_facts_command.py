"""The command `facts`, and facts that a language model gave: what is asked, what is accepted, what is stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_facts import day, said
from typer.testing import CliRunner

from workbench.chat.asking import Replay
from workbench.chat.base import MemoryRecordings, Recording
from workbench.cli import app
from workbench.evaluate.inputs import case_input
from workbench.methods.base import create
from workbench.real.asking import ask_facts, check, facts_of_answer, prompt
from workbench.real.relations import relations
from workbench.store import open_store

CASE = "longmemeval_demo/demo_updated_fact"
GOOD = {
    "turn": 1,
    "head": "Vera",
    "relation": "lives_in",
    "tail": "Paris",
    "start": "2024-06-01",
    "end": "",
    "over": False,
    "confidence": 0.9,
    "intent": "FACT",
}
NOTE = said("v1", day(6, 2), "Vera", "I moved back to Paris yesterday.")


def run(*arguments: str, fails: bool = False) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert (result.exit_code != 0) == fails, result.output
    return result.output


def listed(store: Path, *arguments: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(run("facts", CASE, "--store", str(store), "--json", "-", *arguments))
    return result


def record(store: Path, answer: object, model: str = "some-model") -> int:
    """One recorded answer for every note of the case; gives their number."""
    with open_store(store) as opened:
        notes = case_input(opened, CASE).notes
        for note in notes:
            asked = prompt(CASE, note, relations())
            slot = (asked.kind, asked.version, model, CASE, note.id, asked.digest)
            opened.recordings.put(Recording(*slot, json.dumps(answer), None, 1, None, None, 0.1, "json_schema"))
    return len(notes)


# By rules ---------------------------------------------------------------------------------------------------------------


def test_facts_are_listed_with_their_timeline(own_demo_store: Path) -> None:
    found = listed(own_demo_store)
    assert found["case"] == CASE
    assert len(found["facts"]) > 20
    assert {each for edge in found["edges"] for each in edge["facts"]} <= {fact["id"] for fact in found["facts"]}
    text = run("facts", CASE, "--store", str(own_demo_store))
    assert f"{len(found['facts'])} facts by rules" in text


def test_facts_are_stored_and_come_along(own_demo_store: Path) -> None:
    listed(own_demo_store)
    with open_store(own_demo_store, read_only=True) as store:
        memory = case_input(store, CASE).memory()
    create("real", memory=memory).query("Where do I live?")
    assert memory.states.fresh == ()


def test_one_head_alone(own_demo_store: Path) -> None:
    for fact in listed(own_demo_store, "--head", "USER")["facts"]:
        assert "user" in (fact["head"].casefold(), fact["tail"].casefold())


def test_only_what_had_been_said_by_then(own_demo_store: Path) -> None:
    assert listed(own_demo_store, "--known-at", "2000-01-01")["edges"] == []


@pytest.mark.parametrize("arguments", [("--extractor", "magic"), ("--extractor", "replay")])
def test_wrong_usage_is_told(own_demo_store: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_LLM_MODEL", raising=False)
    assert CliRunner().invoke(app, ["facts", CASE, "--store", str(own_demo_store), *arguments]).exit_code == 2


# By a model -------------------------------------------------------------------------------------------------------------


def test_recorded_answers_become_facts_that_real_uses(own_demo_store: Path) -> None:
    notes = record(own_demo_store, {"facts": [GOOD]})
    found = listed(own_demo_store, "--extractor", "replay", "--model", "some-model")
    assert (len(found["facts"]), found["failed"]) == (notes, [])
    with open_store(own_demo_store, read_only=True) as store:
        memory = case_input(store, CASE).memory()
    method = create("real", overrides={"facts": "llm", "fact_model": "some-model"}, memory=memory)
    assert method.query("Where does Vera live?", None, day(7)).hits[0].why.path[0].endswith("Paris")


def test_without_any_answer_the_command_fails(own_demo_store: Path) -> None:
    output = run("facts", CASE, "--store", str(own_demo_store), "--extractor", "replay", "--model", "unheard", fails=True)
    assert "without valid facts" in output


def test_a_failed_note_is_reported_beside_the_others() -> None:
    other = said("v2", day(6, 3), "Vera", "I like tea.")
    asked = prompt("c", NOTE, relations())
    slot = (asked.kind, asked.version, "m", "c", "v1", asked.digest)
    recordings = MemoryRecordings([Recording(*slot, json.dumps({"facts": [GOOD]}), None, 1, None, None, 0.1, "json_schema")])
    facts, failed = ask_facts(Replay("m", recordings), "c", [NOTE, other], relations())
    assert list(facts) == ["v1"]
    assert failed == {"v2": "nothing is recorded for it"}


def test_an_answer_becomes_facts() -> None:
    over = GOOD | {"relation": "live", "tail": "Rome", "over": True, "end": "2024-05-01", "start": ""}
    first, second = facts_of_answer(check({"facts": [GOOD, over]}), NOTE, relations())
    assert (first.relation, first.start, first.is_stated, first.act) == ("lives_in", day(6, 1), True, "assertion")
    assert (second.act, second.start, second.end) == ("retraction", day(5, 1), None)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"head": ""}, "head is ''"),
        ({"confidence": "high"}, "confidence is 'high'"),
        ({"intent": "WISH"}, "intent is 'WISH'"),
        ({"start": "last week"}, "start is 'last week'"),
        ({"turn": 0}, "turn is 0"),
    ],
)
def test_what_can_not_be_used_is_told_to_the_model(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check({"facts": [GOOD | changed]})


@pytest.mark.parametrize("data", [None, [], {"facts": {}}, {"facts": ["text"]}])
def test_another_shape_is_refused(data: object) -> None:
    with pytest.raises(TypeError):
        check(data)
