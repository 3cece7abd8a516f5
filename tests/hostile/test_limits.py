"""Inputs that are too much: read within a bound of memory, or refused with what to do; what is too long costs one record.

Each file is read in a process of its own, whose peak memory is what is measured. The quick tests lower the product's limits; the
slow ones take the real ones.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from workbench.datasets import files, json_records, yaml_records
from workbench.datasets.read import read
from workbench.errors import BadInput
from workbench.notes import from_markdown, interactions, to_markdown
from workbench.records import Finding, Loaded, Note

MIB = 1 << 20
READER = """
import json, resource, sys
from pathlib import Path
from workbench.datasets import files, json_records
from workbench.datasets.read import read
from workbench.errors import BadInput
from workbench.records import Loaded

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

before, turns, kept, aside, error = peak(), 0, 0, [], ""
for name, value in json.loads(sys.argv[2]).items():
    setattr(json_records if hasattr(json_records, name) else files, name, value)
try:
    for item in read(Path(sys.argv[1])):
        if isinstance(item, Loaded):
            kept += item.kept + item.repaired
            turns += sum(len(session.turns) for session in item.case.sessions)
        elif len(aside) < 3:
            aside.append(item.reason)
except BadInput as problem:
    error = str(problem)
print(json.dumps({"memory": peak() - before, "turns": turns, "kept": kept, "aside": aside, "error": error}))
"""


def told(path: Path, **limits: int) -> dict[str, Any]:
    """What a process that reads the file says of it, and the memory that it took."""
    command = [sys.executable, "-c", READER, str(path), json.dumps(limits)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=560, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def blanks(file: IO[bytes], mib: int) -> None:
    for _ in range(mib):
        file.write(b" " * MIB)


# Archives -----------------------------------------------------------------------------------------------------------------


def gzipped(path: Path, mib: int) -> None:
    with gzip.open(path, "wb", 9) as file:
        blanks(file, mib)  # type: ignore[arg-type]


def zipped(path: Path, mib: int) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("conversations.json", "w", force_zip64=True) as file,
    ):
        blanks(file, mib)


def packed_twice(path: Path, mib: int) -> None:
    inner = path.with_suffix(".inner")
    zipped(inner, mib)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(inner, "conversations.json")


@pytest.mark.parametrize(("pack", "says"), [(gzipped, "unpacks to more than"), (zipped, "unpacks to more than")])
def test_an_archive_that_unpacks_out_of_proportion_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[Path, int], None], says: str
) -> None:
    monkeypatch.setattr(files, "FREE_BYTES", MIB)
    path = tmp_path / "bomb.zip"
    pack(path, 8)
    with pytest.raises(BadInput, match=says) as refused:
        list(read(path))
    assert "unpack it and load what is inside" in str(refused.value)


def test_an_archive_in_an_archive_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "nested.zip"
    packed_twice(path, 4)
    with pytest.raises(BadInput, match="none of the known formats"):
        list(read(path))


def test_a_small_file_may_unpack_to_as_much_as_it_likes_within_bounds(tmp_path: Path) -> None:
    line = json.dumps({"session": "a", "role": "user", "text": "The same words again. " * 200})
    path = tmp_path / "own.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join([line] * 300).encode()))
    assert path.stat().st_size * files.MAX_RATIO < 300 * len(line)
    (loaded,) = read(path)
    assert isinstance(loaded, Loaded)
    assert loaded.kept == 300


@pytest.mark.slow
@pytest.mark.parametrize("pack", [gzipped, zipped])
def test_a_bomb_of_two_gigabytes_takes_little_memory(tmp_path: Path, pack: Callable[[Path, int], None]) -> None:
    path = tmp_path / "bomb.gz"
    pack(path, 2048)
    found = told(path)
    assert "unpacks to more than" in found["error"]
    assert found["memory"] < 64 * MIB, found["memory"] / MIB


# Long lines and records ---------------------------------------------------------------------------------------------------


def long_line(path: Path, mib: int) -> None:
    """A line that is too long between two that are not."""
    with path.open("wb") as file:
        file.write(b'{"session": "a", "role": "user", "text": "first"}\n{"session": "a", "role": "user", "text": "')
        for _ in range(mib):
            file.write(b"x" * MIB)
        file.write(b'"}\n{"session": "a", "role": "user", "text": "last"}\n')


def long_element(path: Path, mib: int) -> None:
    """The same in a list."""
    long_line(path, mib)
    text = path.read_bytes() if mib < 64 else None
    if text is not None:
        path.write_bytes(b"[" + text.strip().replace(b"}\n{", b"},\n{") + b"]")


@pytest.mark.parametrize(("name", "write"), [("own.jsonl", long_line), ("own.json", long_element)])
def test_a_line_that_is_too_long_costs_only_itself(tmp_path: Path, name: str, write: Callable[[Path, int], None]) -> None:
    path = tmp_path / name
    write(path, 40)
    found = told(path, MAX_RECORD_CHARS=MIB)
    assert (found["kept"], found["turns"], len(found["aside"])) == (2, 2, 1)
    assert "longer than" in found["aside"][0]
    assert found["memory"] < 16 * MIB, found["memory"] / MIB


@pytest.mark.slow
def test_a_line_of_a_gigabyte_takes_a_bounded_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    long_line(path, 1024)
    found = told(path)
    assert (found["kept"], len(found["aside"])) == (2, 1)
    assert found["memory"] < 256 * MIB, found["memory"] / MIB


@pytest.mark.slow
def test_a_record_of_nothing_but_brackets_stays_within_a_gigabyte(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text('[{"x": [' + "[]," * ((json_records.MAX_RECORD_CHARS - 100) // 3) + "[]]}]")
    found = told(path)
    assert found["error"]
    assert found["memory"] < 1024 * MIB, found["memory"] / MIB


def test_a_yaml_file_that_is_too_long_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "story.yaml"
    path.write_text("story_id: 1\nbatches: [" + "a, " * (yaml_records.MAX_YAML_CHARS // 3) + "]\n")
    with pytest.raises(BadInput, match="split it, or give it as JSON"):
        list(read(path, "atant"))


@pytest.mark.slow
def test_a_million_tiny_records_are_read(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    with path.open("w") as file:
        file.writelines(f'{{"session": "s{number // 8}", "role": "user", "text": "t"}}\n' for number in range(1_000_000))
    found = told(path)
    assert found["kept"] == found["turns"] == 1_000_000
    assert found["memory"] < 1024 * MIB, found["memory"] / MIB


@pytest.mark.slow
def test_a_million_broken_records_are_told_one_by_one_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "longmemeval_s.json"
    path.write_text("[" + ",".join(['{"haystack_sessions": 1}'] * 1_000_000) + "]")
    found = told(path)
    assert "all 1000000 records were set aside" in found["error"]
    assert found["memory"] < 64 * MIB, found["memory"] / MIB


# Depth --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [json_records.MAX_DEPTH + 1, 10_000, 1_000_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_costs_only_its_record(tmp_path: Path, depth: int, opening: str, closing: str) -> None:
    path = tmp_path / "own.jsonl"
    said = json.dumps({"session": "a", "role": "user", "text": "Hello"})
    path.write_text(f'{said}\n{{"session": {opening * depth}1{closing * depth}}}\n{said}\n')
    found = list(read(path))
    (aside,) = [item for item in found if isinstance(item, Finding)]
    assert aside.reason == "nested deeper than 100 levels"
    assert sum(item.kept for item in found if isinstance(item, Loaded)) == 2


@pytest.mark.parametrize("text", ["- " * 5_000, "[" * 50_000, "{a: " * 50_000])
def test_deep_yaml_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "story.yaml"
    path.write_text(f"story_id: 1\nbatches:\n  {text}")
    with pytest.raises(BadInput):
        list(read(path))


# Long and strange texts ---------------------------------------------------------------------------------------------------


def own(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "own.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_a_turn_of_76_000_characters_is_kept_to_its_end(tmp_path: Path) -> None:
    text = "word " * 15_200 + "end"
    (loaded,) = read(own(tmp_path, {"session": "a", "role": "user", "text": text}))
    assert isinstance(loaded, Loaded)
    assert loaded.case.sessions[0].turns[0].text == text
    (one,) = interactions(loaded.case)
    assert from_markdown(to_markdown(Note(one))).interaction == one


STRANGE = ("\u202egnp.exe", "zero\u200bwidth", "\ufeffmark", "אבג", "</script><b>", "😀\u200d", "a\u0301")


def test_ids_that_look_alike_stay_distinct_and_as_written(tmp_path: Path) -> None:
    lines = [{"session": name, "role": "user", "text": name} for name in (*STRANGE, "zerowidth", "mark", "á")]
    (loaded,) = read(own(tmp_path, *lines))
    assert isinstance(loaded, Loaded)
    assert [session.id for session in loaded.case.sessions] == [line["session"] for line in lines]
    assert loaded.repaired == 0


def sessions_of(ids: list[object], folder: Path) -> Iterator[Loaded | Finding]:
    record = {
        "question_id": "q",
        "question": "What?",
        "question_type": "x",
        "question_date": "2023/05/30 (Tue) 23:40",
        "answer": "x",
        "answer_session_ids": ["1"],
        "haystack_session_ids": ids,
        "haystack_dates": ["2023/05/01 (Mon) 09:30"] * len(ids),
        "haystack_sessions": [[{"role": "user", "content": f"Said in {at}."}] for at in range(len(ids))],
    }
    path = folder / "longmemeval_s.json"
    path.write_text(json.dumps([record]))
    return read(path)


def test_the_ids_1_and_text_1_are_two_sessions(tmp_path: Path) -> None:
    (loaded,) = sessions_of([1, "1"], tmp_path)
    assert isinstance(loaded, Loaded)
    assert [session.id for session in loaded.case.sessions] == ["1", "1 (2)"]
    assert [session.turns[0].text for session in loaded.case.sessions] == ["Said in 0.", "Said in 1."]
    assert any("1 taken as text" in finding.reason for finding in loaded.findings)
