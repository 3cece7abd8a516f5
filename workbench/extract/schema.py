"""The extraction schema: what a tag path is, and how raw categories become a validated Extraction."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.records import CATEGORIES, Extraction

MAX_SEGMENTS = 3
MAX_PER_CATEGORY = 8
MAX_PER_NOTE = 24
MAX_SUMMARY_WORDS = 40
MAX_SEGMENT_LENGTH = 60
"""Characters of one segment (ours): a longer one is a sentence or a data blob, not a tag."""

_SEGMENT = r"[^\W_]+(?:_[^\W_]+)*"
_PATH = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT}){{0,{MAX_SEGMENTS - 1}}}")
_GAP = re.compile(r"[\s_\-\u2010-\u2015]+")
_SLASH = re.compile(r"\s*/\s*")


@dataclass(frozen=True, slots=True)
class ValidationCounts:
    """What validation changed: paths that did not parse, repetitions, paths cut by a limit, summaries shortened."""

    dropped: int = 0
    duplicates: int = 0
    cut: int = 0
    summaries_cut: int = 0

    def __add__(self, other: ValidationCounts) -> ValidationCounts:
        return ValidationCounts(
            self.dropped + other.dropped,
            self.duplicates + other.duplicates,
            self.cut + other.cut,
            self.summaries_cut + other.summaries_cut,
        )


def normalise_path(raw: str) -> str | None:
    """A tag path as it is stored, or None where the text is none.

    NFKC, case folding, spaces and hyphens to ``_``, punctuation and symbols removed; then one to three segments
    ``[^\\W_]+(_[^\\W_]+)*`` joined by ``/`` must remain (decision 11). Normalising twice changes nothing.

    Examples
    --------
    >>> normalise_path(" Career / Software-Engineering ")
    'career/software_engineering'
    >>> normalise_path("Café São Paulo!")
    'café_são_paulo'
    >>> normalise_path("a/b/c/d") is None
    True
    """
    text = _fold(raw)
    segments = [_segment(part) for part in _SLASH.split(text.strip())]
    path = "/".join(segments)
    if not _PATH.fullmatch(path) or max(map(len, segments)) > MAX_SEGMENT_LENGTH:
        return None
    # A few letters (Cherokee, some Greek forms) fold again after folding: such a path has no stable spelling.
    return path if _fold(path) == path else None


def _fold(text: str) -> str:
    if text.isascii():
        return text.casefold()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _segment(text: str) -> str:
    kept = "".join(c for c in text if c in "_-" or c.isspace() or unicodedata.category(c)[0] not in "PSC" or c in "‐‑‒–—―")
    return _GAP.sub("_", kept).strip("_")


def validate(raw: Mapping[str, object]) -> tuple[Extraction, ValidationCounts]:
    """An Extraction from categories as a language model, a Markdown note or a rule gives them.

    Parameters
    ----------
    raw : mapping
        A list of paths, most salient first, for any of who, what, when, where, why, extra; and a ``summary``. Absent or None
        means empty.

    Returns
    -------
    (Extraction, ValidationCounts)
        At most 8 paths a category and 24 a note. Over 24, those that stand latest in their category go first, whatever the
        category (ours), so that no category is emptied by another.

    Raises
    ------
    TypeError
        If ``raw`` is no mapping, a category no list of strings, or the summary no string.
    ValueError
        If there is a field that the schema does not know.
    """
    if not isinstance(raw, Mapping):
        raise TypeError(f"an extraction must be a mapping of {', '.join(CATEGORIES)} and summary, not {_shown(raw)}")
    unknown = [str(key) for key in raw if key not in CATEGORIES and key != "summary"]
    if unknown:
        raise ValueError(f"unknown field {', '.join(unknown)}; known: {', '.join(CATEGORIES)}, summary")
    counts = ValidationCounts()
    kept: dict[str, list[str]] = {}
    for category in CATEGORIES:
        kept[category], changed = _category(category, raw.get(category))
        counts += changed
    ranked = sorted((rank, place) for place, name in enumerate(CATEGORIES) for rank in range(len(kept[name])))
    for rank, place in reversed(ranked[MAX_PER_NOTE:]):
        del kept[CATEGORIES[place]][rank]
    summary, shortened = _summary(raw.get("summary"))
    counts += ValidationCounts(cut=max(0, len(ranked) - MAX_PER_NOTE), summaries_cut=int(shortened))
    return Extraction(**{name: tuple(paths) for name, paths in kept.items()}, summary=summary), counts


def _category(name: str, value: object) -> tuple[list[str], ValidationCounts]:
    if value is None:
        return [], ValidationCounts()
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} must be a list of tag paths, not {_shown(value)}")
    for item in value:
        if not isinstance(item, str):
            raise TypeError(f"{name} must hold tag paths as text, not {_shown(item)}")
    paths = [normalise_path(item) for item in value]
    parsed = [path for path in paths if path is not None]
    distinct = list(dict.fromkeys(parsed))
    counts = ValidationCounts(
        dropped=len(paths) - len(parsed),
        duplicates=len(parsed) - len(distinct),
        cut=max(0, len(distinct) - MAX_PER_CATEGORY),
    )
    return distinct[:MAX_PER_CATEGORY], counts


def _summary(value: object) -> tuple[str, bool]:
    if value is None:
        return "", False
    if not isinstance(value, str):
        raise TypeError(f"summary must be text, not {_shown(value)}")
    words = value.split()
    return " ".join(words[:MAX_SUMMARY_WORDS]), len(words) > MAX_SUMMARY_WORDS


def _shown(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
