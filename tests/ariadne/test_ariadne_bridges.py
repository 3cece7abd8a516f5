"""Base graph and bridges: the hub rule, the exact gaps, what may be a bridge, and why there is none."""

from __future__ import annotations

from datetime import timedelta

import pytest
from ariadne_dialogues import BIKE, BIKE_QUESTION, MAY, MEETING, Line, at, chatter, method, talk
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.ariadne.base_graph import base_graph
from workbench.ariadne.index import index_of
from workbench.ariadne.query import QueryTrace
from workbench.memory import Memory


def refs(trace: QueryTrace, nodes: object) -> list[str]:
    return [trace.index.nodes[node].refs[0] for node in nodes]  # type: ignore[attr-defined]


@pytest.mark.parametrize("embeddings", ["wordllama", "minilm"])
def test_three_facts_are_joined_across_time(embeddings: str) -> None:
    trace = method(talk(*BIKE), embeddings=embeddings, k_sem=2, k_lex=1).trace(BIKE_QUESTION)
    assert sorted(refs(trace, trace.terminals)) == ["E1", "E6"]
    assert [refs(trace, group) for group in trace.components] == [["E1"], ["E6"]]
    (step,) = trace.bridges
    assert step.chosen is not None
    assert (refs(trace, step.ends), refs(trace, [step.chosen]), step.components) == (["E1", "E6"], ["E3"], (2, 1))
    assert [refs(trace, path.nodes) for path in trace.paths.found] == [["E1", "E3", "E6"]]
    assert sorted(refs(trace, trace.budget.kept)) == ["E1", "E3", "E6"]
    bridge = trace.members[step.chosen]
    assert bridge.relevance == pytest.approx(0.5 * min(trace.members[end].relevance for end in step.ends))
    assert len(trace.control) == 1


def test_without_bridges_the_fact_between_is_missing() -> None:
    trace = method(talk(*BIKE), k_sem=2, k_lex=1, bridges=False).trace(BIKE_QUESTION)
    assert sorted(refs(trace, trace.budget.kept)) == ["E1", "E6"]
    assert not trace.bridges


def test_a_bridge_explains_itself_and_never_outranks_its_ends() -> None:
    hits = {hit.note_id: hit for hit in method(talk(*BIKE), k_sem=2, k_lex=1).query(BIKE_QUESTION).hits}
    bridge = hits["s3#1"]
    assert bridge.rank == 3
    assert bridge.why.path == ("E1", "E3", "E6")
    assert "bridge" in bridge.why.remarks
    assert "E1 and E6" in bridge.why.parts[0].name


def moved(hours: float) -> Memory:
    """The made-up talk with E1 and E6 so far apart, and E3 in the middle."""
    lines = list(BIKE)
    start, name, said = lines[0]
    assert start is not None
    lines[2] = (start + timedelta(hours=hours / 2), *lines[2][1:])
    lines[5] = (start + timedelta(hours=hours), *lines[5][1:])
    return talk((start, name, said), lines[2], lines[5])


@pytest.mark.parametrize(("hours", "count"), [(59 / 60, 0), (1, 1), (61 / 60, 1), (167.9, 1), (168, 1), (168.1, 0), (169, 0)])
def test_a_bridge_spans_from_one_hour_to_168(hours: float, count: int) -> None:
    # With the default of six hours any pair under that is joined by nearness in time already.
    trace = method(moved(hours), k_sem=0, k_lex=2, near_hours=0, hub_floor=2).trace("Ida bike")
    found = [step for step in trace.bridges if step.chosen is not None]
    assert len(found) == count


@pytest.mark.parametrize(("hours", "joined"), [(5.9, True), (6, False), (7, False)])
def test_nearness_in_time_ends_before_six_hours(hours: float, joined: bool) -> None:
    memory = talk((MAY, "Ana", "I sing."), (MAY + timedelta(hours=hours), "Ben", "You dance."))
    made = method(memory)
    edges = base_graph([0, 1], index_of(memory, made.config), made.config)
    assert [edge.kinds for edge in edges] == ([("near",)] if joined else [])


def test_undated_entries_are_near_to_none_and_end_no_bridge() -> None:
    memory = talk((None, "Ana", "I met Ida."), (None, "Ben", "You dance."), (MAY, "Eva", "The boat leaks."))
    made = method(memory)
    assert base_graph([0, 1, 2], index_of(memory, made.config), made.config) == ()
    assert made.trace("Ida and the boat").bridges == ()


def test_nothing_between_two_sessions_gives_no_bridge_and_says_why() -> None:
    memory = talk(BIKE[0], (BIKE[0][0], *BIKE[2][1:]), (at(MAY, 1, 0) - timedelta(days=54), *BIKE[5][1:]))
    trace = method(memory, k_sem=0, k_lex=2, near_hours=0).trace("Ida bike")
    (step,) = trace.bridges
    assert (step.chosen, step.reason) == (None, "nothing was said between the two")
    inclusive = method(memory, k_sem=0, k_lex=2, near_hours=0, bridge_ends="inclusive").trace("Ida bike")
    assert [refs(inclusive, [step.chosen]) for step in inclusive.bridges if step.chosen is not None] == [["E2"]]


def test_a_bridge_must_share_something_with_both_ends() -> None:
    lines = [BIKE[0], BIKE[1], BIKE[3], BIKE[5]]
    trace = method(talk(*lines), k_sem=0, k_lex=2).trace("Ida bike")
    (step,) = trace.bridges
    assert step.chosen is None
    assert {each.standing for each in step.candidates} == {"shares nothing with both ends"}
    assert "shares an entity or keyword with both" in step.reason
    literal = method(talk(*lines), k_sem=0, k_lex=2, bridge_evidence="none").trace("Ida bike")
    assert any(each.chosen is not None for each in literal.bridges)


def test_a_link_of_the_store_is_an_edge() -> None:
    memory = talk(*MEETING)
    made = method(memory, hub_floor=0, hub_share=0.0, near_hours=0)  # everything is a hub: no other edge is left
    edges = base_graph([0, 1, 2], index_of(memory, made.config), made.config)
    assert [(edge.earlier, edge.later, edge.kinds) for edge in edges] == [(0, 2, ("updated",))]


lines = st.lists(
    st.tuples(
        st.integers(0, 200),
        st.sampled_from(["Lena", "Tom"]),
        st.lists(st.sampled_from(["bakery", "bike", "Ida", "Okafor", "kitchen", "flight"]), min_size=1, max_size=3),
    ),
    min_size=2,
    max_size=12,
)


@settings(max_examples=30)
@given(lines)
def test_a_bridge_is_never_a_terminal_and_serves_one_pair(drawn: list[tuple[int, str, list[str]]]) -> None:
    told: list[Line] = [(MAY + timedelta(hours=hours), name, f"The {' and the '.join(said)}.") for hours, name, said in drawn]
    made = method(talk(*told), k_sem=2, k_lex=1, near_hours=0, hub_floor=3, gate=False, embeddings="hash")
    trace = made.trace("Ida bike")
    chosen = [step.chosen for step in trace.bridges if step.chosen is not None]
    assert len(set(chosen)) == len(chosen)
    assert not set(chosen) & set(trace.terminals)
    for step in trace.bridges:
        if step.chosen is not None:
            early, late = sorted(trace.index.hours[end] for end in step.ends)
            assert early < trace.index.hours[step.chosen] < late
            assert step.components[1] < step.components[0]
    assert all(edge.earlier < edge.later for edge in trace.edges)


def test_two_speakers_do_not_make_a_clique_and_paths_do_not_explode() -> None:
    memory = talk(*chatter(sessions=10, turns=24))
    made = method(memory)
    trace = made.trace("What did Mara do with the violin and the ferry?")
    assert {"mara", "jonas"} <= trace.index.hubs
    most = len(trace.terminals) * (len(trace.terminals) - 1) / 2
    assert len(trace.edges) < 0.4 * most
    assert len(trace.components) > 1
    assert trace.paths.count < 3_000
    literal = method(memory, hub_share=None, gate=False).trace("What did Mara do with the violin and the ferry?")
    assert len(literal.components) == 1
    assert not literal.bridges
    assert literal.paths.count > 3 * trace.paths.count
