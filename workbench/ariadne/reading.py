"""Entries by rules: what spaCy, our lexicon and the date rules read of one utterance (offline stand-in for the paper's model)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.entries import NEGATED, VALUE_KINDS, spoken_date
from workbench.extract.circumstances import find_when
from workbench.extract.clues import Findings, Marked
from workbench.extract.dates import MONTHS, Found, Tense
from workbench.extract.english import lemma, parse, tense
from workbench.extract.lexicon import Lexicon
from workbench.extract.names import read_names
from workbench.extract.readable import Readable, readable
from workbench.records import Note, Turn
from workbench.states import Rows
from workbench.text import Analyser

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

NEGATIONS = frozenset(("not", "n't", "n’t", "no", "never", "nobody", "nothing", "none", "neither", "nor", "cannot", "without"))
_TELLING = """two three four five six eight nine ten eleven twelve fifteen twenty forty fifty sixty
move show call part side front bottom top name amount empty full serious"""
"""Stop words of spaCy's that say something (ours)."""
_TITLES = frozenset(("mr", "mrs", "ms", "miss", "dr", "prof"))
_APPOINTING = frozenset(("move", "postpone", "reschedule", "push", "shift", "delay", "bring", "defer", "put", "change"))
_FIRST_PERSON = frozenset(("i", "we"))
_NOUNS = frozenset(("NN", "NNS"))
_SUBJECTS = frozenset(("nsubj", "nsubjpass"))
_LEFT_OF_CONTRACTIONS = "s t d m ll re ve ain aren couldn didn doesn don hadn hasn haven isn shouldn wasn weren wouldn"
_INVERTED = frozenset(("do", "does", "did", "is", "are", "was", "were", "can", "could", "will", "would", "have", "has", "should"))
_ASKING = frozenset(("WP", "WRB", "WDT", "WP$"))


@cache
def common_words() -> frozenset[str]:
    """Index words that are no keywords: spaCy's English stop words but for numbers and negations, and what contractions leave."""
    from spacy.lang.en.stop_words import STOP_WORDS

    kept = NEGATIONS | frozenset(_TELLING.split())
    return frozenset(Analyser().words(" ".join([*sorted(STOP_WORDS - kept), _LEFT_OF_CONTRACTIONS])))


def is_read(turn: Turn, participants: Sequence[str], config: AriadneConfig) -> bool:
    """Whether a turn gives entries: the user's do, an assistant's on request, in a talk of two people both."""
    is_own = turn.role == "user" or config.assistant_turns or (bool(turn.speaker) and turn.speaker in participants)
    return is_own and any(map(str.isalnum, turn.full_text))


def read_notes(notes: Sequence[Note], participants: Sequence[str], config: AriadneConfig) -> dict[str, Rows]:
    """Rows of entries by note id, one a turn that is read, in order; parsed in one go."""
    speakers = frozenset(word for name in participants for word in Analyser().surface(name))
    places = [
        (note, at) for note in notes for at, turn in enumerate(note.interaction.turns) if is_read(turn, participants, config)
    ]
    turns = [note.interaction.turns[at] for note, at in places]
    reads = [readable(turn.text, config.user_chars) for turn in turns]
    rows: dict[str, Rows] = {note.id: [] for note in notes}
    for (note, at), turn, read, parsed in zip(places, turns, reads, parse([read.text for read in reads]), strict=True):
        text = Marked(parsed, Lexicon.load(), (), speakers)
        rows[note.id].append(
            {"refs": [turn.ref or f"{note.id}:{at + 1}"]} | _row(turn, read, text, note.interaction.time, config.user_chars)
        )
    return rows


def _row(turn: Turn, read: Readable, text: Marked, time: datetime | None, limit: int) -> dict[str, Any]:
    dates = find_when(text, time.date() if time else None, _tense) if read.is_english else []
    names = _names(text) if read.is_english else {"persons": [], "names": [], "places": []}
    values = _values(text.doc, dates, [name for kind in names.values() for name in kind])
    said = read.text if read.is_english and read.text.strip() else turn.text[:limit]
    speaker = " ".join(Analyser().surface(turn.speaker))
    restated = restatement(turn, _resolved(said, dates) if said == read.text else said, time)
    return {
        "speaker": turn.speaker,
        "text": said or turn.full_text[:limit],
        "restatement": restated,
        "words": Analyser().counts(restated),
        "keywords": sorted(_keywords(said, text.doc, dates, values)),
        "persons": sorted({*names["persons"], *([speaker.replace(" ", "_")] if speaker else [])}),
        "entities": sorted({*names["names"], *names["places"], *_heads(text, dates)}),
        "values": values,
        "location": names["places"][0] if names["places"] else None,
        "subject": _subject(text.doc, speaker),
        "is_question": is_question(text.doc),
    }


def restatement(turn: Turn, said: str, time: datetime | None) -> str:
    """``Name on date: text``; a picture's caption is part of it."""
    on = f" on {time.day} {time:%B %Y}" if time else ""
    caption = f"\n[image: {turn.caption}]" if turn.caption else ""
    return f"{turn.speaker or turn.role.capitalize()}{on}: {said}{caption}"


def _resolved(text: str, dates: Iterable[Found]) -> str:
    """The text with each relative date followed by the day, month or year that it means."""
    for found in sorted(dates, key=lambda each: -each.start):
        if found.path and found.path.startswith("date/") and any(map(str.isdigit, found.path)):
            said, meant = text[found.start : found.end], spoken_date(found.path)
            if not set(meant.casefold().split()) <= set(said.casefold().split()):
                text = f"{text[: found.end]} ({meant}){text[found.end :]}"
    return text


def _tense(token: Token) -> Tense:
    """As `tense`, but what is moved to a day will be on that day."""
    above = token.head
    if above.lower_ in ("to", "until") and above.tag_ in ("IN", "TO") and lemma(above.head) in _APPOINTING:
        return "future"
    return tense(token)


def _names(text: Marked) -> dict[str, list[str]]:
    """Names by what they are of, without speakers'; sums and measures are no names."""
    found = Findings()
    read_names(text, found)
    clues = {"persons": found.who, "names": found.names, "places": found.where}
    return {kind: [_untitled(path.rpartition("/")[2]) for path in each.ordered()] for kind, each in clues.items()}


def _untitled(name: str) -> str:
    """A name without "Mr" and the like, which one sentence gives and another leaves out."""
    title, _, rest = name.partition("_")
    return rest if title in _TITLES and rest else name


def _values(doc: Doc, dates: Sequence[Found], names: Sequence[str]) -> dict[str, list[str]]:
    """What is stated, by kind of VALUE_KINDS."""
    values: dict[str, set[str]] = {kind: set() for kind in VALUE_KINDS}
    for found in dates:
        assert found.path  # find_when gives no others
        values["time" if found.path.startswith("time/") else "date"].add(found.path)
    for token in doc:
        is_dated = any(found.start <= token.idx < found.end for found in dates)
        if token.like_num and not is_dated and token.lower_ != "one":  # "that one" counts nothing
            values["number"].add(token.lower_)
        if token.lower_ in NEGATIONS:
            values["negation"].add(NEGATED)
    values["name"].update(names)
    return {kind: sorted(each) for kind, each in values.items()}


def _keywords(said: str, doc: Doc, dates: Sequence[Found], values: dict[str, list[str]]) -> set[str]:
    common = common_words()
    words = {word for word in Analyser().words(said) if word not in common}
    # May is a common word, but not in a date; a name may be one ("Will").
    months = {word for found in dates for word in doc.text[found.start : found.end].casefold().split() if word in MONTHS}
    always = " ".join([*months, *values["name"], *values["negation"]])
    return words | set(Analyser().words(always.replace("_", " ")))


def _heads(text: Marked, dates: Sequence[Found]) -> list[str]:
    """Heads of the noun phrases that say something, as lemmas."""
    return [
        lemma(chunk.root)
        for chunk in text.doc.noun_chunks
        if chunk.root.tag_ in _NOUNS
        and not text.is_name[chunk.root.i]
        and len(chunk.root.text) > 1
        and chunk.root.text.isalpha()
        and not text.is_light(chunk.root)
        and not any(found.start <= chunk.root.idx < found.end for found in dates)
    ]


def _subject(doc: Doc, speaker: str) -> str | None:
    """What the first main clause is about: a noun's lemma, a name, or the one who speaks; None for another pronoun."""
    token = next((token for token in doc if token.dep_ in _SUBJECTS and token.head.dep_ == "ROOT"), None)
    if token is None:
        return None
    if token.lower_ in _FIRST_PERSON:
        return f"speaker/{speaker}"
    if token.tag_ in _NOUNS:
        return lemma(token)
    return token.lower_ if token.tag_ in ("NNP", "NNPS") else None


def is_question(doc: Doc) -> bool:
    """Whether an utterance asks more than it tells: it ends with a question mark, or it is one clause that begins like one."""
    words = [token for token in doc if not token.is_space]
    if not words:
        return False
    if words[-1].text.startswith("?"):
        return True
    return not any(token.text == "." for token in words) and _begins_like_a_question(words)


def _begins_like_a_question(words: Sequence[Token]) -> bool:
    if words[0].tag_ in _ASKING:
        return "ROOT" in (words[0].dep_, words[0].head.dep_)
    return words[0].lower_ in _INVERTED and len(words) > 1 and words[1].tag_ in ("PRP", "EX")
