"""Pages on a real case: the server's time of a re-run, and from a click in the menu to the drawn page in Chromium.

    python bench/pages.py --store FILE --case longmemeval_s/ID [--reruns 9] [--no-browser]

A re-run is the whole script of a page with the sidebar, run again by Streamlit's own test runner after a first run has filled the
caches: the median counts. A click is timed until Streamlit has nothing left to run and the page's header stands; the second visit
of a session counts (the first one works out what is cached, and is told beside it). What AriadneMem and REAL read of the case is
worked out beforehand and stored, as it is for a user after the first visit.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright
from streamlit.testing.v1 import AppTest

from workbench.cli import main as workbench
from workbench.printing import table
from workbench.ui import navigation
from workbench.ui.context import STORE_VARIABLE

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests" / "browser"))
SCRIPT = """
import streamlit as st
from workbench.ui import context, navigation
st.session_state["arrived"] = st.session_state.get("page") != {name!r}
st.session_state["page"] = {name!r}
with st.sidebar:
    context.sidebar()
navigation.pages[{name!r}].show()
"""
IDLE = "() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"


def reruns(name: str, case: str, count: int) -> tuple[float, float]:
    """Milliseconds of the first run, and the median of those after it."""
    page = AppTest.from_string(SCRIPT.format(name=name), default_timeout=300)
    page.query_params["case"] = case
    page.query_params["benchmark"] = case.partition("/")[0]
    times = []
    for _ in range(count + 2):
        begin = time.perf_counter()
        page.run()
        times.append(1000 * (time.perf_counter() - begin))
        assert not page.exception, f"{name}: {page.exception[0].value}"
    return times[0], statistics.median(times[2:])


def clicks(store: Path, case: str) -> dict[str, tuple[float, float]]:
    """Milliseconds from a click in the menu to the page, at the first and at the second visit of one session."""
    from conftest import FLAGS, _Servers  # the browser tests' own server and flags

    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, _Servers(Path(folder)) as servers, sync_playwright() as driver:
        address = servers.start(ROOT / "app.py", **{STORE_VARIABLE: str(store)})
        page = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS).new_page()
        page.set_default_timeout(120_000)
        page.goto(f"{address}/graph?benchmark={case.partition('/')[0]}&case={case}")
        page.wait_for_function(IDLE)
        for _ in range(2):
            for entry in navigation.in_order():
                found.setdefault(entry.name, []).append(click(page, entry))
    return {name: (first, second) for name, (first, second) in found.items()}


def click(page: Page, entry: navigation.PageEntry) -> float:
    link = page.get_by_test_id("stSidebar").get_by_role("link", name=entry.title, exact=True)
    begin = time.perf_counter()
    link.click()
    expect(page.get_by_test_id("stMain").get_by_test_id("stHeading").first).to_be_visible(timeout=120_000)
    page.wait_for_function(f"() => location.pathname.endsWith({entry.name!r}) || location.pathname === '/'")
    page.wait_for_function(IDLE)
    found = 1000 * (time.perf_counter() - begin)
    page.wait_for_timeout(700)
    if page.get_by_test_id("stDialog").count():  # the page Cases opens the chosen case over itself
        page.keyboard.press("Escape")
        page.wait_for_timeout(300)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--case", required=True)
    parser.add_argument("--reruns", type=int, default=9)
    parser.add_argument("--no-browser", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(shutil.copy(options.store, Path(folder) / "own.duckdb"))
        for command in (["facts", options.case], ["ariadne", options.case, options.case.partition("/")[2]]):
            workbench([*command, "--store", str(store), "--json", os.devnull])
        os.environ[STORE_VARIABLE] = str(store)
        times = {entry.name: reruns(entry.name, options.case, options.reruns) for entry in navigation.in_order()}
        drawn = {} if options.no_browser else clicks(store, options.case)
    rows = [
        [name, f"{first:,.0f}", f"{median:,.0f}", *(f"{value:,.0f}" for value in drawn.get(name, ()))]
        for name, (first, median) in times.items()
    ]
    print(f"{options.case}; milliseconds")
    columns = ["page", "first run", "re-run", *(["first click", "click"] if drawn else [])]
    print(*table(columns, rows), sep="\n")


if __name__ == "__main__":
    main()
