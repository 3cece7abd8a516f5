"""Intervals as a view of assertions: the laws of 5.2, whatever the order of arrival."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_facts import PARIS, day, fact, over

from workbench.real.facts import Fact
from workbench.real.intervals import Edge, timeline
from workbench.real.relations import relations

TAILS = ("Paris", "London", "Rome")


def view(facts: Sequence[Fact], stable: float = 0.5, known_at: datetime | None = None) -> list[Edge]:
    return timeline(facts, relations(), stable, known_at)


def plain(edges: Sequence[Edge]) -> list[tuple[object, ...]]:
    return [(e.head, e.relation, e.tail, e.start, e.end, e.confidence, e.status, sorted(f.id for f in e.facts)) for e in edges]


def spans(edges: Sequence[Edge], status: str = "stable") -> list[tuple[str, datetime | None, datetime | None]]:
    return [(edge.tail, edge.start, edge.end) for edge in edges if edge.status == status]


@st.composite
def histories(draw: st.DrawFn, relation: str | None = None) -> list[Fact]:
    """Assertions and retractions with starts of their own, some of them unsure, ended or of unknown start."""
    starts = draw(st.lists(st.integers(0, 300), min_size=1, max_size=7, unique=True))
    facts = []
    for place, number in enumerate(starts):
        start = day(1) + timedelta(days=number)
        chosen = relation or draw(st.sampled_from(("lives_in", "likes", "visited")))
        length = draw(st.one_of(st.none(), st.integers(0, 60)))
        facts.append(
            fact(
                "Vera",
                chosen,
                draw(st.sampled_from(TAILS)),
                None if draw(st.integers(0, 5)) == 0 else start,
                end=None if length is None else start + timedelta(days=length),
                said=start + timedelta(days=draw(st.integers(0, 30))),
                c=draw(st.sampled_from((0.2, 0.5, 0.9))),
                act=draw(st.sampled_from(("assertion", "assertion", "assertion", "retraction"))),
                note=f"note {place}",
            )
        )
    return facts


@given(histories(), st.randoms(use_true_random=False))
def test_any_order_of_arrival_gives_the_same_intervals(facts: list[Fact], shuffle: object) -> None:
    shuffled = shuffle.sample(facts, len(facts))  # type: ignore[attr-defined]
    assert plain(view(shuffled)) == plain(view(facts))


@given(histories("lives_in"))
def test_stable_intervals_of_a_single_valued_pair_are_disjoint(facts: list[Fact]) -> None:
    stable = [edge for edge in view(facts) if edge.status == "stable"]
    for one, other in itertools.combinations(stable, 2):
        starts_before = one.end is not None and one.end <= (other.start or datetime.min)
        starts_after = other.end is not None and other.end <= (one.start or datetime.min)
        assert starts_before or starts_after


@given(histories())
def test_every_assertion_stands_behind_exactly_one_edge(facts: list[Fact]) -> None:
    behind = sorted(each.id for edge in view(facts) for each in edge.facts)
    assert behind == sorted(each.id for each in facts if each.act == "assertion")


@given(histories(), histories())
def test_no_insert_removes_an_assertion(facts: list[Fact], more: list[Fact]) -> None:
    renamed = [
        fact("Vera", f.relation, f.tail, f.start, end=f.end, said=f.recorded[0], c=f.confidence, note=f"{f.note}+") for f in more
    ]
    before = {each.id for edge in view(facts) for each in edge.facts}
    assert before <= {each.id for edge in view([*facts, *renamed]) for each in edge.facts}


@given(histories())
def test_intervals_never_run_backwards(facts: list[Fact]) -> None:
    for edge in view(facts):
        if edge.start and edge.end:
            assert edge.start < edge.end if edge.status == "stable" else edge.start <= edge.end


def test_the_return_to_paris_is_kept_under_all_orders() -> None:
    expected = [
        ("paris", day(1, 10), day(2, 26)),
        ("london", day(2, 26), day(6, 1)),
        ("paris", day(6, 1), None),
    ]
    for facts in itertools.permutations(PARIS):
        edges = view(facts)
        assert spans(edges) == expected
        assert spans(edges, "tentative") == [("rome", day(6, 3), None)]


def test_values_of_other_relations_stand_side_by_side() -> None:
    facts = [
        fact("Vera", "likes", "figs", day(1)),
        fact("Vera", "likes", "tea", day(2)),
        fact("Vera", "verb:juggle", "pins", day(3)),
    ]
    assert all(edge.end is None for edge in view(facts))


def test_equal_assertions_without_a_gap_are_one_edge_with_all_sources() -> None:
    [edge] = view([fact("Vera", "lives_in", "Paris", day(1), c=0.6), fact("Vera", "lives_in", "Paris", day(3), c=0.8)])
    assert (edge.start, edge.end, edge.confidence, len(edge.refs)) == (day(1), None, 0.8, 2)


def test_of_two_values_with_one_start_the_one_said_later_holds() -> None:
    edges = view([fact("Vera", "lives_in", "Rome", day(2), said=day(4)), fact("Vera", "lives_in", "Paris", day(2), said=day(3))])
    assert spans(edges) == [("rome", day(2), None)]
    assert spans(edges, "superseded") == [("paris", day(2), day(2))]


def test_a_confirmation_lets_a_tentative_value_close_the_old_one() -> None:
    facts = [*PARIS, fact("Vera", "lives_in", "Rome", day(7), note="v5")]
    assert spans(view(facts))[-2:] == [("paris", day(6, 1), day(7)), ("rome", day(7), None)]


def test_a_retraction_closes_its_value_and_no_other() -> None:
    facts = [fact("Ada", "likes", "figs", day(1)), fact("Ada", "likes", "tea", day(1)), over("Ada", "likes", "figs", day(4))]
    edges = {edge.tail: edge for edge in view(facts)}
    assert (edges["figs"].end, edges["tea"].end) == (day(4), None)
    assert ("Ada likes figs 2024-04-01 retraction", 0) in edges["figs"].refs


def test_what_is_said_again_after_a_retraction_holds_again() -> None:
    facts = [
        fact("Ada", "works_at", "Orbit", day(1)),
        over("Ada", "works_at", "Orbit", day(3)),
        fact("Ada", "works_at", "Orbit", day(5)),
    ]
    assert spans(view(facts)) == [("orbit", day(1), day(3)), ("orbit", day(5), None)]


def test_an_unsure_retraction_closes_nothing() -> None:
    facts = [fact("Ada", "works_at", "Orbit", day(1)), over("Ada", "works_at", "Orbit", day(3), c=0.4)]
    assert spans(view(facts)) == [("orbit", day(1), None)]


def test_what_was_so_once_closes_nothing_that_holds() -> None:
    facts = [fact("Ada", "lives_in", "Bonn", day(1)), fact("Ada", "lives_in", "Madrid", None, end=day(4), said=day(4))]
    assert spans(view(facts)) == [("madrid", None, day(1)), ("bonn", day(1), None)]


def test_a_stated_end_counts_where_it_is_earlier_than_the_next_value() -> None:
    facts = [fact("Ada", "lives_in", "Bonn", day(1), end=day(2)), fact("Ada", "lives_in", "Rome", day(5))]
    assert spans(view(facts)) == [("bonn", day(1), day(2)), ("rome", day(5), None)]


def test_only_what_had_been_said_by_then_is_known() -> None:
    assert spans(view(PARIS, known_at=day(3, 1))) == [("paris", day(1, 10), None)]
    assert spans(view(PARIS, known_at=day(3, 5))) == [("paris", day(1, 10), day(2, 26)), ("london", day(2, 26), None)]


@pytest.mark.parametrize("stable", [0.3, 0.95])
def test_the_stable_confidence_decides_who_closes_whom(stable: float) -> None:
    edges = view(PARIS, stable)
    if stable < 0.4:
        assert spans(edges)[-1] == ("rome", day(6, 3), None)
    else:
        assert spans(edges) == []
        assert len(spans(edges, "tentative")) == 3  # Paris twice is one: nothing sure lies between
