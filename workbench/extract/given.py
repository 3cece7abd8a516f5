"""The extractor for notes that bring their own tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from workbench.extract.base import extractors
from workbench.extract.schema import ValidationCounts, validate
from workbench.ontology import Ontology
from workbench.records import CATEGORIES, Case, Extraction, Interaction


@dataclass(frozen=True)
class GivenConfig:
    """Nothing can be set: tags are taken as they are."""


@extractors.register("given")
class Given:
    """Tags that the notes of a case brought with them, held to the schema.

    ``counts`` holds what validation changed in the latest call of ``extract``.
    """

    name = "given"
    Config: ClassVar[type[Any]] = GivenConfig

    def __init__(self, config: Any = None) -> None:
        self.config: GivenConfig = config or GivenConfig()
        self.counts = ValidationCounts()
        self.remarks: dict[str, tuple[str, ...]] = {}

    def extract(self, case: Case, interactions: Iterable[Interaction], ontology: Ontology) -> Iterator[Extraction]:
        """The validated extraction that the case's note of each interaction has.

        Raises
        ------
        ValueError
            If an interaction has no note in the case.
        """
        self.counts, self.remarks = ValidationCounts(), {}
        by_id = {note.id: note.extraction for note in case.notes}
        for interaction in interactions:
            if interaction.id not in by_id:
                raise ValueError(
                    f"case {case.key} brings no note for interaction {interaction.id!r}; it brings {len(by_id)} notes"
                )
            given = by_id[interaction.id]
            raw: dict[str, object] = {category: getattr(given, category) for category in CATEGORIES}
            extraction, counts = validate({**raw, "summary": given.summary})
            self.counts += counts
            for path in extraction.paths:
                ontology.add(path)
            yield extraction
