"""Validity intervals as a view that is derived from assertions, which all stay as they were said (5.2).

A single-valued relation's versions close one another at the start of the next; values of others stand side by side. What is
below the stable confidence closes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from workbench.real.facts import UNDATED, Fact
from workbench.real.intents import Intent
from workbench.real.relations import Aspect, Relations, readable

Status = Literal["stable", "tentative", "superseded", "derived"]


@dataclass(frozen=True, eq=False)
class Edge:
    """A fact of the graph with its interval, made of one assertion or of several equal ones; or one that a rule derived.

    Attributes
    ----------
    head, relation, tail : str
        Case-folded nodes, and a relation's name.
    start, end : datetime or None
        Half-open; a start of None is unknown, an end of None is open.
    status : str
        ``superseded``: two values start at one moment and this one was said first, so that it has no length.
    facts : tuple of Fact
        The assertions behind it, in their order; those of the premises where it is derived.
    retraction : Fact or None
        What closed it, where that was said and is no newer version.
    rule, premises, arithmetic
        Of a derived edge: the rule's name, the edges it follows from, and how its confidence comes about.
    """

    head: str
    relation: str
    tail: str
    start: datetime | None
    end: datetime | None
    confidence: float
    intent: Intent
    aspect: Aspect
    status: Status
    facts: tuple[Fact, ...]
    retraction: Fact | None = None
    rule: str = ""
    premises: tuple[Edge, ...] = ()
    arithmetic: str = ""

    @property
    def id(self) -> str:
        """The first assertion's id; of a derived edge also rule and triple."""
        own = self.facts[0].id
        return f"{own}:{self.rule}:{self.relation}:{self.tail}" if self.rule else own

    @property
    def refs(self) -> tuple[tuple[str, int], ...]:
        """The turns that say it, or that it is over: (note id, position of the turn), each once."""
        said = (*self.facts, *(edge.retraction for edge in (self, *self.premises) if edge.retraction))
        return tuple(dict.fromkeys((fact.note, fact.turn) for fact in said))

    @property
    def names(self) -> tuple[str, str]:
        """Head and tail as they were said."""
        said = {name.casefold(): name for fact in reversed(self.facts) for name in (fact.head, fact.tail)}
        return said[self.head], said[self.tail]

    @property
    def preposition(self) -> str:
        return self.facts[0].preposition

    @property
    def tail_type(self) -> str:
        return self.facts[0].tail_type

    @property
    def is_stated(self) -> bool:
        """Whether a date was said for it."""
        return any(fact.is_stated for fact in self.facts)

    @property
    def text(self) -> str:
        """Head, relation and tail as words: what is compared with a question."""
        if self.rule in ("symmetry", "inverse", "inverse reading"):  # the same words as its premise
            return self.premises[0].text
        head, tail = self.names
        return f"{head} {readable(self.relation, self.preposition)} {tail}"


@dataclass(frozen=True, slots=True)
class _Span:
    fact: Fact
    start: datetime
    end: datetime | None
    facts: tuple[Fact, ...] = ()
    retraction: Fact | None = None

    @property
    def has_length(self) -> bool:
        return self.end is None or self.end > self.start


def timeline(facts: Iterable[Fact], registry: Relations, stable: float, known_at: datetime | None = None) -> list[Edge]:
    """The edges of the graph, by head, relation and start.

    Parameters
    ----------
    facts : iterable of Fact
        In any order: the result is the same.
    registry : Relations
    stable : float
        Confidence from which an assertion takes part, in [0, 1]; the others give ``tentative`` edges.
    known_at : datetime, optional
        Only what had been said by then (the other time of the bitemporal model).
    """
    groups: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in facts:
        if known_at is None or fact.recorded[0] <= known_at:
            groups[fact.triple[:2]].append(fact)
    found: list[Edge] = []
    for (_, relation), group in sorted(groups.items()):
        found += group_edges(group, registry[relation].is_single, stable)
    return found


def group_edges(group: Iterable[Fact], is_single: bool, stable: float) -> list[Edge]:
    """The edges of the assertions of one head and relation, by start."""
    ordered = sorted(group, key=lambda fact: fact.key)
    sure = [fact for fact in ordered if fact.act == "assertion" and fact.confidence >= stable]
    unsure = [fact for fact in ordered if fact.act == "assertion" and fact.confidence < stable]
    retractions = [fact for fact in ordered if fact.act == "retraction" and fact.confidence >= stable]
    spans = _versions(sure) if is_single else [_as_stated(fact) for fact in sure]
    spans = [_retracted(span, retractions) for span in spans]
    kept = [span for span in spans if span.has_length]
    lost = [span for span in spans if not span.has_length]
    joined = _joined_in_turn(kept) if is_single else _joined_by_tail(kept)
    edges = [_edge(span, "stable") for span in joined]
    edges += [_edge(span, "superseded") for span in lost]
    edges += [_edge(span, "tentative") for span in _joined_by_tail([_as_stated(fact) for fact in unsure])]
    return sorted(edges, key=lambda edge: edge.facts[0].key)


def _as_stated(fact: Fact) -> _Span:
    start = fact.start or UNDATED
    return _Span(fact, start, None if fact.end is None else max(fact.end, start), (fact,))


def _versions(facts: Sequence[Fact]) -> list[_Span]:
    """Each version ends at its stated end or where the next one with another tail starts, whichever is first (rule 3).

    Versions without a known start follow one another in the order of their ends, all before the first known start.
    """
    unknown = sorted((fact for fact in facts if fact.start is None), key=lambda fact: (fact.end or datetime.max, fact.recorded))
    known = [_as_stated(fact) for fact in facts if fact.start is not None]
    first = known[0].start if known else datetime.max
    spans, floor = [], UNDATED
    for fact in unknown:
        spans.append(_Span(fact, min(floor, first), fact.end, (fact,)))
        floor = max(floor, fact.end or floor)
    spans += known
    closed, next_start, next_tail = [], None, ""
    later: datetime | None = None  # the start of the nearest version behind that has another tail
    for span in reversed(spans):
        tail = span.fact.triple[2]
        if next_start is not None and tail != next_tail:
            later = next_start
        end = span.end if later is None else later if span.end is None else min(span.end, later)
        closed.append(replace(span, end=None if end is None else max(end, span.start)))
        next_start, next_tail = span.start, tail
    return closed[::-1]


def _retracted(span: _Span, retractions: Sequence[Fact]) -> _Span:
    """The span closed at the first retraction behind its start (rule 5)."""
    for each in retractions:
        at = each.start or UNDATED
        if each.triple == span.fact.triple and (span.start, span.fact.recorded) < (at, each.recorded):
            is_over = span.end is not None and span.end <= at
            return span if is_over else replace(span, end=max(at, span.start), retraction=each)
    return span


def _join(one: _Span, other: _Span) -> _Span:
    end = None if one.end is None or other.end is None else max(one.end, other.end)
    retraction = other.retraction if end == other.end else one.retraction
    return replace(one, end=end, facts=(*one.facts, *other.facts), retraction=retraction)


def _joined_in_turn(spans: Sequence[_Span]) -> list[_Span]:
    """Neighbours with one tail that touch or overlap, as one."""
    found: list[_Span] = []
    for span in spans:
        last = found[-1] if found else None
        if last is not None and last.fact.triple == span.fact.triple and (last.end is None or span.start <= last.end):
            found[-1] = _join(last, span)
        else:
            found.append(span)
    return found


def _joined_by_tail(spans: Iterable[_Span]) -> list[_Span]:
    by_tail: dict[str, list[_Span]] = defaultdict(list)
    for span in spans:
        by_tail[span.fact.triple[2]].append(span)
    return [span for each in by_tail.values() for span in _joined_in_turn(each)]


def _edge(span: _Span, status: Status) -> Edge:
    facts = tuple(sorted(span.facts, key=lambda fact: fact.key))
    first = facts[0]
    head, relation, tail = first.triple
    start = span.start if span.start != UNDATED else None
    confidence = max(fact.confidence for fact in facts)
    return Edge(head, relation, tail, start, span.end, confidence, first.intent, first.aspect, status, facts, span.retraction)
