"""What a stop of the tour is, and the scene it plays in: a demo case with its question, and rankings worked out from it.

A stop is one file in `workbench.ui.learn_stops`. It writes down no result: what it predicts, shows and tells is computed from the
scene, and `Stop.holds` says whether its claim can be seen there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import streamlit as st

from workbench.methods.base import create
from workbench.records import Question, Ranking
from workbench.registry import Registry
from workbench.store import ExtractionRow
from workbench.ui import cached
from workbench.ui.cached import OpenCase
from workbench.ui.comparison import Column, compare, gold_of
from workbench.ui.context import extraction_choice

EXTRACTOR = "rules"
Settings = tuple[tuple[str, Any], ...]
"""Fields of a method's configuration with their values."""


@dataclass(frozen=True)
class Scene:
    """A demo case, opened under the offline extractor. The caller holds ``opened.lock``."""

    path: Path
    extraction: ExtractionRow
    opened: OpenCase

    @property
    def question(self) -> Question:
        return self.opened.case.questions[0]

    @cached_property
    def gold(self) -> frozenset[str]:
        """Ids of the gold notes."""
        found = gold_of(self.question, self.opened.memory)
        return found.notes if found else frozenset()

    @cached_property
    def gold_note(self) -> str:
        """The first gold note in the order of time."""
        return next(note.id for note in self.opened.memory.notes if note.id in self.gold)

    def ranking(self, method: str, **settings: Any) -> Ranking:
        """The whole ranking of the question."""
        return _ranking(self.opened, self.question.text, method, tuple(settings.items()))[1]

    def rank(self, method: str, **settings: Any) -> int | None:
        """The rank of the first gold note; None where none is ranked."""
        return first_of(self.ranking(method, **settings), self.gold)

    def columns(self, rankings: Mapping[str, Ranking], shown: int) -> tuple[Column, ...]:
        """Rankings side by side, as the page Compare draws them."""
        timed = {label: (ranking, None) for label, ranking in rankings.items()}
        return compare(timed, self.opened.memory, self.question, shown)

    def url(self, default_store: str) -> dict[str, str]:
        """The scene as query parameters of the other pages; the store is named where it is not the one the app starts with."""
        chosen = {"benchmark": self.opened.case.benchmark, "case": self.opened.case.key, "question": self.question.id}
        store = {} if str(self.path) == default_store else {"store": str(self.path)}
        return store | chosen | {"extraction": extraction_choice(self.extraction)}


def first_of(ranking: Ranking, notes: frozenset[str]) -> int | None:
    """The best rank of some notes; None where none is ranked."""
    return next((hit.rank for hit in ranking.hits if hit.note_id in notes), None)


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs={OpenCase: id})
def _ranking(opened: OpenCase, text: str, method: str, settings: Settings) -> tuple[OpenCase, Ranking]:
    """The case is kept with its ranking: its id is part of the cache's key."""
    return opened, create(method, "default", dict(settings), opened.memory).query(text, k=None)


def open_scene(path: Path, key: str) -> Scene | None:
    """The scene of a demo case by its key; None where the store has no such case under the offline extractor."""
    if not path.exists() or not any(row.key == key for row in cached.cases(path, key.partition("/")[0])):
        return None
    row = next((each for each in cached.extractions(path, key) if each.extractor == EXTRACTOR), None)
    return None if row is None else Scene(path, row, cached.open_case(path, key, row.id))


@dataclass(frozen=True)
class Prediction:
    """What a reader is asked before anything is revealed; ``answer`` is the right one of the options, as computed."""

    asked: str
    options: tuple[str, ...]
    answer: str

    def __post_init__(self) -> None:
        if self.answer not in self.options:
            raise ValueError(f"the answer {self.answer!r} is none of the options: {', '.join(self.options)}")


RANK_OPTIONS = ("First", "Second to fifth", "Sixth or lower, or not found at all")


def rank_option(rank: int | None) -> str:
    """Which of RANK_OPTIONS a rank is.

    Examples
    --------
    >>> rank_option(1), rank_option(5), rank_option(None)
    ('First', 'Second to fifth', 'Sixth or lower, or not found at all')
    """
    return RANK_OPTIONS[0 if rank == 1 else 1 if rank is not None and rank <= 5 else 2]


def rank_words(rank: int | None) -> str:
    """A rank in a sentence."""
    return "not ranked" if rank is None else f"at rank {rank}"


class Stop(ABC):
    """One screen of the tour.

    Attributes
    ----------
    order : int
        Place in the tour; by it the stops are numbered from 1.
    title, claim : str
        Markdown of our own.
    case : str
        Key of the demo case it plays in.
    page, methods
        The page of the workbench that shows the same at length, and the methods that are chosen there; none leaves those of the
        sidebar.
    """

    order: ClassVar[int]
    title: ClassVar[str]
    claim: ClassVar[str]
    case: ClassVar[str]
    page: ClassVar[str]
    methods: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def holds(self, scene: Scene) -> bool:
        """Whether the claim can be seen in this scene."""

    @abstractmethod
    def prediction(self, scene: Scene) -> Prediction:
        """What is asked, with the right answer."""

    @abstractmethod
    def before(self, scene: Scene) -> None:
        """Draw what a reader needs for a prediction."""

    @abstractmethod
    def after(self, scene: Scene) -> None:
        """Draw what happened."""

    @abstractmethod
    def told(self, scene: Scene) -> str:
        """What happened, in Markdown with numbers of the scene; text of notes only through `plain`."""


stops: Registry[Stop] = Registry("stop of the tour", "workbench.ui.learn_stops")


def in_order() -> list[tuple[str, Stop]]:
    """The stops with their names, in the order of the tour."""
    return sorted(stops.items(), key=lambda item: (item[1].order, item[0]))
