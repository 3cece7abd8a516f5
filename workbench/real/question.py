"""What a question asks: clauses with intents, root entities, expected kind of answer, slots and time (5.4, R5, R10)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from workbench.extract.dates import Tense
from workbench.real.graph import FactGraph
from workbench.real.intents import Intent, clauses, intent_of
from workbench.real.reading import short_names
from workbench.real.relations import Relations
from workbench.real.when import Period, periods
from workbench.real.words import FUNCTION_WORDS, content_stems, stem, stems
from workbench.text import Analyser

MATCH = 0.8
"""Share of a node's words that a question must hold for the node to be a root (5.6)."""
_FUTURE = re.compile(r"\b(?:will|going to|next|tomorrow|plan|plans|upcoming)\b", re.IGNORECASE)
_ME = frozenset(("i", "me", "my", "mine", "myself", "we", "our", "us"))
_EXPECTED: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), types)
    for pattern, types in (
        (r"when|what (?:date|day|time|month|year)|which (?:date|day|month|year)|how long ago", ("date",)),
        (r"how (?:many|much|old|often|long)", ("number",)),
        (r"who|whom|whose", ("person",)),
        (r"where|wherever|(?:what|which) (?:city|country|place|town|state)", ("place", "organization")),
    )
)
SlotKind = Literal["root", "word", "time"]


@dataclass(frozen=True, slots=True)
class Root:
    """A node that the question names, with the intent of the clause that does (decoupling) and the words that triggered it."""

    node: str
    intent: Intent
    cue: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """Something that a path should hold: a root, a word (by itself or by the relations it stands for), the stated time."""

    kind: SlotKind
    name: str
    relations: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Asked:
    """A question as the search sees it.

    Attributes
    ----------
    expected : tuple of str
        Kinds of thing that answer it; empty where it does not say.
    time : datetime or None
        The moment of asking, else the end of the last session (R5); None where no session has a date.
    period : Period or None
        A stated period, which facts must overlap.
    """

    text: str
    roots: tuple[Root, ...]
    intent: Intent
    cue: str
    expected: tuple[str, ...]
    slots: tuple[Slot, ...]
    time: datetime | None
    period: Period | None


def read_question(
    text: str, graph: FactGraph, registry: Relations, last: datetime | None, at_time: datetime | None, intents: bool
) -> Asked:
    """Read a question against a graph.

    Parameters
    ----------
    last : datetime or None
        End of the last session; what "last month" counts from where there is no ``at_time``.
    intents : bool
        Off: every clause is FACT.
    """
    now = at_time or last
    is_ahead = bool(_FUTURE.search(text))

    def tense_at(at: int) -> Tense:
        return "future" if is_ahead else "past"

    stated = periods(text, now, tense_at)
    period = stated[0] if stated else None
    quiet = {stem(word) for one in stated for word in Analyser("simple").words(text[one.at[0] : one.at[1]])}
    nothing: tuple[Intent, str] = ("FACT", "")
    read = [(clause, *(intent_of(clause) if intents else nothing)) for clause in clauses(text)]
    nodes = _named(text, graph)
    roots = []
    for node, words in nodes.items():
        clause = next((each for each in read if set(words) & set(stems(each[0]))), read[0])
        roots.append(Root(node, clause[1], clause[2], words))
    intent, cue = next(((each[1], each[2]) for each in read if each[1] != "FACT"), nothing)
    quiet |= {stem(word) for _, _, said in read for word in stems(said)}
    used = {word for words in nodes.values() for word in words}
    slots = [Slot("root", node) for node in nodes]
    slots += [
        Slot("word", word, registry.by_word.get(word, frozenset()))
        for word in content_stems(text)
        if word not in used and word not in quiet
    ]
    if period is not None:
        slots.append(Slot("time", text[period.at[0] : period.at[1]]))
    expected = next((types for pattern, types in _EXPECTED if pattern.search(text)), ())
    return Asked(text, tuple(roots), intent, cue, expected, tuple(slots), now, period)


def _named(text: str, graph: FactGraph) -> dict[str, tuple[str, ...]]:
    """The nodes that a question names, with the words that do; of nodes within one another the widest."""
    surface = Analyser("simple").words(text)
    found: dict[str, tuple[str, ...]] = dict(_people(surface, graph))
    asked = {stem(word) for word in surface if word not in FUNCTION_WORDS}
    candidates = {node for word in asked for node in graph.nodes_of_stem.get(word, ())}
    for node in candidates:
        words = graph.node_stems[node]
        if node not in found and len(words & asked) >= MATCH * len(words):
            found[node] = tuple(sorted(words & asked))
    widest = {node: words for node, words in found.items() if not any(set(words) < set(other) for other in found.values())}
    place = {stem(word): at for at, word in reversed(list(enumerate(surface)))}
    return dict(sorted(widest.items(), key=lambda item: (min((place.get(word, 0) for word in item[1]), default=0), item[0])))


def _people(surface: list[str], graph: FactGraph) -> dict[str, tuple[str, ...]]:
    """Participants by any form of their names; the user, where nobody has a name, by "I"."""
    short: Mapping[str, str] = short_names(graph.participants)
    found = {short[word].casefold(): (stem(word),) for word in surface if word in short}
    if not graph.participants and "user" in graph.nodes and _ME & set(surface):
        found["user"] = (stem(next(word for word in surface if word in _ME)),)
    return {node: words for node, words in found.items() if node in graph.nodes}
