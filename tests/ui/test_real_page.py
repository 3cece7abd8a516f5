"""The page REAL without a browser: facts, timeline, question, beams, derivations, graph, ranks, context, and its URL."""

from __future__ import annotations

import json
import re
import shutil
from datetime import date, datetime
from pathlib import Path

import pytest
from made_facts import PARIS, day, fact, over, said
from real_cases import fill
from shown import HOSTILE, html, markdown, texts
from streamlit.testing.v1 import AppTest

from workbench.evaluate.inputs import case_input
from workbench.methods.real import RealConfig
from workbench.real.answering import answer_prompt, read_answer
from workbench.real.beam import Search
from workbench.real.case_facts import KIND, facts_of, keep_facts, unread
from workbench.real.intervals import timeline
from workbench.real.question import Asked
from workbench.real.relations import relations
from workbench.store import open_store
from workbench.ui import jobs, real_work
from workbench.ui.cached import OpenCase
from workbench.ui.context import STORE_VARIABLE
from workbench.ui.jobs import Job, Stopped
from workbench.ui.real_charts import how_it_ends, timeline_figure
from workbench.ui.real_html import note_html, roles_in
from workbench.ui.real_lanes import compared, lanes_of, overwriting

TABS = ("Facts", "Fact timeline", "Question", "Beam steps", "Derivation", "Fact graph", "Ranks", "Context")


@pytest.fixture(scope="module")
def read_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the three dialogues, whose facts are read already."""
    path = fill(tmp_path_factory.mktemp("real") / "read.duckdb")
    for key in ("changing/paris", "changing/cousins", "changing/beagle"):
        opened = _opened(path, key)
        real_work.read_now(path, opened, RealConfig())
    return path


def _opened(path: Path, key: str) -> OpenCase:
    with open_store(path, read_only=True) as store:
        given = case_input(store, key)
    return OpenCase(given.case, given.memory(), (key,))


@pytest.fixture
def own_store(read_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "store.duckdb"
    shutil.copy(read_store, path)
    monkeypatch.setenv(STORE_VARIABLE, str(path))
    monkeypatch.delenv("WORKBENCH_LLM_URL", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return path


def _script() -> None:
    from workbench.ui import context
    from workbench.ui.pages import real

    context.sidebar()
    real.show()


def real_page(view: str, case: str = "paris", **query: str | list[str]) -> AppTest:
    page = AppTest.from_function(_script, default_timeout=90)
    for name, value in {"benchmark": "changing", "case": f"changing/{case}", "view": view, **query}.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception
    return page


def rows(page: AppTest, column: str) -> list[dict]:
    """The rows of the one table that has a column."""
    (found,) = [each.value for each in page.dataframe if column in each.value]
    return found.to_dict("records")


def plain(page: AppTest) -> str:
    return re.sub("<[^>]+>", "", html(page))


def drawn(page: AppTest) -> dict:
    (component,) = page.get("bidi_component")
    return json.loads(component.proto.json)


# Facts ----------------------------------------------------------------------------------------------------------------------


def test_facts_are_marked_in_the_text_with_letters_and_words(own_store):
    page = real_page("Facts", note="s2#1")
    assert "Ih movedr to Londont on 26 February." in plain(page)
    (stated,) = rows(page, "Relation")
    assert (stated["Head"], stated["Relation"], stated["Tail"], stated["Start"]) == (
        "Vera",
        "lives in",
        "London",
        "2024-02-26 (stated, day)",
    )


def test_the_cue_behind_a_low_confidence_is_marked(own_store):
    assert "mightc" in plain(real_page("Facts", note="s4#1"))


def test_notes_without_a_fact_are_listed_and_single_valued_facts_counted(own_store):
    page = real_page("Facts")
    assert "4 facts in 5 notes, 1 of them without any" in markdown(page)
    assert "4 single-valued facts" in markdown(page)
    assert [row["Mark"] for row in rows(page, "Facts") if row["Mark"]] == ["★ gold"]


def test_hostile_text_of_a_note_stays_text():
    given = fact("Vera", "lives_in", HOSTILE, day(1))
    made = note_html(said("v", day(1), "Vera", f"I live in {HOSTILE}."), [given], relations(), None, False)
    assert "<img" not in made
    assert "</script>" not in made


def test_a_hostile_fact_is_shown_as_text_on_every_tab(own_store):
    opened = _opened(own_store, "changing/paris")
    name = f"Vera {HOSTILE}"
    given = [fact(name, "lives_in", HOSTILE, day(1), note="s1#1"), fact(HOSTILE, "is_a", "place", day(1), note="s1#1")]
    keep_facts(opened.memory, RealConfig(), {note.id: given if note.id == "s1#1" else [] for note in opened.memory.notes})
    with open_store(own_store) as store:
        store.states.put(opened.case.key, opened.memory.states.fresh)
    for tab in TABS:
        page = real_page(tab, q=f"Where does {name} live?", note="s1#1")
        assert "<img" not in html(page)
        assert "](https://evil" not in markdown(page)


# Timeline -------------------------------------------------------------------------------------------------------------------


def test_the_timeline_keeps_the_return_that_overwriting_loses(own_store):
    page = real_page("Fact timeline", at="2024-04-01")
    (lane,) = rows(page, "Overwriting")
    assert lane["Held then"] == "London"
    assert "London" in lane["Lost by it"]
    assert "London" not in lane["Overwriting"]
    held = {row["Tail"]: row["Held at τ_q"] for row in rows(page, "How it ends")}
    assert held["London"] == "yes"
    assert held["Rome"] == "no"


def test_the_moment_can_be_moved_and_stands_in_the_url(own_store):
    page = real_page("Fact timeline")
    assert page.date_input[0].value == date(2024, 7, 1)
    page.date_input[0].set_value(date(2024, 2, 1)).run()
    assert page.query_params["at"] == "2024-02-01"
    assert rows(page, "Overwriting")[0]["Held then"] == "Paris"
    page.button(key="as-asked").click().run()
    assert "at" not in page.query_params


def test_an_impossible_day_in_the_url_is_the_default(own_store):
    assert real_page("Fact timeline", at="2024-13-77").date_input[0].value == date(2024, 7, 1)


def test_only_what_was_known_then_can_be_shown(own_store):
    page = real_page("Fact timeline", at="2024-03-01")
    assert len(rows(page, "How it ends")) == 4
    page.toggle(key="known").set_value(True).run()
    (only,) = rows(page, "How it ends")
    assert (only["Tail"], only["How it ends"]) == ("Paris", "open")


def test_bars_are_intervals_with_hatching_caps_and_words():
    job = [fact("Vera", "works_at", "Orbit", day(1)), over("Vera", "works_at", "Orbit", day(4))]
    edges = timeline([*PARIS, *job], relations(), 0.5)
    lanes = lanes_of(edges, relations())
    figure = timeline_figure(lanes, datetime(2024, 7, 1), frozenset({"v3"}), "", "light")
    bars = {trace.name: trace for trace in figure.data}
    stable, tentative = bars["valid in its interval"], bars["tentative: hatched, closes nothing"]
    assert len(stable.x) == 4
    assert tentative.text == ("Rome",)
    assert tentative.marker.pattern.shape == "/"
    assert [text for text in stable.text if "★ gold" in text] == ["★ gold Paris"]
    at = stable.text.index("London")
    assert stable.base[at] == datetime(2024, 2, 26)
    assert stable.x[at] == (datetime(2024, 6, 1) - datetime(2024, 2, 26)).total_seconds() * 1000
    assert bars["taken back"].x == (datetime(2024, 4, 1),)
    assert figure.layout.shapes[0].x0 == datetime(2024, 7, 1)


def test_what_is_superseded_at_once_is_grey_and_says_so():
    edges = timeline(
        [fact("V", "lives_in", "A", day(1), note="a"), fact("V", "lives_in", "B", day(1), note="b")], relations(), 0.5
    )
    assert sorted(map(how_it_ends, edges)) == ["open", "superseded at once"]
    figure = timeline_figure(lanes_of(edges, relations()), None, frozenset(), "", "light")
    assert "superseded at once" in [trace.name for trace in figure.data]


def test_a_lane_names_what_overwriting_lost():
    edges = timeline(PARIS[:3], relations(), 0.5)
    (found,) = compared(lanes_of(edges, relations()), datetime(2024, 4, 1), overwriting(PARIS[:3], relations()))
    assert (found.valid, found.overwriting, found.lost) == (("London",), ("Paris",), ("London",))


# Question, beams, derivations -----------------------------------------------------------------------------------------------


def test_roots_and_intents_have_the_words_that_triggered_them(own_store):
    page = real_page("Question", question="paris_q2")
    (root,) = rows(page, "Root")
    assert (root["Root"], root["Intent"], root["Cue"]) == ("Vera", "EVOLUTION", "changed")
    assert "Veraroot" in plain(page)
    assert "changedintent" in plain(page)


def test_beams_are_stepped_with_scores_decision_and_reason(own_store):
    page = real_page("Beam steps")
    assert [row["Decision"] for row in rows(page, "S_QR")] == ["kept"]
    page.slider(key="beam-step").set_value(1).run()
    assert page.query_params["step"] == "1"
    (beam,) = rows(page, "S_QR")
    assert beam["Mark"] == "★ gold"
    assert beam["Decision"] == "stop: sufficient"
    total = (0.4 * beam["S_QR"] + 0.2 * beam["S_LC"] + 0.4 * beam["S_AS"]) * beam["c^½"]
    assert total == pytest.approx(beam["S"])
    assert beam["Found"] == "vera, live"
    assert beam["Missing"] == ""
    assert beam["Type"] == "fits"


def test_held_back_facts_name_their_filter(own_store):
    page = real_page("Beam steps")
    assert "1 by confidence, 2 by interval" in page.expander[-1].label


def test_a_step_that_is_not_there_is_the_last(own_store):
    assert real_page("Beam steps", step="99").slider(key="beam-step").value == 1
    assert real_page("Beam steps", step="-3").slider(key="beam-step").value == 0


def test_a_derivation_shows_premises_rule_and_arithmetic(own_store):
    page = real_page("Derivation", "cousins")
    assert "symmetry" in plain(page)
    assert "0.95 x 0.90 = 0.855" in plain(page)
    assert "dashed" in html(page)


def test_rules_that_did_not_apply_are_named(own_store):
    page = real_page("Derivation", "cousins", q="Does Nora like tea?")
    assert "Nothing applied" in markdown(page)
    assert "symmetry, inverse" in markdown(page)
    assert "No rule was tried" in markdown(real_page("Derivation"))


def test_inferred_edges_are_dashed_arrows_beside_stored_ones(own_store):
    page = real_page("Fact graph", "cousins")
    edges = {(edge["from"], edge["to"]): edge for edge in drawn(page)["edges"]}
    assert edges["felix", "inga"]["kind"] == "fact"
    assert "dashes" not in edges["felix", "inga"]
    assert edges["inga", "felix"]["dashes"]
    assert edges["inga", "felix"]["arrows"] == "to"
    assert {row["Inferred by"] for row in rows(page, "Inferred by")} == {"", "symmetry"}


def test_the_fact_graph_is_filtered_by_date_and_confidence(own_store):
    page = real_page("Fact graph")
    assert {node["id"] for node in drawn(page)["nodes"]} == {"vera", "paris", "london", "rome"}
    page.toggle(key="only-valid").set_value(True).run()
    assert {node["id"] for node in drawn(page)["nodes"]} == {"vera", "paris"}
    page.slider(key="least").set_value(0.95).run()
    assert not page.get("bidi_component")
    assert "No fact passes" in markdown(page)


# Ranks, switches, context ---------------------------------------------------------------------------------------------------


def test_every_ablation_has_a_column_and_intervals_matter(own_store):
    (first,) = rows(real_page("Ranks"), "First ★ gold")
    assert first["First ★ gold"] == "1 of 1"
    assert first["− validity intervals"] == "2 of 3"
    assert {"− confidence", "− intents", "− semantic evaluator", "− counterfactual rules", "vanilla_graph"} <= set(first)


def test_a_switch_is_said_changes_the_search_and_can_be_undone(own_store):
    page = real_page("Derivation", "cousins", uses=["Validity intervals", "Confidence", "Intents", "Semantic evaluator"])
    assert "without counterfactual rules" in markdown(page).replace("\\", "")
    assert "switched off" in markdown(page)
    page.button(key="undo-all").click().run()
    assert "symmetry" in plain(page)


def test_visited_nodes_are_listed(own_store):
    page = real_page("Ranks")
    assert "2 nodes visited of 4" in markdown(page)
    assert "Paris, Vera" in texts(page)


def test_the_context_is_what_a_model_reads_and_says_how_to_ask_one(own_store):
    page = real_page("Context")
    assert "Vera -[lives in, 2024-06-01.., c=0.90" in page.code[0].value
    assert "WORKBENCH_LLM_URL" in markdown(page)


def test_the_prompt_holds_evidence_moment_and_question():
    asked = Asked("Where?", (), "FACT", "", (), (), datetime(2024, 7, 1), None)
    prompt = answer_prompt("c/1", "q", Search(asked))
    assert "No fact was found." in prompt.user
    assert "2024-07-01" in prompt.user
    assert prompt.user.endswith("Question: Where?")
    assert read_answer({"answer": " Paris "}) == "Paris"
    with pytest.raises(ValueError, match="answer"):
        read_answer({"answer": ""})


def test_without_a_question_facts_stay_and_the_other_tabs_say_what_to_do(own_store):
    page = real_page("Beam steps", q="?!")
    assert "Type a question above" in markdown(page)


# The first reading ----------------------------------------------------------------------------------------------------------


def test_a_small_case_is_read_at_once_and_stored(tmp_path, monkeypatch):
    path = fill(tmp_path / "new.duckdb")
    monkeypatch.setenv(STORE_VARIABLE, str(path))
    real_page("Facts")
    with open_store(path, read_only=True) as store:
        assert {state.kind for state in store.states.of_case("changing/paris")} >= {KIND}
    assert unread(_opened(path, "changing/paris").memory, RealConfig()) == []


def test_a_large_case_is_offered_with_progress(tmp_path, monkeypatch):
    path = fill(tmp_path / "new.duckdb")
    monkeypatch.setenv(STORE_VARIABLE, str(path))
    monkeypatch.setattr(real_work, "SMALL", 1)
    page = real_page("Facts")
    assert "have not been read yet" in markdown(page)
    page.button(key="read-facts").click().run()
    jobs.jobs().of(str(path)).future.result(60)
    page.run()
    assert "4 facts in 5 notes" in markdown(page)
    assert "5 notes read" in markdown(page)


def test_reading_that_is_stopped_keeps_what_it_has(tmp_path, monkeypatch):
    path = fill(tmp_path / "new.duckdb")
    monkeypatch.setattr(real_work, "BATCH", 2)
    opened = _opened(path, "changing/paris")
    job = Job("reading", str(path), 5)
    job.stop()
    with pytest.raises(Stopped):
        real_work.read(path, opened, RealConfig(), job)
    again = _opened(path, "changing/paris").memory
    assert len(unread(again, RealConfig())) == 3
    assert len(facts_of(again, RealConfig())) == 4


def test_words_of_a_fact_are_found_by_their_index_words():
    found = roles_in("I moved to London.", fact("Vera", "lives_in", "London", day(1)), relations())
    assert found == {(0, 1): "h", (2, 7): "r", (11, 17): "t"}


def test_small_choices_of_the_page_are_in_its_link(own_store):
    """A copied link opens the same state."""
    assert real_page("Fact graph", **{"fact-nodes": "80"}).select_slider(key="fact-nodes").value == 80
    assert not real_page("Context", narrow="false").toggle(key="narrow").value
