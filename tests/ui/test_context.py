"""The shared choice: defaults, the URL, what a change forgets, and stores that can't be read."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from shown import texts

from workbench.notes import interactions
from workbench.records import Extraction, Note
from workbench.store import ExtractionKey
from workbench.ui import cached, context
from workbench.ui.context import Context

KILN = {"benchmark": "small", "case": "small/kiln"}


def choice(page) -> Context:
    return page.session_state["context"]


def test_the_first_benchmark_case_and_question_are_chosen_at_the_start(store, compare_page):
    found = choice(compare_page())
    assert (found.benchmark, found.case_key, found.question_id) == ("other", "other/o1", "o1_q1")
    assert found.query == "Who said hello?"


def test_a_bare_url_stays_bare_until_something_is_chosen(store, compare_page):
    page = compare_page()
    assert not dict(page.query_params)
    page.selectbox(key="context-benchmark").set_value("small").run()
    assert page.query_params["benchmark"] == "small"
    assert page.query_params["case"] == "small/kiln"


def test_a_link_opens_the_same_choice(store, compare_page):
    query = KILN | {"question": "kiln_q2", "methods": ["bm25", "adaptive"], "q": "old kiln", "note": "s3#2"}
    first = choice(compare_page(**query))
    assert first.question_id == "kiln_q2"
    assert first.methods == ("bm25", "adaptive")
    assert (first.query, first.typed, first.note_id) == ("old kiln", "old kiln", "s3#2")
    assert choice(compare_page(**query)) == first


def test_a_link_that_names_only_the_case_opens_it(store, compare_page):
    found = choice(compare_page(case="small/kiln"))
    assert (found.benchmark, found.case_key) == ("small", "small/kiln")


def test_the_extraction_of_a_link_is_named_by_extractor_and_configuration(store, compare_page):
    page = compare_page(**KILN)
    newest = choice(page).extraction
    box = page.selectbox(key="context-extraction")
    assert [label.split(",")[0] for label in box.options] == ["second", "first"]
    box.set_value(next(name for name in _extraction_names(store) if name.startswith("first"))).run()
    assert choice(page).extraction != newest
    assert page.query_params["extraction"].startswith("first:")


def _extraction_names(path: Path) -> list[str]:
    return [f"{row.extractor}:{row.digest[:8]}" for row in cached.extractions(path, "small/kiln")]


def test_changing_the_case_forgets_question_typed_text_and_note_but_not_methods(store, compare_page):
    page = compare_page(**KILN, question="kiln_q2", q="typed", note="s1#1", methods=["bm25"])
    page.selectbox(key="context-case").set_value("small/hostile").run()
    found = choice(page)
    assert (found.question_id, found.typed, found.note_id, found.methods) == ("hostile_q1", "", "", ("bm25",))
    assert "q" not in page.query_params


def test_what_a_link_names_and_the_store_has_not_is_replaced_by_the_first(store, compare_page):
    found = choice(compare_page(benchmark="small", case="small/gone", question="kiln_q2", methods=["nonsense"]))
    assert (found.case_key, found.question_id) == ("small/kiln", "kiln_q1")
    assert "nonsense" not in found.methods
    assert found.methods


def test_choosing_a_case_chooses_its_benchmark(store, compare_page):
    page = compare_page()
    page.session_state["choice"] = {}

    def script():
        from workbench.ui import context

        context.select(case="small/kiln", question="kiln_q2")
        context.sidebar()

    from streamlit.testing.v1 import AppTest

    found = choice(AppTest.from_function(script, default_timeout=60).run())
    assert (found.benchmark, found.question_id) == ("small", "kiln_q2")


# --- stores that can't be read ----------------------------------------------------------------------------------------------


def test_a_store_that_is_not_there_is_named_with_what_to_do(store, compare_page):
    page = compare_page(store=str(store.parent / "gone.duckdb"))
    assert "there is no store at" in texts(page)
    assert "name another one under Store" in texts(page)
    assert not (store.parent / "gone.duckdb").exists()


def test_a_file_that_is_no_store_is_named(store, compare_page, tmp_path):
    file = tmp_path / "letter.txt"
    file.write_text("Dear reader, " * 1000)
    page = compare_page(store=str(file))
    assert str(file) in texts(page)
    assert file.read_text().startswith("Dear reader")


def test_a_newer_store_says_that_the_workbench_is_too_old(store, compare_page):
    with duckdb.connect(str(store)) as connection:
        connection.execute("UPDATE meta SET value = '999' WHERE name = 'schema_version'")
    page = compare_page()
    assert "schema version 999" in texts(page)
    assert "update the workbench" in texts(page)


def test_a_store_that_another_process_writes_to_is_read_as_soon_as_it_is_free(store, compare_page):
    script = (
        "import sys, time; from workbench.store import open_store\n"
        "with open_store(sys.argv[1]): print('open', flush=True); sys.stdin.read()"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", script, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        page = compare_page()
        assert f"locked by another process (PID {writer.pid})" in texts(page)
    finally:
        writer.communicate("")
    page.button(key="try-again").click().run()
    assert not page.exception
    assert choice(page).case_key == "other/o1"


# --- caches -----------------------------------------------------------------------------------------------------------------


def test_a_case_is_opened_once_and_again_only_for_another_extraction(store):
    second, first = (row.id for row in cached.extractions(store, "small/kiln"))
    opened = cached.open_case(store, "small/kiln", first)
    assert cached.open_case(store, "small/kiln", first) is opened
    assert cached.open_case(store, "small/kiln", second) is not opened
    tags = {path for note in opened.memory.notes for path in note.extraction.paths}
    assert tags == {"kiln", "pottery/kiln"}


def test_a_case_is_opened_again_where_its_store_was_made_anew_with_other_tags(store):
    row = next(row for row in cached.extractions(store, "small/hostile"))
    before = cached.open_case(store, "small/hostile", row.id)
    ranked = cached.rank(store, "small/hostile", row.id, "bm25", "hint")
    with cached.open_store(store, read_only=True) as opened:
        case = opened.cases.get("small/hostile")
    store.unlink()
    with cached.open_store(store) as opened:
        for number in range(row.id):  # up to the same id
            case_ = case if number == row.id - 1 else replace(case, id=f"filler {number}")
            notes = tuple(Note(one, Extraction(what=("other/tag",))) for one in interactions(case_))
            opened.cases.add(case_, notes, ExtractionKey(row.extractor, {"mode": "another"}))
    assert [one.id for one in cached.extractions(store, "small/hostile")] == [row.id]
    after = cached.open_case(store, "small/hostile", row.id)
    assert after is not before
    assert {path for note in after.memory.notes for path in note.extraction.paths} == {"other/tag"}
    assert cached.rank(store, "small/hostile", row.id, "bm25", "hint") is not ranked


def test_reads_are_asked_again_when_the_store_changes(store):
    assert cached.info(store).runs == 1
    with cached.open_store(store) as opened:
        opened.runs.remove(opened.runs.list()[0].id)
    assert cached.info(store).runs == 0


def test_different_reads_of_one_store_are_kept_apart(store):
    assert cached.info(store).cases == 3
    assert len(cached.cases(store)) == 3
    assert cached.question_types(store, "small") != cached.question_types(store, "other")


def test_two_stores_are_kept_apart(store, tmp_path):
    copy = tmp_path / "copy.duckdb"
    shutil.copy(store, copy)
    with cached.open_store(copy) as opened:
        opened.cases.remove("other/o1")
    assert cached.info(store).cases == 3
    assert cached.info(copy).cases == 2


@pytest.mark.parametrize("key", context.KEYS)
def test_every_part_of_the_choice_is_a_part_of_the_record(key):
    names = {"store": "store_path", "case": "case_key", "question": "question_id", "q": "typed", "note": "note_id"}
    assert names.get(key, key) in Context.__dataclass_fields__
