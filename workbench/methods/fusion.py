"""Reciprocal-rank fusion of any registered methods (Cormack, Clarke and Buettcher 2009)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench.methods.base import MemoryRetriever, Scored, create, methods, total_order
from workbench.methods.dense import EmbeddingConfig
from workbench.records import Part, Why
from workbench.settings import setting


@dataclass(frozen=True)
class FusionConfig(EmbeddingConfig):
    """Who is fused, and how steeply ranks count. Members have their own defaults, but for the embeddings."""

    members: tuple[str, ...] = setting(("bm25", "dense"), "the methods whose ranks are fused, two or more")
    constant: float = setting(
        60.0, "a member gives a note 1 / (constant + rank): the larger, the flatter", "Cormack et al. 2009", least=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        known = [name for name in methods if name != "fusion"]
        for name in self.members:
            if name not in known:
                raise ValueError(f"fusion has no member {name!r}; it may have: {', '.join(known)}")
        if len(set(self.members)) < max(2, len(self.members)):
            raise ValueError(f"members is {', '.join(self.members) or 'empty'}; fusion takes two or more, each once")


@methods.register("fusion")
class Fusion(MemoryRetriever[FusionConfig]):
    """Reciprocal-rank fusion: the sum of 1 / (60 + rank) over its members, by default bm25 and dense.

    Notes that a member ranks equally share the first rank of their block (ours): its tie rule is no evidence.
    """

    name: ClassVar[str] = "fusion"
    Config = FusionConfig

    def score(self, text: str) -> Scored:
        ids = [note.id for note in self.memory.notes]
        ranks: dict[str, NDArray[np.int64]] = {}
        remarks: list[str] = []
        for name in self.config.members:
            found = self._member(name).score(text)
            ranks[name] = shared_ranks(found, ids)
            remarks += [f"{name}: {remark}" for remark in found.remarks]
        gains = {name: self._gain(of_member) for name, of_member in ranks.items()}
        total = np.sum(list(gains.values()), axis=0)
        rows = np.flatnonzero(total)
        if not len(rows):
            return Scored.nothing(*remarks)

        def explain(row: int) -> Why:
            parts = [
                Part("fusion", name, float(gains[name][row]), {"rank": int(ranks[name][row])})
                for name in gains
                if ranks[name][row]
            ]
            return Why(tuple(sorted(parts, key=lambda part: -part.value)), remarks=tuple(remarks))

        return Scored(rows, total[rows], explain, tuple(remarks))

    def _member(self, name: str) -> MemoryRetriever[Any]:
        has_embeddings = any(field.name == "embeddings" for field in fields(methods[name].Config))
        return create(name, "default", {"embeddings": self.config.embeddings} if has_embeddings else None, self.memory)

    def _gain(self, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        """What one member gives each note, (n_notes,); 0 where it does not rank it."""
        return np.where(ranks > 0, 1 / (self.config.constant + np.maximum(ranks, 1)), 0.0)


def shared_ranks(found: Scored, ids: list[str]) -> NDArray[np.int64]:
    """The rank of each note, (n_notes,), from 1; notes of one block share its first; 0 for those that are no candidates."""
    ranks = np.zeros(len(ids), np.int64)
    order, blocks = total_order(found, ids, "newest")
    first = np.searchsorted(blocks, blocks)  # blocks ascend along the order
    ranks[found.rows[order]] = 1 + first
    return ranks
