"""The lexicon of the offline extractor: aliases in running text to shared ``domain/leaf`` tags."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import yaml

from workbench.text import Analyser

LEXICON_FILE = Path(__file__).with_name("lexicon.yaml")

_ANALYSER = Analyser()

Case = Literal["any", "names", "capital", "acronym"]


@dataclass(frozen=True, slots=True)
class Word:
    """One index word of a text: its stem, its form, the token it belongs to, that token's tag and whether it stands as a name."""

    stem: str
    surface: str
    token: int
    tag: str
    is_name: bool
    is_acronym: bool


@lru_cache(maxsize=200_000)
def inflection_bases(word: str) -> frozenset[str]:
    """The word, and what it may be without a plural, past or -ing ending.

    Stems alone join too much: polite and politics, author and authority, physical and physics have one stem each.

    Examples
    --------
    >>> sorted(inflection_bases("baked")), sorted(inflection_bases("allergies")), sorted(inflection_bases("stopping"))
    (['bak', 'bake', 'baked'], ['allergie', 'allergies', 'allergy'], ['stop', 'stopping'])
    """
    bases = set(_singulars(word))
    for ending in ("ed", "ing"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            bare = word[: -len(ending)]
            is_doubled = bare[-1] == bare[-2] and bare[-1] not in "lsz"
            bases |= {bare[:-1]} if is_doubled else {bare, bare + "e", *([bare[:-1] + "y"] if bare[-1] == "i" else [])}
    return frozenset(bases)


@lru_cache(maxsize=20_000)
def _singulars(word: str) -> frozenset[str]:
    """The word, and what it may be in the singular."""
    found = {word}
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        found.add(word[:-1])
        if word.endswith("ies"):
            found.add(word[:-3] + "y")
        elif word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
            found.add(word[:-2])
    return frozenset(found)


@dataclass(frozen=True)
class Alias:
    """A phrase of the lexicon. ``path`` is None for an idiom, which is matched to no tag."""

    text: str
    stems: tuple[str, ...]
    path: str | None
    is_exact: bool = False
    tag: Literal["N", "V", ""] = ""
    case: Case = "any"

    @cached_property
    def surfaces(self) -> tuple[str, ...]:
        """The words as they are written."""
        return tuple(_ANALYSER.surface(self.text))

    @cached_property
    def forms(self) -> tuple[frozenset[str], ...]:
        """The words in the singular; a form in -ing stays one, since training is not what a train is."""
        return tuple(map(_singulars, self.surfaces))

    @property
    def is_marked(self) -> bool:
        return self.is_exact or self.tag != "" or self.case != "any"

    def spells(self, other: Alias) -> bool:
        """Whether both are the same words, number aside."""
        pairs = zip(self.forms, other.forms, strict=False)
        return len(self.forms) == len(other.forms) and not any(a.isdisjoint(b) for a, b in pairs)

    @property
    def key(self) -> tuple[object, ...]:
        """What may belong to one leaf only."""
        return (self.surfaces if self.is_exact else self.forms, self.is_exact, self.tag, self.case)

    def fits(self, words: Sequence[Word]) -> bool:
        """Whether these words (as many as the alias has) are the alias."""
        if any(word.stem != stem for word, stem in zip(words, self.stems, strict=True)):
            return False
        if self.is_exact:
            if not self.is_written(words):
                return False
        elif any(form.isdisjoint(inflection_bases(word.surface)) for word, form in zip(words, self.forms, strict=True)):
            return False
        if self.tag and not words[-1].tag.startswith(self.tag):
            return False
        return self._fits_case(words)

    def is_written(self, words: Sequence[Word]) -> bool:
        """Whether the words are the alias letter for letter, case aside."""
        return self.surfaces == tuple(word.surface for word in words)

    def _fits_case(self, words: Sequence[Word]) -> bool:
        # Several words in a row are specific enough to be believed inside a name ("City Coffee Shop"); one word is not.
        if self.case == "names" or len(words) > 1:
            return True
        if self.case == "acronym":
            return words[0].is_acronym
        return words[0].is_name == (self.case == "capital")


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of words, ``start`` to ``end`` (exclusive), that the lexicon knows."""

    start: int
    end: int
    alias: Alias

    @property
    def path(self) -> str:
        """The leaf, ``domain/leaf``."""
        assert self.alias.path is not None  # idioms are never yielded
        return self.alias.path

    @property
    def domain(self) -> str:
        return self.path.partition("/")[0]


class Lexicon:
    """Finds aliases in a sequence of words, longest first, none overlapping another.

    ``leaves`` are its paths ``domain/leaf``, ``places`` those of them that are places; ``light`` holds the stems of nouns and
    ``light_verbs`` the lemmas of verbs that say nothing by themselves.
    """

    def __init__(
        self, aliases: Iterable[Alias], light: Iterable[str] = (), light_verbs: Iterable[str] = (), places: Iterable[str] = ()
    ) -> None:
        self.aliases = tuple(aliases)
        self.light = frozenset(stem for word in light for stem in _ANALYSER.words(word))
        self.light_verbs = frozenset(light_verbs)
        self.leaves = frozenset(alias.path for alias in self.aliases if alias.path)
        wanted = frozenset(places)
        self.places = frozenset(path for path in self.leaves if path.rpartition("/")[2] in wanted)
        by_first: defaultdict[str, list[Alias]] = defaultdict(list)
        for alias in self.aliases:
            by_first[alias.stems[0]].append(alias)
        # Of aliases that fit equally well the more demanding is taken.
        self._by_first = {stem: sorted(group, key=lambda a: (not a.is_exact, not a.tag)) for stem, group in by_first.items()}

    def find(self, words: Sequence[Word]) -> Iterator[Mention]:
        """The mentions in order; idioms consume their words and are left out."""
        at = 0
        while at < len(words):
            alias = self._best(words, at)
            end = at + (len(alias.stems) if alias else 1)
            if alias and alias.path:
                yield Mention(at, end, alias)
            at = end

    def _best(self, words: Sequence[Word], at: int) -> Alias | None:
        """The longest alias that fits the words from ``at`` on; of equally long ones, the one that is written so."""
        best, rank = None, (0, False)
        for alias in self._by_first.get(words[at].stem, ()):
            stretch = words[at : at + len(alias.stems)]
            if len(stretch) == len(alias.stems) and alias.fits(stretch):
                here = (len(stretch), alias.is_written(stretch))
                if here > rank:
                    best, rank = alias, here
        return best

    @classmethod
    def parse(cls, content: dict[str, Any]) -> Lexicon:
        """A lexicon from its file's content; the format is described at the head of ``lexicon.yaml``.

        Raises
        ------
        ValueError
            If an alias has no word in it or stands under two leaves, or a place is no leaf.
        """
        aliases: dict[tuple[object, ...], Alias] = {}
        for alias in (*_domain_aliases(content["domains"]), *map(_idiom, content["idioms"])):
            if not alias.stems:
                raise ValueError(f"lexicon alias {alias.text!r} of {alias.path} holds no word")
            other = aliases.setdefault(alias.key, alias)
            if other.path != alias.path:
                raise ValueError(f"lexicon alias {alias.text!r} stands under {other.path} and under {alias.path}")
        lexicon = cls(aliases.values(), content["light"], content["light_verbs"], content["places"])
        unknown = set(content["places"]) - {path.rpartition("/")[2] for path in lexicon.places}
        if unknown:
            raise ValueError(f"lexicon places {sorted(unknown)} are no leaves")
        return lexicon

    @classmethod
    @cache
    def load(cls) -> Lexicon:
        """The lexicon that the package ships, read once."""
        return cls.parse(yaml.load(LEXICON_FILE.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def lexicon_digest() -> str:
    """First eight hex digits of the shipped file's SHA-256: part of what identifies an extraction."""
    return hashlib.sha256(LEXICON_FILE.read_bytes()).hexdigest()[:8]


def _domain_aliases(domains: dict[str, dict[str, list[str]]]) -> Iterator[Alias]:
    for domain, leaves in domains.items():
        for leaf, entries in leaves.items():
            aliases = [_alias(str(entry), f"{domain}/{leaf}") for entry in entries]
            name = _alias(leaf.replace("_", " "), f"{domain}/{leaf}")
            if not any(alias.is_marked and alias.spells(name) for alias in aliases):
                yield name
            yield from aliases


def _alias(entry: str, path: str) -> Alias:
    text, _, mark = entry.partition(":")
    bare = text.lstrip("=^")
    case: Case = "any"
    if text.startswith("^"):
        case = "capital"
    elif bare.isupper():
        case = "acronym"
    elif bare[0].isupper():
        case = "names"
    tag: Literal["N", "V", ""] = "N" if mark == "n" else "V" if mark == "v" else ""
    return Alias(bare, tuple(_ANALYSER.words(bare)), path, text.startswith("="), tag, case)


def _idiom(text: str) -> Alias:
    # An idiom is fixed in its form, so that "ring a bell" does not swallow "rings, a bell".
    return Alias(text, tuple(_ANALYSER.words(text)), None, is_exact=True, case="names")
