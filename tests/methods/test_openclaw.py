"""OpenClaw's search: chunk boundaries, FTS5 parity, rank conversion, merge and the selection of three versions."""

from __future__ import annotations

import itertools
import math
import random
import socket
import sqlite3
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from builders import START, memory_of, note
from hypothesis import given
from hypothesis import strategies as st

from workbench.chunks import chunks, raw_markdown
from workbench.evaluate.inputs import case_inputs
from workbench.evaluate.runs import TABLE1, MethodSpec, evaluate
from workbench.memory import Memory
from workbench.methods.base import create
from workbench.methods.openclaw import OpenClawConfig, Row, keywords, query_tokens, select, text_score
from workbench.methods.openclaw_corpus import corpus_of
from workbench.records import Interaction, Turn
from workbench.settings import settings_of
from workbench.store import open_store
from workbench.store.fts import FullTextIndex

# Chunks -------------------------------------------------------------------------------------------------------------------


def test_a_text_of_1600_with_its_line_end_is_one_chunk() -> None:
    assert len(chunks("x" * 1599)) == 1
    assert [len(each.text) for each in chunks("x" * 1600)] == [1600]  # a single line is never cut below the limit
    assert len(chunks("a" * 799 + "\n" + "b" * 799)) == 1
    assert len(chunks("a" * 799 + "\n" + "b" * 800)) == 2


def test_lines_are_carried_until_the_overlap_is_reached() -> None:
    lines = [f"{number:03}" + "x" * 96 for number in range(40)]  # 100 characters each with its end
    found = chunks("\n".join(lines))
    assert [(each.first, each.last) for each in found[:3]] == [(1, 16), (13, 28), (25, 40)]  # 4 lines are 400, 3 would be 300
    shorter = chunks("\n".join(line[:79] for line in lines))  # 80 each: 4 lines are just 320
    assert [(each.first, each.last) for each in shorter[:2]] == [(1, 20), (17, 36)]


def test_a_line_above_the_limit_is_cut_into_pieces() -> None:
    first, *rest = chunks("x" * 3300)
    assert (first.text, first.first, first.last) == ("x" * 1600, 1, 1)
    assert rest[0].text == "x" * 1600 + "\n" + "x" * 1600  # the piece before is carried whole, as the reference does
    assert {each.last for each in rest} == {1}


def test_the_least_chunk_has_32_characters() -> None:
    assert chunks("a" * 32, tokens=1) == chunks("a" * 32, tokens=8)
    assert len(chunks("a" * 20 + "\n" + "b" * 20, tokens=1, overlap=0)) == 2


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_no_text_gives_no_chunk(text: str) -> None:
    assert chunks(text) == []


@given(st.text(alphabet="ab \n", max_size=400), st.integers(1, 20), st.integers(0, 5))
def test_chunks_cover_every_line_in_order(text: str, tokens: int, overlap: int) -> None:
    found = chunks(text, tokens, overlap)
    if not text.strip():
        return
    assert found[0].first == 1
    assert found[-1].last == text.count("\n") + 1
    for one, other in itertools.pairwise(found):
        assert one.first <= other.first <= one.last + 1
        assert one.last <= other.last
    whole = "".join(text.split("\n"))
    assert sum(len(each.text.replace("\n", "")) for each in found) >= len(whole)
    if not overlap:
        assert "".join(each.text.replace("\n", "") for each in found) == whole


def test_what_is_indexed_is_what_was_said_with_its_speakers() -> None:
    turns = (Turn("user", "Hello", caption="a dog"), Turn("assistant", "Hi", speaker="Ada"), Turn("assistant", "  "))
    assert raw_markdown(Interaction("one#1", "one", turns, 0, 1)) == "User: Hello\n[image: a dog]\n\nAda: Hi"


# Rank to score ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rank", "now", "before"),
    [
        (-math.inf, 0.001, 0.001),
        (-3.0, 0.75, 1.0),
        (-1.0, 0.5, 1.0),
        (-1e-6, pytest.approx(1e-6, rel=1e-5), 1.0),
        (0.0, 1.0, 1.0),
        (1.0, 0.5, 0.5),
        (math.inf, 0.001, 0.001),
        (math.nan, 0.001, 0.001),
    ],
)
def test_ranks_become_scores(rank: float, now: float, before: float) -> None:
    assert text_score(rank, "2026.03") == text_score(rank, "2026.06") == now
    assert text_score(rank, "legacy") == before


@given(st.floats(1e-9, 1e6), st.floats(1e-9, 1e6))
def test_a_better_rank_never_scores_less(one: float, other: float) -> None:
    better, worse = max(one, other), min(one, other)
    assert 0 < text_score(-worse, "2026.03") <= text_score(-better, "2026.03") < 1


# Selection ----------------------------------------------------------------------------------------------------------------


def config(profile: str, **fields: object) -> OpenClawConfig:
    return OpenClawConfig(profile=profile, **({"min_score": 0.35} | fields))  # type: ignore[arg-type]


def chosen(rows: list[Row], profile: str, **fields: object) -> list[int]:
    return [row.chunk for row in select(rows, config(profile, **fields))[0]]


TEXT_ONLY = Row(1, None, 0.30)


@pytest.mark.parametrize(("profile", "expected"), [("legacy", []), ("2026.03", [1]), ("2026.06", [1])])
def test_a_text_only_hit_at_30_needs_relaxed_selection(profile: str, expected: list[int]) -> None:
    assert chosen([TEXT_ONLY], profile) == expected


@pytest.mark.parametrize(("profile", "expected"), [("legacy", []), ("2026.03", []), ("2026.06", [1])])
def test_a_text_only_hit_below_30_passes_from_june_on(profile: str, expected: list[int]) -> None:
    assert chosen([Row(1, None, 0.29)], profile) == expected


@pytest.mark.parametrize(("profile", "expected"), [("legacy", [0]), ("2026.03", [0]), ("2026.06", [0, 1])])
def test_beside_a_strict_hit_only_free_places_take_text_only_hits(profile: str, expected: list[int]) -> None:
    assert chosen([Row(0, 0.36, None), TEXT_ONLY], profile) == expected


def test_no_more_than_max_results_are_chosen() -> None:
    rows = [Row(at, 0.5, None) for at in range(5)] + [Row(9, None, 0.3)]
    assert chosen(rows, "2026.06", max_results=3) == [0, 1, 2]
    assert chosen(rows, "2026.06", max_results=6) == [0, 1, 2, 3, 4, 9]


@pytest.mark.parametrize("profile", ["2026.03", "2026.06"])
def test_vector_hits_below_the_bound_never_pass(profile: str) -> None:
    assert chosen([Row(0, 0.34, None)], profile) == []


def test_the_bound_itself_passes() -> None:
    assert chosen([Row(0, 0.7 * 0.5, None)], "legacy") == [0]


def test_the_least_score_follows_the_backend() -> None:
    assert OpenClawConfig().least == pytest.approx(0.7 * 0.16)
    assert create("openclaw", "literal").config.least == 0.35


def test_weights_are_scaled_and_may_not_both_vanish() -> None:
    assert OpenClawConfig(vector_weight=7.0, text_weight=3.0).weights == (0.7, 0.3)
    with pytest.raises(ValueError, match="both 0"):
        OpenClawConfig(vector_weight=0.0, text_weight=0.0)


@pytest.mark.parametrize(("results", "expected"), [(6, 24), (40, 160), (1000, 200)])
def test_each_leg_brings_four_times_the_results(results: int, expected: int) -> None:
    assert OpenClawConfig(max_results=results).candidates == expected


# Words of a query ---------------------------------------------------------------------------------------------------------


def test_tokens_are_ascii_only_in_the_legacy_version() -> None:
    assert query_tokens("Zürich's café_1?", "legacy") == ["Z", "rich", "s", "caf", "_1"]
    assert query_tokens("Zürich's café_1?", "2026.03") == ["Zürich", "s", "café_1"]


def test_six_keywords_at_most() -> None:
    assert keywords("alpha beta gamma delta epsilon zeta eta") == ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    assert keywords("Who is it? 2019 no ab") == []


MUSEUMS = memory_of(
    note("n1", user="We saw the railway museum in York", day=1),
    note("n2", user="The tea was cold", day=2),
    note("n3", user="A museum of tea in Hangzhou", day=3),
    *(note(f"o{i}", user=f"Something else {i}", day=4) for i in range(6)),
)


@pytest.mark.parametrize(("profile", "expected"), [("2026.03", []), ("2026.06", ["n1", "n2", "n3"])])
def test_single_words_are_searched_for_from_june_on(profile: str, expected: list[str]) -> None:
    method = create("openclaw", overrides={"profile": profile, "vector_weight": 0.0, "text_weight": 1.0}, memory=MUSEUMS)
    found = method.query("museum railway tea quickly", None)
    assert sorted(hit.note_id for hit in found.hits if hit.score > 0) == expected


# The keyword leg is FTS5 --------------------------------------------------------------------------------------------------


def fts5(texts: list[str], words: list[str]) -> list[tuple[int, float]]:
    """(number, bm25) of an ordinary FTS5 table over texts, by number."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE documents USING fts5(body)")
    database.executemany("INSERT INTO documents (rowid, body) VALUES (?, ?)", enumerate(texts))
    match = " AND ".join(f'"{word}"' for word in words)
    return database.execute(
        "SELECT rowid, bm25(documents) FROM documents WHERE documents MATCH ? ORDER BY rowid", (match,)
    ).fetchall()


def test_bm25_by_hand() -> None:
    # Of three texts one holds "rose", once in two words: idf ln(2.5 / 1.5), tf part 2.2 / (1 + 1.2 (0.25 + 0.75 * 2 / 2)).
    numbers, ranks = FullTextIndex(["red rose", "cold tea", "a cake"]).search(["rose"])
    assert numbers.tolist() == [0]
    assert ranks[0] == pytest.approx(-math.log(2.5 / 1.5) * 2.2 / (1 + 1.2), rel=1e-12)


@given(
    st.lists(st.lists(st.sampled_from(["tea", "cake", "rose", "the"]), max_size=8).map(" ".join), min_size=1, max_size=8),
    st.lists(st.sampled_from(["tea", "cake", "the", "TEA"]), min_size=1, max_size=6),
    st.integers(0, 8),
)
def test_an_index_that_grew_equals_fts5_at_once(texts: list[str], words: list[str], cut: int) -> None:
    numbers, ranks = FullTextIndex(texts[:cut]).grown(texts[cut:]).search(words)
    expected = fts5(texts, words)
    assert numbers.tolist() == [number for number, _ in expected]
    assert ranks.tolist() == pytest.approx([rank for _, rank in expected], rel=1e-12)


def test_growing_leaves_the_smaller_index_as_it_was() -> None:
    small = FullTextIndex(["tea"])
    large = small.grown(["tea", "more tea"])
    assert (len(small), len(large)) == (1, 3)
    assert small.search(["tea"])[0].tolist() == [0]
    assert large.search(["tea"])[0].tolist() == [0, 1, 2]


def test_without_the_vector_leg_real_chunks_rank_as_fts5_ranks_them(demo_store: Path) -> None:
    with open_store(demo_store, read_only=True) as store:
        keys = [row.key for row in store.cases.list()][:6]
        given_cases = list(case_inputs(store, keys))
    overrides = {"vector_weight": 0.0, "text_weight": 1.0, "min_score": 0.0, "max_results": 1000, "candidate_multiplier": 20.0}
    compared = 0
    for each in given_cases:
        memory = each.memory()
        method = create("openclaw", overrides=overrides, memory=memory)
        corpus = corpus_of(memory, 400, 80)
        texts = [chunk.text for chunk in corpus.chunks]
        for words in itertools.chain.from_iterable(itertools.combinations(text.split()[3:9], 2) for text in texts[:10]):
            tokens = query_tokens(" ".join(words), "2026.03")
            if not tokens:
                continue
            best: dict[str, float] = {}
            for number, rank in fts5(texts, tokens):
                owner = corpus.owners[number]
                best[owner] = min(rank, best.get(owner, 0.0))
            hits = [hit for hit in method.query(" ".join(words), None).hits if any(p.kind == "keyword" for p in hit.why.parts)]
            assert {hit.note_id for hit in hits} == set(best)
            ranks = [best[hit.note_id] for hit in hits]
            assert ranks == sorted(ranks) or np.allclose(ranks, sorted(ranks), atol=1e-8)
            assert [hit.score for hit in hits] == pytest.approx([text_score(rank, "2026.03") for rank in ranks], abs=1e-9)
            compared += len(hits) > 1
    assert compared > 50


# The method ---------------------------------------------------------------------------------------------------------------


def test_the_why_holds_one_part_a_leg_with_weight() -> None:
    hit = create("openclaw", memory=MUSEUMS).query("railway museum").hits[0]
    assert hit.note_id == "n1"
    vector, keyword = hit.why.parts
    assert (vector.kind, keyword.kind) == ("vector", "keyword")
    assert vector.value == pytest.approx(0.7 * vector.detail["cosine"])
    assert keyword.value == pytest.approx(0.3 * text_score(keyword.detail["bm25"], "2026.03"))
    assert vector.detail["lines"] == [1, 1]


def test_a_note_has_the_score_of_its_best_chunk() -> None:
    filler = "\n".join("nothing of note happened on that day in the office, and the week went by as weeks do" for _ in range(60))
    memory = memory_of(note("long", user=f"{filler}\nThe zeppelin landed at noon"), note("other", user="tea", day=2))
    found = create("openclaw", memory=memory).query("zeppelin", None)
    best = next(hit for hit in found.hits if hit.note_id == "long")
    part = next(part for part in best.why.parts if part.kind == "keyword")
    assert part.detail["lines"][1] == 61
    assert len([hit for hit in found.hits if hit.note_id == "long"]) == 1


def test_tags_play_no_part() -> None:
    tagged = memory_of(note("n1", "museum/railway", user="It was fine", summary="museum"), note("n2", user="Nothing", day=2))
    plain = memory_of(note("n1", user="It was fine"), note("n2", user="Nothing", day=2))
    for text in ("museum", "fine"):
        one, other = (create("openclaw", memory=each).query(text, None).hits for each in (tagged, plain))
        assert [(hit.note_id, hit.score) for hit in one] == [(hit.note_id, hit.score) for hit in other]


def test_an_edit_of_tags_keeps_the_index_and_one_of_text_does_not() -> None:
    memory = memory_of(note("n1", user="red roses"), note("n2", user="cold tea", day=2))
    create("openclaw", memory=memory).query("tea")
    tagged = memory.edited({"n1": note("n1", "garden/roses", user="red roses")})
    same = memory["n1"].interaction
    kept = memory.edited({"n1": type(memory["n1"])(same, tagged["n1"].extraction)})
    assert corpus_of(kept, 400, 80) is corpus_of(memory, 400, 80)
    other = memory.edited({"n1": note("n1", user="green tea")})
    assert {hit.note_id for hit in create("openclaw", memory=other).query("tea", None).hits} == {"n1", "n2"}
    assert {hit.note_id for hit in create("openclaw", memory=memory).query("roses").hits} >= {"n1"}


def test_memories_that_part_do_not_see_each_others_notes() -> None:
    memory = memory_of(note("n1", user="red roses"))
    create("openclaw", memory=memory).query("tea")
    one, other = memory.edited({}), memory.edited({})
    create("openclaw", memory=one).remember(note("a", user="green tea", day=2))
    create("openclaw", memory=other).remember(note("b", user="black tea", day=2))
    for each, expected in ((one, "a"), (other, "b")):
        assert create("openclaw", memory=each).query("tea").hits[0].note_id == expected
        assert expected not in memory


def test_no_text_is_embedded_or_indexed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.embed.wordllama import WordLlama

    seen: list[str] = []
    embed, add = WordLlama.embed, FullTextIndex._add
    monkeypatch.setattr(WordLlama, "embed", lambda self, texts: (seen.extend(texts), embed(self, texts))[1])
    monkeypatch.setattr(FullTextIndex, "_add", lambda self, texts: add(self, [seen.append(text) or text for text in texts]))
    method = create("openclaw", memory=memory_of(*(note(f"n{i}", user=f"unmistakable{i} tea", day=i) for i in range(4))))
    method.query("tea")
    method.remember(note("late", user="unmistakable9 tea", day=9))
    method.query("tea")
    method.query("tea")
    told = [text for text in seen if "unmistakable" in text]
    assert len(told) == 2 * 5
    assert len(set(told)) == 5
    assert seen.count("tea") == 1


@pytest.mark.parametrize("profile", ["legacy", "2026.03", "2026.06"])
def test_the_order_of_remembering_does_not_matter(profile: str) -> None:
    draw = random.Random(3)
    notes = [
        note(f"n{i}", user=" ".join(draw.choices(["tea", "cake", "rose", "museum", "york", "train"], k=6)), day=i % 4)
        for i in range(40)
    ]
    asked = ("tea and cake", "museum york", "rose")
    whole = create("openclaw", overrides={"profile": profile, "max_results": 5}, memory=memory_of(*notes))
    expected = [[(hit.note_id, round(hit.score, 9)) for hit in whole.query(text, None).hits] for text in asked]
    for _ in range(3):
        method = create("openclaw", overrides={"profile": profile, "max_results": 5})
        for each in draw.sample(notes, len(notes)):
            method.remember(each)
        assert [[(hit.note_id, round(hit.score, 9)) for hit in method.query(text, None).hits] for text in asked] == expected


def test_an_odd_query_takes_no_long_time() -> None:
    memory = memory_of(note("n1", user="lemon " * 20_000), note("n2", user="tea", day=2))
    found = create("openclaw", memory=memory).query("lemon " * 5_000)
    assert found.hits[0].note_id == "n1"


def test_every_default_names_its_source() -> None:
    ours = {each.name for each in settings_of("openclaw", OpenClawConfig) if "ours" in each.source}
    assert {"profile", "min_score", "max_results", "embeddings"} <= ours


def test_everything_runs_without_a_network(demo_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **named: object) -> None:
        raise AssertionError(f"a connection was tried: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with open_store(demo_store, read_only=True) as store:
        keys = [row.key for row in store.cases.list("longmemeval_s")][:2] or [store.cases.list()[0].key]
        run = evaluate(list(case_inputs(store, keys)), [MethodSpec(name) for name in (*TABLE1, "dense", "fusion")], {})
    assert {each.method for each in run.results} == {*TABLE1, "dense", "fusion"}


def test_a_memory_of_thousands_answers_at_once() -> None:
    notes = [note(f"n{i}", user=f"entry {i} about topic {i % 97}", day=0) for i in range(3000)]
    method = create("openclaw", memory=Memory(notes))
    assert method.query("entry 2999 about topic", 1).hits[0].note_id == "n2999"
    assert method.memory.notes[0].interaction.time == START + timedelta(days=0)
