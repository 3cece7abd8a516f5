"""Drives real Streamlit pages in Chromium: a server on a free port, a page that records what went wrong."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START_SECONDS = 60


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshots", metavar="DIR", type=Path, help="keep a picture of each page that a browser test looked at")


@dataclass
class Watched:
    """A page with what it logged as an error and what it asked of other machines."""

    page: Page
    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def note(self, message: ConsoleMessage) -> None:
        # Streamlit looks for its server under the page's path first, which the browser logs: not an error of the page.
        if message.type == "error" and "/_stcore/" not in message.location.get("url", ""):
            self.errors.append(f"{message.text} {message.location.get('url', '')}")

    def assert_clean(self) -> None:
        """No error in the console and no request to any other host."""
        assert not self.errors, self.errors
        assert not self.outside, self.outside


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser on a busy machine may miss a click or redraw under one: a test here fails if it fails twice."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The Chromium on the path, or Playwright's own."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if not found and not Path(playwright.chromium.executable_path).exists():
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on the path and Playwright has none of its own")
    running = playwright.chromium.launch(executable_path=found, args=FLAGS)
    yield running
    running.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Watched]]:
    """``open_page(url, theme="light", width=1280, height=900)``: a fresh visitor's page, watched from its first request."""
    contexts = []

    def open_(url: str, theme: Any = "light", width: int = 1280, height: int = 900) -> Watched:
        context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": height}, accept_downloads=True)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        watched = Watched(page)
        page.on("console", watched.note)
        page.on("pageerror", lambda error: watched.errors.append(str(error)))
        page.on("request", lambda request: watched.outside.append(request.url) if is_outside(request.url) else None)
        page.goto(url)
        return watched

    yield open_
    for context in contexts:
        context.close()


def is_outside(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost")


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """``serve(script, **environment)`` starts a Streamlit server and gives its address; it ends with the module's tests."""
    with _Servers(tmp_path_factory.mktemp("servers")) as servers:
        yield servers.start


class _Servers:
    def __init__(self, folder: Path) -> None:
        self.folder, self.running = folder, []

    def __enter__(self) -> _Servers:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.running:
            process.terminate()
        for process in self.running:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

    def start(self, script: Path, *arguments: str, **environment: str) -> str:
        port = free_port()
        log = self.folder / f"{port}.log"
        command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port), "--server.headless", "true"]
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*command, "--server.fileWatcherType", "none", "--", *arguments],
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self.running.append(process)
        address = f"http://127.0.0.1:{port}"
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and process.poll() is None:
            if is_healthy(address):
                return address
            time.sleep(0.1)
        raise AssertionError(f"no healthy server for {script.name} within {START_SECONDS} s:\n{log.read_text(errors='replace')}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


@pytest.fixture
def picture(request: pytest.FixtureRequest) -> Callable[[Watched, str], None]:
    """``picture(watched, name)`` keeps a screenshot in the folder of ``--screenshots``, if one was named."""
    folder = request.config.getoption("--screenshots", default=None)

    def take(watched: Watched, name: str) -> None:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            watched.page.screenshot(path=folder / f"{name}.png")

    return take
