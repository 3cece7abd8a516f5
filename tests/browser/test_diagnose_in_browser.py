"""The page Diagnose of the real app in a real browser: from a miss to its stage, a repair that works, and a label."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from workbench.store import open_labels

pytestmark = pytest.mark.browser
expect.set_options(timeout=20_000)
ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60_000  # ms: the audit runs meanwhile
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


def test_a_miss_is_opened_repaired_labelled_found_in_the_audit_and_reported(address, store, open_page, browser, picture):
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
    card.get_by_text("extracted", exact=True).click()
    card.get_by_role("button", name="Save label").click()
    expect(card.get_by_text("✓ saved", exact=False)).to_be_visible()
    with open_labels(store, read_only=True) as labels:
        (label,) = labels.current()
    assert (label.case, label.note, label.label, label.analyst) == (MISSING["case"], "answer_demo_a_1#1", "extracted", "Ada")

    page.get_by_role("button", name="Next miss").click()
    page.wait_for_url(re.compile("case=longmemeval_demo%2Fdemo_common_word"))
    expect(row(page, "tag_basic").locator(".lost")).to_have_text("✕ outscored")

    page.get_by_role("link", name="Audit").click()
    page.get_by_role("button", name="Audit 6 cases").click(timeout=PATIENCE)  # the search for repairs may still be running
    facet = page.locator(".st-key-facet-label").get_by_text("extracted")
    expect(facet).to_be_visible(timeout=PATIENCE)
    facet.click()
    page.wait_for_url(re.compile("only-label=extracted"))
    expect(page.get_by_text("miss 1 of 1", exact=False)).to_be_visible()
    page.get_by_role("tab", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Report (HTML)").click()
    read_offline(browser, download.value.path(), store.with_name("report.html"))
    watched.assert_clean()


def read_offline(browser: Browser, downloaded: Path, report: Path) -> None:
    """Open the report from disk with the network off."""
    report.write_bytes(downloaded.read_bytes())
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(report.as_uri())
    expect(page.get_by_text("Ada: extracted (open)").first).to_be_visible()
    expect(page.get_by_text("The reply alone names the stretch.").first).to_be_visible()
    context.close()


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 1920)])
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
