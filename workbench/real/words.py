"""Words of facts and questions: index words through the one analyser, and those that carry no content."""

from __future__ import annotations

from functools import cache

from workbench.text import Analyser

_FUNCTION = """
a an the this that these those some any each every all both no not nor so than too very just also only own same such more most
and or but if then else while because as until of at by for with about against between into through during before after above
below to from up down in out on off over under again further once here there i me my mine myself we us our ours you your yours
he him his she her hers it its they them their theirs what which who whom whose when where why how am is are was were be been
being have has had having do does did doing done will would shall should can could may might must ought ever never still now s
t d ll m o re ve don didn doesn isn wasn aren weren hasn haven hadn won wouldn couldn shouldn yes please many much long often
kind kinds type types sort tell me according
"""
FUNCTION_WORDS = frozenset(_FUNCTION.split())
"""Words that say what is asked or how a sentence hangs together, not what it is about (ours)."""


@cache
def _words(piece: str) -> tuple[str, ...]:
    """Surface words of a piece without white space; pieces come again in thousands of facts."""
    return tuple(Analyser("simple").words(piece))


@cache
def stem(word: str) -> str:
    """The index word of a single word."""
    found = Analyser().words(word)
    return found[0] if found else word


def stems(text: str) -> tuple[str, ...]:
    """All index words of a text, in order."""
    return tuple(stem(word) for piece in text.split() for word in _words(piece))


def content_stems(text: str) -> tuple[str, ...]:
    """Index words of a text that are about something, each once, in order.

    Examples
    --------
    >>> content_stems("Where does Vera's cousin live now?")
    ('vera', 'cousin', 'live')
    """
    words = (word for piece in text.split() for word in _words(piece))
    return tuple(dict.fromkeys(stem(word) for word in words if word not in FUNCTION_WORDS))
