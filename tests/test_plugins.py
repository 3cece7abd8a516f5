"""The pages that say how something is added: what they show is put into a package of another distribution, and works."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
GUIDES = sorted((ROOT / "docs").glob("adding_*.md"))
BLOCK = re.compile(r"^```(python|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHATS = """session,role,text
may,user,I sowed tomatoes today #garden #tomatoes
may,assistant,They need a week to come up.
june,user,ok
july,narrator,The tomatoes grew.
july,user,The tomatoes are ripe #garden
may,question,When did I sow tomatoes?
june,question,Did I agree to the plan?
"""


def parts(guide: Path) -> list[tuple[str, dict[str, dict[str, str]]]]:
    """The (module's text, entry points) that a guide shows, one after the other."""
    blocks = BLOCK.findall(guide.read_text(encoding="utf-8"))
    assert [kind for kind, _ in blocks] == ["python", "toml"] * (len(blocks) // 2), guide
    points = [tomllib.loads(text)["project"]["entry-points"] for _, text in blocks[1::2]]
    return [(text, point) for (_, text), point in zip(blocks[::2], points, strict=True)]


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the distribution that the guides make up together."""
    folder = tmp_path_factory.mktemp("site")
    package, info = folder / "my_plugins", folder / "my_plugins-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").touch()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-plugins\nVersion: 1.0\n")
    lines = []
    for text, points in (part for guide in GUIDES for part in parts(guide)):
        ((group, named),) = points.items()
        ((name, module),) = named.items()
        (package / f"{module.removeprefix('my_plugins.')}.py").write_text(text, encoding="utf-8")
        lines += [f"[{group}]", f"{name} = {module}"]
    (info / "entry_points.txt").write_text("\n".join(lines))
    (folder / "chats.csv").write_text(CHATS)
    return folder


@pytest.fixture(scope="module")
def run(plugins: Path) -> Any:
    """Runs Python with the distribution installed, in its folder, and gives what it wrote."""

    def call(*arguments: str) -> str:
        environment = os.environ | {"PYTHONPATH": f"{plugins}{os.pathsep}{ROOT}", "WORKBENCH_STORE": str(plugins / "a.duckdb")}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=plugins, env=environment, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return call


SEVERAL = """
import contextlib, io, json, sys
from workbench.cli import main
found = []
for arguments in json.loads(sys.argv[1]):
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        code = main([*arguments, "--json", "-"])
    assert code == 0, arguments
    found.append(json.loads(written.getvalue()))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def results(run: Any) -> dict[str, Any]:
    """The JSON of some commands on one store, by the command's name; one process, since starting it is most of the work."""
    store = ["--store", "a.duckdb"]
    commands = [
        ["methods"],
        ["datasets"],
        ["extractors"],
        ["measures"],
        ["defaults"],
        ["load", "chats.csv", "--extractor", "hashtags", *store],
        ["show", "chats", *store],
        ["query", "chats", "ripe tomatoes", "--method", "coverage", *store],
        ["evaluate", "--methods", "bm25,coverage", *store],
        ["diagnose", "chats", "q1", "--methods", "bm25", *store],
        ["longest", "chats", *store],
    ]
    found = json.loads(run("-c", SEVERAL, json.dumps(commands)))
    return {arguments[0]: each for arguments, each in zip(commands, found, strict=True)}


@pytest.mark.parametrize(
    ("command", "name"),
    [("methods", "coverage"), ("datasets", "table"), ("extractors", "hashtags"), ("measures", "precision")],
)
def test_what_is_added_is_listed_with_its_help(results: dict[str, Any], command: str, name: str) -> None:
    assert [len(row["help"]) > 20 for row in results[command] if row["name"] == name] == [True]


def test_settings_of_what_is_added_are_listed(results: dict[str, Any]) -> None:
    found = {(row["owner"], row["field"]): row["default"] for row in results["defaults"]}
    assert found["coverage", "by_rarity"] is False
    assert found["hashtags", "least_letters"] == 2


def test_an_added_dataset_is_recognised_and_reports_what_it_sets_aside(results: dict[str, Any]) -> None:
    found = results["load"]
    assert (found["cases"], found["questions"], found["notes"]) == (1, 2, 3)
    assert [(each["position"], "narrator" in each["reason"]) for each in found["quarantined"]] == [("line 5", True)]


def test_an_added_extractor_tags_the_notes(results: dict[str, Any]) -> None:
    assert "hashtags" in json.dumps(results["show"])


def test_an_added_method_ranks_and_explains(results: dict[str, Any]) -> None:
    (first, *_) = results["query"]["hits"]
    assert first["session"] == "july"
    assert sum(part["value"] for part in first["why"]["parts"]) == pytest.approx(first["score"])


def test_an_added_method_and_measure_are_evaluated(results: dict[str, Any]) -> None:
    found = results["evaluate"]["methods"]
    assert set(found) == {"bm25", "coverage"}
    assert 0 < found["coverage"]["precision@5"] <= 0.2


def test_an_added_check_finds_its_stage(results: dict[str, Any]) -> None:
    text = json.dumps(results["diagnose"])
    assert '"terse"' in text
    assert "next to nothing" in text


def test_an_added_command_runs(results: dict[str, Any]) -> None:
    assert results["longest"]["notes"][0] == {"note": "may#1", "words": 6}


PAGE = """
from streamlit.testing.v1 import AppTest
from workbench.ui.navigation import in_order

script = "from workbench.ui import context, navigation; context.sidebar(); navigation.pages['lengths'].show()"
page = AppTest.from_string(script, default_timeout=60).run()
assert not page.exception, page.exception
print(in_order()[-1].title, page.header[0].value, page.main.caption[0].value, page.dataframe[0].value.to_dict("list"))
"""


def test_an_added_page_is_in_the_menu_and_is_drawn(run: Any, results: dict[str, Any]) -> None:
    shown = run("-c", PAGE)
    assert shown.startswith("Lengths Lengths Words of 3 notes")
    assert "'Words': [6, 1, 5]" in shown


@pytest.mark.slow
def test_an_added_method_passes_the_conformance_suite(run: Any) -> None:
    suite = str(ROOT / "tests" / "methods" / "test_conformance.py")
    told = run("-m", "pytest", suite, "-q", "-k", "coverage", "-p", "no:cacheprovider", "--rootdir", str(ROOT))
    assert re.search(r"\b[1-9]\d* passed", told)
    assert "failed" not in told
