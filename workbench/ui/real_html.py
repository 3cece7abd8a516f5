"""A note with the facts that it states, as HTML: head, relation, tail and cues marked in the sentence, each by colour and letter.

The text of notes is untrusted: everything goes through `html.escape`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from workbench import colours
from workbench.colours import GOLD_MARK
from workbench.real.facts import Fact
from workbench.real.relations import Relations, relation_stems
from workbench.real.words import FUNCTION_WORDS, stem, stems
from workbench.records import Note, Question, Turn
from workbench.ui.note_view import is_evidence, themed, when
from workbench.words import visible

ROLES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "h": ("head", colours.KIND["tag"]),
    "r": ("relation", colours.KIND["topic"]),
    "t": ("tail", colours.KIND["ontology"]),
    "c": ("cue of the confidence", colours.SEED),
    "i": ("cue of the intent", colours.MUTED),
}
"""A letter for what words of a sentence are to a fact, in words, and its colour."""
_SPEAKER = frozenset(("i", "me", "my", "mine", "we", "us", "our", "myself", "i'm", "i've", "i'd", "i'll", "you", "your"))
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_MUTED = f"color:{themed(colours.MUTED)};font-size:0.8rem"


def roles_in(sentence: str, fact: Fact, registry: Relations) -> dict[tuple[int, int], str]:
    """What words of a sentence are to a fact: their places to letters of ROLES, by whichever comes first in t, r, h, c, i.

    Facts hold names and index words, not places: a word counts where it shares an index word, and "I" and "you" as the head.
    """
    of = {
        "t": _content(fact.tail),
        "r": relation_stems(fact.relation, fact.preposition) | _verbs(fact.relation, registry),
        "h": _content(fact.head),
    }
    found: dict[tuple[int, int], str] = {}
    for match in _WORD.finditer(sentence):
        word = match[0].casefold()
        index = set(stems(word)) or {stem(word)}
        role = next((role for role, words in of.items() if index & words), "")
        if not role and word in _SPEAKER:
            role = "h"
        if role:
            found[match.span()] = role
    for role, cue in (("c", fact.cue), ("i", fact.intent_cue)):
        for at in _places(sentence, cue):
            found.setdefault(at, role)
    return _apart(found)


def _content(text: str) -> frozenset[str]:
    words = [word for word in stems(text) if word not in FUNCTION_WORDS]
    return frozenset(words or stems(text))


def _verbs(relation: str, registry: Relations) -> frozenset[str]:
    known = registry[relation]
    said = [phrase.split()[0] for phrase in (*known.verbs, *known.ends)]
    return frozenset(stem(word) for word in (*said, *known.nouns) if word != "be")


def _places(text: str, cue: str) -> Iterator[tuple[int, int]]:
    if cue:
        for match in re.finditer(rf"(?<!\w){re.escape(cue)}(?!\w)", text, re.IGNORECASE):
            yield match.span()


def _apart(found: Mapping[tuple[int, int], str]) -> dict[tuple[int, int], str]:
    """The places from left to right, none inside another."""
    kept: dict[tuple[int, int], str] = {}
    end = 0
    for at in sorted(found):
        if at[0] >= end:
            kept[at], end = found[at], at[1]
    return kept


def marked_sentence(sentence: str, roles: Mapping[tuple[int, int], str]) -> str:
    """A sentence as HTML with its words marked."""
    pieces, end = [], 0
    for (start, stop), role in roles.items():
        words, colour = ROLES[role]
        style = f"background:none;color:{themed(colour)};font-weight:600;text-decoration:underline"
        pieces.append(escape(visible(sentence[end:start])))
        pieces.append(f"<mark style='{style}' title='{words}'>{escape(visible(sentence[start:stop]))}<sub>{role}</sub></mark>")
        end = stop
    return "".join([*pieces, escape(visible(sentence[end:]))])


def note_html(note: Note, facts: Sequence[Fact], registry: Relations, question: Question | None, is_gold: bool) -> str:
    """A note whose sentences have the words of ``facts`` marked; of several facts in one sentence the first has each word."""
    gold = f"<span style='color:{themed(colours.GOLD)};font-weight:600'>{GOLD_MARK} gold</span> · " if is_gold else ""
    rows = [f"<div style='{_MUTED}'>{gold}<bdi>{escape(visible(when(note)))}</bdi></div>"]
    for place, turn in enumerate(note.interaction.turns):
        stated = [fact for fact in facts if fact.turn == place]
        rows.append(_turn(turn, stated, registry, is_gold and is_evidence(turn, question)))
    return f"<div style='overflow-wrap:anywhere;line-height:1.6;font-size:0.92rem'>{''.join(rows)}</div>"


def legend_html() -> str:
    """What the letters mean."""
    said = [
        f"<span style='color:{themed(colour)};font-weight:600'>{letter}</span> {words}"
        for letter, (words, colour) in ROLES.items()
    ]
    return f"<div style='{_MUTED}'>{' · '.join(said)}</div>"


def _turn(turn: Turn, facts: Sequence[Fact], registry: Relations, evidence: bool) -> str:
    bar = themed(colours.GOLD) if evidence else "transparent"
    word = f" · <span style='color:{themed(colours.GOLD)};font-weight:600'>{GOLD_MARK} evidence</span>" if evidence else ""
    body = "".join(_pieces(turn.full_text, facts, registry))
    return (
        f"<div style='border-left:4px solid {bar};padding:2px 0 2px 10px;margin:4px 0'>"
        f"<div style='{_MUTED}'><bdi>{escape(visible(turn.speaker or turn.role))}</bdi>{word}</div>"
        f"<div dir='auto' style='unicode-bidi:isolate;white-space:pre-wrap'>{body}</div></div>"
    )


def _pieces(text: str, facts: Iterable[Fact], registry: Relations) -> Iterator[str]:
    """The text with the sentences of facts marked; a sentence that does not stand in it as it was read is left as it is."""
    places: dict[tuple[int, int], dict[tuple[int, int], str]] = {}
    for fact in facts:
        start = text.find(fact.quote) if fact.quote else -1
        if start >= 0:
            known = places.setdefault((start, start + len(fact.quote)), {})
            for at, role in roles_in(fact.quote, fact, registry).items():
                known.setdefault(at, role)
    end = 0
    for (start, stop), roles in sorted(places.items()):
        if start < end:
            continue
        yield escape(visible(text[end:start]))
        yield marked_sentence(text[start:stop], _apart(roles))
        end = stop
    yield escape(visible(text[end:]))
