"""Hostile text wherever there is a name or a text: nothing of it becomes more than text, on any page or in any exported file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from workbench.answer.records import Answer
from workbench.datasets.history import write_jsonl
from workbench.datasets.read import read
from workbench.extract.base import extractors
from workbench.ingest import ingest
from workbench.records import Case, Gold, Question, Session, Turn
from workbench.store import Label, open_labels, open_store
from workbench.ui.navigation import in_order

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = "</script><script>window.injected=1</script><img src=x onerror=window.injected=2><b data-injected>b</b>"
MARKUP = "<a href='https://evil.example'>l</a> [link](https://evil.example) ![p](https://evil.example/p.png) $x^2$ **bold**"
UNSEEN = "\u200b\u202eesrever\u202c אבג \u200d\ufeff"
HOSTILE = f"{SCRIPTS} {MARKUP} {UNSEEN}"
BENCHMARK = "<b data-injected>bench"
CASE = f"c {HOSTILE}".replace("/", "_")
QUESTION = f"q {SCRIPTS}"
QUICK = ("diagnose",)
"""Pages that the quick tests look at; the others too where all tests run."""
PATIENCE = 60_000  # ms: some pages work before they show anything

# Every node, also of components, which have a tree of their own. What may never be there: what the hostile text would have made.
FIND_INJECTED = """() => {
  const all = root => [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
  const wrong = all(document).filter(e =>
    e.matches('[data-injected], img[src="x"], .katex, [onerror], [onload]')
    || [...e.attributes].some(a => ['href', 'src'].includes(a.localName) && a.value.startsWith('https://evil.example'))
    || (e.localName === 'strong' && e.textContent === 'bold')
    || (e.localName === 'script' && e.textContent.trimStart().startsWith('window.injected')));
  const where = e => e.closest('[class*=st-key]')?.className.match(/st-key\\S*/);
  return [...wrong.map(e => `${where(e)} ${e.outerHTML.slice(0, 200)}`), ...(window.injected ? ['a script ran'] : [])];
}"""


def hostile_case() -> Case:
    """Five sessions; their ids, times in words, refs, speakers and texts are hostile, as are title, questions and answers."""
    sessions = []
    for number, said in enumerate(
        ("My sister bakes bread.", "The bakery is closed.", "I bought a kiln.", "My sister moved.", "Hm.")
    ):
        name = f"s{number} {HOSTILE}"
        turns = [
            Turn("user", f"{said} {HOSTILE}", f"Ida {HOSTILE}", f"r{number} {HOSTILE}", f"a photo {HOSTILE}"),
            Turn("assistant", f"Noted. {HOSTILE}", f"Bot {HOSTILE}", f"a{number} {HOSTILE}"),
        ]
        sessions.append(Session(name, tuple(turns), number, datetime(2024, 5, 1 + number), f"a day {HOSTILE}"))
    gold = Gold(sessions=(sessions[3].id,), turns=(sessions[3].turns[0].ref,))
    questions = (
        Question(
            QUESTION, f"Where did my sister move? {HOSTILE}", f"away {HOSTILE}", f"type {HOSTILE}", gold, remarks=(HOSTILE,)
        ),
        Question("q2", f"What is sold at the bakery? {HOSTILE}", HOSTILE, "other", Gold(sessions=(sessions[1].id,))),
    )
    return Case(BENCHMARK, CASE, tuple(sessions), questions, title=HOSTILE, participants=(f"Ida {HOSTILE}", f"Bot {HOSTILE}"))


def workbench(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "workbench", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The case with a run, an imported run, a label and an answer, all of them hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    path, file = folder / "hostile.duckdb", folder / "data.jsonl"
    write_jsonl(hostile_case(), file)
    report = ingest([(str(file), read(file))], path, extractors["rules"]())
    assert report.cases == 1, report.findings
    workbench("evaluate", "--methods", "bm25,tag_basic,adaptive", "--name", f"run {HOSTILE}", "--store", str(path))
    with open_store(path) as opened:
        (run,) = opened.runs.list()
        note = opened.notes.get(f"{BENCHMARK}/{CASE}")[0]
        given: dict[str, Any] = {"case": f"{BENCHMARK}/{CASE}", "question": QUESTION, "run": run.id, "method": "bm25"}
        asked = {"model": f"model {HOSTILE}", "version": "1", "note_ids": (note.id,), "system": HOSTILE, "prompt": HOSTILE}
        told = {
            "digest": "d",
            "answer": HOSTILE,
            "text": HOSTILE,
            "failure": None,
            "attempts": 1,
            "tokens_in": 1,
            "tokens_out": 1,
        }
        opened.answers.put([Answer(**given, **asked, **told, seconds=1.0, mode="json_schema")])
    with open_labels(path) as labels:
        said = {"note": note.id, "label": "outscored", "comment": HOSTILE, "contested": HOSTILE, "created": datetime(2024, 6, 1)}
        labels.add([Label(case=f"{BENCHMARK}/{CASE}", question=QUESTION, method="bm25", analyst=f"Ada {HOSTILE}", **said)])
    return path


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], store: Path) -> str:
    return serve(ROOT / "app.py", WORKBENCH_STORE=str(store))


def settled(page: Page) -> None:
    """Wait until the page has run and drawn."""
    expect(page.locator("[data-testid=stMain]")).to_be_visible(timeout=PATIENCE)
    page.wait_for_timeout(800)
    expect(page.locator("[data-testid=stApp][data-test-script-state=running]")).to_have_count(0, timeout=PATIENCE)
    page.wait_for_timeout(800)
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def assert_literal(page: Page) -> None:
    for frame in page.frames:
        assert frame.evaluate(FIND_INJECTED) == []


def test_what_is_looked_for_would_be_found(open_page, tmp_path) -> None:
    file = tmp_path / "injected.html"
    file.write_text(
        f"<meta charset=utf-8><div id=a></div><strong>bold</strong>{MARKUP}{SCRIPTS.removeprefix('</script>')}", "utf-8"
    )
    page = open_page(file.as_uri()).page
    page.evaluate("() => { document.getElementById('a').attachShadow({mode: 'open'}).innerHTML = '<i data-injected></i>'; }")
    found = page.evaluate(FIND_INJECTED)
    for part in ("<script", "<img", "<b data-injected", "evil.example", "<i data-injected", "<strong", "a script ran"):
        assert any(part in one for one in found), part


@pytest.mark.parametrize(
    "name", [entry.name if entry.name in QUICK else pytest.param(entry.name, marks=pytest.mark.slow) for entry in in_order()]
)
def test_every_page_shows_it_as_text(address, open_page, store, name) -> None:
    with open_store(store, read_only=True) as opened:
        note = opened.notes.get(f"{BENCHMARK}/{CASE}")[0].id
    where = {"benchmark": BENCHMARK, "case": f"{BENCHMARK}/{CASE}", "question": QUESTION}
    shown = {"note": note, "node": f"file:{note}", "gold": note, "methods": ["bm25", "tag_basic", "adaptive"]}
    watched = open_page(f"{address}/{name}?{urlencode(where | shown, doseq=True)}", height=2500)
    page = watched.page
    settled(page)
    assert_literal(page)
    begins = page.get_by_role("button", name="Audit 1 case") if name == "audit" else page.get_by_role("button", name="no such")
    if begins.count():
        begins.click()
        expect(page.get_by_role("tab", name="Queue")).to_be_visible(timeout=PATIENCE)
        settled(page)
        assert_literal(page)
    for at in range(page.get_by_role("tab").count()):
        page.get_by_role("tab").nth(at).click()
        settled(page)
        assert_literal(page)
    if name not in ("learn", "evaluate"):  # those show no text of the chosen case at first
        assert "injected" in page.locator("[data-testid=stApp]").inner_text() + page.content()
    assert not watched.outside, watched.outside


def opened_file(open_page: Callable[..., Any], file: Path) -> None:
    watched = open_page(file.as_uri())
    watched.page.wait_for_timeout(1_500)
    assert "injected" in file.read_text(encoding="utf-8")
    assert_literal(watched.page)
    watched.assert_clean()


def test_the_exported_graph_is_literal(address, open_page, tmp_path) -> None:
    where = {"benchmark": BENCHMARK, "case": f"{BENCHMARK}/{CASE}", "question": QUESTION}
    page = open_page(f"{address}/graph?{urlencode(where)}").page
    settled(page)
    with page.expect_download(timeout=PATIENCE) as saved:
        page.get_by_role("button", name="HTML, works offline").click()
    saved.value.save_as(tmp_path / "graph.html")
    opened_file(open_page, tmp_path / "graph.html")


def test_the_exported_lesson_and_report_are_literal(store, open_page, tmp_path) -> None:
    workbench("lesson", f"{BENCHMARK}/{CASE}", QUESTION, "--out", str(tmp_path / "lesson.html"), "--store", str(store))
    opened_file(open_page, tmp_path / "lesson.html")
    workbench("audit", "--methods", "bm25,tag_basic", "--k", "1", "--out", str(tmp_path / "report.html"), "--store", str(store))
    opened_file(open_page, tmp_path / "report.html")
