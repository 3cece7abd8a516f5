"""A full disk and a read-only one under the real command line: one clear line, exit code 1, and the store as it was."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from killing import ROOT, assert_whole, contents

from workbench.cli import main
from workbench.store import open_labels, open_store

MEGABYTE = 1 << 20
SIZE = 24 * MEGABYTE
CASE, QUESTION = "longmemeval_demo/demo_moves", "demo_moves"
NEW = {
    "load": ["load", str(ROOT / "data" / "demo" / "stories"), "--workers", "1"],
    "evaluate": ["evaluate", "--benchmark", "longmemeval_demo", "--methods", "bm25,real"],
    "label": ["label", CASE, QUESTION, "--analyst", "Ann", "--comment", "a comment"],
    "remove": ["remove", CASE],
}
_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE = 24, 1


def heed_permissions() -> None:
    """Let the program that is started now be bound by permission bits, even where root starts it."""
    if os.geteuid() == 0 and ctypes.CDLL(None, use_errno=True).prctl(_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


class Refused(Exception):
    """A command failed as it should: exit code 1 and one line, which this is."""


def workbench(store: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Run a command.

    Raises
    ------
    Refused
        If it did not succeed.
    """
    capsys.readouterr()
    code, said = main([*command, "--store", str(store)]), capsys.readouterr().err
    if code:
        raise Refused(checked(code, said, store))


def bound_workbench(store: Path, command: list[str]) -> None:
    """Run a command as somebody whom permissions bind, else like `workbench`."""
    done = subprocess.run(
        [sys.executable, "-m", "workbench", *command, "--store", str(store)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=heed_permissions,
        check=False,
    )
    if done.returncode:
        raise Refused(checked(done.returncode, done.stderr, store))


def checked(code: int, said: str, store: Path) -> str:
    assert code == 1
    assert said.startswith("workbench: ")
    assert said.count("\n") == 1, said
    assert store.name in said
    return said


class SmallDisk:
    """A file system of its own that can be filled, emptied and made read-only."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._filler = folder, folder / "filler"

    def fill(self, leave: int) -> None:
        with self._filler.open("wb") as file:
            file.write(bytes(max(shutil.disk_usage(self.folder).free - leave, 0)))

    def empty(self) -> None:
        self._filler.unlink()

    def make(self, access: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{access}", str(self.folder)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a disk of its own may not be mounted here")
    yield SmallDisk(folder)
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="session")
def some_store(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo store without its stories, and with a label."""
    path = Path(shutil.copy(demo_store, tmp_path_factory.mktemp("some") / "store.duckdb"))
    with open_store(path) as store:
        store.cases.remove_benchmark("atant_demo")
    assert main([*NEW["label"], "--store", str(path)]) == 0
    return path


def copied(some_store: Path, folder: Path) -> Path:
    for file in some_store.parent.glob("store.duckdb*"):
        shutil.copy(file, folder)
    return folder / some_store.name


def comments(path: Path) -> list[str]:
    with open_labels(path, read_only=True) as labels:
        return [label.comment for label in labels.history()]


# --- full -------------------------------------------------------------------------------------------------------------------

FULL = "o space left on device"


@pytest.mark.parametrize(
    ("name", "leave"), [pytest.param("load", 400_000, marks=pytest.mark.slow), ("load", 0), ("evaluate", 0), ("label", 0)]
)
def test_a_full_disk_stops_a_command_and_loses_nothing(disk: SmallDisk, some_store: Path, capsys, name: str, leave: int) -> None:
    path = copied(some_store, disk.folder)
    before = contents(path)
    command = [*NEW[name], "--comment", "another"] if name == "label" else NEW[name]
    disk.fill(leave)
    with pytest.raises(Refused, match=FULL):
        workbench(path, command, capsys)
    assert_whole(path)  # while the disk is still full
    assert before.items() <= contents(path).items()
    assert comments(path) == ["a comment"]
    disk.empty()
    workbench(path, command, capsys)
    assert_whole(path)
    with open_store(path, read_only=True) as store:
        assert store.cases.benchmarks().get("atant_demo", 0) == (14 if name == "load" else 0)
        assert len(store.runs.list()) == (name == "evaluate")
    assert comments(path) == (["a comment", "another"] if name == "label" else ["a comment"])


def test_a_removal_on_a_full_disk_says_that_the_text_is_still_there(disk: SmallDisk, some_store: Path, capsys) -> None:
    path = copied(some_store, disk.folder)
    disk.fill(leave=1_000_000)
    with pytest.raises(Refused, match=rf"rewriting the file without the removed text \(the rows are gone\) failed: .*{FULL}"):
        workbench(path, NEW["remove"], capsys)
    assert_whole(path)
    with open_store(path, read_only=True) as store:
        assert CASE not in {row.key for row in store.cases.list()}
    assert comments(path) == []
    assert QUESTION.encode() in path.read_bytes()
    disk.empty()
    open_store(path).close()
    assert QUESTION.encode() not in path.read_bytes()


def test_a_store_that_finds_no_room_is_not_begun(disk: SmallDisk, capsys) -> None:
    disk.fill(leave=0)
    with pytest.raises(Refused, match=FULL):
        workbench(disk.folder / "new.duckdb", NEW["load"], capsys)
    assert [file.name for file in disk.folder.iterdir()] == ["filler"]


# --- read-only --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NEW)
def test_a_read_only_disk_can_be_read(disk: SmallDisk, some_store: Path, capsys, name: str) -> None:
    path = copied(some_store, disk.folder)
    disk.make("ro")
    try:
        with pytest.raises(Refused, match="Read-only file system"):
            workbench(path, NEW[name], capsys)
        workbench(path, ["cases"], capsys)
        assert contents(path) == contents(some_store)
        assert comments(path) == ["a comment"]
    finally:
        disk.make("rw")


@pytest.fixture
def closed(tmp_path: Path, some_store: Path) -> Iterator[Path]:
    """A store in a folder that nobody may write to."""
    folder = tmp_path / "closed"
    folder.mkdir()
    path = copied(some_store, folder)
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    yield path
    folder.chmod(0o755)


def test_without_permission_a_store_can_be_read(closed: Path, some_store: Path) -> None:
    with pytest.raises(Refused, match=r"[Pp]ermission denied"):
        bound_workbench(closed, NEW["label"])
    bound_workbench(closed, ["labels"])
    assert contents(closed) == contents(some_store)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["store.duckdb", "new.duckdb"])
def test_without_permission_nothing_is_loaded(closed: Path, some_store: Path, name: str) -> None:
    with pytest.raises(Refused, match=r"[Pp]ermission denied"):
        bound_workbench(closed.with_name(name), NEW["load"])
    assert contents(closed) == contents(some_store)
