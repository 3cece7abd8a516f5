"""The page Compare: columns, lines, typed queries, the note that is open, agreement, and hostile text."""

from __future__ import annotations

import json

import pytest
from shown import HOSTILE, html, markdown, texts

KILN = {"benchmark": "small", "case": "small/kiln", "question": "kiln_q1", "methods": ["bm25", "adaptive", "tag_basic"]}


def columns(page) -> list[dict]:
    """The columns as they are sent to the browser."""
    (drawn,) = page.get("bidi_component")
    return json.loads(drawn.proto.json)["columns"]


def test_each_chosen_method_has_a_column_with_ranks_of_candidates(store, compare_page):
    shown = columns(compare_page(**KILN))
    assert [column["method"] for column in shown] == ["bm25", "adaptive", "tag_basic"]
    bm25 = shown[0]
    assert bm25["hits"][0]["note"] == "s2#1"
    assert [hit["rank"] for hit in bm25["hits"]] == list(range(1, len(bm25["hits"]) + 1))
    assert bm25["count"] == f"{len(bm25['hits'])} of {len(bm25['hits'])} candidates"


def test_the_page_says_what_moves_are_against(store, compare_page):
    assert "moves against bm25" in markdown(compare_page(**KILN))
    assert "moves against" not in markdown(compare_page(**KILN | {"methods": ["bm25"]}))


def test_gold_is_marked_and_judged_under_each_column(store, compare_page):
    bm25 = columns(compare_page(**KILN))[0]
    assert [hit["note"] for hit in bm25["hits"] if hit["gold"]] == ["s2#1"]
    assert bm25["first_gold"].startswith("1 of ")
    assert (bm25["hit"], bm25["unit"]) == ("yes", "sessions")
    assert bm25["ms"].endswith("ms")


def test_without_gold_nothing_is_judged(store, compare_page):
    bm25 = columns(compare_page(**KILN | {"question": "kiln_q3"}))[0]
    assert (bm25["first_gold"], bm25["hit"]) == ("", "")
    assert not any(hit["gold"] for hit in bm25["hits"])


def test_a_typed_query_is_asked_instead_and_can_be_taken_back(store, compare_page):
    page = compare_page(**KILN)
    page.text_input(key="compare-query").set_value("who has my old kiln").run()
    assert columns(page)[0]["hits"][0]["note"] == "s3#2"
    assert page.query_params["q"] == "who has my old kiln"
    page.button(key="untype").click().run()
    assert columns(page)[0]["hits"][0]["note"] == "s2#1"
    assert "q" not in page.query_params


def test_a_query_that_nothing_matches_says_why(store, compare_page):
    page = compare_page(**KILN, q="zzz qqq")
    shown = columns(page)
    assert all(not column["hits"] for column in shown)
    assert shown[0]["remarks"] == ["no note holds a word of the query"]


@pytest.mark.parametrize("text", ["?!", "𓀀 ‮ \u200b", "a" * 5000])
def test_odd_queries_leave_a_page(store, compare_page, text):
    page = compare_page(**KILN, q=text)
    assert not page.exception
    assert len(columns(page)) == 3


def test_an_open_note_is_shown_with_evidence_and_the_why_of_every_method(store, compare_page):
    page = compare_page(**KILN, note="s2#1")
    shown = html(page)
    assert "<u>kiln</u>" in shown
    assert shown.count("★ evidence") == 1
    assert markdown(page).count("rank 1 of") >= 2
    assert "sum" in shown
    page.button(key="close-note").click().run()
    assert "★ evidence" not in html(page)
    assert "note" not in page.query_params


def test_a_note_that_a_method_does_not_rank_says_so(store, compare_page):
    page = compare_page(**KILN | {"methods": ["bm25", "tag_basic"]}, note="s1#2", q="new kiln")
    assert "Not ranked by bm25" in markdown(page)


def test_a_note_of_another_case_is_not_open(store, compare_page):
    page = compare_page(**KILN, note="h1#1")
    assert "Selected note" not in markdown(page)


def test_rank_lines_have_a_clickable_point_for_every_hit(store, compare_page):
    page = compare_page(**KILN, shape="Rank lines")
    assert page.segmented_control(key="shape").value == "lines"
    (chart,) = page.get("plotly_chart")
    traces = json.loads(chart.proto.spec)["data"]
    assert {trace["type"] for trace in traces} == {"scatter"}
    assert "s2#1" in {trace["customdata"][0] for trace in traces}


def test_paper_literal_settings_change_the_ranking(store, compare_page):
    stemmed = columns(compare_page(**KILN | {"methods": ["bm25"]}, q="kilns"))[0]
    literal = columns(compare_page(**KILN | {"methods": ["bm25"]}, q="kilns", profile="Paper-literal"))[0]
    assert stemmed["hits"]
    assert not literal["hits"]


def test_agreement_counts_and_compares_the_rankings(store, compare_page):
    page = compare_page(**KILN)
    shown = page.dataframe[0].value
    assert list(shown.iloc[:, 0]) == ["bm25", "adaptive", "tag_basic"]
    assert shown["bm25"].isna().iloc[0]
    assert 0 <= shown["adaptive"].iloc[0] <= 1
    assert "in all 3 top tens" in markdown(page)


def test_one_method_alone_has_no_agreement(store, compare_page):
    assert not compare_page(**KILN | {"methods": ["bm25"]}).dataframe


def test_more_methods_than_fit_are_cut_to_seven(store, compare_page):
    from workbench.methods.base import methods

    shown = columns(compare_page(**KILN | {"methods": list(methods) * 2}))
    assert len(shown) == min(7, len(methods))


def test_a_method_that_can_not_answer_says_why_and_leaves_the_others(store, compare_page, monkeypatch):
    from workbench.errors import MissingPart
    from workbench.methods.bm25 import BM25

    def score(self, text):
        raise MissingPart("the model is not installed")

    monkeypatch.setattr(BM25, "score", score)
    page = compare_page(**KILN, q="a query that no other test asks")
    assert [column["method"] for column in columns(page)] == ["adaptive", "tag_basic"]
    assert "**bm25** can't answer" in markdown(page)
    assert "the model is not installed" in texts(page)


# --- empty, failing and hostile ---------------------------------------------------------------------------------------------


def test_no_store_says_where_to_begin(no_store, compare_page):
    page = compare_page()
    assert any("Load the demo or data of your own on the page Cases" in info.value for info in page.info)
    assert not no_store.exists()


def test_a_store_that_is_not_there_is_told(store, compare_page):
    assert "there is no store at" in texts(compare_page(store="nowhere.duckdb"))


def test_hostile_text_is_never_markdown_and_in_html_only_escaped(store, compare_page):
    page = compare_page(benchmark="small", case="small/hostile", note="h1#1", methods=["bm25", "adaptive", "tag_basic"])
    assert "evil.example" not in markdown(page)
    shown = html(page)
    assert "<img" not in shown
    assert "</script>" not in shown
    assert "&lt;/<u>script</u>&gt;" in shown
    assert "[<u>link</u>](<u>https</u>://<u>evil</u>.<u>example</u>)" in shown
    assert any(HOSTILE[:20] in hit["title"] for hit in columns(page)[0]["hits"])  # the drawing sets it as text


def test_the_box_says_which_method_finds_gold_first(store, compare_page):
    page = compare_page(**KILN)
    assert any(one.value.startswith("first to find gold: ") and " at rank 1" in one.value for one in page.caption)


def test_steps_lead_through_the_questions_and_end_at_the_last(store, compare_page):
    page = compare_page(**KILN)
    assert page.button(key="step-previous").disabled
    seen = ["kiln_q1"]
    while not page.button(key="step-next").disabled:
        page.button(key="step-next").click().run()
        seen.append(page.session_state["context"].question_id)
    assert seen == ["kiln_q1", "kiln_q2", "kiln_q3", "hostile_q1"]
    assert any(one.value == "question 4 of 4" for one in page.caption)


def test_steps_stay_among_the_questions_that_a_filter_left(store, cases_page, compare_page):
    cases = cases_page(benchmark="small", type="single")
    page = compare_page(**KILN)
    page.session_state["question-queue"] = cases.session_state["question-queue"]
    page.run()
    assert any(one.value == "question 1 of 2 in the filter" for one in page.caption)
    page.button(key="step-next").click().run()
    assert page.session_state["context"].question_id == "kiln_q3"
    assert page.button(key="step-next").disabled
