"""The causes that a miss can be labelled with: by default the stages of diagnosis and three of ours, editable in versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from workbench.diagnose.stages import stages
from workbench.store import Label, Labels

OURS = (
    ("wrong gold", "the named evidence does not answer the question, or other evidence does too"),
    ("ambiguous question", "the question can be read in several ways"),
    ("extraction too coarse", "the tags are right but too general to tell this note from others"),
)


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause with its meaning, a line."""

    name: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """The causes in the order in which they are offered. Version 0 is the default one, which is not stored."""

    version: int
    causes: tuple[Cause, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(cause.name for cause in self.causes)


def default_taxonomy() -> Taxonomy:
    """The stages at which a note can be lost, a user's own checks among them, and causes of ours."""
    lost = (Cause(check.stage, (type(check).__doc__ or "").strip().partition("\n")[0]) for check in stages())
    return Taxonomy(0, (*lost, *(Cause(*cause) for cause in OURS)))


def taxonomy(labels: Labels, version: int | None = None) -> Taxonomy:
    """The newest version, or the one that is asked for; KeyError where there is none of that number."""
    versions = {row.version: Taxonomy(row.version, tuple(Cause(*cause) for cause in row.causes)) for row in labels.taxonomies()}
    versions[0] = default_taxonomy()
    wanted = max(versions) if version is None else version
    if wanted not in versions:
        raise KeyError(f"no version {version} of the taxonomy; there are {', '.join(map(str, sorted(versions)))}")
    return versions[wanted]


def change_taxonomy(labels: Labels, causes: Sequence[Cause], analyst: str, now: datetime) -> Taxonomy:
    """Store another version. Labels that were given keep their names, also names that are gone from it.

    Raises
    ------
    ValueError
        If there is no cause, a name is empty, or one comes twice.
    """
    names = [cause.name.strip() for cause in causes]
    if not names or "" in names or len(set(names)) < len(names):
        raise ValueError(f"a taxonomy needs at least one cause, each with a name of its own; got {', '.join(map(repr, names))}")
    version = labels.add_taxonomy([(cause.name.strip(), cause.meaning) for cause in causes], analyst, now)
    return taxonomy(labels, version)


def give(labels: Labels, *given: Label) -> int:
    """Append labels of the newest taxonomy, all or none; how many were not there already.

    What its analyst has said of a place may be said again, in other words or another status, after it is gone from the taxonomy.

    Raises
    ------
    ValueError
        For a label that the taxonomy does not have, or one that `workbench.store.Labels.add` refuses.
    """
    known = taxonomy(labels).names
    for label in given:
        if label.label and label.label not in known and not _is_kept(labels, label):
            raise ValueError(f"label {label.label!r} is not in the taxonomy; it has: {', '.join(known)}")
    return labels.add(given)


def _is_kept(labels: Labels, given: Label) -> bool:
    """Whether the analyst's current label of the place has the same cause."""
    current = labels.current(given.case, given.question, given.analyst)
    return any(label.place == given.place and label.label == given.label for label in current)
