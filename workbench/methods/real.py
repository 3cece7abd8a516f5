"""REAL: evidence paths over facts with validity, confidence and intent, as a ranking of notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal

import numpy as np

from workbench.methods.base import MemoryRetriever, Scored, methods
from workbench.methods.bm25 import BM25
from workbench.methods.dense import NO_WORD, EmbeddingConfig, has_word
from workbench.real.config import SearchSettings
from workbench.real.counterfactual import Inference
from workbench.real.retrieval import Support, search_memory, support
from workbench.real.serialise import edge_text, path_text
from workbench.records import Part, Why
from workbench.settings import setting

DECIMALS = 9
BASE = {1: 2.0, 2: 1.0, 3: 0.0}
"""What a tier adds to a note's score, so that no pruned fact passes evidence, and no fallback either (ours)."""
TIER = {1: "in the evidence", 2: "found, then pruned", 3: "fallback: words alone"}


@dataclass(frozen=True)
class RealConfig(SearchSettings, EmbeddingConfig):
    """Facts, search and ranking of REAL. The source states no number; what it names are the parts that an ablation removes."""

    tail: Literal["none", "bm25"] = setting("none", "what ranks notes without evidence: nothing, or bm25 behind all others")


@methods.register("real")
class Real(MemoryRetriever[RealConfig]):
    """REAL: a beam search over facts that keep their history, guided by an evaluator, with inferred edges where facts lack.

    A note's score is 2 for evidence (1 for what was found and pruned) plus the relevance of the best fact that it states.
    """

    name: ClassVar[str] = "real"
    Config = RealConfig

    def score(self, text: str) -> Scored:
        return self.score_at(text, None)

    def score_at(self, text: str, at_time: datetime | None) -> Scored:
        """Candidates for a question that is asked at a moment; by default at the end of the last session."""
        if not has_word(text):
            return Scored.nothing(NO_WORD)
        searched = search_memory(self.memory, self.config, self.config.embeddings, text, at_time)
        found = searched.found
        items = support(found)
        rows = {note.id: row for row, note in enumerate(self.memory.notes)}
        by_row = {rows[note]: item for note, item in items.items()}
        scores = {row: BASE[item.tier] + item.value for row, item in by_row.items()}
        tiers = {TIER[tier]: sum(item.tier == tier for item in by_row.values()) for tier in (1, 2)}
        remarks = (*found.remarks, f"{len(found.visited):,} nodes visited")
        fallback = self._tail(text, by_row) if self.config.tail == "bm25" else {}
        if fallback:
            scores |= fallback
            tiers[TIER[3]] = len(fallback)
        if not scores:
            return Scored.nothing(*remarks)

        def explain(row: int) -> Why:
            if row in by_row:
                return _why(by_row[row], found.inferences)
            return Why((Part("tier", TIER[3], BASE[3]), Part("bm25", "share of bm25's best score", fallback[row])))

        order = sorted(scores)
        return Scored(np.array(order, np.int64), np.array([scores[row] for row in order]), explain, remarks, tiers, DECIMALS)

    def _tail(self, text: str, known: Mapping[int, Support]) -> dict[int, float]:
        """bm25 over the notes that no fact speaks for, as shares of its best score."""
        scored = BM25(memory=self.memory).score(text)
        best = float(scored.scores.max()) if len(scored.scores) else 0.0
        pairs = zip(scored.rows.tolist(), scored.scores.tolist(), strict=True)
        return {row: value / best for row, value in pairs if row not in known} if best > 0 else {}


def _why(item: Support, inferences: list[Inference]) -> Why:
    """The tier and the fact with its path: the score's parts, S_QR, S_LC and S_AS, how the path ended, and the rule behind it."""
    edge, score = item.edge, item.path.score
    detail: dict[str, Any] = {
        "tier": item.tier,
        "ending": item.ending,
        "path_score": score.total,
        "query_relevance": score.relevance,
        "logical_coherence": score.coherence,
        "answer_sufficiency": score.sufficiency.value,
        "slots_found": list(score.sufficiency.found),
        "slots_missing": list(score.sufficiency.missing),
        "confidence": edge.confidence,
        "quotes": list(dict.fromkeys(fact.quote for fact in edge.facts)),
    }
    if edge.rule:
        detail |= {
            "inferred": edge.rule,
            "premises": [edge_text(premise) for premise in edge.premises],
            "arithmetic": edge.arithmetic,
        }
    remarks = tuple(one.remark for one in inferences if one.root == item.path.root.node)
    parts = (Part("tier", TIER[item.tier], BASE[item.tier]), Part("fact", edge_text(edge), item.value, detail))
    return Why(parts, (path_text(item.path.edges),), remarks)
