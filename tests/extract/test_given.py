"""Tags that a note brought with it."""

from __future__ import annotations

import pytest
from builders import note

from workbench.extract.base import extractors
from workbench.extract.given import Given
from workbench.extract.schema import ValidationCounts
from workbench.ontology import Ontology
from workbench.records import Case, Extraction

NOTES = (note("n1", ("Food/Cake", "a/b/c/d"), who="person/ann", summary="A cake."), note("n2"))
CASE = Case("own", "case", (), notes=NOTES)


def test_tags_are_kept_and_held_to_the_schema() -> None:
    extractor, ontology = Given(), Ontology()
    found = list(extractor.extract(CASE, [one.interaction for one in NOTES], ontology))
    assert found == [Extraction(who=("person/ann",), what=("food/cake",), summary="A cake."), Extraction()]
    assert extractor.counts == ValidationCounts(dropped=1)
    assert ontology.paths == ("person/ann", "food/cake")


def test_an_interaction_without_a_note_is_an_error() -> None:
    with pytest.raises(ValueError, match="own/case brings no note for interaction 'n3'; it brings 2 notes"):
        list(Given().extract(CASE, [note("n3").interaction], Ontology()))


def test_it_is_registered() -> None:
    assert extractors["given"] is Given
