"""OpenClaw's memory search over raw interactions: 0.7 dense and 0.3 keyword, without any extraction (spec 3).

The version that the paper ran is not known; three profiles hold what changed between versions. Temporal decay and maximal
marginal relevance are off by default there, and left out here.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from workbench.embed.base import embedder
from workbench.memory import Memory
from workbench.methods.base import MemoryRetriever, Scored, comparable, methods
from workbench.methods.dense import DECIMALS, NO_WORD, EmbeddingConfig, Floats, cosines, has_word
from workbench.methods.openclaw_corpus import Corpus, PlacedChunks, placed_chunks
from workbench.records import Part, Why
from workbench.settings import setting
from workbench.store.fts import FullTextIndex
from workbench.words import counted

Version = Literal["legacy", "2026.03", "2026.06"]
Ints = NDArray[np.int64]

MOST_CANDIDATES = 200
KEYWORDS = 6
"""Words that are searched for one by one where no chunk holds all (from mid-2026 on)."""
NOT_FINITE = 999.0
"""What a rank that is no number counts as."""
STOP_WORDS = """
a about after all also am an and any are as at be been before being but by can could did do does for from get give had has
have he her here him his how i if in into is it its just me more most my no not of on or our out over please she should so
some such tell than that the their them then there these they thing things this those to up us was we were what when where
which while who whom why will with would you your
"""
"""Words that are no keywords (the list is ours)."""


@dataclass(frozen=True)
class OpenClawConfig(EmbeddingConfig):
    """OpenClaw's defaults, but where they presuppose its own embeddings or a short list."""

    profile: Version = setting(
        "2026.03",
        "what changed between versions: legacy scores every keyword hit 1 and drops what is below min_score; 2026.03 scores by "
        "rank and, where nothing passes, takes keyword hits from the text weight on; 2026.06 takes them from 0 on, fills free "
        "places with them, and searches for single words where no chunk holds all",
        "the paper's version is not known (ours)",
    )
    chunk_tokens: int = setting(400, "size of a chunk in tokens of 4 characters", "OpenClaw's default", least=1)
    chunk_overlap: int = setting(80, "tokens that a chunk shares with the one before", "OpenClaw's default", least=0)
    vector_weight: float = setting(
        0.7, "weight of the cosine; both weights are scaled to sum to 1", "OpenClaw's default", least=0
    )
    text_weight: float = setting(0.3, "weight of the keyword score", "OpenClaw's default", least=0)
    min_score: float | None = setting(
        None,
        "least score of a chunk; none takes the vector weight times the cosine under which 95% of unrelated texts lie with this "
        "backend, since OpenClaw's 0.35 presupposes the cosines of its own",
        literal=0.35,
    )
    max_results: int = setting(
        40, "chunks that are returned at most; OpenClaw's own 6 would cut off what the mean reciprocal rank measures", least=1
    )
    candidate_multiplier: float = setting(
        4.0, "each leg brings this many times max_results, 200 at most", "OpenClaw's default", least=1, most=20
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.vector_weight + self.text_weight <= 0:
            raise ValueError("vector_weight and text_weight are both 0; one of them must be above")

    @property
    def weights(self) -> tuple[float, float]:
        """Weights of the vector and the keyword leg, summing to 1."""
        total = self.vector_weight + self.text_weight
        return self.vector_weight / total, self.text_weight / total

    @property
    def candidates(self) -> int:
        """Chunks that each leg brings."""
        return min(MOST_CANDIDATES, max(1, math.floor(self.max_results * self.candidate_multiplier)))

    @property
    def least(self) -> float:
        """The least score of a chunk under strict selection."""
        if self.min_score is not None:
            return self.min_score
        return self.weights[0] * embedder(self.embeddings).thresholds.related


def text_score(rank: float, version: Version) -> float:
    """A keyword score in (0, 1] from FTS5's rank, which is negative, the more so the better.

    Versions before March 2026 took the rank for a distance, so that every hit got 1.

    Examples
    --------
    >>> [text_score(rank, "2026.03") for rank in (-1.0, 0.0, 1.0, float("nan"))]
    [0.5, 1.0, 0.5, 0.001]
    >>> text_score(-1.0, "legacy")
    1.0
    """
    if not math.isfinite(rank):
        return 1 / (1 + NOT_FINITE)
    if rank < 0 and version != "legacy":
        return -rank / (1 - rank)
    return 1 / (1 + max(0.0, rank))


_ASCII_TOKEN = re.compile(r"[A-Za-z0-9_]+")
_TOKEN = re.compile(r"\w+")


def query_tokens(text: str, version: Version) -> list[str]:
    """The words that a chunk must hold, all of them; ASCII only in the legacy version."""
    return (_ASCII_TOKEN if version == "legacy" else _TOKEN).findall(text)


def keywords(text: str) -> list[str]:
    """The words worth searching for alone: no stop words, no ASCII words of under three letters, no bare numbers; six at most.

    Examples
    --------
    >>> keywords("How is my new TV from 2019 doing in the living room?")
    ['new', 'doing', 'living', 'room']
    """
    words = dict.fromkeys(word.casefold() for word in _TOKEN.findall(text))
    telling = (
        word for word in words if word not in STOP_WORDS.split() and not (word.isascii() and len(word) < 3) and not word.isdigit()
    )
    return list(telling)[:KEYWORDS]


@dataclass(frozen=True)
class Leg:
    """What one of the two searches brought: chunk numbers, best first, and by chunk its score before weighting."""

    scores: dict[int, float]
    details: dict[int, dict[str, object]]


def best(keys: Floats, numbers: Ints, placed: PlacedChunks, count: int) -> Ints:
    """Positions of the ``count`` largest keys; among equal ones newer notes first, then a note's earlier chunks."""
    least = np.partition(keys, -count)[-count] if len(keys) > count else -np.inf
    kept = np.flatnonzero(keys >= least)
    order = np.lexsort((placed.places[numbers[kept]], -placed.rows[numbers[kept]], -keys[kept]))
    return np.asarray(kept[order[:count]])


def vector_leg(memory: Memory, text: str, config: OpenClawConfig, placed: PlacedChunks) -> Leg:
    """The chunks of the largest cosines."""
    values = cosines(memory, embedder(config.embeddings), text, placed.vectors)
    found = best(np.round(values, DECIMALS), np.arange(len(values)), placed, config.candidates)
    scores = {int(number): float(values[number]) for number in found}
    return Leg(scores, {number: {"cosine": cosine, "place": at} for at, (number, cosine) in enumerate(scores.items(), 1)})


def keyword_leg(text: str, config: OpenClawConfig, placed: PlacedChunks) -> Leg:
    """The chunks that hold all words of the query, by FTS5's bm25; from mid-2026 on, else those that hold a keyword."""
    index = placed.corpus.index
    tokens = query_tokens(text, config.profile)
    if not tokens:
        return Leg({}, {})
    leg = _searched(index, tokens, config, placed)
    if leg.scores or config.profile != "2026.06":
        return leg
    scores: dict[int, float] = {}
    details: dict[int, dict[str, object]] = {}
    for word in keywords(text):
        alone = _searched(index, [word], config, placed)
        for number, score in alone.scores.items():
            if score > scores.get(number, -1.0):
                scores[number], details[number] = score, alone.details[number] | {"words": [word]}
    return Leg(scores, details)


def _searched(index: FullTextIndex, words: list[str], config: OpenClawConfig, placed: PlacedChunks) -> Leg:
    numbers, ranks = index.search(words)
    found = best(comparable(-ranks, None), numbers, placed, config.candidates)
    scores = {int(numbers[at]): text_score(float(ranks[at]), config.profile) for at in found}
    details: dict[int, dict[str, object]] = {
        int(numbers[at]): {"bm25": float(ranks[at]), "place": place} for place, at in enumerate(found, 1)
    }
    return Leg(scores, details)


@dataclass(frozen=True, slots=True)
class Row:
    """A chunk with its weighted scores; None where a leg did not bring it."""

    chunk: int
    vector: float | None
    keyword: float | None

    @property
    def score(self) -> float:
        return (self.vector or 0.0) + (self.keyword or 0.0)

    def reaches(self, bound: float) -> bool:
        """Whether the score is at least a bound, to the precision at which scores compare."""
        return round(self.score, DECIMALS) >= round(bound, DECIMALS)


def select(rows: list[Row], config: OpenClawConfig) -> tuple[list[Row], str]:
    """The rows that are returned, in their order, and what was relaxed or left out for it (empty where nothing was).

    Parameters
    ----------
    rows : list of Row
        Best first.
    config : OpenClawConfig
    """
    least, remark = config.least, ""
    chosen = [row for row in rows if row.reaches(least)]
    if not chosen and config.profile != "legacy":
        bound = 0.0 if config.profile == "2026.06" else min(least, config.weights[1])
        chosen = [row for row in rows if row.keyword is not None and row.reaches(bound)]
        if chosen:
            remark = f"no chunk scores {least:.3g}: keyword hits from {bound:.3g} on are returned"
    chosen = chosen[: config.max_results]
    if config.profile == "2026.06":
        there = {row.chunk for row in chosen}
        spare = [row for row in rows if row.vector is None and row.chunk not in there]
        chosen += spare[: config.max_results - len(chosen)]
    left = len(rows) - len(chosen)
    if chosen and left and not remark:
        remark = f"{counted(left, 'candidate chunk')} left out: least score {least:.3g}, at most {config.max_results} chunks"
    return chosen, remark


@methods.register("openclaw")
class OpenClaw(MemoryRetriever[OpenClawConfig]):
    """OpenClaw's memory search: chunks of the raw interactions by 0.7 cosine and 0.3 keyword score; no tags, no graph.

    A note's score is that of its best chunk. At most ``max_results`` chunks are returned, so that a ranking may be short.
    """

    name: ClassVar[str] = "openclaw"
    Config = OpenClawConfig

    def score(self, text: str) -> Scored:
        config = self.config
        if not has_word(text):
            return Scored.nothing(NO_WORD)
        placed = placed_chunks(self.memory, config.embeddings, config.chunk_tokens, config.chunk_overlap)
        if not len(placed.rows):
            return Scored.nothing("no note holds any text")
        vector, keyword = vector_leg(self.memory, text, config, placed), keyword_leg(text, config, placed)
        merged = merge(vector, keyword, config, placed)
        chosen, remark = select(merged, config)
        if not chosen:
            return Scored.nothing(f"no chunk scores {config.least:.3g} (the best: {merged[0].score:.3g})")
        by_note: dict[int, Row] = {}
        for row in chosen:
            by_note.setdefault(int(placed.rows[row.chunk]), row)
        remarks = (remark,) if remark else ()

        def explain(note: int) -> Why:
            return Why(tuple(_parts(by_note[note], vector, keyword, placed.corpus)), remarks=remarks)

        scores = np.array([row.score for row in by_note.values()])
        return Scored(np.array(list(by_note), np.int64), scores, explain, remarks, decimals=DECIMALS)


def merge(vector: Leg, keyword: Leg, config: OpenClawConfig, placed: PlacedChunks) -> list[Row]:
    """The union of both legs, best first; a missing leg counts 0."""
    of_vector, of_text = config.weights
    rows = [
        Row(
            number,
            of_vector * vector.scores[number] if number in vector.scores else None,
            of_text * keyword.scores[number] if number in keyword.scores else None,
        )
        for number in {**vector.scores, **keyword.scores}
    ]

    def key(row: Row) -> tuple[float, int, int]:
        return (-round(row.score, DECIMALS), -int(placed.rows[row.chunk]), int(placed.places[row.chunk]))

    return sorted(rows, key=key)


def _parts(row: Row, vector: Leg, keyword: Leg, corpus: Corpus) -> list[Part]:
    """The addends of a chunk's score, with where the chunk lies in its note."""
    chunk, name = corpus.chunks[row.chunk], f"chunk {corpus.places[row.chunk] + 1}"
    where = {"lines": [chunk.first, chunk.last]}
    parts = []
    if row.vector is not None:
        parts.append(Part("vector", f"cosine of {name}", row.vector, vector.details[row.chunk] | where))
    if row.keyword is not None:
        parts.append(Part("keyword", f"words in {name}", row.keyword, keyword.details[row.chunk] | where))
    return parts
