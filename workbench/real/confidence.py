"""How sure a clause is, by its cues (5.3): the table is ours, the idea of graded confidence is REAL's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

PLAIN = 0.9
_CUES = {
    0.95: "definitely always confirmed certainly",
    0.8: "usually often normally",
    0.6: "think probably seem guess believe suppose seems likely",
    0.5: "hear heard say says said tell told apparently reportedly",
    0.4: "might may maybe perhaps possibly",
    0.2: "if would could 'd whether unless hope wish imagine ?",
}
BY_CUE = {cue: value for value, cues in _CUES.items() for cue in cues.split()}
"""Confidence by cue word; ``?`` stands for a question."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """A value in [0, 1] and the cues behind it."""

    value: float
    cue: str = ""


def confidence(words: Iterable[str]) -> Confidence:
    """The least confidence among the cues of a clause; that of a plain assertion where there is none.

    Examples
    --------
    >>> confidence(["maybe", "always"]), confidence(["moved"])
    (Confidence(value=0.4, cue='maybe, always'), Confidence(value=0.9, cue=''))
    """
    cues = [word for word in dict.fromkeys(words) if word in BY_CUE]
    if not cues:
        return Confidence(PLAIN)
    cues.sort(key=BY_CUE.__getitem__)
    return Confidence(BY_CUE[cues[0]], ", ".join(cues))
