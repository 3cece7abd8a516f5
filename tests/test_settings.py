"""Configurations: profiles, overrides read from text, and the list of all defaults."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import pytest

from workbench.methods.base import methods
from workbench.settings import OURS, configure, setting, settings_of


@dataclass(frozen=True)
class Config:
    """An example."""

    hops: int = setting(2, "steps")
    share: float = setting(0.15, "a share", "paper 3.3", literal=0.2)
    is_on: bool = setting(True, "a switch", literal=False)
    tie: Literal["newest", "oldest"] = setting("newest", "a choice")
    parts: tuple[str, ...] = setting(("tags", "user"), "a list")
    cap: int | None = setting(None, "a limit")
    label: str = setting("x", "a text")


def test_the_default_profile_holds_the_defaults() -> None:
    assert configure(Config) == Config()


def test_the_literal_profile_holds_the_literal_values_and_the_defaults_elsewhere() -> None:
    assert configure(Config, "literal") == Config(share=0.2, is_on=False)


def test_an_override_wins_over_the_profile() -> None:
    assert configure(Config, "literal", {"share": 0.5}) == Config(share=0.5, is_on=False)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("hops", "3", 3),
        ("hops", 3, 3),
        ("hops", 3.0, 3),
        ("share", "0.3", 0.3),
        ("share", 1, 1.0),
        ("is_on", "false", False),
        ("is_on", "Off", False),
        ("is_on", "1", True),
        ("is_on", False, False),
        ("tie", "oldest", "oldest"),
        ("parts", "tags, summary", ("tags", "summary")),
        ("parts", ["user"], ("user",)),
        ("parts", "", ()),
        ("cap", "none", None),
        ("cap", "7", 7),
        ("cap", None, None),
        ("label", "a b", "a b"),
    ],
)
def test_values_are_read_as_the_fields_type(name: str, text: object, value: object) -> None:
    read = getattr(configure(Config, overrides={name: text}), name)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("hop", 1, "no field 'hop'; it has: hops, share"),
        ("hops", "many", "hops='many' is not a int"),
        ("hops", "2.5", "hops='2.5' is not a int"),
        ("hops", 2.7, "hops=2.7 is not a whole number"),
        ("hops", None, "hops=None is not a int"),
        ("hops", float("inf"), "hops=inf is not a int"),
        ("share", "much", "share='much' is not a float"),
        ("share", "nan", "share='nan' is not a finite number"),
        ("share", "inf", "share='inf' is not a finite number"),
        ("is_on", "maybe", "is_on='maybe' is not a yes/no value"),
        ("is_on", 2, "is_on=2 is not a yes/no value"),
        ("tie", "random", "tie='random' is not one of newest, oldest"),
        ("parts", 5, "parts=5 is not a list"),
        ("cap", "x", "cap='x' is not a int"),
        ("label", 5, "label=5 is not a text"),
    ],
)
def test_a_value_that_does_not_fit_is_named(name: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        configure(Config, overrides={name: value})


def test_an_unknown_profile_is_named() -> None:
    with pytest.raises(ValueError, match="profile 'paper' is unknown; known: default, literal"):
        configure(Config, "paper")  # type: ignore[arg-type]


def test_settings_list_value_literal_meaning_and_source() -> None:
    listed = {each.name: each for each in settings_of("example", Config)}
    assert list(listed) == [field.name for field in fields(Config)]
    assert (listed["share"].value, listed["share"].literal, listed["share"].source) == (0.15, 0.2, "paper 3.3")
    assert (listed["hops"].value, listed["hops"].literal, listed["hops"].source) == (2, 2, OURS)
    assert listed["hops"].owner == "example"


@pytest.mark.parametrize("name", list(methods))
def test_every_field_of_every_method_is_described(name: str) -> None:
    for each in settings_of(name, methods[name].Config):
        assert each.meaning.strip()
        assert each.source.strip()


@pytest.mark.parametrize("name", list(methods))
def test_a_methods_printed_settings_read_back(name: str) -> None:
    config = methods[name].Config
    for profile in ("default", "literal"):
        whole = configure(config, profile)  # type: ignore[arg-type]
        printed = {
            field.name: ",".join(value) if isinstance(value := getattr(whole, field.name), tuple) else str(value)
            for field in fields(config)
        }
        assert configure(config, overrides=printed) == whole


def test_decided_defaults_and_their_literal_values() -> None:
    """Decisions 1-8: the value of each named field, and the paper-literal one."""
    expected = {
        ("tag_stopwords", "normaliser"): ("snowball", "simple"),
        ("tag_stopwords", "filter_share"): (0.15, 0.15),
        ("tag_stopwords", "filter_floor"): (2, 0),
        ("tag_stopwords", "unfiltered_fallback"): (True, False),
        ("tag_basic", "hops"): (2, 2),
        ("tag_basic", "credit"): ("topic", "topic"),
        ("tag_basic", "expand_roots"): (False, True),
        ("tag_basic", "overlap"): ("reached", "own"),
        ("tag_basic", "tie"): ("newest", "newest"),
        ("tag_tfidf", "tail"): (True, True),
        ("adaptive", "alpha"): (0.85, 0.85),
        ("adaptive", "file_seed_share"): (0.5, 0.5),
        ("adaptive", "direction"): ("symmetric", "symmetric"),
        ("adaptive", "weight_chronological"): (0.5, 0.5),
        ("adaptive", "topic_policy"): ("primary_what", "primary_what"),
        ("adaptive", "eligible_topics"): (True, False),
        ("adaptive", "participant_attributes"): (False, True),
        ("adaptive", "skip_common_attributes"): (True, False),
        ("bm25", "k1"): (1.5, 1.5),
        ("bm25", "b"): (0.75, 0.75),
        ("bm25", "epsilon"): (0.25, 0.25),
    }
    listed = {
        (name, each.name): (each.value, each.literal) for name in methods for each in settings_of(name, methods[name].Config)
    }
    assert {key: listed[key] for key in expected} == expected
