"""The page Diagnose: stages, tags, competitors, repairs and their copies, marked gold, labels, own questions, hostile text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from shown import HOSTILE, html, markdown, texts
from streamlit.testing.v1 import AppTest

from workbench.evaluate.importing import import_run
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.runs import MethodSpec, evaluate
from workbench.records import Gold, Question
from workbench.store import ExtractionKey, Store, open_labels, open_store
from workbench.ui import diagnose_work, own_question
from workbench.ui.context import STORE_VARIABLE

KILN = {"benchmark": "small", "case": "small/kiln", "question": "kiln_q1", "methods": ["bm25", "tag_basic"]}
MISSING = {"case": "longmemeval_demo/demo_missing_tag"}
Open = Callable[..., AppTest]


def _script() -> None:
    from workbench.ui import context
    from workbench.ui.pages import diagnose

    context.sidebar()
    diagnose.show()


@pytest.fixture
def diagnose_page() -> Open:
    """``diagnose_page(**query)`` runs the page Diagnose, with query parameters."""

    def opened(**query: str | list[str]) -> AppTest:
        page = AppTest.from_function(_script, default_timeout=60)
        for name, value in query.items():
            page.query_params[name] = value
        page.run()
        assert not page.exception, page.exception
        return page

    return opened


@pytest.fixture
def demo(demo_store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo store, which the app starts with; only to be read."""
    monkeypatch.setenv(STORE_VARIABLE, str(demo_store))
    return demo_store


@pytest.fixture
def own_demo(own_demo_store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the demo store, which the app starts with."""
    monkeypatch.setenv(STORE_VARIABLE, str(own_demo_store))
    return own_demo_store


def strip(page: AppTest) -> dict[str, str]:
    """What the strip says of each method: the words of its failed stage, or that it is in the first k, or nothing."""
    found = {}
    for row in re.findall(r"<tbody.*?</tbody>", html(page)):
        name = re.search(r"<th scope='row'.*?>(.*?)</th>", row)
        mark = re.search(r"<td class='cell (?:lost|found)'.*?>(.*?)</td>", row)
        assert name is not None
        found[unescape(name[1])] = mark[1] if mark else ""
    return found


def repairs(page: AppTest) -> list[dict[str, str]]:
    """The rows of the table of repairs."""
    table = next(frame.value for frame in page.dataframe if "Edit" in frame.value)
    return table.to_dict("records")


def field(page: AppTest, kind: str, label: str):
    return next(each for each in getattr(page, kind) if each.label == label)


def extractions(path: Path, case: str) -> list[tuple[str, str | None]]:
    with open_store(path, read_only=True) as store:
        return [(row.extractor, row.variant) for row in store.extractions.list(case)]


# --- stages -----------------------------------------------------------------------------------------------------------------


PREPARED = [
    ("longmemeval_demo/demo_missing_tag", "", "tag_stopwords", "✕ not extracted"),
    ("longmemeval_demo/demo_missing_tag", "", "bm25", "✓ in top 5"),
    ("longmemeval_demo/demo_common_word", "", "tag_basic", "✕ outscored"),
    ("longmemeval_demo/demo_diffusion_helps", "", "tag_tfidf", "✕ tagged otherwise"),
    ("longmemeval_demo/demo_diffusion_hurts", "", "adaptive", "✕ diluted"),
    ("atant_demo/demo_12", "demo_12_q1", "tag_stopwords", "✕ filtered"),
    ("atant_demo/demo_01", "demo_01_q2", "bm25", "✕ not reached"),
]


@pytest.mark.parametrize(("case", "question", "method", "words"), PREPARED)
def test_each_prepared_failure_shows_its_stage_and_a_repair(demo, diagnose_page, case, question, method, words):
    page = diagnose_page(case=case, question=question)
    assert strip(page)[method] == words
    if words.startswith("✕") and (case, method) != ("atant_demo/demo_01", "bm25"):
        assert any(row[method].startswith("✓") for row in repairs(page))


def test_every_method_has_one_plain_sentence(demo, diagnose_page):
    shown = unescape(html(diagnose_page(**MISSING)))
    assert 'tag_basic had no tag to come in by: only the assistant says "seconds", "hold", "doorway", "stretch"' in shown
    assert "bm25 found the note at rank 1." in shown


def test_a_stage_that_was_passed_by_another_way_and_one_that_is_not_there_are_told(demo, diagnose_page):
    page = diagnose_page(case="longmemeval_demo/demo_diffusion_hurts", methods=["adaptive"])
    assert "◐ failed, but the note came in by another way" in markdown(page)
    page = diagnose_page(case="longmemeval_demo/demo_common_word", methods=["bm25"])
    assert "– the method has no such stage" in markdown(page)


def test_k_can_be_chosen_and_comes_with_a_link(demo, diagnose_page):
    page = diagnose_page(**MISSING)
    assert strip(page)["adaptive"] == "✓ in top 5"
    page.number_input(key="k").set_value(1).run()
    assert strip(page)["adaptive"].startswith("✕")
    assert strip(diagnose_page(**MISSING, k="1"))["adaptive"].startswith("✕")


def test_of_several_gold_notes_the_one_most_missed_is_looked_at_first(demo, diagnose_page):
    page = diagnose_page(case="longmemeval_demo/demo_common_word")
    chooser = page.selectbox(key="gold-note")
    assert len(chooser.options) == 2
    assert chooser.value == "answer_demo_b_1#1"
    chooser.set_value("answer_demo_b_1#2").run()
    assert page.query_params["gold"] == "answer_demo_b_1#2"
    linked = diagnose_page(case="longmemeval_demo/demo_common_word", gold="answer_demo_b_1#2")
    assert linked.selectbox(key="gold-note").value == "answer_demo_b_1#2"


def test_another_question_forgets_the_chosen_gold_note(demo, diagnose_page):
    page = diagnose_page(case="longmemeval_demo/demo_common_word", gold="answer_demo_b_1#2")
    page.selectbox(key="context-case").set_value("longmemeval_demo/demo_missing_tag").run()
    assert "gold" not in page.query_params
    assert strip(page)["bm25"] == "✓ in top 5"


def test_a_second_look_is_quick_and_asks_no_method_again(demo, diagnose_page, monkeypatch):
    page = diagnose_page(case="longmemeval_demo/demo_two_sessions")
    first = strip(page)

    def again(*_: object, **__: object) -> None:
        raise AssertionError("a method was run or diagnosed again")

    monkeypatch.setattr("workbench.ui.diagnose_view.diagnose_ranking", again)
    monkeypatch.setattr("workbench.ui.diagnose_view.tag_report", again)
    page.run()
    assert not page.exception
    assert strip(page) == first


# --- tags and competitors ---------------------------------------------------------------------------------------------------


def test_missing_words_stand_where_the_note_has_them(demo, diagnose_page):
    shown = html(diagnose_page(**MISSING))
    assert "Helpful: on the note, and in the question</div><div><b>✕ none</b>" in shown
    by_assistant = shown.partition("Missing · only the assistant says it")[2]
    assert "doorway" in by_assistant.partition("nowhere in the note")[0]
    assert "action/stretch</bdi> (on 2 notes)" in by_assistant
    assert re.search(r"doorway</bdi></b> · spelled alike: .* · of near meaning: <bdi>[a-z_/]*door", by_assistant)


def test_a_helpful_tag_that_the_filter_drops_is_marked(demo, diagnose_page):
    shown = html(diagnose_page(case="atant_demo/demo_12", question="demo_12_q1"))
    assert re.search(r"pets/dog</bdi></b> <span[^>]*>✕ filtered: too common", shown)


def test_who_took_the_places_is_listed_with_the_gold_note_behind_them(demo, diagnose_page):
    page = diagnose_page(case="longmemeval_demo/demo_common_word", of="bm25")
    (drawn,) = page.get("bidi_component")
    (column,) = json.loads(drawn.proto.json)["columns"]
    assert column["method"] == "bm25"
    assert [hit["rank"] for hit in column["hits"]] == [1, 2, 3, 4, 5, 8]
    assert [hit["note"] for hit in column["hits"] if hit["gold"]][-1] == "answer_demo_b_1#1"
    assert "more would have reached place 5" in markdown(page)


def test_the_method_whose_ranking_is_shown_is_another_where_it_misses_nothing(demo, diagnose_page):
    page = diagnose_page(case="longmemeval_demo/demo_common_word")
    page.pills(key="of").set_value("bm25").run()
    assert "**Competitors**" in markdown(page)
    page.selectbox(key="context-case").set_value("longmemeval_demo/demo_missing_tag").run()  # bm25 finds this one
    assert not page.exception
    assert page.pills(key="of").value == "tag_basic"


def test_an_opened_competitor_is_read_beside_the_reasons_of_both_scores(demo, diagnose_page):
    page = diagnose_page(case="longmemeval_demo/demo_common_word", of="bm25", note="demo_b_9#1")
    assert "**Opened note**" in markdown(page)
    assert markdown(page).count("**bm25** · rank") == 2
    page.button(key="close-note").click().run()
    assert "**Opened note**" not in markdown(page)


def test_words_are_underlined_though_a_filter_drops_them(demo, diagnose_page):
    shown = html(diagnose_page(case="atant_demo/demo_12", question="demo_12_q1"))
    assert "<u>dog</u>" in shown.partition("class='rounds'")[2]
    assert "<details open>" in shown


# --- repair -----------------------------------------------------------------------------------------------------------------


def test_a_repair_kept_in_a_copy_works_and_leaves_the_original_as_it_is(own_demo, diagnose_page):
    with open_store(own_demo, read_only=True) as store:
        before = store.notes.get(MISSING["case"], store.extractions.list(MISSING["case"])[0].id)
    page = diagnose_page(**MISSING)
    assert repairs(page)[0]["Edit"] == "add doorway_stretch"
    field(page, "text_input", "Name of the copy").set_value("with stretch")
    page.button(key="apply-repair").click().run()
    assert not page.exception
    assert set(strip(page).values()) == {"✓ in top 5"}  # the variant is the chosen extraction now
    assert any(option.startswith("with stretch") for option in page.selectbox(key="context-extraction").options)
    assert extractions(own_demo, MISSING["case"]) == [("rules", None), ("rules+edits", "with stretch")]
    with open_store(own_demo, read_only=True) as store:
        assert store.notes.get(MISSING["case"], store.extractions.list(MISSING["case"])[0].id) == before
    page.button(key="back-to-base").click().run()
    assert strip(page)["tag_basic"] == "✕ not extracted"


def test_a_name_that_is_taken_is_refused_with_the_reason(own_demo, diagnose_page):
    page = diagnose_page(**MISSING)
    field(page, "text_input", "Name of the copy").set_value("rules")
    page.button(key="apply-repair").click().run()
    assert "'rules' is the name of another extraction" in texts(page)
    assert extractions(own_demo, MISSING["case"]) == [("rules", None)]


def test_a_changed_setting_is_no_copy_but_a_flag(demo, diagnose_page):
    page = diagnose_page(case="longmemeval_demo/demo_common_word", gold="answer_demo_b_1#1", methods=["bm25"])
    at = next(at for at, row in enumerate(repairs(page)) if row["Edit"].startswith("set "))
    table = next(frame for frame in page.dataframe if "Edit" in frame.value)
    page.session_state[table.key] = {"selection": {"rows": [at]}}
    page.run()
    assert "--set bm25.variant=" in page.code[0].value
    assert not [button for button in page.button if button.key == "apply-repair"]


def test_collateral_counts_the_other_questions(demo, diagnose_page):
    said = markdown(diagnose_page(case="atant_demo/demo_12", question="demo_12_q1"))
    assert re.search(r"Collateral: of 5 other questions, \d rise and \d fall under some method", said)


def test_the_bounds_of_the_search_are_told(demo, diagnose_page):
    assert re.search(r"Tried: \d+ single edits, all there are within up to 10 tags", markdown(diagnose_page(**MISSING)))


def test_the_opposite_edit_tells_whether_the_tags_brought_the_hit(demo, diagnose_page):
    page = diagnose_page(case="atant_demo/demo_01", question="demo_01_q3", methods=["tag_basic", "bm25"])
    assert strip(page)["tag_basic"] == "✓ in top 5"
    page.toggle(key="without").set_value(True).run()
    assert "lost by tag_basic" in markdown(page)
    moves = page.dataframe[0].value.iloc[0]
    assert moves["tag_basic"].endswith("→ none")


def test_a_large_case_is_searched_beside_the_page(demo, diagnose_page, monkeypatch):
    at_once = repairs(diagnose_page(**MISSING))
    monkeypatch.setattr(diagnose_work, "AT_ONCE", 0)
    page = diagnose_page(**MISSING)
    assert not [frame for frame in page.dataframe if "Edit" in frame.value]
    begin = next(button for button in page.button if button.label == "Search repairs")
    begin.click().run()
    (job,) = diagnose_work._works()._by_store.values()
    job.future.result(timeout=60)
    page.run()
    assert repairs(page) == at_once
    assert job.done == job.total > 0


def test_a_search_that_was_stopped_can_be_begun_again(demo, diagnose_page, monkeypatch):
    monkeypatch.setattr(diagnose_work, "AT_ONCE", 0)
    page = diagnose_page(case="longmemeval_demo/demo_diffusion_hurts")
    monkeypatch.setattr(diagnose_work, "search", _stopped)
    next(button for button in page.button if button.label == "Search repairs").click().run()
    for job in diagnose_work._works()._by_store.values():
        job.future.exception(timeout=60)
    page.run()
    assert "It was stopped." in markdown(page)
    assert [button for button in page.button if button.label == "Search repairs"]


def _stopped(*_: object, **__: object) -> None:
    from workbench.ui.jobs import Stopped

    raise Stopped("stopped after 3 cases")


# --- gold that is marked ----------------------------------------------------------------------------------------------------


def test_a_question_without_gold_asks_for_a_mark_and_is_then_diagnosed(store, diagnose_page):
    page = diagnose_page(**KILN | {"question": "kiln_q3"})
    assert any("names no gold" in info.value for info in page.info)
    assert not strip(page)
    linked = diagnose_page(**KILN | {"question": "kiln_q3"}, mark="s3#2")
    assert set(strip(linked)) == {"bm25", "tag_basic"}


def test_a_typed_query_takes_marks_or_the_gold_of_the_question(store, diagnose_page):
    page = diagnose_page(**KILN, q="who has my old kiln")
    assert any("A typed query has no gold" in info.value for info in page.info)
    marks = next(each for each in page.multiselect if each.label == "Notes that answer" and each.key != "context-methods")
    marks.set_value(["s3#2"]).run()
    assert page.query_params["mark"] == "s3#2"
    assert strip(page)["bm25"] == "✓ in top 5"
    page.button(key="untype").click().run()
    assert "mark" not in page.query_params
    page = diagnose_page(**KILN, q="how hot")
    next(button for button in page.button if button.label == "Take the gold of the chosen question").click().run()
    assert page.query_params["mark"] == "s2#1"


def test_a_typed_query_is_saved_as_a_question_of_ones_own(store, diagnose_page):
    page = diagnose_page(**KILN, q="who has my old kiln", mark="s3#2")
    page.button(key="save-own-question").click().run()
    assert not page.exception
    chosen = page.session_state["context"]
    assert (chosen.case_key, chosen.question_id, chosen.typed) == ("own/kiln", "q1", "")
    assert strip(page)["bm25"] == "✓ in top 5"
    with open_store(store, read_only=True) as opened:
        (question,) = opened.questions.of("own/kiln")
        assert (question.text, question.gold.notes) == ("who has my old kiln", ("s3#2",))
        assert len(opened.questions.of("small/kiln")) == 3


def test_a_set_that_is_a_loaded_benchmark_is_refused(store, diagnose_page, monkeypatch):
    monkeypatch.setattr(own_question, "DEFAULT_SET", "other")
    page = diagnose_page(**KILN, q="who has my old kiln", mark="s3#2")
    page.button(key="save-own-question").click().run()
    assert "other is a loaded benchmark" in texts(page)


def test_grades_are_kept(store, diagnose_page):
    page = diagnose_page(**KILN, q="kiln", mark=["s2#1", "s3#2"])
    page.toggle(key="own-graded").set_value(True).run()
    page.segmented_control(key="grade-s3#2").set_value(1).run()
    page.button(key="save-own-question").click().run()
    with open_store(store, read_only=True) as opened:
        assert dict(opened.questions.of("own/kiln")[0].gold.grades) == {"s2#1": 3, "s3#2": 1}


@pytest.mark.parametrize("name", ["compare", "graph"])
def test_other_pages_save_typed_queries_too(store, name):
    page = AppTest.from_string(
        f"from workbench.ui import context\nfrom workbench.ui.pages import {name}\ncontext.sidebar()\n{name}.show()",
        default_timeout=60,
    )
    for key, value in (KILN | {"q": "who has my old kiln", "note": "s3#2"}).items():
        page.query_params[key] = value
    page.run()
    assert page.button(key="save-own-question").disabled
    next(each for each in page.multiselect if each.label == "Notes that answer").set_value(["s3#2"]).run()
    page.button(key="save-own-question").click().run()
    assert not page.exception
    assert page.session_state["context"].case_key == "own/kiln"


# --- labels -----------------------------------------------------------------------------------------------------------------


def save_label(page: AppTest, analyst: str, cause: str, comment: str = "") -> None:
    field(page, "text_input", "Analyst").set_value(analyst)
    field(page, "text_area", "Comment").set_value(comment)
    field(page, "pills", "Cause").set_value(cause)
    field(page, "button", "Save label").click()
    page.run()
    assert not page.exception


def test_a_label_is_appended_and_the_form_shows_it(store, diagnose_page):
    page = diagnose_page(**KILN)
    save_label(page, "Ada", "tagged", "other words")
    save_label(page, "Ada", "wrong gold", "other words")
    with open_labels(store, read_only=True) as labels:
        assert [label.label for label in labels.history()] == ["tagged", "wrong gold"]
        (now,) = labels.current()
    assert now.place == ("small/kiln", "kiln_q1", "s2#1", "")
    assert (now.analyst, now.comment, now.status) == ("Ada", "other words", "open")
    assert "✓ saved" in markdown(page)
    assert field(page, "text_area", "Comment").value == "other words"
    field(page, "button", "Save label").click().run()
    with open_labels(store, read_only=True) as labels:
        assert len(labels.history()) == 2  # nothing new was said


def test_a_label_needs_a_name(store, diagnose_page):
    page = diagnose_page(**KILN)
    save_label(page, " ", "tagged")
    assert "a label needs the analyst's name" in texts(page)
    with open_labels(store, read_only=True) as labels:
        assert not labels.history()


def test_what_others_said_is_folded_and_an_own_label_begins_empty(store, diagnose_page):
    save_label(diagnose_page(**KILN), "Ada", "tagged", "first")
    page = diagnose_page(**KILN)
    assert field(page, "text_area", "Comment").value == ""
    assert any("Said by others (1 label)" in each.label for each in page.expander)
    assert "first" in html(page)


def test_the_next_miss_is_that_of_the_newest_run(own_demo, diagnose_page):
    case = "atant_demo/demo_12"
    with open_store(own_demo) as store:
        run = evaluate(case_inputs(store, [case]), [MethodSpec("tag_basic")], {"extractor": "rules", "config": {}})
        store.runs.add(run)
        missed = [one.question for one in run.results if not any(rank <= 5 for rank in ranks_of(store, run.id, one.question))]
        order = [question.id for question in store.questions.of(case)]
    assert 0 < len(missed) < len(order)
    page = diagnose_page(case=case, question=order[-1], methods=["tag_basic"])
    page.button(key="next-miss").click().run()
    assert page.session_state["context"].question_id == min(missed, key=order.index)
    assert f"{len(missed)} missed question" in markdown(page)


def ranks_of(store: Store, run: str, question: str) -> list[float]:
    """The rank of the first gold item under each method that has one."""
    cells = store.runs.cells("mrr", run=run)
    return [1 / value for (_, asked), found in cells.items() if asked == question for value in found.values() if value]


def test_without_a_run_the_next_miss_is_not_guessed(demo, diagnose_page):
    page = diagnose_page(**MISSING)
    assert not [button for button in page.button if button.key == "next-miss"]
    assert "an evaluation tells" in markdown(page)


# --- imported runs, empty, hostile --------------------------------------------------------------------------------------------


def test_of_an_imported_run_only_what_it_shows_is_said(store, tmp_path, diagnose_page):
    file = tmp_path / "notes.trec"
    file.write_text("kiln_q1 Q0 s3#2 1 2.5 x\nkiln_q1 Q0 s3#1 2 2.0 x\n")
    import_run(store, file, benchmark="small", name="notes")
    page = diagnose_page(**KILN | {"methods": ["run:notes"]})
    assert strip(page) == {"run:notes": ""}
    assert "? can't be known" in markdown(page)
    assert "run:notes lists 2 notes and not this one; the list does not tell why." in html(page)
    assert "An imported run can't be run again" in markdown(page)


def test_a_method_that_can_not_answer_leaves_the_others(store, tmp_path, diagnose_page):
    file = tmp_path / "sessions.trec"
    file.write_text("kiln_q1 Q0 s2 1 2.5 x\n")
    import_run(store, file, benchmark="small", name="sessions")
    page = diagnose_page(**KILN | {"methods": ["run:sessions", "bm25"]})
    assert "**run:sessions** can't answer" in markdown(page)
    assert list(strip(page)) == ["bm25"]


def test_gold_that_was_never_stored_is_told_and_no_edit_is_offered(store, diagnose_page):
    with open_store(store) as opened:
        kiln = opened.cases.get("small/kiln")
        lost = replace(kiln, id="lost", questions=(Question("lost_q1", "How hot?", "1100", gold=Gold(("s9",))),))
        opened.cases.add(lost, opened.notes.get(kiln.key, 1), ExtractionKey("first"))
    page = diagnose_page(case="small/lost", methods=["bm25", "tag_basic"])
    assert set(strip(page).values()) == {"✕ not stored"}
    assert 'The memory holds nothing that answers: "s9"' in unescape(html(page))
    assert "What was never stored no edit can lift" in markdown(page)
    save_label(page, "Ada", "stored")
    with open_labels(store, read_only=True) as labels:
        assert labels.current()[0].note == ""


def test_no_store_says_where_to_begin(no_store, diagnose_page):
    assert any("Load the demo or data of your own" in info.value for info in diagnose_page().info)


def test_hostile_text_is_never_markdown_and_in_html_only_escaped(store, diagnose_page):
    page = diagnose_page(benchmark="small", case="small/hostile", note="h1#1", methods=["bm25", "adaptive", "tag_basic"], k="1")
    save_label(page, HOSTILE, "tagged", HOSTILE)
    field(page, "text_input", "Analyst").set_value("Ada")
    field(page, "button", "Save label").click().run()
    assert "evil.example" not in markdown(page)
    shown = html(page)
    assert "<img" not in shown
    assert "</script>" not in shown
    assert "&lt;img src=x" in shown
