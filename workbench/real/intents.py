"""Exploration intents: what a sentence or a clause of a question is after, and which facts serve which question."""

from __future__ import annotations

import re
from typing import Literal, get_args

Intent = Literal["FACT", "CAUSAL", "TEMPORAL", "CONTRAST", "EVOLUTION"]
INTENTS: tuple[Intent, ...] = get_args(Intent)

_CUE_WORDS: tuple[tuple[Intent, str], ...] = (
    ("CAUSAL", r"why|because|reasons?|due to|so that|caused?"),
    ("CONTRAST", r"differ(?:s|ent|ence)?|instead|but|compared?|rather than|unlike"),
    ("EVOLUTION", r"chang(?:e|es|ed|ing)|used to|over time|still|now|no longer|any ?more|evolved?"),
    ("TEMPORAL", r"when|before|after|first|last (?:week|month|year|night)|yesterday|ago|since"),
)
_CUES = tuple((intent, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)) for intent, pattern in _CUE_WORDS)
"""In the order of precedence (ours): a sentence that says why is CAUSAL, whatever else it says."""

_EQUAL, _OF_FACT, _FOR_FACT, _OTHER = 1.0, 0.8, 0.6, 0.2
_PAIRS: dict[frozenset[Intent], float] = {
    frozenset(("TEMPORAL", "EVOLUTION")): 0.8,
    frozenset(("CAUSAL", "TEMPORAL")): 0.5,
}
_CLAUSE = re.compile(r"(?<=[,;?.])\s+|\s+(?=(?:and|but|while|whereas)\b)", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:who|what|when|where|why|how|which|whose|is|are|was|were|do|does|did|has|have|had|will|would|can|could)\b",
    re.IGNORECASE,
)


def intent_of(text: str) -> tuple[Intent, str]:
    """The intent of a sentence or clause and the words that say so (empty for FACT, which has no cue).

    Examples
    --------
    >>> intent_of("Why did she leave?"), intent_of("Where does she live?")
    (('CAUSAL', 'Why'), ('FACT', ''))
    """
    for intent, pattern in _CUES:
        if match := pattern.search(text):
            return intent, match[0]
    return "FACT", ""


def compatibility(query: Intent, edge: Intent) -> float:
    """How well a fact's intent serves a question's, in [0, 1] (ours).

    Examples
    --------
    >>> compatibility("CAUSAL", "TEMPORAL"), compatibility("EVOLUTION", "CONTRAST")
    (0.5, 0.2)
    """
    if query == edge:
        return _EQUAL
    if edge == "FACT":
        return _OF_FACT
    if query == "FACT":
        return _FOR_FACT
    return _PAIRS.get(frozenset((query, edge)), _OTHER)


def clauses(question: str) -> list[str]:
    """The clauses of a question that ask something of their own; a piece without a question or helping verb joins the one before.

    Examples
    --------
    >>> clauses("Why did Ana leave, and when did Tom and Ida arrive?")
    ['Why did Ana leave,', 'and when did Tom and Ida arrive?']
    """
    found: list[str] = []
    for piece in _CLAUSE.split(question.strip()):
        if found and not (_ASKS.search(piece) and _ASKS.search(found[-1])):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found or [question]
