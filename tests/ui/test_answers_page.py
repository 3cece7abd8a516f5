"""The page Answers: nothing configured, asking as a job, the table, one question's answers and what the model was shown."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from chat_service import KEY, ChatService, Says, chat_service
from shown import HOSTILE, html, markdown, texts
from streamlit.testing.v1 import AppTest

from workbench.answer.abstention import NOT_TOLD
from workbench.chat import service as client
from workbench.colours import GOLD_MARK
from workbench.store import open_store
from workbench.ui.jobs import Stopped, jobs

KILN = "small/kiln"


def _script() -> None:
    from workbench.ui import context
    from workbench.ui.pages import answers

    context.sidebar()
    answers.show()


def visit(**query: str | list[str]) -> AppTest:
    page = AppTest.from_function(_script, default_timeout=60)
    for name, value in ({"case": KILN, "methods": ["bm25", "tag_basic"]} | query).items():
        page.query_params[name] = value
    return run(page)


def run(page: AppTest) -> AppTest:
    page.run()
    assert not page.exception, page.exception
    return page


def finish(page: AppTest, path: Path) -> AppTest:
    """Run the page until the store's job has ended."""
    job = jobs().of(str(path))
    assert job is not None
    end = time.monotonic() + 60
    while not job.future.done() and time.monotonic() < end:
        time.sleep(0.05)
    return run(page)


def answer(text: str) -> Says:
    return Says(json.dumps({"answer": text}))


def start(page: AppTest) -> AppTest:
    page.button(key="answers-start").click()
    return run(page)


@pytest.fixture
def no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WORKBENCH_LLM_URL", "WORKBENCH_LLM_MODEL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatService]:
    monkeypatch.setattr(client, "BACKOFF", 0.01)
    with chat_service() as server:
        given = {"URL": server.url, "KEY": KEY, "MODEL": "some-model", "CONCURRENCY": "1", "RETRIES": "2"}
        for name, value in given.items():
            monkeypatch.setenv(f"WORKBENCH_LLM_{name}", value)
        server.always = answer("It reaches 1100 degrees.")
        yield server


@pytest.fixture
def answered(store: Path, service: ChatService) -> Path:
    """The store with answers to both questions that have gold, by two methods."""
    finish(start(visit()), store)
    return store


def table(page: AppTest) -> pd.DataFrame:
    return page.dataframe[0].value.set_index("Method")


def test_without_a_model_the_page_says_what_to_set(store, no_endpoint):
    page = visit()
    code = "\n".join(each.value for each in page.code)
    assert "No answers are stored" in markdown(page)
    assert "WORKBENCH_LLM_URL" in code
    assert "WORKBENCH_LLM_MODEL" in code
    assert "workbench answer --benchmark small --methods bm25,tag_basic" in code
    assert not page.button


def test_answers_can_be_read_without_a_model(answered, service, monkeypatch, no_endpoint):
    page = visit()
    assert list(table(page).index) == ["bm25", "tag_basic"]
    assert "1100 degrees" in html(page)


def test_asking_runs_beside_the_page_and_says_what_it_cost(store, service):
    page = start(visit())
    page = finish(page, store)
    assert "4 answers to 2 questions" in markdown(page)
    assert f"{120 * len(service.asked):,} tokens spent now" in markdown(page)
    with open_store(store, read_only=True) as opened:
        (found,) = opened.answers.sets("small")
    assert (found.questions, found.answers, found.failed) == (2, 4, 0)
    before = len(service.asked)
    page = finish(start(page), store)
    assert len(service.asked) == before
    assert "0 tokens spent now" in markdown(page)


def test_the_table_tells_what_the_store_holds(answered):
    shown = table(visit())
    assert shown.loc["bm25", "containment"].startswith("0.500")
    assert shown.loc["bm25", "asked"] == 2
    assert {"token F1", "MRR"} <= set(shown.columns)


def test_a_questions_answers_stand_beside_what_is_expected_with_the_notes_shown(answered):
    page = visit(question="kiln_q1")
    shown = html(page)
    assert "1100 degrees</mark>" in shown
    assert "✓ containment" in markdown(page)
    assert "of 1 gold note among them" in markdown(page).replace("\\", "")
    assert f"{GOLD_MARK} gold</span>" in shown
    other = visit(question="kiln_q2")
    assert "✗ containment" in markdown(other)
    assert "was not asked in this set" in markdown(visit(question="kiln_q3"))


def test_the_prompt_is_folded_and_drawn_when_opened(answered):
    page = visit(question="kiln_q1")
    assert not any("Note 1:" in each.value for each in page.code)
    with open_store(answered, read_only=True) as store:
        (found,) = store.answers.sets("small")
        (one, *_) = store.answers.get(found.run, found.model, found.version, question=(KILN, "kiln_q1"))
    assert "> How hot does my new kiln get?" in one.prompt
    page.session_state["prompt-bm25"] = True
    run(page)
    assert any("> How hot does my new kiln get?" in each.value for each in page.code)


def test_a_failure_is_shown_as_one(store, service):
    service.script = [Says("", refusal="never"), answer(NOT_TOLD)]
    page = finish(start(visit()), store)
    shown = table(page)
    assert shown["failed"].sum() >= 1
    assert "without an answer: the model refused: never" in texts(page)
    assert "failed" in page.dataframe[-1].value.to_string()


def test_a_stopped_job_keeps_what_was_answered(store, service):
    service.pause = 0.5
    page = start(visit())
    job = jobs().of(str(store))
    end = time.monotonic() + 30
    while job.unit == "case" and time.monotonic() < end:
        time.sleep(0.02)
    job.stop()
    page = finish(page, store)
    assert isinstance(job.future.exception(), Stopped)
    assert "was stopped" in markdown(page)
    asked = len(service.asked)
    service.pause = 0
    jobs().dismiss(str(store))
    finish(start(visit()), store)
    with open_store(store, read_only=True) as opened:
        assert opened.answers.sets("small")[0].answers == 4
    assert 1 <= asked < len(service.asked) <= 4


def test_hostile_text_stays_text(store, service):
    service.always = answer(HOSTILE)
    page = finish(start(visit(case="small/hostile")), store)
    page = visit(case="small/hostile", question="hostile_q1")
    assert "<img" not in html(page)
    assert HOSTILE not in markdown(page)
