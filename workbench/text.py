"""The one analyser: how text becomes words, for tags, queries, notes, BM25, TF-IDF and diagnosis alike."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import regex
import Stemmer

Normaliser = Literal["snowball", "simple"]
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*")
"""Letters and digits with the marks that combine with them: without the marks, words of many scripts would fall to pieces."""


class _Stems(dict[str, str]):
    """Stems by word, each worked out once."""

    def __init__(self) -> None:
        self._stem = Stemmer.Stemmer("english").stemWord

    def __missing__(self, word: str) -> str:
        stem: str = self._stem(word)
        self[word] = stem
        return stem


@dataclass(frozen=True, slots=True)
class Analyser:
    """Unicode word runs after NFKC and case folding, then English Snowball stems.

    Parameters
    ----------
    normaliser : "snowball" or "simple"
        "simple" leaves words as they are (paper-literal). The default is ours: a tag ``museum`` must meet a query "museums"
        (decision 1).

    Examples
    --------
    >>> Analyser().words("Two MUSEUMS, both_visited")
    ['two', 'museum', 'both', 'visit']
    >>> Analyser("simple").words("Zürich's cafés")
    ['zürich', 's', 'cafés']
    >>> Analyser("simple").words("हिन्दी में")
    ['हिन्दी', 'में']
    """

    normaliser: Normaliser = "snowball"

    def surface(self, text: str) -> list[str]:
        """The words of a text before stemming, in order, with repetitions."""
        if text.isascii():
            return _ASCII_WORD.findall(text.casefold())
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        return list(_WORD.findall(folded))

    def words(self, text: str) -> list[str]:
        """The index words of a text, in order, with repetitions; empty where it holds no letter or digit."""
        words = self.surface(text)
        if self.normaliser == "simple":
            return words
        stems = _stems()
        return [stems[word] for word in words]

    def counts(self, text: str) -> dict[str, int]:
        """How often each index word of a text occurs, in the order of first occurrence."""
        surface = Counter(self.surface(text))  # Counting first leaves a third of the words to stem.
        if self.normaliser == "simple":
            return surface
        stems = _stems()
        counts: dict[str, int] = {}
        for word, count in surface.items():
            stem = stems[word]
            counts[stem] = counts.get(stem, 0) + count
        return counts


@lru_cache(maxsize=1)
def _stems() -> _Stems:
    return _Stems()
