"""What the offline reader makes of sentences: denial, the past, times, names, certainty (the check's R3, R4, R14, R16 to R18)."""

from __future__ import annotations

from datetime import datetime

import pytest
from made_facts import day, said

from workbench.real.config import FactsConfig
from workbench.real.facts import Fact, from_row, to_row
from workbench.real.reading import read_facts, short_names
from workbench.real.relations import relations
from workbench.records import Interaction, Note, Turn

SPOKEN = datetime(2024, 6, 10, 9)
PEOPLE = ("Nora", "Paul")


def read(text: str, speaker: str = "Nora", people: tuple[str, ...] = PEOPLE, **config: object) -> list[Fact]:
    """The facts of one utterance on 10 June 2024."""
    rows = read_facts([said("n", SPOKEN, speaker, text)], people, relations(), FactsConfig(**config))  # type: ignore[arg-type]
    return [from_row(row) for row in rows["n"]]


def triples(text: str, **more: object) -> set[tuple[str, str, str]]:
    return {(one.head, one.relation, one.tail) for one in read(text, **more) if one.act == "assertion"}  # type: ignore[arg-type]


def only(text: str, relation: str) -> Fact:
    [found] = [one for one in read(text) if one.relation == relation]
    return found


# Relations ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Paris.", ("Nora", "lives_in", "Paris")),
        ("I moved back to Paris.", ("Nora", "lives_in", "Paris")),
        ("I work at Orbit Labs.", ("Nora", "works_at", "Orbit Labs")),
        ("I am married to Tom.", ("Nora", "spouse_of", "Tom")),
        ("A beagle is a kind of dog.", ("beagle", "is_a", "dog")),
        ("I am from Chile.", ("Nora", "comes_from", "Chile")),
        ("I am tired.", ("Nora", "has_state", "tired")),
        ("I juggled with three pins.", ("Nora", "verb:juggle", "three pin")),
        ("I want to visit Rome.", ("Nora", "wants", "visit Rome")),
        ("I supervise Inga.", ("Nora", "supervises", "Inga")),
    ],
)
def test_a_verb_with_its_preposition_says_the_relation(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in triples(text)


def test_a_preposition_that_no_relation_has_is_kept_beside_it() -> None:
    assert only("I juggled with three pins.", "verb:juggle").preposition == "with"


def test_equal_verbs_meet_whatever_their_preposition() -> None:
    assert {one.relation for one in read("I sang with Tom. I sang in Bonn.")} == {"verb:sing"}


def test_a_short_reply_mentions_its_nouns_unless_that_is_switched_off() -> None:
    assert ("Nora", "mentions", "lemon cake") in triples("A lemon cake for the party")
    assert read("A lemon cake for the party", fragments=False) == []


@pytest.mark.parametrize("text", ["Thanks, Paul!", "Wow!", "Hey Paul!", "Bye!", "Nice! Thanks!"])
def test_courtesies_mention_nothing(text: str) -> None:
    assert read(text) == []


# Denial and the past (R3) ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["I no longer live in Berlin.", "I don't live in Berlin anymore.", "I don't live in Berlin."])
def test_what_is_denied_is_a_retraction_and_never_a_fact(text: str) -> None:
    fact = only(text, "lives_in")
    assert (fact.tail, fact.act, fact.start) == ("Berlin", "retraction", SPOKEN)


def test_what_used_to_be_is_over_when_it_is_told() -> None:
    fact = only("I used to live in Madrid.", "lives_in")
    assert (fact.act, fact.start, fact.end) == ("assertion", None, SPOKEN)


def test_a_past_state_with_its_year_held_in_that_year() -> None:
    fact = only("I lived in Madrid in 2019.", "lives_in")
    assert (fact.start, fact.end, fact.precision) == (day(1, 1, 2019), day(1, 1, 2020), "year")


def test_leaving_takes_back_what_it_ends() -> None:
    taken = {(one.relation, one.tail) for one in read("I left Orbit Labs last month.") if one.act == "retraction"}
    assert ("works_at", "Orbit Labs") in taken


def test_an_event_that_did_not_happen_is_no_fact() -> None:
    assert [one for one in read("I didn't visit Rome.") if one.relation == "visited"] == []


# Times (R4) -----------------------------------------------------------------------------------------------------------------


def test_a_change_starts_when_it_was_said_to() -> None:
    fact = only("I moved to Paris yesterday.", "lives_in")
    assert (fact.start, fact.end, fact.is_stated, fact.precision) == (day(6, 9), None, True, "day")


def test_without_a_date_a_fact_starts_when_it_is_told() -> None:
    fact = only("I live in Paris.", "lives_in")
    assert (fact.start, fact.is_stated, fact.precision) == (SPOKEN, False, "moment")


@pytest.mark.parametrize(("when", "end"), [("yesterday", day(6, 10)), ("in May", day(6, 1)), ("in 2022", day(1, 1, 2023))])
def test_an_event_ends_with_the_time_that_was_stated(when: str, end: datetime) -> None:
    fact = only(f"I visited Oslo {when}.", "visited")
    assert (fact.aspect, fact.end) == ("event", end)


def test_each_verb_has_its_own_date() -> None:
    facts = read("I visited Oslo in 2020 and I moved to Paris in 2021.")
    starts = {one.relation: one.start for one in facts}
    assert (starts["visited"], starts["lives_in"]) == (day(1, 1, 2020), day(1, 1, 2021))


def test_what_will_be_is_a_plan_until_it_has_a_date() -> None:
    assert triples("I will move to Rome.") == {("Nora", "plans", "move to Rome")}
    assert ("Nora", "plans", "move to Rome") in triples("I have to move to Rome.")
    assert only("I will move to Rome next year.", "lives_in").start == day(1, 1, 2025)


def test_a_modal_is_no_month() -> None:
    assert only("I may move to Rome.", "lives_in").is_stated is False


# Names and pronouns (R16) ---------------------------------------------------------------------------------------------------


def test_a_name_is_the_node_and_its_description_a_fact() -> None:
    assert {("Nora", "cousin_of", "Felix"), ("Felix", "spouse_of", "Inga")} <= triples("My cousin Felix married Inga last year.")
    assert {("Nora", "has_pet", "Pixel"), ("Pixel", "is_a", "beagle")} <= triples("I adopted a beagle named Pixel.")


def test_kin_without_a_name_is_called_after_its_owner() -> None:
    assert ("Nora's sister", "lives_in", "Bonn") in triples("My sister lives in Bonn.")


def test_we_are_both_who_talk() -> None:
    assert {("Nora", "visited", "Oslo"), ("Paul", "visited", "Oslo")} <= triples("We visited Oslo.")


@pytest.mark.parametrize("text", ["You get tired of rain.", "It lives in Bonn.", "They moved to Bonn."])
def test_a_pronoun_that_is_not_resolved_gives_no_fact(text: str) -> None:
    assert {one.head for one in read(text)} <= {"Nora"}
    assert not {one.relation for one in read(text)} & {"lives_in", "received"}


def test_you_is_the_other_speaker_in_a_question() -> None:
    [fact] = [one for one in read("Do you live in Bonn?") if one.relation == "lives_in"]
    assert (fact.head, fact.confidence, fact.cue) == ("Paul", 0.2, "?")


def test_he_and_she_are_the_person_named_last() -> None:
    assert ("Maria Lopez", "works_at", "Orbit Labs") in triples("I met Maria Lopez today. She works at Orbit Labs.")


def test_speakers_are_known_by_short_forms_that_only_one_has() -> None:
    assert short_names(["Nora", "Norbert"])["nora"] == "Nora"
    assert "nor" not in short_names(["Nora", "Norbert"])


# Certainty (R17) ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I live in Rome.", 0.9),
        ("I definitely live in Rome.", 0.95),
        ("I usually live in Rome.", 0.8),
        ("I think Tom lives in Rome.", 0.6),
        ("Nora said Tom lives in Rome.", 0.5),
        ("Maybe Tom lives in Rome.", 0.4),
        ("I might live in Rome.", 0.4),
        ("Tom would live in Rome.", 0.2),
        ("I hope Tom gets well and lives in Rome.", 0.2),
        ("Perhaps Tom would live in Rome.", 0.2),
    ],
)
def test_confidence_is_the_least_of_the_cues(text: str, value: float) -> None:
    assert only(text, "lives_in").confidence == value


def test_a_cue_counts_in_its_own_clause_only() -> None:
    assert only("I was glad I could share the news.", "has_state").confidence == 0.9


# Which text is read ---------------------------------------------------------------------------------------------------------


def note(*turns: Turn) -> Note:
    return Note(Interaction("n", "s", turns, 0, 1, SPOKEN))


def test_of_an_assistant_facts_are_read_on_request_only() -> None:
    one = note(Turn("user", "I live in Rome."), Turn("assistant", "I live in Bonn."))
    assert len(read_facts([one], (), relations(), FactsConfig())["n"]) == 1
    assert len(read_facts([one], (), relations(), FactsConfig(assistant_turns=True))["n"]) == 2


def test_of_named_speakers_everybody_is_read() -> None:
    one = note(Turn("user", "I live in Rome.", "Nora"), Turn("assistant", "I live in Bonn.", "Paul"))
    assert {row["head"] for row in read_facts([one], PEOPLE, relations(), FactsConfig())["n"]} == {"Nora", "Paul"}


def test_in_a_passage_pronouns_are_its_title() -> None:
    one = note(Turn("user", "Ada Lund\nShe was born in Oslo.", ref="Ada Lund"))
    [row] = read_facts([one], (), relations(), FactsConfig())["n"]
    assert (row["head"], row["relation"], row["tail"]) == ("Ada Lund", "born_in", "Oslo")


def test_a_fact_reads_back_from_its_row() -> None:
    for one in read("My cousin Felix married Inga last year. I used to live in Madrid."):
        assert from_row(to_row(one)) == one


def test_what_a_note_says_does_not_depend_on_other_notes() -> None:
    one, other = said("a", SPOKEN, "Nora", "Maria Lopez called."), said("b", SPOKEN, "Nora", "She lives in Bonn.")
    together = read_facts([one, other], PEOPLE, relations(), FactsConfig())
    assert together["b"] == read_facts([other], PEOPLE, relations(), FactsConfig())["b"]
