"""Asking over the real client: what is sent, each kind of failure, recordings, and several at once."""

from __future__ import annotations

import re
import socket
import time
from typing import Any

import pytest
from chat_service import KEY, ChatService, Says

from workbench.chat import service as client
from workbench.chat.asking import GIVE_UP, Enough, Live, Replay
from workbench.chat.base import Asked, Endpoint, MemoryRecordings, Prompt
from workbench.errors import ChatError, MissingPart

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
GOOD = Says('{"n": 7}')


def prompt(unit: str = "u1", user: str = "How many?", **changed: Any) -> Prompt:
    return Prompt(**{"kind": "tags", "version": "1", "case": "demo/c", "unit": unit, "system": "Count.", "user": user} | changed)


def asking(unit: str = "u1", user: str = "How many?") -> Prompt:
    return prompt(unit, user, schema=SCHEMA)


def number(data: Any) -> int:
    if not isinstance(data, dict) or not isinstance(data.get("n"), int):
        raise ValueError("n must be a whole number")
    return int(data["n"])


def ask(service: ChatService, **endpoint: Any) -> Asked[int]:
    return Live(service.endpoint(**endpoint), MemoryRecordings()).ask(asking(), number)


def test_a_prompt_is_sent_with_its_schema_and_the_answer_is_checked(service: ChatService) -> None:
    service.script = [GOOD]
    asked = ask(service)
    assert (asked.value, asked.reply.data, asked.reply.text) == (7, {"n": 7}, '{"n": 7}')
    assert (asked.reply.tokens_in, asked.reply.tokens_out, asked.reply.attempts) == (100, 20, 1)
    assert (asked.reply.mode, asked.reply.replayed, asked.reply.failure) == ("json_schema", False, None)
    (sent,) = service.asked
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("some-model", 0, 300)
    assert [(m["role"], m["content"]) for m in sent["messages"]] == [("system", "Count."), ("user", "How many?")]
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA


def test_plain_text_is_asked_for_without_a_format(service: ChatService) -> None:
    service.script = [Says("Seven of them.")]
    asked = Live(service.endpoint(), MemoryRecordings()).ask(prompt(), str.upper)
    assert (asked.value, asked.reply.mode) == ("SEVEN OF THEM.", "text")
    assert "response_format" not in service.asked[0]


def test_text_that_has_no_utf8_form_can_be_asked_about(service: ChatService) -> None:
    service.script = [GOOD]
    asked = Live(service.endpoint(), MemoryRecordings()).ask(asking(user="broken \ud83d pair"), number)
    assert asked.value == 7
    assert service.asked[0]["messages"][1]["content"] == "broken ? pair"


# Faults of the model ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Says('{"n": ['), "no valid JSON"),
        (Says("I would rather talk."), "no valid JSON"),
        (Says('{"n": "seven"}'), "n must be a whole number"),
        (Says(""), "the answer is empty"),
        (Says(None), "the answer is empty"),
        (Says("[" * 100_00), "no valid JSON"),
        (Says('{"n": 7', finish="length"), "cut off at 300 tokens"),
        (Says('{"n": 7}', finish=None), "does not say that it is complete"),
    ],
)
def test_a_fault_is_told_to_the_model_once(service: ChatService, fault: Says, told: str) -> None:
    service.script = [fault, GOOD]
    asked = ask(service)
    assert (asked.value, asked.reply.attempts, asked.reply.failure, asked.reply.tokens_in) == (7, 2, None, 200)
    first, second = service.asked
    assert second["messages"][:2] == first["messages"]
    assert [m["role"] for m in second["messages"][2:]] == ["assistant", "user"]
    assert told in second["messages"][3]["content"]


def test_a_second_fault_is_a_failure_with_its_output(service: ChatService) -> None:
    service.script = [Says("no"), Says('{"m": 1}')]
    asked = ask(service)
    assert (asked.value, asked.reply.data, asked.reply.text) == (None, None, '{"m": 1}')
    assert asked.reply.failure == "n must be a whole number"
    assert len(service.asked) == 2


@pytest.mark.parametrize("refusal", [Says(None, refusal="I can't help with that."), Says("", finish="content_filter")])
def test_a_refusal_is_not_argued_with(service: ChatService, refusal: Says) -> None:
    service.script = [refusal]
    asked = ask(service)
    assert asked.value is None
    assert "the model refused" in str(asked.reply.failure)
    assert len(service.asked) == 1


# Faults of the service ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trouble", "said", "requests"),
    [
        (500, "answered 500: .*it is broken", 2),
        (503, "answered 503", 2),
        (429, "answered 429", 2),
        (400, "answered 400", 1),
        (Says("later", status=429, headers={"Retry-After": "900"}), "asks to wait 900 s", 1),
        ("hang", "gave no answer within 1 s", 2),
        ("drip", "gave no answer within 1 s", 2),
        ("broken off", "broke off", 2),
        ("no json", "can't be read", 1),
        ("odd", "its content is no text", 1),
        ("huge", "more than 84,736 bytes", 1),
        ("huge error", "more than 84,736 bytes", 1),
    ],
)
def test_a_service_that_fails_is_a_failure_that_says_why(
    service: ChatService, trouble: Says | int | str, said: str, requests: int
) -> None:
    service.always = trouble
    started = time.monotonic()
    asked = ask(service, seconds=1)
    assert asked.value is None
    assert re.search(said, str(asked.reply.failure))
    assert len(service.asked) == requests
    assert time.monotonic() - started < 8
    assert KEY not in repr(asked)


@pytest.mark.parametrize("trouble", [500, 429, "broken off", "hang"])
def test_a_passing_failure_is_tried_again(service: ChatService, trouble: int | str) -> None:
    service.script = [trouble, GOOD]
    asked = ask(service, seconds=1)
    assert (asked.value, asked.reply.attempts) == (7, 1)


def test_a_service_that_asks_for_a_pause_gets_it(service: ChatService) -> None:
    service.script = [Says("slow down", status=429, headers={"Retry-After": "1"}), GOOD]
    started = time.monotonic()
    assert ask(service).value == 7
    assert time.monotonic() - started >= 1


def test_a_key_or_model_that_is_refused_stops_the_work(service: ChatService) -> None:
    with pytest.raises(ChatError, match="refuses the key") as raised:
        ask(service, key="another-secret-key")
    assert "another-secret-key" not in str(raised.value)
    service.script = [404]
    with pytest.raises(ChatError, match="no such address or model"):
        ask(service)


def test_a_service_that_is_not_there_stops_the_work() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    recordings = MemoryRecordings()
    with pytest.raises(ChatError, match="can't be reached"):
        Live(Endpoint(url, KEY, "m", 2, 1, 1, 100), recordings).ask(asking(), number)
    assert recordings.get("tags", "1", "m", "demo/c", "u1") is None


def test_a_service_that_never_answers_stops_the_work(service: ChatService) -> None:
    service.always = 500
    live = Live(service.endpoint(tries=1), MemoryRecordings())
    for number_of in range(GIVE_UP - 1):
        assert live.ask(asking(f"u{number_of}"), number).value is None
    with pytest.raises(ChatError, match=f"no answer to {GIVE_UP} requests in a row"):
        live.ask(asking("last"), number)


def test_without_an_endpoint_or_a_model_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WORKBENCH_LLM_URL", "OPENAI_BASE_URL", "WORKBENCH_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingPart, match="WORKBENCH_LLM_URL"):
        Live(Endpoint(model="m"), MemoryRecordings())
    with pytest.raises(MissingPart, match="WORKBENCH_LLM_MODEL"):
        Live(Endpoint(url="http://127.0.0.1:1/v1"), MemoryRecordings())


def test_the_environment_configures_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_LLM_CONCURRENCY", "7")
    monkeypatch.setenv("WORKBENCH_LLM_KEY", KEY)
    endpoint = Endpoint()
    assert (endpoint.concurrency, endpoint.key) == (7, KEY)
    assert KEY not in repr(endpoint)
    monkeypatch.setenv("WORKBENCH_LLM_TIMEOUT", "soon")
    with pytest.raises(ValueError, match="WORKBENCH_LLM_TIMEOUT is 'soon'"):
        Endpoint()


@pytest.mark.parametrize("fault", [Says(f'{{"m": "{KEY}"}}'), 500, Says(None, refusal=f"not with {KEY}")])
def test_a_key_that_a_service_repeats_is_not_kept(service: ChatService, fault: Says | int) -> None:
    service.always = fault
    recordings = MemoryRecordings()
    asked = Live(service.endpoint(), recordings).ask(asking(), number)
    assert asked.value is None
    assert KEY not in repr(asked) + repr(recordings.get("tags", "1", "some-model", "demo/c", "u1"))


# Ways to ask for JSON -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_format_that_is_refused_is_not_tried_again(service: ChatService, status: int) -> None:
    service.refuses, service.refusal_status, service.always = ("json_schema",), status, GOOD
    live = Live(service.endpoint(tries=1), MemoryRecordings())
    assert live.ask(asking("u1"), number).reply.mode == "json_object"
    assert live.ask(asking("u2"), number).value == 7
    assert [sent["response_format"]["type"] for sent in service.asked] == ["json_schema", "json_object", "json_object"]
    assert service.asked[1]["response_format"]["schema"] == SCHEMA


@pytest.mark.parametrize(
    "content", ['Here:\n```json\n{"n": 7}\n```\nDone.', '<think>{"n": 1}?</think> {"n": 7}', 'a { b {"n": 7}']
)
def test_a_service_without_formats_is_read_leniently(service: ChatService, content: str) -> None:
    service.refuses, service.always = ("json_schema", "json_object"), Says(content)
    asked = ask(service)
    assert (asked.value, asked.reply.mode, len(service.asked)) == (7, "text", 3)
    assert "response_format" not in service.asked[-1]


def test_a_service_with_other_fields_is_asked_as_it_wants(service: ChatService) -> None:
    service.refuses, service.always = ("max_tokens", "temperature", "json_schema"), GOOD
    live = Live(service.endpoint(tries=1), MemoryRecordings())
    assert [live.ask(asking(unit), number).value for unit in ("u1", "u2")] == [7, 7]
    assert len(service.asked) == 5
    last = service.asked[-1]
    assert last["max_completion_tokens"] == 300
    assert {"max_tokens", "temperature"}.isdisjoint(last)


def test_a_proxy_is_used_for_other_machines_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert client._proxy("http://models.example/v1") == "http://proxy.example:3128"
    assert client._proxy("http://inside.example/v1") is client._proxy("http://127.0.0.1:8080/v1") is None


# Recordings ---------------------------------------------------------------------------------------------------------------


def test_what_is_recorded_is_not_asked_again(service: ChatService) -> None:
    recordings = MemoryRecordings()
    service.script = [GOOD]
    first = Live(service.endpoint(), recordings).ask(asking(), number)
    again = Live(service.endpoint(), recordings).ask(asking(), number)
    assert (again.value, again.reply.replayed, again.reply.text) == (7, True, first.reply.text)
    assert (again.reply.tokens_in, again.reply.seconds) == (first.reply.tokens_in, first.reply.seconds)
    assert len(service.asked) == 1
    service.script = [Says('{"n": 8}')]
    assert Live(service.endpoint(), recordings).ask(asking(user="How many now?"), number).value == 8


def test_a_recorded_failure_is_asked_again_on_request_only(service: ChatService) -> None:
    recordings = MemoryRecordings()
    service.script = [Says("no"), Says("no")]
    Live(service.endpoint(), recordings).ask(asking(), number)
    kept = Live(service.endpoint(), recordings).ask(asking(), number)
    assert (kept.value, kept.reply.replayed, "no valid JSON" in str(kept.reply.failure)) == (None, True, True)
    assert len(service.asked) == 2
    service.script = [GOOD]
    assert Live(service.endpoint(), recordings, retry_failed=True).ask(asking(), number).value == 7
    assert Live(service.endpoint(), recordings).ask(asking(), number).reply.replayed


def test_a_prompt_that_got_no_answer_is_asked_again(service: ChatService) -> None:
    recordings = MemoryRecordings()
    service.script = [500]
    assert Live(service.endpoint(tries=1), recordings).ask(asking(), number).value is None
    service.script = [GOOD]
    assert Live(service.endpoint(), recordings).ask(asking(), number).value == 7


def test_replay_needs_no_service_and_says_what_it_lacks(service: ChatService) -> None:
    recordings = MemoryRecordings()
    service.script = [GOOD]
    Live(service.endpoint(), recordings).ask(asking(), number)
    replay = Replay("some-model", recordings)
    assert replay.ask(asking(), number).value == 7
    other = asking(user="Another prompt")
    missing = replay.ask(other, number)
    assert (missing.value, missing.reply.failure) == (None, "nothing is recorded for it")
    near = Replay("some-model", recordings, same_prompt=False).ask(other, number)
    assert (near.value, near.reply.other_prompt) == (7, True)
    assert Replay("other-model", recordings, same_prompt=False).ask(other, number).value is None
    assert len(service.asked) == 1


def test_a_recorded_output_that_the_check_refuses_by_now_is_a_failure(service: ChatService) -> None:
    def refuse(data: Any) -> int:
        raise ValueError("not any more")

    recordings = MemoryRecordings()
    service.script = [GOOD]
    Live(service.endpoint(), recordings).ask(asking(), number)
    assert Replay("some-model", recordings).ask(asking(), refuse).reply.failure == "not any more"


# Several ------------------------------------------------------------------------------------------------------------------


def test_several_are_under_way_at_once_and_come_in_order(service: ChatService) -> None:
    service.pause = 0.2
    seen: list[str] = []
    prompts = [prompt(f"u{n}", user=f"number {n} absolutely") for n in range(9)]
    live = Live(service.endpoint(concurrency=3), MemoryRecordings())
    found = live.ask_many(prompts, str, progress=lambda asked: seen.append(asked.reply.text))
    assert [f"number {n} " in str(asked.value) for n, asked in enumerate(found)] == [True] * 9
    assert service.most_at_once == 3
    assert sorted(seen) == sorted(asked.reply.text for asked in found)


def test_the_first_error_of_several_stops_the_rest_and_keeps_what_was_answered(service: ChatService) -> None:
    service.script, recordings = [GOOD, 401], MemoryRecordings()
    with pytest.raises(ChatError):
        Live(service.endpoint(), recordings).ask_many([asking(f"u{n}") for n in range(6)], number)
    assert len(service.asked) == 2
    assert recordings.get("tags", "1", "some-model", "demo/c", "u0") is not None


def test_no_more_is_asked_than_was_allowed(service: ChatService) -> None:
    service.always, recordings = GOOD, MemoryRecordings()
    live = Live(service.endpoint(concurrency=4), recordings, most=2)
    with pytest.raises(Enough):
        live.ask_many([asking(f"u{n}") for n in range(6)], number)
    assert len(service.asked) == 2
    assert [Replay("some-model", recordings).ask(asking(f"u{n}"), number).value for n in range(3)] == [7, 7, None]
