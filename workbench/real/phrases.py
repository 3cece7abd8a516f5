"""Nodes of facts: what a noun phrase or pronoun stands for, and what it says on the side ("my cousin Felix")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.extract.english import Entity, lemma
from workbench.real.relations import Relations

if TYPE_CHECKING:
    from spacy.tokens import Token

MAX_WORDS = 6
"""Words of a node; of a longer phrase the last ones (ours)."""
_ENTITY = {
    "PERSON": "person", "GPE": "place", "LOC": "place", "FAC": "place", "ORG": "organization", "DATE": "date", "TIME": "date",
    "CARDINAL": "number", "QUANTITY": "number", "MONEY": "number", "PERCENT": "number",
}  # fmt: skip
_ME = frozenset(("i", "me", "my", "mine", "myself"))
_US = frozenset(("we", "us", "our", "ours", "ourselves"))
_YOU = frozenset(("you", "your", "yours", "yourself"))
_PERSON = frozenset(("he", "him", "his", "himself", "she", "her", "hers", "herself"))
_INSIDE = frozenset(("compound", "amod", "nummod", "nmod", "quantmod"))
_NAMING = frozenset(("named", "called"))
_CLASSES = frozenset(("kind", "type", "sort", "breed", "form"))
_NOUNS = ("NN", "NNS", "NNP", "NNPS")
PROPER = ("NNP", "NNPS")

Aside = tuple[str, str, str, str]
"""A fact told on the side: head, relation, tail, type of the tail."""


@dataclass(frozen=True, slots=True)
class Node:
    """What a phrase stands for: its text, its kind of thing (empty if unknown), and facts told on the side."""

    text: str
    type: str = ""
    asides: tuple[Aside, ...] = ()


@dataclass
class Speakers:
    """Who pronouns stand for in one turn; ``person`` is the last one named, whom "he" or "she" means."""

    speaker: str
    other: str = ""
    short: Mapping[str, str] = field(default_factory=dict)
    person: str = ""
    asks: bool = False
    """Whether "you" is the other speaker (in questions and about the past), not anybody (R16)."""


def nodes(token: Token, who: Speakers, entities: Mapping[int, Entity], registry: Relations) -> list[Node]:
    """What a token and those joined to it stand for; empty for a pronoun that is not resolved (R16)."""
    found = _one(token, who, entities, registry)
    for child in token.children:
        if child.dep_ == "conj" and (child.tag_ in _NOUNS or child.tag_ == "PRP"):
            found += nodes(child, who, entities, registry)
    return found


def _one(token: Token, who: Speakers, entities: Mapping[int, Entity], registry: Relations) -> list[Node]:
    word = token.lower_
    if word in _ME | _US | _YOU | _PERSON:
        return [Node(name, "person") for name in people(word, who)]
    if token.tag_ in ("WP", "WDT") or word == "that":
        return _antecedent(token, who, entities, registry)
    if token.tag_ not in _NOUNS and token.tag_ not in ("VBG", "CD"):
        return []
    entity = entities.get(token.i)
    type = _ENTITY.get(entity.label, "") if entity else ""
    owner = next((name for child in token.children if child.dep_ == "poss" for name in _owner(child, who)), "")
    name, described = _named(token)
    if name:
        name = who.short.get(name.casefold(), name)
        return [Node(name, type, tuple(_asides(name, described, owner, registry)))]
    text = phrase(token)
    if not text:
        return []
    noun = lemma(token) if token.tag_ in ("NN", "NNS") else ""
    relation = registry.of_noun(noun)
    if relation and owner and registry[relation].range == "person":
        return [Node(f"{owner}'s {noun}", "person")]
    return [Node(who.short.get(text.casefold(), text), type)]


def people(pronoun: str, who: Speakers) -> list[str]:
    """The people that a pronoun stands for; none where it is unresolved."""
    word = pronoun.casefold()
    if word in _ME:
        return [who.speaker]
    if word in _US:
        return [each for each in (who.speaker, who.other) if each]
    if word in _YOU:
        return [who.other] if who.other and who.asks else []
    return [who.person] if who.person else []


def _owner(token: Token, who: Speakers) -> list[str]:
    if token.tag_ == "PRP$":
        return people(token.lower_, who)[:1]
    return [who.short.get(phrase(token).casefold(), phrase(token))] if token.tag_ in PROPER else []


def _antecedent(token: Token, who: Speakers, entities: Mapping[int, Entity], registry: Relations) -> list[Node]:
    """What a relative pronoun stands for: the noun that its clause describes."""
    verb = token.head
    if verb.dep_ == "relcl" and verb.head.tag_ in _NOUNS:
        return _one(verb.head, who, entities, registry)
    return []


def _named(token: Token) -> tuple[str, str]:
    """The name in "my cousin Felix", "my cousin, Felix" or "a beagle named Pixel", and the description; empty for others."""
    if token.tag_ in PROPER:
        words = [child for child in token.lefts if child.dep_ in _INSIDE]
        common = [child for child in words if child.tag_ in ("NN", "NNS", "JJ")]
        apposed = next((child for child in token.children if child.dep_ == "appos" and child.tag_ in ("NN", "NNS")), None)
        description = lemma(common[-1]) if common and common[-1].tag_ == "NN" else phrase(apposed) if apposed is not None else ""
        name = " ".join(child.text for child in (*words, token) if child not in common)
        return name, description
    for child in token.children:
        if child.dep_ == "appos" and child.tag_ in PROPER:
            return phrase(child), phrase(token)
        if child.dep_ == "acl" and child.lower_ in _NAMING:
            given = next((each for each in child.children if each.dep_ in ("oprd", "dobj", "attr") and each.tag_ in PROPER), None)
            if given is not None:
                return phrase(given), phrase(token)
    return "", ""


def _asides(name: str, described: str, owner: str, registry: Relations) -> Iterator[Aside]:
    """What a description says of a name: whose what it is, or what it is."""
    noun = described.split()[-1] if described else ""
    if not noun:
        return
    relation = registry.of_noun(noun)
    if relation and owner:
        yield owner, relation, name, registry[relation].range
    if not relation or registry[relation].range != "person":
        yield name, "is_a", described, "thing"


def phrase(token: Token) -> str:
    """A noun with what describes it directly, without articles and owners; its head in the singular.

    "kind of dog" is "dog"; one "of" phrase is kept with other nouns ("book of poems").
    """
    inside = next((child for child in token.children if child.dep_ == "prep" and child.lower_ == "of"), None)
    of = next((child for child in inside.children if child.dep_ == "pobj"), None) if inside is not None else None
    if of is not None and token.lower_ in _CLASSES:
        return phrase(of)
    lefts = [_compound(child) for child in token.lefts if _describes(child)]
    head = lemma(token) if token.tag_ == "NNS" else token.text
    text = " ".join([*lefts, head])
    if of is not None and of.tag_ in _NOUNS:
        text = f"{text} of {phrase(of)}"
    return " ".join(text.split()[-MAX_WORDS:])


def _compound(token: Token) -> str:
    return " ".join([*(_compound(child) for child in token.lefts if _describes(child)), token.text])


def _describes(token: Token) -> bool:
    """Whether a word in front of a noun is part of its name: no article, and no preposition ("up to thirty euros")."""
    return token.dep_ in _INSIDE and token.tag_ not in ("DT", "PDT", "IN", "TO")
