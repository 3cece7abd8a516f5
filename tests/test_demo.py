"""The demonstration data: it loads clean, its questions can be answered, and each named case shows its effect by ranks."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.index import construction_of
from workbench.ariadne.telling import construction_json
from workbench.datasets.read import read
from workbench.evaluate.ranks import sessions_of
from workbench.evaluate.relevance import relevance
from workbench.extract.base import extractors
from workbench.memory import Memory
from workbench.methods.base import methods
from workbench.notes import interactions
from workbench.ontology import Ontology
from workbench.real.case_facts import facts_of, registry_of
from workbench.real.config import FactsConfig, SearchConfig
from workbench.real.intervals import timeline
from workbench.records import Case, Loaded, Note

DEMO = Path(__file__).resolve().parent.parent / "data" / "demo"
LEXICAL = ("bm25", "bm25_filtered", "tag_basic", "tag_stopwords", "tag_tfidf")


@cache
def cases() -> dict[str, Case]:
    return {found.case.id: found.case for found in read(DEMO) if isinstance(found, Loaded)}


@cache
def notes_of(case_id: str) -> tuple[Note, ...]:
    case = cases()[case_id]
    rounds = interactions(case)
    extractions = extractors["rules"]().extract(case, rounds, Ontology())
    return tuple(Note(one, extraction) for one, extraction in zip(rounds, extractions, strict=True))


def sessions(case_id: str, method: str, notes: tuple[Note, ...] | None = None, **settings: Any) -> tuple[str, ...]:
    """Sessions in rank order for the question of a case."""
    kind = methods[method]
    memory = Memory(notes or notes_of(case_id))
    ranking = kind(replace(kind.Config(), **settings), memory=memory).query(cases()[case_id].questions[0].text, k=None)
    return sessions_of(ranking.hits)


def rank(case_id: str, method: str, notes: tuple[Note, ...] | None = None, **settings: Any) -> float:
    """Rank of the first gold session; infinite where the method does not return it."""
    ranked = sessions(case_id, method, notes, **settings)
    gold = cases()[case_id].questions[0].gold.sessions
    return min((ranked.index(one) + 1 for one in gold if one in ranked), default=float("inf"))


def records() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((DEMO / "longmemeval_demo.json").read_text("utf-8"))
    return found


def stories() -> list[dict[str, Any]]:
    return [yaml.safe_load(path.read_text("utf-8")) for path in sorted((DEMO / "stories").iterdir())]


# --- form -----------------------------------------------------------------------------------------------------------------


def test_everything_loads_without_a_finding() -> None:
    found = list(read(DEMO))
    assert all(isinstance(one, Loaded) and not one.findings and not one.repaired for one in found)
    assert len(found) == len(stories()) + len(records()) == 21


def test_size_suits_a_first_start() -> None:
    assert 350 <= sum(len(interactions(case)) for case in cases().values()) <= 600


def test_stories_cover_the_six_domains_at_least_twice() -> None:
    domains = Counter(story["category"] for story in stories())
    assert sorted(domains) == ["Career", "Daily Life", "Health", "Learning", "Life Events", "Relationships"]
    assert min(domains.values()) >= 2


@pytest.mark.parametrize("story", stories(), ids=lambda story: story["story_id"])
def test_story_keeps_its_promises(story: dict[str, Any]) -> None:
    batches, questions = story["batches"], story["questions"]
    assert story["total_batches"] == len(batches) >= 8
    assert len(questions) >= 6
    for batch in batches:
        for stored in batch.get("expected_stores", []):
            assert stored.casefold() in batch["user_input"].casefold(), stored
    assert any("expected_stores" not in batch for batch in batches), "a general-knowledge question is missing"


@pytest.mark.parametrize("case_id", [case.id for case in cases().values() if case.benchmark == "atant_demo"])
def test_one_note_answers_each_story_question_and_is_no_distractor(case_id: str) -> None:
    case = cases()[case_id]
    rounds = tuple(Note(one) for one in interactions(case))
    source = next(story for story in stories() if story["story_id"] == case_id)
    distractors = [batch["user_input"].strip() for batch in source["batches"] if "expected_stores" not in batch]
    for question in case.questions:
        answering = [note for note in rounds if note.id in relevance(question, rounds).notes]
        assert len(answering) == 1, question.id
        assert answering[0].interaction.user.strip() not in distractors


@pytest.mark.parametrize("record", records(), ids=lambda record: record["question_id"])
def test_history_has_the_published_form(record: dict[str, Any]) -> None:
    written = [*record["haystack_dates"], record["question_date"]]
    dates = [datetime.strptime(text, "%Y/%m/%d (%a) %H:%M") for text in written]
    assert dates == sorted(dates)
    assert [date.strftime("%Y/%m/%d (%a) %H:%M") for date in dates] == written, "a weekday is wrong"
    assert len(record["haystack_sessions"]) >= 20
    for session_id, turns in zip(record["haystack_session_ids"], record["haystack_sessions"], strict=True):
        flags = {turn.get("has_answer") for turn in turns}
        assert flags == ({True, False} if session_id in record["answer_session_ids"] else {None})


def test_all_six_question_types_occur() -> None:
    assert len({record["question_type"] for record in records()}) == 6


def test_filler_sessions_are_the_same_everywhere() -> None:
    seen: dict[str, object] = {}
    for record in records():
        for session_id, turns in zip(record["haystack_session_ids"], record["haystack_sessions"], strict=True):
            assert seen.setdefault(session_id, turns) == turns


# --- effects, under `rules` and the default profile -------------------------------------------------------------------------


def test_missing_tag_hides_the_note_and_adding_it_brings_the_note_up() -> None:
    case_id = "demo_missing_tag"
    gold = next(note for note in notes_of(case_id) if note.id == "answer_demo_a_1#1")
    assert rank(case_id, "bm25") == 1
    assert rank(case_id, "tag_stopwords") > 10

    tagged = replace(gold, extraction=replace(gold.extraction, what=(*gold.extraction.what, "exercise/doorway_stretch")))
    repaired = tuple(tagged if note is gold else note for note in notes_of(case_id))
    assert rank(case_id, "tag_stopwords", repaired) == 1


def test_common_word_floods_the_tag_graph_until_it_is_dropped() -> None:
    assert rank("demo_common_word", "tag_basic") >= 8
    assert rank("demo_common_word", "tag_stopwords") == 1


def test_diffusion_finds_what_shares_no_telling_word_with_the_question() -> None:
    case_id = "demo_diffusion_helps"
    assert rank(case_id, "adaptive") <= 3
    assert rank(case_id, "adaptive", diffusion=False) > 10
    assert all(rank(case_id, method) > 10 for method in LEXICAL)


def test_diffusion_carries_a_cluster_past_the_answer() -> None:
    case_id = "demo_diffusion_hurts"
    assert rank(case_id, "adaptive", diffusion=False) == 1
    assert rank(case_id, "bm25") == 1
    assert rank(case_id, "adaptive") >= 3


def test_updated_fact_is_first_for_tags_and_second_for_words() -> None:
    old, new = "demo_e_1", "answer_demo_e_1"
    assert sessions("demo_updated_fact", "bm25")[:2] == (old, new)
    assert sessions("demo_updated_fact", "adaptive")[:2] == (old, new)
    assert sessions("demo_updated_fact", "tag_stopwords")[:2] == (new, old)


def test_facts_with_their_times_are_kept_by_real_and_linked_by_ariadne() -> None:
    memory = Memory(notes_of("demo_moves"))
    config, ariadne = FactsConfig(), AriadneConfig()
    edges = timeline(facts_of(memory, config), registry_of(config), SearchConfig().theta_stable)
    towns = [(edge.names[1], edge.end) for edge in edges if edge.relation == "lives_in"]
    assert [town for town, _ in towns] == ["Leeds", "York", "Leeds"]
    assert [None if end is None else f"{end:%d %B}" for _, end in towns] == ["14 May", "17 September", None]
    assert len(construction_json(construction_of(memory, ariadne), ariadne)["updates"]) == 1
    assert rank("demo_moves", "real") == 1
    assert rank("demo_moves", "vanilla_graph") == float("inf")


@pytest.mark.parametrize("method", [*LEXICAL, "adaptive"])
def test_control_case_is_found_by_every_method(method: str) -> None:
    gold = cases()["demo_two_sessions"].questions[0].gold.sessions
    assert set(gold) <= set(sessions("demo_two_sessions", method)[:3])
