"""Several methods' rankings of one query, side by side: what the page Compare draws, without any drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10

from workbench.evaluate.judging import is_by_session
from workbench.evaluate.ranks import sessions_of
from workbench.evaluate.relevance import Relevance, relevance
from workbench.memory import Memory
from workbench.methods.base import FilterConfig
from workbench.records import Hit, Note, Part, Question, Ranking, Why
from workbench.terms import query_words
from workbench.text import Analyser

SHOWN = 10
DEPTH = 5


@dataclass(frozen=True)
class Row:
    """A hit with what the page shows of it.

    ``tie`` are the first and the last rank of its block of equal scores. ``move`` is how many ranks higher (positive) or lower
    its block begins than in the first column; 0 where the two blocks overlap, so that ties leave open whether it moved at all;
    None where the first column does not rank it.
    """

    hit: Hit
    note: Note
    tie: tuple[int, int]
    move: int | None
    is_gold: bool

    @property
    def is_tied(self) -> bool:
        return self.tie[0] < self.tie[1]


@dataclass(frozen=True)
class Column:
    """One method's answer.

    ``first_gold`` is the range of ranks that ties leave open for the first gold note, None where no gold note is ranked.
    ``is_hit`` tells whether gold is among the first five, in the unit the question is judged by (``unit``); None without gold.
    ``ms`` is the query's time without building an index, None for an imported run.
    """

    method: str
    ranking: Ranking
    rows: tuple[Row, ...]
    first_gold: tuple[int, int] | None
    is_hit: bool | None
    unit: str
    ms: float | None


def gold_of(question: Question | None, memory: Memory) -> Relevance | None:
    """What answers the question in this memory; None without a question or gold."""
    found = relevance(question, memory.notes) if question is not None else None
    return None if found is None or found.level == "none" else found


def compare(
    rankings: Mapping[str, tuple[Ranking, float | None]], memory: Memory, question: Question | None, shown: int = SHOWN
) -> tuple[Column, ...]:
    """The columns of several rankings.

    Parameters
    ----------
    rankings : mapping
        Method to its whole ranking and the query's milliseconds, in the order of the columns.
    memory : Memory
        Holds the ranked notes.
    question : Question, optional
        Whose gold is marked.
    shown : int
        Hits of each column.
    """
    gold = gold_of(question, memory)
    first = next(iter(rankings.values()), None)
    base: dict[str, tuple[int, int]] = {}
    if first:
        base_ties = tie_ranges(first[0].hits)
        base = {hit.note_id: base_ties[hit.block] for hit in first[0].hits}
    columns = []
    for method, (ranking, ms) in rankings.items():
        ties = tie_ranges(ranking.hits)
        rows = tuple(
            Row(
                hit,
                memory[hit.note_id],
                ties[hit.block],
                move(base[hit.note_id], ties[hit.block]) if hit.note_id in base else None,
                gold is not None and hit.note_id in gold.notes,
            )
            for hit in ranking.hits[:shown]
        )
        columns.append(Column(method, ranking, rows, *_judged(ranking, gold, question, ties), ms))
    return tuple(columns)


def first_to_find(columns: Sequence[Column]) -> str:
    """Which methods rank gold highest, in words; empty where no gold is known. Ties count at the best rank they leave open."""
    if all(column.is_hit is None for column in columns):
        return ""
    found = {column.method: column.first_gold for column in columns if column.first_gold is not None}
    if not found:
        return "no method ranks a gold note"
    best = min(low for low, _ in found.values())
    names = [name + ("" if high == low else " (tied)") for name, (low, high) in found.items() if low == best]
    missing = [column.method for column in columns if column.method not in found]
    return f"first to find gold: {', '.join(names)} at rank {best}" + (f"; not found by {', '.join(missing)}" if missing else "")


def move(before: tuple[int, int], now: tuple[int, int]) -> int:
    """How many ranks higher (positive) or lower a tie range begins than another one; 0 where the two overlap.

    Examples
    --------
    >>> move((3, 3), (1, 1)), move((2, 6), (4, 4)), move((1, 2), (3, 5))
    (2, 0, -2)
    """
    return 0 if before[0] <= now[1] and now[0] <= before[1] else before[0] - now[0]


def tie_ranges(hits: Sequence[Hit]) -> dict[int, tuple[int, int]]:
    """The first and last rank of every block of equal scores."""
    ranges: dict[int, tuple[int, int]] = {}
    for hit in hits:
        ranges[hit.block] = (ranges.get(hit.block, (hit.rank, 0))[0], hit.rank)
    return ranges


def _judged(
    ranking: Ranking, gold: Relevance | None, question: Question | None, ties: Mapping[int, tuple[int, int]]
) -> tuple[tuple[int, int] | None, bool | None, str]:
    if gold is None or question is None:
        return None, None, "notes"
    block = next((hit.block for hit in ranking.hits if hit.note_id in gold.notes), None)
    first_gold = None
    if block is not None:
        low, high = ties[block]
        golden = sum(hit.block == block and hit.note_id in gold.notes for hit in ranking.hits)
        first_gold = (low, high - golden + 1)
    if is_by_session(question):
        return first_gold, not gold.sessions.isdisjoint(sessions_of(ranking.hits)[:DEPTH]), "sessions"
    return first_gold, any(hit.note_id in gold.notes for hit in ranking.hits[:DEPTH]), "notes"


# --- words for people -------------------------------------------------------------------------------------------------------


def spoken(query: str) -> dict[str, str]:
    """The query's words by their index words, so that people read "any" where the index says "ani"."""
    analyser = Analyser()
    words: dict[str, str] = {}
    for surface in analyser.surface(query):
        for word in analyser.words(surface):
            words.setdefault(word, surface)
    return words


DROPPED = "dropped as common: "


def spoken_remark(remark: str, said: Mapping[str, str]) -> str:
    """A ranking's remark with the words that the filter dropped as the query has them; ``said`` as `spoken` gives it."""
    if not remark.startswith(DROPPED):
        return remark
    return DROPPED + ", ".join(said.get(word, word) for word in remark.removeprefix(DROPPED).split(", "))


def score_texts(scores: Sequence[float]) -> list[str]:
    """Scores of one column in one format: decimals enough for four digits of the largest and two of the smallest, at most six.

    Examples
    --------
    >>> score_texts([0.01196, 8.534e-05]), score_texts([15.409, 3.2]), score_texts([1200.0, 0.0])
    (['0.011960', '0.000085'], ['15.41', '3.20'], ['1200', '0'])
    """
    sizes = [abs(score) for score in scores if score]
    if not sizes:
        return ["0" for _ in scores]
    wanted = max(3 - floor(log10(max(sizes))), 1 - floor(log10(min(sizes))))
    return [f"{score:.{min(max(wanted, 0), 6)}f}" for score in scores]


def part_label(part: Part, note_id: str, said: Mapping[str, str]) -> str:
    """What an addend of a score is called on the page; ``said`` as `spoken` gives it."""
    if part.kind == "seed":
        kind, _, name = part.name.partition(":")
        if kind == "file":
            return "own text" if name == note_id else f"text of {name}"
        return f"{kind} {name}"
    name = said.get(part.name, part.name)
    return name if part.kind == "term" else f"{part.kind} {name}"


def why_line(why: Why, note_id: str, said: Mapping[str, str], parts: int = 4) -> str:
    """A score's largest addends by name, in one line; the amounts are a click away."""
    if not why.parts:
        return why.remarks[0] if why.remarks else "no parts given"
    largest = sorted(why.parts, key=lambda part: -abs(part.value))
    named = list(dict.fromkeys(_short(part, note_id, said) for part in largest))
    more = len(named) - parts
    return ", ".join(named[:parts]) + (f" +{more}" if more > 0 else "")


def _short(part: Part, note_id: str, said: Mapping[str, str]) -> str:
    if part.kind != "seed":
        return said.get(part.name, part.name)
    kind, _, name = part.name.partition(":")
    if kind == "file":
        return "own text" if name == note_id else "other notes"
    return name.rpartition("/")[2].replace("_", " ")


def rank_text(first: tuple[int, int] | None, candidates: int) -> str:
    """A rank with its tie range and of how many candidates."""
    if first is None:
        return f"not among {candidates}"
    low, high = first
    return f"{low if low == high else f'{low}-{high} (tied)'} of {candidates}"


def matched_words(text: str, memory: Memory) -> frozenset[str]:
    """The query's index words that are worth underlining: those the 15% filter keeps, or all where it keeps none."""
    if not len(memory):
        return frozenset()
    config = FilterConfig()
    found = query_words(text, memory, Analyser(config.normaliser), config.index_fields, config.filter_share, config.filter_floor)
    return frozenset(found.kept or found.distinct)
