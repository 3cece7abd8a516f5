"""Labels: appended by many at once, the newest counts, and they go with their case."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from workbench.errors import StoreError
from workbench.store import GIVEN, Label, labels_path, open_labels, open_store

NOON = datetime(2024, 5, 1, 12)


def label(**values: object) -> Label:
    given = {"case": "demo/c1", "question": "q1", "analyst": "Ann", "label": "tagged", "created": NOON} | values
    return Label(**given)  # type: ignore[arg-type]


def test_the_newest_of_each_place_and_analyst_counts_and_history_stays(path: Path):
    first, later = label(), label(label="cut", created=NOON + timedelta(minutes=1))
    other = label(analyst="Bob")
    on_note = label(note="s0#1", method="bm25")
    with open_labels(path) as labels:
        assert labels.add([later, other, on_note]) == 3
        assert labels.add([first]) == 1
        assert labels.current() == [later, other, on_note]
        assert labels.history() == [other, on_note, first, later]
        assert labels.current(analyst="Bob") == [other]
        assert labels.current(question="q2") == []
        assert labels.analysts() == {"Ann": 2, "Bob": 1}


def test_of_labels_of_one_moment_the_last_one_given_counts(path: Path):
    with open_labels(path) as labels:
        labels.add([label(comment="a"), label(comment="b")])
        assert [each.comment for each in labels.current()] == ["b"]


def test_a_label_that_is_there_to_the_last_field_is_not_added_again(path: Path):
    with open_labels(path) as labels:
        assert labels.add([label(), label()]) == 1
        assert labels.add([label(), label(status="done")]) == 1
        assert len(labels.history()) == 2


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"analyst": " "}, "analyst is ' '"),
        ({"case": ""}, "case is ''"),
        ({"status": "maybe"}, "open, done, set aside"),
        ({"created": datetime(2024, 5, 1, tzinfo=UTC)}, "no zone"),
    ],
)
def test_what_is_no_label_is_refused_and_nothing_is_kept(path: Path, wrong: dict[str, object], reason: str):
    with open_labels(path) as labels:
        with pytest.raises(ValueError, match=reason):
            labels.add([label(), label(**wrong)])
        assert labels.history() == []


def test_reading_labels_that_nobody_gave_makes_no_file(path: Path):
    with open_labels(path, read_only=True) as labels:
        assert labels.current() == []
        with pytest.raises(StoreError, match="reading only"):
            labels.add([label()])
    assert list(path.parent.iterdir()) == []


def test_cases_and_labels_are_not_taken_for_each_other(path: Path):
    open_labels(path).close()
    with pytest.raises(StoreError, match="labels, not cases"):
        open_store(labels_path(path))
    other = path.with_name("other.duckdb")
    open_store(labels_path(other)).close()
    with pytest.raises(StoreError, match="cases, not labels"):
        open_labels(other)


def test_eight_threads_at_once_lose_nothing(path: Path):
    def work(number: int) -> None:
        for at in range(20):
            with open_labels(path) as labels:
                labels.add([label(analyst=f"a{number}", note=str(at))])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_labels(path, read_only=True) as labels:
        assert labels.analysts() == {f"a{number}": 20 for number in range(8)}


APPEND = """
import sys
from datetime import datetime
from workbench.store import GIVEN, Label, open_labels
for at in range(5):
    with open_labels(sys.argv[1], wait_seconds=60) as labels:
        labels.add([Label(case="demo/c1", question="q1", note=str(at), analyst=sys.argv[2], created=datetime(2024, 5, 1))])
"""


@pytest.mark.parametrize("many", [3, pytest.param(8, marks=pytest.mark.slow)])
def test_processes_at_once_lose_nothing(path: Path, run_python, many: int):
    processes = [run_python(APPEND, path, f"a{number}") for number in range(many)]
    errors = [process.communicate(timeout=120)[1] for process in processes]
    assert errors == [""] * many
    with open_labels(path, read_only=True) as labels:
        assert labels.analysts() == {f"a{number}": 5 for number in range(many)}


HOLD = """
import sys, time
from workbench.store import open_store
with open_store(sys.argv[1], read_only=sys.argv[2] == "reading"):
    print("open", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("how", ["reading", "writing"])
def test_whoever_holds_the_cases_does_not_hold_up_labels(path: Path, run_python, how: str):
    open_store(path).close()
    holder = run_python(HOLD, path, how)
    assert holder.stdout.readline() == "open\n"
    with open_labels(path, wait_seconds=0) as labels:
        assert labels.add([label()]) == 1
    assert holder.poll() is None


def test_labels_go_with_their_case_and_their_text_too(path: Path, make_case, make_notes):
    case, kept = make_case(), make_case("c2")
    secret = "a comment that nobody may find again " * 20
    with open_store(path) as store:
        store.cases.add(case, make_notes(case), GIVEN)
        store.cases.add(kept, make_notes(kept), GIVEN)
        with open_labels(path) as labels:
            labels.add([label(comment=secret), label(case="demo/c2", comment="kept")])
        store.cases.remove("c1")
    with open_labels(path, read_only=True) as labels:
        assert [each.case for each in labels.history()] == ["demo/c2"]
    assert b"nobody may find" not in labels_path(path).read_bytes()


def test_where_labels_are_held_no_case_is_removed(path: Path, make_case, make_notes, run_python):
    case = make_case()
    with open_store(path) as store:
        store.cases.add(case, make_notes(case), GIVEN)
    open_labels(path).close()
    holder = run_python(HOLD.replace("open_store", "open_labels"), path, "writing")
    assert holder.stdout.readline() == "open\n"
    with open_store(path) as store:
        with pytest.raises(StoreError, match="locked by another process"):
            store.cases.remove("c1", wait_seconds=0.1)
        assert store.cases.find("demo/c1") is not None


def test_versions_of_the_taxonomy_are_kept(path: Path):
    with open_labels(path) as labels:
        assert labels.taxonomies() == []
        assert labels.add_taxonomy([("a", "first")], "Ann", NOON) == 1
        assert labels.add_taxonomy([("a", "first"), ("b", "")], "Bob", NOON) == 2
        rows = labels.taxonomies()
    assert [(row.version, row.causes, row.analyst) for row in rows] == [
        (1, (("a", "first"),), "Ann"),
        (2, (("a", "first"), ("b", "")), "Bob"),
    ]


def test_text_without_a_utf8_form_is_stored_readable(path: Path):
    broken = label(comment="x" + chr(0xD800))
    with open_labels(path) as labels:
        labels.add([broken])
        assert labels.current() == [replace(broken, comment="x\ufffd")]
        assert labels.add([broken]) == 0
