"""What an extractor is: it turns interactions into tags, seeing the ontology so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Protocol

from workbench.extract.schema import ValidationCounts
from workbench.ontology import Ontology
from workbench.records import Case, Extraction, Interaction
from workbench.registry import Registry


class Extractor(Protocol):
    """Reads interactions in the order given and yields one extraction each.

    ``config`` is a frozen dataclass; with the name it is the identity of what was extracted.
    """

    name: str
    Config: ClassVar[type[Any]]
    """The frozen configuration, its fields made with ``workbench.settings.setting``."""
    config: Any
    counts: ValidationCounts
    """What validation changed in the latest call of ``extract``."""
    remarks: dict[str, tuple[str, ...]]
    """By interaction id, what of its text did not fit the extractor, in the latest call of ``extract``."""

    def __init__(self, config: Any = None) -> None:
        """With the default configuration where none is given."""

    def extract(self, case: Case, interactions: Iterable[Interaction], ontology: Ontology) -> Iterator[Extraction]:
        """One validated extraction per interaction; new tags have been added to ``ontology`` when it is yielded.

        ``case`` gives the participants and the unit; it is not searched for answers.
        """
        ...


extractors: Registry[type[Extractor]] = Registry("extractor", "workbench.extract", "workbench.extractors")
