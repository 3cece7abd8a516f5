"""Settings of REAL: the source names the parts, all numbers are ours (5.1 to 5.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.settings import setting

Extractor = Literal["rules", "llm"]


@dataclass(frozen=True)
class FactsConfig:
    """Where facts come from, and which text is read."""

    facts: Extractor = setting("rules", "who read the facts: rules, or a language model (made by `workbench facts`)")
    fact_model: str = setting("", "the model whose facts are used, where they are a model's")
    relations: str = setting("", "a YAML file of relations that are added to the shipped ones")
    assistant_turns: bool = setting(False, "also read the assistant's turns (people who are named are always read)")
    fragments: bool = setting(True, "a sentence without a subject gives its nouns as mentioned by the speaker")
    user_chars: int = setting(2000, "characters of a turn that are read", least=0)


@dataclass(frozen=True)
class SearchConfig:
    """The beam search over facts and the parts that an ablation takes away."""

    intervals: bool = setting(True, "validity intervals; off: every fact holds at any time", "REAL ablation")
    confidence: bool = setting(True, "confidence; off: every fact counts as certain", "REAL ablation")
    intents: bool = setting(True, "exploration intents; off: every fact and question is FACT", "REAL ablation")
    evaluator: bool = setting(True, "the semantic evaluator; off: paths are scored by relevance alone", "REAL ablation")
    counterfactual: bool = setting(True, "counterfactual rules where a root finds too little", "REAL ablation")
    theta_stable: float = setting(0.5, "confidence from which a fact takes part", least=0, most=1)
    beam_width: int = setting(20, "paths that are kept in a step (5 for an answer's context)", least=1)
    depth: int = setting(3, "edges of a path, at most", least=1)
    evidence: int = setting(20, "paths of evidence, at most", least=1)
    enough: float = setting(0.7, "answer sufficiency from which a path stops", least=0, most=1)
    too_little: float = setting(
        0.5, "where no path of a root has more answer sufficiency than this, rules are tried", least=0, most=1
    )
    weight_relevance: float = setting(0.4, "weight of S_QR in a path's score", least=0)
    weight_coherence: float = setting(0.2, "weight of S_LC in a path's score", least=0)
    weight_sufficiency: float = setting(0.4, "weight of S_AS in a path's score", least=0)
    gamma_symmetry: float = setting(
        0.95, "factor on confidence of an edge read backwards by symmetry or an inverse", least=0, most=1
    )
    gamma_inverse: float = setting(0.9, "factor on confidence of any other edge read backwards", least=0, most=1)
    gamma_hyponymy: float = setting(0.7, "factor on confidence of a step from a kind to a wider kind", least=0, most=1)
    gamma_succession: float = setting(0.9, "factor on confidence of the last known value", least=0, most=1)
    succession_half_life: float | None = setting(
        365.0, "days after which a last known value is half as sure; none: it stays sure"
    )


@dataclass(frozen=True)
class SearchSettings(SearchConfig, FactsConfig):
    """All that decides a search but the embedding backend."""
