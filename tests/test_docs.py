"""The documentation holds: links lead somewhere, commands exist, code runs, and nothing that is registered is left out."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest
import typer

from workbench.cli import app, main
from workbench.datasets.base import datasets
from workbench.diagnose.stages import stages
from workbench.evaluate.measures.base import measures
from workbench.extract.base import extractors
from workbench.methods.base import methods
from workbench.settings import settings_of

ROOT = Path(__file__).resolve().parent.parent
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]
GUIDES = [page for page in DOCS if page.stem.startswith("adding_")]
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:workbench|notebooks|tests|data|bench)/[\w./]*)`")
ADDED = {"coverage", "longest", "table", "hashtags"}
"""What the guides add: `tests/test_plugins.py` runs their commands."""
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@each_page
def test_links_and_paths_lead_somewhere(page: Path) -> None:
    prose = FENCED.sub("", text_of(page))
    links = [page.parent / link.partition("#")[0] for link in LINK.findall(prose) if ":" not in link]
    paths = [ROOT / path for path in PATH.findall(prose)]
    assert [str(each) for each in (*links, *paths) if not each.exists()] == []


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    assert {*LINK.findall(text_of(index))} == {page.name for page in DOCS if page != index}


def shown_commands(page: Path) -> Iterator[list[str]]:
    """The words of every workbench command that a page shows, as a line of its own or within a sentence."""
    prose = FENCED.sub("", text_of(page))
    lines = [line.strip().removeprefix("$ ").removeprefix(".venv/bin/") for line in prose.splitlines() if line.startswith("    ")]
    for text in [*lines, *re.findall(r"`([^`\n]+)`", prose)]:
        words = shlex.split(text, comments=True)
        if len(words) > 1 and words[0] == "workbench":
            yield words[1:]


@cache
def known() -> dict[str, click.Command]:
    return typer.main.get_command(app).commands  # type: ignore[attr-defined, no-any-return]


@each_page
def test_commands_and_their_options_exist(page: Path) -> None:
    wrong = []
    for name, *arguments in shown_commands(page):
        if name.startswith("--") or name in ADDED:
            continue
        options = {option for each in known()[name].params for option in each.opts} | {"--help"} if name in known() else set()
        wrong += [(name, word) for word in arguments if word.startswith("--") and word not in options]
        wrong += [] if name in known() else [(name, "")]
    assert wrong == []


def test_commands_are_found_at_all() -> None:
    assert ["evaluate", "--benchmark", "atant_demo"] in list(shown_commands(ROOT / "docs" / "start.md"))


def test_the_first_commands_work(own_demo_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = [words for words in shown_commands(ROOT / "docs" / "start.md") if words[0] != "load"]
    assert [words for words in ran if main([*words, "--store", str(own_demo_store)]) != 0] == []
    assert len(ran) >= 5


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page not in GUIDES and CODE.search(text_of(page))], ids=lambda page: page.stem
)
def test_code_runs(page: Path, tmp_path: Path) -> None:
    demo = tmp_path / "data" / "demo"
    demo.mkdir(parents=True)
    cases = json.loads((ROOT / "data" / "demo" / "longmemeval_demo.json").read_text(encoding="utf-8"))
    (demo / "longmemeval_demo.json").write_text(json.dumps([case for case in cases if case["question_id"] == "demo_common_word"]))
    code = "\n".join(CODE.findall(text_of(page)))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("methods", [*methods]),
        ("extractions", [*extractors]),
        ("your_data", [*datasets]),
        ("reading_results", [*measures]),
        ("why_a_note_was_missed", [check.stage for check in stages()]),
    ],
)
def test_nothing_registered_is_left_out(page: str, names: list[str]) -> None:
    said = re.findall(r"`([\w@]+)`", text_of(ROOT / "docs" / f"{page}.md"))
    assert {*names} <= {name.partition("@")[0] for name in said}


@pytest.mark.parametrize("kind", [methods, extractors, datasets, measures], ids=lambda kind: kind.kind)
def test_every_entry_has_a_help_text(kind: object) -> None:
    assert [name for name, entry in kind.items() if len((entry.__doc__ or "").strip()) < 20] == []  # type: ignore[attr-defined]


def test_every_default_says_what_it_means_and_where_it_is_from() -> None:
    owners = [(name, entry.Config) for registry in (methods, extractors) for name, entry in registry.items()]
    assert [each for owner, config in owners for each in settings_of(owner, config) if not (each.meaning and each.source)] == []
