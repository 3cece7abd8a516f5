from __future__ import annotations

import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from workbench.errors import StoreError
from workbench.store import ExtractionKey, Store, connection, open_store, schema

RULES = ExtractionKey("rules")

HOLD = """
import sys
from workbench.store import open_store
with open_store(sys.argv[1], read_only=sys.argv[2] == "read"):
    print("open", flush=True)
    sys.stdin.read() if len(sys.argv) < 4 else __import__("time").sleep(float(sys.argv[3]))
"""

LOAD = """
import sys
from conftest import _case, _notes
from workbench.store import ExtractionKey, open_store
for i in range(10_000):
    with open_store(sys.argv[1]) as store:
        case = _case(f"c{i}", sessions=30)
        store.cases.add(case, _notes(case), ExtractionKey("rules"))
    print(i, flush=True)
"""

RERUN = """
import sys, time
from workbench.store import open_store
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    with open_store(sys.argv[1], read_only=True) as store:
        store.cases.list()
        time.sleep(0.05)
    print("rerun", flush=True)
    time.sleep(0.05)
"""


@pytest.fixture
def filled(path: Path, make_case, make_notes) -> Path:
    with open_store(path) as store:
        store.cases.add(make_case(), make_notes(make_case()), RULES)
    return path


def one_line(error: pytest.ExceptionInfo[StoreError]) -> str:
    text = str(error.value)
    assert "\n" not in text
    return text


# --- missing, damaged, newer, older -----------------------------------------------------------------------------------------


def test_writing_makes_the_file_and_its_folder(tmp_path):
    with open_store(tmp_path / "new" / "s.duckdb") as store:
        assert store.info().cases == 0
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["s.duckdb"]


def test_reading_a_missing_store_says_to_load(path):
    with pytest.raises(StoreError, match=r"there is no store at .*: load data first"):
        open_store(path, read_only=True)
    assert not path.exists()


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("content", [b"", b"not a database", b"a,b\n1,2\n", b"{}" * 5000, bytes(20_000)])
def test_a_file_that_is_no_database_is_left_alone(path, content, read_only):
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"is no workbench store but another kind of file") as error:
        open_store(path, read_only=read_only)
    assert path.name in one_line(error)
    assert path.read_bytes() == content


@pytest.mark.parametrize("keep", [5_000, 60_000, 0.5])
def test_a_cut_off_store_is_an_error_not_an_empty_store(filled, keep):
    size = filled.stat().st_size
    os.truncate(filled, int(keep * size) if keep < 1 else keep)
    with pytest.raises(StoreError) as error, open_store(filled, read_only=True) as store:  # noqa: PT012
        store.notes.get("demo/c1")
        store.cases.get("demo/c1")
    assert filled.name in one_line(error)


def test_a_folder_is_no_store(tmp_path):
    with pytest.raises(StoreError, match="can't open the store"):
        open_store(tmp_path)


def test_another_duckdb_database_is_left_alone(path):
    duckdb.connect(str(path)).execute("CREATE TABLE birds (name VARCHAR)").close()
    with pytest.raises(StoreError, match=r"not a workbench store \(its tables: birds\)"):
        open_store(path)


def set_version(path: Path, version: int) -> None:
    with open_store(path) as store, store.cases._db.transaction() as cursor:
        cursor.execute("UPDATE meta SET value = ? WHERE name = 'schema_version'", [str(version)])


@pytest.mark.parametrize("read_only", [True, False])
def test_a_newer_store_names_both_versions(filled, read_only):
    newest = len(schema.MIGRATIONS)
    set_version(filled, newest + 6)
    with pytest.raises(StoreError, match=f"schema version {newest + 6}, this workbench reads up to {newest}"):
        open_store(filled, read_only=read_only)


@pytest.mark.parametrize("version", range(1, len(schema.MIGRATIONS)))
def test_a_store_of_every_earlier_version_is_brought_up_to_date(path, make_case, monkeypatch, version):
    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:version])
        with open_store(path) as store, store.cases._db.transaction() as cursor:
            cursor.execute("INSERT INTO cases (case_key, benchmark, id, questions, notes) VALUES ('demo/c1', 'demo', 'c1', 0, 0)")
    with open_store(path, read_only=True) as store:
        assert store.info().schema_version == len(schema.MIGRATIONS)
        assert store.states.of_case("demo/c1") == []
        assert store.vectors.count() == 0


NEXT = "ALTER TABLE cases ADD COLUMN colour VARCHAR DEFAULT 'blue'; CREATE TABLE shapes (case_key VARCHAR);"


@pytest.mark.parametrize("read_only", [True, False])
def test_an_older_store_is_brought_up_to_date_and_keeps_its_cases(filled, make_case, monkeypatch, read_only):
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, NEXT))
    with open_store(filled, read_only=read_only) as store:
        assert store.info().schema_version == len(schema.MIGRATIONS)
        assert store.cases._db.rows("SELECT colour FROM cases") == [("blue",)]
        assert store.cases.get("c1") == make_case()
    monkeypatch.undo()
    with pytest.raises(StoreError, match="update the workbench"):
        open_store(filled)


def test_a_migration_that_fails_leaves_the_store_as_it_was(filled, make_case, monkeypatch):
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, NEXT + " SELECT * FROM nowhere;"))
    with pytest.raises(duckdb.CatalogException):
        open_store(filled)
    monkeypatch.undo()
    with open_store(filled) as store:
        assert store.cases.get("c1") == make_case()
        assert "shapes" not in {name for (name,) in store.cases._db.rows("SELECT table_name FROM duckdb_tables()")}


# --- what the disk refuses --------------------------------------------------------------------------------------------------


def test_a_place_that_takes_no_file_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"can't create a store at .*file/s\.duckdb") as error:
        open_store(tmp_path / "file" / "s.duckdb")
    one_line(error)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any folder")
def test_a_read_only_folder_is_an_error_for_writing_only(filled):
    filled.chmod(0o444)
    filled.parent.chmod(0o555)
    try:
        with open_store(filled, read_only=True) as store:
            assert store.cases.benchmarks() == {"demo": 1}
        with pytest.raises(StoreError, match=r"can't open .*ermission"):
            open_store(filled)
        with pytest.raises(StoreError, match=r"can't create .*ermission"):
            open_store(filled.with_name("other.duckdb"))
    finally:
        filled.parent.chmod(0o755)


@pytest.mark.parametrize("room", [1_000, 200_000, 1_000_000])
def test_a_full_disk_is_one_line_and_loses_no_case(filled, make_case, run_python, room):
    process = run_python(
        """
import resource, sys
from conftest import _case, _notes
from workbench.errors import StoreError
from workbench.store import ExtractionKey, open_store
limit = __import__("os").path.getsize(sys.argv[1]) + int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    for i in range(200):
        with open_store(sys.argv[1]) as store:
            case = _case(f"big{i}", sessions=500, word="x" * 500)
            store.cases.add(case, _notes(case), ExtractionKey("rules"))
except StoreError as error:
    print(error)
""",
        filled,
        room,
    )
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.count("\n") == 1
    assert filled.name in out
    assert "File too large" in out  # how the system calls the limit that stands for a full disk here
    with open_store(filled) as store:
        assert store.cases.get("c1") == make_case()
        assert all(len(store.notes.get(row.key)) == row.notes for row in store.cases.list())


def test_a_store_opened_for_reading_refuses_to_be_written(filled, make_case, make_notes):
    with open_store(filled, read_only=True) as store, pytest.raises(StoreError, match="open for reading only"):
        store.cases.add(make_case("c2"), make_notes(make_case("c2")), RULES)


def test_a_closed_store_says_so(path):
    store = open_store(path)
    store.close()
    store.close()
    with pytest.raises(ValueError, match="is closed"):
        store.info()
    with pytest.raises(ValueError, match="is closed"):
        store.cases.list()


# --- other processes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("theirs", "ours_reads"), [("write", True), ("write", False), ("read", False)])
def test_a_store_locked_by_another_process_names_it(filled, run_python, theirs, ours_reads):
    holder = run_python(HOLD, filled, theirs, 60)
    assert holder.stdout.readline() == "open\n"
    start = time.monotonic()
    with pytest.raises(StoreError, match=rf"is locked by another process \(PID {holder.pid}\)") as error:
        open_store(filled, read_only=ours_reads, wait_seconds=0.5)
    assert 0.4 < time.monotonic() - start < 5
    one_line(error)


def test_a_lock_that_goes_away_is_waited_for(filled, run_python):
    holder = run_python(HOLD, filled, "write", 1)
    assert holder.stdout.readline() == "open\n"
    with open_store(filled) as store:
        assert store.cases.benchmarks() == {"demo": 1}


def test_processes_read_side_by_side(filled, run_python):
    holder = run_python(HOLD, filled, "read", 60)
    assert holder.stdout.readline() == "open\n"
    with open_store(filled, read_only=True, wait_seconds=0) as store:
        assert store.cases.benchmarks() == {"demo": 1}
    assert holder.poll() is None


def test_a_writer_gets_in_between_the_reruns_of_a_reader(filled, run_python, make_case, make_notes):
    reader = run_python(RERUN, filled, 30)
    assert reader.stdout.readline() == "rerun\n"
    for i in range(3):
        case = make_case(f"new{i}")
        with open_store(filled) as store:
            assert store.cases.add(case, make_notes(case), RULES) == "added"
    assert reader.poll() is None
    assert reader.stdout.readline() == "rerun\n"


def test_two_processes_that_create_the_same_store_both_end_up_in_it(path, run_python):
    add = """
import sys
from conftest import _case, _notes
from workbench.store import ExtractionKey, open_store
case = _case(sys.argv[2])
with open_store(sys.argv[1]) as store:
    print(store.cases.add(case, _notes(case), ExtractionKey("rules")))
"""
    processes = [run_python(add, path, f"c{i}") for i in range(3)]
    assert [process.communicate(timeout=60) for process in processes] == [("added\n", "")] * 3
    with open_store(path) as store:
        assert store.cases.benchmarks() == {"demo": 3}
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_creating_a_store_never_replaces_one_that_has_come_up_meanwhile(filled, make_case):
    connection._create(filled)
    with open_store(filled) as store:
        assert store.cases.get("c1") == make_case()


def test_a_kill_at_any_time_leaves_whole_cases_only(path, run_python, make_case):
    random_wait = random.Random(7)
    for _ in range(5):
        path.unlink(missing_ok=True)
        process = run_python(LOAD, path)
        process.stdout.readline()
        time.sleep(random_wait.uniform(0, 0.4))
        process.kill()
        done = process.communicate()[0].count("\n")
        with open_store(path, read_only=True) as store:  # reads what the log holds, without writing it out
            rows = store.cases.list()
            assert done + 1 <= len(rows) <= done + 2
            for row in rows:
                assert store.cases.get(row.key) == make_case(row.id, sessions=30)
                assert len(store.notes.get(row.key)) == row.notes == 60
        with open_store(path) as store:
            assert [row.key for row in store.cases.list()] == [row.key for row in rows]
        with open_store(path) as store:
            store.cases.remove_benchmark("demo")


# --- threads ----------------------------------------------------------------------------------------------------------------


def test_threads_share_a_store(filled, make_case, make_notes):
    barrier = threading.Barrier(8)

    def work(number: int) -> int:
        barrier.wait()
        for i in range(5):
            case = make_case(f"t{number}_{i % 3}")
            with open_store(filled) as mine:
                assert mine.cases.add(case, make_notes(case), RULES) == ("added" if i < 3 else "present")
                assert mine.cases.get(case.key) == case
                assert len(mine.notes.get("demo/c1")) == 6
        return number

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(work, range(8))) == list(range(8))
    with open_store(filled, read_only=True) as store:
        assert store.info().cases == 25
        assert store.info().notes == 25 * 6


def test_the_same_case_from_many_threads_is_stored_once(store: Store, make_case, make_notes):
    case = make_case()
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: store.cases.add(case, make_notes(case), RULES), range(8)))
    assert sorted(outcomes) == ["added"] + ["present"] * 7
    assert store.info().notes == 6


def test_readers_go_on_while_a_case_is_removed(filled, make_case, make_notes):
    with open_store(filled) as store:
        for i in range(4):
            store.cases.add(make_case(f"r{i}"), make_notes(make_case(f"r{i}")), RULES)
    stop = threading.Event()

    def read() -> int:
        count = 0
        with open_store(filled) as mine:
            while not stop.is_set():
                assert len(mine.notes.get("demo/c1")) == 6
                count += 1
        return count

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        try:
            with open_store(filled) as store:
                for i in range(4):
                    store.cases.remove(f"r{i}")
        finally:
            stop.set()
        assert all(reader.result(timeout=30) > 0 for reader in readers)


def test_removal_waits_for_a_query_that_is_under_way(filled):
    under_way, finished = threading.Event(), threading.Event()

    def read_slowly(store: Store) -> int:
        with store.cases._db._reading() as cursor:
            under_way.set()
            time.sleep(0.3)
            count = len(cursor.execute("SELECT * FROM turns").fetchall())
        finished.set()
        return count

    with open_store(filled) as store, ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read_slowly, store)
        assert under_way.wait(10)
        store.cases.remove("c1")
        assert finished.is_set()
        assert reader.result() == 0


def test_a_writer_in_this_process_waits_for_readers_in_it(filled):
    with open_store(filled, read_only=True), pytest.raises(StoreError, match="open for reading in this process"):
        open_store(filled, wait_seconds=0.1)
    reader = open_store(filled, read_only=True)
    threading.Timer(0.3, reader.close).start()
    with open_store(filled) as writer, open_store(filled, read_only=True) as along:
        assert along.cases.list() == writer.cases.list()
