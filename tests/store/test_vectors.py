"""Stored vectors: what goes in comes out, once for all cases, and goes with the last case that holds its text."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from workbench.embed.vectors import VectorSet, text_digest
from workbench.evaluate.embedding import texts_of
from workbench.evaluate.inputs import case_input, common_extraction
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.stored import run_stored
from workbench.store import Store, open_store

RNG = np.random.default_rng(7)
WORDS = ("tea", "cake", "rose")
ROWS = {text_digest(word): RNG.normal(size=8).astype(np.float32) for word in WORDS}
SET = VectorSet("some", "model", ROWS)


@pytest.fixture
def store(own_demo_store: Path):  # type: ignore[no-untyped-def]
    with open_store(own_demo_store) as opened:
        yield opened


@pytest.fixture
def keys(store: Store) -> list[str]:
    return [row.key for row in store.cases.list()[:2]]


def test_vectors_come_back_bit_for_bit(store: Store, keys: list[str]) -> None:
    store.vectors.put(keys[0], [SET])
    found = store.vectors.get("some", "model", [*ROWS, text_digest("unknown")])
    assert found.rows.keys() == ROWS.keys()
    assert all(np.array_equal(found.rows[name], row) and found.rows[name].dtype == np.float32 for name, row in ROWS.items())
    assert store.vectors.count() == 3
    assert store.vectors.bytes() == 3 * 8 * 4
    assert store.vectors.models() == {("some", "model"): 3}


def test_models_do_not_mix(store: Store, keys: list[str]) -> None:
    store.vectors.put(keys[0], [SET])
    assert store.vectors.get("some", "other", list(ROWS)).rows == {}
    assert store.vectors.get("other", "model", list(ROWS)).rows == {}


def test_a_second_case_adds_no_second_vector(store: Store, keys: list[str]) -> None:
    for key in (*keys, *keys):
        store.vectors.put(key, [SET])
    assert store.vectors.count() == 3
    assert store._database.rows("SELECT count(*) FROM embedded_texts") == [(6,)]


def test_vectors_go_with_the_last_case_that_holds_their_text(store: Store, keys: list[str]) -> None:
    first, second = keys
    store.vectors.put(first, [SET])
    store.vectors.link(second, [text_digest("tea")])
    store.cases.remove(first)
    assert store.vectors.get("some", "model", list(ROWS)).rows.keys() == {text_digest("tea")}
    store.cases.remove(second)
    assert store.vectors.count() == 0
    assert store._database.rows("SELECT count(*) FROM embedded_texts") == [(0,)]


def test_a_removed_vector_is_no_longer_in_the_file(store: Store, keys: list[str]) -> None:
    row = np.frombuffer(b"find me in the file if you can..", np.float32)
    store.vectors.put(keys[0], [VectorSet("some", "model", {text_digest("private"): row})])
    store.cases.remove(keys[0])
    store.close()
    content = store.path.read_bytes()
    assert row.tobytes() not in content
    assert text_digest("private").encode() not in content


def test_nothing_is_kept_for_a_case_that_is_gone(store: Store, keys: list[str]) -> None:
    store.cases.remove(keys[0])
    store.vectors.put(keys[0], [SET])
    store.vectors.link(keys[0], list(ROWS))
    assert store.vectors.count() == 0
    assert store._database.rows("SELECT count(*) FROM embedded_texts") == [(0,)]


# Evaluations --------------------------------------------------------------------------------------------------------------


def run(path: Path, count: int = 2, workers: int = 1, **overrides: object):  # type: ignore[no-untyped-def]
    with open_store(path, read_only=True) as store:
        chosen = [row.key for row in store.cases.list("longmemeval")][:count] or [row.key for row in store.cases.list()][:count]
        chosen = [key for key in chosen if key.partition("/")[0] == chosen[0].partition("/")[0]]
        extraction = common_extraction(store, chosen)
    specs = [MethodSpec("dense", overrides=overrides), MethodSpec("openclaw", overrides=overrides)]
    return chosen, run_stored(path, chosen, specs, extraction, workers=workers, is_fresh=True)


def test_an_evaluation_stores_the_vectors_that_later_reads_bring(own_demo_store: Path) -> None:
    keys, _ = run(own_demo_store)
    with open_store(own_demo_store, read_only=True) as store:
        given = case_input(store, keys[0])
        stored = store.vectors.get(
            "wordllama", "l2_supercat_256", [text_digest(t) for t in texts_of(given.notes, given.case.questions)]
        )
    assert len(stored.rows) == len(texts_of(given.notes, given.case.questions))
    assert given.vectors.fresh == ()


def test_what_is_stored_is_not_worked_out_again_and_changes_no_ranking(
    own_demo_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.embed.wordllama import WordLlama

    _, first = run(own_demo_store)

    def refuse(self: WordLlama, texts: object) -> None:
        raise AssertionError(f"embedded again: {texts}")

    monkeypatch.setattr(WordLlama, "embed", refuse)
    _, second = run(own_demo_store)
    assert [(each.note_ids, each.scores) for each in second.results] == [(each.note_ids, each.scores) for each in first.results]


def test_worker_processes_give_the_same_and_their_vectors_are_stored(own_demo_store: Path, tmp_path: Path) -> None:
    other = Path(shutil.copy(own_demo_store, tmp_path / "other.duckdb"))
    _, here = run(own_demo_store)
    _, there = run(other, workers=2)
    assert [(each.note_ids, each.scores) for each in there.results] == [(each.note_ids, each.scores) for each in here.results]
    with open_store(own_demo_store, read_only=True) as one, open_store(other, read_only=True) as two:
        assert one.vectors.models() == two.vectors.models()


def test_vectors_of_tests_are_refused(own_demo_store: Path) -> None:
    from workbench.errors import BadInput

    with pytest.raises(BadInput, match="'hash' are for tests only"):
        run(own_demo_store, embeddings="hash")
