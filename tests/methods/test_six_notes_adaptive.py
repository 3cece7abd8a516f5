"""AdaptiveGraph by hand: seeds, walks and attribution on small memories (spec 2.7; six_notes.py holds the six notes)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from builders import memory_of, note
from six_notes import LENGTH, B, C, six_notes

from workbench.graph import tag_graph
from workbench.memory import Memory
from workbench.methods.adaptive import AdaptiveConfig, Seeds, seeds
from workbench.methods.base import Words, create
from workbench.records import Ranking
from workbench.settings import configure

EXACT = pytest.approx
TREES = {"weight_ontology": 0, "weight_instance": 0, "chronological": False}
"""Only tag-topic and topic-file edges: one star of tags and files around each topic, which a hand can solve."""


def ranking(text: str, memory: Memory | None = None, k: int | None = None, **settings: object) -> Ranking:
    return create("adaptive", overrides=settings, memory=memory or six_notes()).query(text, k)


def scores(ranking: Ranking) -> dict[str, float]:
    return {hit.note_id: hit.score for hit in ranking.hits}


def order(ranking: Ranking) -> list[str]:
    return [hit.note_id for hit in ranking.hits]


def seeds_of(text: str, profile: str = "default", **settings: object) -> tuple[dict[str, float], Seeds]:
    """The seeds of a query on the six notes: mass by node id where there is any."""
    config = configure(AdaptiveConfig, profile, settings)  # type: ignore[arg-type]
    memory = six_notes()
    graph = tag_graph(memory, config)
    found = seeds(graph, Words(text, memory, config), config)
    return {name: float(mass) for name, mass in zip(graph.node_ids, found.mass, strict=True) if mass}, found


# Seeds ---------------------------------------------------------------------------------------------------------------------


def test_seeds_are_half_on_tags_and_half_on_files() -> None:
    # "chocolate": one tag matches and takes the whole tag half; chocolate is in n1's text alone, which takes the file half.
    assert seeds_of("chocolate")[0] == EXACT({"tag:food/cake/chocolate": 0.5, "file:n1": 0.5}, abs=1e-12)


def test_a_tags_strength_is_its_matched_share_times_the_mean_idf_of_the_matched_words() -> None:
    # "guitar tulips chocolate" (df 2, 1, 1; all kept). Tags: music/guitar 1 of 2 words, idf B; garden/tulips 1 of 2, idf C;
    # food/cake/chocolate 1 of 3, idf C. Strengths B/2, C/2, C/3. Files: n1 C/|n1|, n4 B/|n4|, n5 B/|n5|, n6 C/|n6|.
    strength = {"tag:music/guitar": B / 2, "tag:garden/tulips": C / 2, "tag:food/cake/chocolate": C / 3}
    overlap = {f"file:{name}": idf / LENGTH[name] for name, idf in (("n1", C), ("n4", B), ("n5", B), ("n6", C))}
    tag_total, file_total = sum(strength.values()), sum(overlap.values())
    expected = {name: value / tag_total / 2 for name, value in strength.items()}
    expected |= {name: value / file_total / 2 for name, value in overlap.items()}
    assert seeds_of("guitar tulips chocolate")[0] == EXACT(expected, abs=1e-12)


def test_several_matched_words_in_one_tag() -> None:
    # "music guitar": 2 of 2 words, mean idf (B + B) / 2; the only tag. n4 2B/|n4|, n5 2B/|n5|.
    n4, n5 = 2 * B / LENGTH["n4"], 2 * B / LENGTH["n5"]
    expected = {"tag:music/guitar": 0.5, "file:n4": n4 / (n4 + n5) / 2, "file:n5": n5 / (n4 + n5) / 2}
    assert seeds_of("music guitar")[0] == EXACT(expected, abs=1e-12)


def test_the_file_share_is_a_setting() -> None:
    assert seeds_of("chocolate", file_seed_share=0.25)[0] == EXACT({"tag:food/cake/chocolate": 0.75, "file:n1": 0.25}, abs=1e-12)
    with pytest.raises(ValueError, match=r"file_seed_share is 1\.5"):
        ranking("chocolate", file_seed_share=1.5)


def test_a_side_without_a_match_leaves_all_mass_to_the_other() -> None:
    # "birthday" is in n1's text and in no tag; without file seeds "chocolate" has only its tag.
    only_files, found = seeds_of("birthday")
    assert only_files == EXACT({"file:n1": 1.0}, abs=1e-12)
    assert any("tags" in remark for remark in found.remarks)
    assert seeds_of("chocolate", file_seeding=False)[0] == EXACT({"tag:food/cake/chocolate": 1.0}, abs=1e-12)


def test_filtered_words_seed_neither_tags_nor_files() -> None:
    assert seeds_of("cake chocolate")[0] == seeds_of("chocolate")[0]


def test_only_common_words_fall_back_to_the_unfiltered_query() -> None:
    # "cake" is dropped (4 of 6 notes). No file overlaps with what is kept, so overlap is that of the whole query: n1..n4.
    found, why = seeds_of("cake")
    assert {name for name in found if name.startswith("file")} == {"file:n1", "file:n2", "file:n3", "file:n4"}
    assert sum(found.values()) == EXACT(1.0, abs=1e-12)
    assert any("unfiltered" in remark for remark in why.remarks)


def test_without_file_seeds_common_words_are_matched_to_tags() -> None:
    found, _ = seeds_of("cake", file_seeding=False)
    # 1 of 3 words in chocolate, vanilla, lemon; 1 of 2 in food/cake; equal idf: 2 : 2 : 2 : 3.
    expected = {f"tag:food/cake/{leaf}": 2 / 9 for leaf in ("chocolate", "vanilla", "lemon")} | {"tag:food/cake": 3 / 9}
    assert found == EXACT(expected, abs=1e-12)
    assert seeds_of("cake", "literal", file_seeding=False)[0] == {}


def test_a_word_that_nothing_holds_gives_no_seeds_and_says_so() -> None:
    found = ranking("volcano")
    assert found.hits == ()
    assert any("no seeds" in remark for remark in found.remarks)


# Walks on stars ------------------------------------------------------------------------------------------------------------


def test_walk_on_a_star_by_hand() -> None:
    # Tag-topic and topic-file edges alone: topic food/cake is the centre of a star with the leaves chocolate, vanilla, n1, n2.
    # alpha = 1/2, seeds (file_seeding off) all on chocolate. A leaf passes everything to the centre, the centre a quarter to
    # each leaf. Centre p, sum of leaves 1 - p: p = 1/2 (1 - p), so p = 1/3; a leaf gets 1/2 * p/4 = 1/24; the seed 1/24 + 1/2.
    found = ranking("chocolate", alpha=0.5, file_seeding=False, **TREES)
    assert scores(found) == EXACT({"n1": 1 / 24, "n2": 1 / 24}, abs=1e-10)
    assert order(found) == ["n2", "n1"]
    assert [hit.block for hit in found.hits] == [1, 1]


def test_walk_with_tag_and_file_seeds_by_hand() -> None:
    # The same star with half the seed on chocolate and half on n1: n1 = 1/24 + 1/4.
    found = ranking("chocolate", alpha=0.5, **TREES)
    assert scores(found) == EXACT({"n1": 1 / 24 + 1 / 4, "n2": 1 / 24}, abs=1e-10)


def test_walk_over_two_stars_by_hand() -> None:
    # "chocolate lemon", no file seeds: both tags match 1 of 3 words with idf C, so 1/2 each. Lemon hangs on topic music/guitar
    # with the tag guitar and the files n4, n5: again a star of four leaves, so each component repeats the first test at mass 1/2.
    found = ranking("chocolate lemon", alpha=0.5, file_seeding=False, **TREES)
    assert scores(found) == EXACT(dict.fromkeys(("n5", "n4", "n2", "n1"), 1 / 48), abs=1e-10)
    assert order(found) == ["n5", "n4", "n2", "n1"]


def test_walk_at_the_default_alpha_by_hand() -> None:
    # p = a (1 - p), p = a / (1 + a); a leaf gets a p / 4 = a^2 / (4 (1 + a)): 0.7225 / 7.4 at a = 0.85.
    found = ranking("chocolate", file_seeding=False, **TREES)
    assert scores(found) == EXACT(dict.fromkeys(("n1", "n2"), 0.7225 / 7.4), abs=1e-10)


def test_the_directed_walk_by_hand() -> None:
    # One way: chocolate -> topic -> n1 and n2 (half each), whose mass goes back to the seed (dangling). alpha = 1/2, seed on
    # chocolate. t = 1/2 (n1 + n2) + 1/2;  p = t/2;  n1 = n2 = p/4 = t/8. So t = t/8 + 1/2 = 4/7, p = 2/7, n1 = n2 = 1/14.
    found = ranking("chocolate", alpha=0.5, direction="directed", file_seeding=False, **TREES)
    assert scores(found) == EXACT({"n1": 1 / 14, "n2": 1 / 14}, abs=1e-10)


def test_what_if_weights_by_hand() -> None:
    # Topic-file edges of weight 3: the centre passes 1/8 to each tag and 3/8 to each file: 1/2 * 1/3 * 3/8 = 1/16.
    found = ranking("chocolate", alpha=0.5, file_seeding=False, weight_topic_file=3, **TREES)
    assert scores(found) == EXACT({"n1": 1 / 16, "n2": 1 / 16}, abs=1e-10)


# The time line -------------------------------------------------------------------------------------------------------------


def two_notes() -> Memory:
    """Two notes without a common tag: without ontology edges a path  tag a - topic a - a ~ b - topic b - tag b."""
    return memory_of(note("a", "sea/shell", day=1), note("b", "sky/kite", day=2))


def test_chronological_edges_by_hand() -> None:
    # Weights 1, 1, 1/2, 1, 1 along the path; alpha = 1/2; seed 1 on tag a. By the mirror symmetry of the path, split the seed
    # into 1/2 even + 1/2 odd and solve for one side, t (tag), p (topic), f (file), f's degree 3/2, seed s on t:
    #   even: t = p/4 + s/2,  p = t/2 + f/3,  f = p/4 + f/6  ->  f = 3p/10, p = 5t/9, t = 18s/31, p = 10s/31, f = 3s/31
    #   odd:  t = p/4 + s/2,  p = t/2 + f/3,  f = p/4 - f/6  ->  f = 3p/14, p = 7t/13, t = 26s/45, p = 14s/45, f = 3s/45
    # With s = 1/2: a = 3/62 + 3/90 = 38/465, b = 3/62 - 3/90 = 7/465.
    settings = {"alpha": 0.5, "file_seeding": False, "weight_ontology": 0, "weight_instance": 0}
    assert scores(ranking("shell", two_notes(), **settings)) == EXACT({"a": 38 / 465, "b": 7 / 465}, abs=1e-10)


def test_without_chronological_edges_the_other_note_is_not_reached() -> None:
    assert order(ranking("shell", two_notes(), file_seeding=False, chronological=False)) == ["a"]


# The whole graph, exactly --------------------------------------------------------------------------------------------------

EDGES: tuple[tuple[str, str, Fraction], ...] = (
    # tag-topic: a tag belongs to the topics of the notes that carry it
    ("T choc", "P cake", Fraction(1)),
    ("T vanilla", "P cake", Fraction(1)),
    ("T roses", "P roses", Fraction(1)),
    ("T cake", "P roses", Fraction(1)),
    ("T guitar", "P guitar", Fraction(1)),
    ("T lemon", "P guitar", Fraction(1)),
    ("T tulips", "P tulips", Fraction(1)),
    ("T chile", "P tulips", Fraction(1)),
    # topic-file
    ("P cake", "n1", Fraction(1)),
    ("P cake", "n2", Fraction(1)),
    ("P roses", "n3", Fraction(1)),
    ("P guitar", "n4", Fraction(1)),
    ("P guitar", "n5", Fraction(1)),
    ("P tulips", "n6", Fraction(1)),
    # no two topics share three attributes
    # ontology: parent-child
    ("O food", "O cake", Fraction(1)),
    ("O cake", "O choc", Fraction(1)),
    ("O cake", "O vanilla", Fraction(1)),
    ("O cake", "O lemon", Fraction(1)),
    ("O garden", "O roses", Fraction(1)),
    ("O garden", "O tulips", Fraction(1)),
    ("O music", "O guitar", Fraction(1)),
    ("O place", "O chile", Fraction(1)),
    # instance: a tag and the concept of its full path
    *(
        (f"O {name}", f"T {name}", Fraction(1))
        for name in ("choc", "vanilla", "cake", "lemon", "roses", "tulips", "guitar", "chile")
    ),
    # chronological
    *((f"n{i}", f"n{i + 1}", Fraction(1, 2)) for i in range(1, 6)),
)


def exact_walk(
    edges: tuple[tuple[str, str, Fraction], ...], start: Mapping[str, Fraction], alpha: Fraction
) -> dict[str, Fraction]:
    """The fixed point of x = alpha M' x + (1 - alpha) s over undirected edges, by elimination in whole fractions."""
    names = sorted({name for one, other, _ in edges for name in (one, other)})
    number = {name: i for i, name in enumerate(names)}
    degree = dict.fromkeys(names, Fraction(0))
    for one, other, weight in edges:
        degree[one] += weight
        degree[other] += weight
    rows = [
        [Fraction(i == j) for j in range(len(names))] + [(1 - alpha) * start.get(name, Fraction(0))]
        for i, name in enumerate(names)
    ]
    for one, other, weight in edges:
        rows[number[other]][number[one]] -= alpha * weight / degree[one]
        rows[number[one]][number[other]] -= alpha * weight / degree[other]
    for i in range(len(rows)):  # every pivot is positive: the matrix is diagonally dominant by columns
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(len(rows)):
            if j != i and rows[j][i]:
                rows[j] = [value - rows[j][i] * pivot for value, pivot in zip(rows[j], rows[i], strict=True)]
    return {name: row[-1] for name, row in zip(names, rows, strict=True)}


def test_the_exact_solver_gives_the_star_of_the_first_walk() -> None:
    star = tuple(("centre", leaf, Fraction(1)) for leaf in ("chocolate", "vanilla", "n1", "n2"))
    found = exact_walk(star, {"chocolate": Fraction(1)}, Fraction(1, 2))
    assert found == {
        "centre": Fraction(1, 3),
        "chocolate": Fraction(13, 24),
        "vanilla": Fraction(1, 24),
        "n1": Fraction(1, 24),
        "n2": Fraction(1, 24),
    }


@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(17, 20), Fraction(3, 10)])
@pytest.mark.parametrize(
    ("text", "start"), [("chocolate", {"T choc": Fraction(1, 2), "n1": Fraction(1, 2)}), ("birthday", {"n1": Fraction(1)})]
)
def test_the_whole_graph_against_exact_fractions(alpha: Fraction, text: str, start: dict[str, Fraction]) -> None:
    exact = exact_walk(EDGES, start, alpha)
    assert sum(exact.values()) == 1
    found = scores(ranking(text, alpha=float(alpha)))
    assert found == EXACT({name: float(value) for name, value in exact.items() if name.startswith("n")}, abs=1e-10)


def test_the_graph_has_exactly_the_edges_written_above() -> None:
    graph = tag_graph(six_notes(), AdaptiveConfig())
    matrix = graph.weights(AdaptiveConfig().edge_weights)
    assert graph.n_nodes == len({name for one, other, _ in EDGES for name in (one, other)})
    assert matrix.nnz == 2 * len(EDGES)
    assert matrix.sum() == 2 * float(sum(weight for *_, weight in EDGES))


def test_the_whole_graph_against_a_dense_solve() -> None:
    config = AdaptiveConfig()
    graph = tag_graph(six_notes(), config)
    weights = graph.weights(config.edge_weights).toarray()
    transition = (weights / weights.sum(axis=1, keepdims=True)).T
    start, _ = seeds_of("guitar tulips chocolate")
    s = np.array([start.get(name, 0.0) for name in graph.node_ids])
    x = np.linalg.solve(np.eye(len(s)) - 0.85 * transition, 0.15 * s)
    expected = {name.removeprefix("file:"): value for name, value in zip(graph.node_ids, x, strict=True) if "file:" in name}
    assert scores(ranking("guitar tulips chocolate")) == EXACT(expected, abs=1e-10)


# Ablations and why ---------------------------------------------------------------------------------------------------------


def test_without_diffusion_files_rank_by_their_own_seed() -> None:
    found = ranking("guitar tulips", diffusion=False)
    n4, n5, n6 = B / LENGTH["n4"], B / LENGTH["n5"], C / LENGTH["n6"]
    total = 2 * (n4 + n5 + n6)
    assert scores(found) == EXACT({"n4": n4 / total, "n5": n5 / total, "n6": n6 / total}, abs=1e-12)


def test_without_diffusion_and_file_seeds_nothing_is_scored_and_the_ranking_says_why() -> None:
    found = ranking("chocolate", diffusion=False, file_seeding=False)
    assert found.hits == ()
    assert any("without diffusion and file seeds" in remark for remark in found.remarks)


def test_attribution_by_hand() -> None:
    # The star with half the seed on chocolate and half on n1 (see above): n1's 1/24 + 1/4. Of it, chocolate brought the half
    # of a leaf's 1/24, and n1 itself 1/48 + 1/4; of n2's 1/24 each brought one half.
    found = {hit.note_id: hit.why for hit in ranking("chocolate", alpha=0.5, **TREES).hits}
    parts = {part.name: part.value for part in found["n1"].parts}
    assert parts == EXACT({"file:n1": 1 / 48 + 1 / 4, "tag:food/cake/chocolate": 1 / 48}, abs=1e-10)
    parts = {part.name: part.value for part in found["n2"].parts}
    assert parts == EXACT({"file:n1": 1 / 48, "tag:food/cake/chocolate": 1 / 48}, abs=1e-10)


def test_why_names_the_words_behind_each_seed() -> None:
    found = ranking("chocolate birthday")
    details = {part.name: part.detail for part in found.hits[0].why.parts}
    assert details["tag:food/cake/chocolate"]["words"] == ["chocol"]
    assert details["file:n1"]["words"] == ["chocol", "birthday"]
    assert details["file:n1"]["seed_share"] == EXACT(0.5, abs=1e-12)
