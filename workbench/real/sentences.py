"""Triples of a sentence by its dependencies: who did or is what, how surely, and whether it is denied or over (R3, R17)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.extract.english import Entity, lemma
from workbench.real.confidence import BY_CUE, Confidence, confidence
from workbench.real.facts import Act
from workbench.real.phrases import PROPER, Node, Speakers, nodes, phrase
from workbench.real.relations import VERB, Relations
from workbench.real.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_BE = frozenset(("be", "am", "is", "are", "was", "were", "been", "being", "'s", "'m", "'re", "’s", "’m", "’re"))
_NOT = frozenset(("not", "n't", "n’t", "never"))
_AHEAD = frozenset(("go", "gon", "have"))
"""Verbs that lead to what is yet to be done: "going to move", "have to move"."""
_FUTURE = frozenset(("will", "'ll", "’ll", "shall", "wo"))
_COURTESY = frozenset(
    """thank thanks congrats congratulation congratulations hi hey hello bye goodbye wow yeah yes yep ok okay luck worry worries
    cheer cheers welcome sure way haha lol aw aww oh gosh sorry problem""".split()  # noqa: SIM905
)
"""Words of greetings, thanks and exclamations: a reply that holds nothing else mentions nothing (ours)."""
_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "expl")
_PLACED = {"from": "comes_from", "in": "located_in"}
_STOPS = frozenset(("stop", "quit"))
_TIMES = frozenset(("before", "after", "since", "until", "till", "during", "ago", "as", "than", "because"))
_STATIVE = frozenset("live work reside own have study like love prefer play date know enjoy hate be".split())  # noqa: SIM905
"""Verbs of lasting states: in the past tense they tell of one that is over (ours)."""


@dataclass(frozen=True, slots=True)
class Triple:
    """What a clause says before it gets its time.

    ``is_past`` marks a state that is over, ``is_ahead`` what is told with "will": without a date it is no fact yet, but a plan.
    """

    head: Node
    relation: str
    tail: Node
    verb: Token | None
    confidence: Confidence
    preposition: str = ""
    act: Act = "assertion"
    is_past: bool = False
    is_ahead: bool = False


@dataclass(frozen=True)
class Clause:
    """A verb with what hangs on it."""

    verb: Token

    @cached_property
    def lemma(self) -> str:
        if self.verb.lower_ in _BE:
            return "be"
        base = lemma(self.verb)
        particle = next((child.lower_ for child in self.verb.children if child.dep_ == "prt"), "")
        return f"{base} {particle}" if particle and particle not in ("back", "away", "over") else base

    @cached_property
    def owner(self) -> Token | None:
        """The verb whose subject this one shares: of "went and bought", "loves swimming", "used to live"."""
        verb = self.verb
        shares = verb.dep_ in ("conj", "xcomp") and verb.head.tag_.startswith("VB")
        return verb.head if shares and not self._own_subjects else None

    @property
    def tense_tag(self) -> str:
        """Penn tag of the verb that carries the tense: of "loved taking lessons" that of "loved"."""
        return self.owner.tag_ if self.verb.tag_ == "VBG" and self.owner is not None else self.verb.tag_

    @cached_property
    def _own_subjects(self) -> list[Token]:
        return [child for child in self.verb.children if child.dep_ in ("nsubj", "nsubjpass")]

    @property
    def subjects(self) -> list[Token]:
        """The verb's subjects, its own or shared ones."""
        if self._own_subjects or self.owner is None:
            return self._own_subjects
        return Clause(self.owner).subjects

    @cached_property
    def helpers(self) -> frozenset[str]:
        """Helping verbs, adverbs and particles of the verb, also of one that it is joined to by "and"."""
        own = {child.lower_ for child in self.verb.children if child.dep_ in ("aux", "auxpass", "advmod", "neg", "mark")}
        if self.owner is not None and self.verb.dep_ == "conj":
            own |= Clause(self.owner).helpers
        return frozenset(own)

    @property
    def is_infinitive(self) -> bool:
        return any(child.tag_ == "TO" for child in self.verb.children)

    @property
    def used_to(self) -> bool:
        """Whether it is the "live" of "used to live"."""
        head = self.verb.head
        return self.verb.dep_ == "xcomp" and self.is_infinitive and head.lower_ == "used" and head.tag_ in ("VBD", "VBN")

    @property
    def is_denied(self) -> bool:
        return bool(self.helpers & _NOT)

    @property
    def is_over(self) -> bool:
        """Whether it is said to hold no longer: "no longer", "not ... anymore", "stopped working"."""
        text = [child.lower_ for child in self.verb.children if child.dep_ in ("advmod", "neg", "npadvmod")]
        if "longer" in text or "anymore" in text:
            return True
        head = self.verb.head
        return self.verb.dep_ == "xcomp" and self.verb.tag_ == "VBG" and lemma(head) in _STOPS

    @property
    def is_past_state(self) -> bool:
        return self.used_to or (self.verb.tag_ == "VBD" and self.lemma in _STATIVE)

    def certainty(self, is_question: bool) -> Confidence:
        """Confidence by the cues of the verb's own clause, and of a verb that reports it (R17)."""
        cues = {word.replace("’", "'") for word in self.helpers}
        verb = self.verb
        while verb.dep_ == "conj" and verb.head.tag_.startswith("VB"):
            verb = verb.head
        if verb.dep_ == "ccomp" and verb.head.tag_.startswith("VB"):
            cues |= {verb.head.lower_, lemma(verb.head)}
        return confidence(sorted(cues & set(BY_CUE)) + (["?"] if is_question else []))


def triples(
    sentence: Span, who: Speakers, entities: Mapping[int, Entity], registry: Relations, spoken: bool, fragments: bool = True
) -> Iterator[Triple]:
    """The triples of a sentence, in the order of its verbs.

    ``spoken``: whether a past tense without a subject is the speaker's ("Went to the gym"). ``fragments``:
    whether a sentence without a subject mentions its nouns.
    """
    reader = _Reader(who, entities, registry, sentence.text.rstrip().endswith("?"))
    verbs = [
        token for token in sentence if token.tag_.startswith("VB") and token.dep_ not in ("aux", "auxpass", "amod", "compound")
    ]
    for verb in verbs:
        clause = Clause(verb)
        who.asks = reader.is_question or verb.tag_ in ("VBD", "VBN")
        subjects = [node for token in clause.subjects for node in nodes(token, who, entities, registry)]
        if not clause.subjects and spoken and verb.dep_ == "ROOT" and verb.tag_ == "VBD":
            subjects = [Node(who.speaker, "person")]
        yield from reader.clause(clause, subjects)
    if fragments and not any(token.dep_ in _SUBJECTS for token in sentence) and not any(verb.tag_ == "VBD" for verb in verbs):
        yield from reader.mentions(sentence)


@dataclass(frozen=True)
class _Reader:
    who: Speakers
    entities: Mapping[int, Entity]
    registry: Relations
    is_question: bool

    def nodes(self, token: Token) -> list[Node]:
        return nodes(token, self.who, self.entities, self.registry)

    def mentions(self, sentence: Span) -> Iterator[Triple]:
        """The nouns of a sentence without a subject, as mentioned by its speaker (ours: short replies carry facts too).

        Of a turn that is one word which is tagged as no noun, the word.
        """
        speaker = Node(self.who.speaker, "person")
        certainty = confidence(["?"] if self.is_question else [])
        found = [node for chunk in sentence.noun_chunks for node in self.nodes(chunk.root)[:1]]
        if not found:
            words = [token.text for token in sentence.doc if token.is_alpha]
            found = [Node(word) for word in words] if len(words) == 1 and words[0].casefold() not in FUNCTION_WORDS else []
        for node in found:
            yield from self._asides(node, None, certainty)
            if node.text.casefold() not in self.who.short and not _COURTESY & set(node.text.casefold().split()):
                yield Triple(speaker, "mentions", node, None, certainty)

    def _asides(self, node: Node, verb: Token | None, certainty: Confidence) -> Iterator[Triple]:
        for head, relation, tail, type in node.asides:
            yield Triple(Node(head), relation, Node(tail, type), verb, certainty)

    def clause(self, clause: Clause, subjects: list[Node]) -> Iterator[Triple]:
        """The triples of one verb; none for bare infinitives, whose lead verb tells what they are ("want to go")."""
        verb, certainty = clause.verb, clause.certainty(self.is_question)
        told = Confidence(max(certainty.value, confidence(["?"] if self.is_question else []).value), certainty.cue)
        for node in (*subjects, *(one for token, _ in self.objects(clause) for one in self.nodes(token))):
            yield from self._asides(node, verb, told)
        if any(child.dep_ == "ccomp" for child in verb.children) and not any(child.dep_ == "dobj" for child in verb.children):
            return  # what is said, thought or heard has its own verb
        subjects = [node for node in subjects if node.text.casefold() not in _COURTESY]
        if not subjects or (clause.is_infinitive and not clause.used_to) or (clause.lemma == "use" and self._leads(clause)):
            return
        found = list(self._statements(clause))
        is_ahead = bool(clause.helpers & _FUTURE)
        for head in subjects:
            for relation, tail, preposition in found:
                if tail.text.casefold() != head.text.casefold():
                    yield from self._acts(Triple(head, relation, tail, verb, certainty, preposition), clause)
            if is_ahead and found and not clause.is_denied:
                lead = next((child for child in verb.children if child.dep_ == "xcomp" and clause.lemma in _AHEAD), verb)
                yield Triple(head, "plans", Node(self._action(lead)), verb, certainty)

    def _leads(self, clause: Clause) -> bool:
        return any(child.dep_ == "xcomp" for child in clause.verb.children)

    def _acts(self, one: Triple, clause: Clause) -> Iterator[Triple]:
        """The triple as it is asserted: denied and ended states retract, and verbs that end a relation close it (R3)."""
        past = clause.is_past_state and one.relation != "mentions"
        whole = (one.head, one.relation, one.tail, one.verb, one.confidence, one.preposition)
        if clause.is_over or (clause.is_denied and not is_event(one.relation, clause.tense_tag, self.registry)):
            yield Triple(*whole, "retraction")
        elif not clause.is_denied:
            for ended in self.registry.ended_by(clause.lemma, one.preposition):
                yield Triple(one.head, ended, one.tail, one.verb, one.confidence, "", "retraction")
            yield Triple(*whole, "assertion", past, bool(clause.helpers & _FUTURE))

    def objects(self, clause: Clause) -> list[tuple[Token, str]]:
        """What a verb takes: (token, preposition) of direct objects and prepositional ones; times are left out."""
        found: list[tuple[Token, str]] = []
        for child in clause.verb.children:
            if child.dep_ in ("dobj", "attr", "oprd") and not self._is_time(child):
                found.append((child, ""))
            elif child.dep_ == "dative":
                found += self._inside(child, child.lower_) if child.tag_ in ("IN", "TO") else [(child, "to")]
            elif child.dep_ in ("prep", "agent"):
                found += self._inside(child, child.lower_)
            elif child.dep_ in ("advmod", "acomp", "prt"):
                found += [
                    one
                    for inner in child.children
                    if inner.dep_ == "prep"
                    for one in self._inside(inner, f"{child.lower_} {inner.lower_}" if child.dep_ == "acomp" else inner.lower_)
                ]
        return found

    def _inside(self, preposition: Token, name: str) -> list[tuple[Token, str]]:
        if preposition.lower_ in _TIMES:
            return []
        found = []
        for child in preposition.children:
            if child.dep_ == "prep":  # out of, along with
                found += self._inside(child, f"{name} {child.lower_}")
            elif child.dep_ in ("pobj", "pcomp") and not self._is_time(child):
                found.append((child, name))
        return found

    def _is_time(self, token: Token) -> bool:
        entity = self.entities.get(token.i)
        return entity is not None and entity.label in ("DATE", "TIME")

    def _statements(self, clause: Clause) -> Iterator[tuple[str, Node, str]]:
        """(relation, tail, preposition) of all that a verb takes."""
        if clause.lemma == "be":
            yield from self._being(clause)
            return
        for token, preposition in self.objects(clause):
            relation, is_inside = self.registry.of_verb(clause.lemma, preposition)
            if preposition and not is_inside:
                relation = f"{VERB}{clause.lemma}"
            for node in self.nodes(token):
                yield relation, node, "" if is_inside else preposition
        for child in clause.verb.children:
            if child.dep_ == "acomp":
                yield "has_state", Node(child.lower_, "state"), ""
            if child.dep_ == "xcomp" and child.tag_.startswith("VB") and not (clause.lemma in _STOPS or Clause(child).used_to):
                relation = "plans" if clause.lemma in _AHEAD else self.registry.of_verb(clause.lemma)[0]
                yield relation, Node(self._action(child)), ""

    def _action(self, verb: Token) -> str:
        """A complement as a node: the gerund alone, or an infinitive with its object ("visit Rome")."""
        inner = Clause(verb)
        if verb.tag_ == "VBG":
            return verb.lower_
        taken = self.objects(inner)
        preposition = taken[0][1] if taken else ""
        words = [inner.lemma, preposition, phrase(taken[0][0]) if taken and taken[0][0].tag_[0] == "N" else ""]
        return " ".join(word for word in words if word)

    def _being(self, clause: Clause) -> Iterator[tuple[str, Node, str]]:
        """ "is a teacher", "is Ana", "is tired", "is from Rome": four relations in one verb (R14)."""
        for child in clause.verb.children:
            if child.dep_ == "attr" and child.tag_ != "PRP":
                for node in self.nodes(child):
                    is_name = child.tag_ in PROPER and not any(each.dep_ == "det" for each in child.children)
                    yield ("same_as" if is_name else "is_a"), node, ""
            elif child.dep_ == "acomp" and not any(each.dep_ == "prep" for each in child.children):
                yield "has_state", Node(child.lower_, "state"), ""
        for token, preposition in self.objects(clause):
            if not preposition:
                continue
            relation, is_inside = self.registry.of_verb("be", preposition)
            for node in self.nodes(token):
                if is_inside:
                    yield relation, node, ""
                elif node.type == "place" and preposition in _PLACED:
                    yield _PLACED[preposition], node, ""
                else:
                    yield f"{VERB}be", node, preposition


def is_event(relation: str, verb_tag: str, registry: Relations) -> bool:
    """Whether a triple tells what happened, not what holds: by the registry, else by the verb's past tense (R4)."""
    aspect = registry[relation].aspect
    return aspect == "event" if aspect else verb_tag in ("VBD", "VBN")
