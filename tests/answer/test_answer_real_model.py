"""A demo question answered by a real language model, end to end. The model is tiny: its answer is valid and means little."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from model_server import model_server, needed_model
from typer.testing import CliRunner

from workbench.cli import app
from workbench.store import open_store

CASE = "atant_demo/demo_01"


def run(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, ["answer", *arguments, "--json", "-"])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.timeout(900)  # half a minute on a quiet machine
def test_a_question_is_answered_scored_stored_and_replayed(own_demo_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("--store", str(own_demo_store), "--cases", CASE, "--methods", "bm25", "--limit", "1", "--model", "smollm2")
    with model_server(needed_model()) as url:
        for name, value in {"URL": url, "CONCURRENCY": "1", "TIMEOUT": "600", "MAX_TOKENS": "200"}.items():
            monkeypatch.setenv(f"WORKBENCH_LLM_{name}", value)
        found = run(*asked)
    row = found["methods"]["bm25"]
    assert (row["asked"], row["failed"], found["asked_now"]) == (1, 0, 1)
    assert row["answer_has_all"]["mean"] in (0.0, 1.0)
    assert row["tokens_out"] > 1
    with open_store(own_demo_store, read_only=True) as store:
        (one,) = store.answers.get(found["run"], "smollm2", found["version"])
    assert one.answer
    assert one.mode == "json_schema"
    replayed = run(*asked, "--replay")  # the server is gone
    assert (replayed["asked_now"], replayed["methods"]) == (0, found["methods"])
