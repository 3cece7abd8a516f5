"""Facts of notes by rules: offline, deterministic, one note at a time (5.2, 5.3; the check's R3, R4, R14, R16 to R18)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from workbench.extract.english import Entity, Parsed, parse, tense
from workbench.extract.readable import readable
from workbench.real.config import FactsConfig
from workbench.real.facts import Fact, Recorded, fact_id, to_row
from workbench.real.intents import intent_of
from workbench.real.phrases import Speakers
from workbench.real.relations import Relations
from workbench.real.sentences import Clause, Triple, is_event, triples
from workbench.real.when import Period, periods
from workbench.records import Note, Turn

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

MAX_QUOTE = 300
"""Characters of a sentence that are kept with its facts (ours)."""
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A turn that is read: where it stands, its prose, who speaks and to whom; ``topic`` is the title of a passage."""

    note: Note
    place: int
    text: str
    speaker: str
    other: str
    topic: str = ""

    @property
    def time(self) -> datetime | None:
        return self.note.interaction.time


def turns_read(notes: Sequence[Note], participants: Sequence[str], assistant_turns: bool, user_chars: int) -> Iterator[Spoken]:
    """The turns whose facts are read: the user's, in a dialogue of named people everybody's, the assistant's where asked for."""
    for note in notes:
        for place, turn in enumerate(note.interaction.turns):
            if turn.role == "assistant" and not (assistant_turns or turn.speaker in participants):
                continue
            topic = _title(turn)
            read = readable(turn.text[len(topic) :] if topic else turn.text, user_chars)
            if not read.is_english:
                continue
            others = [name for name in participants if name != turn.speaker]
            other = others[0] if turn.speaker in participants and len(others) == 1 else ""
            yield Spoken(note, place, read.text, turn.speaker or turn.role, other, topic)


def _title(turn: Turn) -> str:
    """The title of a passage, which is its first line and its reference; empty for what people say."""
    first, line, _ = turn.text.partition("\n")
    return first if line and first and turn.ref.startswith(first) else ""


def read_facts(
    notes: Sequence[Note], participants: Sequence[str], registry: Relations, config: FactsConfig
) -> dict[str, list[dict[str, Any]]]:
    """Rows of facts by note id (`facts.to_row`); a note's facts depend on nothing but itself and the participants."""
    turns = list(turns_read(notes, participants, config.assistant_turns, config.user_chars))
    short = short_names(participants)
    rows: dict[str, list[dict[str, Any]]] = {note.id: [] for note in notes}
    for turn, parsed in zip(turns, parse([turn.text for turn in turns]), strict=True):
        rows[turn.note.id] += [to_row(fact) for fact in turn_facts(turn, parsed, short, registry, config.fragments)]
    return rows


def short_names(participants: Sequence[str]) -> dict[str, str]:
    """Forms of the speakers' names: the beginnings, of three letters or more, that only one of them has.

    Examples
    --------
    >>> short_names(["Melanie", "Mela"])["melan"]
    'Melanie'
    """
    found: dict[str, str] = {}
    for name in participants:
        folded = name.casefold()
        for length in range(min(3, len(folded)), len(folded) + 1):
            start = folded[:length]
            if not any(other != name and other.casefold().startswith(start) for other in participants):
                found[start] = name
    return found


def turn_facts(
    turn: Spoken, parsed: Parsed, short: Mapping[str, str], registry: Relations, fragments: bool = True
) -> Iterator[Fact]:
    """The facts of one turn, in its order."""
    entities = {i: entity for entity in parsed.entities for i in range(entity.start, entity.end)}
    who = Speakers(turn.speaker, turn.other, short, turn.topic)
    ordinal = 0
    for sentence in parsed.doc.sents:
        stated = _Stated(sentence, turn.time)
        intent, intent_cue = intent_of(sentence.text)
        seen = set()
        for one in triples(sentence, who, entities, registry, not turn.topic, fragments):
            key = (one.head.text.casefold(), one.relation, one.tail.text.casefold(), one.act)
            if key in seen or (one.is_ahead and one.relation != "plans" and stated.of(one.verb)[0] is None):
                continue
            seen.add(key)
            order = turn.note.order
            recorded: Recorded = (order[0], order[1], order[2], turn.place, ordinal)
            yield _fact(one, turn, recorded, stated, registry, intent, intent_cue, sentence)
            ordinal += 1
        _remember_person(sentence, entities, who)


def _remember_person(sentence: Span, entities: Mapping[int, Entity], who: Speakers) -> None:
    """The person that "he" or "she" of a later sentence means: the last one named who does not speak."""
    for token in sentence:
        entity = entities.get(token.i)
        if entity is not None and entity.label == "PERSON" and entity.start == token.i:
            name = sentence.doc[entity.start : entity.end].text
            if name.casefold() not in who.short:
                who.person = name


class _Stated:
    """The periods that a sentence states, and which of its verbs each belongs to."""

    def __init__(self, sentence: Span, base: datetime | None) -> None:
        self.sentence, self.doc = sentence, sentence.doc
        self.periods = periods(sentence.text, base, lambda at: tense(self._token(at)))

    def _token(self, at: int) -> Token:
        offset = self.sentence.start_char + at
        span = self.doc.char_span(offset, offset + 1, alignment_mode="expand")
        assert span is not None  # "expand" finds a token for every character
        return span.root

    def of(self, verb: Token | None) -> tuple[Period | None, str]:
        """A verb's period and the word in front of it: its own, else the only one of the sentence."""
        if verb is None or not self.periods:
            return None, ""
        own = [one for one in self.periods if _verb_over(self._token(one.at[0])) == verb.i]
        chosen = own[0] if own else self.periods[0] if len(self.periods) == 1 else None
        if chosen is None:
            return None, ""
        before = self.sentence.text[: chosen.at[0]].split()
        return chosen, before[-1].casefold() if before else ""


def _verb_over(token: Token) -> int:
    while not token.tag_.startswith("VB") and token.head.i != token.i:
        token = token.head
    return token.i


def _fact(
    one: Triple,
    turn: Spoken,
    recorded: Recorded,
    stated: _Stated,
    registry: Relations,
    intent: Any,
    intent_cue: str,
    sentence: Span,
) -> Fact:
    period, before = stated.of(one.verb)
    event = is_event(one.relation, Clause(one.verb).tense_tag if one.verb is not None else "VBD", registry)
    start, end = _validity(one, period, before, turn.time, event)
    has_start = period is not None and before not in ("until", "till")
    return Fact(
        id=fact_id(turn.note.id, turn.place, recorded[4], (one.head.text, one.relation, one.tail.text), one.act),
        head=one.head.text,
        relation=one.relation,
        tail=one.tail.text,
        start=start,
        end=end,
        confidence=one.confidence.value,
        intent=intent,
        note=turn.note.id,
        turn=turn.place,
        recorded=recorded,
        aspect="event" if event else "state",
        act=one.act,
        precision=period.precision if period and has_start else "moment" if start else "unknown",
        is_stated=has_start,
        preposition=one.preposition,
        tail_type=_type(one, registry),
        cue=one.confidence.cue,
        intent_cue=intent_cue,
        quote=sentence.text.strip()[:MAX_QUOTE],
    )


def _type(one: Triple, registry: Relations) -> str:
    """What kind of thing the tail is: the relation knows better than the name tagger, except where it takes anything."""
    wanted = registry[one.relation].range
    return wanted if wanted and wanted != "thing" else one.tail.type or wanted


def _validity(
    one: Triple, period: Period | None, before: str, spoken: datetime | None, event: bool
) -> tuple[datetime | None, datetime | None]:
    """Start and end as stated, else as the time of speaking gives them (rules 5 and 6 of 5.2, R3, R4).

    A state that is over has no known start and ends when it is spoken of; an event ends with the day, month or year stated.
    """
    if one.act == "retraction":
        return (period.start if period else spoken), None
    if period and before in ("until", "till"):
        return None, period.end
    if one.is_past and not event:
        return (period.start, min(period.end, spoken or period.end)) if period and before != "since" else (None, spoken)
    if not event:
        return (period.start if period else spoken), None
    if period:
        return period.start, period.end
    if spoken is None:
        return None, None
    return spoken, datetime.combine(spoken.date(), datetime.min.time()) + _DAY
