"""Inputs that once crashed, hung or lost something, each as small as it gets."""

from __future__ import annotations

import copy
import io
import json
import signal
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.datasets.mending import unique
from workbench.datasets.read import read
from workbench.errors import BadInput
from workbench.labels.exchange import import_labels
from workbench.notes import from_markdown
from workbench.real.relations import relations
from workbench.records import Case, Finding, Loaded
from workbench.store import open_labels

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "datasets"))
from samples import LOCOMO, LONGMEMEVAL

DIGITS = "9" * 5000  # more than Python reads as a number


class TooSlow(BaseException):
    """What was asked took more than a few seconds of processor time."""


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    """Every case here takes milliseconds now; those that hung took minutes to years."""

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, 8)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    return path


def cases(path: Path) -> list[Case]:
    return [item.case for item in read(path) if isinstance(item, Loaded)]


def locomo(folder: Path, **changes: Any) -> Path:
    """A talk with other values in its first question, or more keys in its conversation."""
    given = copy.deepcopy(LOCOMO)
    given["qa"][0].update({name: value for name, value in changes.items() if name in ("evidence", "category")})
    given["conversation"].update({name: value for name, value in changes.items() if name.startswith("session")})
    return written(folder, "talk.json", json.dumps([given]))


# Numbers that are none ----------------------------------------------------------------------------------------------------


def test_evidence_with_a_number_of_thousands_of_digits_names_no_turn(tmp_path: Path) -> None:
    (case,) = cases(locomo(tmp_path, evidence=[f"D{DIGITS}:1", "D1:2"]))
    assert case.questions[0].gold.turns == ("D1:2",)
    assert "names no turn" in case.questions[0].remarks[0]


def test_a_category_of_thousands_of_digits_is_unknown(tmp_path: Path) -> None:
    assert cases(locomo(tmp_path, category=DIGITS))[0].questions[0].type == "unknown"


@pytest.mark.parametrize("key", ["session_03", "session_٣"])
def test_a_session_whose_number_is_written_otherwise_is_read(tmp_path: Path, key: str) -> None:
    turn = {"speaker": "Ida", "dia_id": "D3:1", "text": "Here."}
    (case,) = cases(locomo(tmp_path, **{key: [turn], f"{key}_date_time": "1:00 pm on 1 June, 2023"}))
    assert case.sessions[-1].id == "session_3"
    assert case.sessions[-1].turns[0].text == "Here."
    assert case.sessions[-1].time is not None


def test_two_sessions_of_one_number_are_reported(tmp_path: Path) -> None:
    (loaded,) = read(locomo(tmp_path, session_01=[]))
    assert isinstance(loaded, Loaded)
    assert len(loaded.case.sessions) == 2
    assert any("session_01" in finding.reason for finding in loaded.findings)


def test_a_session_number_of_thousands_of_digits_is_reported(tmp_path: Path) -> None:
    (loaded,) = read(locomo(tmp_path, **{f"session_{DIGITS}": []}))
    assert isinstance(loaded, Loaded)
    assert any("session_999" in finding.reason for finding in loaded.findings)


def note(**front: str) -> str:
    lines = "\n".join(f"{name}: {value}" for name, value in ({"id": "a#1"} | front).items())
    return f"---\n{lines}\n---\n\n## User\n\nHello\n"


def test_a_note_id_that_ends_in_thousands_of_digits_is_round_one() -> None:
    assert from_markdown(note(id=f"a#{DIGITS}")).interaction.round == 1


@pytest.mark.parametrize(
    ("front", "says"),
    [
        ({"time": "0001-01-01T00:00:00+14:00"}, "time"),  # before the year 1 in UTC
        ({"position": "9" * 12}, "under 2,147,483,648"),  # more than the store takes
        ({"round": DIGITS}, "whole number"),
    ],
)
def test_a_note_with_a_number_or_time_out_of_range_says_so(front: dict[str, str], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        from_markdown(note(**front))


def test_control_characters_from_escapes_in_a_notes_front_matter_are_mended(tmp_path: Path) -> None:
    path = written(tmp_path, "note.md", note(id='"a\\e[31m#1"', who='["x\\x07"]'))
    (loaded,) = read(path)
    assert isinstance(loaded, Loaded)
    assert loaded.case.notes[0].id == "a\ufffd[31m#1"
    assert loaded.case.notes[0].extraction.who == ("x\ufffd",)
    assert loaded.repaired == 1


# Work without end ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line", ["User{}x", "User{}(a{}", "# User{}x", "date:{}'x", "created:{}'x'x", "> [x]{}User{}x", "**User{}x"]
)
def test_a_line_of_blanks_is_read_in_linear_time(tmp_path: Path, line: str) -> None:
    text = line.replace("{}", " " * 300_000) + "\nUser: Hello\nAssistant: Hi\n"
    (case,) = cases(written(tmp_path, "talk.txt", text))
    assert [turn.text for turn in case.sessions[0].turns[-2:]] == ["Hello", "Hi"]


def aliases(levels: int = 9) -> str:
    """A list that holds ten of a list that holds ten ...: 10^levels elements once written out."""
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True)]
    return "\n".join(lines[:levels]) + "\n"


def test_a_story_whose_id_is_a_list_of_a_thousand_million_aliases_is_refused(tmp_path: Path) -> None:
    text = aliases() + "story_id: *i\nbatches: [{batch: 1, user_input: Hello}]\nquestions: []\n"
    with pytest.raises(BadInput, match="text expected, found a list"):
        cases(written(tmp_path, "story.yaml", text))
    text = text.replace("story_id: *i", "story_id: 1") + "story_name: *i\n"
    with pytest.raises(BadInput, match="text expected, found a list"):
        cases(written(tmp_path, "story.yaml", text))


def test_a_name_that_comes_a_hundred_thousand_times_is_not_counted_up_each_time() -> None:
    taken: dict[str, int] = {}
    names = [unique(name, taken) for name in ("s (3)", *["s"] * 100_000)]
    assert len(set(names)) == len(names)
    assert names[:5] == ["s (3)", "s", "s (2)", "s (4)", "s (5)"]


def test_many_sessions_of_one_id_stay_distinct(tmp_path: Path) -> None:
    count = 2_000
    given = LONGMEMEVAL | {
        "haystack_session_ids": ["s"] * count,
        "haystack_dates": [""] * count,
        "haystack_sessions": [[{"role": "user", "content": str(number)}] for number in range(count)],
    }
    (case,) = cases(written(tmp_path, "data.json", json.dumps([given])))
    assert len({session.id for session in case.sessions}) == count
    assert case.sessions[-1].id == f"s ({count})"


# What was lost ------------------------------------------------------------------------------------------------------------


def test_a_case_line_without_a_usable_turn_is_counted_with_its_questions(tmp_path: Path) -> None:
    lines = [
        {"case": "empty"},
        {"session": "a", "role": "nobody", "text": "x"},
        {"question": "Who?", "gold": {"sessions": ["a"]}},
        {"case": "whole"},
        {"session": "a", "role": "user", "text": "x"},
        {"case": "empty too"},
    ]
    found = list(read(written(tmp_path, "own.jsonl", "\n".join(map(json.dumps, lines)))))
    kept = sum(item.kept + item.repaired for item in found if isinstance(item, Loaded))
    assert kept == 2
    aside = [item.position for item in found if isinstance(item, Finding)]
    assert aside == ["line 2.role", "line 1", "line 3", "line 6"]
    assert kept + len(aside) == len(lines)


# Containers ---------------------------------------------------------------------------------------------------------------


def archived(name: str, method: int = zipfile.ZIP_STORED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        archive.writestr(name, json.dumps([{"mapping": {}}] * 200))
    return held.getvalue()


def test_a_name_in_an_archive_that_is_no_utf_8_is_refused(tmp_path: Path) -> None:
    content = archived("é/conversations.json").replace("é".encode(), b"\xff\xff")
    with pytest.raises(BadInput, match="damaged"):
        cases(written(tmp_path, "export.zip", content))


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_is_refused_whatever_packed_it(tmp_path: Path, method: int) -> None:
    content = bytearray(archived("conversations.json", method))
    for at in range(52, 120):
        spoiled = bytearray(content)
        spoiled[at] ^= 0xFF
        path = written(tmp_path, "export.zip", bytes(spoiled))
        with pytest.raises(BadInput):
            cases(path)


# Relations and labels -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("likes: {verbs: 5}", "a list of words"),
        ("likes: {verbs: like}", "a list of words"),  # was read as the verbs l, i, k and e
        ("likes: {verbs: [[like]]}", "a list of words"),
        ("likes: 2023-13-45", "can't be read"),
        (f"likes: {DIGITS}", "can't be read"),
        ("likes: " + "[" * 3000, "can't be read"),
        (aliases() + "likes: {verbs: *h}", "its fields are"),
        (aliases().replace("a: &a", "likes: &a", 1), "its fields are"),
    ],
)
def test_relations_that_are_none_are_refused_by_name(tmp_path: Path, text: str, says: str) -> None:
    path = written(tmp_path, "relations.yaml", text)
    with pytest.raises(BadInput, match=says) as refused:
        relations(str(path))
    assert str(path) in str(refused.value)
    assert len(str(refused.value)) < 1000


def test_labels_nested_without_end_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "labels.json", '{"case": ' + "[" * 100_000)
    with open_labels(tmp_path / "store.duckdb") as labels, pytest.raises(BadInput, match=r"no \.json table"):
        import_labels(labels, path)
