"""Removed text leaves the files also where the removal is killed, refused, or the case has left traces in unlikely places."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from workbench.evaluate.inputs import common_extraction
from workbench.evaluate.requests import Request
from workbench.evaluate.runs import MethodSpec
from workbench.own_questions import add_question
from workbench.store import ExtractionKey, Label, UnfinishedRow, connection, open_labels, open_store

RULES = ExtractionKey("rules")
NOON = datetime(2024, 5, 1, 12)
WORD, COMMENT = "xyzzyplugh", "frobozz"

REMOVE = """
import os, signal, sys
from pathlib import Path
from workbench.store import Labels, open_store
from workbench.store.connection import Database

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

rewrite, replace, remove, at = Database.rewrite, Path.replace, Labels.remove_cases, sys.argv[2]
if at == "labels removed":
    Labels.remove_cases = lambda self, keys: die(remove(self, keys))
elif at in ("labels", "store"):
    Database.rewrite = lambda self, wait: die() if self.kind == at else rewrite(self, wait)
else:
    def replacing(self, target):
        if "labels" in self.name:
            return replace(self, target)
        if at == "renamed":
            replace(self, target)
        die()
    Path.replace = replacing
with open_store(sys.argv[1]) as store:
    store.cases.remove("gone")
"""


@pytest.fixture
def private(path: Path, make_case: Callable, make_notes: Callable) -> Path:
    """A store with a case of unmistakable words and a label on it, beside another case with one."""
    with open_store(path) as store, open_labels(path) as labels:
        for case in (make_case("gone", word=WORD), make_case("kept")):
            store.cases.add(case, make_notes(case), RULES)
            comment = COMMENT if case.id == "gone" else "plain"
            labels.add([Label(case=case.key, question="q", analyst="Ann", comment=comment, created=NOON)])
    assert holding(path, WORD) == [path.name]
    assert holding(path, COMMENT) == [path.name + ".labels.duckdb"]
    return path


def holding(path: Path, text: str) -> list[str]:
    """Names of the files in a store's folder that hold a text, in either case."""
    files = [file for file in path.parent.rglob("*") if file.is_file()]
    return sorted(file.name for file in files if text.encode() in file.read_bytes().lower())


def assert_kept(path: Path, make_case: Callable) -> None:
    with open_store(path, read_only=True) as store, open_labels(path, read_only=True) as labels:
        assert [row.key for row in store.cases.list()] == ["demo/kept"]
        assert store.cases.get("kept") == make_case("kept")
        assert [label.comment for label in labels.history()] == ["plain"]


@pytest.mark.parametrize(
    ("at", "is_there", "left"),
    [
        ("labels removed", True, True),
        ("labels", False, True),
        ("store", False, True),
        ("copied", False, True),
        ("renamed", False, False),
    ],
)
def test_a_killed_removal_is_finished_by_who_writes_next(private, run_python, make_case, at, is_there, left):
    process = run_python(REMOVE, private, at)
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == -signal.SIGKILL
    assert (holding(private, WORD) != []) == left
    with open_store(private) as store:
        assert [row.key for row in store.cases.list()] == (["demo/gone", "demo/kept"] if is_there else ["demo/kept"])
        if is_there:
            store.cases.remove("gone")
    open_labels(private).close()
    assert holding(private, WORD) == holding(private, COMMENT) == []
    assert_kept(private, make_case)


def test_a_rewriting_that_the_disk_has_no_room_for_waits_and_stops_nobody(private, run_python, make_case, monkeypatch):
    run_python(REMOVE, private, "store").communicate(timeout=60)
    with monkeypatch.context() as full:
        full.setattr(connection.shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
        with open_store(private) as store:
            assert [row.key for row in store.cases.list()] == ["demo/kept"]
    assert holding(private, WORD) == [private.name]
    open_store(private).close()
    assert holding(private, WORD) == []
    identity = private.stat().st_ino
    open_store(private).close()
    assert private.stat().st_ino == identity, "a second rewriting for one removal"


def test_what_a_killed_load_left_in_the_log_is_removed_too(path, run_python, make_case):
    script = """
import os, signal, sys
from conftest import _case, _notes
from workbench.store import ExtractionKey, open_store
with open_store(sys.argv[1]) as store:
    for case in (_case("gone", word="xyzzyplugh"), _case("kept")):
        store.cases.add(case, _notes(case), ExtractionKey("rules"))
    os.kill(os.getpid(), signal.SIGKILL)
"""
    run_python(script, path).communicate(timeout=60)
    assert holding(path, WORD) == [path.name + ".wal"]
    with open_store(path) as store:
        store.cases.remove("gone")
    assert holding(path, WORD) == []
    with open_store(path, read_only=True) as store:
        assert store.cases.get("kept") == make_case("kept")


def test_what_a_killed_process_had_moved_out_of_memory_goes_with_the_next_who_writes(private):
    spilled = Path(f"{private}.tmp")
    spilled.mkdir()
    (spilled / "duckdb_temp_storage_DEFAULT-0.tmp").write_text(WORD)
    with open_store(private, read_only=True) as store:  # others may read along and have moved it there
        store.info()
    assert spilled.is_dir()
    open_store(private).close()
    assert not spilled.exists()


def test_copies_of_copies_go_along(private):
    with open_store(private) as store:
        note = store.notes.get("demo/gone")[0].id
        first = add_question(store, "demo/gone", "mine", "Which one?", [note])
        second = add_question(store, first.case, "yours", "And which other one?", [note])
        assert store.cases.remove("demo/gone") == ("demo/gone", first.case, second.case)
        assert [row.key for row in store.cases.list()] == ["demo/kept"]
    assert holding(private, WORD) == []


def test_an_unfinished_run_forgets_the_name_of_a_removed_case(private, make_case):
    with open_store(private) as store:
        keys = ("demo/gone", "demo/kept")
        request = Request(keys, (MethodSpec("bm25"),), common_extraction(store, keys).key, "evaluation").to_text()
        store.unfinished.begin(UnfinishedRow("r", "plan", "demo", "", NOON, 2, 0, request))
        store.unfinished.begin(UnfinishedRow("other", "plan 2", "demo", "", NOON, 1, 0, '{"cases":["demo/kept","demo/gone2"]}'))
        store.cases.remove("gone")
        assert {row.run: row.request for row in store.unfinished.list()} == {
            "r": "",
            "other": '{"cases":["demo/kept","demo/gone2"]}',
        }
    assert holding(private, '"demo/gone"') == []


def test_a_file_that_was_replaced_between_opening_and_locking_is_opened_again(private, monkeypatch, make_case):
    """What another process's rewriting can do: the name then stands for another file than the one that was opened."""
    new = Path(shutil.copy(private, private.with_name("new.duckdb")))
    with open_store(new) as store:
        store.cases.remove("gone")
    real, calls = connection.Database._identity, []

    def identity(self: connection.Database) -> object:
        calls.append(self)
        found = real(self)
        if len(calls) == 1:  # after the file was looked at, and before it is locked
            new.replace(private)
        return found

    monkeypatch.setattr(connection.Database, "_identity", identity)
    with open_store(private) as store:
        assert [row.key for row in store.cases.list()] == ["demo/kept"]
        assert len(calls) == 4, "it was opened once only"
