"""Paths against a plain search, the order in which they are taken, and the budget that they are taken into."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from ariadne_dialogues import chatter, config, method, talk
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.ariadne.base_graph import Edge
from workbench.ariadne.budget import spend
from workbench.ariadne.paths import Path, best_first, coherence, count_paths, mine
from workbench.ariadne.terminals import Member

SIZE = 9


@st.composite
def graphs(draw: st.DrawFn) -> tuple[np.ndarray, list[float], list[float]]:
    """An acyclic graph, relevances, and times that rise with the place."""
    pairs = [(one, other) for one in range(SIZE) for other in range(one + 1, SIZE)]
    joined = np.zeros((SIZE, SIZE), np.int64)
    for one, other in draw(st.lists(st.sampled_from(pairs), unique=True, max_size=20)):
        joined[one, other] = 1
    relevance = draw(st.lists(st.sampled_from([0.1, 0.25, 0.5, 0.8, 1.0]), min_size=SIZE, max_size=SIZE))
    return joined, relevance, sorted(draw(st.lists(st.floats(0, 1000), min_size=SIZE, max_size=SIZE)))


def edges(joined: np.ndarray) -> list[Edge]:
    return [Edge(int(one), int(other), ("entity",)) for one, other in np.argwhere(joined)]


def searched(joined: np.ndarray, length: int) -> set[tuple[int, ...]]:
    """Depth-first search, as the paper words it."""
    found: set[tuple[int, ...]] = set()

    def walk(chain: tuple[int, ...]) -> None:
        if len(chain) > 2:
            found.add(chain)
        if len(chain) <= length:
            for end in np.flatnonzero(joined[chain[-1]]):
                walk((*chain, int(end)))

    for start in range(len(joined)):
        walk((start,))
    return found


@given(graphs(), st.sampled_from([2, 3]))
def test_the_paths_are_those_of_a_plain_search_and_never_go_back_in_time(
    graph: tuple[np.ndarray, list[float], list[float]], length: int
) -> None:
    joined, relevance, hours = graph
    found = mine(edges(joined), dict(enumerate(relevance)), np.array(hours), config(path_length=length))
    assert {path.nodes for path in found.found} == searched(joined, length)
    assert found.count == len(found.found) == count_paths(joined, length)
    for path in found.found:
        assert all(hours[one] <= hours[other] for one, other in pairwise(path.nodes))
        assert len(set(path.nodes)) == len(path.nodes)
        assert path.relevance == pytest.approx(np.mean([relevance[node] for node in path.nodes]))
        assert path.value == pytest.approx(path.relevance * coherence(hours[path.nodes[-1]] - hours[path.nodes[0]]))
    values = [round(path.value, 9) for path in found.found]
    assert values == sorted(values, reverse=True)


@given(graphs())
def test_best_first_gives_every_path_by_falling_relevance(graph: tuple[np.ndarray, list[float], list[float]]) -> None:
    joined, relevance, _ = graph
    weights = np.array(relevance)
    found = list(best_first(joined, weights, 3))
    assert len(found) == len(set(found))
    assert set(found) == searched(joined, 3)
    means = [round(float(weights[list(chain)].mean()), 9) for chain in found]
    assert means == sorted(means, reverse=True)


def test_beyond_the_limit_only_the_best_are_looked_at_and_it_is_said() -> None:
    joined = np.triu(np.ones((SIZE, SIZE), np.int64), 1)
    relevance = {node: 1 / (1 + node) for node in range(SIZE)}
    found = mine(edges(joined), relevance, np.zeros(SIZE), config(path_limit=100, path_best=7))
    assert (found.count, found.is_exact, len(found.found)) == (84 + 126, False, 7)
    every = mine(edges(joined), relevance, np.zeros(SIZE), config())
    assert {path.nodes for path in found.found} == {path.nodes for path in every.found[:7]}


def test_the_ranking_says_that_the_limit_was_met() -> None:
    made = method(talk(*chatter(4, 12)), path_limit=5, path_best=3)
    (remark,) = [each for each in made.query("the violin and the ferry").remarks if "paths" in each]
    assert remark.endswith("only the best 3 were looked at")


def test_a_single_edge_is_no_path() -> None:
    assert mine([Edge(0, 1, ("near",))], {0: 0.5, 1: 0.5}, np.zeros(2), config()).found == ()


def test_length_comes_first_only_in_the_papers_order() -> None:
    weak = np.zeros((5, 5), np.int64)
    for one, other in ((0, 1), (1, 2), (2, 3), (0, 4)):
        weak[one, other] = 1
    relevance = {0: 0.9, 1: 0.8, 2: 0.7, 3: 0.01, 4: 0.9}
    lengths = [
        [len(path.nodes) for path in mine(edges(weak), relevance, np.zeros(5), config(path_order=order)).found]
        for order in ("relevance", "length")
    ]
    assert lengths == [[3, 4, 3], [4, 3, 3]]


# Budget -------------------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(graphs(), st.integers(0, 30), st.sampled_from(["relevance", "length"]), st.integers(1, 8), st.booleans())
def test_the_evidence_holds_as_much_as_the_budget_lets_in(
    graph: tuple[np.ndarray, list[float], list[float]], more: int, order: str, most: int, topology: bool
) -> None:
    joined, relevance, hours = graph
    settings_ = config(budget_least=1, budget_most=most, path_order=order, topology=topology)
    members = {node: Member(node, "terminal", value) for node, value in enumerate(relevance)}
    members |= {SIZE + at: Member(SIZE + at, "terminal", 0.05) for at in range(more)}
    paths = mine(edges(joined), dict(enumerate(relevance)), np.array(hours), settings_)
    found = spend(members, paths.found, settings_)
    assert len(found.kept) == min(most, len(members))
    assert sorted((*found.kept, *found.cut)) == sorted(members)
    for node, path in found.by_path.items():
        assert node in path.nodes
        assert set(path.nodes) <= set(found.kept)


@given(st.integers(1, 60))
def test_by_default_it_holds_8_to_25_where_there_are_as_many(count: int) -> None:
    members = {node: Member(node, "terminal", 1 / (1 + node)) for node in range(count)}
    found = spend(members, (), config())
    assert min(8, count) <= len(found.kept) <= 25
    assert found.kept == tuple(range(min(25, count)))


def test_a_long_path_does_not_displace_the_best_entry() -> None:
    members = {node: Member(node, "terminal", value) for node, value in enumerate((0.1, 0.1, 0.1, 0.1, 0.9))}
    path = Path((0, 1, 2, 3), 0.1, 0.0, 0.1)
    assert 4 in spend(members, [path], config(budget_most=4, budget_least=1)).kept
    assert 4 not in spend(members, [path], config(budget_most=4, budget_least=1, path_order="length")).kept


def test_a_bridge_comes_in_by_its_path_alone() -> None:
    members = {0: Member(0, "terminal", 0.8), 1: Member(1, "bridge", 0.35, ends=(0, 2)), 2: Member(2, "terminal", 0.7)}
    path = Path((0, 1, 2), 0.6, 0.0, 0.6)
    found = spend(members, [path], config(budget_most=3, budget_least=1))
    assert found.by_path[1] is path
    assert spend(members, [path], config(budget_most=2, budget_least=1)).cut == (1,)


def test_a_least_budget_above_the_most_is_refused() -> None:
    with pytest.raises(ValueError, match="budget_least is 9"):
        config(budget_least=9, budget_most=8)
