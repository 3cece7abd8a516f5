"""When and why: the dates of a text, and what stands in its clauses of reason and purpose."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

from workbench.extract.clues import Findings, Marked
from workbench.extract.dates import Found, Tense, calendar_date, relative_dates
from workbench.extract.english import DATE_LABELS, tense
from workbench.extract.nouns import WHO_DOMAINS, action

if TYPE_CHECKING:
    from spacy.tokens import Token


def read_when(text: Marked, base: date | None) -> list[str]:
    """Date and time tags in the order of the text; ``base`` is the day of speaking, if it is known."""
    return [found.path for found in find_when(text, base) if found.path]


def find_when(text: Marked, base: date | None, tense: Callable[[Token], Tense] = tense) -> list[Found]:
    """The same with the characters that say them; ``tense`` tells whether what is said at a token lies behind or ahead."""

    def tense_at(at: int) -> Tense:
        span = text.doc.char_span(at, at + 1, alignment_mode="expand")
        assert span is not None  # "expand" finds a token for every character
        return tense(span.root)

    found: list[Found] = []
    for entity in text.entities:
        span = text.doc[entity.start : entity.end]
        path = calendar_date(span.text, base, tense(span.root)) if entity.label in DATE_LABELS else None
        if path:
            found.append(Found(span.start_char, span.end_char, path))
    named = list(found)
    for hit in relative_dates(text.doc.text, base, tense_at):
        if hit.path and not any(hit.start < each.end and each.start < hit.end for each in named):
            found.append(hit)
    return sorted(found, key=lambda each: (each.start, each.path))


def read_why(text: Marked, found: Findings) -> list[str]:
    """Topics and nouns of each clause of reason or purpose, in the order of the text; its verb where it has none."""
    paths: list[str] = []
    for token in text.doc:
        clause = _reason(token)
        if clause is None:
            continue
        start, end = clause.left_edge.i, clause.right_edge.i + 1
        inside = [(m.start, m.path) for m in text.mentions if start <= m.start < end and m.domain not in WHO_DOMAINS]
        inside += [(at, path) for at, path in found.chunks if start <= at < end]
        verb = action(text, clause) if not inside and clause.tag_.startswith("VB") else None
        paths += [path for _, path in sorted(inside)] if inside else [verb] if verb else []
    return list(dict.fromkeys(paths))


def _reason(token: Token) -> Token | None:
    """The head of the clause that a token opens as a reason or purpose: because, so that, (in order) to."""
    lower = token.lower_
    if lower == "because":
        return token if token.dep_ == "prep" else token.head if token.dep_ == "mark" else None
    if token.dep_ == "mark" and lower == "that" and token.i and token.nbor(-1).lower_ == "so":
        return token.head
    if token.tag_ == "TO" and token.dep_ == "aux" and token.head.dep_ == "advcl":
        return token.head
    return None
