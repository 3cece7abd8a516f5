"""The beam search: filters, decisions, pruning and scores, step by step on facts made by hand (5.4 to 5.6)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from made_facts import COUSINS, PARIS, day, fact, told

from workbench.real.beam import admitted
from workbench.real.config import SearchConfig
from workbench.real.facts import Fact
from workbench.real.intents import Intent, clauses, compatibility, intent_of
from workbench.real.intervals import timeline
from workbench.real.question import Asked
from workbench.real.relations import relations
from workbench.real.retrieval import Searched, fates, search_memory
from workbench.real.scores import Sufficiency
from workbench.real.serialise import context
from workbench.real.when import Period

CHAIN = (
    fact("Tom", "owns", "sailing boat", day(1), note="t1"),
    fact("sailing boat", "made", "Lund yard", day(2), note="t2"),
    fact("Lund yard", "located_in", "Oslo", day(3), note="t3"),
)


def asked(text: str, facts: Any, at: datetime | None = None, people: tuple[str, ...] = (), **overrides: Any) -> Searched:
    method = told(facts, people=people, **overrides)
    return search_memory(method.memory, method.config, method.config.embeddings, text, at)


def tails(searched: Searched) -> list[list[str]]:
    return [[edge.tail for edge in one.path.edges] for one in searched.found.evidence]


# Questions ------------------------------------------------------------------------------------------------------------------


def question(text: str, facts: Any = PARIS, at: datetime | None = None, **more: Any) -> Asked:
    return asked(text, facts, at, **more).found.asked


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Why did Vera move?", "CAUSAL"),
        ("When did Vera move?", "TEMPORAL"),
        ("How does Paris differ from Rome?", "CONTRAST"),
        ("How has where Vera lives changed?", "EVOLUTION"),
        ("Where does Vera live?", "FACT"),
        ("Why has it changed?", "CAUSAL"),
    ],
)
def test_intents_go_by_cues_in_their_order(text: str, intent: Intent) -> None:
    assert intent_of(text)[0] == intent


def test_each_root_has_the_intent_of_its_clause() -> None:
    facts = [*PARIS, fact("Tom", "likes", "tea", day(1))]
    roots = question("Why did Vera leave, and where does Tom live?", facts).roots
    assert [(root.node, root.intent) for root in roots] == [("vera", "CAUSAL"), ("tom", "FACT")]


def test_names_joined_by_and_make_no_clause() -> None:
    assert clauses("Where do Ana and Tom live?") == ["Where do Ana and Tom live?"]


def test_a_root_needs_nearly_all_words_of_its_node() -> None:
    facts = [fact("Tom", "owns", "red sailing boat", day(1)), fact("Tom", "owns", "boat", day(2))]
    assert [root.node for root in question("Is the boat old?", facts).roots] == ["boat"]
    assert [root.node for root in question("Is the red sailing boat old?", facts).roots] == ["red sailing boat"]


def test_participants_are_found_by_short_names() -> None:
    facts = [fact("Melanie", "likes", "tea", day(1))]
    assert [root.node for root in question("What does Mel like?", facts, people=("Melanie", "Paul")).roots] == ["melanie"]


def test_the_user_is_meant_by_i() -> None:
    assert [root.node for root in question("Where do I live?", [fact("user", "lives_in", "Bonn", day(1))]).roots] == ["user"]


def test_a_stated_month_is_a_period_and_a_slot() -> None:
    found = question("Where did Vera live in March?")
    assert found.period is not None
    assert (found.period.start, found.period.end) == (day(3), day(4))
    assert [slot.kind for slot in found.slots] == ["root", "word", "time"]


def test_a_question_without_a_date_is_asked_at_the_end_of_the_last_session() -> None:
    assert question("Where does Vera live?").time == day(6, 3)
    assert question("Where does Vera live?", at=day(8)).time == day(8)


# Filters --------------------------------------------------------------------------------------------------------------------


def test_compatibility_is_what_the_table_says() -> None:
    expected = {("CAUSAL", "FACT"): 0.8, ("FACT", "CONTRAST"): 0.6, ("TEMPORAL", "EVOLUTION"): 0.8, ("TEMPORAL", "CAUSAL"): 0.5}
    assert {pair: compatibility(*pair) for pair in expected} == expected  # type: ignore[arg-type]
    assert compatibility("CONTRAST", "CAUSAL") == 0.2


def held(intent: Intent, at: datetime, period: Period | None = None, **config: bool) -> dict[str, str | None]:
    """By tail and start, which filter holds each of Vera's homes back."""
    moment = Asked("", (), intent, "", (), (), at, period)
    settings = SearchConfig(**config)
    edges = timeline(PARIS, relations(), 0.5 if settings.confidence else 0.0)
    return {f"{edge.tail} {edge.start:%m}": admitted(edge, intent, moment, settings) for edge in edges}


def test_a_fact_question_sees_what_holds_at_its_moment() -> None:
    assert held("FACT", day(4, 1)) == {"paris 01": "interval", "london 02": None, "paris 06": "interval", "rome 06": "interval"}


def test_questions_about_time_and_change_also_see_what_is_over() -> None:
    for intent in ("TEMPORAL", "EVOLUTION"):
        assert held(intent, day(7, 1)) == {"paris 01": None, "london 02": None, "paris 06": None, "rome 06": "confidence"}


def test_a_stated_period_asks_for_overlap() -> None:
    found = held("FACT", day(7, 1), Period(day(2, 1), day(3, 1), "month"))
    assert found == {"paris 01": None, "london 02": None, "paris 06": "interval", "rome 06": "interval"}


def test_an_event_is_seen_after_it_is_over() -> None:
    facts = [fact("Vera", "visited", "Oslo", day(1), end=day(1, 2))]
    assert tails(asked("Where did Vera go?", facts, day(5))) == [["oslo"]]
    assert tails(asked("Where did Vera go?", facts, day(1, 1, 2023))) == []


def test_without_any_date_nothing_is_held_back_by_time() -> None:
    undated = fact("Lund", "lives_in", "Oslo", None, note="d1")
    in_a_year = fact("Lund", "visited", "Bonn", day(1, 1, 1990), said=datetime.min, end=day(1, 1, 1991), note="d2", stated=True)
    method = told([undated, in_a_year], undated=True)
    found = search_memory(method.memory, method.config, "wordllama", "Where did Lund go?").found
    assert found.asked.time is None
    assert dict(found.filter_counts) == {}
    assert {edge.tail for one in found.evidence for edge in one.path.edges} == {"oslo", "bonn"}


def test_filtered_edges_are_counted_by_the_first_filter() -> None:
    found = asked("Where does Vera live?", PARIS, day(7)).found
    assert dict(found.filter_counts) == {"interval": 2, "confidence": 1}
    assert "1 held back by confidence" in found.remarks


def test_an_intent_that_does_not_fit_is_held_back() -> None:
    facts = [fact("Vera", "likes", "tea", day(1), intent="CONTRAST"), fact("Vera", "likes", "figs", day(1), intent="CAUSAL")]
    found = asked("Why does Vera like tea?", facts)
    assert tails(found) == [["figs"]]
    assert dict(found.found.filter_counts) == {"intent": 1}


# Decisions ------------------------------------------------------------------------------------------------------------------


def test_a_path_that_answers_stops() -> None:
    found = asked("Where does Vera live?", PARIS, day(7)).found
    [judged] = found.steps[1].judged
    assert (judged.decision, judged.ending, judged.path.score.sufficiency.value) == ("stop", "sufficient", 1.0)


def test_a_path_grows_while_its_score_does() -> None:
    found = asked("In which town is the yard that made the boat of Tom?", CHAIN, counterfactual=False)
    steps = [[one.decision for one in step.judged] for step in found.found.steps]
    assert steps == [[], ["expand"], ["expand"], ["stop"]]
    assert tails(found) == [["sailing boat", "lund yard", "oslo"]]
    gains = [step.judged[0].path.score.gain for step in found.found.steps[1:]]
    assert gains == sorted(gains)


def test_no_path_is_longer_than_the_depth() -> None:
    found = asked("In which town is the yard that made the boat of Tom?", CHAIN, depth=1, counterfactual=False)
    assert tails(found) == [["sailing boat"]]
    assert found.found.evidence[0].ending == "depth"


def test_endings_tell_a_dead_end_from_no_gain() -> None:
    dead = asked("What cheese does Tom like?", [fact("Tom", "likes", "tea", day(1))], counterfactual=False)
    assert [one.ending for one in dead.found.evidence] == ["dead end"]
    facts = [fact("Tom", "likes", "tea", day(1)), fact("tea", "has_state", "hot", day(1))]
    stays = asked("What cheese does Tom like?", facts, counterfactual=False)
    assert [one.ending for one in stays.found.evidence] == ["no gain"]


def test_a_hub_is_not_passed_through() -> None:
    crowd = [fact("Oslo", "verb:have", f"street {at}", day(1), note=f"o{at}") for at in range(25)]
    facts = [fact("Tom", "verb:like", "Oslo", day(1), note="t"), *crowd]
    found = asked("Which street does Tom like?", facts, counterfactual=False)
    assert tails(found) == [["oslo"]]


def test_no_node_comes_twice_in_a_path() -> None:
    facts = [fact("Tom", "knows", "Ida", day(1)), fact("Ida", "knows", "Tom", day(1)), fact("Ida", "knows", "Uma", day(1))]
    for one in asked("Whom does Tom know that knows Uma?", facts).found.evidence:
        assert len(set(one.path.nodes)) == len(one.path.nodes)


def test_all_roots_are_pruned_together() -> None:
    facts = [fact(who, "likes", f"thing {at}", day(1), note=f"{who}{at}") for who in ("Tom", "Ida") for at in range(6)]
    found = asked("What do Tom and Ida like?", facts, beam_width=4, counterfactual=False).found
    assert len(found.steps[0].kept) == 4
    assert len(found.pruned) == 8
    assert len(found.evidence) == 4


def test_without_a_root_the_search_starts_from_the_nearest_facts() -> None:
    found = asked("Who goes sailing?", CHAIN)
    assert found.found.asked.roots == ()
    assert any("names no node" in remark for remark in found.found.remarks)
    assert tails(found)[0][0] == "sailing boat"


def test_nodes_that_were_looked_at_are_counted() -> None:
    assert asked("Where does Vera live?", PARIS, day(7)).found.visited == {"vera", "paris"}


# Scores ---------------------------------------------------------------------------------------------------------------------


def test_a_score_is_its_parts() -> None:
    [one] = asked("Where does Vera live?", PARIS, day(7)).found.evidence
    score = one.path.score
    parts = 0.4 * score.relevance + 0.2 * score.coherence + 0.4 * score.sufficiency.value
    assert score.total == pytest.approx(parts * 0.9**0.5)
    assert score.gain == pytest.approx((0.4 * score.relevance + 0.4 * score.sufficiency.value) / 0.8 * 0.9**0.5)


def test_when_is_answered_by_a_stated_time_only() -> None:
    found = asked("When did Vera move to London?", PARIS, day(7))
    fits = {edge.facts[0].note: one.path.score.sufficiency.type_fits for one in found.found.evidence for edge in one.path.edges}
    assert (fits["v1"], fits["v2"]) == (False, True)


def test_where_the_kind_is_unknown_coverage_alone_counts() -> None:
    facts = [fact("Vera", "verb:juggle", "pins", day(1))]
    [one] = asked("What does Vera do with clubs?", facts, counterfactual=False).found.evidence
    assert one.path.score.sufficiency == Sufficiency(0.5, ("vera",), ("club",), None)


def test_edges_out_of_order_cost_coherence() -> None:
    owns, leaky = fact("Tom", "owns", "boat", day(3), note="x"), "verb:be"

    def coherence(other: Fact) -> float:
        found = asked("When was the boat of Tom leaky?", [owns, other], day(9), counterfactual=False).found
        return min(path.score.coherence for step in found.steps for path in step.kept)

    assert coherence(fact("boat", leaky, "leaky", day(5), note="y")) == 1.0
    assert coherence(fact("boat", leaky, "leaky", day(1), note="y")) == 1.0  # it still holds: they overlap
    assert coherence(fact("boat", leaky, "leaky", day(1), end=day(2), note="y")) == 0.5
    assert coherence(fact("boat", leaky, "leaky", day(5), note="y", intent="TEMPORAL")) == 0.6


def test_another_evaluator_may_judge_sufficiency() -> None:
    method = told(PARIS)
    found = search_memory(
        method.memory, method.config, "wordllama", "Where does Vera live?", day(7), judge=lambda asked, path: Sufficiency(0.25)
    )
    assert {one.path.score.sufficiency.value for one in found.found.evidence} == {0.25}


# What is told ---------------------------------------------------------------------------------------------------------------


def test_the_context_holds_paths_then_facts_by_time() -> None:
    lines = list(context(asked("How has where Vera lives changed?", PARIS, day(7)).found))
    assert lines[0].startswith("P1 (score 0.")
    assert "c=0.90" in lines[0]
    facts = lines[lines.index("Facts by time:") + 1 :]
    assert [line.rpartition("-> ")[2] for line in facts] == ["Paris", "London", "Paris"]
    assert "2024-02-26..2024-06-01" in facts[1]


def test_an_inferred_edge_is_marked_in_the_context() -> None:
    text = "\n".join(context(asked("Who is Inga married to?", COUSINS).found))
    assert "Inga -[spouse of" in text
    assert "inferred (symmetry: 0.95 x 0.90 = 0.855)" in text


def test_every_note_has_a_fate() -> None:
    facts = [*PARIS, fact("Ida", "likes", "tea", day(1), note="i1")]
    found = asked("Where does Vera live?", facts, day(7))
    assert fates(found, ["v1", "v2", "v3", "v4", "i1", "nothing said"]) == {
        "v1": "interval",
        "v2": "interval",
        "v3": "evidence",
        "v4": "confidence",
        "i1": "not reached",
        "nothing said": "no fact",
    }
