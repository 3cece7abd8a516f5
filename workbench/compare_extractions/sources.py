"""Which extractions there are over several cases, what they are called beside each other, and which cases share them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.store import ExtractionKey, ExtractionRow


@dataclass(frozen=True)
class Source:
    """An extraction over several cases: one extractor in one configuration, or a variant over all of them.

    ``label`` is unique among the sources it was found with; ``rows`` holds the stored extraction of each case.
    """

    label: str
    rows: Mapping[str, ExtractionRow]

    @property
    def row(self) -> ExtractionRow:
        """The extraction of one of the cases; key and variant's name are the same in all."""
        return next(iter(self.rows.values()))

    @property
    def key(self) -> ExtractionKey:
        return self.row.key

    @property
    def names(self) -> tuple[str, ...]:
        """All that the source answers to."""
        row = self.row
        return tuple(name for name in (self.label, row.variant, row.extractor, f"{row.extractor}:{row.digest[:8]}") if name)


def sources(rows: Iterable[ExtractionRow]) -> tuple[Source, ...]:
    """The extractions of some cases, oldest first, variants last.

    A label is the variant's or the extractor's name; where several have one name, with the settings that tell them apart.
    """
    by_key: dict[ExtractionKey, dict[str, ExtractionRow]] = {}
    for row in rows:
        by_key.setdefault(row.key, {})[row.case] = row
    found = sorted(by_key.values(), key=_age)
    firsts = [next(iter(each.values())) for each in found]
    return tuple(Source(label, each) for label, each in zip(_labels(firsts), found, strict=True))


def choose(known: Sequence[Source], wanted: Sequence[str]) -> tuple[Source, ...]:
    """The sources that some names stand for (`Source.names`), each once and in the order of the names.

    Raises
    ------
    KeyError
        If a name stands for none, or for several; the message lists the labels.
    """
    chosen: dict[str, Source] = {}
    for name in wanted:
        found = [each for each in known if each.label == name] or [each for each in known if name in each.names]
        if len(found) != 1:
            listed = ", ".join(each.label for each in found or known) or "none"
            raise KeyError(f"{name!r} stands for {len(found)} extractions; name one of: {listed}")
        chosen[found[0].label] = found[0]
    return tuple(chosen.values())


def shared_cases(chosen: Sequence[Source], case_keys: Iterable[str]) -> list[str]:
    """Those of the cases that all the sources hold, in their order."""
    return [key for key in case_keys if all(key in source.rows for source in chosen)]


def _age(rows: Mapping[str, ExtractionRow]) -> tuple[Any, ...]:
    first = min(rows.values(), key=lambda row: (row.created, row.id))
    return first.variant is not None, first.created, first.id


def _labels(rows: Sequence[ExtractionRow]) -> list[str]:
    labels = []
    names = [row.variant or row.extractor for row in rows]
    for name, row in zip(names, rows, strict=True):
        same = [each for other, each in zip(names, rows, strict=True) if other == name]
        labels.append(name if len(same) == 1 else f"{name} ({_apart(row, same)})")
    return [
        label if labels.count(label) == 1 else f"{name} ({row.digest[:8]})"
        for label, name, row in zip(labels, names, rows, strict=True)
    ]


def _apart(row: ExtractionRow, same: Sequence[ExtractionRow]) -> str:
    """The settings of a row that not all rows of its name have alike; its digest where they can't be said shortly."""
    fields = dict.fromkeys(field for each in same for field in each.config)
    differing = [field for field in fields if len({_plain(each.config.get(field)) for each in same}) > 1]
    text = "; ".join(f"{field}={_plain(row.config[field])}" for field in differing if field in row.config)
    return text if 0 < len(text) <= 60 else row.digest[:8]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
