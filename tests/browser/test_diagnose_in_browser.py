"""The page Diagnose of the real app in a real browser: from a miss to its stage, a repair that works, and a label."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from workbench.store import open_labels

pytestmark = pytest.mark.browser
expect.set_options(timeout=20_000)
ROOT = Path(__file__).resolve().parents[2]
MISSING = {"case": "longmemeval_demo/demo_missing_tag"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The six cases in the shape of LongMemEval, with a run."""
    path = tmp_path_factory.mktemp("store") / "demo.duckdb"
    for command in (["load", str(ROOT / "data" / "demo" / "longmemeval_demo.json")], ["evaluate"]):
        run = [sys.executable, "-m", "workbench", *command, "--store", str(path)]
        subprocess.run(run, cwd=ROOT, check=True, capture_output=True, timeout=240)
    return path


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], store: Path) -> str:
    return serve(ROOT / "app.py", WORKBENCH_STORE=str(store))


def row(page: Page, method: str) -> Locator:
    """The strip's row of a method."""
    return page.locator(".stages tbody").filter(has=page.get_by_role("rowheader", name=method, exact=True))


def test_a_miss_is_opened_repaired_in_a_copy_and_labelled(address, store, open_page, picture):
    watched = open_page(f"{address}/?{urlencode(MISSING)}")
    page = watched.page
    page.locator(".st-key-card").get_by_role("link", name="Diagnose").click()
    expect(row(page, "tag_basic").locator(".lost")).to_have_text("✕ not extracted")
    expect(row(page, "bm25").locator(".found")).to_have_text("✓ in top 5")
    picture(watched, "diagnose-miss")

    page.get_by_role("button", name="Apply to a copy").click()
    expect(row(page, "tag_basic").locator(".found")).to_have_text("✓ in top 5")
    page.wait_for_url(re.compile("extraction=rules%2Bedits"))
    page.get_by_role("button", name="Back to the base").click()
    expect(row(page, "tag_basic").locator(".lost")).to_have_text("✕ not extracted")

    card = page.locator(".st-key-label-card")
    card.get_by_label("Analyst").fill("Ada")
    card.get_by_label("Comment").fill("The reply alone names the stretch.")
    card.get_by_role("radiogroup").get_by_text("extracted", exact=True).click()
    card.get_by_role("button", name="Save label").click()
    expect(card.get_by_text("✓ saved", exact=False)).to_be_visible()
    with open_labels(store, read_only=True) as labels:
        (label,) = labels.current()
    assert (label.case, label.note, label.label, label.analyst) == (MISSING["case"], "answer_demo_a_1#1", "extracted", "Ada")

    page.get_by_role("button", name="Next miss").click()
    page.wait_for_url(re.compile("case=longmemeval_demo%2Fdemo_common_word"))
    expect(row(page, "tag_basic").locator(".lost")).to_have_text("✕ outscored")
    watched.assert_clean()


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), pytest.param("dark", 1920, marks=pytest.mark.slow)])
def test_a_competitor_is_read_by_a_click_and_nothing_is_wider_than_the_page(address, open_page, picture, theme, width):
    watched = open_page(f"{address}/diagnose?case=longmemeval_demo/demo_diffusion_hurts&of=adaptive", theme, width)
    page = watched.page
    page.locator(".st-key-competitors-card .hit").first.click()
    opened = page.locator(".st-key-opened-note")
    expect(opened.get_by_text("sum").first).to_be_visible()
    expect(page.get_by_role("button", name="Close", exact=True)).to_be_visible()
    assert "note=" in page.url
    assert page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    strip = page.locator(".stages")
    assert strip.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
    picture(watched, f"diagnose-{theme}-{width}")
    watched.assert_clean()
