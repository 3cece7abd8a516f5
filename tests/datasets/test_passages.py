"""Passage pools: what is one passage, and which notes are gold."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from samples import HOTPOTQA, MUSIQUE, TWOWIKI, changed, load, only, write

from workbench.datasets.passages import corpus_of
from workbench.errors import BadInput
from workbench.notes import interactions

CORPUS = {"Foo": ["Foo is a river.", " It is long."], "Bar": ["Bar is a river."], "Qux": ["Qux is far."]}


def test_without_a_corpus_the_pool_is_the_union_of_the_contexts(tmp_path: Path) -> None:
    second = changed(HOTPOTQA, _id="h2", context=[["Foo", ["Foo is a river.", " It is long."]], ["New", ["New."]]])
    case, findings = only(write(tmp_path / "hot.json", [HOTPOTQA, second]))
    assert (case.key, case.unit) == ("hotpotqa/hot", "passage")
    assert [s.id for s in case.sessions] == ["Foo", "Bar", "Baz", "New"]
    assert [one.id for one in interactions(case)] == ["Foo#1", "Bar#1", "Baz#1", "New#1"]
    assert interactions(case)[0].user == "Foo\nFoo is a river. It is long."
    assert all(s.time is None for s in case.sessions)
    assert [q.gold.notes for q in case.questions] == [("Foo#1", "Bar#1"), ("Foo#1", "Bar#1")]
    assert (case.questions[0].type, case.questions[0].answer) == ("comparison", "the Foo")
    assert findings == []


def test_a_corpus_beside_the_questions_is_the_pool(tmp_path: Path) -> None:
    write(tmp_path / "hot_corpus.json", CORPUS)
    case, _ = only(write(tmp_path / "hot.json", [HOTPOTQA]))
    assert [s.id for s in case.sessions] == ["Foo", "Bar", "Qux"]


def test_the_corpus_is_the_one_with_the_longest_fitting_name(tmp_path: Path) -> None:
    (tmp_path / "wiki_corpus.json.gz").write_bytes(gzip.compress(b"[]"))
    write(tmp_path / "wiki_10_corpus.json", [])
    write(tmp_path / "other_corpus.json", [])
    assert corpus_of(tmp_path / "wiki_101.json") == tmp_path / "wiki_10_corpus.json"
    assert corpus_of(tmp_path / "wiki_2.json") == tmp_path / "wiki_corpus.json.gz"
    assert corpus_of(tmp_path / "w.json") is None


def test_titles_are_no_key(tmp_path: Path) -> None:
    case, findings = only(write(tmp_path / "m.json", [MUSIQUE]))
    assert [s.id for s in case.sessions] == ["Mill", "Dorp", "Dorp (2)"]
    assert case.questions[0].gold.notes == ("Mill#1", "Dorp#1")
    assert (case.questions[0].type, case.questions[0].remarks) == ("2hop", ("also accepted: Anna",))
    assert findings == []


def test_a_title_that_looks_like_a_numbered_one_stays_distinct(tmp_path: Path) -> None:
    passages = [{"title": title, "text": text} for title, text in (("A (2)", "x"), ("A", "y"), ("A", "z"), ("A", "y"))]
    write(tmp_path / "m_corpus.json", passages)
    case, _ = only(write(tmp_path / "m.json", [MUSIQUE]))
    assert [s.id for s in case.sessions] == ["A (2)", "A", "A (3)"]


def test_2wiki_is_read_native_and_by_supporting_titles(tmp_path: Path) -> None:
    corpus = [{"title": title, "text": "".join(text)} for title, text in CORPUS.items()]
    (tmp_path / "w_corpus.json.gz").write_bytes(gzip.compress(json.dumps(corpus).encode()))
    asked = [{"question": "Who?", "supporting_titles": ["Qux", "Nix"], "answer": ["a", "b"]}, TWOWIKI]
    loaded, _ = load(write(tmp_path / "w_9.json", asked))
    case = loaded[0].case
    assert case.benchmark == "2wikimultihopqa"
    assert [(q.id, q.answer, q.gold.notes) for q in case.questions] == [
        ("q0", "a", ("Qux#1",)),
        ("w1", "the Foo", ("Foo#1", "Bar#1")),
    ]
    assert case.questions[0].remarks == ("also accepted: b", "supporting passage 'Nix' is not in the pool")
    assert (loaded[0].kept, loaded[0].repaired) == (1, 1)


def test_four_contexts_are_as_good_as_ten_and_broken_ones_are_reported(tmp_path: Path) -> None:
    record = changed(HOTPOTQA, context=[*HOTPOTQA["context"], ["Odd"]], supporting_facts=[["Foo", 0], "Bar"])
    case, findings = only(write(tmp_path / "h.json", [record]))
    assert len(case.sessions) == 3
    assert case.questions[0].gold.notes == ("Foo#1",)
    assert [one.split(":")[0] for one in findings] == ["[0].context[3]", "[0].supporting_facts[1]"]


def test_a_corpus_alone_and_questions_alone_say_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="load the questions file beside it"):
        load(write(tmp_path / "m_corpus.json", [{"title": "A", "text": "x"}]), "musique")
    (tmp_path / "m_corpus.json").unlink()
    with pytest.raises(BadInput, match=r"no passages: .*w_corpus\.json beside it"):
        load(write(tmp_path / "w.json", [{"question": "Who?", "supporting_titles": ["A"]}]))


def test_a_folder_reads_questions_once_with_their_corpus(tmp_path: Path) -> None:
    write(tmp_path / "hot_corpus.json", CORPUS)
    write(tmp_path / "hot.json", [HOTPOTQA])
    loaded, findings = load(tmp_path)
    assert [len(one.case.sessions) for one in loaded] == [3]
    assert findings == []
