"""A private case that everything was done with: after its removal no file of the store holds a word of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from chat_service import KEY, ChatService, Says, chat_service
from typer.testing import CliRunner

from workbench.cli import app
from workbench.store import open_store

MARKERS = ("Quillfeather", "zorbanium", "vexillode", "plumbatrice", "grumblewick", "ostrolithe")
"""Words of nobody else: in the title, turns (as name and as thing), question, answer, a typed question and a label's comment."""
CASE = [
    {"case": "diary", "benchmark": "private", "title": "Notes on vexillode"},
    {
        "session": "s1",
        "time": "2024-05-02T18:30",
        "role": "user",
        "text": "I live in Leeds with Quillfeather, my zorbanium parrot.",
    },
    {"session": "s1", "role": "assistant", "text": "A zorbanium parrot needs light. Quillfeather will like the window."},
    {
        "session": "s2",
        "time": "2024-06-02T18:30",
        "role": "user",
        "text": "I moved to York, and Quillfeather has a zorbanium cage.",
    },
    {"session": "s2", "role": "assistant", "text": "Then cover the zorbanium cage at night."},
    {"question": "Where does plumbatrice Quillfeather live?", "id": "q1", "answer": "grumblewick", "gold": {"turns": ["s2:0"]}},
]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch):
    with chat_service() as server:
        for name, value in {"URL": server.url, "KEY": KEY, "MODEL": "some-model"}.items():
            monkeypatch.setenv(f"WORKBENCH_LLM_{name}", value)
        yield server


@pytest.mark.parametrize("what", [["private/diary"], ["--benchmark", "private"]], ids=["case", "benchmark"])
def test_no_byte_of_a_removed_case_is_left(demo_store: Path, tmp_path: Path, service: ChatService, what: list[str]) -> None:
    home = tmp_path / "home"
    home.mkdir()
    store = Path(shutil.copy(demo_store, home / "own.duckdb"))
    source = tmp_path / "diary.jsonl"
    source.write_text("\n".join(map(json.dumps, CASE)))

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(app, [*arguments, "--store", str(store)])
        assert done.exit_code == 0, done.output
        return done.output

    run("load", str(source))
    run("extract", "--cases", "private/diary")
    run("facts", "private/diary")
    run("ariadne", "private/diary", "q1")
    run("evaluate", "--benchmark", "private", "--methods", "bm25,adaptive,dense,openclaw,ariadne,real")
    run("ablate", "--benchmark", "private", "--method", "real")
    service.always = Says(json.dumps({"answer": "with grumblewick", "supported_by": [], "confidence": 0.5}))
    run("answer", "--benchmark", "private", "--methods", "bm25")
    run("ask", "mine", "private/diary", "Which ostrolithe is it?", "--gold", "s1#1")
    run("label", "private/diary", "q1", "--analyst", "Ann", "--comment", "ostrolithe again", "--status", "done")
    held = [file.read_bytes() for file in home.iterdir()]
    missing = [word for word in MARKERS if not any(word.encode() in each for each in held)]
    assert not missing, "these were never stored in plain bytes, so that their absence would say nothing"

    with open_store(store, read_only=True) as opened:
        others = [row.key for row in opened.cases.list() if row.benchmark not in ("private", "mine")]
    run("remove", *what)
    with open_store(store, read_only=True) as opened:
        assert [row.key for row in opened.cases.list()] == others
    for file in home.iterdir():
        content = file.read_bytes().lower()
        assert [word for word in MARKERS if word.lower().encode() in content] == [], file.name
