"""Counterfactual rules: each fires on its fixture and not on its near miss; what they derive is never stored (5.7)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from made_facts import BEAGLE, COUSINS, day, fact, over, told

from workbench.real.case_facts import facts_of
from workbench.real.intervals import Edge
from workbench.real.retrieval import Searched, search_memory


def asked(text: str, facts: Any, at: datetime | None = None, people: tuple[str, ...] = (), **overrides: Any) -> Searched:
    method = told(facts, people=people, **overrides)
    return search_memory(method.memory, method.config, method.config.embeddings, text, at)


def derived(searched: Searched, rule: str = "") -> list[Edge]:
    return [edge for one in searched.found.inferences for edge in one.derived if rule in ("", edge.rule)]


def triple(edge: Edge) -> tuple[str, str, str]:
    return edge.head, edge.relation, edge.tail


# Symmetry and reading backwards ---------------------------------------------------------------------------------------------


def test_a_symmetric_relation_is_read_the_other_way() -> None:
    [edge] = [each for each in derived(asked("Who is Inga married to?", COUSINS), "symmetry") if each.tail == "felix"]
    assert triple(edge) == ("inga", "spouse_of", "felix")
    assert edge.confidence == pytest.approx(0.855)
    assert edge.refs == (("n1", 0),)
    assert edge.arithmetic == "0.95 x 0.90 = 0.855"


def test_a_relation_that_is_not_symmetric_never_is() -> None:
    found = derived(asked("Who does Inga supervise?", [fact("Paul", "supervises", "Inga", day(1))]))
    assert [triple(edge) for edge in found] == [("inga", "reports_to", "paul")]
    assert [edge.rule for edge in found] == ["inverse"]


def test_any_other_edge_is_only_read_backwards() -> None:
    [edge] = derived(asked("What about Bonn?", [fact("Paul", "visited", "Bonn", day(1))]))
    assert (edge.rule, edge.relation, round(edge.confidence, 3)) == ("inverse reading", "inverse of visited", 0.81)


def test_nothing_is_read_backwards_where_the_root_finds_enough() -> None:
    facts = [fact("Inga", "spouse_of", "Felix", day(1)), fact("Paul", "met", "Inga", day(2))]
    found = asked("Who is Inga married to?", facts)
    assert found.found.inferences == []


# Hyponymy -------------------------------------------------------------------------------------------------------------------


def test_a_kind_stands_for_the_wider_kind() -> None:
    found = asked("Does Ada have a dog?", BEAGLE, people=("Ada",))
    [edge] = derived(found, "hyponymy")
    assert triple(edge) == ("ada", "has_pet", "dog")
    assert edge.confidence == pytest.approx(0.63)
    assert {note for note, _ in edge.refs} == {"a1", "a2"}


def test_what_is_only_part_of_something_is_no_kind_of_it() -> None:
    facts = [fact("Ada", "has_pet", "beagle", day(1)), fact("beagle", "part_of", "dog", day(1))]
    assert derived(asked("Does Ada have a dog?", facts), "hyponymy") == []


def test_a_transitive_relation_is_followed_and_another_is_not() -> None:
    parts = [fact("studio", "located_in", "Bonn", day(1)), fact("Bonn", "located_in", "Rhineland", day(1))]
    assert [triple(edge) for edge in derived(asked("Is the studio old?", parts), "hyponymy")] == [
        ("studio", "located_in", "rhineland")
    ]
    others = [fact("studio", "likes", "Bonn", day(1)), fact("Bonn", "likes", "Rhineland", day(1))]
    assert derived(asked("Is the studio old?", others), "hyponymy") == []


def test_two_steps_to_wider_kinds_are_too_weak() -> None:
    facts = [*BEAGLE, fact("dog", "is_a", "animal", day(1, 3), note="a5")]
    [inference] = [one for one in asked("Does Ada have an animal?", facts).found.inferences if one.root == "ada"]
    assert ("ada", "has_pet", "animal") in {triple(edge) for edge in inference.too_weak}
    assert ("ada", "has_pet", "animal") not in {triple(edge) for edge in inference.derived}


# Succession -----------------------------------------------------------------------------------------------------------------


def test_the_last_known_value_stands_in_where_none_holds() -> None:
    [edge] = derived(asked("Where does Ada work?", BEAGLE, day(5, 1)), "succession")
    assert triple(edge) == ("ada", "works_at", "orbit labs")
    assert edge.confidence == pytest.approx(0.81 * 0.5 ** (30 / 365))
    assert edge.end == day(4, 1)


def test_a_value_that_is_long_over_is_not_known_any_more() -> None:
    late = asked("Where does Ada work?", BEAGLE, day(3, 1, 2025))
    assert derived(late, "succession") == []
    assert "a3" not in {note for one in late.found.evidence for edge in one.path.edges for note, _ in edge.refs}


def test_without_a_half_life_a_last_known_value_stays_sure() -> None:
    [edge] = derived(asked("Where does Ada work?", BEAGLE, day(3, 1, 2025), succession_half_life=None), "succession")
    assert edge.confidence == pytest.approx(0.81)


@pytest.mark.parametrize(
    "facts",
    [
        [*BEAGLE, fact("Ada", "works_at", "Fig Farm", day(4, 15), note="a6")],  # another value holds
        [fact("Ada", "likes", "Orbit Labs", day(1)), over("Ada", "likes", "Orbit Labs", day(4))],  # many values at a time
    ],
)
def test_there_is_no_last_known_value_of_what_holds_or_has_many(facts: Any) -> None:
    assert derived(asked("Where does Ada work?", facts, day(5, 1)), "succession") == []


def test_a_question_about_change_sees_the_closed_interval_itself() -> None:
    found = asked("How has where Ada works changed?", BEAGLE, day(3, 1, 2025))
    assert derived(found, "succession") == []
    assert found.found.evidence[0].path.edges[0].end == day(4, 1)


# What all rules keep --------------------------------------------------------------------------------------------------------


def test_a_high_stable_confidence_removes_every_derivation() -> None:
    for text, facts in (("Who is Inga married to?", COUSINS), ("Does Ada have a dog?", BEAGLE), ("Where does Ada work?", BEAGLE)):
        assert derived(asked(text, facts, day(5, 1), theta_stable=0.9)) == []


def test_what_is_derived_is_never_stored() -> None:
    method = told(COUSINS)
    before = facts_of(method.memory, method.config)
    method.query("Who is Inga married to?")
    assert facts_of(method.memory, method.config) == before
    searched = search_memory(method.memory, method.config, "wordllama", "Who is Inga married to?")
    assert not any(edge.rule for edge in searched.graph.edges)
    assert derived(searched)


def test_premises_must_pass_the_filters() -> None:
    facts = [fact("Felix", "spouse_of", "Inga", day(1), c=0.4)]
    assert derived(asked("Who is Inga married to?", facts)) == []


def test_rules_that_gave_nothing_are_told() -> None:
    found = asked("What does Inga like?", [fact("Inga", "verb:juggle", "pins", day(1))])
    assert "inga: rules tried (symmetry, inverse, inverse reading, hyponymy, succession), nothing applied" in found.found.remarks
