"""Clues: candidate tags of one text, each with its weight and where it first stands."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from workbench.extract.english import Parsed, is_title_case, starts_sentence
from workbench.extract.lexicon import Lexicon, Mention, Word
from workbench.text import Analyser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacy.tokens import Doc, Token

OWN_SENTENCE_WEIGHT = 1.5
"""Weight of what a sentence with I, we, my or our says; in other sentences it is 1 (ours)."""
REPLY_WEIGHT = 0.5
"""Added to a topic that the reply takes up (ours)."""

_ANALYSER = Analyser()
_OWN = frozenset(("i", "we", "my", "our", "me", "us", "mine", "ours"))
_POSSESSIVE = re.compile(r"['’]s\b|['’]$")


@dataclass(slots=True)
class Clue:
    """A candidate path: how much it weighs, and the token where it first stands."""

    path: str
    weight: float
    first: int


class Clues(dict[str, Clue]):
    """Candidates by path."""

    def note(self, path: str, weight: float, first: int) -> None:
        """Add a candidate; the same path again adds weight."""
        if path in self:
            self[path].weight += weight
        else:
            self[path] = Clue(path, weight, first)

    def ordered(self) -> list[str]:
        """The paths, weightiest first, then in the order of the text."""
        return [clue.path for clue in sorted(self.values(), key=lambda clue: (-clue.weight, clue.first))]


@dataclass(slots=True)
class Findings:
    """What the readers of a text have found, by what it may become.

    ``topics`` are leaves of the lexicon, ``details`` what is said of them more closely, ``subjects`` other nouns; ``names`` are
    those of neither people nor places. ``chunks`` holds (token, path) of every noun chunk that gave a path.
    """

    topics: Clues = field(default_factory=Clues)
    details: Clues = field(default_factory=Clues)
    subjects: Clues = field(default_factory=Clues)
    actions: Clues = field(default_factory=Clues)
    who: Clues = field(default_factory=Clues)
    where: Clues = field(default_factory=Clues)
    names: Clues = field(default_factory=Clues)
    amounts: Clues = field(default_factory=Clues)
    chunks: list[tuple[int, str]] = field(default_factory=list)


@lru_cache(maxsize=200_000)
def index_words(text: str) -> tuple[tuple[str, str], ...]:
    """(surface, stem) of each index word of a token."""
    return tuple(zip(_ANALYSER.surface(text), _ANALYSER.words(text), strict=True))


def slug(text: str) -> str:
    """A text's words joined as one tag segment, so that a query that says them finds them.

    Examples
    --------
    >>> slug("Trader Joe's")
    'trader_joe'
    """
    return "_".join(_ANALYSER.surface(_POSSESSIVE.sub("", text)))


class Marked:
    """A parsed text with what the lexicon knows marked in it.

    Parameters
    ----------
    parsed : Parsed
    lexicon : Lexicon
    reply_stems : collection of str
        Index words of the reply: they add weight to what the text itself says, and nothing else.
    speakers : collection of str
        Case-folded parts of the speakers' names: never tags.
    """

    def __init__(
        self, parsed: Parsed, lexicon: Lexicon, reply_stems: Collection[str] = (), speakers: Collection[str] = ()
    ) -> None:
        self.doc, self.entities, self.lexicon = parsed.doc, parsed.entities, lexicon
        self.reply_stems, self.speakers = reply_stems, speakers
        self.mentions = self._find_mentions()
        self.mention_of = {i: mention for mention in self.mentions for i in range(mention.start, mention.end)}
        """Which mention a token belongs to."""

    @cached_property
    def weights(self) -> list[float]:
        """The weight of each token: more in a sentence that speaks of the speaker."""
        weights = [1.0] * len(self.doc)
        for sentence in self.doc.sents:
            if any(token.lower_ in _OWN for token in sentence):
                weights[sentence.start : sentence.end] = [OWN_SENTENCE_WEIGHT] * len(sentence)
        return weights

    @cached_property
    def is_name(self) -> list[bool]:
        """Which tokens are written as part of a name or title, as far as case can tell."""
        return [is_title_case(token) and token.text != "I" and self._is_capital_by_choice(token) for token in self.doc]

    def _is_capital_by_choice(self, token: Token) -> bool:
        """Whether a capital is more than the start of a sentence."""
        if not starts_sentence(token):
            return True
        if token.tag_ not in ("NNP", "NNPS") or token.i + 1 == len(self.doc):
            return False
        return is_title_case(token.nbor(1))

    def _find_mentions(self) -> list[Mention]:
        words = [
            Word(stem, surface, token.i, token.tag_, self.is_name[token.i], len(token.text) > 1 and token.text.isupper())
            for token, text in _word_texts(self.doc)
            for surface, stem in index_words(text)
        ]
        found = self.lexicon.find(words)
        return [Mention(words[hit.start].token, words[hit.end - 1].token + 1, hit.alias) for hit in found]

    def is_light(self, token: Token) -> bool:
        """Whether a token says nothing by itself."""
        return token.is_stop or any(stem in self.lexicon.light for _, stem in index_words(token.text))

    def is_place(self, token: int) -> bool:
        """Whether the lexicon knows the word at a token as that of a place (a museum, a park)."""
        mention = self.mention_of.get(token)
        return mention is not None and mention.path in self.lexicon.places


def _word_texts(doc: Doc) -> Iterator[tuple[Token, str]]:
    """Tokens with their text; a number takes the letters that stick to it ("5k"), as the analyser reads them."""
    skip = -1
    for token in doc:
        text = token.text
        if token.i == skip:
            continue
        if text.isdigit() and not token.whitespace_ and token.i + 1 < len(doc) and token.nbor(1).text.isalpha():
            skip = token.i + 1
            text += token.nbor(1).text
        yield token, text
