"""The page AriadneMem without a browser: decisions, timeline, evidence, bridges, context, switches, and how a case is read."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ariadne_dialogues import CAT, MEETING
from chat_service import KEY, ChatService, Says, chat_service
from shown import html, markdown, texts
from streamlit.testing.v1 import AppTest
from talks_store import HOSTILE, build_talks

from workbench.chat import service as client
from workbench.errors import StoreError
from workbench.store import open_store
from workbench.ui import ariadne_settings, ariadne_work, cached, case_states
from workbench.ui.context import STORE_VARIABLE
from workbench.ui.jobs import Stopped, jobs

TWO_LEGS = {"k_sem": "2", "k_lex": "1"}
"""Legs short enough for the fact between two others not to be retrieved by itself."""
STAGES = ("Ingestion", "State timeline", "Evidence graph", "Bridges", "Paths and budget", "Context", "Ranks")


@pytest.fixture(scope="session")
def built_talks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_talks(tmp_path_factory.mktemp("talks") / "talks.duckdb")


@pytest.fixture
def talks(built_talks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of it, which the app starts with; no model is configured."""
    path = tmp_path / "talks.duckdb"
    shutil.copy(built_talks, path)
    monkeypatch.setenv(STORE_VARIABLE, str(path))
    monkeypatch.setattr(cached, "WAIT_SECONDS", 0.3)
    for name in ("WORKBENCH_LLM_URL", "WORKBENCH_LLM_MODEL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    yield path
    if (job := jobs().of(str(path))) is not None:
        job.stop()


def _script() -> None:
    from workbench.ui import context
    from workbench.ui.pages import ariadne

    context.sidebar()
    ariadne.show()


def visit(case: str, stage: str = "Ingestion", **query: str | list[str]) -> AppTest:
    page = AppTest.from_function(_script, default_timeout=60)
    for name, value in {"case": f"talks/{case}", "stage": stage, **query}.items():
        page.query_params[name] = value
    return again(page)


def again(page: AppTest) -> AppTest:
    page.run()
    assert not page.exception, page.exception
    return page


def rows(page: AppTest, place: int = 0) -> list[dict[str, Any]]:
    return page.dataframe[place].value.to_dict("records")


def drawn(page: AppTest) -> dict[str, Any]:
    """What is sent to the browser for the graph."""
    (component,) = page.get("bidi_component")
    return json.loads(component.proto.json)


def spoken(page: AppTest) -> str:
    return markdown(page).replace("\\", "")


# --- reading ------------------------------------------------------------------------------------------------------------------


def test_a_small_case_is_read_at_once_and_stored(talks):
    visit("meeting")
    with open_store(talks, read_only=True) as store:
        kinds = [state.kind for state in store.states.of_case("talks/meeting")]
    assert kinds.count("ariadne entries") == 3
    assert kinds.count("ariadne decisions") == 1


def test_a_store_that_can_not_be_written_is_told_and_the_page_works(talks, monkeypatch):
    def locked(*_: Any, **__: Any) -> None:
        raise StoreError("another program writes to it")

    monkeypatch.setattr(case_states, "open_store", locked)
    page = visit("meeting")
    assert "not stored" in spoken(page)
    assert "another program writes to it" in spoken(page)
    assert len(rows(page)) == 3


def test_a_longer_case_is_read_beside_the_page_and_stored(talks):
    page = visit("long", "Evidence graph")
    assert "60 notes" in page.info[0].value
    assert not page.dataframe
    page.button(key="read-turns").click()
    again(page)
    found = jobs().of(str(talks)).future.result(60)
    assert found.notes == 60
    assert 0 < found.entries <= 60
    page = again(page)
    assert "Reading the turns** is done" in spoken(page)
    assert rows(page)
    with open_store(talks, read_only=True) as store:
        kinds = [state.kind for state in store.states.of_case("talks/long")]
    assert kinds.count("ariadne entries") == 60


def test_what_was_read_until_a_stop_is_kept(talks, monkeypatch):
    opened_path = talks
    with open_store(opened_path, read_only=True) as store:
        extraction = store.extractions.list("talks/long")[0].id
    opened = cached.open_case(opened_path, "talks/long", extraction)
    monkeypatch.setattr(ariadne_work, "BATCH", 8)
    job = ariadne_work.Job("reading", str(opened_path))
    advance = job.advance

    def stopping(done: int, name: str) -> None:
        job.stop()
        advance(done, name)

    monkeypatch.setattr(job, "advance", stopping)
    with pytest.raises(Stopped):
        ariadne_work.read(opened_path, opened, ariadne_work.AriadneConfig(), job)
    with open_store(opened_path, read_only=True) as store:
        assert len(store.states.of_case("talks/long")) == 8


# --- ingestion and timeline ---------------------------------------------------------------------------------------------------


def test_every_turn_has_its_decision_with_what_it_repeats(talks):
    found = {row["Turn"]: row for row in rows(visit("cat"))}
    assert [found[f"E{at}"]["Decision"] for at in range(1, 6)] == ["added", "dropped", "merged", "added", "updated"]
    assert found["E2"]["Because"] == "repeats a recent entry"
    assert found["E2"]["Nearest earlier entry (m*)"] == CAT[0][2]
    assert found["E2"]["Cosine"] > 0.9
    assert found["E2"]["Hours apart"] == 0.5


def test_the_evidence_that_the_gate_drops_is_counted_and_marked(talks):
    page = visit("cat")
    assert "gold lost at the gate: 1 of 1 evidence turn" in spoken(page)
    assert [row["Turn"] for row in rows(page) if row["Mark"] == "★ gold"] == ["E2"]
    without = visit("cat", gate_at="1.0")
    assert "gold lost at the gate: 0 of 1 evidence turn" in spoken(without)
    assert "dropped 0 (was 1)" in spoken(without)


def test_decisions_can_be_filtered_and_the_url_keeps_it(talks):
    page = visit("cat", decision=["dropped", "merged"])
    assert [row["Turn"] for row in rows(page)] == ["E2", "E3"]
    assert [row["Turn"] for row in rows(visit("cat", evidence="true"))] == ["E2"]


def test_a_lost_turn_is_not_ranked_and_the_page_says_so(talks):
    assert "gold: not among the" in spoken(visit("cat", "Ranks"))


def test_the_timeline_strikes_the_old_value_and_names_both_sources(talks):
    page = visit("meeting", "State timeline")
    shown = html(page)
    assert "<s>2 pm</s> → <b>3 pm</b>" in shown
    assert shown.index(MEETING[0][2]) < shown.index(MEETING[2][2])
    assert "E1" in shown
    assert "E3 · now" in shown
    (row,) = rows(page)
    assert (row["Link"], row["Old"], row["New"], row["Mark"]) == ("updated", "2 pm", "3 pm", "★ gold")
    assert "stays two entries" in spoken(page)


def test_without_an_update_the_timeline_says_so(talks):
    assert "No update was recognised" in spoken(visit("bike", "State timeline"))


# --- a question -----------------------------------------------------------------------------------------------------------------


def test_the_graph_shows_two_components_and_the_bridge_between_them(talks):
    sent = drawn(visit("bike", "Evidence graph", note="s3#1", **TWO_LEGS))
    labels = {node["id"]: node["label"] for node in sent["nodes"] if node["id"].startswith("entry:")}
    assert {name: label.split(" ")[1] for name, label in labels.items() if name != "entry:2"} == {"entry:0": "①", "entry:5": "②"}
    assert labels["entry:2"].startswith("★ gold #3 ◆ bridge")
    heights = [node["y"] for node in sorted(sent["nodes"], key=lambda node: node["id"]) if node["id"] in labels]
    assert heights == sorted(heights)
    assert {(edge["from"], edge["to"]) for edge in sent["edges"]} == {("entry:0", "entry:2"), ("entry:2", "entry:5")}
    assert {edge["kind"] for edge in sent["edges"]} == {"path"}  # the open note is on it
    assert sent["selected"] == ["entry:2"]


def test_components_beyond_the_looks_are_told_apart_by_their_numbers(talks):
    page = visit("apart", "Evidence graph")
    found = {row["Component"] for row in rows(page)} - {""}
    assert found == {"①", "②", "③", "④", "⑤"}
    nodes = [node for node in drawn(page)["nodes"] if node["id"].startswith("entry:")]
    looks = {mark: {node["group"].split()[0] for node in nodes if mark in node["label"]} for mark in found}
    assert all(len(look) == 1 for look in looks.values())
    assert looks["①"] == looks["④"] != looks["②"]


def test_the_table_has_what_the_graph_has(talks):
    page = visit("bike", "Evidence graph", **TWO_LEGS)
    found = rows(page)
    nodes = [node for node in drawn(page)["nodes"] if node["id"].startswith("entry:")]
    assert len(found) == len(nodes) == 3
    assert [row["Role"] for row in found] == ["terminal", "terminal", "bridge"]
    assert found[2]["Relevance"] == pytest.approx(0.5 * found[1]["Relevance"])
    assert all(row["Relevance"] == pytest.approx(row["Dense"] + row["Keyword"]) for row in found[:2])
    assert [row["Alignment"] for row in found[:2]] == [1.0, 0.5]
    assert "lena, tom" in spoken(page)  # the hubs
    assert "entries without ida count 0.5" in spoken(page)


def test_a_bridge_is_told_with_its_candidates_and_the_control(talks):
    page = visit("bike", "Bridges", **TWO_LEGS)
    assert "Bridge found** · 2 components before, 1 after" in spoken(page)
    assert [value for value in texts(page).splitlines() if value.startswith(("Lena", "Tom"))] == [
        "Lena on 4 March 2024: My sister Ida started at the bakery on Mill Street.",
        "Lena on 6 March 2024: The bakery on Mill Street belongs to Mr Okafor.",
        "Tom on 8 March 2024: Mr Okafor is looking for a cargo bike.",
    ]
    candidates, control, pairs = (rows(page, at) for at in range(3))
    assert candidates[0]["Taken"] == "◆ bridge"
    assert {row["Standing"] for row in candidates[1:]} == {"inside, shares nothing with both ends", "outside the interval"}
    assert len(control) == 1
    assert "1 of the bridges, 0 of these" in spoken(page)
    assert [row["Components"] for row in pairs] == ["2 → 1"]


def test_ends_too_far_apart_have_no_bridge_and_the_page_says_why(talks):
    assert "between 1 and 168 hours apart" in spoken(visit("late", "Bridges", **TWO_LEGS))


def test_the_url_names_a_pair_and_buttons_step_through_them(talks):
    page = visit("bike", "Bridges", k_sem="6")
    last = len(rows(page, len(page.dataframe) - 1))
    assert last > 1
    page.query_params["pair"] = "1"
    page = again(page)
    assert f"pair 1 of {last}" in spoken(page)
    assert page.button(key="pair-before").disabled
    page.button(key="pair-after").click()
    page = again(page)
    assert f"pair 2 of {last}" in spoken(page)
    assert page.query_params["pair"] in ("2", ["2"])


@pytest.mark.parametrize("pair", ["99999", "two"])
def test_a_url_with_no_such_pair_shows_the_first_bridge(talks, pair):
    assert "Bridge found" in spoken(visit("bike", "Bridges", pair=pair, **TWO_LEGS))


def test_a_path_has_its_numbers_and_the_budget_is_told(talks):
    page = visit("bike", "Paths and budget", **TWO_LEGS)
    (row,) = rows(page)
    assert row["Path"].count("→") == 2
    assert "◆ The bakery" in row["Path"]
    assert row["Coherence"] == pytest.approx(1 / (1 + 96 / 168))
    assert row["Value"] == pytest.approx(row["Mean relevance"] * row["Coherence"])
    assert "3 of 3 entries kept" in spoken(page)
    assert "Cap hit" not in "".join(each.value for each in page.warning)


def test_a_cap_on_paths_is_told(talks, monkeypatch):
    few = replace(ariadne_settings.DEFAULT, near_hours=200.0, path_limit=2, path_best=1)
    monkeypatch.setattr(ariadne_settings, "DEFAULT", few)
    page = visit("bike", "Paths and budget")
    (warning,) = page.warning
    assert warning.value.startswith("Cap hit: more than 2 paths, so only the 1 of largest")
    assert len(rows(page)) == 1


def test_the_budget_tells_what_it_cut(talks, monkeypatch):
    monkeypatch.setattr(ariadne_settings, "DEFAULT", replace(ariadne_settings.DEFAULT, budget_least=1, budget_most=2))
    page = visit("bike", "Paths and budget", **TWO_LEGS)
    assert "2 of 3 entries kept" in spoken(page)
    (cut,) = rows(page, len(page.dataframe) - 1)
    assert (cut["Role"], cut["Mark"]) == ("bridge", "★ gold")


def test_the_context_lists_its_facts_with_updates_and_tokens(talks):
    page = visit("meeting", "Context")
    first, second = rows(page)
    assert (first["Fact"], first["Updated by"]) == ("F1", "F2: 3 pm")
    assert (second["Fact"], second["Mark"]) == ("F2", "★ gold")
    (code,) = page.code
    assert "F1 ⇒ F2 (updated: 2 pm, now 3 pm)" in code.value
    assert f"about {-(-len(code.value) // 4)} tokens" in spoken(page)
    assert "set WORKBENCH_LLM_URL and WORKBENCH_LLM_MODEL" in spoken(page)


def test_the_open_note_stands_beside_and_can_be_closed(talks):
    page = visit("meeting", "Context", note="s1#1")
    assert "The <u>budget</u> <u>meeting</u> with Priya" in html(page)
    page.button(key="close-note").click()
    assert "The <u>budget</u>" not in html(again(page))


# --- switches -----------------------------------------------------------------------------------------------------------------


def test_without_bridges_the_bridge_leaves_the_ranking(talks):
    page = visit("bike", "Ranks", **TWO_LEGS)
    assert [row["Rank"] for row in rows(page) if row["Mark"]] == ["3"]
    page.pills(key="parts").set_value(["gate", "coarsening", "topology"]).run()
    (gold,) = (row for row in rows(again(page)) if row["Mark"])
    assert (gold["Rank"], gold["Move"]) == ("", "out")
    assert "bridges off" in spoken(page)
    page.button(key="undo-all").click()
    assert "Nothing is changed" in spoken(again(page))


def test_without_coarsening_there_is_no_update(talks):
    page = visit("meeting", "State timeline", parts=["Gate", "Bridges", "Topology"])
    assert "coarsening off" in spoken(page)
    assert "No update was recognised" in spoken(page)


def test_without_topology_no_path_is_mined(talks):
    page = visit("bike", "Paths and budget", parts=["Gate", "Coarsening", "Bridges"], **TWO_LEGS)
    assert "no path is mined" in spoken(page)


def test_changed_settings_are_not_stored(talks):
    visit("cat", gate_at="0.9", merge_at="0.9")
    with open_store(talks, read_only=True) as store:
        kinds = [state.kind for state in store.states.of_case("talks/cat")]
    assert kinds.count("ariadne decisions") == 1


@pytest.mark.parametrize("stage", ["Ingestion", "Bridges"])
def test_bad_urls_leave_the_page_standing(talks, stage):
    bad = {"gate_at": "seven", "k_sem": "-3", "parts": "everything", "decision": "none", "note": "no such", "pair": "x"}
    page = visit("meeting", stage, **bad)
    assert "What if" not in spoken(page)


# --- questions that can't be asked, texts that can't be trusted ---------------------------------------------------------------


@pytest.mark.parametrize("stage", ["Evidence graph", "Ranks"])
def test_a_query_without_a_word_says_what_to_do(talks, stage):
    assert "Type a question above" in spoken(visit("meeting", stage, q="?!"))


def test_a_typed_query_is_worked_out(talks):
    page = visit("meeting", "Context", q="office plants")
    assert any("watered the office plants" in row["Text"] for row in rows(page))
    assert "A typed query" in spoken(page)


def test_a_case_without_turns_says_so(talks):
    assert "No turn of this case is read" in spoken(visit("silent"))
    assert "No turn of this case gives an entry" in spoken(visit("silent", "Ranks"))


@pytest.mark.parametrize("stage", STAGES)
def test_texts_are_shown_as_text(talks, stage):
    page = visit("hostile", stage, note="s1#1")
    assert "<img" not in html(page)
    for element in (*page.markdown, *page.caption, *page.info):
        assert HOSTILE not in element.value
        assert "](https://evil.example)" not in element.value.replace("\\](", "")


# --- a model's answer -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def service(talks: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatService]:
    monkeypatch.setattr(client, "BACKOFF", 0.01)
    with chat_service() as server:
        given = {"URL": server.url, "KEY": KEY, "MODEL": "some-model", "CONCURRENCY": "1", "RETRIES": "1"}
        for name, value in given.items():
            monkeypatch.setenv(f"WORKBENCH_LLM_{name}", value)
        yield server


def test_a_configured_model_answers_once_from_the_context(talks, service):
    service.always = Says(json.dumps({"reasoning": f"F2 updates F1 {HOSTILE}", "answer": "Friday at 3 pm"}))
    page = visit("meeting", "Context")
    for _ in range(2):
        page.button(key="ask-model").click()
        again(page)
        jobs().of(str(talks)).future.result(30)
        page = again(page)
        assert "Friday at 3 pm" in texts(page)
        assert HOSTILE in texts(page)
    (asked,) = service.asked  # the second time the recorded answer is taken
    assert "updated: 2 pm, now 3 pm" in json.dumps(asked, ensure_ascii=False)
