"""No page asks anything of another machine: not the browser, which is watched, and not the server, whose sockets are."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from workbench.ui import navigation

ROOT = Path(__file__).resolve().parents[2]
CASE = "case=longmemeval_demo/demo_missing_tag"
HOOK = """
import os, sys

def watch(event, values):
    if event in ("socket.connect", "socket.bind") and isinstance(values[1], tuple):
        note(values[1][0])
    elif event == "socket.getaddrinfo":
        note(values[0])

def note(host):
    host = host.decode() if isinstance(host, bytes) else str(host)
    with open(os.environ["CALLED"], "a") as called:
        called.write(host + "\\n")

sys.addaudithook(watch)
"""
"""Runs in the server and in each process it starts: every host that is called, looked up or listened on, by whichever library."""
WATCHED_ELSEWHERE = {"ariadne", "audit", "cases", "compare", "diagnose", "diffusion", "evaluate", "graph", "learn", "real"}
"""Pages whose own browser tests also hold that nothing is asked of another host; here they are looked at in the long run."""
HERE = {"127.0.0.1", "localhost", "::1", "0.0.0.0", "::", "None"}


@pytest.fixture(scope="module")
def called(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file to which the server writes whom it calls."""
    return tmp_path_factory.mktemp("called") / "hosts.txt"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], demo_store: Path, called: Path) -> str:
    (called.parent / "sitecustomize.py").write_text(HOOK)
    path = os.pathsep.join([str(called.parent), str(ROOT)])
    return serve(ROOT / "app.py", WORKBENCH_STORE=str(demo_store), PYTHONPATH=path, CALLED=str(called))


def _long(name: str) -> Any:
    return pytest.param(name, marks=[pytest.mark.slow] if name in WATCHED_ELSEWHERE else [])


@pytest.mark.parametrize("name", [_long(name) for name in navigation.pages])
def test_a_page_asks_only_its_own_server(browser: Browser, address: str, name: str, called: Path) -> None:
    asked: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        context.on("request", lambda request: asked.append(request.url))
        page = context.new_page()
        page.on("websocket", lambda socket: asked.append(socket.url))
        page.goto(f"{address}/{name}?{CASE}")
        expect(page.locator(".st-key-store-path")).to_be_visible(timeout=60_000)
        expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible(timeout=120_000)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        page.wait_for_timeout(500)  # what components ask once they are drawn
    finally:
        context.close()
    own = urlsplit(address).netloc
    others = [url for url in asked if urlsplit(url).scheme in ("http", "https", "ws", "wss") and urlsplit(url).netloc != own]
    assert any(url.startswith("ws:") for url in asked)
    assert others == []
    hosts = set(called.read_text().split())
    assert "127.0.0.1" in hosts  # where the server listens: the hook is at work
    assert hosts <= HERE


def test_the_watch_sees_a_call(called: Path, tmp_path: Path) -> None:
    """Else the test above could not fail: the hook notes a name that is looked up."""
    seen = tmp_path / "seen.txt"
    script = "import socket\ntry:\n    socket.create_connection(('somewhere.invalid', 80), 1)\nexcept OSError:\n    pass"
    environment = os.environ | {"PYTHONPATH": str(called.parent), "CALLED": str(seen)}
    (called.parent / "sitecustomize.py").write_text(HOOK)
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
    assert "somewhere.invalid" in seen.read_text()
