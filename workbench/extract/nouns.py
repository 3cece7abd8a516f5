"""What a text is about: the lexicon's topics, its other nouns, and what its speaker did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.extract.clues import REPLY_WEIGHT, Findings, Marked, index_words, slug
from workbench.extract.english import lemma
from workbench.extract.lexicon import Mention
from workbench.text import Analyser

if TYPE_CHECKING:
    from spacy.tokens import Token

WHO_DOMAINS = frozenset(("family", "acquaintances"))
"""Domains of the lexicon whose leaves are people."""

_MODIFIERS = frozenset(("compound", "amod", "nmod"))
_NOUNS = frozenset(("NN", "NNS"))
_MODIFIER_TAGS = _NOUNS | {"JJ", "VBG", "VBN", "NNP"}
_PLACE_PREPOSITIONS = frozenset(("at", "in", "to", "from", "near", "inside", "into", "through", "around", "by", "outside"))
_FIRST_PERSON = frozenset(("i", "we"))
_MODIFIED_WEIGHT = 0.25
"""Added to a noun that is described more closely (ours): it says more."""


def read_mentions(text: Marked, found: Findings) -> None:
    """Leaves of the lexicon: people to who, others to topics; the words used for them, where they differ, to details."""
    for mention in text.mentions:
        clues = found.who if mention.domain in WHO_DOMAINS else found.topics
        weight = text.weights[mention.start]
        if mention.path not in clues and mention.alias.stems[0] in text.reply_stems:
            weight += REPLY_WEIGHT
        clues.note(mention.path, weight, mention.start)
        if not set(mention.alias.stems) <= set(Analyser().words(mention.path)):
            found.details.note(f"{mention.path}/{slug(mention.alias.text)}", weight, mention.start)
        if text.is_place(mention.start) and _is_where(text.doc[mention.end - 1]):
            found.where.note(mention.path, weight, mention.start)


def _is_where(token: Token) -> bool:
    while token.dep_ in _MODIFIERS:
        token = token.head
    return token.dep_ == "pobj" and token.head.lower_ in _PLACE_PREPOSITIONS


def read_chunks(text: Marked, found: Findings) -> None:
    """Noun chunks: under the leaf of a word that the lexicon knows to details, by their own head to subjects."""
    for chunk in text.doc.noun_chunks:
        head = chunk.root
        if head.tag_ not in _NOUNS or text.is_name[head.i] or not _is_content(text, head):
            continue
        parts = [*_modifiers(text, head, chunk.start), head]
        path = _chunk_path(text, parts)
        if not path:
            continue
        weight = text.weights[head.i] + _MODIFIED_WEIGHT * (len(parts) > 1)
        if index_words(head.text)[-1][1] in text.reply_stems:
            weight += REPLY_WEIGHT
        is_detail = any(token.i in text.mention_of for token in parts)
        (found.details if is_detail else found.subjects).note(path, weight, head.i)
        found.chunks.append((head.i, path))


def _modifiers(text: Marked, head: Token, start: int) -> list[Token]:
    """Up to two content words directly in front of a head."""
    parts: list[Token] = []
    for i in range(head.i - 1, max(start, head.i - 2) - 1, -1):
        token = text.doc[i]
        if token.dep_ not in _MODIFIERS or token.tag_ not in _MODIFIER_TAGS or not _is_content(text, token):
            break
        parts.insert(0, token)
    return parts


def _is_content(text: Marked, token: Token) -> bool:
    return len(token.text) > 1 and token.text.isalpha() and not text.is_light(token)


def _chunk_path(text: Marked, parts: list[Token]) -> str | None:
    singular = slug(lemma(parts[-1])) or slug(parts[-1].text)
    leaf = "_".join([*(slug(token.text) for token in parts[:-1]), singular])
    known: list[Mention] = [text.mention_of[token.i] for token in parts if token.i in text.mention_of]
    if not known:
        return f"{singular}/{leaf}" if len(parts) > 1 else singular
    mention = known[-1]  # the one nearest the head says what it is
    is_all_known = all(mention.start <= token.i < mention.end for token in parts)
    return None if is_all_known or mention.domain in WHO_DOMAINS else f"{mention.path}/{leaf}"


def read_actions(text: Marked, found: Findings) -> None:
    """Verbs whose subject is the speaker, to actions."""
    for token in text.doc:
        if token.tag_.startswith("VB") and token.dep_ not in ("aux", "auxpass") and _has_first_person(token):
            path = action(text, token)
            if path:
                found.actions.note(path, text.weights[token.i], token.i)


def action(text: Marked, verb: Token) -> str | None:
    """The path of a verb, with its particle; None for one that says nothing by itself."""
    if not verb.text.isalpha() or len(verb.text) < 3:
        return None
    base = slug(lemma(verb))
    if base in text.lexicon.light_verbs:
        return None
    particle = next((child for child in verb.children if child.dep_ == "prt"), None)
    leaf = f"{base}_{slug(particle.text)}" if particle is not None else base
    surface = slug(verb.text)
    # An irregular past is kept beside its lemma, so that either form of a question meets it.
    if verb.tag_ in ("VBD", "VBN") and index_words(surface)[0][1] != index_words(base)[0][1]:
        return f"action/{leaf}/{surface}"
    return f"action/{leaf}"


def _has_first_person(verb: Token) -> bool:
    """Whether the speaker is a verb's subject, its own or the one it shares ("I went and bought")."""
    while True:
        for child in verb.children:
            if child.dep_ in ("nsubj", "nsubjpass"):
                return child.lower_ in _FIRST_PERSON
        if verb.dep_ not in ("conj", "xcomp", "advcl") or not verb.head.tag_.startswith("VB"):
            return False
        verb = verb.head
