"""The page Diffusion of the real app in a real browser: play, step, jump, click, change alpha, and find it again by the URL."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from graph_drawing import click_node, drawn
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
CASE = {"benchmark": "longmemeval_demo", "case": "longmemeval_demo/demo_diffusion_helps", "question": "demo_diffusion_helps"}
GOLD = "file:answer_demo_c_1#1"
DISC = f"disc:{GOLD}"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app over a store with the demonstration cases."""
    store = tmp_path_factory.mktemp("store") / "test.duckdb"
    demo = ROOT / "data" / "demo" / "longmemeval_demo.json"
    command = [sys.executable, "-m", "workbench", "load", str(demo), "--store", str(store)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=240)
    return serve(ROOT / "app.py", WORKBENCH_STORE=str(store))


def diffusion_page(address: str, **query: str) -> str:
    return f"{address}/diffusion?{urlencode(CASE | query)}"


def ready(page: Page) -> None:
    drawn(page)
    expect(page.locator(".stepper .iteration")).to_be_visible()


def rests_at(page: Page, step: int) -> None:
    """Waits until bar, text and URL agree on a step: Python has heard of it."""
    expect(page.locator(".stepper .iteration")).to_have_text(re.compile(rf"^iteration {step} of \d+$"))
    expect(page.get_by_text(f"Equation of step {step}", exact=True)).to_be_visible()
    if step:
        expect(page).to_have_url(re.compile(rf"[?&]step={step}(&|$)"))


def press(page: Page, name: str) -> None:
    page.get_by_role("toolbar", name="Steps of the diffusion").get_by_role("button", name=name).click()


def size(page: Page, node: str = DISC) -> float:
    return page.evaluate("id => window.__graph().nodes.get(id).size", node)


def state(page: Page) -> dict[str, Any]:
    """What a reader sees: the step, every size and mark in the graph, the table and the parts of the score."""
    return {
        "step": page.locator(".stepper .iteration").inner_text(),
        "line": page.locator(".stepline").inner_text(),
        "sizes": page.evaluate("() => Object.fromEntries(window.__graph().nodes.map(n => [n.id, n.size ?? null]))"),
        "selected": page.evaluate("() => window.__graph().network.getSelectedNodes()"),
        "panel": page.locator(".st-key-selected").inner_text(),
        "what if": page.locator(".st-key-what-if").inner_text(),
    }


@pytest.mark.parametrize(
    ("theme", "width"),
    [
        ("light", 1280),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in (("dark", 1280), ("light", 1920), ("dark", 1920))),
    ],
)
def test_the_page_is_drawn_without_an_error_or_a_request(address, open_page, picture, theme, width):
    watched = open_page(diffusion_page(address, step="3"), theme, width)
    ready(watched.page)
    rests_at(watched.page, 3)
    expect(watched.page.locator(".stepline")).to_contain_text("of the mass is on hidden nodes")
    expect(watched.page.locator(".js-plotly-plot").first).to_be_visible()
    watched.page.wait_for_timeout(500)
    picture(watched, f"diffusion-{theme}-{width}")
    watched.assert_clean()


def test_steps_forward_and_back_patch_the_drawing(address, open_page):
    watched = open_page(diffusion_page(address))
    page = watched.page
    ready(page)
    page.evaluate("() => { window.__first = window.__graph().network; }")
    start = size(page)
    press(page, "One step forward")
    assert size(page) > start  # at once, before Python has answered
    rests_at(page, 1)
    press(page, "One step forward")
    rests_at(page, 2)
    press(page, "One step back")
    press(page, "One step back")
    rests_at(page, 0)
    assert size(page) == start
    press(page, "Last step")
    expect(page.locator(".stepper .iteration")).to_have_text(re.compile(r"^iteration (\d+) of \1$"))
    assert size(page) == pytest.approx(size(page, f"ghost:{GOLD}"), abs=0.011)
    press(page, "First step")
    rests_at(page, 0)
    assert page.evaluate("() => window.__graph().network === window.__first")
    watched.assert_clean()


def test_play_runs_in_the_browser_and_python_hears_where_it_rests(address, open_page):
    watched = open_page(diffusion_page(address))
    page = watched.page
    ready(page)
    page.get_by_role("combobox", name="Speed").select_option("4")
    press(page, "Play")
    page.wait_for_function("() => window.__graph().stepper.step >= 5")
    assert "step=" not in page.url  # Python was not asked meanwhile
    expect(page.get_by_text("Equation of step 0", exact=True)).to_be_visible()
    press(page, "Play")
    rests_at(page, page.evaluate("() => window.__graph().stepper.step"))
    assert page.evaluate("() => window.__graph().stepper.timer === undefined")
    watched.assert_clean()


def test_play_ends_at_the_last_step(address, open_page):
    page = open_page(diffusion_page(address, alpha="0.2")).page
    ready(page)
    page.get_by_role("combobox", name="Speed").select_option("4")
    press(page, "Play")
    expect(page.locator(".stepper .iteration")).to_have_text(re.compile(r"^iteration (\d+) of \1$"))
    rests_at(page, page.evaluate("() => window.__graph().stepper.data.last"))


@pytest.mark.slow
def test_keys_step_and_play(address, open_page):
    page = open_page(diffusion_page(address)).page
    ready(page)
    page.get_by_text("How AdaptiveGraph spreads").click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    rests_at(page, 2)
    page.keyboard.press("Space")
    page.wait_for_function("() => window.__graph().stepper.step > 3")
    page.keyboard.press("Space")
    rests_at(page, page.evaluate("() => window.__graph().stepper.step"))
    page.get_by_role("textbox", name="Question").click()
    before = page.locator(".stepper .iteration").inner_text()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    assert page.locator(".stepper .iteration").inner_text() == before


def test_jump_to_an_event(address, open_page):
    watched = open_page(diffusion_page(address))
    page = watched.page
    ready(page)
    events = page.get_by_role("combobox", name="Jump to an event")
    words = events.locator("option").all_inner_texts()
    assert any("gold is among the first 10" in each for each in words)
    frozen = next(each for each in words if "freezes" in each)
    events.select_option(label=frozen)
    rests_at(page, int(frozen.partition(":")[0]))
    watched.assert_clean()


def test_a_click_on_a_note_shows_what_brought_it(address, open_page):
    watched = open_page(diffusion_page(address, step="3"))
    page = watched.page
    ready(page)
    first = page.evaluate("() => window.__graph().nodes.get().find(n => (n.label || '').includes('#1 ')).id")
    click_node(page, f"disc:{first}")
    expect(page).to_have_url(re.compile("note="))
    panel = page.locator(".st-key-selected")
    expect(panel.get_by_text("Selected note")).to_be_visible()
    expect(panel.get_by_text("its own words")).to_be_visible()
    sums = re.findall(r"sum\s+(0\.\d+)", panel.inner_text())
    assert len(sums) == 2
    assert sums[0] == sums[1]
    click_node(page, GOLD)
    expect(panel.get_by_text("★ gold")).to_be_visible()
    strong = page.evaluate("() => window.__graph().edges.get().filter(e => e.kind === 'path').length")
    assert strong > 0  # the strongest walks are drawn
    watched.assert_clean()


POINT = """([note, iteration, axes]) => {
    const plot = document.querySelector('.js-plotly-plot');
    const lines = plot.calcdata.filter(([{ trace }]) => trace.customdata?.[0]?.[0] === note && trace.yaxis === axes[1]);
    const at = lines[0].find((_, i) => lines[0][0].trace.customdata[i][1] === iteration);
    const [x, y] = [plot._fullLayout[axes[0].replace('x', 'xaxis')], plot._fullLayout[axes[1].replace('y', 'yaxis')]];
    const box = plot.getBoundingClientRect();
    return { x: box.x + x._offset + x.c2p(at.x), y: box.y + y._offset + y.c2p(at.y) };
}"""


def click_point(page: Page, note: str, iteration: int, axes: tuple[str, str]) -> None:
    """Click a point of the charts: of a note's line, or ("") of the mass by kind or the residual."""
    # Streamlit may put another element in the chart's place while it is being looked at: the page scrolls, and then rests.
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')?.calcdata?.length > 0")
    page.evaluate("() => document.querySelector('.js-plotly-plot').scrollIntoView({ block: 'center' })")
    page.wait_for_timeout(800)
    point = page.evaluate(POINT, [note, iteration, list(axes)])
    page.mouse.move(point["x"], point["y"])
    page.mouse.click(point["x"], point["y"])


def test_a_row_of_the_table_chooses_a_note(address, open_page):
    page = open_page(diffusion_page(address, step="3")).page
    ready(page)
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    page.wait_for_timeout(800)
    table.click(position={"x": 18, "y": 52})  # the tick of the first row
    first = page.evaluate("() => window.__graph().nodes.get().find(n => (n.label || '').includes('#1 ')).id")
    page.wait_for_function("id => String(window.__graph().network.getSelectedNodes()) === id", arg=first)


@pytest.mark.slow
def test_a_point_of_the_charts_chooses_a_note_or_a_step(address, open_page):
    watched = open_page(diffusion_page(address, step="3", note="demo_c_3#1"))
    page = watched.page
    ready(page)
    page.wait_for_selector(".js-plotly-plot .main-svg")
    click_point(page, GOLD.removeprefix("file:"), 5, ("x", "y"))
    page.wait_for_function("id => String(window.__graph().network.getSelectedNodes()) === id", arg=GOLD)
    rests_at(page, 3)
    click_point(page, "", 7, ("x3", "y3"))
    rests_at(page, 7)
    watched.assert_clean()


@pytest.mark.slow
def test_alpha_and_the_whole_state_come_back_with_the_url(address, open_page):
    watched = open_page(diffusion_page(address))
    page = watched.page
    ready(page)
    for _ in range(3):
        press(page, "One step forward")
    rests_at(page, 3)
    slider = page.get_by_role("slider", name="alpha")
    slider.focus()
    for _ in range(5):
        slider.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"alpha=0\.8(&|$)"))
    expect(page.get_by_text("What if:")).to_be_visible()
    page.get_by_role("button", name=re.compile("^tag cellist")).click()
    expect(page).to_have_url(re.compile("mute=tag%3Acellist"))
    click_node(page, page.evaluate("() => window.__graph().nodes.get().find(n => (n.label || '').includes('#2 ')).id"))
    expect(page).to_have_url(re.compile("note="))
    rests_at(page, 3)
    page.wait_for_timeout(1000)
    before, url = state(page), page.url
    again = open_page(url)
    ready(again.page)
    rests_at(again.page, 3)
    expect(again.page.locator(".st-key-what-if")).to_contain_text("First ten before and after")
    again.page.wait_for_timeout(1000)
    assert state(again.page) == before
    assert parse_qs(urlsplit(again.page.url).query) == parse_qs(urlsplit(url).query)
    watched.assert_clean()
    again.assert_clean()


@pytest.mark.slow
def test_the_way_back_of_the_browser_leads_to_the_step_before(address, open_page):
    watched = open_page(diffusion_page(address))
    page = watched.page
    ready(page)
    press(page, "One step forward")
    rests_at(page, 1)
    press(page, "One step forward")
    rests_at(page, 2)
    page.go_back()
    rests_at(page, 1)
    watched.assert_clean()


@pytest.mark.slow
def test_another_page_and_back_starts_at_the_seeds(address, open_page):
    watched = open_page(diffusion_page(address, step="3"))
    page = watched.page
    ready(page)
    page.get_by_role("link", name="Graph", exact=True).first.click()
    expect(page.get_by_role("heading", name="Graph")).to_be_visible()
    page.get_by_role("link", name="Diffusion", exact=True).first.click()
    expect(page.get_by_role("heading", name="Diffusion")).to_be_visible()
    expect(page.locator(".stepper .iteration")).to_have_text(re.compile(r"^iteration 0 of"))
    watched.assert_clean()
