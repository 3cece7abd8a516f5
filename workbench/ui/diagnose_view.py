"""What the page Diagnose shows: one gold note under every chosen method, kept between runs of the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

from workbench.diagnose.edits import DropTag
from workbench.diagnose.inquiry import place_of
from workbench.diagnose.repair import Outcome, rerun
from workbench.diagnose.stages import Diagnosis, NoteTrace, diagnose_ranking
from workbench.diagnose.tags import BY_SPELLING, NearTags, TagReport, asked_words, tag_report
from workbench.diagnose.telling import telling
from workbench.embed.base import embedder
from workbench.embed.near import near_by_meaning
from workbench.errors import StoreError, WorkbenchError
from workbench.memory import Memory
from workbench.methods.base import MemoryRetriever, create
from workbench.methods.base import methods as registered
from workbench.methods.dense import DenseConfig
from workbench.methods.tags import StopwordsConfig
from workbench.records import Question, Ranking
from workbench.settings import Profile
from workbench.text import Analyser
from workbench.ui import cached
from workbench.ui.cached import OpenCase
from workbench.ui.context import Context

Gold = tuple[str, ...] | None
"""Marked notes, or None for the question's own gold."""


@dataclass(frozen=True)
class Shown:
    """What this run of the page shows.

    Attributes
    ----------
    question : Question
        What is asked; a typed text has no id.
    gold : tuple of str or None
        Marked notes, or None where the question's own gold counts.
    found : mapping
        Method to its diagnosis, in the order of the sidebar.
    ms : mapping
        Method to the milliseconds of its query; None of an imported run.
    note_id : str
        The gold note that is looked at; of gold that is not stored, the question's own name of it.
    """

    chosen: Context
    opened: OpenCase
    question: Question
    gold: Gold
    k: int
    profile: Profile
    found: Mapping[str, Diagnosis]
    ms: Mapping[str, float | None]
    note_id: str

    @property
    def memory(self) -> Memory:
        return self.opened.memory

    @property
    def is_stored(self) -> bool:
        return self.note_id in self.memory

    @cached_property
    def traces(self) -> dict[str, NoteTrace]:
        """The note's trace under each method."""
        return {
            name: next(trace for trace in found.traces if trace.note_id == self.note_id) for name, found in self.found.items()
        }

    @cached_property
    def answers(self) -> frozenset[str]:
        """All gold notes that are stored."""
        return frozenset(trace.note_id for found in self.found.values() for trace in found.traces if trace.session_id is not None)

    @cached_property
    def missed(self) -> tuple[str, ...]:
        """The methods that miss the note, imported runs among them."""
        return tuple(name for name, trace in self.traces.items() if not trace.is_found)

    @cached_property
    def words(self) -> frozenset[str]:
        """The question's telling words, which are underlined: also those that a filter drops, since this page speaks of them."""
        config = StopwordsConfig()
        words = asked_words(self.memory, self.question.text, config).distinct
        return frozenset(telling(words, Analyser(config.normaliser)) or words)

    @property
    def asked(self) -> tuple[str, ...]:
        """The methods that can be run again."""
        return tuple(name for name in self.found if name in registered)

    @property
    def others(self) -> tuple[Question, ...]:
        """The other questions of the case, as far as they have gold."""
        return tuple(each for each in self.opened.case.questions if each.id != self.question.id and each.gold)

    @property
    def about(self) -> tuple[Any, ...]:
        """What tells this diagnosis from any other one, but for the memory."""
        return (self.question.id, self.question.text, self.note_id, self.asked, self.profile, self.k)


def made(names: tuple[str, ...], profile: Profile, memory: Memory) -> dict[str, MemoryRetriever[Any]]:
    """Methods over a memory by name."""
    return {name: create(name, profile, memory=memory) for name in names}


@dataclass(frozen=True)
class Answers:
    """Diagnoses and milliseconds by method; of methods that can't answer the reason."""

    found: dict[str, Diagnosis]
    ms: dict[str, float | None]
    problems: dict[str, str]


def diagnosed(chosen: Context, opened: OpenCase, question: Question, gold: Gold, k: int, profile: Profile) -> Answers:
    """Ask and diagnose every chosen method. The caller holds the memory's lock."""
    assert chosen.extraction is not None  # a case always has one
    answers = Answers({}, {}, {})
    for name in chosen.methods:
        asked = (chosen.store_path, chosen.case_key, chosen.extraction, name, question.text, profile, question.id)
        try:
            timed = cached.rank(*asked)
        except StoreError:
            raise
        except WorkbenchError as error:
            answers.problems[name] = str(error)
            continue
        answers.ms[name] = timed.ms
        if name in registered:
            key = (opened, question.id, question.text, gold, name, profile, k)
            _, answers.found[name] = _diagnosed(*key, question, timed.ranking)
        else:
            answers.found[name] = diagnose_ranking(opened.memory, question, timed.ranking, k, gold)
    return answers


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs={OpenCase: id})
def _diagnosed(
    opened: OpenCase,
    question_id: str,
    text: str,
    gold: Gold,
    name: str,
    profile: Profile,
    k: int,
    _question: Question,
    _ranking: Ranking,
) -> tuple[OpenCase, Diagnosis]:
    """With the case, whose id is part of the key and must not be given anew while this is kept."""
    method = create(name, profile, memory=opened.memory)
    return opened, diagnose_ranking(opened.memory, _question, _ranking, k, gold, method=method)


def tags_of(shown: Shown) -> TagReport:
    """Helpful and missing tags of the note. The caller holds the memory's lock."""
    return _tags(shown.opened, shown.note_id, shown.question.text)[1]


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs={OpenCase: id})
def _tags(opened: OpenCase, note_id: str, text: str) -> tuple[OpenCase, TagReport]:
    near = {**BY_SPELLING, "meaning": _near_by_meaning(DenseConfig().embeddings)}
    return opened, tag_report(opened.memory, note_id, text, near=near)


@st.cache_resource(max_entries=1, show_spinner=False)
def _near_by_meaning(backend: str) -> NearTags:
    """Tags are embedded once for all questions."""
    return near_by_meaning(embedder(backend))


def without_helpful(shown: Shown) -> tuple[Outcome, ...]:
    """The opposite edit: the note's places before and after its helpful tags are dropped. The caller holds the memory's lock."""
    return _without(shown.opened, shown.about, shown)[1]


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs={OpenCase: id})
def _without(opened: OpenCase, about: tuple[Any, ...], _shown: Shown) -> tuple[OpenCase, tuple[Outcome, ...]]:
    edits = [DropTag(tag.path, _shown.note_id) for tag in tags_of(_shown).helpful]
    again = rerun(made(_shown.asked, _shown.profile, opened.memory), edits, opened.memory)
    text, traces = _shown.question.text, _shown.traces
    places = {name: place_of(method.query(text, k=None).hits, _shown.note_id) for name, method in again.items()}
    return opened, tuple(Outcome(name, traces[name].place, after) for name, after in places.items())
