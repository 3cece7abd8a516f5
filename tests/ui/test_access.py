"""Who may enter: what a secrets file may say, whom it admits, who labels then, and what the app listens on."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import psutil
import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as some
from shown import texts
from streamlit import config
from streamlit.runtime.secrets import Secrets

from workbench.chat.base import Endpoint
from workbench.cli import app as commands
from workbench.cli import main
from workbench.labels.exchange import export_labels, import_labels
from workbench.store import Label, open_labels
from workbench.ui import access, audit_export, label_form
from workbench.ui import launch as launching
from workbench.ui.access import AccessProblem, Person, Rules, read_rules

COOKIE_SECRET = "c" * 40
PROVIDER = {"client_id": "one", "client_secret": "swordfish", "server_metadata_url": "https://id.lab.org/.well-known/x"}
AUTH = {"redirect_uri": "https://bench.lab.org/oauth2callback", "cookie_secret": COOKIE_SECRET}
ALLOWED = {"allowed": ["ada@lab.org", "@maths.org"]}
SET_UP = {"auth": AUTH | PROVIDER, "workbench": ALLOWED}
ADA = {"is_logged_in": True, "email": "ada@lab.org", "email_verified": True, "name": "Ada"}


def enters(*entries: str, **claims: object) -> bool:
    return Person("Ann", **claims).refusal(entries) == ""


# --- whom the list admits ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "address"),
    [("ada@lab.org", "ada@lab.org"), ("Ada@Lab.org", "aDA@lab.ORG"), ("@LAB.org", "bob@lab.org"), ("*", "anyone@where.org")],
)
def test_an_address_its_domain_or_a_star_lets_in(entry, address):
    assert enters("eve@x.org", entry, email=address)


@pytest.mark.parametrize(
    "address",
    [
        "eve@lab.org",
        "ada@lab.org.evil.org",
        "ada@sub.maths.org",
        "ada@evil.org@maths.org",
        "ada@lab.org,eve@x.org",
        "eve@ maths.org",
        "eve@xmaths.org",
        "ada@lab.org\n",
        "@maths.org",
        "ada",
        "",
        "ada@\u212aab.org",
        "stra\u00dfe@lab.org",
    ],
)
def test_others_and_what_only_looks_alike_stay_out(address):
    assert not enters("ada@lab.org", "@maths.org", "ada@kab.org", "strasse@lab.org", email=address)


@pytest.mark.parametrize("entry", ["*", "@lab.org", "ada@lab.org"])
def test_an_unverified_address_stays_out_whatever_the_list(entry):
    assert not enters(entry, email="ada@lab.org", is_verified=False)


@pytest.mark.parametrize(
    ("said", "is_verified"),
    [({}, True), (True, True), ("true", True), (False, False), ("false", False), (None, False), (0, False)],
)
def test_verified_is_what_the_provider_says_in_whatever_form(visitor, said, is_verified):
    visitor(ADA | {"email_verified": said} if said != {} else without(ADA, "email_verified"))
    assert access.person().is_verified is is_verified


@given(some.emails(), some.emails())
def test_one_address_lets_in_only_itself(listed, other):
    assert enters(listed, email=listed)
    if other.lower() != listed.lower():
        assert not enters(listed, email=other)


# --- what can be set up -----------------------------------------------------------------------------------------------------


def test_nothing_set_up_asks_nobody():
    assert read_rules({}, {}) is None
    assert read_rules({"WORKBENCH_LLM_KEY": "x", "workbench": {}}, {}) is None


def test_a_whole_set_up_is_read():
    rules = read_rules(SET_UP, {})
    assert rules == Rules(("",), "https://bench.lab.org", ("ada@lab.org", "@maths.org"))


def test_named_providers_are_read_and_settings_of_the_client_are_none():
    auth = AUTH | {"google": PROVIDER, "okta": PROVIDER, "client_kwargs": {"prompt": "login"}}
    assert read_rules(SET_UP | {"auth": auth}, {}).providers == ("google", "okta")


def test_the_environment_s_list_takes_the_place_of_the_file_s():
    assert read_rules(SET_UP, {access.ALLOWED_VARIABLE: "bob@x.org, @y.org"}).allowed == ("bob@x.org", "@y.org")


def without(table: dict, key: str) -> dict:
    return {name: value for name, value in table.items() if name != key}


@pytest.mark.parametrize(
    ("secrets", "environment", "message"),
    [
        ({"auth": AUTH | PROVIDER}, {}, "nobody is named"),
        (SET_UP | {"workbench": {"allowed": []}}, {}, "nobody is named"),
        (SET_UP, {access.ALLOWED_VARIABLE: ""}, "nobody is named"),
        (SET_UP | {"workbench": {"allowed": ["lab.org"]}}, {}, "'lab.org' can't be allowed"),
        (SET_UP | {"workbench": {"allowed": [7]}}, {}, "7 can't be allowed"),
        (SET_UP | {"workbench": {"allowed": 7}}, {}, "is a list"),
        (SET_UP, {access.ALLOWED_VARIABLE: "ada@lab.org;bob@lab.org"}, "can't be allowed"),
        ({"workbench": ALLOWED}, {}, r"no \[auth\]"),
        ({}, {access.ALLOWED_VARIABLE: "@lab.org"}, r"no \[auth\]"),
        ({}, {access.REQUIRED_VARIABLE: "required"}, r"no \[auth\]"),
        ({}, {access.REQUIRED_VARIABLE: "yes"}, "'yes'"),
        (SET_UP | {"auth": {}}, {}, "lacks client_id, client_secret, server_metadata_url"),
        (SET_UP | {"auth": "on"}, {}, r"a table, \[auth\]"),
        (SET_UP | {"auth": AUTH | {"google": without(PROVIDER, "client_id")}}, {}, r"\[auth.google\].* lacks client_id"),
        (SET_UP | {"auth": AUTH | {"my_lab": PROVIDER}}, {}, "no underscore"),
        (SET_UP | {"auth": without(AUTH, "cookie_secret") | PROVIDER}, {}, "lacks cookie_secret"),
        (SET_UP | {"auth": AUTH | PROVIDER | {"cookie_secret": "hunter2"}}, {}, "too short"),
        (SET_UP | {"auth": AUTH | PROVIDER | {"redirect_uri": "https://bench.lab.org"}}, {}, "oauth2callback"),
        (SET_UP | {"auth": AUTH | PROVIDER | {"redirect_uri": "bench/oauth2callback"}}, {}, "oauth2callback"),
    ],
)
def test_what_is_set_up_by_halves_is_named_without_a_secret(secrets, environment, message):
    with pytest.raises(AccessProblem, match=message) as problem:
        read_rules(secrets, environment)
    assert all(value not in str(problem.value) for value in (COOKIE_SECRET, "hunter2", PROVIDER["client_secret"]))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The secrets file that Streamlit's own reader is told to read, each time anew; it does not exist yet."""
    path, before = tmp_path / "secrets.toml", st.get_option("secrets.files")

    class Fresh:
        def to_dict(self) -> dict:
            return Secrets().to_dict()

    monkeypatch.setattr(st, "secrets", Fresh())
    config.set_option("secrets.files", [str(path)])
    yield path
    config.set_option("secrets.files", before)


def write(path: Path, **tables: dict) -> None:
    lines = [
        f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
        for name, table in tables.items()
    ]
    path.write_text("\n".join(lines))


def test_a_secrets_file_that_cannot_be_read_lets_nobody_in(home):
    assert access.rules() is None
    home.write_text("[auth\n")
    with pytest.raises(AccessProblem, match="can't be read"):
        access.rules()
    home.write_bytes(b"\xff\xfe")
    with pytest.raises(AccessProblem, match="can't be read"):
        access.rules()
    with pytest.raises(AccessProblem, match="can't be read"):
        access.labels_as("Eve")


def test_the_file_is_read_as_streamlit_reads_it(home):
    write(home, **SET_UP)
    assert access.rules() == read_rules(SET_UP, {})


def test_a_missing_library_is_said_with_what_to_install(home, monkeypatch):
    write(home, **SET_UP)
    monkeypatch.setattr(access, "find_spec", lambda name: None if name == "authlib" else object())
    with pytest.raises(AccessProblem, match="install the requirements"):
        access.rules()


# --- the page, and who labels -----------------------------------------------------------------------------------------------


@pytest.fixture
def visitor(monkeypatch: pytest.MonkeyPatch) -> Iterator:
    """``visitor(claims)``: sign-in is set up, and this is what the provider says of who is there."""

    def is_(claims: dict) -> None:
        monkeypatch.setattr(access, "rules", lambda: read_rules(SET_UP, {}))
        monkeypatch.setattr(access, "claims", lambda: claims)

    return is_


def test_without_a_set_up_nothing_is_there_to_sign_in_or_out_with(store, cases_page):
    page = cases_page()
    assert {button.key for button in page.button}.isdisjoint({"sign-in-", "sign-out"})
    assert page.sidebar.selectbox
    assert access.labels_as("Ann") == "Ann"


def test_a_stranger_is_asked_to_sign_in_and_the_store_is_left_alone(tmp_path, monkeypatch, visitor, cases_page):
    damaged = tmp_path / "damaged.duckdb"
    damaged.write_text("no store")
    visitor({})
    page = cases_page(store=str(damaged))
    assert [button.label for button in page.button] == ["Sign in"]
    assert not page.sidebar.children
    assert "damaged" not in texts(page)
    visitor(ADA)
    assert "damaged" in texts(cases_page(store=str(damaged)))  # whoever is let in is told


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        (ADA | {"email": "eve@x.org", "name": "Eve <b>"}, "not on the list"),
        (ADA | {"email_verified": False}, "not been verified"),
        (without(ADA, "email"), "no e-mail address"),
    ],
)
def test_someone_who_may_not_enter_is_told_who_they_are_and_why(store, visitor, cases_page, claims, why):
    visitor(claims)
    page = cases_page(case="small/kiln")
    said = [text.value for text in page.text]
    assert said[0].startswith(f"You are signed in as {claims['name']}")
    assert why in said[1]
    assert [button.label for button in page.button] == ["Sign out"]
    assert not page.sidebar.children
    assert "Pottery" not in texts(page)


def test_a_set_up_by_halves_shows_what_is_wrong_and_nothing_else(store, monkeypatch, cases_page):
    monkeypatch.setenv(access.REQUIRED_VARIABLE, "required")
    page = cases_page(case="small/kiln")
    assert "no [auth]" in page.text[0].value
    assert len(page.button) == 0
    assert not page.sidebar.children


def test_who_is_signed_in_stands_in_the_sidebar_with_a_way_out(store, visitor, cases_page):
    visitor(ADA)
    page = cases_page()
    assert "Ada <ada@lab.org>" in [text.value for text in page.sidebar.text]
    assert "Sign out" in [button.label for button in page.sidebar.button]


def test_a_label_carries_the_address_whatever_the_field_is_sent(store, visitor, monkeypatch):
    visitor(ADA)
    state: dict = {"analyst": "Eve"}
    monkeypatch.setattr(st, "session_state", state)
    key = "k"
    sent = {"analyst": "Eve", "cause": "cut", "comment": "", "status": "done", "contested": ""}
    state.update({f"{name}-{key}": value for name, value in sent.items()})
    label_form.name_analyst("Eve")
    label_form._save(store, label_form.Place("small/kiln", "kiln_q1"), key, None)
    with open_labels(store, read_only=True) as labels:
        assert [label.analyst for label in labels.current()] == ["Ada <ada@lab.org>"]


def test_who_has_signed_out_saves_no_label_under_a_typed_name(store, visitor, monkeypatch):
    visitor({})
    state = {"analyst-k": "Eve", "cause-k": "cut", "comment-k": "", "status-k": "done", "contested-k": ""}
    monkeypatch.setattr(st, "session_state", state)
    label_form._save(store, label_form.Place("small/kiln", "kiln_q1"), "k", None)
    assert "needs the analyst's name" in state[label_form._SAID]


def test_a_file_of_labels_adds_only_one_s_own(store, tmp_path, visitor, monkeypatch):
    label = Label(case="small/kiln", question="kiln_q1", analyst="Bob", label="cut", created=datetime(2024, 5, 1))
    with open_labels(tmp_path / "other.duckdb") as labels:
        labels.add([label])
        export_labels(labels, tmp_path / "labels.json")

    class Upload:
        name = "labels.json"

        def getvalue(self) -> bytes:
            return (tmp_path / "labels.json").read_bytes()

    visitor(ADA)
    state: dict = {}
    monkeypatch.setattr(st, "session_state", state)
    audit_export._import(store, Upload())
    assert "row 1: a label of 'Bob'" in state[audit_export._SAID]
    with open_labels(store) as labels:
        assert import_labels(labels, tmp_path / "labels.json", "Bob") == 1


# --- starting, and where keys may stand -------------------------------------------------------------------------------------


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict:
    seen: dict = {}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launching, "_require_free", lambda address, port: None)
    monkeypatch.setattr(launching, "_become", lambda command, folder, environment: seen.update(environment))
    return seen


def test_with_sign_in_the_app_goes_on_to_demand_it(started, tmp_path, monkeypatch):
    write(tmp_path / "secrets.toml", **SET_UP)
    monkeypatch.setenv("STREAMLIT_SECRETS_FILES", str(tmp_path / "secrets.toml"))
    launching.launch(Path("s.duckdb"))
    assert started[access.REQUIRED_VARIABLE] == "required"


def test_a_secrets_file_that_cannot_be_read_does_not_start_the_app(started, tmp_path, monkeypatch, capsys):
    (tmp_path / "secrets.toml").write_text("[auth\n")
    monkeypatch.setenv("STREAMLIT_SECRETS_FILES", str(tmp_path / "secrets.toml"))
    assert main(["app"]) == 1
    assert "secrets.toml can't be read" in capsys.readouterr().err
    assert not started


@contextmanager
def running(folder: Path, *options: str) -> Iterator[tuple[psutil.Process, int]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "workbench", "app", "--store", str(folder / "s.duckdb"), "--port", str(port), *options]
    with (folder / "log").open("wb") as log:
        app = subprocess.Popen(command, env=os.environ | {"STREAMLIT_SERVER_HEADLESS": "true"}, stdout=log, stderr=log)
    try:
        yield psutil.Process(app.pid), port
    finally:
        app.kill()
        app.wait(30)


def listens_on(process: psutil.Process, port: int) -> set[str]:
    end = time.monotonic() + 90
    while time.monotonic() < end:
        found = {each.laddr.ip for each in process.net_connections("tcp") if each.status == "LISTEN" and each.laddr.port == port}
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"nothing listens on port {port}")


def test_the_app_listens_on_this_machine_only(tmp_path):
    with running(tmp_path) as (process, port):
        assert listens_on(process, port) == {"127.0.0.1"}


def test_the_app_listens_elsewhere_on_request_and_warns(tmp_path):
    with running(tmp_path, "--address", "0.0.0.0") as (process, port):
        assert listens_on(process, port) == {"0.0.0.0"}
        assert f"anyone who reaches 0.0.0.0 port {port}" in (tmp_path / "log").read_text()


def test_no_command_takes_a_key_as_an_option():
    named = {option for one in _click().commands.values() for given in one.params for option in given.opts}
    assert "--store" in named
    assert not [option for option in named if any(word in option for word in ("key", "secret", "token", "password"))]


def _click():
    import typer

    return typer.main.get_command(commands)


def test_a_setting_cannot_carry_a_key(store, capsys):
    for setting in ("llm.key=sk-0123456789", "llm.endpoint=sk-0123456789"):
        assert main(["extract", "--benchmark", "small", "--set", setting, "--store", str(store)]) == 2
        assert "sk-0123456789" not in capsys.readouterr().out


def test_an_endpoint_s_key_is_not_in_its_words(monkeypatch):
    monkeypatch.setenv("WORKBENCH_LLM_KEY", "sk-0123456789")
    assert Endpoint().key == "sk-0123456789"
    assert "sk-0123456789" not in repr(Endpoint())


def test_a_key_in_the_url_changes_nothing(store, cases_page):
    page = cases_page(WORKBENCH_LLM_KEY="sk-0123456789", key="sk-0123456789")
    assert Endpoint().key != "sk-0123456789"
    assert "sk-0123456789" not in texts(page)


def test_a_key_may_stand_in_the_secrets_file(home, monkeypatch):
    monkeypatch.delenv("WORKBENCH_LLM_KEY", raising=False)
    home.write_text('WORKBENCH_LLM_KEY = "sk-9876543210"\n')
    try:
        assert access.rules() is None
        assert Endpoint().key == "sk-9876543210"
    finally:
        os.environ.pop("WORKBENCH_LLM_KEY", None)
