"""A question as a lesson: what it says is the diffusion's own, and its file lets nothing of a case become more than text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from builders import memory_of, note

from workbench.cli import main
from workbench.errors import WorkbenchError
from workbench.evaluate.inputs import case_input
from workbench.memory import Memory
from workbench.methods.adaptive import AdaptiveConfig
from workbench.methods.base import create
from workbench.records import Case, Gold, Question
from workbench.store import open_store
from workbench.ui.lesson import PLACES, Lesson, lesson
from workbench.ui.lesson_html import lesson_html

MOST_BYTES = 3_000_000
HOSTILE = "</script><script>window.broken=1</script><img src=x onerror=window.broken=1> {{script}} \u202e"


def demo(store: Path, case_id: str) -> tuple[Case, Memory]:
    with open_store(store, read_only=True) as opened:
        given = case_input(opened, case_id)
    return given.case, given.memory()


def made(store: Path, case_id: str) -> Lesson:
    case, memory = demo(store, case_id)
    return lesson(case, case.questions[0], memory)


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="lesson">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


# --- what it says -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case_id", ["demo_diffusion_helps", "demo_diffusion_hurts"])
def test_the_last_step_has_the_methods_own_ranking(demo_store, case_id):
    case, memory = demo(demo_store, case_id)
    found = lesson(case, case.questions[0], memory)
    hits = create("adaptive", memory=memory).query(case.questions[0].text, 10).hits
    assert [each.note for each in found.frames[-1].top] == [hit.note_id for hit in hits]


def test_every_step_holds_all_the_mass(demo_store):
    for frame in made(demo_store, "demo_diffusion_helps").frames:
        assert sum(frame.mass) + frame.hidden == pytest.approx(1, abs=1e-4)


def test_the_parts_of_a_score_sum_to_it(demo_store):
    found = made(demo_store, "demo_diffusion_helps")
    assert any(each.score for each in found.notes)
    for each in found.notes:
        assert sum(part.value for part in each.seeds) == pytest.approx(each.score, abs=1e-9)
        assert sum(part.value for part in each.edges) == pytest.approx(each.score, abs=1e-9)


def test_every_note_that_is_named_can_be_read(demo_store):
    found = made(demo_store, "demo_diffusion_hurts")
    read = {each.id for each in found.notes}
    assert {each.note for frame in found.frames for each in frame.top} <= read
    assert {node.id.removeprefix("file:") for node in found.nodes if node.kind == "file"} <= read
    (gold,) = (each for each in found.notes if each.is_gold)
    assert gold.id == "answer_demo_d_1#1"
    assert any(turn.is_evidence for turn in gold.turns)


def test_the_words_of_a_seed_are_the_questions_own(demo_store):
    found = made(demo_store, "demo_diffusion_hurts")
    said = {word for each in found.notes for part in each.seeds for word in part.detail.split(", ")}
    assert "arrive" in said
    assert all(word in found.question.casefold() for word in said)


@pytest.mark.parametrize(("case_id", "place"), [("demo_diffusion_helps", 1), ("demo_diffusion_hurts", 2)])
def test_the_answer_of_the_prediction_is_where_gold_ends(demo_store, case_id, place):
    found = made(demo_store, case_id)
    assert found.predict.options == PLACES
    assert found.predict.answer == place
    assert found.frames[-1].gold_rank in {1: (2, 3, 4, 5), 2: (6, 7, 8, 9, 10)}[place]


def test_without_gold_the_first_note_of_the_end_is_predicted():
    memory = memory_of(note("a", "food/cake", user="A lemon cake."), note("b", "food/tea", user="Tea."))
    found = lesson(Case("own", "c", ()), Question("q", "Which cake?"), memory)
    assert found.predict.options[found.predict.answer] == "A lemon cake."
    assert all(frame.gold_rank is None for frame in found.frames)


def test_a_seed_that_is_switched_off_and_a_changed_setting_are_followed(demo_store):
    case, memory = demo(demo_store, "demo_diffusion_hurts")
    whole = lesson(case, case.questions[0], memory)
    seed = max(whole.nodes, key=lambda node: node.seed).id
    without = lesson(case, case.questions[0], memory, AdaptiveConfig(alpha=0.5), [seed])
    assert without.alpha == 0.5
    assert next(node for node in without.nodes if node.id == seed).seed == 0
    off = lesson(case, case.questions[0], memory, AdaptiveConfig(diffusion=False))
    assert len(off.frames) == 1


def test_a_question_that_meets_nothing_is_refused():
    memory = memory_of(note("a", "food/cake", user="A lemon cake."))
    with pytest.raises(WorkbenchError, match=r"nothing of the question is in own/c.*ask in other words"):
        lesson(Case("own", "c", ()), Question("q", "zebra"), memory)


# --- the file ---------------------------------------------------------------------------------------------------------------


def hostile() -> str:
    gold = note("a", "food/cake", user=f"A lemon cake. {HOSTILE}", assistant=HOSTILE, summary=f"Cake {HOSTILE}")
    memory = memory_of(gold, note("b", "food/tea", user="Tea."))
    question = Question("q", f"Which cake? {HOSTILE}", HOSTILE, gold=Gold(notes=("a",)))
    return lesson_html(lesson(Case("own", "c", ()), question, memory))


def test_hostile_text_is_data_and_nothing_else():
    page = hostile()
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<img" not in page
    data = data_of(page)
    assert "</script><script>window.broken=1</script>" in data["question"]
    assert "{{script}}" in data["question"]
    assert "⟨U+202E⟩" in data["question"]


def test_the_policy_lets_only_the_files_own_script_run(demo_store):
    page = lesson_html(made(demo_store, "demo_diffusion_helps"))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    assert policy[1].startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")
    assert not re.search(
        r"(?:src|href)\s*=|url\(|@import|innerHTML|\beval\b", re.sub(r'id="lesson">.*?</script>', "", page, flags=re.S)
    )


@pytest.mark.parametrize("case_id", ["demo_diffusion_helps", "demo_two_sessions"])
def test_the_file_of_a_demo_case_is_small(demo_store, case_id):
    assert len(lesson_html(made(demo_store, case_id)).encode()) < MOST_BYTES


# --- the command ------------------------------------------------------------------------------------------------------------


def run(*arguments: str | Path) -> int:
    return main(["lesson", *map(str, arguments)])


def test_the_command_writes_the_file_and_says_so(demo_store, tmp_path, capsys):
    out = tmp_path / "lesson.html"
    case = "demo_diffusion_helps"
    assert run(case, case, "--store", demo_store, "--out", out, "--set", "adaptive.alpha=0.5", "--json", "-") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bytes"] == out.stat().st_size
    data = data_of(out.read_text(encoding="utf-8"))
    assert (data["alpha"], len(data["nodes"])) == (0.5, told["nodes"])
    assert data["predict"]["options"] == list(PLACES)


def test_any_text_may_be_asked(demo_store, tmp_path):
    out = tmp_path / "lesson.html"
    assert run("demo_diffusion_helps", "Who plays the viola?", "--store", demo_store, "--out", out) == 0
    assert data_of(out.read_text(encoding="utf-8"))["question"] == "Who plays the viola?"


def test_a_question_that_meets_nothing_and_a_folder_that_is_not_there_are_said(demo_store, tmp_path, capsys):
    assert run("demo_diffusion_helps", "zzz", "--store", demo_store, "--out", tmp_path / "lesson.html") == 1
    assert "ask in other words" in capsys.readouterr().err
    assert run("demo_diffusion_helps", "viola", "--store", demo_store, "--out", tmp_path / "no" / "lesson.html") == 1
    assert "can't be written" in capsys.readouterr().err
