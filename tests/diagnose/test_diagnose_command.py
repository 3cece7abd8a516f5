"""The command `diagnose`: lines for people, JSON for programs, and usage errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.cli import main

CASE = "demo_missing_tag"


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["diagnose", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_json_has_stages_tags_and_repairs(demo_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = "tag_stopwords,bm25"
    code, out, _ = told(capsys, CASE, CASE, "--methods", names, "--repair", "--store", demo_store, "--json", "-")
    found = json.loads(out)
    assert code == 0
    assert {name: each["notes"][0]["stage"] for name, each in found["methods"].items()} == {
        "tag_stopwords": "extracted",
        "bm25": "found",
    }
    assert "doorway" in {word["spoken"] for word in found["tags"][0]["missing"] if word["where"] == "assistant"}
    (search,) = found["repair"]
    assert search["repairs"][0]["edits"][0]["path"] == "doorway_stretch"
    assert search["repairs"][0]["outcomes"][0]["after"]["rank"] == 1


def test_lines_say_why_and_what_would_help(demo_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = told(capsys, CASE, CASE, "--repair", "--store", demo_store)
    assert code == 0
    assert "only the assistant says" in out
    assert "tag_stopwords: add doorway_stretch to answer_demo_a_1#1" in out
    assert ["bm25", "answer_demo_a_1#1", "1", "found"] in [line.split() for line in out.splitlines()]


def test_a_text_of_ones_own_needs_gold(demo_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = told(capsys, CASE, "Where is the stretch?", "--store", demo_store)
    assert code == 2
    assert "--gold" in err
    arguments = (CASE, "doorway stretch", "--gold", "answer_demo_a_1", "--methods", "bm25", "--store", demo_store, "--json", "-")
    code, out, _ = told(capsys, *arguments)
    assert code == 0
    assert json.loads(out)["methods"]["bm25"]["sessions"] == {"answer_demo_a_1": "found"}
