"""How right an answer is by its words: containment, token F1 by two rules, expected texts.

Containment misses paraphrases, F1 punishes an answer for every word around the expected one (TAGGRAPH F.2).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import Stemmer

from workbench.answer.abstention import abstains

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_LOCOMO_ARTICLES = re.compile(r"\b(a|an|the|and)\b")


def normalised(text: str) -> str:
    """Lower case, without punctuation and the articles a, an, the; words joined by single blanks.

    As SQuAD's evaluation does it; beyond ASCII all punctuation goes, not only that of ASCII (ours), since models write
    typographic quotes.

    Examples
    --------
    >>> normalised("The  answer is: “three”!")
    'answer is three'
    """
    return " ".join(_ARTICLES.sub(" ", _without_punctuation(text.lower())).split())


def contains(answer: str, gold: str) -> bool | None:
    """Whether the normalised gold is a part of the normalised answer (TAGGRAPH F.2); None for a gold without words.

    Parts of words count, as in the paper: "3" is in "13".

    Examples
    --------
    >>> contains("You bought three of them.", "Three"), contains("none", "?")
    (True, None)
    """
    wanted = normalised(gold)
    return wanted in normalised(answer) if wanted else None


def f1(answer: Sequence[str], gold: Sequence[str]) -> float:
    """Harmonic mean of precision and recall over two multisets of tokens, in [0, 1]; 1 where both are empty, 0 where one is.

    References
    ----------
    P. Rajpurkar, J. Zhang, K. Lopyrev, P. Liang: SQuAD. EMNLP 2016, 6.1.

    Examples
    --------
    >>> round(f1("one gold token stands in a sentence of eleven tokens here".split(), ["gold"]), 3)
    0.167
    """
    if not answer or not gold:
        return float(not answer and not gold)
    common = sum((Counter(answer) & Counter(gold)).values())
    return 2 * common / (len(answer) + len(gold))


def f1_squad(answer: str, gold: str) -> float:
    """Token F1 by SQuAD's rule, over `normalised` words."""
    return f1(normalised(answer).split(), normalised(gold).split())


def f1_locomo(answer: str, gold: str | None, category: int) -> float | None:
    """LoCoMo's score of an answer, in [0, 1] (its evaluation script; spec 6.2).

    Words are compared by their Porter stems, without commas, punctuation and a, an, the, and. Category 1 (several facts): for
    each part of the gold between commas the best part of the answer, averaged. Category 3: only the gold up to its first
    semicolon counts. Category 5: 1 where the answer says that nothing is known, else 0, whatever the gold. The stems are those
    of Porter's paper; the script's own, NLTK's, differ from them in a few short words.

    Returns
    -------
    float or None
        None where the gold has no words, or there is none.

    Examples
    --------
    >>> f1_locomo("painting, swimming", "swim, paints", 1), f1_locomo("not mentioned", None, 5)
    (1.0, 1.0)
    """
    if category == 5:
        return float(abstains(answer))
    if gold is None:
        return None
    parts = gold.split(",") if category == 1 else [gold.partition(";")[0] if category == 3 else gold]
    wanted = [tokens for part in parts if (tokens := _locomo_tokens(part))]
    if not wanted:
        return None
    said = [_locomo_tokens(part) for part in (answer.split(",") if category == 1 else [answer])]
    return sum(max(f1(each, tokens) for each in said) for tokens in wanted) / len(wanted)


def has_all(answer: str, expected: Iterable[str]) -> bool:
    """Whether every expected text occurs in the answer, in any order and case (ATANT's rule; spec 6.3)."""
    said = answer.casefold()
    return all(text.casefold() in said for text in expected)


def _without_punctuation(text: str) -> str:
    # ASCII's symbols, such as $ and +, are punctuation to SQuAD too.
    return "".join(c for c in text if not (unicodedata.category(c)[0] == "P" or (c.isascii() and c in "$+<=>^`|~")))


def _locomo_tokens(text: str) -> list[str]:
    words = _LOCOMO_ARTICLES.sub(" ", _without_punctuation(text.replace(",", "").lower())).split()
    return list(_porter().stemWords(words))


@lru_cache(maxsize=1)
def _porter() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("porter")
