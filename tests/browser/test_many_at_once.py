"""Eight visitors of the app and two command lines on one store: every answer is the right one, and no label is lost.

Who has to wait too long is told who holds the store; that is the only failure there may be.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from workbench.diagnose.stages import diagnose, sentence
from workbench.evaluate.inputs import case_input
from workbench.methods.base import create
from workbench.store import open_labels, open_store

ROOT = Path(__file__).resolve().parents[2]
BENCHMARK = "longmemeval_demo"
METHODS = ("bm25", "adaptive")
VISITORS, SECONDS = 8, 120.0
PATIENCE = 90_000  # ms: eight pages and two command lines share the machine
LOCKED = "is locked by another process (PID"
STORY = """
story_id: many_{number}
story_name: Story {number}
category: Learning
batches:
  - {{batch: 1, time: Monday 9:00 AM, user_input: "I booked kiln slot {number} with Oriane for Thursday."}}
questions:
  - {{question_id: many_{number}_q1, question: "Who did I book the kiln with?", expected_contains: [Oriane]}}
"""


@dataclass(frozen=True)
class Known:
    """A question of the store, and what the page says of one of its gold notes: a sentence a method, with the rank."""

    case: str
    question: str
    text: str
    sentences: tuple[tuple[str, ...], ...]

    def url(self, address: str) -> str:
        return f"{address}/diagnose?{urlencode({'case': self.case, 'methods': METHODS}, doseq=True)}"


@dataclass
class CommandLines:
    """Commands run one after another until it is time; what each was to leave in the store once it said that it was done."""

    store: Path
    is_over: threading.Event = field(default_factory=threading.Event)
    runs: list[str] = field(default_factory=list)
    stories: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def run(self, *arguments: object) -> dict[str, Any] | None:
        """The JSON of a command, or None where it was told to wait."""
        done = subprocess.run(
            [sys.executable, "-m", "workbench", *map(str, arguments), "--store", str(self.store), "--json", "-"],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        if done.returncode == 0:
            found: dict[str, Any] = json.loads(done.stdout)
            return found
        self.refused.append(done.stderr)
        return None

    def load(self, folder: Path) -> None:
        number = 0
        while not self.is_over.is_set():
            number += 1
            file = folder / f"many_{number}.yaml"
            file.write_text(STORY.format(number=number), encoding="utf-8")
            if self.run("load", file, "--workers", 1):
                self.stories.append(f"many_{number}")

    def evaluate_and_label(self, known: Known) -> None:
        number = 0
        while not self.is_over.is_set():
            number += 1
            comment = f"command line {number}"
            if self.run("label", known.case, known.question, "--analyst", "Command line", "--comment", comment):
                self.comments.append(comment)
            if found := self.run("evaluate", "--benchmark", BENCHMARK, "--methods", "bm25", "--fresh", "--name", comment):
                self.runs.append(found["run"])


def known_questions(path: Path) -> list[Known]:
    """Every question of the benchmark with what the core says of its gold notes."""
    found = []
    with open_store(path, read_only=True) as store:
        for row in store.cases.list(BENCHMARK):
            given = case_input(store, row.key)
            memory = given.memory()
            for question in given.case.questions:
                asked = [diagnose(memory, question, create(name, memory=memory)).traces for name in METHODS]
                said = tuple(tuple(map(sentence, traces)) for traces in zip(*asked, strict=True))
                found.append(Known(row.key, question.id, question.text, said))
    return found


class Visitor:
    """One visitor's page, what was acknowledged to it, and how often it was told to wait."""

    def __init__(self, page: Page, number: int) -> None:
        self.page, self.number, self.visits, self.waits = page, number, 0, 0
        self.comments: list[str] = []
        page.set_default_timeout(PATIENCE)

    def read(self, known: Known, address: str) -> None:
        """Wait for the page and hold it to what is known; where the store is held for long, it is asked again."""
        page, locked = self.page, self.page.get_by_text(LOCKED)
        for _ in range(5):
            page.locator(".stages tbody").or_(locked).first.wait_for()
            if not locked.count():
                break
            self.waits += 1
            page.goto(known.url(address), wait_until="commit")
        expect(page.locator(".st-key-diagnose-query input")).to_have_value(known.text)
        said = page.locator(".stages").text_content() or ""
        assert any(all(each in said for each in of_note) for of_note in known.sentences), (known, said)
        self.visits += 1

    def begin_label(self, known: Known, turn: int) -> str:
        card = self.page.locator(".st-key-label-card")
        analyst, comment = f"Visitor {self.number} turn {turn}", f"of visitor {self.number}, turn {turn}, on {known.question}"
        card.get_by_label("Analyst").fill(analyst)
        card.get_by_label("Comment").fill(comment)
        card.get_by_role("button", name="Save label").click()
        return comment

    def end_label(self, comment: str, turn: int) -> None:
        card = self.page.locator(".st-key-label-card")
        saved, refused = card.get_by_text(f"as Visitor {self.number} turn {turn}"), card.get_by_text("Not saved: ")
        saved.or_(refused).first.wait_for()
        if refused.count():
            assert LOCKED in (refused.text_content() or "")
            self.waits += 1
        else:
            self.comments.append(comment)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.flaky(reruns=0)
def test_eight_visitors_and_two_command_lines_share_a_store(
    serve: Callable[..., str],
    open_page: Callable[..., Any],
    demo_store: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    store = Path(shutil.copy(demo_store, tmp_path / "shared.duckdb"))
    questions = known_questions(store)
    many = len(questions)
    address = serve(ROOT / "app.py", WORKBENCH_STORE=str(store))
    watched = [open_page(questions[number % many].url(address)) for number in range(VISITORS)]
    visitors = [Visitor(each.page, number) for number, each in enumerate(watched)]
    lines = CommandLines(store)
    threads = [
        threading.Thread(target=lines.load, args=(tmp_path,)),
        threading.Thread(target=lines.evaluate_and_label, args=(questions[0],)),
    ]
    for thread in threads:
        thread.start()
    try:
        turn, end = 0, time.monotonic() + SECONDS
        while time.monotonic() < end:
            turn += 1
            wanted = [questions[(visitor.number + turn) % many] for visitor in visitors]
            for visitor, known in zip(visitors, wanted, strict=True):  # all ask before any is waited for
                visitor.page.goto(known.url(address), wait_until="commit")
            for visitor, known in zip(visitors, wanted, strict=True):
                visitor.read(known, address)
            comments = [visitor.begin_label(known, turn) for visitor, known in zip(visitors, wanted, strict=True)]
            for visitor, comment in zip(visitors, comments, strict=True):
                visitor.end_label(comment, turn)
    finally:
        lines.is_over.set()
        for thread in threads:
            thread.join(300)
    visits, waits = sum(visitor.visits for visitor in visitors), sum(visitor.waits for visitor in visitors)
    acknowledged = [comment for visitor in visitors for comment in visitor.comments] + lines.comments
    print(
        f"{visits} pages and {waits} waits of {VISITORS} visitors, {len(acknowledged)} labels, {len(lines.stories)} loads, "
        f"{len(lines.runs)} runs, {len(lines.refused)} refusals"
    )

    with open_labels(store, read_only=True) as labels:
        assert sorted(label.comment for label in labels.history()) == sorted(acknowledged)
    with open_store(store, read_only=True) as opened:
        assert set(lines.stories) <= {row.id for row in opened.cases.list()}
        assert set(lines.runs) <= {row.id for row in opened.runs.list()}
    assert lines.stories
    assert lines.runs
    assert all(LOCKED in said and said.count("\n") == 1 for said in lines.refused), lines.refused
    (log,) = tmp_path_factory.getbasetemp().glob(f"servers[0-9]*/{urlsplit(address).port}.log")
    assert "Traceback" not in log.read_text(errors="replace")
    assert [each.errors for each in watched] == [[]] * VISITORS
