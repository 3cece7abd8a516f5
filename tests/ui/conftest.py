"""A small store for the pages, made once; and pages run without a browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from shown import HOSTILE
from streamlit.testing.v1 import AppTest

from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.runs import MethodSpec, evaluate
from workbench.notes import interactions
from workbench.records import Case, Extraction, Gold, Note, Question, Session, Turn
from workbench.store import ExtractionKey, open_store
from workbench.ui import cached
from workbench.ui.context import STORE_VARIABLE

ROOT = Path(__file__).resolve().parents[2]
START = datetime(2024, 5, 1, 9, 0)


def _session(id: str, position: int, *said: tuple[str, str]) -> Session:
    turns = []
    for number, (user, assistant) in enumerate(said):
        turns += [Turn("user", user, ref=f"{id}:{2 * number}"), Turn("assistant", assistant, ref=f"{id}:{2 * number + 1}")]
    return Session(id, tuple(turns), position, START + timedelta(days=position))


def _kiln() -> Case:
    """Five notes; the question's words are in three of them, and the answer is the note s2#1."""
    sessions = (
        _session("s1", 0, ("I signed up for a pottery class.", "Which studio?"), ("The one by the canal.", "Lovely.")),
        _session("s2", 1, ("My new kiln reaches 1100 degrees.", "Good for earthenware.")),
        _session("s3", 2, ("The pottery class is on Tuesdays.", "Noted."), ("I sold my old kiln.", "To whom?")),
    )
    questions = (
        Question("kiln_q1", "How hot does my new kiln get?", "1100 degrees", "single", Gold(("s2",), ("s2:0",)), START),
        Question("kiln_q2", "Which day is the pottery class?", "Tuesday", "update", Gold(("s3",), ("s3:0",))),
        Question("kiln_q3", "What is my cat called?", None, "single"),
    )
    return Case("small", "kiln", sessions, questions, title="Pottery")


def _hostile() -> Case:
    sessions = (
        _session("h1", 0, (f"My password hint is {HOSTILE}", f"Noted: {HOSTILE}")),
        _session("h2", 1, ("Nothing about the hint.", "Fine.")),
    )
    question = Question("hostile_q1", f"What is my password hint {HOSTILE}?", HOSTILE, HOSTILE, Gold(("h1",), ("h1:0",)))
    return Case("small", "hostile", sessions, (question,), title=HOSTILE)


def _notes(case: Case, tag: str) -> tuple[Note, ...]:
    return tuple(
        Note(one, Extraction(what=(f"pottery/{tag}" if "kiln" in one.user else tag,), summary=one.user))
        for one in interactions(case)
    )


@pytest.fixture(scope="session")
def built_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cases of the benchmark ``small``, one of them with two extractions, and one of ``other``; with a run of two methods."""
    path = tmp_path_factory.mktemp("store") / "small.duckdb"
    kiln, hostile = _kiln(), _hostile()
    other = Case("other", "o1", (_session("x", 0, ("Hello there.", "Hi.")),), (Question("o1_q1", "Who said hello?"),))
    with open_store(path) as store:
        for place, (case, tag) in enumerate(((kiln, "kiln"), (hostile, HOSTILE.replace("/", " ")), (other, "greeting"))):
            store.cases.add(case, _notes(case, tag), ExtractionKey("first"), now=START + timedelta(minutes=place))
        store.cases.add(kiln, _notes(kiln, "furnace"), ExtractionKey("second"), now=START + timedelta(hours=1))
        specs = [MethodSpec("bm25"), MethodSpec("tag_basic")]
        store.runs.add(evaluate(case_inputs(store, [kiln.key]), specs, {"extractor": "first", "config": {}}))
    return path


@pytest.fixture
def store(built_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the small store, which the app starts with."""
    path = tmp_path / "store.duckdb"
    shutil.copy(built_store, path)
    monkeypatch.setenv(STORE_VARIABLE, str(path))
    monkeypatch.setattr(cached, "WAIT_SECONDS", 0.3)
    return path


@pytest.fixture
def no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of a store that does not exist yet, which the app starts with."""
    path = tmp_path / "new.duckdb"
    monkeypatch.setenv(STORE_VARIABLE, str(path))
    return path


def _compare_script() -> None:
    from workbench.ui import context
    from workbench.ui.pages import compare

    context.sidebar()
    compare.show()


@pytest.fixture
def cases_page() -> Callable[..., AppTest]:
    """``cases_page(**query)`` runs the app at its first page, with query parameters."""
    return lambda **query: _run(AppTest.from_file(str(ROOT / "app.py"), default_timeout=60), query)


@pytest.fixture
def compare_page() -> Callable[..., AppTest]:
    """``compare_page(**query)`` runs the page Compare, with query parameters."""
    return lambda **query: _run(AppTest.from_function(_compare_script, default_timeout=60), query)


def _run(page: AppTest, query: dict[str, str | list[str]]) -> AppTest:
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception
    return page
