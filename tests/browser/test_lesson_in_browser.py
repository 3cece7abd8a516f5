"""The lesson file in a real browser, from disk and with the network off: predict, step, read; hostile text stays text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import memory_of, note
from playwright.sync_api import Browser, Page, expect

from workbench.evaluate.inputs import case_input
from workbench.records import Case, Gold, Question
from workbench.store import open_store
from workbench.ui.lesson import Lesson, lesson
from workbench.ui.lesson_html import lesson_html

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "</script><script>window.broken=1</script><img src=x onerror=window.broken=1>{{script}}"


@pytest.fixture(scope="module")
def demo_lesson(demo_store: Path) -> Lesson:
    with open_store(demo_store, read_only=True) as opened:
        given = case_input(opened, "demo_diffusion_hurts")
    return lesson(given.case, given.case.questions[0], given.memory())


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """``opened(page_text, theme, width)``: the file from disk in a browser without a network; no error may have been logged."""
    contexts, wrong = [], list[str]()

    def open_(text: str, theme: Any = "light", width: int = 1280) -> Page:
        file = tmp_path / "lesson.html"
        file.write_text(text, encoding="utf-8")
        context = browser.new_context(offline=True, color_scheme=theme, viewport={"width": width, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: wrong.append(request.url) if not request.url.startswith("file:") else None)
        page.goto(file.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not wrong, wrong


def predict(page: Page, option: str) -> None:
    page.locator("#predict").get_by_role("button", name=option, exact=True).click()


def test_nothing_is_revealed_before_the_prediction(opened, demo_lesson):
    page = opened(lesson_html(demo_lesson))
    expect(page.get_by_role("heading", level=1)).to_have_text(demo_lesson.question)
    for name in ("One step on", "Last step", "Play"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#iteration")).to_have_text(re.compile("^step 0 of "))
    for hidden in ("#answer", "#events"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.locator("#parts")).to_contain_text("after the prediction")


def test_a_prediction_is_judged_at_the_last_step(opened, demo_lesson):
    page = opened(lesson_html(demo_lesson))
    predict(page, "First")
    expect(page.locator("#predict")).to_contain_text("Step on, or play, to the last step")
    page.locator("#last").click()
    right = demo_lesson.predict.options[demo_lesson.predict.answer]
    expect(page.locator("#predict")).to_contain_text(f"It is otherwise: {right}.")
    expect(page.locator("#answer")).to_contain_text(demo_lesson.answer)
    expect(page.locator("#goldrank")).to_contain_text(f"at rank {demo_lesson.frames[-1].gold_rank} of")


def test_steps_by_button_key_slider_event_and_play(opened, demo_lesson):
    page = opened(lesson_html(demo_lesson))
    predict(page, "First")
    at, disc = page.locator("#iteration"), page.locator("#graph .gold .disc").first
    start = disc.get_attribute("r")
    page.locator("#forward").click()
    expect(at).to_have_text(re.compile("^step 1 of "))
    assert disc.get_attribute("r") != start
    page.keyboard.press("ArrowRight")
    expect(at).to_have_text(re.compile("^step 2 of "))
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(at).to_have_text(re.compile("^step 0 of "))
    assert disc.get_attribute("r") == start
    page.locator("#slider").fill("5")
    expect(at).to_have_text(re.compile(f"^step {demo_lesson.frames[5].iteration} of "))
    page.locator("#last").click()
    event = demo_lesson.events[0]
    page.locator("#events").select_option(label=f"step {event[0]}: {event[1]}")
    expect(at).to_have_text(re.compile(f"^step {event[0]} of "))
    page.locator("#first").click()
    page.locator("#play").click()
    expect(at).to_have_text(re.compile("^step [2-9] of "))
    page.locator("#play").click()
    rests = at.inner_text()
    page.wait_for_timeout(900)
    assert at.inner_text() == rests


def test_the_ranks_of_a_step_are_the_lessons(opened, demo_lesson):
    page = opened(lesson_html(demo_lesson))
    predict(page, "First")
    titles = {each.id: each.title for each in demo_lesson.notes}
    for _ in range(3):
        page.locator("#forward").click()
    wanted = [re.compile(re.escape(titles[each.note]) + "$") for each in demo_lesson.frames[3].top]
    expect(page.locator("#top li")).to_have_text(wanted)


def test_a_note_is_read_from_the_list_and_from_the_graph_by_key(opened, demo_lesson):
    page = opened(lesson_html(demo_lesson))
    predict(page, "First")
    other = next(each for each in demo_lesson.notes if each.id == demo_lesson.frames[0].top[1].note)
    page.locator("#top button").nth(1).click()
    expect(page.locator("#note")).to_contain_text(other.turns[0].text)
    expect(page.locator("#parts")).to_contain_text("the parts sum to the score")
    gold = page.locator("#graph .file.gold")
    gold.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#note")).to_contain_text("★ evidence")


def test_hostile_text_is_shown_and_does_nothing(opened):
    gold = note("a", f"food/{HOSTILE.replace('/', ' ')}", user=f"A lemon cake. {HOSTILE}", summary=f"Cake {HOSTILE}")
    memory = memory_of(gold, note("b", "food/tea", user="Tea."))
    question = Question("q", f"Which cake? {HOSTILE}", HOSTILE, gold=Gold(notes=("a",)))
    page = opened(lesson_html(lesson(Case("own", "c", ()), question, memory)))
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Which cake? {HOSTILE}")
    predict(page, "First")
    page.locator("#last").click()
    page.locator("#top button").first.click()
    expect(page.locator("#note")).to_contain_text(HOSTILE)
    expect(page.locator("#answer")).to_contain_text(HOSTILE)
    assert page.evaluate("window.broken") is None
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 1920), ("light", 640)])
def test_it_fits_its_window_in_either_theme(opened, demo_lesson, request, theme, width):
    page = opened(lesson_html(demo_lesson), theme, width)
    predict(page, "First")
    page.locator("#last").click()
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert back == ("rgb(255, 255, 255)" if theme == "light" else "rgb(20, 23, 28)")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    folder = request.config.getoption("--screenshots", default=None)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"lesson-{theme}-{width}.png", full_page=True)


@pytest.mark.slow
def test_the_page_diffusion_gives_the_lesson_of_what_it_shows(demo_lesson, demo_store, open_page, serve, opened):
    address = serve(ROOT / "app.py", WORKBENCH_STORE=str(demo_store))
    page = open_page(f"{address}/diffusion?case=longmemeval_demo/demo_diffusion_hurts&alpha=0.5").page
    with page.expect_download(timeout=60_000) as waited:
        page.get_by_role("button", name="Lesson file").click(timeout=60_000)
    assert waited.value.suggested_filename == "lesson-longmemeval_demo-demo_diffusion_hurts-demo_diffusion_hurts.html"
    lesson_page = opened(Path(waited.value.path()).read_text(encoding="utf-8"))
    expect(lesson_page.get_by_role("heading", level=1)).to_have_text(demo_lesson.question)
    expect(lesson_page.locator("#about")).to_contain_text("alpha 0.5")
