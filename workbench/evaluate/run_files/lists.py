"""JSON: an object of queries, each with its ids in order or with its scores (the shape that ranx saves)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from workbench.datasets.json_records import members
from workbench.datasets.mending import shown
from workbench.evaluate.run_files.base import Broken, Holds, Row, formats


class Pairs(list[tuple[str, Any]]):
    """A JSON object with all its members, also where two have one key."""


class Lists:
    """JSON: {query: [ids, best first]} or {query: {id: score}}; of several methods {method: {query: ...}}."""

    holds: Holds = "rankings"

    def fit(self, sample: Sequence[str]) -> int:
        return len(sample) if sample[0].lstrip().startswith("{") else 0

    def read(self, path: Path) -> Iterator[Row | Broken]:
        """One member of the object is held at a time, so a file may be larger than memory."""
        for text in members(path):
            if text is None:
                yield Broken("a member", "too long", "a query's ids are too long to be read")
                continue
            try:
                found = json.loads(f"{{{text}}}", object_pairs_hook=Pairs, strict=False)
            except (ValueError, RecursionError) as error:
                yield Broken(shown(text.strip()), "not JSON", f"not JSON: {error}")
                continue
            for key, value in found:
                yield from _member(key, value)


def _member(key: str, value: Any) -> Iterator[Row | Broken]:
    """A query with its ids, or a method with its queries."""
    if isinstance(value, Pairs) and any(isinstance(inner, list) for _, inner in value):
        for query, ranked in value:
            yield from _query(f"{json.dumps(key)}.", key, query, ranked)
    else:
        yield from _query("", "", key, value)


def _query(place: str, arm: str, query: str, ranked: Any) -> Iterator[Row | Broken]:
    place += json.dumps(query)
    if isinstance(ranked, Pairs):
        for doc, score in ranked:
            at = f"{place}.{json.dumps(doc)}"
            value = _score(score)
            if value is None:
                yield Broken(at, "no finite number", f"the score {shown(score)} is no finite number")
            else:
                yield Row(at, query, doc, score=value, arm=arm)
    elif isinstance(ranked, list):
        for rank, doc in enumerate(ranked, 1):
            at = f"{place}[{rank - 1}]"
            if isinstance(doc, str):
                yield Row(at, query, doc, rank=rank, arm=arm)
            elif isinstance(doc, int) and not isinstance(doc, bool):
                yield Row(at, query, str(doc), rank=rank, arm=arm, repair=f"the id {doc} is a number; it is read as text")
            else:
                yield Broken(at, "no id", f"{shown(doc)} is no id")
    else:
        yield Broken(place, "no ranking", f"{shown(ranked)} is neither a list of ids nor an object of scores")


def _score(value: Any) -> float | None:
    """A finite number; truth values and texts are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


formats.register("json")(Lists())
