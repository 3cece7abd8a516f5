"""Sweeps over one field of the methods' configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.sweeps.base import Options, Point, Sweep, at, sweeps
from workbench.methods.base import create, methods


@dataclass(frozen=True)
class FieldSweep(Sweep):
    """One field moved over its points in every method that has it."""

    field: str

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(label for label in super().methods if _has(label.split(" ")[0], self.field))

    def arms(self, options: Options) -> list[MethodSpec]:
        """Every method at every point; the point stands in the run as the field's value."""
        chosen = [options.arm(label) for label in options.methods or self.methods]
        for spec in chosen:
            if not _has(spec.name, self.field):
                having = ", ".join(name for name in methods if _has(name, self.field))
                raise ValueError(f"{spec.name} has no field {self.field!r}; methods that have it: {having or 'none'}")
        return [self._at(spec, point) for point in options.points or self.points for spec in chosen]

    def _at(self, spec: MethodSpec, point: Point) -> MethodSpec:
        overrides: Mapping[str, Any] = {**(spec.overrides or {}), self.field: point}
        value = getattr(create(spec.name, spec.profile, overrides).config, self.field)
        return at(replace(spec, overrides=overrides), self.name, value)


def _has(method: str, name: str) -> bool:
    return any(each.name == name for each in fields(methods[method].Config))


_FILTERED = ("tag_stopwords", "tag_tfidf", "adaptive", "bm25_filtered")

_SWEEPS = (
    FieldSweep(
        "alpha",
        "How far diffusion walks before it restarts.",
        "alpha (probability to go on)",
        "linear",
        (0.3, 0.5, 0.7, 0.85, 0.95),
        "ours; .85 is NetworkX's default, .5 HippoRAG's",
        ("adaptive", "adaptive - file_seeding"),
        "alpha",
    ),
    FieldSweep(
        "file_seed_share",
        "Seed mass on files against seed mass on tags.",
        "share of the seeds on files",
        "linear",
        (0.0, 0.25, 0.5, 0.75, 1.0),
        "ours; the paper seeds both without a share",
        ("adaptive", "adaptive - diffusion"),
        "file_seed_share",
    ),
    FieldSweep(
        "direction",
        "Whether PageRank uses edges both ways or from tag to topic to file only.",
        "reading of the edges",
        "category",
        ("symmetric", "directed"),
        "ours; TAGGRAPH 3.3.4 can be read either way",
        ("adaptive",),
        "direction",
    ),
    FieldSweep(
        "topic_policy",
        "What groups notes into topics.",
        "topic policy",
        "category",
        ("primary_what", "per_note", "root"),
        "ours; the paper does not say how topics are made",
        ("adaptive", "tag_tfidf"),
        "topic_policy",
    ),
    FieldSweep(
        "hop_bound",
        "How many ontology edges a matched tag is expanded over.",
        "hops",
        "linear",
        (0, 1, 2, 3, 4),
        "ours; TAGGRAPH 3.3.3 bounds the traversal without a number",
        ("tag_basic", "tag_stopwords", "tag_tfidf"),
        "hops",
    ),
    FieldSweep(
        "filter_share",
        "The share of notes from which a query word counts as common.",
        "share of the notes",
        "linear",
        (0.05, 0.1, 0.15, 0.25, 0.5, 1.0),
        "ours around TAGGRAPH 3.3.3's .15; 1 drops nothing",
        _FILTERED,
        "filter_share",
    ),
    FieldSweep(
        "filter_floor",
        "The number of notes up to which a query word is never common.",
        "notes",
        "linear",
        (0, 1, 2, 3),
        "ours; 0 is the paper's wording",
        _FILTERED,
        "filter_floor",
    ),
    FieldSweep(
        "bm25_variant",
        "The BM25 classes of rank-bm25.",
        "variant",
        "category",
        ("okapi", "l", "plus"),
        "rank-bm25's three classes",
        ("bm25", "bm25_filtered"),
        "variant",
    ),
    FieldSweep(
        "openclaw_profile",
        "OpenClaw's memory search by version.",
        "version",
        "category",
        ("legacy", "2026.03", "2026.06"),
        "the versions that changed its search",
        ("openclaw",),
        "profile",
    ),
)
for _sweep in _SWEEPS:
    sweeps.register(_sweep.name)(_sweep)
