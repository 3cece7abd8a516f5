"""Entries that a model wrote, window by window, before any query: prompt, schema, check, and how they are read back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.entries import Entry
from workbench.errors import MissingPart
from workbench.memory import Memory
from workbench.records import Note
from workbench.states import Rows, State, state_digest
from workbench.text import Analyser

WRITTEN = "ariadne entries by a model"
"""Kind of the state that holds a case's entries by one model."""
TEMPLATE = "1"
"""Version of the prompt below; raised with every change of its words."""

SYSTEM = """\
You turn a stretch of a conversation into separate memory entries. Each entry is one fact that somebody stated, put so that it can
be read alone: write names instead of pronouns, and the calendar day instead of words such as yesterday, counting from the day on
which it was said. Leave out greetings, thanks and questions that state nothing. Add nothing that was not said, and keep every
number, name, date and negation. Give with each entry the ids of the turns that it comes from."""

_TEXTS = {"type": "array", "items": {"type": "string"}}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["entries"],
    "properties": {
        "entries": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["fact", "turns", "keywords", "persons", "entities", "location"],
                "properties": {
                    "fact": {"type": "string", "description": "the fact in one sentence, without a date in front"},
                    "turns": _TEXTS | {"description": "ids of the turns it comes from"},
                    "keywords": _TEXTS,
                    "persons": _TEXTS,
                    "entities": _TEXTS | {"description": "things, places and organisations"},
                    "location": {"type": ["string", "null"]},
                },
            },
        }
    },
}


@dataclass(frozen=True)
class Window:
    """Turns that a model reads at once; ``id`` names the first and the last."""

    id: str
    turns: tuple[Entry, ...]

    @property
    def user(self) -> str:
        """What the model is given: a line a turn, with its id, speaker and day."""
        return "\n".join(f"[{turn.refs[0]}] {_spoken(turn)}" for turn in self.turns)


def _spoken(turn: Entry) -> str:
    day = f" ({turn.time:%A} {turn.time.day} {turn.time:%B %Y %H:%M})" if turn.time else ""
    return f"{turn.speaker or 'User'}{day}: {' '.join(turn.text.split())}"


def windows(utterances: Sequence[Entry], size: int) -> list[Window]:
    """Consecutive windows without overlap; the last may be shorter (4.4)."""
    cut = [tuple(utterances[start : start + size]) for start in range(0, len(utterances), size)]
    return [Window(f"{turns[0].refs[0]}..{turns[-1].refs[-1]}", turns) for turns in cut]


def check_reply(data: Any, known: Collection[str]) -> Rows:
    """The entries of a reply as rows; ``known`` are the ids of the turns that it may name.

    Raises
    ------
    ValueError
        If it is no such object, an entry is empty, or names a turn that is not known; the message says which.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("entries"), list):
        raise ValueError("the answer must be an object with a list 'entries'")
    return [_checked(each, at, known) for at, each in enumerate(data["entries"])]


def _checked(each: Any, at: int, known: Collection[str]) -> dict[str, Any]:
    here = f"entries[{at}]"
    if not isinstance(each, Mapping):
        raise ValueError(f"{here} must be an object")
    fact = each.get("fact")
    if not isinstance(fact, str) or not any(map(str.isalnum, fact)):
        raise ValueError(f"{here}.fact must be a sentence, not {fact!r}")
    lists = {name: each.get(name, []) for name in ("turns", "keywords", "persons", "entities")}
    for name, value in lists.items():
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"{here}.{name} must be a list of texts, not {value!r}")
    if not lists["turns"] or not set(lists["turns"]) <= set(known):
        raise ValueError(f"{here}.turns must name turns by the ids in front of them, not {lists['turns']}")
    location = each.get("location")
    if location is not None and not isinstance(location, str):
        raise ValueError(f"{here}.location must be a text or null, not {location!r}")
    return {"fact": fact, **lists, "location": location}


def written_digest(notes: Sequence[Note], config: AriadneConfig) -> str:
    """What a model's entries of a case are stored under."""
    return state_digest(
        notes,
        {
            "template": TEMPLATE,
            "model": config.model,
            "window": config.window,
            "assistant_turns": config.assistant_turns,
            "user_chars": config.user_chars,
        },
    )


def written_state(notes: Sequence[Note], config: AriadneConfig, by_window: Sequence[tuple[Window, Rows | None]]) -> State:
    """A case's entries to be stored. A window whose reply failed has None: its turns give no entry, and are counted."""
    entries = [row | {"window": at} for at, (_, rows) in enumerate(by_window) for row in rows or ()]
    failed = [{"window": at, "id": window.id} for at, (window, rows) in enumerate(by_window) if rows is None]
    return State.made(WRITTEN, written_digest(notes, config), {"entries": entries, "failed": failed})


def written_entries(
    memory: Memory, config: AriadneConfig, utterances: Sequence[Entry]
) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """The utterances with their windows, and the model's entries, both in the order of time.

    Raises
    ------
    MissingPart
        If the entries of this model were not made beforehand.
    """
    state = memory.states.get(WRITTEN, written_digest(memory.notes, config))
    if state is None:
        raise MissingPart(
            f"there are no AriadneMem entries by {config.model!r} for these notes: make them with "
            f"workbench entries --extractor {config.extractor} --model {config.model}"
        )
    turns = tuple(
        replace(turn, window=at) for at, window in enumerate(windows(utterances, config.window)) for turn in window.turns
    )
    place = {turn.refs[0]: turn for turn in turns}
    rows = sorted(state.parts["entries"], key=lambda row: (row["window"], max(place[ref].number for ref in row["turns"])))
    return turns, tuple(_entry(row, number, [place[ref] for ref in row["turns"]]) for number, row in enumerate(rows))


def _entry(row: Mapping[str, Any], number: int, turns: Sequence[Entry]) -> Entry:
    """A model's entry, with values, subject and speaker from the turns that it names."""
    last = max(turns, key=lambda turn: turn.number)
    day = f" on {last.time.day} {last.time:%B %Y}" if last.time else ""
    names = {kind: frozenset("_".join(Analyser().surface(name)) for name in row[kind]) - {""} for kind in ("persons", "entities")}
    words = Analyser().words(" ".join(row["keywords"]))
    values = {kind: frozenset().union(*(turn.values[kind] for turn in turns)) for kind in last.values}
    restated = f"{last.speaker or 'User'}{day}: {row['fact']}"
    return replace(
        last,
        number=number,
        refs=tuple(row["turns"]),
        text=row["fact"],
        restatement=restated,
        words=Analyser().counts(restated),
        keywords=frozenset(words).union(
            *(Analyser().words(value.rpartition("/")[2]) for each in values.values() for value in each)
        ),
        persons=names["persons"] | frozenset("_".join(Analyser().surface(last.speaker)).split()),
        entities=names["entities"],
        values=values,
        location=row["location"],
        is_question=all(turn.is_question for turn in turns),
        window=row["window"],
        sources=tuple(turn.number for turn in turns),
    )
