"""Answers that say that there is no answer, and the questions for which that is right."""

from __future__ import annotations

import re

from workbench.datasets.locomo import ADVERSARIAL
from workbench.records import Question

NOT_TOLD = "No information available in the notes."
"""What a model is asked to say where the notes do not tell (ours). It holds LoCoMo's first phrase, so that its rule fits too."""
LOCOMO_PHRASES = ("no information available", "not mentioned")
"""Either marks a right answer to a question of LoCoMo's category 5 (its evaluation script)."""


def abstains(answer: str) -> bool:
    """Whether an answer says that the notes do not tell: it holds `NOT_TOLD` without its end, or another phrase of LoCoMo's.

    Case and white space do not matter. Other ways to say so are not recognised: the prompt gives the words.

    Examples
    --------
    >>> abstains("No information available."), abstains("It was not  mentioned."), abstains("I have no idea")
    (True, True, False)
    """
    said = re.sub(r"\s+", " ", answer).casefold()
    return any(phrase in said for phrase in LOCOMO_PHRASES)


def is_unanswerable(benchmark: str, question: Question) -> bool:
    """Whether to abstain is right: LongMemEval's ids that end in ``_abs``, LoCoMo's category 5. Never so for other benchmarks."""
    if benchmark == "locomo":
        return question.type == ADVERSARIAL
    return benchmark.startswith("longmemeval") and question.id.endswith("_abs")
