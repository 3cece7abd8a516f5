"""Which format a path is of; folders; and what every registered format must have."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from samples import ATANT, HISTORY, LOCOMO, LONGMEMEVAL, SAMPLES, changed, load, write

from workbench.datasets.base import datasets
from workbench.datasets.mending import MAX_STRING_CHARS, BadRecord, Mender, shown
from workbench.datasets.read import detect, read
from workbench.datasets.times import parse_time
from workbench.errors import BadInput
from workbench.records import Loaded


@pytest.mark.parametrize("name", list(datasets))
def test_every_format_has_help_a_licence_and_its_name(name: str) -> None:
    dataset = datasets[name]
    assert dataset.name == name
    assert len((dataset.__doc__ or "").split("\n")[0]) > 30
    assert dataset.licence.endswith(".")


def test_every_format_has_a_sample_or_is_text() -> None:
    assert set(SAMPLES) | {"notes", "transcripts"} == set(datasets)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_of_exactly_one_format(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "data.json", SAMPLES[name])
    assert [other for other in datasets if datasets[other].recognises(path)] == [name]
    assert detect(path) == name
    assert load(path, name)[0]


@pytest.mark.parametrize("name", SAMPLES)
def test_another_format_than_named_is_refused(tmp_path: Path, name: str) -> None:
    other = "longmemeval" if name != "longmemeval" else "locomo"
    with pytest.raises(BadInput, match=f"this is {name}, not {other}; name that format or 'auto'"):
        load(write(tmp_path / "data.json", SAMPLES[name]), other)


@pytest.mark.parametrize("name", ["longmemeval", "locomo", "atant", "messages", "chatgpt"])
def test_reading_twice_gives_equal_cases(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "data.json", SAMPLES[name])
    assert load(path) == load(path)


def test_an_unknown_format_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match=r"no dataset 'locomoo'; did you mean 'locomo'"):
        load(write(tmp_path / "a.json", [LOCOMO]), "locomoo")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "an empty file|the file is empty"),
        (b"not json", "text that begins with 'not json'"),
        (b'[{"a": 1, "b": 2}]', "JSON objects with the fields a, b"),
        (b"[1, 2]", "JSON that begins with 1"),
        (b"[]", r"text that begins with '\[\]'"),
        (b"\x1f\x8b\x08broken", "cut off or damaged"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "text that begins with"),
    ],
)
@pytest.mark.parametrize("name", ["x.json", "x.bin"])
def test_what_is_of_no_format_is_described(tmp_path: Path, content: bytes, says: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInput, match=f"({says}).*known formats: .*longmemeval") as caught:
        detect(path)
    assert "\n" not in str(caught.value)


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "x.json", tmp_path / "x"):
        with pytest.raises(BadInput, match="there is no such file or folder"):
            list(read(path))


def test_truncated_json_gives_the_whole_cases_first(tmp_path: Path) -> None:
    path = write(tmp_path / "longmemeval_s.json", [LONGMEMEVAL, changed(LONGMEMEVAL, question_id="q2")])
    path.write_text(path.read_text()[:-30])
    cases = read(path)
    first = next(cases)
    assert isinstance(first, Loaded)
    assert first.case.id == "q1"
    with pytest.raises(BadInput, match="cut off: the list is not closed after 1 whole records"):
        next(cases)


def test_a_folder_is_read_file_by_file_each_in_its_format(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "deep").mkdir()
    write(tmp_path / "a.json", [LONGMEMEVAL])
    write(tmp_path / "b" / "l.json", [LOCOMO])
    write(tmp_path / "b" / "deep" / "s.json", ATANT)
    write(tmp_path / "c.json", HISTORY)
    (tmp_path / "d.json").write_text("oops")
    (tmp_path / "e.json").write_text('[{"question_id": ')
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "n.md").write_text("A note.")
    (tmp_path / "README.md").write_text("About.")
    (tmp_path / ".hidden.json").write_text("oops")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    loaded, findings = load(tmp_path)
    assert [one.case.key for one in loaded] == ["longmemeval_s/q1", "atant/7", "locomo/conv-1", "mine/garden", "notes/notes"]
    assert [(Path(one.file).name, one.level, one.is_record) for one in findings] == [
        ("d.json", "quarantined", True),
        ("e.json", "quarantined", True),
    ]


def test_a_folder_may_be_read_as_one_format_only(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [LONGMEMEVAL])
    write(tmp_path / "b.json", [LOCOMO])
    loaded, findings = load(tmp_path, "locomo")
    assert [one.case.benchmark for one in loaded] == ["locomo"]
    assert ["this is longmemeval, not locomo" in one.reason for one in findings] == [True]


def test_a_folder_without_cases_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no case in this folder \(a folder of 0 entries\)"):
        load(tmp_path)


def test_cases_of_several_files_with_one_key_are_all_given(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [LONGMEMEVAL])
    write(tmp_path / "b.json", [LONGMEMEVAL])
    assert [one.case.id for one in load(tmp_path)[0]] == ["q1", "q1"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2023/05/20 (Sat) 02:21", datetime(2023, 5, 20, 2, 21)),
        ("2023/05/20", datetime(2023, 5, 20)),
        ("12:00 am on 1 January, 2024", datetime(2024, 1, 1, 0, 0)),
        ("12:30 PM on 3 Sept, 2024", datetime(2024, 9, 3, 12, 30)),
        ("2024-05-02T18:30:01.5+02:00", datetime(2024, 5, 2, 16, 30, 1, 500000)),
        ("2024-05-02 18:30Z", datetime(2024, 5, 2, 18, 30)),
        (1700000000, datetime(2023, 11, 14, 22, 13, 20)),
        (1700000000000, datetime(2023, 11, 14, 22, 13, 20)),
        ("2023/13/45 (Foo) 99:99", None),
        ("13:00 pm on 1 May, 2024", None),
        ("Monday 9:00 AM", None),
        ("20240502", None),
        ("195", None),
        ("", None),
        (True, None),
        (float("nan"), None),
        (float("inf"), None),
        (1e300, None),
        (None, None),
        ([], None),
    ],
)
def test_times_are_read_or_not_invented(value: object, expected: datetime | None) -> None:
    assert parse_time(value) == expected


def test_messages_show_hostile_values_safely() -> None:
    assert shown("a\x1b[31m\n" + "b" * 100).isprintable()
    assert len(shown("é" * 1000)) < 400
    assert shown({"a": 1}) == "dict"


def test_a_text_over_the_limit_is_refused() -> None:
    with pytest.raises(BadRecord, match="at most"):
        Mender("f", "").text("x" * (MAX_STRING_CHARS + 1), "place")
