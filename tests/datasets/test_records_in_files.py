"""JSON cut into records: encodings, compression, damage and limits."""

from __future__ import annotations

import gzip
import json
import os
import random
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.datasets import files, json_records
from workbench.datasets.json_records import Broken, Record, records
from workbench.errors import BadInput


def values(path: Path) -> list[object]:
    return [record.value if isinstance(record, Record) else f"BROKEN {record.position}" for record in records(path)]


def until_damage(path: Path) -> tuple[list[object], str]:
    found: list[object] = []
    with pytest.raises(BadInput) as caught:
        collect(path, found)
    return found, str(caught.value)


def collect(path: Path, found: list[object]) -> None:
    for record in records(path):
        found.append(record.value if isinstance(record, Record) else record)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.json"


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(['"', "\\", "]", "},"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(
    content=st.lists(json_values, max_size=5),
    size=st.integers(1, 9),
    indent=st.none() | st.integers(0, 2),
    ascii_only=st.booleans(),
)
def test_the_elements_of_a_list_are_its_records_whatever_the_chunks(
    tmp_path_factory: pytest.TempPathFactory, content: list[object], size: int, indent: int | None, ascii_only: bool
) -> None:
    path = tmp_path_factory.mktemp("cut") / "a.json"
    path.write_text(json.dumps(content, indent=indent, ensure_ascii=ascii_only), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "CHUNK_BYTES", size)
        found = list(records(path))
    assert [(one.position, one.value) for one in found if isinstance(one, Record)] == [
        (f"[{index}]", value) for index, value in enumerate(content)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", []),
        (" \n[ ] ", []),
        ('{"a": 1}', [{"a": 1}]),
        ('{\n"a": 1\n}\n', [{"a": 1}]),
        ('{"a": 1}\n{"a": 2}\n\n', [{"a": 1}, {"a": 2}]),
        ('{"a": 1}\n{"a": \n{"a": 3}', [{"a": 1}, "BROKEN line 2", {"a": 3}]),
        ('[{"a": 1},]', [{"a": 1}]),
        ('[{"a": 1},,{"a": 2}]', [{"a": 1}, "BROKEN [1]", {"a": 2}]),
        ('[{"a": 1], {"a": 2}]', ["BROKEN [0]", {"a": 2}]),
        ('[{"a": nope}, {"a": 2}]', ["BROKEN [0]", {"a": 2}]),
        ('[{"a": 1e999}, 2]', [{"a": float("inf")}, 2]),
        ('["\\udc00", "\\ud83d\\ude00"]', ["\udc00", "😀"]),
        ('["a\x01b"]', ["a\x01b"]),
        ("[" + "9" * 5000 + ", 1]", ["BROKEN [0]", 1]),
        ("[" + "[" * 100_000 + "]" * 100_000 + ", 1]", ["BROKEN [0]", 1]),
    ],
)
def test_a_broken_record_costs_only_itself(file: Path, text: str, expected: list[object]) -> None:
    file.write_text(text, encoding="utf-8")
    assert values(file) == expected


@pytest.mark.parametrize(
    ("text", "kept", "says"),
    [
        ("", [], "the file is empty"),
        (" \n ", [], "the file is empty"),
        ("hello", [], "not JSON: it starts with 'hello'"),
        ("<html>", [], "not JSON"),
        ('[{"a": 1}, {"a": 2', [{"a": 1}], "cut off: the list is not closed after 1 whole records"),
        ('[{"a": 1}, {"a": "x\\', [{"a": 1}], "cut off"),
        ("[1, 2] and more", [1, 2], "more text after the end of the list"),
        ('{"a": [1, 2', [], "cut off or damaged"),
    ],
)
def test_damage_is_told_after_what_was_whole(file: Path, text: str, kept: list[object], says: str) -> None:
    file.write_text(text)
    found, message = until_damage(file)
    assert found == kept
    assert says in message
    assert str(file) in message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_encodings_are_known_by_their_first_bytes(file: Path, encoding: str) -> None:
    file.write_bytes('[{"a": "é😀"}]'.encode(encoding))
    assert values(file) == [{"a": "é😀"}]


def test_bytes_that_are_not_utf_8_stay_in_their_record(file: Path) -> None:
    file.write_bytes(b'[{"a": "x"}, {"a": "caf\xe9"}, {"a": "y"}]')
    assert values(file) == [{"a": "x"}, {"a": "caf\udce9"}, {"a": "y"}]


def test_a_cut_gzip_gives_the_records_before_the_cut(tmp_path: Path) -> None:
    noise = random.Random(7)
    content = [{"n": n, "noise": str(noise.random())} for n in range(60_000)]
    packed = gzip.compress(json.dumps(content).encode())
    path = tmp_path / "a.json.gz"
    path.write_bytes(packed[: len(packed) // 2])
    found, message = until_damage(path)
    whole = zlib.decompressobj(31).decompress(path.read_bytes()).count(b"}, ")
    assert 10_000 < whole < 60_000
    assert found == content[:whole]
    assert "cut off or damaged" in message
    path.write_bytes(b"\x1f\x8b\x08garbage")
    assert until_damage(path)[0] == []


def test_gzip_is_known_by_its_bytes_not_its_name(file: Path) -> None:
    file.write_bytes(gzip.compress(b"[1]"))
    assert values(file) == [1]


def test_limits_are_per_record(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_records, "MAX_RECORD_CHARS", 100)
    monkeypatch.setattr(files, "CHUNK_BYTES", 30)
    long = "x" * 200
    file.write_text(json.dumps(["a", long, "b"]))
    assert values(file) == ["a", "BROKEN [1]", "b"]
    file.write_text(f'{{"a": 1}}\n{{"a": "{long}"}}\n{{"a": 2}}')
    assert values(file) == [{"a": 1}, "BROKEN line 2", {"a": 2}]
    file.write_text(json.dumps({"a": long}))
    with pytest.raises(BadInput, match="more than 100 characters"):
        list(records(file))


def test_a_stream_is_read_with_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write("[")
        for n in range(400):
            file.write(json.dumps({"n": n, "text": "word " * 20_000}) + ("," if n < 399 else "]"))
    tracemalloc.start()
    count = sum(isinstance(one, Record) for one in records(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 400
    assert peak < 8_000_000  # of 40 million characters


def test_broken_says_why(file: Path) -> None:
    file.write_text("[nope]")
    (one,) = records(file)
    assert isinstance(one, Broken)
    assert one.reason.startswith("not JSON: Expecting value")


def test_missing_and_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        list(records(tmp_path / "none.json"))
    with pytest.raises(BadInput, match="a folder; a file was expected"):
        list(records(tmp_path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_refused_rather_than_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(BadInput, match="no ordinary file"):
        list(records(tmp_path / "pipe.json"))


@pytest.mark.parametrize(("depth", "read"), [(json_records.MAX_DEPTH, True), (json_records.MAX_DEPTH + 2, False), (600, False)])
def test_nesting_is_bounded(file: Path, depth: int, read: bool) -> None:
    file.write_text("[" + "[" * depth + "]" * depth + ", 1]")
    assert [isinstance(one, Record) for one in records(file)] == [read, True]
