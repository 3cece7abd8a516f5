"""Cosine over notes."""

from __future__ import annotations

import numpy as np
import pytest
from builders import memory_of, note

from workbench.embed.base import embedder
from workbench.methods.base import create
from workbench.notes import full_text

NOTES = (
    note("n1", "health/doctor", user="The physician saw me on Friday", day=1),
    note("n2", user="The concert was loud", day=2),
    note("n3", day=3),
)


def test_scores_are_cosines_of_the_full_texts() -> None:
    memory = memory_of(*NOTES)
    found = create("dense", memory=memory).query("my doctor", None)
    source = embedder("wordllama")
    rows = source.embed(["my doctor", *(full_text(each) for each in NOTES)]).astype(float)
    expected = dict(zip(("n1", "n2", "n3"), (rows[1:] @ rows[0]).tolist(), strict=True))
    assert {hit.note_id: hit.score for hit in found.hits} == pytest.approx({k: v for k, v in expected.items() if v > 0})
    assert found.hits[0].note_id == "n1"
    assert "wordllama:l2_supercat_256" in found.hits[0].why.parts[0].name


def test_a_note_without_text_is_no_candidate() -> None:
    assert "n3" not in {hit.note_id for hit in create("dense", memory=memory_of(*NOTES)).query("concert", None).hits}


def test_a_meaning_is_found_without_a_common_word() -> None:
    memory = memory_of(
        *(note(n, user=u) for n, u in (("a", "The physician saw me"), ("b", "A loud concert"), ("c", "Red roses")))
    )
    assert create("dense", memory=memory).query("doctor").hits[0].note_id == "a"
    assert create("bm25", memory=memory).query("doctor").hits == ()


def test_fields_choose_what_is_embedded() -> None:
    by_text = create("dense", overrides={"index_fields": "user"}, memory=memory_of(*NOTES)).query("doctor", None)
    by_all = create("dense", memory=memory_of(*NOTES)).query("doctor", None)
    assert by_all.hits[0].score > by_text.hits[0].score  # the tag says doctor


def test_another_backend_by_name() -> None:
    found = create("dense", overrides={"embeddings": "hash"}, memory=memory_of(*NOTES)).query("physician saw", None)
    assert found.hits[0].note_id == "n1"
    assert "hash:" in found.hits[0].why.parts[0].name


def test_an_unknown_backend_is_refused_before_any_work() -> None:
    with pytest.raises(ValueError, match="no embedding backend 'nothing'"):
        create("dense", overrides={"embeddings": "nothing"})


def test_equal_texts_tie_exactly_wherever_they_stand() -> None:
    notes = [note(f"n{i:03}", user="the same words each time" if i % 3 else f"something {i}", day=i) for i in range(200)]
    found = create("dense", memory=memory_of(*notes)).query("same words", None)
    equal = [hit for hit in found.hits if int(hit.note_id[1:]) % 3]
    assert len({hit.block for hit in equal}) == 1
    assert np.ptp([hit.score for hit in equal]) < 1e-12
