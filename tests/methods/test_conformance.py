"""What every registered method keeps, whatever it is: one suite for all of them, in both profiles."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from builders import WORDS, memory_of, note, note_lists
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.memory import Memory
from workbench.methods.base import MemoryRetriever, comparable, create, methods
from workbench.records import Note, Ranking
from workbench.settings import Profile
from workbench.text import Analyser

ALL = [(name, profile) for name in methods for profile in ("default", "literal")]
QUERIES = ("lemon cake", "the roses", "how the", "museum", "guitar and tea", "volcano", "cakes")
every_method = pytest.mark.parametrize(("name", "profile"), ALL)
READS_UTTERANCES = ("ariadne",)
"""Methods that analyse what was said turn by turn, with words of their own, and not the text of notes."""
READS_FACTS = ("real", "vanilla_graph")
"""Methods that read facts out of a note, once, and analyse their words."""
some_examples = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])

NOTES = (
    note("n1", "food/cake/lemon", user="A lemon cake for the party", assistant="How lovely", day=1),
    note("n2", "food/cake", user="Another cake", assistant="How big is the cake?", day=2),
    note("n3", ("music/guitar", "how/to_play"), user="The guitar again, how do I tune it", day=3),
    note("n4", "garden/roses", where="place/museum", user="Roses beside the museum", day=3),
    note("n5", "garden/roses", where="place/museum", user="Roses beside the museum", day=3),
    note("n6", user="tea", day=None),
    note("n7", "food/tea", user="tea", assistant="the tea", day=5),
    note("n8", day=6),
)


def memory() -> Memory:
    return memory_of(*NOTES)


def plain(ranking: Ranking) -> list[tuple[int, str, int, float]]:
    """What is compared between rankings; scores to the precision at which they count as equal."""
    return [(hit.rank, hit.note_id, hit.block, round(hit.score, 9)) for hit in ranking.hits]


def keys(method: MemoryRetriever[object], ranking: Ranking) -> list[float]:  # type: ignore[type-var]
    """The scores as the method compares them."""
    if not ranking.hits:
        return []
    decimals = method.score(ranking.query).decimals
    return comparable(np.array([hit.score for hit in ranking.hits]), decimals).tolist()


def assert_well_formed(method: MemoryRetriever[object], found: Ranking, k: int | None) -> None:  # type: ignore[type-var]
    ids = [hit.note_id for hit in found.hits]
    assert len(set(ids)) == len(ids) <= min(k or len(method.memory), len(method.memory))
    assert len(ids) == min(found.candidates, k or found.candidates)
    assert [hit.rank for hit in found.hits] == list(range(1, len(ids) + 1))
    assert found.hits or found.remarks
    compared = keys(method, found)
    blocks = [hit.block for hit in found.hits]
    for (one, block), (other, next_block) in itertools.pairwise(zip(compared, blocks, strict=True)):
        assert one >= other
        assert next_block - block == (one != other)
    assert blocks[:1] in ([], [1])
    assert all(hit.session_id == method.memory[hit.note_id].session_id for hit in found.hits)
    for hit in found.hits:
        assert hit.why.parts
        assert hit.why.total == pytest.approx(hit.score, abs=1e-9)


# Shape of a ranking --------------------------------------------------------------------------------------------------------


@every_method
@pytest.mark.parametrize("k", [1, 3, 100, None])
def test_rankings_are_well_formed(name: str, profile: Profile, k: int | None) -> None:
    method = create(name, profile, memory=memory())
    for text in QUERIES:
        assert_well_formed(method, method.query(text, k), k)


@every_method
def test_some_query_is_answered(name: str, profile: Profile) -> None:
    assert create(name, profile, memory=memory()).query("lemon").hits[0].note_id == "n1"


@every_method
def test_a_shorter_list_is_the_beginning_of_a_longer_one(name: str, profile: Profile) -> None:
    method = create(name, profile, memory=memory())
    for text in QUERIES:
        whole = plain(method.query(text, None))
        assert plain(method.query(text, 2)) == whole[:2]
        assert method.query(text, 1).candidates == len(whole)


@every_method
def test_ten_is_the_default_length(name: str, profile: Profile) -> None:
    method = create(name, profile, memory=memory_of(*(note(f"n{i}", "food/cake", user="lemon", day=i) for i in range(12))))
    found = method.query("cake lemon", None)
    assert len(method.query("cake lemon").hits) == min(10, len(found.hits))


@every_method
@pytest.mark.parametrize("k", [0, -3])
def test_k_below_one_raises(name: str, profile: Profile, k: int) -> None:
    with pytest.raises(ValueError, match=f"k is {k}"):
        create(name, profile, memory=memory()).query("lemon", k)


@every_method
def test_the_ranking_names_query_and_method(name: str, profile: Profile) -> None:
    found = create(name, profile, memory=memory()).query("lemon")
    assert (found.query, found.method) == ("lemon", name)


@every_method
def test_the_same_query_gives_the_same_answer(name: str, profile: Profile) -> None:
    # Twelve times: a method that prepares something after some use must not change its ranking by it.
    method = create(name, profile, memory=memory())
    answers = {(text, *plain(method.query(text, None))) for _ in range(12) for text in QUERIES}
    assert len(answers) == len(QUERIES)
    assert answers == {(text, *plain(create(name, profile, memory=memory()).query(text, None))) for text in QUERIES}


@every_method
def test_asking_for_the_why_changes_nothing(name: str, profile: Profile) -> None:
    method = create(name, profile, memory=memory())
    before = [plain(method.query(text, None)) for text in QUERIES]
    for text in QUERIES:
        assert all(hit.why is hit.why for hit in method.query(text, None).hits)
    assert [plain(method.query(text, None)) for text in QUERIES] == before


@every_method
def test_a_hit_still_explains_itself_after_later_notes(name: str, profile: Profile) -> None:
    method = create(name, profile, memory=memory())
    hits = method.query("lemon cake tea", None).hits
    expected = [hit.why for hit in create(name, profile, memory=memory()).query("lemon cake tea", None).hits]
    method.remember(note("late", "food/cake/lemon", user="lemon tea", day=2))
    assert [[part.name for part in hit.why.parts] for hit in hits] == [[part.name for part in why.parts] for why in expected]
    assert [hit.why.total for hit in hits] == pytest.approx([hit.score for hit in hits], abs=1e-9)


# Ties ----------------------------------------------------------------------------------------------------------------------


def twins() -> Memory:
    """Twenty notes; a, b and c differ by time and id alone: c and a at the same moment, b before them."""
    same = {"what": ("garden/roses",), "user": "red roses"}
    others = (note(f"other{i}", "misc/things", user=f"word{i}", day=3) for i in range(17))
    return memory_of(note("c", day=2, **same), note("b", day=1, **same), note("a", day=2, **same), *others)


def tied(name: str, profile: Profile, **overrides: object) -> Ranking:
    """The twins' ranking; without the time line or the gate where a method has one, since these tell them apart."""
    for field in ("chronological", "gate"):
        if hasattr(methods[name].Config, field):
            overrides[field] = False
    return create(name, profile, overrides, twins()).query("roses", None)


def same_to(name: str) -> str:
    """The twins that a method can't tell apart: what restates an utterance with its day can tell the one of another day."""
    return "ac" if name in READS_UTTERANCES else "abc"


@every_method
@pytest.mark.parametrize(
    ("overrides", "expected"), [({}, ["a", "c", "b"]), ({"tie": "newest"}, ["a", "c", "b"]), ({"tie": "id"}, ["a", "b", "c"])]
)
def test_ties_go_newest_first_then_by_id(name: str, profile: Profile, overrides: dict[str, str], expected: list[str]) -> None:
    twins_found = [hit for hit in tied(name, profile, **overrides).hits if hit.note_id in same_to(name)]
    assert [hit.note_id for hit in twins_found] == [each for each in expected if each in same_to(name)]
    assert {hit.block for hit in twins_found} == {twins_found[0].block}


@every_method
def test_the_oldest_comes_first_on_request(name: str, profile: Profile) -> None:
    found = [hit.note_id for hit in tied(name, profile, tie="oldest").hits if hit.note_id in same_to(name)]
    assert found == [each for each in "bca" if each in same_to(name)]


@every_method
def test_an_unknown_tie_rule_is_refused(name: str, profile: Profile) -> None:
    with pytest.raises(ValueError, match="newest, oldest, id"):
        create(name, profile, {"tie": "random"})


# Odd input -----------------------------------------------------------------------------------------------------------------


@every_method
@pytest.mark.parametrize("text", ["", "   ", "?!", "\x00", "\u200b", "🎸", "___", "\n\t"])
def test_a_query_without_a_word_gives_nothing_and_says_why(name: str, profile: Profile, text: str) -> None:
    found = create(name, profile, memory=memory()).query(text)
    assert found.hits == ()
    assert any("no word" in remark for remark in found.remarks)


@every_method
def test_an_unknown_word_gives_nothing_and_says_why(name: str, profile: Profile) -> None:
    method = create(name, profile, memory=memory())
    found = method.query("xylophone")
    if hasattr(method.config, "embeddings"):  # no word is unknown to vectors: what they rank is well-formed
        assert_well_formed(method, found, 10)
        return
    assert found.hits == ()
    assert found.candidates == 0
    assert found.remarks


@every_method
def test_an_empty_store_gives_nothing_and_says_why(name: str, profile: Profile) -> None:
    found = create(name, profile).query("lemon")
    assert found.hits == ()
    assert any("no notes" in remark for remark in found.remarks)


@every_method
def test_a_store_of_one_note(name: str, profile: Profile) -> None:
    method = create(name, profile, memory=memory_of(note("only", "food/cake/lemon", user="lemon cake", day=None)))
    found = method.query("lemon", None)
    assert_well_formed(method, found, None)
    # Literal filter: a word in the only note is in 100% of them, so the two filtered methods that have no other route are empty.
    is_empty = profile == "literal" and name in ("tag_stopwords", "bm25_filtered")
    assert [hit.note_id for hit in found.hits] == ([] if is_empty else ["only"])


@every_method
def test_a_store_of_notes_without_words_and_tags(name: str, profile: Profile) -> None:
    found = create(name, profile, memory=memory_of(note("a"), note("b", day=2))).query("lemon")
    assert found.hits == ()
    assert found.remarks


@every_method
def test_a_query_of_common_words_only(name: str, profile: Profile) -> None:
    # "cup" is in all six notes, in text and tag.
    method = create(name, profile, memory=memory_of(*(note(f"n{i}", "kitchen/cup", user="cup", day=i) for i in range(6))))
    found = method.query("cup", None)
    assert_well_formed(method, found, None)
    # Paper-literal filters leave nothing (spec 8); the content overlap of TFIDF and AdaptiveGraph falls back (decision 3).
    is_empty = profile == "literal" and name in ("tag_stopwords", "bm25_filtered")
    assert len(found.hits) == (0 if is_empty else 6)
    if is_empty:
        assert any("cup" in remark for remark in found.remarks)


HOSTILE = (
    note("1", "food/cake", user="</script><script>alert('lemon')</script>", day=1),
    note("01", "food/cake", user="lemon\x00lemon", day=1),
    note("１", "food/cafe", user="🍋 lemon 🍋", day=1),
    note("'; DROP TABLE notes; --", "food/crème_brûlée", user="\u202elemon\u202c \u200blemon\u200d", day=2),
    note("{{x}} ${y} %s", "food/ليمون", user="ليمون lemon ＬＥＭＯＮ", day=2),
    note(" ", "🍋", user="lemon " * 20_000, assistant="x" * 100_000, day=3),
    note("", "food", user="[lemon](javascript:alert(1))", day=None),
)


@every_method
def test_hostile_text_is_only_text(name: str, profile: Profile) -> None:
    method = create(name, profile, {"filter_share": 1.0} if hasattr(methods[name].Config, "filter_share") else None)
    for each in HOSTILE:
        method.remember(each)
    for text in (
        "lemon",
        "</script>",
        "ليمون",
        "crème",
        "lemon\x00",
        "\u202elemon",
        "lemon " * 5_000,
        "a" * 50_000,
        "'; DROP TABLE",
    ):
        assert_well_formed(method, method.query(text, None), None)
    if name.startswith("bm25"):
        assert {hit.note_id for hit in method.query("lemon", None).hits} == {each.id for each in HOSTILE}


@every_method
def test_ids_that_look_alike_stay_apart(name: str, profile: Profile) -> None:
    open_to_all = {"filter_share": 1.0, "gate": False}  # neither a filter nor a gate that drops what repeats
    overrides = {field: value for field, value in open_to_all.items() if hasattr(methods[name].Config, field)}
    method = create(name, profile, overrides)
    ids = ("1", "01", "１", "1 ", "1.0", "A", "a")
    for id in ids:
        method.remember(note(id, "food/cake", user="cake"))
    assert {hit.note_id for hit in method.query("cake", None).hits} == set(ids)


# Remembering ---------------------------------------------------------------------------------------------------------------


@every_method
def test_a_duplicate_id_raises_and_changes_nothing(name: str, profile: Profile) -> None:
    method = create(name, profile, memory=memory())
    before = plain(method.query("lemon cake", None))
    with pytest.raises(ValueError, match="'n1' is already remembered"):
        method.remember(note("n1", "food/cake/lemon", user="something else", day=9))
    assert plain(method.query("lemon cake", None)) == before


@every_method
@some_examples
@given(notes=note_lists(), shuffle=st.randoms(use_true_random=False), queries=st.lists(st.sampled_from(WORDS), max_size=3))
def test_remembering_one_by_one_in_any_order_equals_a_rebuild(
    name: str, profile: Profile, notes: list[Note], shuffle: random.Random, queries: list[str]
) -> None:
    text = " ".join(queries)
    rebuilt = create(name, profile, memory=memory_of(*notes)).query(text, None)
    shuffled = shuffle.sample(notes, len(notes))
    method = create(name, profile)
    for each in shuffled:
        method.remember(each)
        method.query(text)  # whatever was derived in between must not outlive the next note
    found = method.query(text, None)
    assert plain(found) == plain(rebuilt)
    assert (found.remarks, found.tiers, found.candidates) == (rebuilt.remarks, rebuilt.tiers, rebuilt.candidates)
    assert_well_formed(method, found, None)


@pytest.fixture
def texts_analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are split into words while the test runs (words and counts both start with the surface words)."""
    seen: list[str] = []
    surface = Analyser.surface

    def counted(self: Analyser, text: str) -> list[str]:
        seen.append(text)
        return surface(self, text)

    monkeypatch.setattr(Analyser, "surface", counted)
    return seen


@every_method
def test_remembering_never_tokenises_old_notes_again(name: str, profile: Profile, texts_analysed: list[str]) -> None:
    method = create(name, profile, memory=memory_of(*(note(f"n{i}", user=f"unmistakable{i} lemon", day=i) for i in range(5))))
    method.query("lemon")
    analyses_no_text = ("tag_basic", "dense", "openclaw")  # tags alone, or no analyser
    assert any("unmistakable0" in text for text in texts_analysed) or name in analyses_no_text
    del texts_analysed[:]
    method.remember(note("late", user="unmistakable99 lemon", day=2))
    method.query("lemon")
    method.query("lemon")
    again = [text for text in texts_analysed if "unmistakable" in text]
    assert again in (["unmistakable99 lemon"], []) or name in READS_UTTERANCES + READS_FACTS
    assert all("unmistakable99" in text for text in again)


def test_methods_over_one_memory_tokenise_each_note_once(texts_analysed: list[str]) -> None:
    shared = memory_of(*(note(f"n{i}", user=f"unmistakable{i} lemon", day=i) for i in range(5)))
    for name in methods:
        if name not in READS_UTTERANCES + READS_FACTS:
            create(name, memory=shared).query("lemon")
    assert [texts_analysed.count(f"unmistakable{i} lemon") for i in range(5)] == [1] * 5


# Description ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(methods))
def test_a_method_says_what_it_is(name: str) -> None:
    method = methods[name]
    assert method.name == name
    assert method.__doc__
    assert method.Config.__doc__


def test_the_paper_family_is_registered() -> None:
    assert {"bm25", "bm25_filtered", "tag_basic", "tag_stopwords", "tag_tfidf", "adaptive"} <= set(methods)


def test_an_unknown_method_is_named_with_its_neighbour() -> None:
    with pytest.raises(KeyError, match="did you mean 'adaptive'"):
        create("adaptve")
