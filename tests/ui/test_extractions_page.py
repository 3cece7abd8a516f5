"""The page Extractions: its figures are the command's; notes, blind spots, matrix, and variants made on it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from compared import BENCHMARK, CATS, FIRST, OUTING, SECOND, build, notes_of
from shown import HOSTILE, html, markdown, texts
from streamlit.testing.v1 import AppTest

from workbench.cli import main
from workbench.store import ExtractionKey, open_store
from workbench.ui import cached
from workbench.ui import extractions_work as work
from workbench.ui.context import STORE_VARIABLE
from workbench.ui.extractions_work import Request
from workbench.ui.jobs import Job, Stopped, jobs

LABELS = ("careful", "loose")


def _script() -> None:
    from workbench.ui import context
    from workbench.ui.pages import extractions

    context.sidebar()
    extractions.show()


def visit(part: str = "Vocabulary", **query: str | list[str]) -> AppTest:
    page = AppTest.from_function(_script, default_timeout=60)
    for name, value in ({"benchmark": BENCHMARK, "part": part} | query).items():
        page.query_params[name] = value
    return run(page)


def run(page: AppTest) -> AppTest:
    page.run()
    assert not page.exception, page.exception
    return page


def click(page: AppTest, key: str) -> AppTest:
    page.button(key=key).click()
    return run(page)


def finish(page: AppTest, path: Path) -> Job:
    job = jobs().of(str(path))
    assert job is not None
    end = time.monotonic() + 60
    while not job.future.done() and time.monotonic() < end:
        time.sleep(0.05)
    run(page)
    return job


def frames(page: AppTest) -> list[pd.DataFrame]:
    return [each.value for each in page.dataframe]


def has_button(page: AppTest, key: str) -> bool:
    return key in [button.key for button in page.button]


def started(monkeypatch: pytest.MonkeyPatch, path: Path) -> Path:
    monkeypatch.setenv(STORE_VARIABLE, str(path))
    monkeypatch.setattr(cached, "WAIT_SECONDS", 0.3)
    return path


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of its own with two extractions, which the app starts with."""
    return started(monkeypatch, build(tmp_path / "shelf.duckdb"))


@pytest.fixture
def ready(shelf: Path) -> Path:
    """The same, and the comparison that the page's first button would make."""
    work.comparison(Request(str(shelf), BENCHMARK, LABELS), Job("test", str(shelf)))
    return shelf


def printed(path: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert main([*arguments, "--store", str(path), "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)


# --- begun ------------------------------------------------------------------------------------------------------------------


def test_one_button_compares_what_there_is(shelf: Path) -> None:
    page = visit()
    assert page.multiselect(key="extractions").value == list(LABELS)
    assert page.button(key="start-comparison").label == "Compare 2 extractions over 2 cases"
    click(page, "start-comparison")
    finish(page, shelf)
    assert not has_button(page, "start-comparison")
    assert list(frames(page)[0]["Extraction"]) == list(LABELS)


def test_what_is_chosen_is_in_the_url_and_asked_for_anew(ready: Path) -> None:
    page = visit()
    assert not has_button(page, "start-comparison")
    page.multiselect(key="extractions").set_value(["loose"])
    run(page)
    assert page.button(key="start-comparison").label == "Read this extraction over 2 cases"
    assert visit(extractions=["loose"]).multiselect(key="extractions").value == ["loose"]


def test_a_comparison_whose_data_changed_is_not_shown(ready: Path) -> None:
    with open_store(ready) as store:
        store.cases.remove(CATS.key)
    assert visit().button(key="start-comparison").label == "Compare 2 extractions over 1 case"


def test_one_extraction_says_how_to_make_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = started(monkeypatch, build(tmp_path / "one.duckdb", [SECOND]))
    work.comparison(Request(str(path), BENCHMARK, ("loose",)), Job("test", str(path)))
    page = visit("Support")
    assert any("one extraction" in each.value for each in page.info)
    assert any(f"workbench extract --benchmark {BENCHMARK}" in each.value for each in page.code)
    assert has_button(page, "make-DropUnsupported")
    assert any("second extraction" in each.value for each in visit("Notes").info)


def test_extractions_without_a_common_case_are_said(shelf: Path) -> None:
    with open_store(shelf) as store:
        store.cases.add(CATS, notes_of(CATS, FIRST), ExtractionKey("cats only"))
        store.cases.add(OUTING, notes_of(OUTING, FIRST), ExtractionKey("outing only"))
    page = visit(extractions=["cats only", "outing only"])
    assert any("No case has all of cats only, outing only" in each.value for each in page.info)


def test_an_empty_choice_asks_for_one(ready: Path) -> None:
    page = visit()
    page.multiselect(key="extractions").set_value([])
    run(page)
    assert any("Choose one extraction or more" in each.value for each in page.info)


def test_a_stopped_comparison_can_be_begun_again(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    advance = Job.advance

    def stop_at_once(job: Job, done: int, name: str) -> None:
        job.stop()
        advance(job, done, name)

    monkeypatch.setattr(Job, "advance", stop_at_once)
    page = click(visit(), "start-comparison")
    assert isinstance(finish(page, shelf).future.exception(), Stopped)
    assert "was stopped" in markdown(page)
    assert has_button(page, "start-comparison")


# --- one number everywhere --------------------------------------------------------------------------------------------------


def test_every_number_is_that_of_the_command(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = printed(ready, capsys, "extractions", "--methods", "tag_stopwords,bm25")
    kept = work.kept_comparison(Request(str(ready), BENCHMARK, LABELS))
    assert kept is not None
    assert json.loads(json.dumps(kept.result)) | {"matrix": expected["matrix"]} == expected

    for shown, row in zip(frames(visit())[0].to_dict("records"), expected["vocabulary"], strict=True):
        assert shown["Distinct a case"].startswith(f"{row['distinct']['mean']:.1f} [")
        assert shown["On one note"].startswith(f"{100 * row['single_note_share']['mean']:.1f}% [")
        assert shown["Untagged"] == f"{row['untagged']} of {row['notes']}"

    for shown, row in zip(frames(visit("Blind spots"))[0].to_dict("records"), expected["blind_spots"], strict=True):
        assert shown["n"] == row["questions"]
        assert all(shown[label].startswith(f"{100 * row['reached'][label]['mean']:.1f}%") for label in LABELS)

    support = [row for row in expected["support"] if row["category"] == "all"]
    for shown, row in zip(frames(visit("Support"))[0].to_dict("records"), support, strict=True):
        assert (shown["Tags"], shown["User"], shown["Nothing"]) == (row["tags"], row["user"], row["unsupported"])

    page = visit("MRR matrix", methods=["tag_stopwords", "bm25"])
    click(page, "start-matrix")
    made = finish(page, ready).future.result()
    assert made.runs == expected["matrix"]["runs"], "runs that are there are taken"
    means, steps = frames(page)
    cells = {(cell["extraction"], cell["method"]): cell["estimate"]["mean"] for cell in expected["matrix"]["cells"]}
    for row in means.to_dict("records"):
        for method in ("tag_stopwords", "bm25"):
            assert row[method].startswith(f"{cells[row['Extraction'], method]:.3f} [")
    for shown, step in zip(steps.to_dict("records"), expected["matrix"]["steps"], strict=True):
        assert (shown["Method"], shown["n"]) == (step["method"], step["test"]["n"])
        assert shown["Change [95%]"].startswith(f"{step['test']['difference']:+.3f} [")


def test_the_matrix_follows_measure_and_unit_and_says_when_a_run_is_gone(ready: Path) -> None:
    page = click(visit("MRR matrix", methods=["tag_basic"]), "start-matrix")
    made = finish(page, ready).future.result()
    page.selectbox(key="matrix-measure").set_value("hit@5")
    page.segmented_control(key="matrix-unit").set_value("case")
    run(page)
    (_, steps) = frames(page)
    assert list(steps["n"]) == [2]
    assert "hit@5" in markdown(page).replace("\\", "")
    with open_store(ready) as store:
        store.runs.remove(made.runs["loose"])
    work._matrix.clear()
    work.evaluate_results._run.clear()
    assert any("was deleted" in each.value for each in run(page).info)


# --- notes and questions ----------------------------------------------------------------------------------------------------


def test_a_note_stands_side_by_side_and_the_next_difference_follows(ready: Path) -> None:
    page = visit("Notes")
    table, one = frames(page)
    assert list(table["Only careful"]) == ["food/cake, action/buy", "place/museum", "garden/roses, date/2024/march_2"]
    rows = {row["Tag"]: row for row in one.to_dict("records")}
    assert (rows["place/rome"]["careful"], rows["place/rome"]["loose"]) == ("where", "extra")
    assert rows["food/pizza"]["Supported by"] == "nothing said"
    assert "I bought a lemon cake in Rome." in texts(page)
    seen = []
    for _ in range(5):
        click(page, "diff-next")
        seen.append(page.query_params["diff"])
    assert [each if isinstance(each, str) else each[0] for each in seen] == ["a0#1", "a1#1", "a2#1", "b1#1", "a0#1"]
    assert visit("Notes", case=CATS.key, diff="b1#1").dataframe[1].value["Tag"].tolist() == ["pets/cats", "pets/cat"]


def test_equal_notes_are_listed_on_request(ready: Path) -> None:
    page = visit("Notes", case=CATS.key)
    assert len(frames(page)[0]) == 1
    page.toggle(key="diff-all").set_value(True)
    assert len(frames(run(page))[0]) == 2


def test_blind_questions_are_listed_by_pair(ready: Path) -> None:
    page = visit("Blind spots")
    assert len(frames(page)) == 1
    page.selectbox(key="blind-under").set_value("loose")
    run(page)
    assert list(frames(page)[1]["Question"]) == ["Was the museum open?", "Where are my roses?"]
    page.selectbox(key="blind-type").set_value("time")
    assert list(frames(run(page))[1]["Id"]) == ["a_q2"]


# --- variants ---------------------------------------------------------------------------------------------------------------


def test_unsupported_tags_are_dropped_into_a_variant(ready: Path) -> None:
    page = visit("Support", methods=["tag_basic"])
    page.selectbox(key="support-base").set_value("loose")
    run(page)
    assert [frame["Tag"].tolist() for frame in frames(page) if "Tag" in frame] == [["food/pizza"]]
    assert page.button(key="make-DropUnsupported").disabled
    page.text_input(key="variant-name-DropUnsupported").set_value("supported")
    run(page)
    assert page.button(key="make-DropUnsupported").label == "Drop 1 of 6 tags, keep as a variant"
    click(page, "make-DropUnsupported")
    finish(page, ready)
    assert "supported: 1 of 5 notes changed over 2 cases, 6 tags before, 5 after" in texts(page)
    (change,) = [frame for frame in frames(page) if "Change [95%]" in frame]
    assert change[["Method", "From", "To"]].to_numpy().tolist() == [["tag_basic", "loose", "supported"]]
    click(page, "compare-made")
    assert page.multiselect(key="extractions").value == ["loose", "supported"]
    finish(page, ready)
    assert list(frames(page)[0].iloc[:, 0]) == ["loose", "supported"]


def test_near_duplicates_are_merged_into_a_variant(ready: Path) -> None:
    page = visit("Ontology editor", methods=["tag_basic"])
    assert not has_button(page, "make-MergeTags")
    page.checkbox(key="editor-all-careful").set_value(True)
    run(page)
    (plan,) = [frame for frame in frames(page) if "Dropped" in frame and "Notes that change" in frame]
    assert plan.to_numpy().tolist() == [["pets/cats", "pets/cat", 1]]
    assert "8 before, 7 after" in markdown(page)
    page.text_input(key="variant-name-MergeTags").set_value("merged")
    run(page)
    click(page, "make-MergeTags")
    finish(page, ready)
    with open_store(ready, read_only=True) as store:
        assert store.extractions.choose(CATS.key, "merged").config["merges"] == [["pets/cats", "pets/cat"]]


def test_a_taken_name_is_said(ready: Path) -> None:
    page = visit("Support", extractions=list(LABELS))
    page.selectbox(key="support-base").set_value("loose")
    page.text_input(key="variant-name-DropUnsupported").set_value("careful")
    run(page)
    click(page, "make-DropUnsupported")
    finish(page, ready)
    assert "'careful' is the name of another extraction" in texts(page)


def test_names_from_outside_are_shown_as_text(shelf: Path) -> None:
    with open_store(shelf) as store:
        for case in (OUTING, CATS):
            store.cases.add(case, notes_of(case, SECOND), ExtractionKey(HOSTILE))
    labels = ("careful", HOSTILE)
    work.comparison(Request(str(shelf), BENCHMARK, labels), Job("test", str(shelf)))
    for part in ("Vocabulary", "Notes", "Blind spots", "MRR matrix", "Support", "Ontology editor"):
        page = visit(part, extractions=list(labels))
        assert not has_button(page, "start-comparison")
        assert "<img" not in html(page)
        assert "[link](https://evil.example)" not in markdown(page)
