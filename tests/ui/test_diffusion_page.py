"""The page Diffusion without a browser: what it draws, its state in the URL, what-if, and what it says where nothing spreads."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path

import pytest
from shown import HOSTILE, html, markdown, texts
from streamlit.testing.v1 import AppTest

from workbench.notes import interactions
from workbench.records import Case, Extraction, Note, Question, Session, Turn
from workbench.store import ExtractionKey, open_store

GOLD = "file:s2#1"


@pytest.fixture
def kiln(store: Path) -> dict[str, str]:
    """Query parameters of the case whose answer, the note s2#1, holds words that the question asks for."""
    with open_store(store, read_only=True) as opened:
        row = next(row for row in opened.extractions.list("small/kiln") if row.extractor == "first")
    return {"benchmark": "small", "case": "small/kiln", "question": "kiln_q1", "extraction": f"first:{row.digest[:8]}"}


@pytest.fixture
def tagged(store: Path) -> dict[str, str]:
    """Query parameters of a case in which the question's word meets a tag of its own, music/guitar, and two notes."""
    said = {"a": ("food/cake", "A cake for Ana."), "b": ("music/guitar", "New strings."), "c": ("music/guitar", "My guitar.")}
    sessions = tuple(
        Session(id, (Turn("user", text), Turn("assistant", "Fine.")), at, datetime(2024, 5, 1 + at))
        for at, (id, (_, text)) in enumerate(said.items())
    )
    case = Case("tagged", "t1", sessions, (Question("t1_q1", "Which guitar?"), Question("t1_q2", "Which cake?")))
    notes = tuple(Note(one, Extraction(what=(said[one.session_id][0],))) for one in interactions(case))
    with open_store(store) as opened:
        opened.cases.add(case, notes, ExtractionKey("none"), now=datetime(2024, 5, 1))
    return {"benchmark": "tagged", "case": "tagged/t1", "question": "t1_q1"}


def _script() -> None:
    from workbench.ui import context
    from workbench.ui.pages import diffusion

    context.sidebar()
    diffusion.show()


def diffusion_page(**query: str | list[str]) -> AppTest:
    page = AppTest.from_function(_script, default_timeout=60)
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception
    return page


def drawn(page: AppTest) -> dict:
    """What is sent to the browser for the graph."""
    (component,) = page.get("bidi_component")
    return json.loads(component.proto.json)


def bar(page: AppTest) -> dict:
    """What is sent to the browser for the bar of steps."""
    return drawn(page)["stepper"]


def sizes(page: AppTest) -> dict[str, float]:
    return {node["id"]: node["size"] for node in drawn(page)["nodes"] if "size" in node}


def table(page: AppTest) -> list[dict]:
    return page.dataframe[0].value.to_dict("records")


def plain_html(page: AppTest) -> str:
    return re.sub("<[^>]+>", " ", html(page))


def test_the_page_starts_at_the_seeds_with_gold_chosen(kiln):
    page = diffusion_page(**kiln)
    assert bar(page)["step"] == 0
    assert drawn(page)["selected"] == [GOLD]
    labels = {node["id"]: node["label"] for node in drawn(page)["nodes"] if "label" in node}
    assert labels[GOLD].split()[:3] == ["▶", "★", "gold"]
    assert "0 tags and" in markdown(page)
    assert "step" not in page.query_params


def test_seeds_are_marked_by_sign_and_counted(tagged):
    page = diffusion_page(**tagged)
    label = next(node["label"] for node in drawn(page)["nodes"] if node["id"] == "tag:music/guitar")
    assert label.startswith("▶")
    assert "1 tag and 2 notes as seeds" in markdown(page)


def test_every_step_has_a_frame_whose_sizes_are_those_drawn_when_python_draws_the_step(kiln):
    first = bar(diffusion_page(**kiln))
    assert first["frames"][0] == 0
    assert first["frames"][-1] == first["last"]
    assert len(first["frames"]) == len(first["sizes"]) == len(first["lines"]) <= 60
    at_seven = sizes(diffusion_page(**kiln, step="7"))
    frame = dict(zip(first["nodes"], first["sizes"][first["frames"].index(7)], strict=True))
    assert frame == pytest.approx({node: at_seven[node] for node in frame}, abs=0.011)
    assert frame != dict(zip(first["nodes"], first["sizes"][0], strict=True))


def test_steps_patch_the_drawing_and_never_build_it_anew(kiln):
    assert drawn(diffusion_page(**kiln))["version"] == drawn(diffusion_page(**kiln, step="9"))["version"]


def test_the_converged_answer_is_outlined_at_every_step(kiln):
    ghosts = [
        {k: v for k, v in sizes(diffusion_page(**kiln, step=step)).items() if k.startswith("ghost:")} for step in ("0", "9")
    ]
    assert ghosts[0] == ghosts[1]
    last = bar(diffusion_page(**kiln))
    assert ghosts[0][f"ghost:{GOLD}"] == dict(zip(last["nodes"], last["sizes"][-1], strict=True))[f"disc:{GOLD}"]


def test_events_can_be_jumped_to(kiln):
    events = [words for _, words in bar(diffusion_page(**kiln))["events"]]
    assert any("gold is among the first 10" in words for words in events)
    assert any("gold stays at rank" in words for words in events)
    assert any("freezes" in words for words in events)
    assert any("residual falls below" in words for words in events)


def test_the_table_ranks_the_notes_of_the_step_and_moves_them_against_the_seeds(kiln):
    rows = table(diffusion_page(**kiln, step="5"))
    ranked = [row for row in rows if row["Kind"] == "note" and row["Move"]]
    assert [row["Rank"] for row in ranked] == list(range(1, len(ranked) + 1))
    gold = next(row for row in ranked if row["Mark"].startswith("★ gold"))
    assert gold["Mass"] > 0
    assert {"tag", "topic"} <= {row["Kind"] for row in rows}


def test_the_attribution_is_shown_twice_with_the_same_sum(kiln):
    words = plain_html(diffusion_page(**kiln))
    sums = re.findall(r"sum\s+(0\.\d+)", words)
    assert len(sums) == 2
    assert sums[0] == sums[1] != "0.0000"
    assert "its own words" in words


def test_the_equation_of_the_step_has_its_numbers_filled_in(kiln):
    page = diffusion_page(**kiln, step="3")
    assert "Equation of step 3" in markdown(page)
    words = " ".join(plain_html(page).split())
    left, right, seed_share, seed, value = map(
        float, re.search(r"= ([\d.]+) × ([\d.e-]+) \+ ([\d.]+) × ([\d.e-]+) = ([\d.e-]+)", words).groups()
    )
    assert (left, seed_share) == (0.85, 0.15)
    assert left * right + seed_share * seed == pytest.approx(value, rel=2e-3)
    gold = next(row for row in table(page) if row["Mark"].startswith("★ gold"))
    assert gold["Mass"] == pytest.approx(value, rel=1e-3)


def test_a_tag_in_the_url_is_chosen_and_has_its_equation(kiln):
    page = diffusion_page(**kiln, node="tag:pottery/kiln", step="2")
    assert drawn(page)["selected"] == ["tag:pottery/kiln"]
    assert "Selected tag" in markdown(page)
    assert "Equation of step 2" in markdown(page)
    assert page.query_params["node"] in ("tag:pottery/kiln", ["tag:pottery/kiln"])


def test_a_note_that_is_open_elsewhere_is_chosen_here(kiln):
    page = diffusion_page(**kiln, note="s3#2")
    assert drawn(page)["selected"] == ["file:s3#2"]
    assert "I sold my old kiln." in texts(page)


def test_bad_values_in_the_url_are_put_right(kiln):
    bad = {"step": "-3", "node": "tag:no/such", "alpha": "seven", "share": "9", "direction": "up", "on": "everything"}
    page = diffusion_page(**kiln, **bad, mute=["tag:no/such"], w_similarity="nan", drawn="7")
    assert bar(page)["step"] == 0
    assert "What if:" not in markdown(page)
    assert page.slider(key="alpha").value == 0.85
    assert "node" not in page.query_params
    assert "mute" not in page.query_params


@pytest.mark.parametrize("step", ["99999", "999999999999999999999", "²", "1.5", ""])
def test_a_step_that_is_not_there_becomes_one_that_is(kiln, step):
    page = diffusion_page(**kiln, step=step)
    assert bar(page)["step"] in (0, bar(page)["last"])


def test_alpha_is_part_of_the_url_and_changes_the_ranks_below(kiln):
    page = diffusion_page(**kiln, alpha="0")
    assert "alpha 0 (not 0.85)" in markdown(page).replace("\\", "")
    moves = page.dataframe[1].value.to_dict("records")
    assert {"Before", "After", "Move", "Mark", "Note"} == set(moves[0])
    assert any(row["Mark"] == "★ gold" for row in moves)
    assert any(row["Move"] == "out" for row in moves)  # without spreading, notes without a seed are not ranked


def test_moving_a_slider_tells_and_undo_goes_back(kiln):
    page = diffusion_page(**kiln)
    page.slider(key="alpha").set_value(0.3).run()
    assert "alpha 0.3" in markdown(page).replace("\\", "")
    page.button(key="undo-all").click().run()
    assert not page.exception
    assert page.slider(key="alpha").value == 0.85
    assert "Nothing is changed yet" in markdown(page)


def test_a_seed_can_be_switched_off_and_on(tagged):
    page = diffusion_page(**tagged)
    (chips,) = [each for each in page.pills if each.key.startswith("seeds-")]
    assert "tag:music/guitar" in chips.value
    chips.set_value([node for node in chips.value if node != "tag:music/guitar"]).run()
    assert page.query_params["mute"] in ("tag:music/guitar", ["tag:music/guitar"])
    assert "1 seed off" in markdown(page)
    assert "▶" not in next(node["label"] for node in drawn(page)["nodes"] if node["id"] == "tag:music/guitar")
    page.button(key="undo-all").click().run()
    assert "mute" not in page.query_params


def test_all_seeds_off_offers_a_way_back(tagged):
    page = diffusion_page(**tagged)
    next(each for each in page.pills if each.key.startswith("seeds-")).set_value([]).run()
    assert "All seeds are switched off" in markdown(page)
    page.button(key="unmute").click().run()
    assert bar(page)["last"] > 0


def test_switches_of_the_ablation(kiln):
    page = diffusion_page(**kiln)
    page.pills(key="on").set_value(["diffusion", "file_seeding"]).run()
    assert "time order off" in markdown(page)
    assert "chronological" not in {edge["kind"] for edge in drawn(page)["edges"]}


def test_without_diffusion_the_page_says_so_and_holds_one_step(kiln):
    page = diffusion_page(**kiln)
    page.pills(key="on").set_value(["chronological", "file_seeding"]).run()
    assert not page.exception
    assert "Diffusion is off" in markdown(page)
    assert bar(page)["last"] == 0


def test_a_change_that_leaves_no_seed_offers_a_way_back(tagged):
    page = diffusion_page(**tagged, q="strings")  # a word of a note and of no tag
    page.pills(key="on").set_value(["diffusion", "chronological"]).run()
    assert "nothing of the question is left" in markdown(page)
    page.button(key="undo-all").click().run()
    assert bar(page)["last"] > 0


def test_another_question_starts_anew(tagged):
    page = diffusion_page(**tagged, step="4", mute=["tag:music/guitar"])
    page.selectbox(key="context-question").set_value("t1_q2").run()
    assert not page.exception
    assert bar(page)["step"] == 0
    assert not {"step", "mute"} & set(page.query_params)


def test_a_typed_query_works(kiln):
    page = diffusion_page(**kiln, q="pottery on Tuesdays")
    assert "A typed query" in markdown(page)
    assert bar(page)["last"] > 0


def test_a_query_that_meets_nothing_says_why(kiln):
    page = diffusion_page(**kiln, q="zzz qqq")
    assert "nothing to spread" in markdown(page)
    assert "no tag and no file matches" in texts(page)
    assert not page.get("bidi_component")


@pytest.mark.parametrize("query", ["?!", "   ", "\x00"])
def test_a_query_without_a_word_is_no_error(kiln, query):
    page = diffusion_page(**kiln, q=query)
    assert "nothing to spread" in markdown(page) or "Type a question" in markdown(page)


def test_without_a_case_the_page_says_what_to_do(no_store):
    assert "Load the demo" in markdown(diffusion_page())


def test_without_a_question_the_page_asks_for_one(store):
    session = Session("n", (Turn("user", "Hm."), Turn("assistant", "Yes?")), 0, datetime(2024, 5, 1))
    case = Case("bare", "b1", (session,))
    notes = tuple(Note(one, Extraction()) for one in interactions(case))
    with open_store(store) as opened:
        opened.cases.add(case, notes, ExtractionKey("none"), now=datetime(2024, 5, 1))
    assert "Type a question above" in markdown(diffusion_page(benchmark="bare", case="bare/b1"))
    page = diffusion_page(benchmark="bare", case="bare/b1", q="hm")
    assert bar(page)["last"] >= 0  # a case without tags has notes as seeds


def test_hostile_text_is_neither_markdown_nor_html(store):
    page = diffusion_page(benchmark="small", case="small/hostile", question="hostile_q1", note="h1#1", step="2")
    assert HOSTILE.split("[")[0].strip() in texts(page)
    assert "<img" not in html(page)
    assert "onerror" in html(page)
    assert "[link](https://evil.example)" not in markdown(page)
    assert "<img" not in markdown(page).replace("\\<", "")
    chart = page.get("plotly_chart")[0].proto.spec
    assert "<img" not in chart
