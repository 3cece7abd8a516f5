"""A demo story through a real language model, end to end. The model is tiny: its tags are valid and mean nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import model_server, needed_model
from typer.testing import CliRunner

from workbench.cli import app
from workbench.extract.schema import normalise_path
from workbench.records import Note
from workbench.store import open_store

CASE = "atant_demo/demo_01"
# Few tags: the model would fill every list to its end, at some 60 tokens a second.
SETTINGS = {"model": "smollm2", "max_ontology": "20", "max_tags": "2", "max_tokens": "800"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with model_server(needed_model()) as address:
        yield address


def run(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*arguments, "--json", "-"])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def notes(store: Path, extractor: str) -> tuple[Note, ...]:
    with open_store(store, read_only=True) as opened:
        return opened.notes.get(CASE, extractor)


@pytest.mark.timeout(1800)  # under a minute on a quiet machine, many times that on a busy one
def test_a_story_is_extracted_stored_searched_and_replayed(
    url: str, own_demo_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_LLM_URL", url)
    monkeypatch.setenv("WORKBENCH_LLM_CONCURRENCY", "1")
    monkeypatch.setenv("WORKBENCH_LLM_TIMEOUT", "600")
    store = ("--store", str(own_demo_store))

    def extract(name: str) -> dict[str, Any]:
        settings = [part for field, value in SETTINGS.items() for part in ("--set", f"{name}.{field}={value}")]
        return run("extract", *store, "--cases", CASE, "--extractor", name, *settings)

    found = extract("llm")
    made = notes(own_demo_store, "llm")
    assert found["failed"] == []  # so every tag is the model's
    assert found["answers"] == len(made) == 8
    assert found["tokens_out"] > 8
    assert sum(bool(note.extraction.paths) for note in made) > len(made) / 2
    assert all(normalise_path(path) == path for note in made for path in note.extraction.paths)
    assert made != notes(own_demo_store, "rules")

    ranked = run("query", CASE, "bakery street", *store, "--method", "tag_basic", "--extraction", "llm")
    assert {hit["note"] for hit in ranked["hits"]} <= {note.id for note in made}
    tag = next(path for note in made for path in note.extraction.paths)
    by_tag = run("query", CASE, tag.replace("/", " ").replace("_", " "), *store, "--method", "bm25", "--extraction", "llm")
    assert by_tag["hits"]

    replayed = extract("replay")
    assert (replayed["answers"], replayed["failed"], replayed["other_prompt"]) == (0, [], 0)
    assert notes(own_demo_store, "replay") == made
    with open_store(own_demo_store, read_only=True) as opened:
        counters = [opened.extractions.choose(CASE, name).counters for name in ("replay", "llm")]
        recorded = opened.recordings.of_case(CASE)
    assert counters[0] == counters[1]
    assert {each.mode for each in recorded} == {"json_schema"}
