"""Whole extractions rewritten by a rule and kept as named variants: the same rule over every case, so that runs can read them.

A variant of `workbench.diagnose.variants` holds edits of single notes and belongs to one case; these have one configuration for
all cases, as an extractor has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from workbench.diagnose.support import RULES, tag_support
from workbench.engine import Progress
from workbench.errors import BadInput, StoreError
from workbench.records import CATEGORIES, Extraction, Note
from workbench.store import EDITED, ExtractionKey, Store, open_store


class Rewriting(Protocol):
    """A rule that changes tags; ``config`` is part of what identifies the variant."""

    @property
    def config(self) -> Mapping[str, Any]:
        """The rule as plain JSON values."""

    def apply(self, notes: Sequence[Note]) -> tuple[Note, ...]:
        """The notes of a case under the rule, in their order; those that it leaves alone are the same objects."""


@dataclass(frozen=True, slots=True)
class MergeTags:
    """Write one tag in the place of another, wherever it stands: (path, into) pairs, no ``into`` being a ``path`` itself."""

    merges: tuple[tuple[str, str], ...]

    @property
    def config(self) -> dict[str, Any]:
        return {"merges": [list(pair) for pair in self.merges]}

    def apply(self, notes: Sequence[Note]) -> tuple[Note, ...]:
        """The notes after the merges, in their order; those without such a tag are the same objects."""
        into = dict(self.merges)
        return tuple(
            note if into.keys().isdisjoint(note.extraction.paths) else _mapped(note, lambda _, path: into.get(path, path))
            for note in notes
        )


@dataclass(frozen=True, slots=True)
class DropUnsupported:
    """Drop the tags that a note's text does not support (`workbench.diagnose.support`).

    ``is_strict`` also drops those that rest on the assistant's words. ``rules`` is the version of the check.
    """

    is_strict: bool = False
    rules: int = RULES

    @property
    def config(self) -> dict[str, Any]:
        return {"unsupported_dropped": {"strict": self.is_strict, "rules": self.rules}}

    def apply(self, notes: Sequence[Note]) -> tuple[Note, ...]:
        """The notes with the tags that are left; those that lose none are the same objects."""
        return tuple(self._filtered(note) for note in notes)

    def _filtered(self, note: Note) -> Note:
        lost = {
            (each.category, each.path)
            for each in tag_support(note)
            if each.source is None or (self.is_strict and each.source == "assistant")
        }
        return _mapped(note, lambda category, path: None if (category, path) in lost else path) if lost else note


def _mapped(note: Note, change: Callable[[str, str], str | None]) -> Note:
    """The note with every tag as ``change(category, path)`` has it, in its place; None drops it."""
    kept = {
        category: tuple(
            dict.fromkeys(new for path in getattr(note.extraction, category) if (new := change(category, path)) is not None)
        )
        for category in CATEGORIES
    }
    return replace(note, extraction=Extraction(**kept, summary=note.extraction.summary))


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A stored variant: its key, and how many notes and tags it has and changed over how many cases.

    A tag that stands in two categories of a note counts twice.
    """

    key: ExtractionKey
    name: str
    cases: int
    notes: int
    changed_notes: int
    tags_before: int
    tags_after: int


def rewrite(
    path: Path,
    case_keys: Sequence[str],
    base: ExtractionKey,
    rule: Rewriting,
    name: str,
    *,
    progress: Progress | None = None,
    now: datetime | None = None,
) -> Rewritten:
    """Store a named variant of an extraction over some cases; the same rule under the same name again changes nothing.

    The store is opened for one case at a time, so that others get in between. What a stop or a failure cuts off is a variant
    over fewer cases; the same call goes on.

    Parameters
    ----------
    path : Path
        The store.
    base : ExtractionKey
        The extraction that is rewritten, a variant or not.
    name : str
        What the variant is called, as ``--extraction NAME``.
    progress : callable, optional
        Called after each case with the number of cases done and its key.

    Raises
    ------
    ValueError
        If there is no name or no case, or another extraction of one of the cases has the name.
    BadInput
        If the rule changes no note of any case; nothing is stored.
    KeyError
        If a case or its base is not stored.
    StoreError
        If the store can't be written, or another version of the workbench stored a case.
    """
    name = name.strip()
    if not name or not case_keys:
        raise ValueError(f"a variant needs a name and at least one case; got {name!r} and {len(case_keys)} cases")
    key = ExtractionKey(
        base.extractor.removesuffix(EDITED) + EDITED,
        {"name": name, "base": {"extractor": base.extractor, "config": dict(base.config)}, **rule.config},
    )
    with open_store(path, read_only=True) as store:
        _check_name(store, case_keys, name, key)
    waiting: list[tuple[str, tuple[Note, ...], tuple[Note, ...]]] = []
    notes = changed = before = after = 0
    for done, case_key in enumerate(case_keys, 1):
        with open_store(path, read_only=True) as store:
            old = store.notes.get(case_key, base)
        new = rule.apply(old)
        notes, changed = notes + len(old), changed + _changed(old, new)
        before, after = before + _tags(old), after + _tags(new)
        waiting.append((case_key, old, new))
        if changed:  # until a first note changes, nothing is written
            for each in waiting:
                _store(path, *each, key, now)
            waiting.clear()
        if progress is not None:
            progress(done, case_key)
    if not changed:
        raise BadInput(f"{name!r} would equal its base: the rule changes none of {notes} notes")
    return Rewritten(key, name, len(case_keys), notes, changed, before, after)


def _check_name(store: Store, case_keys: Sequence[str], name: str, key: ExtractionKey) -> None:
    """ValueError where another extraction of the cases answers to the name."""
    wanted = set(case_keys)
    for row in store.extractions.list():
        if row.case in wanted and row.key != key and name in (row.variant, row.extractor, str(row.id)):
            raise ValueError(f"{name!r} is the name of another extraction of {row.case} (id {row.id}): choose another name")


def _store(
    path: Path, case_key: str, old: Sequence[Note], new: tuple[Note, ...], key: ExtractionKey, now: datetime | None
) -> None:
    counters = {"edited_notes": _changed(old, new), "removed_tags": _tags(old) - _tags(new)}
    with open_store(path) as store:
        if store.cases.add(store.cases.get(case_key), new, key, counters=counters, now=now) == "conflict":
            raise StoreError(f"{case_key} was stored by a version that made another digest of it: remove it and load it again")


def _changed(old: Sequence[Note], new: Sequence[Note]) -> int:
    return sum(one is not other for one, other in zip(old, new, strict=True))


def _tags(notes: Sequence[Note]) -> int:
    return sum(1 for note in notes for _ in note.extraction.pairs())
