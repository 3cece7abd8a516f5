"""Settings of AriadneMem: the paper's values, and what is ours where it states none."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from workbench.ariadne.thresholds import Bounds, bounds_of
from workbench.embed.base import embedder
from workbench.extract.english import MODEL
from workbench.methods.dense import EmbeddingConfig
from workbench.settings import setting

PAPER = "AriadneMem's settings"
ABLATION = "ablation of AriadneMem, Table 3"
EntryExtractor = Literal["rules", "llm", "replay"]
BridgeEnds = Literal["outside", "inclusive"]
BridgeEvidence = Literal["both_ends", "none"]
PathOrder = Literal["relevance", "length"]
READING_VERSION = 1
"""Raised whenever a rule changes what an entry is."""


@dataclass(frozen=True)
class AriadneConfig(EmbeddingConfig):
    """AriadneMem as the paper describes it; the released code differs and is not followed."""

    extractor: EntryExtractor = setting(
        "rules", "who makes entries: rules read every utterance; llm and replay read windows beforehand (workbench entries)"
    )
    model: str = setting("", "model that wrote the entries, for llm and replay")
    window: int = setting(20, "turns that a model reads at once", PAPER, least=1)
    assistant_turns: bool = setting(False, "whether an assistant's turns give entries too; in a talk of two people both do")
    user_chars: int = setting(2000, "characters of a turn that are read", least=1)

    gate: bool = setting(True, "drop a turn that repeats a recent entry (Eq. 2, 3)", ABLATION)
    gate_similarity: float | None = setting(
        None,
        "cosine above which a turn repeats an entry; none takes the embedding backend's own bound (the paper's is MiniLM's)",
        literal=0.6,
    )
    gate_hours: float = setting(1.0, "hours within which a repetition is dropped", "AriadneMem Eq. 3: e.g. 1 hour", least=0)
    gate_value_guard: bool = setting(
        True,
        "keep a turn that adds a name, number, date or negation, and never take a question for what it repeats",
        literal=False,
    )

    coarsening: bool = setting(True, "merge repeated entries and link changed ones (Eq. 5, 6)", ABLATION)
    coarsen_similarity: float | None = setting(
        None, "cosine above which entries merge or link; none takes the embedding backend's own bound", literal=0.7
    )
    coarsen_overlap: float = setting(
        0.8, "share of the newer entry's keywords above which similar entries merge", "ours; the paper names it without a value"
    )
    merge_value_guard: bool = setting(
        True, "never merge entries that differ in a number, time, date, negation or name, nor a question", literal=False
    )
    merge_least_keywords: int = setting(3, "keywords that an entry must have to be merged", literal=0, least=0)

    k_sem: int = setting(20, "entries that the dense leg brings", PAPER, least=0)
    k_lex: int = setting(5, "entries that the keyword leg brings", PAPER, least=0)
    align_factor: float = setting(
        0.5, "factor on both scores of an entry that has none of the persons a query names", least=0, most=1
    )
    follow_updates: bool = setting(
        True, "add the newest state that a retrieved entry was updated to, with its relevance", literal=False
    )
    fast_path: bool = setting(
        False,
        'answer "X\'s attribute" from a chain of updates alone, where one is found',
        "ours: off in reported runs",
        literal=True,
    )

    near_hours: float = setting(6.0, "entries less than this many hours apart are joined (Eq. 8)", PAPER, least=0)
    hub_share: float | None = setting(
        0.05, "an entity or keyword in more than this share of the entries joins none; none lets all join", literal=None
    )
    hub_floor: int = setting(2, "... and only if more than this many entries hold it", least=0)
    hub_update_floor: int = setting(
        8, "... or more than this many, where a keyword is to tell that two entries speak of the same", least=0
    )

    bridges: bool = setting(True, "look for entries that join two components (Eq. 9)", ABLATION)
    bridge_least_hours: float = setting(1.0, "least time between the ends of a bridge, in hours", PAPER, least=0)
    bridge_most_hours: float = setting(168.0, "most time between the ends of a bridge, in hours", PAPER, least=0)
    bridge_candidates: int = setting(5, "nearest entries that a bridge is chosen from", PAPER, least=1)
    bridge_ends: BridgeEnds = setting(
        "outside", "whether an entry at the very time of an end counts as between the ends", literal="inclusive"
    )
    bridge_evidence: BridgeEvidence = setting(
        "both_ends", "whether a bridge must share an entity or keyword with both ends", literal="none"
    )

    topology: bool = setting(True, "mine paths, choose members by them, and say them and updates in the context", ABLATION)
    path_length: int = setting(3, "most edges of a path (at least 2)", PAPER, least=2, most=3)
    path_limit: int = setting(50_000, "paths up to which all are looked at", least=1)
    path_best: int = setting(10_000, "beyond that: paths that are looked at, best first", least=1)
    path_order: PathOrder = setting(
        "relevance", "what puts a path first: mean relevance times coherence, or its length", literal="length"
    )
    budget_least: int = setting(8, "least entries of the evidence, where there are as many", PAPER, least=1)
    budget_most: int = setting(25, "most entries of the evidence", PAPER, least=1)
    context_paths: int = setting(8, "paths that the context spells out", least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.budget_least > self.budget_most:
            raise ValueError(f"budget_least is {self.budget_least}; it is budget_most ({self.budget_most}) or less")
        if self.bridge_least_hours > self.bridge_most_hours:
            raise ValueError(
                f"bridge_least_hours is {self.bridge_least_hours}; it is bridge_most_hours ({self.bridge_most_hours}) or less"
            )
        if self.k_sem + self.k_lex == 0:
            raise ValueError("k_sem and k_lex are both 0; one of them must be above")
        if self.extractor != "rules" and not self.model:
            raise ValueError(f"extractor {self.extractor!r} needs the name of the model that wrote the entries: set model")

    @property
    def bounds(self) -> Bounds:
        """The two cosines that apply."""
        own = bounds_of(embedder(self.embeddings).name)
        return Bounds(
            own.gate if self.gate_similarity is None else self.gate_similarity,
            own.coarsen if self.coarsen_similarity is None else self.coarsen_similarity,
        )

    @property
    def reading(self) -> dict[str, Any]:
        """What an utterance's reading depends on."""
        return {
            "version": READING_VERSION,
            "model": MODEL,
            "assistant_turns": self.assistant_turns,
            "user_chars": self.user_chars,
        }

    @property
    def construction(self) -> dict[str, Any]:
        """What the decisions of gate and coarsening depend on."""
        named = {name: value for name, value in asdict(self).items() if name.startswith(("gate", "coarsen", "merge", "hub"))}
        source = embedder(self.embeddings)
        written = (
            {"extractor": "rules"}
            if self.extractor == "rules"
            else {
                "extractor": self.extractor,
                "model": self.model,
                "window": self.window,
            }
        )
        bounds = {f"{name}_bound": value for name, value in asdict(self.bounds).items()}  # "gate" is the switch's name
        return self.reading | named | bounds | {"embeddings": [source.name, source.model]} | written
