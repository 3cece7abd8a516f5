"""The offline extractor: spaCy, our own lexicon and rules for English; deterministic, no network, no model that writes text.

It follows TAGGRAPH 3.1 (precision over recall; the user's words are the source, the assistant's only weigh the topic). How it
does so is ours throughout.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, ClassVar

from workbench.extract.base import extractors
from workbench.extract.circumstances import read_when, read_why
from workbench.extract.clues import Findings, Marked, slug
from workbench.extract.english import MODEL, parse
from workbench.extract.lexicon import Lexicon, lexicon_digest
from workbench.extract.names import read_names
from workbench.extract.nouns import read_actions, read_chunks, read_mentions
from workbench.extract.readable import readable
from workbench.extract.schema import MAX_PER_CATEGORY, MAX_SUMMARY_WORDS, ValidationCounts, validate
from workbench.ontology import RESERVED_ROOTS, Ontology
from workbench.records import Case, Extraction, Interaction
from workbench.settings import setting
from workbench.text import Analyser

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


BATCH_SIZE = 128
"""Interactions that are parsed together; it changes no tag."""
MAX_SUMMARY_CHARS = 300
"""Of a summary whose words are no words (ours)."""


@dataclass(frozen=True)
class RulesConfig:
    """What identifies an extraction by rules."""

    version: int = setting(1, "raised whenever a rule changes what is extracted")
    model: str = setting(MODEL, "spaCy model that tags, parses and recognises names")
    lexicon: str = setting(lexicon_digest(), "first digits of the shipped lexicon's SHA-256")
    user_chars: int = setting(2000, "characters of the user's text that are read")
    assistant_chars: int = setting(600, "characters of the reply that may weigh the topic")
    max_topics: int = setting(
        5, "places in What for topics of the lexicon; the rest is for actions and other nouns, what is over goes to Extra"
    )

    def __post_init__(self) -> None:
        for name in ("user_chars", "assistant_chars", "max_topics"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be 0 or more, not {getattr(self, name)}")


@extractors.register("rules")
class Rules:
    """Offline extractor: spaCy tagging, a lexicon of shared domains, and rules for English.

    ``remarks`` maps an interaction's id to what of its text did not fit, and ``counts`` holds what validation changed, both for
    the latest call of ``extract``.
    """

    name = "rules"
    Config: ClassVar[type[Any]] = RulesConfig

    def __init__(self, config: Any = None) -> None:
        self.config: RulesConfig = config or RulesConfig()
        if self.config.model != MODEL or self.config.lexicon != lexicon_digest():
            raise ValueError(f"extractor rules has model {MODEL} and lexicon {lexicon_digest()}, not {self.config}")
        self.remarks: dict[str, tuple[str, ...]] = {}
        self.counts = ValidationCounts()

    def extract(self, case: Case, interactions: Iterable[Interaction], ontology: Ontology) -> Iterator[Extraction]:
        """One extraction per interaction, in order; ``ontology`` grows as they are yielded."""
        self.remarks, self.counts = {}, ValidationCounts()
        speakers = frozenset(word for name in case.participants for word in Analyser().surface(name))
        queue = iter(interactions)
        while batch := list(islice(queue, BATCH_SIZE)):
            texts = [_own_words(interaction, case) for interaction in batch]
            reads = [readable(text, self.config.user_chars) for text in texts]
            parsed = parse([read.text for read in reads])
            for interaction, text, read, one in zip(batch, texts, reads, parsed, strict=True):
                # In an exchange the reply is extracted from itself.
                reply = "" if case.unit == "exchange" else interaction.assistant[: self.config.assistant_chars]
                marked = Marked(one, Lexicon.load(), frozenset(Analyser().words(reply)), speakers)
                remarks = read.remarks if text.strip() else ("there is no user text",)
                if remarks:
                    self.remarks[interaction.id] = remarks
                summary = _summary(marked) if read.is_english else _first_words(text)
                yield self._validated(self._categories(marked, interaction, read.is_english), summary, ontology)

    def _validated(self, categories: dict[str, list[str]], summary: str, ontology: Ontology) -> Extraction:
        settled = {category: [_settled(path, ontology) for path in paths] for category, paths in categories.items()}
        extraction, counts = validate({**settled, "summary": summary})
        self.counts += counts
        for path in extraction.paths:
            ontology.add(path)
        return extraction

    def _categories(self, text: Marked, interaction: Interaction, is_english: bool) -> dict[str, list[str]]:
        found = Findings()
        read_mentions(text, found)
        if not is_english:  # single words among others: what the lexicon knows is sure, no more
            return {"what": found.topics.ordered(), "extra": found.details.ordered()}
        read_chunks(text, found)
        read_actions(text, found)
        read_names(text, found)
        topics = found.topics.ordered()
        what = topics[: self.config.max_topics] + _alternate(found.actions.ordered(), found.subjects.ordered())
        extra = _alternate(found.names.ordered(), found.details.ordered()) + found.amounts.ordered()
        return {
            "who": found.who.ordered(),
            "what": what[:MAX_PER_CATEGORY],
            "when": read_when(text, interaction.time.date() if interaction.time else None),
            "where": found.where.ordered(),
            "why": read_why(text, found),
            "extra": extra + topics[self.config.max_topics :] + what[MAX_PER_CATEGORY:],
        }


def _own_words(interaction: Interaction, case: Case) -> str:
    """What is extracted from: the user's turns; in an exchange both speakers'. Captions and earlier context never are."""
    return "\n\n".join(turn.text for turn in interaction.turns if turn.role == "user" or case.unit == "exchange")


def _settled(path: str, ontology: Ontology) -> str:
    """The path that a name or noun got first in this case, so that a museum does not turn from a place into an organization.

    Names settle among names and other nouns among other nouns; leaves of the lexicon, measures, dates and actions are what they
    are.
    """
    root, _, rest = path.partition("/")
    if not rest or root in ("date", "time", "money", "quantity", "action") or path in Lexicon.load().leaves:
        return path
    first = ontology.path_of_leaf(path.rpartition("/")[2])
    if first is None or "/" not in first or first.startswith(("date/", "time/", "action/")):
        return path
    return first if (first.partition("/")[0] in RESERVED_ROOTS) == (root in RESERVED_ROOTS) else path


def _alternate(first: Sequence[str], second: Sequence[str]) -> list[str]:
    return [path for pair in zip_longest(first, second) for path in pair if path is not None]


def _summary(text: Marked) -> str:
    """The first sentence that tells something, in at most 40 words; where none does, the one that tells most."""

    def tells(sentence: Span) -> int:
        return min(2, sum(_tells(token, text) for token in sentence))

    best = max(text.doc.sents, key=tells, default=None)  # of equals the first
    return _shortened(best.text) if best is not None else ""


def _tells(token: Token, text: Marked) -> bool:
    """Whether a token is a noun or verb that says something: "thanks for the info" has none."""
    is_light = text.is_light(token) or token.lower_ in text.lexicon.light_verbs
    return token.tag_[0] in "NV" and not is_light and slug(token.text) not in text.speakers


def _first_words(text: str) -> str:
    """The start of a text that is not English, up to its first full stop."""
    sentence = re.split(r"(?<=[.!?。！？])\s*|\n", text.strip(), maxsplit=1)[0]
    return _shortened(sentence)


def _shortened(text: str) -> str:
    words = text.split()
    short = " ".join(words[:MAX_SUMMARY_WORDS])[:MAX_SUMMARY_CHARS]
    return short if short == " ".join(words) else short + "…"
