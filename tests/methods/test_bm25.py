"""BM25 against rank-bm25 on the same words, over both of its routes, and its filtered partner."""

from __future__ import annotations

import math

import pytest
from builders import memory_of, note, note_lists
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25L, BM25Okapi, BM25Plus

from workbench.memory import Memory
from workbench.methods import bm25
from workbench.methods.base import create
from workbench.notes import full_text
from workbench.records import Note, Ranking
from workbench.text import Analyser

VARIANTS = {"okapi": BM25Okapi, "l": BM25L, "plus": BM25Plus}
ROUTES = {"rank-bm25": 20_000, "sparse": 0}


def on_route(name: str, text: str, memory: Memory, largest: int, profile: str = "default", **overrides: object) -> Ranking:
    """A full ranking with rank-bm25 asked up to ``largest`` notes and the sparse table used above."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "LARGE", largest)
        return create(name, profile, overrides, memory).query(text, None)  # type: ignore[arg-type]


def reference(
    notes: list[Note], words: list[str], analyser: Analyser, variant: str = "okapi", **parameters: float
) -> dict[str, float]:
    """rank-bm25's own score of every note that holds a query word."""
    corpus = [analyser.words(full_text(each)) for each in notes]
    scores = VARIANTS[variant](corpus, **parameters).get_scores(words)
    return {each.id: score for each, score, text in zip(notes, scores, corpus, strict=True) if set(text) & set(words)}


def scores(ranking: Ranking) -> dict[str, float]:
    return {hit.note_id: hit.score for hit in ranking.hits}


both_routes = pytest.mark.parametrize("largest", ROUTES.values(), ids=ROUTES)


@both_routes
def test_score_by_hand(largest: int) -> None:
    # N = 3. tea: df 1, idf ln(2.5 / 1.5). Lengths 2, 3, 1: average 2. The note "tea tea milk" has tf 2, length 3:
    # 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 3/2)).
    memory = memory_of(note("a", user="cold water"), note("b", user="tea tea milk"), note("c", user="juice"))
    expected = math.log(2.5 / 1.5) * 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 1.5))
    assert scores(on_route("bm25", "tea", memory, largest)) == pytest.approx({"b": expected}, abs=1e-12)


@both_routes
@settings(max_examples=50, deadline=None)
@given(
    notes=note_lists(),
    query=st.lists(st.sampled_from(["cake", "lemon", "the", "how", "tea", "xylophone"]), min_size=1, max_size=5),
    normaliser=st.sampled_from(["snowball", "simple"]),
    variant=st.sampled_from([*VARIANTS]),
)
def test_scores_are_those_of_rank_bm25(largest: int, notes: list[Note], query: list[str], normaliser: str, variant: str) -> None:
    analyser = Analyser(normaliser)  # type: ignore[arg-type]
    if not any(analyser.words(full_text(each)) for each in notes):
        notes = [*notes, note("filler", user="word")]
    found = on_route("bm25", " ".join(query), memory_of(*notes), largest, normaliser=normaliser, variant=variant)
    assert scores(found) == pytest.approx(reference(notes, analyser.words(" ".join(query)), analyser, variant), abs=1e-9)
    assert [hit.why.total for hit in found.hits] == pytest.approx([hit.score for hit in found.hits], abs=1e-9)


@both_routes
@pytest.mark.parametrize("n", [1, 2, 6])
@pytest.mark.parametrize("holders", [1, 3, 4, 6])
def test_small_stores_and_words_in_half_or_more_of_the_notes(largest: int, n: int, holders: int) -> None:
    # From df = N/2 on the idf is 0 or negative; rank-bm25 puts a quarter of the mean idf in place of a negative one.
    notes = [note(f"n{i}", user=f"unique{i} other" + (" shared" if i < holders else ""), day=i) for i in range(n)]
    for text in ("shared", "shared unique0", "shared shared other"):
        found = on_route("bm25", text, memory_of(*notes), largest)
        assert scores(found) == pytest.approx(reference(notes, Analyser().words(text), Analyser()), abs=1e-9)
        assert [hit.why.total for hit in found.hits] == pytest.approx([hit.score for hit in found.hits], abs=1e-9)


@both_routes
@pytest.mark.parametrize(("variant", "delta"), [("l", 0.5), ("plus", 1.0)])
def test_the_other_variants_by_hand(largest: int, variant: str, delta: float) -> None:
    # The notes of the hand-worked case above. BM25L lifts tf / norm by delta; BM25Plus lifts every note's saturated tf by delta.
    memory = memory_of(note("a", user="cold water"), note("b", user="tea tea milk"), note("c", user="juice"))
    norm = 0.25 + 0.75 * 1.5
    lifted = 2 / norm + delta
    expected = {
        "l": math.log(4 / 1.5) * 2 * 2.5 * lifted / (1.5 + lifted),
        "plus": math.log(4 / 1) * (delta + 2 * 2.5 / (2 + 1.5 * norm)),
    }
    found = on_route("bm25", "tea", memory, largest, variant=variant)
    assert scores(found) == pytest.approx({"b": expected[variant]}, abs=1e-12)


def test_under_bm25plus_a_word_that_a_note_lacks_is_part_of_its_score() -> None:
    memory = memory_of(note("a", user="cold water"), note("b", user="tea milk"), note("c", user="salt"))
    hits = create("bm25", overrides={"variant": "plus"}, memory=memory).query("tea salt").hits
    assert {hit.note_id: {part.name: part.detail["tf"] for part in hit.why.parts} for hit in hits} == {
        "b": {"tea": 1, "salt": 0},
        "c": {"tea": 0, "salt": 1},
    }
    assert [hit.why.total for hit in hits] == pytest.approx([hit.score for hit in hits], abs=1e-12)


@both_routes
def test_a_word_without_worth_is_named(largest: int) -> None:
    found = on_route("bm25", "cup", memory_of(note("a", user="cup"), note("b", user="cup pot", day=2)), largest)
    assert len(found.hits) == 2
    assert any("cup" in remark and "idf" in remark for remark in found.remarks)


@both_routes
def test_all_notes_empty(largest: int) -> None:
    found = on_route("bm25", "cup", memory_of(note("a"), note("b")), largest)
    assert found.hits == ()
    assert any("no note holds" in remark for remark in found.remarks)


@both_routes
def test_a_repeated_query_word_counts_repeatedly(largest: int) -> None:
    memory = memory_of(note("a", user="tea"), note("b", user="milk"), note("c", user="water"))
    once, twice = (on_route("bm25", text, memory_of(*memory.notes), largest).hits[0] for text in ("tea", "tea tea"))
    assert twice.score == pytest.approx(2 * once.score, abs=1e-12)
    assert twice.why.parts[0].detail["in_query"] == 2


@both_routes
def test_parameters_reach_the_formula(largest: int) -> None:
    notes = [
        note("a", user="tea tea milk"),
        note("b", user="milk water and more of it"),
        note("c", user="juice milk"),
        note("d", user="x"),
    ]
    parameters = {"k1": 0.9, "b": 0.4, "epsilon": 0.1}
    found = on_route("bm25", "tea milk", memory_of(*notes), largest, **parameters)
    assert scores(found) == pytest.approx(reference(notes, Analyser().words("tea milk"), Analyser(), **parameters), abs=1e-9)


def test_the_two_routes_say_the_same() -> None:
    notes = [note(f"n{i}", user="tea " * (i % 3) + "milk " * (i % 4) + f"word{i}", day=i) for i in range(30)]
    one, other = (on_route("bm25", "tea milk milk word7", memory_of(*notes), largest) for largest in ROUTES.values())
    assert [hit.note_id for hit in one.hits] == [hit.note_id for hit in other.hits]
    for first, second in zip(one.hits, other.hits, strict=True):
        assert [part.name for part in first.why.parts] == [part.name for part in second.why.parts]
        assert [part.value for part in first.why.parts] == pytest.approx([part.value for part in second.why.parts], abs=1e-9)


def test_the_index_covers_tags_summary_and_both_speakers() -> None:
    memory = memory_of(note("a", "pet/parrot", summary="noisy", user="squawk", assistant="seeds"), note("b", user="x", day=2))
    for word in ("parrot", "noisy", "squawk", "seeds"):
        assert [hit.note_id for hit in create("bm25", memory=memory).query(word).hits] == ["a"]
    assert create("bm25", overrides={"index_fields": "user"}, memory=memory).query("seeds parrot noisy").hits == ()


def test_an_unknown_index_field_is_named() -> None:
    with pytest.raises(ValueError, match="title"):
        create("bm25", overrides={"index_fields": "user,title"}, memory=memory_of(note("a", user="x"))).query("x")


# The filter ----------------------------------------------------------------------------------------------------------------


def store(n: int, holders: int) -> Memory:
    """``n`` notes of which the first ``holders`` say "common"; the first says "rare" too."""
    return memory_of(*(note(f"n{i}", user=f"own{i}" + " common" * (i < holders) + " rare" * (i == 0), day=i) for i in range(n)))


@pytest.mark.parametrize(
    ("n", "df", "floor", "dropped"),
    [
        (20, 3, 2, ""),
        (20, 4, 2, "common"),
        (20, 3, 0, ""),
        (20, 4, 0, "common"),
        (6, 2, 2, ""),
        (6, 3, 2, "common"),
        (6, 2, 0, "common, rare"),  # without a floor a single note of six is more than 15%
    ],
)
def test_the_filter_at_its_boundary(n: int, df: int, floor: int, dropped: str) -> None:
    # "More than 15%": 3 of 20 is 15% and stays. In small stores only words in more than ``floor`` notes go.
    settings = {"filter_floor": floor, "unfiltered_fallback": False}
    found = create("bm25_filtered", overrides=settings, memory=store(n, df)).query("common rare", None)
    assert [remark for remark in found.remarks if "dropped" in remark] == ([f"dropped as common: {dropped}"] if dropped else [])
    holders = {"": df, "common": 1, "common, rare": 0}[dropped]
    assert {hit.note_id for hit in found.hits} == {f"n{i}" for i in range(holders)}


def test_the_filtered_partner_is_bm25_on_the_words_that_are_left() -> None:
    memory = store(20, 8)
    filtered = create("bm25_filtered", memory=memory).query("rare common rare", None)
    assert scores(filtered) == pytest.approx(scores(create("bm25", memory=memory).query("rare rare", None)), abs=1e-12)
    assert create("bm25", memory=memory).query("rare common", None).candidates == 8


def test_the_filtered_partner_falls_back_and_says_so() -> None:
    memory = store(20, 8)
    found = create("bm25_filtered", memory=memory).query("common", None)
    assert len(found.hits) == 8
    assert any("unfiltered" in remark for remark in found.remarks)
    assert create("bm25_filtered", "literal", memory=memory).query("common").hits == ()


def test_frequencies_of_the_filter_come_from_the_full_case() -> None:
    full = store(60, 6)
    reduced = Memory(full.notes[:6], base=full)
    assert (
        create("bm25_filtered", memory=reduced).query("common", None).remarks
        == create("bm25", memory=reduced).query("common").remarks
    )
    assert any(
        "dropped" in remark for remark in create("bm25_filtered", memory=Memory(full.notes[:6])).query("common rare").remarks
    )
