"""A small seeded part of ``make fuzz``, and that the fuzzer sees what it looks for."""

from __future__ import annotations

import random
import signal
from collections import Counter
from pathlib import Path

import pytest

from fuzz import loaders, mutations, others
from fuzz.run import Hang, _too_long, run_one
from fuzz.subjects import Subject, promise

SUBJECTS = (*loaders.SUBJECTS[:-1], *others.SUBJECTS)  # whole files and pages are for the long run


@pytest.fixture(autouse=True)
def _time_limit():
    before = signal.signal(signal.SIGPROF, _too_long)
    yield
    signal.signal(signal.SIGPROF, before)


def test_no_reader_breaks_a_promise() -> None:
    found = [run_one(20261201, number, SUBJECTS, keep=None) for number in range(150)]
    assert not [result for result in found if result.outcome == "failed"]
    assert Counter(result.outcome for result in found).keys() == {"read", "mended", "refused"}


def test_an_input_comes_again_from_its_seed_and_number(tmp_path: Path) -> None:
    for subject in SUBJECTS:
        contents = []
        for folder in ("first", "second"):
            (tmp_path / subject.name / folder).mkdir(parents=True)
            subject.make(random.Random(5), tmp_path / subject.name / folder)
            contents.append([path.read_bytes() for path in sorted((tmp_path / subject.name / folder).iterdir())])
        assert contents[0] == contents[1] or any(content.startswith((b"\x1f\x8b", b"PK")) for content in contents[0]), (
            subject.name
        )


def _crashes(rng: random.Random, path: Path) -> str:
    raise KeyError("session_3")


def _hangs(rng: random.Random, path: Path) -> str:
    while True:
        pass


def _loses(rng: random.Random, path: Path) -> str:
    promise(False, "every row is counted")
    return "read"


@pytest.mark.parametrize(("check", "reason"), [(_crashes, "KeyError"), (_hangs, "Hang"), (_loses, "every row is counted")])
def test_a_broken_promise_is_found_and_its_input_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check, reason: str
) -> None:
    monkeypatch.setattr("fuzz.run.CPU_SECONDS", 0.2)

    def make(rng: random.Random, folder: Path) -> Path:
        path = folder / "input.txt"
        path.write_text(rng.choice("ab"))
        return path

    result = run_one(1, 7, (Subject("made", 1, make, check),), keep=tmp_path)
    assert result.outcome == "failed"
    assert reason in result.reason
    assert (tmp_path / "1-7-made" / "input.txt").is_file()
    assert reason in (tmp_path / "1-7-made" / "reason.txt").read_text()


def test_a_hang_is_no_error_that_a_reader_may_catch() -> None:
    assert not issubclass(Hang, Exception)


def test_a_reader_that_drops_a_record_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = loaders.datasets["messages"]
    path = tmp_path / "data.json"
    path.write_text('[{"messages": [{"role": "user", "content": "a"}]}, {"messages": [{"role": "user", "content": "b"}]}]')
    assert loaders.check_loader(random.Random(1), path) == "read"
    whole = reader.read
    monkeypatch.setattr(type(reader), "read", lambda self, path: (_less(item) for item in whole(path)))
    with pytest.raises(AssertionError, match="1 of 2"):
        loaders.check_loader(random.Random(1), path)


def _less(item):
    return type(item)(item.case, item.findings, item.kept - 1, item.repaired, item.position)


def test_mutations_change_values_and_leave_the_given_one_alone() -> None:
    given = {"a": [1, {"b": "text"}], "c": None}
    rng = random.Random(3)
    assert sum(mutations.value(rng, given) != given for _ in range(50)) > 40
    assert given == {"a": [1, {"b": "text"}], "c": None}
