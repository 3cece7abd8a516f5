"""What the page Diffusion shows: the equation of a step, frames, visible nodes, rows, and drawings of them as text and charts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders import memory_of, note
from shown import HOSTILE

from workbench.memory import Memory
from workbench.methods.adaptive import AdaptiveConfig, Spread
from workbench.spread import SpreadTrace, attribution, trace, what_if
from workbench.ui.diffusion_charts import along, charts, down, drawn_notes, mark
from workbench.ui.diffusion_html import Bar, bars_html, edge_bars, equation_html, seed_bars, walks_html
from workbench.ui.diffusion_view import (
    equation,
    frames,
    line_of,
    masses_of,
    move_rows,
    name_of,
    node_rows,
    part_of,
    shown_nodes,
    unit_radius,
)
from workbench.ui.graph_details import drawable
from workbench.ui.graph_layout import layered
from workbench.ui.graph_view import GHOST, GraphView, network

QUERY = "guitar concert"
GOLD = frozenset({"n3"})


@pytest.fixture
def memory() -> Memory:
    """Seven notes on a line in time; only n4 and n5 hold a word of the query, n2 and n6 lie next to nothing that does."""
    return memory_of(
        note("n1", "food/cake", user="birthday", day=1),
        note("n2", "food/tea", user="kettle", day=2),
        note("n3", "garden/roses", user="the gold of this question", day=3),
        note("n4", ("music/guitar", "food/cake"), user="new strings", day=4),
        note("n5", "music/guitar", user="concert", day=5),
        note("n6", "garden/tulips", user="bulbs", day=6),
        note("n7", "trees/oak", user="acorns", day=7),
    )


def traced(memory: Memory, query: str = QUERY, muted: tuple[str, ...] = (), **config: object) -> SpreadTrace:
    return trace(Spread.of(memory, query, AdaptiveConfig(**config), muted))


# --- the equation -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", ["symmetric", "directed"])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.85])
def test_the_equation_of_every_step_and_node_gives_the_value_of_the_trace(memory, direction, alpha):
    run = traced(memory, direction=direction, alpha=alpha)
    for step in run.steps[:12]:
        for at, node in enumerate(run.spread.graph.node_ids):
            one = equation(run, node, step.iteration)
            assert one.value == step.x[at]
            assert one.total == pytest.approx(one.value, abs=1e-15)


def test_the_equation_counts_what_was_lost_on_nodes_without_edges(memory):
    weights = {"weight_tag_topic": 0.0, "weight_ontology": 0.0, "weight_instance": 0.0}
    run = traced(memory, **weights)
    one = equation(run, "tag:music/guitar", 1)
    assert one.lost > 0
    assert one.terms == ()
    assert one.total == pytest.approx(one.value, abs=1e-15)
    assert "lost" in equation_html(one, memory)


def test_the_equation_of_step_0_is_the_seed(memory):
    one = equation(traced(memory), "file:n5", 0)
    assert one.value == one.seed == one.total > 0
    assert one.terms == ()


def test_the_shares_of_the_equation_are_those_of_the_neighbours_edges(memory):
    one = equation(traced(memory), "file:n6", 2)
    share = {term.source: term.share for term in one.terms}
    # n5 has three edges: its topic (1), and n4 and n6 in time order (0.5 each).
    assert share["file:n5"] == pytest.approx(0.25)


def test_an_unknown_node_has_no_equation(memory):
    with pytest.raises(KeyError, match="no node 'file:none'"):
        equation(traced(memory), "file:none", 1)


# --- frames and visible nodes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [0, 1, 59, 60, 117, 2000])
def test_frames_are_few_and_hold_both_ends_the_early_steps_and_what_is_kept(last):
    keep = [last // 2, last - 1, last + 1, -1]
    found = frames(last, keep)
    assert len(found) <= 60
    assert list(found) == sorted(set(found))
    assert {0, last, last // 2} <= set(found)
    assert set(range(min(last, 39) + 1)) <= set(found)
    assert max(found) == last


def test_gold_the_first_notes_seeds_and_the_chosen_node_are_always_drawn(memory):
    run = traced(memory)
    nodes = shown_nodes(run, GOLD, 12, ["file:n7"])
    assert len(nodes) == len(set(nodes)) == 12
    assert {"file:n3", "file:n7", "file:n5", "file:n4", "tag:music/guitar"} <= set(nodes)


def test_the_heaviest_nodes_are_drawn_before_lighter_ones(memory):
    run = traced(memory)
    nodes = shown_nodes(run, (), 20)
    x = np.maximum(run.steps[0].x, run.steps[-1].x)
    weight = dict(zip(run.spread.graph.node_ids, x.tolist(), strict=True))
    must = {f"file:{each}" for each in run.ranks[-1].notes[:10]}
    left_out = max((weight[node] for node in weight if node not in nodes), default=0.0)
    kept = sorted(weight[node] for node in nodes if node not in must)
    assert kept[len(kept) // 2] >= left_out


def test_the_hidden_mass_and_the_shown_mass_are_all_of_it(memory):
    run = traced(memory)
    nodes = shown_nodes(run, GOLD, 10)
    (mass,) = masses_of(run, [3], nodes)
    hidden = 1 - sum(mass.values())
    assert 0 < hidden < 1
    assert f"{hidden:.1%} of the mass is on hidden nodes" in line_of(run, 3, GOLD, sum(mass.values()))


def test_the_line_says_where_gold_stands(memory):
    run = traced(memory)
    assert "gold is not among the 2 ranked" in line_of(run, 0, GOLD, 1.0)
    rank = run.ranks[-1].rank_of("n3")
    assert f"gold at rank {rank} of 7" in line_of(run, len(run.steps) - 1, GOLD, 1.0)


def test_edges_that_are_not_walked_are_not_drawn(memory):
    nodes = ["file:n4", "file:n5", "topic:music/guitar"]
    weights = AdaptiveConfig().edge_weights
    assert part_of(drawable(memory), nodes, weights).has_edge("file:n4", "file:n5")
    assert not part_of(drawable(memory), nodes, weights | {"chronological": 0.0}).has_edge("file:n4", "file:n5")
    assert drawable(memory).has_edge("file:n4", "file:n5")


def test_the_area_of_a_disc_is_in_proportion_to_its_mass_and_the_largest_of_all_steps_fits(memory):
    run = traced(memory)
    nodes = run.spread.graph.node_ids
    graph = drawable(memory)
    view = GraphView(graph, layered(graph), unit_radius=unit_radius(run, nodes))
    largest = max(float(step.x.max()) for step in run.steps)
    assert view.radius(largest) == pytest.approx(24.0, abs=0.02)
    assert view.radius(0.36) - 2 == pytest.approx(2 * (view.radius(0.09) - 2), abs=0.02)


def test_the_converged_answer_is_an_outline_with_its_own_area(memory):
    run = traced(memory)
    graph = drawable(memory)
    nodes = list(graph)
    (now, end) = masses_of(run, [0, -1], nodes)
    view = GraphView(graph, layered(graph), mass=now, ghost=end)
    size = {node["id"]: node["size"] for node in network(view).nodes if "size" in node}
    assert size[GHOST + "file:n3"] == view.radius(end["file:n3"]) > size["disc:file:n3"] == view.radius(0.0)


# --- rows -------------------------------------------------------------------------------------------------------------------


def test_rows_are_the_ranked_notes_and_then_the_other_nodes_by_mass(memory):
    run = traced(memory)
    rows = node_rows(run, 4, ["tag:music/guitar", "topic:music/guitar", "file:n5"])
    assert [row.node for row in rows[:-2]] == [f"file:{each}" for each in run.ranks[4].notes]
    assert [row.rank for row in rows[:-2]] == list(range(1, len(rows) - 1))
    assert rows[-2].mass >= rows[-1].mass
    row = next(row for row in rows if row.node == "file:n5")
    at = run.spread.graph.node_ids.index("file:n5")
    assert (row.mass, row.end, row.by_seeds) == (run.steps[4].x[at], run.steps[-1].x[at], run.ranks[0].rank_of("n5"))


def test_equal_scores_are_marked_as_tied():
    memory = memory_of(*(note(id, "music/guitar", day=None, user="guitar") for id in ("a", "b")))
    assert [row.is_tied for row in node_rows(traced(memory, "guitar"), 0, [])] == [True, True]


def test_moves_hold_gold_wherever_it_stands(memory):
    config = AdaptiveConfig()
    compared = what_if(memory, QUERY, config, AdaptiveConfig(alpha=0.0))
    rows = move_rows(compared, GOLD, top=1)
    assert [(row.note_id, row.after) for row in rows if row.after] == [("n5", 1)]
    gold = next(row for row in rows if row.is_gold)
    assert gold.before is not None
    assert gold.after is None  # without spreading it has no seed of its own


# --- text -------------------------------------------------------------------------------------------------------------------


def test_both_lists_of_parts_sum_to_the_score(memory):
    found = attribution(traced(memory).spread, "n3")
    for bars in (seed_bars(found, memory), edge_bars(found, memory)):
        assert sum(bar.value for bar in bars) == pytest.approx(found.score, abs=1e-12)


def test_bars_are_drawn_with_their_sum_and_the_rest_as_one():
    page = bars_html([Bar(f"part {n}", 0.001 * (9 - n), "file") for n in range(8)], listed=3)
    assert page.count("height:10px") == 4
    assert "5 more" in page
    assert "0.04400</b>" in page


def test_names_and_walks_are_text_and_not_markup():
    memory = memory_of(note("h1", HOSTILE.replace("/", " "), user=HOSTILE, summary=HOSTILE), note("h2", "b", user="b", day=2))
    run = traced(memory, HOSTILE)
    found = attribution(run.spread, "h1")
    bars = [*seed_bars(found, memory), *edge_bars(found, memory)]
    for page in (bars_html(bars), walks_html(found, memory, ()), equation_html(equation(run, "file:h2", 2), memory)):
        assert "<img" not in page
        assert "&lt;" in page
    assert name_of("file:h1", memory) == HOSTILE[:89].rstrip() + "…" or name_of("file:h1", memory) == HOSTILE


def test_a_node_outside_the_picture_is_in_brackets(memory):
    found = attribution(traced(memory).spread, "n3")
    assert "[<span" in walks_html(found, memory, ["file:n3"])
    assert "[<span" not in walks_html(found, memory, traced(memory).spread.graph.node_ids)


def test_control_characters_of_a_tag_are_named():
    memory = memory_of(note("h1", "a/gnp\u202eexe"))
    assert name_of("tag:a/gnp\u202eexe", memory) == "a/gnp⟨U+202E⟩exe"


# --- charts -----------------------------------------------------------------------------------------------------------------


def figure_of(run: SpreadTrace, memory: Memory, step: int = 2, selected: str = ""):
    sent = frames(len(run.steps) - 1)
    titles = {one: name_of(f"file:{one}", memory) for one in drawn_notes(run, GOLD, selected)}
    figure = charts(run, sent, GOLD, selected, titles, "light", 500)
    mark(figure, step, "light")
    return figure


def lines(figure, axis: str):
    return [line for line in figure.data if (line.yaxis or "y") == axis]


def test_mass_by_kind_sums_to_1_at_every_iteration(memory):
    stack = lines(figure_of(traced(memory), memory), "y2")
    assert len(stack) == 4
    assert np.sum([line.y for line in stack], axis=0) == pytest.approx(1.0)


def test_a_note_stands_at_its_rank_and_can_be_clicked(memory):
    run = traced(memory)
    line = next(
        line for line in lines(figure_of(run, memory), "y") if line.customdata is not None and line.customdata[0][0] == "n3"
    )
    for place, (_, at) in zip(line.y, line.customdata, strict=True):
        rank = run.ranks[at].rank_of("n3")
        assert place == (None if rank is None else down(rank)) or math.isnan(place)
    assert line.marker.symbol[-1] == "star"
    assert "gold" in line.hovertemplate


def test_tied_ranks_are_hollow_and_joined_by_a_band():
    memory = memory_of(*(note(id, "music/guitar", day=None, user="guitar") for id in ("a", "b")))
    run = traced(memory, "guitar")
    figure = figure_of(run, memory)
    assert [line.name for line in lines(figure, "y")].count("ties") == 1
    band = next(line for line in figure.data if line.name == "ties")
    assert list(band.y[:2]) == [1.0, 2.0]
    assert all(symbol.endswith("-open") for line in lines(figure, "y") if line.name != "ties" for symbol in line.marker.symbol)


def test_a_line_marks_the_iteration_that_is_shown(memory):
    figure = figure_of(traced(memory), memory, step=5)
    mark(figure, 6, "light")
    assert [(shape.x0, shape.xref) for shape in figure.layout.shapes] == [(along(6), axis) for axis in ("x", "x2", "x3")]


def test_the_residual_of_the_start_has_no_point(memory):
    run = traced(memory)
    (line,) = lines(figure_of(run, memory), "y3")
    assert line.y[0] is None or math.isnan(line.y[0])
    assert line.y[1] == run.steps[1].residual
    assert figure_of(run, memory).layout.yaxis3.type == "log"


def test_a_note_beyond_the_first_ten_is_drawn_where_it_is_chosen():
    memory = memory_of(*(note(f"m{n:02}", f"topic/number{n}", user="guitar " * (n == 0), day=n + 1) for n in range(14)))
    run = traced(memory, "guitar")
    far = run.ranks[-1].notes[12]
    assert far not in drawn_notes(run, ())
    assert far in drawn_notes(run, (), far)
    assert figure_of(run, memory, selected=far).layout.yaxis.range[0] > 10


def test_titles_in_charts_are_text():
    memory = memory_of(note("h1", "music/guitar", user=HOSTILE, summary=HOSTILE))
    figure = figure_of(traced(memory, "guitar"), memory)
    assert not any("<img" in (line.hovertemplate or "") for line in figure.data)


def test_without_diffusion_the_charts_hold_one_step(memory):
    run = traced(memory, diffusion=False)
    assert len(run.steps) == 1
    assert all(len(line.x) == 1 for line in figure_of(run, memory, step=0).data if line.name != "ties")
