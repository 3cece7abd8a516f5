"""``workbench answer``: answers through a scripted service, failures, interruption, replay, judges, what it prints."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_service import KEY, ChatService, Says, chat_service
from typer.testing import CliRunner, Result

from workbench.answer.abstention import NOT_TOLD
from workbench.chat import service as client
from workbench.cli import app, main
from workbench.store import open_store

CASE = "atant_demo/demo_01"
QUESTIONS = 6
Command = Callable[..., Result]


def says(answer: str) -> Says:
    return Says(json.dumps({"answer": answer}))


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatService]:
    monkeypatch.setattr(client, "BACKOFF", 0.01)
    with chat_service() as server:
        given = {"URL": server.url, "KEY": KEY, "MODEL": "some-model", "TIMEOUT": "20", "RETRIES": "2", "CONCURRENCY": "1"}
        for name, value in given.items():
            monkeypatch.setenv(f"WORKBENCH_LLM_{name}", value)
        server.always = says("Perpetua Lindqvist, for 2,600.")
        yield server


@pytest.fixture
def answer(service: ChatService, own_demo_store: Path) -> Command:
    def run(*arguments: str, methods: str = "bm25", cases: str = CASE) -> Result:
        chosen = [] if "--run" in arguments else ["--cases", cases, "--methods", methods]
        return CliRunner().invoke(app, ["answer", "--store", str(own_demo_store), *chosen, *arguments])

    return run


def result(done: Result) -> dict[str, Any]:
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_answers_are_scored_beside_retrieval(answer: Command, service: ChatService, own_demo_store: Path) -> None:
    found = result(answer("--json", "-"))
    row = found["methods"]["bm25"]
    assert (found["questions"], row["asked"], row["failed"], len(service.asked)) == (QUESTIONS, QUESTIONS, 0, QUESTIONS)
    assert (row["answer_has_all"]["mean"], row["answer_has_all"]["n"]) == (pytest.approx(2 / 6), QUESTIONS)
    assert row["answer_abstains_wrongly"]["mean"] == 0.0
    assert "answer_contains" not in row  # the stories give expected texts, no answers
    assert row["mrr"]["n"] == QUESTIONS
    assert row["answer_has_all"]["ci"][0] <= row["answer_has_all"]["mean"] <= row["answer_has_all"]["ci"][1]
    assert (found["tokens_in"], found["tokens_out"]) == (100 * QUESTIONS, 20 * QUESTIONS)
    with open_store(own_demo_store, read_only=True) as store:
        run = store.runs.get(found["run"])
        (one, *_) = store.answers.get(run.id, "some-model", found["version"], question=(CASE, "demo_01_q1"))
    mrr = [each.measures["mrr"] for each in run.results]
    assert row["mrr"]["mean"] == pytest.approx(sum(mrr) / len(mrr))  # type: ignore[arg-type]
    ranked = next(each for each in run.results if each.question == "demo_01_q1")
    assert one.note_ids == ranked.note_ids[:5]
    assert one.prompt.count("\nNote ") + one.prompt.startswith("Note ") == len(one.note_ids)
    assert any([one.system, one.prompt] == [each["content"] for each in body["messages"]] for body in service.asked)
    assert all(each["temperature"] == 0 for each in service.asked)


def test_a_second_run_asks_nothing_again_and_a_replay_needs_no_service(
    answer: Command, service: ChatService, own_demo_store: Path
) -> None:
    service.script = [says("one"), says(NOT_TOLD), Says("{}"), Says("{}")]  # the third is faulty, and faulty again
    first = result(answer("--json", "-"))
    asked = len(service.asked)
    again = result(answer("--json", "-"))
    assert len(service.asked) == asked
    assert (again["asked_now"], again["recorded"]) == (0, QUESTIONS)
    service.always = 500
    replayed = result(answer("--replay", "--json", "-"))
    assert len(service.asked) == asked
    assert first["methods"] == again["methods"] == replayed["methods"]
    assert first["methods"]["bm25"]["failed"] == 1
    service.always = says("mended")
    mended = result(answer("--retry-failed", "--json", "-"))
    assert (mended["asked_now"], mended["methods"]["bm25"]["failed"]) == (1, 0)


def test_methods_that_rank_the_same_notes_share_an_answer_and_are_tested_in_pairs(answer: Command, service: ChatService) -> None:
    found = result(answer("--k", "8", "--json", "-", methods="bm25,bm25_filtered,tag_basic"))
    with_answers = {name: row["asked"] for name, row in found["methods"].items()}
    assert with_answers == {"bm25": QUESTIONS, "bm25_filtered": QUESTIONS, "tag_basic": QUESTIONS}
    assert len(service.asked) < 3 * QUESTIONS
    assert len(found["pairs"]["answer_has_all"]) == len(found["pairs"]["mrr"]) == 3
    assert found["pairs"]["answer_has_all"][0]["test"]["n"] == QUESTIONS


FAULTS = {
    "refused": [Says("", refusal="I would rather not")],
    "cut off": [Says('{"answer": "half of', finish="length")] * 2,  # with the one retry that a fault has
    "no valid JSON": [Says("no JSON at all")] * 2,
    "not empty": [says(" ")] * 2,
    "at most 400": [says("x" * 500)] * 2,
    "answered 500": [500] * 2,
    "broke off": ["broken off"] * 2,
}


def test_failures_are_counted_apart_and_are_in_no_score(answer: Command, service: ChatService) -> None:
    service.script = [act for acts in FAULTS.values() for act in acts]
    found = result(answer("--json", "-", cases="demo_01,demo_02"))["methods"]["bm25"]
    assert (found["asked"], found["failed"]) == (2 * QUESTIONS, len(FAULTS))
    for reason in FAULTS:
        assert sum(reason in failure for failure in found["failures"]) == 1
    assert found["answer_has_all"]["n"] == 2 * QUESTIONS - len(FAULTS)
    assert found["mrr"]["n"] == 2 * QUESTIONS


def test_where_nothing_was_answered_the_command_says_why(answer: Command, service: ChatService) -> None:
    service.always = Says("", refusal="no")
    done = answer()
    assert done.exit_code == 1
    assert "6 questions without an answer, in no score" in done.stdout
    assert "no question got an answer" in str(done.exception)


def test_a_broken_service_ends_the_work_and_keeps_what_was_answered(
    answer: Command, service: ChatService, own_demo_store: Path
) -> None:
    service.script = [says("one"), says("two")]
    service.always = 401
    done = answer()
    assert done.exit_code == 1
    assert "refuses the key" in str(done.exception)
    service.always = says("more")
    found = result(answer("--json", "-"))
    assert (found["asked_now"], found["recorded"]) == (QUESTIONS - 2, 2)


def test_the_key_is_never_stored_or_printed(answer: Command, service: ChatService, own_demo_store: Path) -> None:
    service.script = [says(f"your key is {KEY}"), 500, 500]
    done = answer("--judge")
    assert KEY not in done.output
    assert KEY.encode() not in own_demo_store.read_bytes()
    with open_store(own_demo_store, read_only=True) as store:
        assert KEY not in repr(store.recordings.of_case(CASE))


def test_a_judge_is_asked_apart_and_named(answer: Command, service: ChatService, own_demo_store: Path) -> None:
    yes, no = (Says(json.dumps({"verdict": verdict})) for verdict in ("yes", "no"))
    service.script = [says(f"answer {at}") for at in range(QUESTIONS)] + [yes, no, no, yes, yes, Says("{}"), Says("{}")]
    done = answer("--judge", "--judge-model", "a-judge", "--json", "-")
    row = result(done)
    assert row["judges"] == ["a-judge"]
    assert row["methods"]["bm25"]["answer_judged"] | {"ci": None} == {"mean": pytest.approx(0.6), "n": 5, "ci": None}
    assert [each["model"] for each in service.asked] == ["some-model"] * QUESTIONS + ["a-judge"] * (QUESTIONS + 1)
    asked = len(service.asked)
    assert result(answer("--judge", "--judge-model", "a-judge", "--replay", "--json", "-"))["methods"] == row["methods"]
    assert len(service.asked) == asked
    printed = answer().stdout  # without --judge what was judged is still told of
    assert "judged by a language model, a-judge" in printed


def test_a_sample_lies_within_a_larger_one(answer: Command, service: ChatService) -> None:
    small = result(answer("--limit", "2", "--json", "-", cases="demo_01,demo_02"))
    assert small["methods"]["bm25"]["asked"] == len(service.asked) == 2
    larger = result(answer("--limit", "4", "--json", "-", cases="demo_01,demo_02"))
    assert (larger["recorded"], larger["asked_now"]) == (2, 2)


def test_answers_from_a_stored_run(answer: Command, service: ChatService, own_demo_store: Path) -> None:
    run = result(answer("--json", "-", methods="bm25,tag_basic"))["run"]
    before = len(service.asked)
    found = result(answer("--run", run, "--methods", "tag_basic", "--json", "-"))
    assert list(found["methods"]) == ["tag_basic"]
    assert len(service.asked) == before
    wrong = answer("--run", run, "--methods", "openclaw")
    assert wrong.exit_code == 1
    assert "has no arm 'openclaw'" in str(wrong.exception)


def test_answers_go_with_their_run_and_their_case(answer: Command, own_demo_store: Path) -> None:
    run = result(answer("--json", "-"))["run"]
    with open_store(own_demo_store) as store:
        assert [each.run for each in store.answers.sets("atant_demo")] == [run]
        store.runs.remove(run)
        assert store.answers.sets() == []
    run = result(answer("--json", "-", cases="demo_01,demo_02"))["run"]
    with open_store(own_demo_store) as store:
        store.cases.remove("demo_01")
        (left,) = store.answers.sets()
        assert (left.questions, left.answers) == (QUESTIONS, QUESTIONS)
        assert {each.case for each in store.answers.get(run, left.model, left.version)} == {"atant_demo/demo_02"}


def test_without_a_service_or_a_model_it_says_what_to_set(
    own_demo_store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("WORKBENCH_LLM_URL", "WORKBENCH_LLM_MODEL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    asked = ["answer", "--store", str(own_demo_store), "--cases", CASE, "--methods", "bm25"]
    assert main(asked) == 2
    assert "WORKBENCH_LLM_MODEL" in capsys.readouterr().err
    assert main([*asked, "--model", "m"]) == 1
    assert "WORKBENCH_LLM_URL" in capsys.readouterr().err
    assert main([*asked, "--model", "m", "--replay"]) == 1
    assert "nothing is recorded for it" in capsys.readouterr().err
    with open_store(own_demo_store, read_only=True) as store:
        assert store.answers.sets() == []
