"""The registry of relations: how many values one has at a time, how it reads backwards, and which words stand for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import yaml

from workbench.datasets.mending import shown
from workbench.embed.vectors import text_digest
from workbench.errors import BadInput
from workbench.real.words import stem, stems

Cardinality = Literal["single", "multi"]
Aspect = Literal["state", "event"]
SHIPPED = Path(__file__).with_name("relations.yaml")
_FIELDS = {
    "cardinality", "aspect", "range", "symmetric", "inverse", "hyponym_of", "transitive", "verbs", "ends", "nouns", "words",
}  # fmt: skip
_LISTS = ("verbs", "ends", "nouns", "words")
_ASPECTS: dict[str, Aspect | None] = {"state": "state", "event": "event", "either": None}
VERB = "verb:"
"""In front of the lemma of a verb that the registry does not know."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation; an ``aspect`` of None goes by the verb's tense; ``range`` is the kind of thing its tail is, empty for any.

    A relation that is not registered is multi-valued, so that it never closes an interval (5.2).
    """

    name: str
    cardinality: Cardinality = "multi"
    aspect: Aspect | None = None
    range: str = ""
    symmetric: bool = False
    transitive: bool = False
    inverse: str = ""
    hyponym_of: str = ""
    verbs: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def is_single(self) -> bool:
        return self.cardinality == "single"


@dataclass(frozen=True)
class Relations:
    """Relations by name, and by the verbs, nouns and words that stand for them."""

    by_name: Mapping[str, Relation] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Relation:
        """A relation; one that is not registered is multi-valued and has no rules."""
        return self.by_name.get(name) or Relation(name)

    @cached_property
    def _by_verb(self) -> dict[str, str]:
        return {verb: each.name for each in reversed(list(self.by_name.values())) for verb in each.verbs}

    @cached_property
    def _by_noun(self) -> dict[str, str]:
        return {noun: each.name for each in reversed(list(self.by_name.values())) for noun in each.nouns}

    @cached_property
    def _ended_by(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for each in self.by_name.values():
            for verb in each.ends:
                found[verb] = (*found.get(verb, ()), each.name)
        return found

    def of_verb(self, lemma: str, preposition: str = "") -> tuple[str, bool]:
        """The relation of a verb, and whether its preposition is part of it.

        Examples
        --------
        >>> shipped = relations()
        >>> shipped.of_verb("live", "in"), shipped.of_verb("juggle", "in")
        (('lives_in', True), ('verb:juggle', False))
        """
        if preposition and f"{lemma} {preposition}" in self._by_verb:
            return self._by_verb[f"{lemma} {preposition}"], True
        return self._by_verb.get(lemma, f"{VERB}{lemma}"), False

    def of_noun(self, noun: str) -> str | None:
        """The relation of an owner to what "my NOUN" names; None for nouns that name no relation."""
        return self._by_noun.get(noun)

    def ended_by(self, lemma: str, preposition: str = "") -> tuple[str, ...]:
        """Relations that a verb closes ("quit", "leave", "move from")."""
        return self._ended_by.get(f"{lemma} {preposition}".strip(), ())

    @cached_property
    def by_word(self) -> dict[str, frozenset[str]]:
        """Index words of questions to the relations they ask for."""
        found: dict[str, set[str]] = {}
        for each in self.by_name.values():
            first = [verb.removeprefix("be ").split()[0] for verb in each.verbs if verb.removeprefix("be ").split()]
            for word in {*first, *each.words, *each.nouns}:
                found.setdefault(stem(word), set()).add(each.name)
        return {word: frozenset(names) for word, names in found.items()}

    def kinds(self, name: str) -> frozenset[str]:
        """A relation and those that it is a kind of, by ``hyponym_of``.

        Examples
        --------
        >>> sorted(relations().kinds("has_pet"))
        ['has', 'has_pet', 'owns']
        """
        return self._kinds.get(name) or frozenset((name,))

    @cached_property
    def _kinds(self) -> dict[str, frozenset[str]]:
        found = {}
        for name in self.by_name:
            wider = [name]
            while (above := self[wider[-1]].hyponym_of) and above not in wider:  # a circle ends where it began
                wider.append(above)
            found[name] = frozenset(wider)
        return found


def readable(relation: str, preposition: str = "") -> str:
    """A relation as words.

    Examples
    --------
    >>> readable("spouse_of"), readable("verb:juggle", "with")
    ('spouse of', 'juggle with')
    """
    words = relation.removeprefix(VERB).replace("_", " ")
    return f"{words} {preposition}" if preposition and not words.endswith(f" {preposition}") else words


def relation_stems(relation: str, preposition: str = "") -> frozenset[str]:
    """Index words of a relation's own name."""
    return frozenset(stems(readable(relation, preposition)))


@lru_cache(maxsize=8)
def relations(extra: str = "") -> Relations:
    """The shipped registry, with the relations of a YAML file added or put in their place.

    Parameters
    ----------
    extra : str
        Path of a file in the form of ``relations.yaml``; empty for none.

    Raises
    ------
    BadInput
        If the file can't be read, or an entry has a field or value that is none.
    """
    found = _read(SHIPPED)
    if extra:
        found |= _read(Path(extra))
    return Relations(found)


def registry_digest(extra: str = "") -> str:
    """What facts depend on of the registry: the digest of its files."""
    return text_digest("\n".join(_text(path) for path in (SHIPPED, *([Path(extra)] if extra else []))))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"relations {path} can't be read: {error}") from error


def _read(path: Path) -> dict[str, Relation]:
    try:
        content = yaml.safe_load(_text(path))
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a date or number that can't be
        raise BadInput(f"relations {path} can't be read: {error}") from error
    if not isinstance(content, dict):
        raise BadInput(f"relations {path} hold {type(content).__name__}; a mapping of relation names is expected")
    return {str(name): _relation(str(name), entry or {}, path) for name, entry in content.items()}


def _relation(name: str, entry: Any, path: Path) -> Relation:
    if not isinstance(entry, dict) or set(entry) - _FIELDS:
        found = ", ".join(map(shown, entry)) if isinstance(entry, dict) else shown(entry)
        raise BadInput(f"relations {path}: {shown(name)} is {found}; its fields are {', '.join(sorted(_FIELDS))}")
    if entry.get("cardinality", "multi") not in ("single", "multi") or entry.get("aspect", "state") not in tuple(_ASPECTS):
        found = f"cardinality {shown(entry.get('cardinality'))} and aspect {shown(entry.get('aspect'))}"
        raise BadInput(
            f"relations {path}: {shown(name)} has {found}; cardinality is single or multi, aspect state, event or either"
        )
    lists = {each: _words(entry.get(each), f"relations {path}: {each} of {shown(name)}") for each in _LISTS}
    return Relation(
        name,
        entry.get("cardinality", "multi"),
        _ASPECTS[entry.get("aspect", "state")],
        str(entry.get("range", "")),
        bool(entry.get("symmetric", False)),
        bool(entry.get("transitive", False)),
        str(entry.get("inverse", "")),
        str(entry.get("hyponym_of", "")),
        **lists,
    )


def _words(value: Any, what: str) -> tuple[str, ...]:
    """A list of words; a single text is not taken for the list of its letters."""
    if not isinstance(value or [], list) or any(isinstance(one, (list, dict)) for one in value or []):
        raise BadInput(f"{what} are {shown(value)}; a list of words is expected")
    return tuple(map(str, value or ()))
