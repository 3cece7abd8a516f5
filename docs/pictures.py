"""Take the pictures of the documentation from the running app (``make pictures``): demo data, a store of its own, no network.

A page that logs an error ends the script: a picture of a broken page is none.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

Query = dict[str, str | list[str]]
FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
STORE = "data/pictures.duckdb"
START_SECONDS, DRAW_SECONDS = 60, 60
SETTLED_MS = 2_500
"""What charts and graphs, which the browser draws after the page is there, are given."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
KILN: Query = {"case": "longmemeval_demo/demo_common_word", "methods": ["tag_basic", "tag_stopwords", "bm25"]}
PICTURES: dict[str, tuple[str, Query]] = {
    "compare": ("compare", KILN),
    "graph": ("graph", {"case": "longmemeval_demo/demo_common_word"}),
    "diffusion": ("diffusion", {"case": "longmemeval_demo/demo_diffusion_helps"}),
    "diagnose": ("diagnose", {"case": "longmemeval_demo/demo_missing_tag", "methods": ["tag_stopwords", "adaptive", "bm25"]}),
    "learn": ("learn", {}),
}
"""By the picture's name the page's path and its query."""


@contextmanager
def demo_store() -> Iterator[None]:
    """The demo cases in a store that is gone afterwards."""
    load = [sys.executable, "-m", "workbench", "load", "data/demo", "--store", STORE]
    try:
        subprocess.run(load, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        yield
    finally:
        for each in (ROOT / STORE).parent.glob("pictures.*"):
            each.unlink()


@contextmanager
def serving() -> Iterator[str]:
    """The app over the store; gives its address. Started without ``workbench app``, it shows the store's path as it is named."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.headless", "true"]
    environment = os.environ | {"WORKBENCH_STORE": STORE}
    server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        end = time.monotonic() + START_SECONDS
        while not _is_up(address):
            if time.monotonic() > end or server.poll() is not None:
                raise SystemExit(f"the app did not start within {START_SECONDS} s")
            time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait(10)


def _is_up(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def take(page: Page, url: str, path: Path) -> None:
    """Open a page, wait until it has run, and keep what is seen."""
    page.goto(url)
    page.locator("h1, h2").first.wait_for(timeout=DRAW_SECONDS * 1000)
    page.locator('[data-test-script-state="notRunning"]').first.wait_for(timeout=DRAW_SECONDS * 1000)
    page.wait_for_timeout(SETTLED_MS)
    if page.get_by_test_id("stException").count():
        raise SystemExit(f"{url} shows an error: {page.get_by_test_id('stException').first.inner_text()}")
    page.screenshot(path=path)
    print(path.name)


def main() -> None:
    """Take all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(PICTURES)}; default: all")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the pictures")
    wanted = parser.parse_args()
    if unknown := set(wanted.names) - set(PICTURES):
        parser.error(f"no picture {', '.join(sorted(unknown))}; known: {', '.join(PICTURES)}")
    wanted.out.mkdir(parents=True, exist_ok=True)
    with demo_store(), sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, NAMES)), None), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
        with serving() as address:
            for name in wanted.names or PICTURES:
                where, query = PICTURES[name]
                take(page, f"{address}/{where}?{urlencode(query, doseq=True)}", wanted.out / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
