"""Imported runs stand beside methods: in the sidebar, on Compare, Cases and Graph; and say what they can't answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shown import html, markdown, texts
from streamlit.testing.v1 import AppTest

from workbench.evaluate.importing import import_run
from workbench.store import open_store
from workbench.ui import cached, hit_cells

KILN = {"benchmark": "small", "case": "small/kiln", "question": "kiln_q1"}


@pytest.fixture
def imported(store: Path, tmp_path: Path) -> Path:
    """The small store with a run that ranks notes, and one that ranks sessions."""
    for name, text in {
        "notes": "kiln_q1 Q0 s3#2 1 2.5 x\nkiln_q1 Q0 s2#1 2 2.5 x\nkiln_q1 Q0 s1#1 3 0.5 x\n",
        "sessions": "kiln_q1 Q0 s2 1 2.5 x\n",
    }.items():
        file = tmp_path / f"{name}.trec"
        file.write_text(text)
        import_run(store, file, benchmark="small", name=name)
    return store


def columns(page: AppTest) -> list[dict]:
    (drawn,) = page.get("bidi_component")
    return json.loads(drawn.proto.json)["columns"]


def test_the_sidebar_offers_the_imported_runs_of_the_benchmark(imported, compare_page):
    page = compare_page(**KILN)
    offered = page.multiselect(key="context-methods").options
    assert {"bm25", "run:notes", "run:sessions"} <= set(offered)
    assert not any(name.startswith("run:") for name in page.session_state["context"].methods)
    other = compare_page(benchmark="other").multiselect(key="context-methods").options
    assert not any(name.startswith("run:") for name in other)


def test_compare_shows_the_stored_ranking_beside_a_method(imported, compare_page):
    page = compare_page(**KILN, methods=["bm25", "run:notes"])
    column = columns(page)[1]
    assert column["method"] == "run:notes"
    assert [hit["note"] for hit in column["hits"]] == ["s3#2", "s2#1", "s1#1"]
    assert [hit["tie"] for hit in column["hits"]] == [[1, 2], [1, 2], None]
    assert [hit["gold"] for hit in column["hits"]] == [False, True, False]
    assert {hit["why"] for hit in column["hits"]} == {"not available for an imported run"}
    assert (column["ms"], column["count"]) == ("not available", "3 of 3 candidates")
    assert page.query_params["methods"] == ["bm25", "run:notes"]


def test_the_why_of_an_imported_hit_is_said_to_be_missing(imported, compare_page):
    assert "not available for an imported run" in html(compare_page(**KILN, methods=["run:notes"], note="s2#1"))


def test_a_typed_query_is_not_answered_and_the_reason_is_shown(imported, compare_page):
    column = columns(compare_page(**KILN, methods=["run:notes"], q="a text of my own"))[0]
    assert not column["hits"]
    assert column["remarks"] == ["an imported run answers only the questions of its file"]


def test_an_unanswered_question_is_a_miss(imported, compare_page):
    column = columns(compare_page(**KILN | {"question": "kiln_q2"}, methods=["run:notes"]))[0]
    assert column["remarks"] == ["not answered in the file: counted as a miss"]
    assert column["hit"] == "no"


def test_a_run_of_sessions_is_explained_and_leaves_the_others(imported, compare_page):
    page = compare_page(**KILN, methods=["run:sessions", "bm25"])
    assert [column["method"] for column in columns(page)] == ["bm25"]
    assert "run:sessions ranks sessions, not notes" in texts(page)
    assert "**run:sessions** can't answer" in markdown(page)


def test_the_table_of_questions_has_a_column_for_an_imported_run(imported, cases_page):
    page = cases_page(**KILN, methods=["bm25", "run:notes", "run:sessions"])
    table = next(frame.value for frame in page.dataframe if "Question" in frame.value)
    rows = table.set_index("Question")
    assert rows.loc["How hot does my new kiln get?", "run:notes"] == 2
    assert rows.loc["How hot does my new kiln get?", "run:sessions"] == 1
    assert rows.loc["Which day is the pottery class?", "run:notes"] == hit_cells.MISS
    assert rows.loc["How hot does my new kiln get?", "bm25"] == 1
    assert any("bm25" in caption.value and "Ranks are those of the run" in caption.value for caption in page.caption)


def test_missed_by_filters_by_an_imported_run(imported, cases_page):
    page = cases_page(**KILN, methods=["run:notes"], missed="run:notes")
    table = next(frame.value for frame in page.dataframe if "Question" in frame.value)
    assert "How hot does my new kiln get?" not in set(table["Question"])
    assert "Which day is the pottery class?" in set(table["Question"])


def test_only_registered_methods_are_evaluated(imported, cases_page):
    assert cases_page(**KILN, methods=["run:notes"]).button(key="evaluate").disabled
    assert not cases_page(**KILN, methods=["bm25", "run:notes"]).button(key="evaluate").disabled


def _graph_script() -> None:
    from workbench.ui import context
    from workbench.ui.pages import graph

    context.sidebar()
    graph.show()


@pytest.mark.parametrize(("method", "said"), [("run:notes", ""), ("run:sessions", "run:sessions ranks sessions, not notes")])
def test_the_graph_marks_the_hits_of_an_imported_run_or_says_why_not(imported, method, said):
    page = AppTest.from_function(_graph_script, default_timeout=60)
    for name, value in (KILN | {"methods": [method]}).items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    assert said in texts(page)
    assert ("can't answer" in markdown(page)) == bool(said)
    assert ("best gold rank 2 of 3 candidates" in markdown(page)) != bool(said)
    assert "0 candidates" not in markdown(page)


def test_an_imported_answer_has_no_time(imported):
    extraction = cached.extractions(imported, "small/kiln")[0].id
    timed = cached.rank(imported, "small/kiln", extraction, "run:notes", "How hot does my new kiln get?")
    assert (timed.ranking.hits[0].note_id, timed.ms) == ("s3#2", None)


def test_a_removed_run_is_no_longer_offered(imported, compare_page):
    with open_store(imported) as store:
        for row in store.runs.list(kinds=["import"]):
            store.runs.remove(row.id)
    page = compare_page(**KILN, methods=["run:notes"])
    assert "run:notes" not in page.multiselect(key="context-methods").options
    assert "run:notes" not in page.session_state["context"].methods
