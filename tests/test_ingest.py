from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import pytest

from workbench.datasets.base import datasets
from workbench.datasets.read import read
from workbench.engine import TaskFailed
from workbench.errors import BadInput, StoreError
from workbench.extract.base import extractors
from workbench.extract.given import Given
from workbench.extract.schema import ValidationCounts
from workbench.ingest import ingest
from workbench.notes import interactions
from workbench.ontology import Ontology
from workbench.records import Case, Extraction, Finding, Interaction, Loaded, Note, Question, Session, Turn
from workbench.store import ExtractionKey, Store, open_store
from workbench.text import Analyser


@dataclass(frozen=True)
class WordsConfig:
    """How many words become tags."""

    limit: int = 3


class Words:
    """A small real extractor: the first distinct words of the user's text are its tags."""

    name = "words"

    def __init__(self, config: WordsConfig | None = None) -> None:
        self.config = config or WordsConfig()
        self.calls: list[str] = []
        self.counts = ValidationCounts()
        self.remarks: dict[str, tuple[str, ...]] = {}

    def extract(self, case: Case, interactions: Iterable[Interaction], ontology: Ontology) -> Iterator[Extraction]:
        self.calls.append(case.key)
        self.remarks, self.counts = {}, ValidationCounts()
        for interaction in interactions:
            words = tuple(dict.fromkeys(Analyser("simple").words(interaction.user)))
            if "explode" in words:
                raise ArithmeticError("bang")
            if not words:
                self.remarks[interaction.id] = ("there is no user text",)
            self.counts += ValidationCounts(cut=max(0, len(words) - self.config.limit))
            for word in words[: self.config.limit]:
                ontology.add(word)
            yield Extraction(what=words[: self.config.limit], summary=interaction.user[:20])


def case(id: str = "c1", text: str = "I like big museums", rounds: int = 2) -> Case:
    turns = tuple(t for r in range(rounds) for t in (Turn("user", f"{text} {r}"), Turn("assistant", "Nice.")))
    sessions = (Session("s1", turns, 0, datetime(2024, 5, 1)), Session("s2", (Turn("user", ""),), 1))
    return Case("demo", id, sessions, (Question("q1", "What?"), Question("q2", "Who?")))


def broken(*before: Loaded | Finding) -> Iterator[Loaded | Finding]:
    yield from before
    raise BadInput("a.json: the file ends in the middle of a record")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.duckdb"


def stored(path: Path) -> dict[str, int]:
    with open_store(path, read_only=True) as store:
        return {row.key: row.notes for row in store.cases.list()}


def test_cases_are_cut_tagged_and_stored(path):
    report = ingest([("a.json", [Loaded(case())])], path, Words())
    with open_store(path, read_only=True) as store:
        notes = store.notes.get("demo/c1", ExtractionKey("words", {"limit": 3}))
        (row,) = store.extractions.list()
    assert {note.interaction for note in notes} == set(interactions(case()))
    assert {note.id: note.extraction.what for note in notes} == {
        "s1#1": ("i", "like", "big"),
        "s1#2": ("i", "like", "big"),
        "s2#1": (),
    }
    assert row.counters == {
        "distinct_tags": 3,
        "remarks": {"s2#1": ["there is no user text"]},
        "dropped": 0,
        "duplicates": 0,
        "cut": 4,
        "summaries_cut": 0,
    }
    assert (report.cases, report.questions, report.notes, report.kept, report.repaired) == (1, 2, 3, 1, 0)
    assert report.remarks == {"there is no user text": 1}
    assert (report.files, report.extractor) == (("a.json",), "words")


def test_a_second_load_changes_nothing_and_extracts_nothing(path):
    first = ingest([("a.json", [Loaded(case("c1")), Loaded(case("c2"), repaired=1, kept=0)])], path, Words())
    again = Words()
    second = ingest([("a.json", [Loaded(case("c1")), Loaded(case("c2"), repaired=1, kept=0)])], path, again)
    assert again.calls == []
    assert second.to_json() == first.to_json()
    assert stored(path) == {"demo/c1": 3, "demo/c2": 3}
    with open_store(path, read_only=True) as store:
        assert store.loads.list() == [second, first]


def test_another_configuration_lies_beside_the_first(path):
    ingest([("a.json", [Loaded(case())])], path, Words())
    report = ingest([("a.json", [Loaded(case())])], path, Words(WordsConfig(limit=1)))
    assert report.to_json()["notes"] == 3
    with open_store(path, read_only=True) as store:
        assert [row.config for row in store.extractions.list("demo/c1")] == [{"limit": 1}, {"limit": 3}]
        assert store.info().notes == 3


def test_one_key_with_other_content_is_quarantined_and_the_rest_goes_on(path):
    ingest([("a.json", [Loaded(case())])], path, Words())
    words = Words()
    items = [
        Loaded(case(text="other"), position="[0]"),
        Loaded(case("c2"), position="[1]"),
        Loaded(case("c2", "x"), position="[2]"),
    ]
    report = ingest([("b.json", items)], path, words)
    assert words.calls == ["demo/c2"]
    assert [(f.file, f.position, f.is_record) for f in report.quarantined] == [
        ("b.json", "[0]", True),
        ("b.json", "[2]", True),
    ]
    stored_before, twice = (finding.reason for finding in report.quarantined)
    assert "demo/c1 with other content: remove it first" in stored_before
    assert "demo/c2 comes again with other content in this input" in twice
    assert (report.cases, report.kept) == (1, 1)
    with open_store(path, read_only=True) as store:
        assert store.cases.get("demo/c1") == case()


def test_the_extractor_given_serves_only_notes_that_bring_tags(path):
    report = ingest([("a.json", [Loaded(case(), position="[0]")])], path, Given())
    assert report.cases == 0
    (finding,) = report.quarantined
    assert (finding.position, finding.is_record) == ("[0]", True)
    assert "demo/c1 brings no tags of its own" in finding.reason


def test_a_key_that_another_process_takes_during_the_load_is_quarantined(path):
    def items() -> Iterator[Loaded]:
        other = case(text="theirs")
        with open_store(path) as store:
            store.cases.add(other, [Note(one) for one in interactions(other)], ExtractionKey("words"))
        yield Loaded(case())

    report = ingest([("a.json", items())], path, Words())
    assert (report.cases, report.kept, ["demo/c1" in f.reason for f in report.quarantined]) == (0, 0, [True])


def test_the_same_case_twice_in_one_load_counts_once(path):
    words = Words()
    report = ingest([("a.json", [Loaded(case())]), ("b.json", [Loaded(case())])], path, words)
    assert words.calls == ["demo/c1"]
    assert (report.cases, report.notes, report.kept, report.quarantined) == (1, 3, 2, ())


def test_a_file_that_breaks_off_keeps_its_cases_and_lets_the_next_file_go_on(path):
    finding = Finding("a.json", "[1]", "quarantined", "no sessions", is_record=True)
    sources = [("a.json", broken(Loaded(case()), finding)), ("b.json", broken()), ("c.json", [Loaded(case("c2"))])]
    report = ingest(sources, path, Words())
    assert stored(path) == {"demo/c1": 3, "demo/c2": 3}
    assert report.to_json()["quarantined"] == [
        {"file": "a.json", "position": "[1]", "reason": "no sessions"},
        {"file": "a.json", "position": "", "reason": "the file ends in the middle of a record"},
        {"file": "b.json", "position": "", "reason": "a.json: the file ends in the middle of a record"},
    ]


def test_findings_of_a_case_leave_with_it(path):
    mended = Finding("a.json", "[0].answer", "repaired", "an int")
    ingest([("a.json", [Loaded(case(), (mended,), 0, 1), Finding("a.json", "[1]", "quarantined", "x")])], path, Words())
    with open_store(path) as store:
        assert store.loads.list()[0].mended == (mended,)
        store.cases.remove("c1")
        assert [item.finding.position for item in store.loads.list()[0].findings] == ["[1]"]


def test_a_case_that_can_not_be_stored_is_quarantined(path):
    twice = replace(case("bad"), sessions=case().sessions[:1] * 2)
    report = ingest([("a.json", [Loaded(twice), Loaded(case())])], path, Words())
    assert stored(path) == {"demo/c1": 3}
    assert [("demo/bad" in f.reason, f.is_record) for f in report.quarantined] == [(True, True)]
    assert "note id 's1#1' more than once" in report.quarantined[0].reason
    assert report.kept == 1


def test_notes_that_bring_tags_are_given_and_not_extracted(path):
    plain = case("given")
    notes = tuple(Note(one, Extraction(what=("My Topic",), summary="mine")) for one in interactions(plain))
    words = Words()
    for _ in range(2):
        report = ingest([("notes", [Loaded(replace(plain, notes=notes))])], path, words)
    assert words.calls == []
    assert report.notes == 3
    with open_store(path, read_only=True) as store:
        (row,) = store.extractions.list()
        assert row.extractor == "given"
        assert {note.extraction.what for note in store.notes.get("demo/given")} == {("my_topic",)}


def test_a_failing_extractor_stops_the_load_and_keeps_the_cases_before(path):
    sources = [("a.json", [Loaded(case()), Loaded(case("c2", "explode")), Loaded(case("c3"))])]
    with pytest.raises(TaskFailed, match=r"^demo/c2: ArithmeticError: bang$"):
        ingest(sources, path, Words())
    assert stored(path) == {"demo/c1": 3}


def test_progress_tells_every_case_that_was_settled(path):
    seen: list[tuple[int, str]] = []
    for _ in range(2):
        ingest([("a", [Loaded(case("c1")), Loaded(case("c2"))])], path, Words(), progress=lambda n, key: seen.append((n, key)))
    assert seen == [(1, "demo/c1"), (2, "demo/c2")] * 2


def test_workers_store_the_same(path, tmp_path):
    cases = [Loaded(case(f"c{i}", f"word{i} and more", 3)) for i in range(6)]
    one = ingest([("a", cases)], path, Words())
    two = ingest([("a", cases)], tmp_path / "two.duckdb", Words(), workers=2)
    assert two.to_json() == one.to_json()
    assert two.remarks == one.remarks
    with open_store(path, read_only=True) as a, open_store(tmp_path / "two.duckdb", read_only=True) as b:
        for row in a.cases.list():
            assert b.notes.get(row.key) == a.notes.get(row.key)
            assert b.extractions.list(row.key)[0].counters == a.extractions.list(row.key)[0].counters


def test_an_open_store_is_used_as_it_is():
    with open_store(":memory:") as store:
        assert ingest([("a", [Loaded(case())])], store, Words()).id == 1
        assert isinstance(store, Store)
        assert store.info().cases == 1


def test_the_file_is_free_between_cases(path):
    """Another opening in the middle of a load: it would wait for ever if the load held the store."""
    seen: list[int] = []

    def items() -> Iterator[Loaded]:
        for i in range(3):
            with open_store(path, read_only=True, wait_seconds=0) as store:
                assert store.cases._db.read_only  # a file of its own, not the load's
                seen.append(store.info().cases)
            yield Loaded(case(f"c{i}"))

    ingest([("a", items())], path, Words())
    assert seen == [0, 1, 2]


def test_a_store_that_can_not_be_written_fails_before_any_work(tmp_path):
    (tmp_path / "file").write_text("")
    words = Words()
    with pytest.raises(StoreError, match="can't create a store"):
        ingest([("a", [Loaded(case())])], tmp_path / "file" / "s.duckdb", words)
    assert words.calls == []


def test_no_source_is_an_empty_report(path):
    assert ingest([], path, Words()).to_json() == {
        "cases": 0,
        "questions": 0,
        "notes": 0,
        "kept": 0,
        "repaired": 0,
        "quarantined": [],
    }


def test_real_conversations_load_twice_alike(real_data, path):
    file = real_data / "locomo" / "locomo8.json"
    first = ingest([(file.name, read(file))], path, Words())
    second = ingest([(file.name, read(file))], path, Words())
    assert (first.cases, first.questions) == (8, 1586)
    assert second.to_json() == first.to_json()
    with open_store(path, read_only=True) as store:
        for item in datasets["locomo"].read(file):
            if isinstance(item, Loaded):
                assert store.cases.get(item.case.key) == item.case
                assert [note.interaction for note in store.notes.get(item.case.key)] == list(interactions(item.case))


def test_the_offline_extractor_ingests_in_other_processes(path):
    rules = extractors["rules"]()
    cases = [Loaded(case(f"c{i}", "Yesterday I visited the natural history museum in Berlin with Anna")) for i in range(2)]
    report = ingest([("a", cases)], path, rules, workers=2)
    assert report.notes == 6
    with open_store(path, read_only=True) as store:
        tagged = [note for note in store.notes.get("demo/c1", "rules") if note.extraction.paths]
        assert any("museum" in path for path in tagged[0].extraction.paths)
