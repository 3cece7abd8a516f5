"""The tour in a real browser: by button, by arrow key and by link; predict, see, go on in the workbench."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from graph_drawing import drawn
from playwright.sync_api import Page, expect

from workbench.ui import learn_stop

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
COLD = 40_000
"""Milliseconds that a first answer may take: the server imports what it needs, and a stop may ask two methods all questions."""
TOUR = [stop for _, stop in learn_stop.in_order()]


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app over a store with the demonstration cases."""
    store = tmp_path_factory.mktemp("store") / "test.duckdb"
    command = [sys.executable, "-m", "workbench", "load", str(ROOT / "data" / "demo"), "--store", str(store)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=240)
    return serve(ROOT / "app.py", WORKBENCH_STORE=str(store))


def at(page: Page, number: int) -> None:
    """Waits until the page is at a stop."""
    expect(page.get_by_role("heading", name=f"{number}. {TOUR[number - 1].title}")).to_be_visible(timeout=COLD)


def predict(page: Page) -> None:
    page.locator(".st-key-prediction label:has(input)").first.click()
    expect(page.get_by_role("button", name="Predict again")).to_be_visible(timeout=COLD)


@pytest.mark.parametrize(
    "number", [each if each in (4, 7) else pytest.param(each, marks=pytest.mark.slow) for each in range(1, len(TOUR) + 1)]
)
def test_a_stop_is_played_without_an_error_or_a_request(address, open_page, picture, number):
    width, theme = (1280, "light") if number % 2 else (1920, "dark")
    watched = open_page(f"{address}/learn?stop={number}", theme, width)
    at(watched.page, number)
    expect(watched.page.get_by_text("Predict.", exact=False)).to_be_visible(timeout=COLD)
    picture(watched, f"learn-{number}-asked")
    predict(watched.page)
    expect(watched.page.get_by_role("link", name="Open in the workbench")).to_be_visible()
    watched.page.wait_for_timeout(500)
    picture(watched, f"learn-{number}-told")
    watched.assert_clean()


def test_arrow_keys_and_the_way_back_lead_through_the_tour(address, open_page):
    page = open_page(f"{address}/learn").page
    at(page, 1)
    page.get_by_role("heading", name="Learn", exact=True).click()
    page.keyboard.press("ArrowRight")
    at(page, 2)
    expect(page).to_have_url(re.compile(r"[?&]stop=2(&|$)"))
    page.keyboard.press("ArrowRight")
    at(page, 3)
    page.keyboard.press("ArrowLeft")
    at(page, 2)
    page.go_back()
    at(page, 3)


def test_arrow_keys_within_a_prediction_stay_at_the_stop(address, open_page):
    page = open_page(f"{address}/learn?stop=2").page
    at(page, 2)
    page.locator(".st-key-prediction input").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Predict again")).to_be_visible()
    at(page, 2)


def test_a_stop_opens_in_the_workbench_with_its_case(address, open_page):
    page = open_page(f"{address}/learn?stop=4").page
    at(page, 4)
    predict(page)
    page.get_by_role("link", name="Open in the workbench").click()
    expect(page.get_by_role("heading", name="Diffusion", exact=True)).to_be_visible()
    drawn(page)
    found = parse_qs(urlsplit(page.url).query)
    assert found["case"] == [TOUR[3].case]


@pytest.mark.slow
def test_the_tour_begins_in_an_empty_store_with_one_click(open_page, serve, tmp_path):
    address = serve(ROOT / "app.py", WORKBENCH_STORE=str(tmp_path / "new.duckdb"))
    page = open_page(f"{address}/learn").page
    page.get_by_role("button", name="Load the demo").click()
    expect(page.get_by_text("Predict.", exact=False)).to_be_visible(timeout=90_000)
    predict(page)
