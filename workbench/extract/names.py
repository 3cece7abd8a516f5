"""Names in a text: people, places, organisations, titles, and sums of money."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import TYPE_CHECKING

from workbench.extract.clues import Clues, Findings, Marked, slug
from workbench.extract.english import DATE_LABELS, starts_sentence
from workbench.extract.nouns import WHO_DOMAINS
from workbench.text import Analyser

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_ROOTS = {
    "PERSON": "person", "GPE": "place", "LOC": "place", "FAC": "place", "ORG": "organization", "PRODUCT": "product",
    "EVENT": "event", "WORK_OF_ART": "title", "LAW": "title", "NORP": "group", "MONEY": "money", "QUANTITY": "quantity",
}  # fmt: skip
_PROPER = ("NNP", "NNPS")
_MAX_WORDS = 6
"""A longer run of capitals is a heading, not a name (ours)."""


def read_names(text: Marked, found: Findings) -> None:
    """Names, the surest source first: a word that says who it is, the recogniser, capitals alone."""
    named: set[int] = set()
    _read_introduced(text, found, named)
    _read_entities(text, found, named)
    _read_capitals(text, found, named)


def _read_introduced(text: Marked, found: Findings, named: set[int]) -> None:
    """Names behind a word for kin, a friend or a pet: "my sister Emily", "my dog, Max", "a friend named Tom"."""
    for mention in text.mentions:
        if mention.domain not in WHO_DOMAINS and mention.domain != "pets":
            continue
        start = mention.end
        while start < len(text.doc) and start < mention.end + 2 and text.doc[start].lower_ in (",", "named", "called"):
            start += 1
        end = start
        while end < len(text.doc) and text.doc[end].tag_ == "NNP" and text.is_name[end] and end not in text.mention_of:
            end += 1
        name = slug(text.doc[start:end].text)
        if name and not _is_speaker(text, name):
            named.update(range(start, end))
            root = mention.path if mention.domain == "pets" else "person"
            found.who.note(f"{root}/{name}", text.weights[start], start)


def _read_entities(text: Marked, found: Findings, named: set[int]) -> None:
    for entity in text.entities:
        root = _ROOTS.get(entity.label)
        tokens = range(entity.start, entity.end)
        span = text.doc[entity.start : entity.end]
        if root is None or not named.isdisjoint(tokens):
            continue
        if root in ("money", "quantity"):
            name = slug(span.text)
            if name:
                found.amounts.note(f"{root}/{name}", text.weights[entity.start], entity.start)
            continue
        name = _name(text, span)
        if not name or (root in ("person", "place", "organization") and not any(t.tag_ in _PROPER for t in span)):
            continue
        last = text.mention_of.get(entity.end - 1)
        if text.is_place(entity.end - 1):
            root = "place"
        elif last and last.start <= entity.start:
            continue  # the lexicon knows better what Netflix is
        named.update(tokens)
        _clues_for(root, found).note(f"{root}/{name}", text.weights[entity.start], entity.start)


def _read_capitals(text: Marked, found: Findings, named: set[int]) -> None:
    """Runs of proper nouns that the recogniser left: kept without a claim as to what they are."""
    taken = named | {i for entity in text.entities if entity.label in DATE_LABELS for i in range(entity.start, entity.end)}
    start = 0
    while start < len(text.doc):
        end = start
        while end < len(text.doc) and _is_capital(text.doc[end]) and end not in taken:
            end += 1
        is_known = all(i in text.mention_of for i in range(start, end))
        if not is_known and (end - start > 1 or not starts_sentence(text.doc[start])):
            name = _name(text, text.doc[start:end])
            root = "place" if text.is_place(end - 1) else "name"
            if name:
                _clues_for(root, found).note(f"{root}/{name}", text.weights[start], start)
        start = max(end, start + 1)


def _is_capital(token: Token) -> bool:
    return token.tag_ in _PROPER and token.text[0].isupper() and len(token.text) > 1


def _clues_for(root: str, found: Findings) -> Clues:
    return {"person": found.who, "place": found.where}.get(root, found.names)


def _name(text: Marked, span: Iterable[Token] | Span) -> str:
    """The name as a segment; empty for a speaker's, for light words, and for what is no name at all."""
    # A dash between spaces starts an explanation ("Ronson - a fun tune").
    tokens = list(takewhile(lambda token: token.text not in ("-", "–", "—", "|", "\n"), span))
    while tokens and tokens[0].lower_ in ("the", "a", "an", "my", "our"):
        tokens.pop(0)
    if not any(token.text[0].isupper() for token in tokens) or len(tokens) > _MAX_WORDS or all(map(text.is_light, tokens)):
        return ""
    name = slug(" ".join(token.text for token in tokens).replace(" '", "'").replace(" ’", "’"))
    is_light = all(stem in text.lexicon.light for stem in Analyser().words(name))
    return "" if is_light or name.isdigit() or _is_speaker(text, name) else name


def _is_speaker(text: Marked, name: str) -> bool:
    """Whether a speaker's name, or a short form of it ("Mel" for Melanie), is a word of it."""
    return any(
        word == speaker or (len(word) >= 3 and speaker.startswith(word)) for word in name.split("_") for speaker in text.speakers
    )
