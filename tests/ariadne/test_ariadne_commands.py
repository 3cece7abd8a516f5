"""The commands `ariadne` and `entries`, with a model that is a local server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ariadne_dialogues import BIKE, BIKE_QUESTION, MEETING, config, method, talk
from chat_service import KEY, ChatService, Says, chat_service

from workbench.ariadne.construction import Construction
from workbench.ariadne.index import construction_of, utterances_of
from workbench.ariadne.query import ask
from workbench.ariadne.synthesis import check, synthesise
from workbench.ariadne.telling import construction_json, trace_json
from workbench.ariadne.writing import write_entries
from workbench.ariadne.written import WRITTEN
from workbench.chat.asking import Live, Replay
from workbench.chat.base import MemoryRecordings
from workbench.cli import main
from workbench.evaluate.inputs import case_input
from workbench.store import open_store

CASE = "atant_demo/demo_01"
Told = Callable[..., tuple[int, str, str]]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatService]:
    with chat_service() as server:
        for name, value in {"URL": server.url, "KEY": KEY, "MODEL": "some-model", "RETRIES": "1", "CONCURRENCY": "1"}.items():
            monkeypatch.setenv(f"WORKBENCH_LLM_{name}", value)
        yield server


@pytest.fixture
def told(own_demo_store: Path, capsys: pytest.CaptureFixture[str]) -> Told:
    def tell(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([*map(str, arguments), "--store", str(own_demo_store)])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return tell


def row(fact: str, *turns: str) -> dict[str, Any]:
    return {"fact": fact, "turns": list(turns), "keywords": [], "persons": [], "entities": [], "location": None}


def says(value: Any) -> Says:
    return Says(json.dumps(value))


# The command `ariadne` ----------------------------------------------------------------------------------------------------


def test_the_decisions_of_a_case_are_told_and_kept(told: Told, own_demo_store: Path) -> None:
    code, out, err = told("ariadne", CASE, "--json", "-")
    assert code == 0, err
    found = json.loads(out)
    assert found["counts"]["kept"] == len(found["gate"]) == 8
    assert "trace" not in found
    with open_store(own_demo_store, read_only=True) as store:
        assert {state.kind for state in store.states.of_case(CASE)} == {"ariadne entries", "ariadne decisions"}
    code, out, _ = told("ariadne", CASE, "--set", "ariadne.coarsen_similarity=-1", "--set", "ariadne.merge_least_keywords=99")
    assert code == 0
    assert "linked 7" in out
    assert "too short to be the same" in out or "other words" in out


def test_a_question_is_told_step_by_step(told: Told, own_demo_store: Path) -> None:
    code, out, err = told("ariadne", CASE, "demo_01_q1", "--json", "-")
    assert code == 0, err
    found = json.loads(out)
    with open_store(own_demo_store, read_only=True) as store:
        given = case_input(store, CASE)
    text = next(each.text for each in given.case.questions if each.id == "demo_01_q1")
    trace = ask(text, given.memory(), config(gate_similarity=None, coarsen_similarity=None))
    assert found["trace"] == json.loads(json.dumps(trace_json(trace)))
    assert found["question"] == "demo_01_q1"
    code, out, _ = told("ariadne", CASE, "the bakery")
    assert code == 0
    for line in ("context of about", "[F1]", "terminals"):
        assert line in out


def test_wrong_usage_is_said(told: Told) -> None:
    assert told("ariadne", CASE, "?!")[0] == 2
    assert told("ariadne", CASE, "--set", "ariadne.nope=1")[0] == 2
    code, _, err = told("ariadne", CASE, "--set", "ariadne.extractor=llm", "--set", "ariadne.model=some-model")
    assert code == 1
    assert "workbench entries --extractor llm --model some-model" in err


def test_what_is_told_names_turns_and_not_places() -> None:
    memory = talk(*MEETING)
    made = method(memory)
    found: Construction = construction_of(memory, made.config)
    told_ = construction_json(found, made.config)
    assert told_["updates"][0] | {"from_text": "", "to_text": ""} == {
        "from": "E1", "to": "E3", "old": ["2 pm"], "new": ["3 pm"], "from_text": "", "to_text": "",
    }  # fmt: skip
    assert told_["chains"] == [["E1", "E3"]]
    assert [each["match"] for each in told_["coarsening"]] == [None, "E1", "E1"]
    trace = trace_json(method(talk(*BIKE), k_sem=2, k_lex=1).trace(BIKE_QUESTION))
    assert [step["bridge"] for step in trace["bridges"]] == ["E3"]
    assert trace["paths"]["first"][0]["nodes"] == ["E1", "E3", "E6"]
    assert {each["entry"]: each["role"] for each in trace["kept"]} == {"E1": "terminal", "E6": "terminal", "E3": "bridge"}


# Entries by a model -------------------------------------------------------------------------------------------------------


def test_a_model_writes_entries_which_the_method_then_uses(told: Told, own_demo_store: Path, service: ChatService) -> None:
    with open_store(own_demo_store, read_only=True) as store:
        utterances = utterances_of(case_input(store, CASE).memory(), config())
    turns = [each.refs[0] for each in utterances]
    answer = {"entries": [row("The bakery by the canal is called Halfmoon.", turns[0]), row("The boiler is loud.", turns[1])]}
    service.script = [says({"entries": [row("x", "no such turn")]}), says(answer)]
    code, out, err = told("entries", "--cases", "demo_01", "--json", "-")
    assert code == 0, err
    result = json.loads(out)
    assert (result["windows"], result["entries"], result["failed"], result["recorded_answers"]) == (1, 2, [], 0)
    assert len(service.asked) == 2  # the second carries what was wrong with the first
    assert "must name turns" in service.asked[1]["messages"][-1]["content"]
    assert service.asked[0]["response_format"]["type"] == "json_schema"
    for arguments in ((), ("--extractor", "replay")):  # neither asks again
        code, out, _ = told("entries", "--cases", "demo_01", "--json", "-", *arguments)
        assert (code, json.loads(out)["recorded_answers"], len(service.asked)) == (0, 1, 2)
    settings = ("--set", "ariadne.extractor=replay", "--set", "ariadne.model=some-model")
    code, out, err = told("query", CASE, "Halfmoon", "--method", "ariadne", *settings, "--json", "-")
    assert code == 0, err
    assert json.loads(out)["hits"][0]["note"] == utterances[0].note_id


def test_windows_that_fail_are_named_and_the_work_fails_where_all_do(told: Told, service: ChatService) -> None:
    service.always = says({"entries": "none"})
    code, out, err = told("entries", "--cases", "demo_01,demo_02")
    assert code == 1
    assert "atant_demo/demo_02, window" in out
    assert "no window got entries" in err
    service.always = says({"entries": []})
    assert told("entries", "--cases", "demo_01,demo_02", "--retry-failed")[0] == 0


def test_a_limit_stops_and_the_next_call_goes_on(told: Told, service: ChatService) -> None:
    service.always = says({"entries": []})
    code, out, _ = told("entries", "--cases", "demo_01,demo_02", "--limit", "1")
    assert code == 0
    assert "1 case, 1 window" in out
    assert told("entries", "--cases", "demo_01,demo_02")[0] == 0
    assert len(service.asked) == 2


def test_wrong_usage_of_entries_is_said(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_LLM_MODEL", raising=False)
    assert told("entries", "--extractor", "rules", "--benchmark", "atant_demo")[0] == 2
    assert told("entries", "--benchmark", "atant_demo")[0] == 2


def test_replay_without_recordings_gives_failed_windows() -> None:
    memory = talk(*MEETING)
    written = write_entries("made/up", memory, config(), Replay("m", MemoryRecordings()))
    assert written.failed == (("E1..E3", "nothing is recorded for it"),)
    assert (written.state.kind, written.entries) == (WRITTEN, 0)


# Synthesis ----------------------------------------------------------------------------------------------------------------


def test_one_call_answers_from_the_evidence(service: ChatService) -> None:
    trace = method(talk(*MEETING)).trace("When is the budget meeting?")
    service.script = [says({"reasoning": "F1 was updated by F2.", "answer": "Friday at 3 pm"})]
    found = synthesise(trace, "made/up", "q1", Live(service.endpoint(), MemoryRecordings()))
    assert found is not None
    assert (found.answer, found.reasoning, found.is_raw) == ("Friday at 3 pm", "F1 was updated by F2.", False)
    (asked,) = service.asked
    assert trace.context.text in asked["messages"][1]["content"]
    assert asked["messages"][1]["content"].endswith("Question: When is the budget meeting?")


def test_an_answer_that_stays_no_json_is_taken_as_it_is(service: ChatService) -> None:
    trace = method(talk(*MEETING)).trace("When is the budget meeting?")
    service.script = [Says("On Friday."), Says("On Friday at 3.")]
    found = synthesise(trace, "made/up", "q1", Live(service.endpoint(), MemoryRecordings()))
    assert found is not None
    assert (found.answer, found.is_raw, found.reply.attempts) == ("On Friday at 3.", True, 2)
    nothing = synthesise(trace, "made/up", "q1", Replay("m", MemoryRecordings()))
    assert nothing is None


@pytest.mark.parametrize("data", [[], {"answer": "x"}, {"answer": 3, "reasoning": ""}])
def test_an_answer_needs_both_texts(data: Any) -> None:
    with pytest.raises(ValueError, match="'reasoning' and 'answer'"):
        check(data)


def test_the_command_asks_for_an_answer_on_request(told: Told, service: ChatService) -> None:
    service.script = [says({"reasoning": "F1 says so.", "answer": "Halfmoon"})]
    code, out, err = told("ariadne", CASE, "demo_01_q1", "--answer")
    assert code == 0, err
    assert "answer: Halfmoon" in out
    assert len(service.asked) == 1
