"""Sign-in with a real OpenID Connect provider of this machine: who enters, who does not, and what nobody ever sees."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from chat_service import KEY as MODEL_KEY
from chat_service import Says, chat_service
from oidc_provider_mock import User, run_server_in_thread
from playwright.sync_api import Browser, Page, expect

from workbench.chat.base import KEY, MODEL, RETRIES, URL
from workbench.store import open_labels

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 30_000
SECRET, COOKIE_SECRET = "client-secret-81f3a7", "cookie-secret-0c55de-with-length-enough"
PEOPLE = (
    User(sub="ann", claims={"email": "Ann@lab.test", "name": "Ann Lee", "email_verified": True}),
    User(sub="bo", claims={"email": "bo@elsewhere.test", "name": "Bo"}),
    User(sub="cy", claims={"email": "cy@lab.test", "name": "Cy", "email_verified": False}),
)
QUESTION = "For how many seconds should I hold the doorway stretch"
CASE = "case=longmemeval_demo/demo_missing_tag"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, demo_folder: Path) -> Iterator[tuple[str, Path]]:
    """The address of a running app with sign-in, and the folder with its store and its log."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = tmp_path_factory.mktemp("signed")
    store = home / "store.duckdb"
    load = ["load", str(demo_folder / "longmemeval_demo.json"), "--store", str(store)]
    subprocess.run([sys.executable, "-m", "workbench", *load], check=True, capture_output=True, cwd=ROOT)
    address = f"http://localhost:{port}"
    with run_server_in_thread(user_claims=PEOPLE) as provider:
        secrets = home.parent / f"{home.name}-secrets.toml"
        secrets.write_text(
            f"""[auth]
redirect_uri = "{address}/oauth2callback"
cookie_secret = "{COOKIE_SECRET}"
client_id = "workbench"
client_secret = "{SECRET}"
server_metadata_url = "http://localhost:{provider.server_port}/.well-known/openid-configuration"

[workbench]
allowed = ["@lab.test"]
"""
        )
        command = [sys.executable, "-m", "workbench", "app", "--port", str(port), "--address", "localhost", "--store", str(store)]
        environment = os.environ | {"STREAMLIT_SECRETS_FILES": str(secrets), "STREAMLIT_SERVER_HEADLESS": "true", KEY: MODEL_KEY}
        with (home / "log.txt").open("wb") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_until_healthy(address, process)
            yield address, home
        finally:
            process.kill()
            process.wait()


def wait_until_healthy(address: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
            return
        time.sleep(0.1)
    raise AssertionError("the app does not answer")


@pytest.fixture
def visit(browser: Browser, app: tuple[str, Path]) -> Iterator[Callable[[str], Page]]:
    """Opens a view as a fresh visitor."""
    contexts = []

    def open_(path: str) -> Page:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 900}))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{app[0]}/{path}")
        return page

    yield open_
    for context in contexts:
        context.close()


def sign_in(page: Page, who: str) -> None:
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name=who, exact=True).click()


def test_before_signing_in_nothing_of_the_store_is_shown(visit: Callable[[str], Page]) -> None:
    for path in ("", "compare", "learn", "audit"):
        page = visit(f"{path}?{CASE}")
        expect(page.get_by_role("button", name="Sign in")).to_be_visible(timeout=PATIENCE)
        words = page.locator("body").inner_text()
        assert "demo_missing_tag" not in words
        assert QUESTION not in words


def test_who_is_allowed_enters_labels_under_their_name_and_leaves(visit: Callable[[str], Page], app: tuple[str, Path]) -> None:
    page = visit("")
    sign_in(page, "ann")
    expect(page.get_by_text("Ann Lee <Ann@lab.test>")).to_be_visible(timeout=PATIENCE)
    page.goto(f"{app[0]}/diagnose?{CASE}")
    analyst = page.get_by_label("Analyst").first
    expect(analyst).to_be_disabled(timeout=PATIENCE)
    expect(analyst).to_have_value("Ann Lee <Ann@lab.test>")
    page.get_by_label("Comment").first.fill("the tag is missing")
    page.get_by_role("button", name="Save label").click()
    expect(page.get_by_text("as Ann Lee")).to_be_visible(timeout=PATIENCE)
    with open_labels(app[1] / "store.duckdb", read_only=True) as labels:
        assert [(each.analyst, each.comment) for each in labels.history()] == [("Ann Lee <Ann@lab.test>", "the tag is missing")]
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/end_session**")  # the provider asks whether its own session shall end too
    page.goto(f"{app[0]}/diagnose?{CASE}")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible(timeout=PATIENCE)


@pytest.mark.parametrize(
    ("who", "reason"),
    [("bo", "bo@elsewhere.test is not on the list"), ("cy", "cy@lab.test has not been verified")],
)
def test_who_is_not_allowed_is_told_why(visit: Callable[[str], Page], who: str, reason: str) -> None:
    page = visit(f"compare?{CASE}")
    sign_in(page, who)
    expect(page.get_by_text("You can't use this workbench.")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text(reason)).to_be_visible()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    assert page.get_by_role("link", name="Compare").count() == 0


def test_a_model_s_key_and_the_secrets_are_in_no_file_store_log_or_export(app: tuple[str, Path]) -> None:
    """After extractions by a service that repeats the key in its errors, with the labels of the tests above, all exported."""
    home = app[1]
    with chat_service() as service:
        service.script = [500, Says(f"no json, but {MODEL_KEY}"), Says(f"again {MODEL_KEY}")]
        variables = {KEY: MODEL_KEY, URL: service.url, MODEL: "model-canary", RETRIES: "1"}
        extract = ["extract", "--benchmark", "longmemeval_demo", "--limit", "4"]
        workbench(home, "extract.txt", *extract, "--json", str(home / "extract.json"), **variables)
        assert len(service.asked) >= 4
    workbench(home, "tables.txt", "export", "store", "--out", str(home / "tables"), **variables)
    workbench(home, "labels.txt", "labels", "export", str(home / "labels.json"), **variables)
    found = {file.relative_to(home): content_of(file) for file in home.rglob("*") if file.is_file()}
    assert {"store.duckdb", "store.duckdb.labels.duckdb", "log.txt", "tables", "labels.json"} <= {path.parts[0] for path in found}
    # The search finds what is there: who is asked, and what a label says.
    assert any(b"model-canary" in content for path, content in found.items() if path.parts[0] == "tables")
    assert b"the tag is missing" in found[Path("labels.json")]
    for secret in (SECRET, COOKIE_SECRET, MODEL_KEY):
        assert not [str(path) for path, content in found.items() if secret.encode() in content]


def content_of(file: Path) -> bytes:
    """The bytes of a file; of a table's file also its values, which may be compressed in it."""
    rows = repr(pq.read_table(file).to_pylist()).encode() if file.suffix == ".parquet" else b""
    return file.read_bytes() + rows


def workbench(home: Path, log: str, *arguments: str, **variables: str) -> None:
    """Run the command line on the store; what it prints is kept in a file."""
    command = [sys.executable, "-m", "workbench", *arguments, "--store", str(home / "store.duckdb")]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | variables, capture_output=True, timeout=120)
    (home / log).write_bytes(done.stdout + done.stderr)
    assert done.returncode == 0, (home / log).read_text()
