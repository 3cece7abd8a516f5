"""The lexicon: the shipped file is sound, and aliases match what they mean."""

from __future__ import annotations

import pytest

from workbench.extract.lexicon import Lexicon, Word, inflection_bases
from workbench.extract.schema import normalise_path
from workbench.ontology import RESERVED_ROOTS
from workbench.text import Analyser


def words(text: str) -> list[Word]:
    """A text as words; a capital stands for a name and ``/V`` behind a word for a verb."""
    found = []
    for at, token in enumerate(text.split()):
        form, _, tag = token.partition("/")
        ((surface, stem),) = zip(Analyser().surface(form), Analyser().words(form), strict=True)
        found.append(Word(stem, surface, at, tag or "N", form[0].isupper() and not form.isupper(), form.isupper()))
    return found


def paths(text: str, lexicon: Lexicon | None = None) -> list[str | None]:
    return [mention.alias.path for mention in (lexicon or Lexicon.load()).find(words(text))]


def lexicon(domains: dict[str, dict[str, list[str]]], idioms: tuple[str, ...] = ()) -> Lexicon:
    return Lexicon.parse({"domains": domains, "idioms": list(idioms), "light": [], "light_verbs": [], "places": []})


def test_the_shipped_lexicon_has_300_to_500_leaves_over_at_least_25_domains() -> None:
    leaves = Lexicon.load().leaves
    assert 300 <= len(leaves) <= 500
    assert len({leaf.partition("/")[0] for leaf in leaves}) >= 25


def test_every_leaf_is_a_normalised_path_outside_the_reserved_roots() -> None:
    for leaf in Lexicon.load().leaves:
        assert normalise_path(leaf) == leaf
        assert leaf.count("/") == 1
        assert leaf.partition("/")[0] not in RESERVED_ROOTS


def test_every_alias_finds_its_own_leaf() -> None:
    """No alias is hidden behind another one or behind an idiom."""
    shipped = Lexicon.load()
    for alias in shipped.aliases:
        if alias.path is None:
            continue
        pairs = zip(Analyser().surface(alias.text), Analyser().words(alias.text), strict=True)
        form = [
            Word(stem, surface, at, alias.tag or "N", alias.case == "capital", alias.case == "acronym")
            for at, (surface, stem) in enumerate(pairs)
        ]
        assert [mention.alias.path for mention in shipped.find(form)] == [alias.path], alias


def test_an_alias_under_two_leaves_is_refused() -> None:
    with pytest.raises(ValueError, match="'cook' stands under food/cooking and under home/kitchen"):
        lexicon({"food": {"cooking": ["cook"]}, "home": {"kitchen": ["cook"]}})


def test_a_place_that_is_no_leaf_is_refused() -> None:
    content = {"domains": {"food": {"tea": []}}, "idioms": [], "light": [], "light_verbs": [], "places": ["moon"]}
    with pytest.raises(ValueError, match=r"places \['moon'\] are no leaves"):
        Lexicon.parse(content)


@pytest.mark.parametrize("text", ["allergic", "allergy", "allergies", "epipen", "epipens", "hay fever"])
def test_every_form_of_an_alias_gives_its_leaf(text: str) -> None:
    assert paths(text) == ["health/allergy"]


def test_the_longest_alias_wins() -> None:
    assert paths("a dog walker near the coffee shop") == ["pets/dog", "food/coffee"]
    assert [m.alias.text for m in Lexicon.load().find(words("coffee shop"))] == ["coffee shop"]


def test_an_idiom_takes_its_words_and_gives_nothing() -> None:
    assert paths("that was a piece of cake") == []
    assert paths("a piece of that cake") == ["food/cake"]


def test_every_idiom_keeps_a_word_from_being_matched() -> None:
    shipped = Lexicon.load()
    topics = Lexicon(alias for alias in shipped.aliases if alias.path)
    for idiom in (alias for alias in shipped.aliases if not alias.path):
        text = " ".join(Analyser().surface(idiom.text))
        assert paths(text, topics) or paths(text.replace(" ", "/V ") + "/V", topics), idiom.text
        assert paths(text, shipped) == []


def test_a_word_written_as_a_name_is_not_the_common_word() -> None:
    assert paths("my brother") == ["family/brother"]
    assert paths("my Brother") == []


def test_a_capitalised_alias_matches_inside_names_too() -> None:
    assert paths("the Riverside Museum") == ["arts/museum"]
    assert paths("a small museum") == ["arts/museum"]


def test_a_name_only_alias_needs_its_capital() -> None:
    assert paths("at Target") == ["shopping/store"]
    assert paths("the target audience") == []


def test_a_capitals_only_alias_needs_capitals() -> None:
    assert paths("the SAT") == ["education/exam"]
    assert paths("he sat there") == []


def test_part_of_speech_marks_hold() -> None:
    assert paths("my plant") == ["garden/plants"]
    assert paths("plant/V it") == []


@pytest.mark.parametrize(("text", "leaf"), [("polite", "politics"), ("authority", "author"), ("physical", "physics")])
def test_words_that_only_share_a_stem_do_not_meet(text: str, leaf: str) -> None:
    assert Analyser().words(text) == Analyser().words(leaf)
    assert paths(text) == []


def test_an_ing_alias_is_not_its_verb_but_a_verb_alias_has_its_ing_form() -> None:
    small = lexicon({"career": {"training": []}, "health": {"meditation": ["meditate"]}})
    assert paths("the train", small) == []
    assert paths("the trainings", small) == ["career/training"]
    assert paths("meditating", small) == ["health/meditation"]


def test_exact_forms_do_not_inflect() -> None:
    small = lexicon({"fitness": {"running": ["=running"]}})
    assert paths("running", small) == ["fitness/running"]
    assert paths("run runs", small) == []


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("cookies", "cookie"),
        ("berries", "berry"),
        ("churches", "church"),
        ("stopped", "stop"),
        ("hiking", "hike"),
        ("dogs", "dog"),
    ],
)
def test_endings_come_off(word: str, base: str) -> None:
    assert base in inflection_bases(word)
