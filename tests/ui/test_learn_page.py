"""The page Learn without a browser: its stops, what they claim and foretell, and its state in the URL."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from shown import markdown, texts
from streamlit.testing.v1 import AppTest

from workbench.ui import learn_stop
from workbench.ui.context import STORE_VARIABLE
from workbench.ui.learn_stop import Prediction, Scene, open_scene
from workbench.ui.learn_stops.changing_fact import keep, read_diary
from workbench.ui.navigation import pages

TOUR = learn_stop.in_order()
NAMES = [name for name, _ in TOUR]


@pytest.fixture
def demo(demo_store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store that the app starts with holds the demo."""
    monkeypatch.setenv(STORE_VARIABLE, str(demo_store))
    return demo_store


def scene_of(store: Path, name: str) -> Scene:
    found = open_scene(store, learn_stop.stops[name].case)
    assert found is not None
    return found


def _script() -> None:
    from workbench.ui import context
    from workbench.ui.pages import learn

    context.sidebar()
    learn.show()


def learn_page(**query: str) -> AppTest:
    page = AppTest.from_function(_script, default_timeout=120)
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception
    return page


# --- the stops --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_demo_shows_what_a_stop_claims(demo: Path, name: str) -> None:
    assert learn_stop.stops[name].holds(scene_of(demo, name))


@pytest.mark.parametrize("name", NAMES)
def test_a_prediction_has_an_answer_among_its_options(demo: Path, name: str) -> None:
    found = learn_stop.stops[name].prediction(scene_of(demo, name))
    assert found.answer in found.options
    assert len(set(found.options)) == len(found.options) >= 2


@pytest.mark.parametrize("at", range(1, len(TOUR) + 1))
def test_a_stop_reveals_nothing_before_the_prediction_and_tells_after_it(demo: Path, at: int) -> None:
    name, stop = TOUR[at - 1]
    found = stop.prediction(scene_of(demo, name))
    page = learn_page(stop=str(at))
    assert found.asked in page.radio[0].label
    assert not page.warning
    before = markdown(page)
    told = stop.told(scene_of(demo, name))
    assert told not in before
    wrong = next(option for option in found.options if option != found.answer)
    page.radio[0].set_value(wrong).run()
    assert not page.exception, page.exception
    assert told in markdown(page)
    assert f"It is otherwise: {found.answer}." in markdown(page)
    page.button(key="learn-again").click().run()
    page.radio[0].set_value(found.answer).run()
    assert f"As you predicted: {found.answer}." in markdown(page)


def test_every_stop_leads_to_a_page_that_there_is() -> None:
    assert all(stop.page in pages for _, stop in TOUR)


def test_an_answer_that_is_no_option_is_refused() -> None:
    with pytest.raises(ValueError, match="'c' is none of the options: a, b"):
        Prediction("Which?", ("a", "b"), "c")


def test_the_link_of_a_stop_names_case_question_and_extraction(demo: Path) -> None:
    found = scene_of(demo, "missing_tag").url(str(demo))
    assert found["case"] == "longmemeval_demo/demo_missing_tag"
    assert found["question"] == "demo_missing_tag"
    assert found["extraction"].startswith("rules:")
    assert "store" not in found
    assert scene_of(demo, "missing_tag").url("elsewhere.duckdb")["store"] == str(demo)


def test_lines_of_a_diary_are_read_by_date_and_others_refused() -> None:
    entries, refused = read_diary(
        "2024-07-12 I moved to York.\n\nI live in Leeds.\n2024-05-03 I live in Leeds.\n2024-13-01 Never."
    )
    assert [text for _, text in entries] == ["I live in Leeds.", "I moved to York."]
    assert refused == ["I live in Leeds.", "2024-13-01 Never."]


def test_a_fact_that_does_not_change_has_no_closed_interval() -> None:
    entries, _ = read_diary("2024-05-03 I live in Leeds.\n2024-07-12 I live in Leeds.")
    assert keep(entries).closed() == 0
    changed, _ = read_diary("2024-05-03 I live in Leeds.\n2024-07-12 I moved to York.")
    assert keep(changed).closed() == 1


# --- the way through the tour -----------------------------------------------------------------------------------------------


def test_next_and_previous_change_the_stop_and_the_url(demo: Path) -> None:
    page = learn_page()
    assert page.subheader[0].value.startswith("1. ")
    page.button(key="learn-Next").click().run()
    assert page.subheader[0].value == f"2. {TOUR[1][1].title}"
    assert page.query_params["stop"] == "2"
    page.button(key="learn-Previous").click().run()
    assert page.subheader[0].value.startswith("1. ")


def test_a_prediction_is_remembered_on_the_way_back(demo: Path) -> None:
    page = learn_page(stop="2")
    wanted = page.radio[0].options[0]
    page.radio[0].set_value(wanted).run()
    page.button(key="learn-Next").click().run()
    assert page.radio[0].value is None
    page.button(key="learn-Previous").click().run()
    assert not page.radio
    assert f"{wanted}." in markdown(page)


@pytest.mark.parametrize(("given", "shown"), [("99", len(TOUR)), ("0", 1), ("x", 1), ("²", 1)])
def test_a_number_that_is_no_stop_gives_the_nearest(demo: Path, given: str, shown: int) -> None:
    page = learn_page(stop=given)
    assert page.subheader[0].value.startswith(f"{shown}. ")


def test_the_last_stop_has_no_next(demo: Path) -> None:
    page = learn_page(stop=str(len(TOUR)))
    assert page.button(key="learn-Next").disabled
    assert not page.button(key="learn-Previous").disabled


# --- without the demo -------------------------------------------------------------------------------------------------------


def test_a_store_without_the_demo_offers_to_load_it(store: Path) -> None:
    page = learn_page()
    assert not page.radio
    assert "which this store lacks" in markdown(page)
    assert page.button(key="load-demo").label == "Load the demo"


def test_no_store_yet_offers_the_demo_as_well(no_store: Path) -> None:
    assert learn_page().button(key="load-demo").label == "Load the demo"


def test_a_broken_store_is_said(store: Path) -> None:
    store.write_bytes(b"no database")
    page = learn_page()
    assert re.search("can't be read", markdown(page))
    assert str(store) in texts(page)
