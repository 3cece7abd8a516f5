"""The page Cases: empty store, adding data, the table of questions, the question card, and hostile text."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from shown import HOSTILE, html, markdown, texts

from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.runs import MethodSpec, evaluate
from workbench.methods.bm25 import BM25
from workbench.notes import interactions
from workbench.records import Case, Extraction, Gold, Note, Question, Session, Turn
from workbench.settings import configure
from workbench.store import ExtractionKey
from workbench.ui import add_data, cached, hit_cells
from workbench.ui.add_data import preview
from workbench.ui.jobs import jobs

SMALL = {"benchmark": "small", "case": "small/kiln"}
CHAT = "User: I bought a kiln.\nAssistant: Nice.\nUser: It is blue.\nAssistant: Fine.\n"


def table(page):
    return page.dataframe[0].value


def chats(folder: Path, count: int) -> list[Path]:
    """Files of one chat each."""
    paths = [folder / f"chat{number:02}.json" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_text(json.dumps({"messages": [{"role": "user", "content": f"Hello {number}"}]}))
    return paths


def finish(page, path: Path):
    """Run the page until its job has ended."""
    job = jobs().of(str(path))
    assert job is not None
    end = time.monotonic() + 120
    while not job.future.done() and time.monotonic() < end:
        time.sleep(0.05)
    page.run()
    assert not page.exception
    return job


# --- what is there ----------------------------------------------------------------------------------------------------------


def test_header_counts_what_the_store_holds(store, cases_page):
    assert "3 cases · 5 questions · 8 notes · 4 extractions · 1 run" in markdown(cases_page())


def test_table_lists_the_questions_of_the_benchmark_with_ranks(store, cases_page):
    shown = table(cases_page(**SMALL, methods=["bm25", "tag_basic", "adaptive"]))
    assert list(shown["Case"]) == ["kiln", "kiln", "kiln", "hostile"]
    assert shown["bm25"].iloc[0] == 1
    assert set(shown["adaptive"]) == {hit_cells.NOT_RUN}
    assert shown["bm25"].isna().iloc[2]  # without gold
    assert shown["bm25"].iloc[3] == hit_cells.NOT_RUN  # a case that the run has not


def test_a_miss_is_a_word_and_sorts_behind_every_rank():
    found = {"bm25": None, "real": 12}
    cells = [hit_cells.value(found, name, True) for name in ("real", "bm25", "adaptive")]
    cells.append(hit_cells.value(found, "dense", is_run=False))
    assert [hit_cells.text(cell) for cell in cells] == ["12", "miss", "", "not run"]
    assert 10_000 < cells[1] < cells[3]


def test_ranks_come_from_reciprocal_ranks_and_unavailable_ones_are_left_out():
    cells = {("c", "q"): {"a": 1 / 3, "b": 0.0, "c": None}}
    assert hit_cells.ranks(cells) == {("c", "q"): {"a": 3, "b": None}}


@pytest.mark.parametrize(("query", "expected"), [({"text": "kiln"}, 1), ({"type": "update"}, 1), ({"text": "1100"}, 1)])
def test_filters_by_text_and_type(store, cases_page, query, expected):
    page = cases_page(**SMALL)
    if "text" in query:
        page.text_input(key="text").set_value(query["text"]).run()
        rows = table(page)
        assert all(query["text"] in f"{row.Question}{row.Answer}{row.Case}".lower() for row in rows.itertuples())
        assert 0 < len(rows) < 4
    else:
        page.selectbox(key="type").set_value(query["type"]).run()
        assert list(table(page)["Type"]) == ["update"] * expected


def test_missed_by_and_found_only_by_a_method(store, cases_page):
    page = cases_page(**SMALL)
    page.selectbox(key="missed").set_value("tag_basic").run()
    assert list(table(page)["Question"]) == ["How hot does my new kiln get?"]
    page.selectbox(key="missed").set_value(None)
    page.selectbox(key="only").set_value("bm25").run()
    assert list(table(page)["Question"]) == ["How hot does my new kiln get?"]
    page.selectbox(key="only").set_value("tag_basic").run()
    assert any("No question fits the filter" in info.value for info in page.info)


def test_other_rows_are_another_table_so_that_no_old_selection_is_read_against_them(store, cases_page):
    page = cases_page(**SMALL)
    before = page.dataframe[0].key
    page.run()
    assert page.dataframe[0].key == before
    page.text_input(key="text").set_value("pottery").run()
    assert page.dataframe[0].key != before


def test_expected_texts_stand_in_for_an_answer_that_the_benchmark_does_not_give(store, cases_page):
    with cached.open_store(store) as opened:
        session = Session("s", (Turn("user", "I pay 40 a month."), Turn("assistant", "Fine.")), 0)
        case = Case("story", "rent", (session,), (Question("r1", "What do I pay?", None, gold=Gold(substrings=("40", "month"))),))
        opened.cases.add(case, tuple(Note(one, Extraction()) for one in interactions(case)), ExtractionKey("first"))
    assert list(table(cases_page(benchmark="story"))["Answer"]) == ["40 · month"]


def test_card_shows_question_answer_gold_and_evidence(store, cases_page):
    shown = html(cases_page(**SMALL, question="kiln_q1"))
    assert "How hot does my new kiln get?" in shown
    assert "1100 degrees" in shown
    assert "★ gold" in shown
    assert shown.count("★ evidence") == 1


def test_card_says_where_there_is_no_gold(store, cases_page):
    page = cases_page(**SMALL, question="kiln_q3")
    assert "names no gold" in markdown(page)
    assert "the benchmark gives none" in html(page)


def test_a_long_table_is_paged(store, cases_page, monkeypatch):
    from workbench.ui.pages import cases

    monkeypatch.setattr(cases, "PAGE_SIZE", 3)
    page = cases_page(**SMALL)
    assert len(table(page)) == 3
    page.button(key="page-on").click().run()
    assert list(table(page)["Case"]) == ["hostile"]
    assert "4-4 of 4 questions" in markdown(page)


# --- adding -----------------------------------------------------------------------------------------------------------------


def test_empty_store_offers_the_demo_and_nothing_is_created_by_looking(no_store, cases_page):
    page = cases_page()
    assert any("The store is empty" in info.value and "six of which each show one effect" in info.value for info in page.info)
    assert not page.button(key="load-demo").disabled
    assert not no_store.exists()


def test_demo_is_loaded_beside_the_page_and_reported(no_store, cases_page, monkeypatch):
    monkeypatch.setattr(add_data, "DEMO", add_data.DEMO / "stories" / "01_the_second_bakery.yaml")
    page = cases_page()
    page.button(key="load-demo").click().run()
    assert not page.exception
    job = finish(page, no_store)
    assert job.future.exception() is None
    assert "**Loading** is done" in markdown(page)
    assert "1 kept" in markdown(page).replace("*", "")
    assert len(table(page)) == 6
    page.button(key="dismiss-job").click().run()
    assert "is done" not in markdown(page)


def test_preview_tells_format_and_counts_before_loading(tmp_path):
    file = tmp_path / "chat.txt"
    file.write_text(CHAT)
    seen = preview(file)
    assert (seen.format, seen.cases, seen.sessions, seen.turns, seen.problem) == ("transcripts", 1, 1, 4, "")


def test_preview_of_many_cases_stops_early_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(add_data, "PREVIEW_CASES", 3)
    chats(tmp_path, 5)
    seen = preview(tmp_path)
    assert seen.cases == 3
    assert not seen.complete


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [("broken.json", "{nope", "broken.json"), ("empty.json", "", "an empty file"), ("list.json", "[1, 2]", "JSON")],
)
def test_a_broken_file_is_told_and_can_not_be_loaded(store, cases_page, tmp_path, name, content, said):
    file = tmp_path / name
    file.write_text(content)
    page = cases_page(**SMALL)
    page.segmented_control(key="add-from").set_value("Path").run()
    page.text_input(key="add-path").set_value(str(file)).run()
    assert "This can't be loaded" in markdown(page)
    assert said in texts(page)
    assert page.button(key="add-load").disabled


def test_a_missing_path_is_told(store, cases_page, tmp_path):
    page = cases_page(**SMALL)
    page.segmented_control(key="add-from").set_value("Path").run()
    page.text_input(key="add-path").set_value(str(tmp_path / "gone.json")).run()
    assert "there is no such file or folder" in texts(page)
    assert page.button(key="add-load").disabled


def test_a_broken_upload_is_told(store, cases_page):
    page = cases_page(**SMALL)
    page.segmented_control(key="add-from").set_value("Upload").run()
    page.file_uploader(key="add-upload").set_value([("cases.json", b'[{"question_id": "x"', "application/json")]).run()
    assert not page.exception
    assert "cases.json" in texts(page)
    assert "workbench-" not in texts(page)  # the folder that it was put into
    assert "This can't be loaded" in markdown(page)
    assert page.button(key="add-load").disabled


def test_an_upload_is_reported_by_its_own_name(store, cases_page):
    page = cases_page(**SMALL)
    page.segmented_control(key="add-from").set_value("Upload").run()
    good = json.dumps({"messages": [{"role": "user", "content": "Hello"}]})
    page.file_uploader(key="add-upload").set_value([("talks.jsonl", f"{good}\n{{nope\n".encode(), "application/json")]).run()
    page.button(key="add-load").click().run()
    report = finish(page, store).future.result()
    assert report.findings
    shown = str([frame.value.to_dict() for frame in page.dataframe])
    assert "talks.jsonl" in shown
    assert "workbench-" not in shown + texts(page) + markdown(page)


def test_typed_turns_become_a_case(store, cases_page):
    page = cases_page(**SMALL)
    page.segmented_control(key="add-from").set_value("Type or paste").run()
    page.text_input(key="add-name").set_value("../../etc/kiln talk").run()
    page.text_area(key="add-turns").set_value(CHAT).run()
    assert "Recognised as **transcripts**: 1 case, 1 session, 4 turns" in markdown(page)
    page.button(key="add-load").click().run()
    job = finish(page, store)
    assert job.future.exception() is None
    assert [row.key for row in cached.cases(store, "transcripts")] == ["transcripts/etc-kiln talk"]


def test_a_job_is_stopped_between_cases_and_keeps_what_is_stored(store, cases_page, tmp_path):
    add_data.start_load(store, chats(tmp_path, 30))
    job = jobs().of(str(store))
    assert job is not None
    while job.done < 1:
        time.sleep(0.01)
    job.stop()
    page = cases_page(**SMALL)
    finish(page, store)
    assert "was stopped" in markdown(page)
    assert "what was stored until then stays" in texts(page)
    assert 3 < cached.info(store).cases < 33


def test_a_failing_job_is_told_in_its_own_words(store, cases_page, tmp_path):
    add_data.start_load(store, [tmp_path / "gone.json"])
    page = cases_page(**SMALL)
    job = finish(page, store)
    assert job.future.exception() is None  # the missing file is a finding of the report
    assert "there is no such file" in str(page.dataframe[0].value.to_dict())


def test_evaluation_runs_beside_the_page_and_its_ranks_appear(store, cases_page):
    page = cases_page(**SMALL, methods=["bm25", "adaptive"])
    assert page.button(key="evaluate").label == "Evaluate this case"  # the other one lacks the chosen extraction
    page.button(key="evaluate").click().run()
    assert not page.exception
    job = finish(page, store)
    assert job.future.exception() is None
    assert cached.info(store).runs == 2
    shown = table(page)
    assert shown["adaptive"].iloc[0] == 1
    assert (shown["adaptive"] < hit_cells.MISS).sum() == 2
    assert shown["adaptive"].isna().iloc[2]  # the question without gold takes no part


def test_progress_is_told_where_its_button_is(store, cases_page):
    page = cases_page(**SMALL, methods=["bm25"])
    page.button(key="evaluate").click().run()
    finish(page, store)
    drawn = [str(getattr(element, "value", "")) for element in page.main]
    table_at = next(at for at, one in enumerate(drawn) if "How hot does my new kiln get?" in one)
    assert next(at for at, one in enumerate(drawn) if "**Evaluating 1 method** is done" in one) > table_at


# --- which run --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def later_run(store) -> str:
    """A newer run of one method, under another profile and one setting; its name in the list of runs."""
    with cached.open_store(store) as opened:
        spec = MethodSpec("bm25", "literal", {"k1": 0.9})
        made = evaluate(case_inputs(opened, ["small/kiln"]), [spec], {"extractor": "first", "config": {}}, name="k1 <b>low</b>")
        opened.runs.add(made)
    return hit_cells.run_name(cached.runs(store, "small")[0])


def test_the_run_of_the_ranks_is_named_with_its_settings(store, cases_page, later_run):
    page = cases_page(**SMALL, methods=["bm25", "tag_basic"])
    assert "k1 \\<b\\>low\\</b\\> · 1 case · bm25 \\(normaliser=simple, k1=0\\.9\\)" in markdown(page)
    assert set(table(page)["tag_basic"]) == {hit_cells.NOT_RUN}
    assert page.selectbox(key="missed").options == ["bm25"]


def test_another_run_is_chosen_and_kept_in_the_link(store, cases_page, later_run):
    page = cases_page(**SMALL, methods=["bm25", "tag_basic"])
    newest, oldest = page.selectbox(key="run").options
    assert newest == later_run
    page.selectbox(key="run").set_value(oldest).run()
    for each in (page, cases_page(**SMALL, methods=["bm25", "tag_basic"], run=oldest)):
        assert table(each)["tag_basic"].iloc[0] == hit_cells.MISS
        assert "bm25, tag\\_basic" in markdown(each)


def test_settings_are_told_where_they_differ_from_the_default():
    default = {"k1": 1.5, "b": 0.75}
    assert hit_cells.changed_settings("bm25", default) == ""
    assert hit_cells.changed_settings("bm25", default | {"b": 0.5}) == "b=0.5"
    assert hit_cells.changed_settings("bm25", asdict(configure(BM25.Config, "literal"))) == "profile literal"
    assert hit_cells.changed_settings("another system", {"run": "file"}) == ""


# --- failing and hostile input ----------------------------------------------------------------------------------------------


def test_locked_or_missing_store_leaves_a_message_and_no_table(store, cases_page):
    page = cases_page(store=str(store.parent / "gone.duckdb"))
    assert "there is no store at" in texts(page)
    assert not page.dataframe


def test_hostile_text_is_never_markdown_and_in_html_only_escaped(store, cases_page):
    page = cases_page(benchmark="small", case="small/hostile")
    assert "evil.example" not in markdown(page)
    assert "onerror" not in markdown(page)
    shown = html(page)
    assert "&lt;img src=x onerror=alert(1)&gt; [link](https://evil.example) $x^2$ :red[colour] **bold**" in shown
    assert "<img" not in shown
    assert HOSTILE in table(page)["Question"].iloc[3]


def test_data_without_questions_points_to_compare(no_store, cases_page, tmp_path):
    add_data.start_load(no_store, chats(tmp_path, 1))
    page = cases_page()
    finish(page, no_store)
    assert any("brings no questions" in info.value for info in page.info)
    page.button(key="open-newest").click().run()
    assert page.session_state["context"].case_key == cached.cases(no_store)[0].key
