"""Laws between configurations and memories (spec 2.7, check item 8)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders import PATHS, memory_of, note, note_lists
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from workbench.diffusion import Diffusion
from workbench.graph import tag_graph
from workbench.memory import Memory
from workbench.methods.adaptive import AdaptiveConfig, walk
from workbench.methods.base import create
from workbench.records import Note, Ranking
from workbench.settings import Profile

many = settings(max_examples=50, deadline=None)
queries = st.lists(st.sampled_from(["cake", "lemon", "guitar", "roses", "how", "the", "museum"]), min_size=1, max_size=4).map(
    " ".join
)


def order(ranking: Ranking) -> list[str]:
    return [hit.note_id for hit in ranking.hits]


@many
@given(notes=note_lists(), text=queries)
def test_alpha_zero_ranks_like_diffusion_off(notes: list[Note], text: str) -> None:
    still = create("adaptive", overrides={"alpha": 0}, memory=memory_of(*notes)).query(text, None)
    off = create("adaptive", overrides={"diffusion": False}, memory=memory_of(*notes)).query(text, None)
    assert order(still) == order(off)
    assert [hit.score for hit in still.hits] == pytest.approx([hit.score for hit in off.hits], abs=1e-12)


@many
@given(notes=note_lists(), text=queries, other=queries)
def test_diffusion_depends_on_the_share_of_seeds_only(notes: list[Note], text: str, other: str) -> None:
    # Repeating the query changes no seed: seeds come from distinct words.
    method = create("adaptive", memory=memory_of(*notes))
    assert order(method.query(f"{text} {other}", None)) == order(method.query(f"{text} {other} {other} {text}", None))


def rank_of(note_id: str, ranking: Ranking) -> float:
    return next((hit.rank for hit in ranking.hits if hit.note_id == note_id), float("inf"))


def with_tag(notes: list[Note], at: int, path: str) -> list[Note]:
    extraction = notes[at].extraction
    changed = replace(notes[at], extraction=replace(extraction, extra=(*extraction.extra, path)))
    return [*notes[:at], changed, *notes[at + 1 :]]


@pytest.mark.parametrize("profile", ["default", "literal"])
@many
@given(notes=note_lists(), text=queries, at=st.integers(0, 6), path=st.sampled_from(PATHS))
def test_a_tag_that_the_query_matches_never_makes_basic_rank_its_note_worse(
    profile: Profile, notes: list[Note], text: str, at: int, path: str
) -> None:
    # The note is then reached directly with at least the words it had. Other notes are reached directly by their own tags only,
    # which do not change; whatever else the new tag brings them (as topic mates, as siblings) is a lower tier.
    at %= len(notes)
    tagged = with_tag(notes, at, f"{path}/{text.split()[0]}")
    before = create("tag_basic", profile, memory=memory_of(*notes)).query(text, None)
    after = create("tag_basic", profile, memory=memory_of(*tagged)).query(text, None)
    assert rank_of(notes[at].id, after) <= rank_of(notes[at].id, before)


@many
@given(notes=note_lists(), text=queries, at=st.integers(0, 6))
def test_a_matched_tag_lifts_its_note_to_the_first_tier(notes: list[Note], text: str, at: int) -> None:
    # With the default traversal: the note is then reached directly, whatever it was before.
    at %= len(notes)
    found = create("tag_basic", memory=memory_of(*with_tag(notes, at, f"new/{text.split()[0]}"))).query(text, None)
    hit = next(hit for hit in found.hits if hit.note_id == notes[at].id)
    assert hit.score >= 1
    assert hit.why.parts[0].name == "d=0"


@many
@given(notes=note_lists(min_size=2))
def test_a_node_without_edges_and_seed_changes_nobody(notes: list[Note]) -> None:
    # For fixed seeds and transition (a new note would also change N, every idf and the time line).
    config = AdaptiveConfig()
    memory = memory_of(*notes)
    graph = tag_graph(memory, config)
    seeds = np.zeros(graph.n_nodes)
    seeds[[graph.offset["file"], graph.n_nodes - 1]] = 1, 2
    x = walk(memory, config).solve(seeds)
    weights = sparse.block_diag([graph.weights(config.edge_weights), sparse.csr_array((1, 1))], format="csr")
    larger = Diffusion(weights, config.alpha).solve(np.append(seeds, 0.0))
    assert larger[:-1] == pytest.approx(x, abs=1e-10)
    assert np.argsort(-np.round(larger[:-1], 9), kind="stable").tolist() == np.argsort(-np.round(x, 9), kind="stable").tolist()


def test_an_edge_kind_of_weight_zero_is_an_edge_kind_left_out() -> None:
    notes = [note("a", "sea/shell", user="shell", day=1), note("b", "sea/foam", day=2), note("c", "sky/kite", day=3)]
    off = create("adaptive", overrides={"chronological": False}, memory=memory_of(*notes)).query("shell", None)
    zero = create("adaptive", overrides={"weight_chronological": 0}, memory=memory_of(*notes)).query("shell", None)
    assert [(hit.note_id, hit.score) for hit in off.hits] == [(hit.note_id, hit.score) for hit in zero.hits]
    assert order(off) != order(create("adaptive", memory=memory_of(*notes)).query("shell", None))


def test_in_the_directed_walk_the_time_line_has_no_weight() -> None:
    # A file's only way out is the time line, so its weight cancels (check item 11).
    notes = [note(f"n{i}", f"sea/shell{i}", user="shell", day=i) for i in range(4)]
    light, heavy = (
        create("adaptive", overrides={"direction": "directed", "weight_chronological": w}, memory=memory_of(*notes)).query(
            "shell0", None
        )
        for w in (0.5, 5)
    )
    assert [hit.score for hit in light.hits] == pytest.approx([hit.score for hit in heavy.hits], abs=1e-10)


def test_oracle_stores_are_always_answered() -> None:
    # Small stores whose every word is common: whatever the filter drops, all but the literal filter methods return something.
    notes = [note(f"n{i}", "trip/venice", user="the trip to venice", day=i) for i in range(5)]
    for name, profile in [(n, p) for n in ("tag_basic", "tag_tfidf", "adaptive", "bm25") for p in ("default", "literal")]:
        assert create(name, profile, memory=Memory(notes)).query("the venice trip").hits, (name, profile)  # type: ignore[arg-type]
    for name in ("tag_stopwords", "bm25_filtered"):
        assert create(name, memory=Memory(notes)).query("the venice trip").hits, name
