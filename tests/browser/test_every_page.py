"""Every page of the menu over the demo: drawn without an error, nothing asked of other machines, usable at twice the size."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from workbench.ui import navigation
from workbench.ui.context import STORE_VARIABLE

ROOT = Path(__file__).resolve().parents[2]
QUERY = urlencode({"benchmark": "longmemeval_demo", "case": "longmemeval_demo/demo_moves"})
IDLE = "() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
TOO_WIDE = """() => {
    const main = document.querySelector('[data-testid=stMain]');
    return [main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - document.documentElement.clientWidth];
}"""
LATER = (("dark", 1280), ("light", 1920), ("dark", 1920))
LOOKS = [("light", 1280), *(pytest.param(*look, marks=pytest.mark.slow) for look in LATER)]


def quick_where_it_is_the_only_test(name: str) -> Any:
    """Pages with browser tests of their own are looked at here in the long run."""
    return pytest.param(name, marks=[] if name in ("answers", "extractions") else [pytest.mark.slow])


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app over the longer demo cases, with a run, what AriadneMem and REAL read, and two extractions."""
    store = str(tmp_path_factory.mktemp("every") / "demo.duckdb")
    demo = str(ROOT / "data" / "demo" / "longmemeval_demo.json")
    for command in (
        ["load", demo],
        ["evaluate", "--methods", "bm25,adaptive"],
        ["facts", "demo_moves"],
        ["ariadne", "demo_moves", "demo_moves"],
        ["load", demo, "--set", "rules.user_chars=80"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "workbench", *command, "--store", store], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
    return serve(ROOT / "app.py", **{STORE_VARIABLE: store})


def settle(page: Page) -> None:
    page.wait_for_function(IDLE)
    page.wait_for_timeout(300)  # a fragment may begin a run of its own
    page.wait_for_function(IDLE)


@pytest.mark.parametrize(("theme", "width"), LOOKS)
@pytest.mark.parametrize("name", [quick_where_it_is_the_only_test(entry.name) for entry in navigation.in_order()])
def test_a_page_is_drawn_clean_and_fits(
    name: str, theme: str, width: int, address: str, open_page: Callable[..., object], picture: Callable[..., None]
) -> None:
    place = "" if name == navigation.in_order()[0].name else name  # the first page is the app's root
    watched = open_page(f"{address}/{place}?{QUERY}", theme=theme, width=width)
    page: Page = watched.page  # type: ignore[attr-defined]
    expect(page.get_by_test_id("stMain").get_by_test_id("stHeading").first).to_be_visible(timeout=60_000)
    settle(page)
    assert page.get_by_test_id("stException").count() == 0
    assert page.evaluate(TOO_WIDE) == [0, 0]
    picture(watched, f"every-{name}-{theme}-{width}")
    page.set_viewport_size({"width": width // 2, "height": 450})  # what a reader sees who magnifies to 200%
    settle(page)
    assert page.evaluate(TOO_WIDE) == [0, 0]
    picture(watched, f"every-{name}-{theme}-{width}-200%")
    watched.assert_clean()  # type: ignore[attr-defined]
