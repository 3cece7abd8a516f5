"""The frame: pages find themselves, links keep the context, one job a store, and the app is started on this machine only."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from workbench.errors import WorkbenchError
from workbench.ui import launch as launching
from workbench.ui import navigation
from workbench.ui.context import STORE_VARIABLE
from workbench.ui.jobs import Jobs, Stopped


def test_every_module_of_pages_is_in_the_menu():
    modules = {path.stem for path in (Path(navigation.__file__).parent / "pages").glob("*.py")} - {"__init__"}
    assert set(navigation.pages) == modules
    assert [entry.name for entry in navigation.in_order()][:2] == ["cases", "compare"]


def test_links_of_the_menu_keep_the_choice(store, cases_page):
    page = cases_page(benchmark="small", case="small/kiln", methods=["bm25", "adaptive"], text="kiln")
    links = [element.proto for element in page.get("page_link")]
    assert len(links) >= len(navigation.pages)
    for link in links:
        carried = parse_qs(link.query_string)
        assert carried["case"] == ["small/kiln"]
        assert carried["methods"] == ["bm25", "adaptive"]
        assert "text" not in carried  # a page's own filter is its own


def test_a_page_name_is_taken_once():
    with pytest.raises(ValueError, match="registered twice"):
        navigation.page("cases", "Again", icon=":material/star:", order=99)(lambda: None)


# --- jobs -------------------------------------------------------------------------------------------------------------------


def test_a_job_tells_how_far_it_is_and_its_result():
    def work(job):
        job.advance(1, "first")
        job.advance(2, "second")
        return "all"

    job = Jobs().start("Work", "store", work, total=2)
    assert job.future.result(10) == "all"
    assert (job.done, job.last) == (2, "second")


def test_a_stopped_job_ends_at_its_next_step():
    begun, go = threading.Event(), threading.Event()

    def work(job):
        begun.set()
        go.wait(10)
        job.advance(1, "first")

    job = Jobs().start("Work", "store", work)
    assert begun.wait(10)
    job.stop()
    go.set()
    assert isinstance(job.future.exception(10), Stopped)


def test_one_job_a_store_at_a_time():
    jobs, go = Jobs(), threading.Event()
    first = jobs.start("First", "store", lambda job: go.wait(10))
    assert jobs.start("Second", "store", lambda job: None) is first
    jobs.dismiss("store")
    assert jobs.of("store") is first  # a running job is not forgotten
    go.set()
    first.future.result(10)
    jobs.dismiss("store")
    assert jobs.of("store") is None


def test_a_failed_job_keeps_its_error():
    def work(job):
        raise WorkbenchError("no luck")

    job = Jobs().start("Work", "store", work)
    assert str(job.future.exception(10)) == "no luck"


# --- starting ---------------------------------------------------------------------------------------------------------------


def started(monkeypatch) -> dict:
    seen: dict = {}
    monkeypatch.setattr(
        launching, "_become", lambda command, folder, environment: seen.update(command=command, cwd=folder, env=environment)
    )
    return seen


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_the_app_listens_on_this_machine_and_gets_the_store(monkeypatch, tmp_path):
    seen = started(monkeypatch)
    monkeypatch.chdir(tmp_path)
    port = free_port()
    launching.launch(Path("mine.duckdb"), port=port)
    assert seen["command"][-4:] == ["--server.port", str(port), "--server.address", "127.0.0.1"]
    assert seen["env"][STORE_VARIABLE] == str(tmp_path / "mine.duckdb")
    assert (seen["cwd"] / ".streamlit" / "config.toml").exists()


def test_a_port_that_is_taken_is_an_error_with_advice(monkeypatch, tmp_path):
    seen = started(monkeypatch)
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(WorkbenchError, match="--port"):
        launching.launch(tmp_path / "mine.duckdb", port=other.getsockname()[1])
    assert not seen


@pytest.mark.parametrize(
    ("number", "whom"), [(signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill)], ids=["interrupted", "terminated"]
)
def test_the_app_answers_ends_when_it_is_told_to_and_leaves_nothing_behind(tmp_path, number, whom):
    port = free_port()
    command = [sys.executable, "-m", "workbench", "app", "--store", str(tmp_path / "new.duckdb"), "--port", str(port)]
    # A process group of its own, as a terminal makes one: an interrupt reaches the server too.
    app = subprocess.Popen(command, env=os.environ | {"STREAMLIT_SERVER_HEADLESS": "true"}, start_new_session=True)
    try:
        end = time.monotonic() + 90
        while not _answers(port):
            assert app.poll() is None
            assert time.monotonic() < end
            time.sleep(0.2)
        whom(app.pid, number)
        assert app.wait(60) == 0
        socket.create_server(("127.0.0.1", port)).close()  # OSError while anything listens there
    finally:
        if app.poll() is None:
            os.killpg(app.pid, signal.SIGKILL)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


@pytest.mark.parametrize(
    ("address", "secrets", "warns"),
    [("127.0.0.1", "", False), ("::1", "", False), ("0.0.0.0", "", True), ("0.0.0.0", "[auth]\nclient_id = 'x'\n", False)],
)
def test_an_open_address_without_sign_in_is_warned_of(
    address: str, secrets: str, warns: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started = []
    monkeypatch.setattr(launching, "_become", lambda command, folder, environment: started.append(command))
    (tmp_path / "secrets.toml").write_text(secrets)
    monkeypatch.setenv("STREAMLIT_SECRETS_FILES", str(tmp_path / "secrets.toml"))
    launching.launch(tmp_path / "store.duckdb", port=0, address=address)
    assert started[0][-1] == address
    assert ("set up sign-in" in capsys.readouterr().err) == warns
