"""The offline extractor: what it takes from a text, what it leaves, and that it does so the same way each time."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from workbench.extract.base import extractors
from workbench.extract.english import parse, tense
from workbench.extract.rules import Rules, RulesConfig
from workbench.extract.schema import normalise_path
from workbench.ontology import Ontology
from workbench.records import CATEGORIES, Case, Extraction, Interaction, Turn

WEDNESDAY = datetime(2024, 5, 15, 18, 30)
Unit = Literal["round", "exchange", "passage"]


def interaction(user: str, assistant: str = "", id: str = "s#1", time: datetime | None = WEDNESDAY) -> Interaction:
    turns = (Turn("user", user), *([Turn("assistant", assistant)] if assistant else []))
    return Interaction(id, "s", turns, 0, 1, time)


def extract_all(
    interactions: Sequence[Interaction],
    unit: Unit = "round",
    participants: tuple[str, ...] = (),
    ontology: Ontology | None = None,
) -> list[Extraction]:
    case = Case("own", "case", (), unit=unit, participants=participants)
    return list(Rules().extract(case, interactions, ontology if ontology is not None else Ontology()))


def extract(user: str, assistant: str = "", time: datetime | None = WEDNESDAY) -> Extraction:
    return extract_all([interaction(user, assistant, time=time)])[0]


# --- what comes from where ------------------------------------------------------------------------------------------------


def test_the_topic_is_named_by_the_lexicon_first() -> None:
    found = extract("I'm allergic to walnuts, so I never leave without my epipen.")
    assert found.what[0] == "health/allergy"
    assert "health/allergy/epipen" in found.extra


def test_a_title_does_not_name_a_topic() -> None:
    for text in ("We listened to My Brother, My Brother and Me.", "My Brother, My Brother and Me made us laugh."):
        assert "family/brother" not in extract(text).paths


def test_the_speakers_own_verbs_are_actions_and_others_are_not() -> None:
    found = extract("I visited the lighthouse and raised two hundred pounds. My aunt knitted a scarf.")
    assert {"action/visit", "action/raise"} <= set(found.what)
    assert not any(path.startswith("action/knit") for path in found.paths)


def test_an_irregular_past_keeps_both_forms() -> None:
    assert "action/buy/bought" in extract("Yesterday I bought a kettle.").what


def test_noun_chunks_with_a_known_head_go_under_its_domain() -> None:
    found = extract("The vintage guitar has a cracked neck.")
    assert "music/guitar" in found.what
    assert "music/guitar/vintage_guitar" in found.extra


def test_letters_that_stick_to_a_number_are_one_word() -> None:
    assert "fitness/running" in extract("I finished my first 5k in the rain.").what


def test_unknown_nouns_keep_their_head_as_root() -> None:
    assert "lighthouse/abandoned_lighthouse" in extract("The abandoned lighthouse scared us.").what


def test_kin_and_named_people_are_who() -> None:
    found = extract("My sister Emily is staying, and a friend named Tom may join.")
    assert {"family/sister", "person/emily", "acquaintances/friend", "person/tom"} <= set(found.who)


def test_another_word_for_kin_is_a_detail_so_that_one_person_is_one_who() -> None:
    found = extract("My mom phoned.")
    assert found.who == ("family/mother",)
    assert "family/mother/mom" in found.extra


def test_a_pet_is_filed_under_its_kind() -> None:
    assert "pets/dog/max" in extract("My dog Max chewed the sofa.").who


def test_places_are_where_and_not_who() -> None:
    found = extract("We moved from Toronto to Lisbon.")
    assert {"place/toronto", "place/lisbon"} <= set(found.where)


def test_a_named_museum_is_a_place_and_a_museum() -> None:
    found = extract("I spent the afternoon at the Riverside Museum in Glasgow.")
    assert "place/riverside_museum" in found.where
    assert "arts/museum" in found.what


def test_a_product_the_lexicon_knows_is_no_person_or_company() -> None:
    found = extract("I rewrote the script in Python and watched Netflix.")
    assert "programming/python" in found.paths
    assert not [path for path in found.paths if path.startswith(("person/", "organization/", "place/"))]


def test_money_is_extra_in_the_words_a_query_has() -> None:
    assert "money/1_250" in extract("The repair cost me $1,250 in the end.").extra


def test_reasons_and_purposes_are_why() -> None:
    assert "health/injury" in extract("I skipped the race because I sprained my ankle.").why
    assert "finance/mortgage" in extract("We sold the boat so that we could pay the mortgage.").why
    assert "food/bread" in extract("I walked to the corner to get fresh bread.").why


def test_light_words_and_pleasantries_are_no_tags() -> None:
    assert extract("Thanks a lot, that was a great idea! Any other tips or suggestions?").paths == ()


def test_the_assistant_adds_nothing_but_weight() -> None:
    user = "Should I take the piano or the guitar to the cabin?"
    alone, answered = extract(user), extract(user, "Guitar: a guitar travels well. My cousin Zoe took hers to Norway in 2019.")
    assert set(answered.paths) == set(alone.paths)
    assert (alone.what[0], answered.what[0]) == ("music/piano", "music/guitar")


# --- dates ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("I met her on Friday.", ("date/2024/may_10",)),
        ("I have a dentist appointment on Friday.", ("date/2024/may_17",)),
        ("I'm seeing the lawyer on Friday.", ("date/2024/may_17",)),
        ("We've been there since Friday.", ("date/2024/may_10",)),
        ("I earned the badge in December.", ("date/2023/december",)),
        ("The course starts in December.", ("date/2024/december",)),
        ("I signed up for the race on March 3rd, 2022.", ("date/2022/march_3",)),
        ("We painted the fence last weekend.", ("date/2024/may_11_12",)),
    ],
)
def test_dates_follow_the_tense_and_keep_their_granularity(text: str, when: tuple[str, ...]) -> None:
    assert extract(text).when == when


@pytest.mark.parametrize("text", ["The paint dried for two days.", "I may go for a swim.", "I am 9 years older than Ben."])
def test_durations_modals_and_ages_are_no_dates(text: str) -> None:
    assert extract(text).when == ()


def test_without_a_calendar_relative_dates_stay_out() -> None:
    assert extract("I saw her yesterday and again on Monday.", time=None).when == ("date/monday",)


def test_the_time_of_the_interaction_is_no_tag() -> None:
    assert extract("The kettle is broken.").when == ()


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("We met on Friday.", "Friday", "past"),
        ("We will meet on Friday.", "Friday", "future"),
        ("I need to call the bank on Friday.", "Friday", "future"),
        ("I went to see her on Friday.", "Friday", "past"),
        ("I have finished it on Friday.", "Friday", "past"),
        ("Friday, the old pier.", "Friday", "past"),
    ],
)
def test_tense_of_the_governing_verb(text: str, word: str, expected: str) -> None:
    (parsed,) = parse([text])
    assert tense(next(token for token in parsed.doc if token.text == word)) == expected


# --- order and the ontology -----------------------------------------------------------------------------------------------


def test_what_is_said_more_often_comes_first() -> None:
    found = extract("The piano is old. I tuned the piano, since my piano sounded flat beside the guitar.")
    assert found.what[:2] == ("music/piano", "music/guitar")


def test_what_the_speaker_says_of_himself_comes_first() -> None:
    assert extract("The guitar hangs on the wall. I play the piano.").what[:2] == ("music/piano", "music/guitar")


def test_a_name_keeps_its_first_path() -> None:
    ontology = Ontology(["place/marlowe"])
    (found,) = extract_all([interaction("My friend Marlowe called.")], ontology=ontology)
    assert "place/marlowe" in found.paths
    assert "person/marlowe" not in found.paths


def test_a_name_does_not_take_the_path_of_a_common_noun_or_a_date() -> None:
    ontology = Ontology(["food/fruit/cherry", "date/2024/june"])
    (found,) = extract_all([interaction("My friend June met my sister Cherry.")], ontology=ontology)
    assert {"person/june", "person/cherry"} <= set(found.who)


def test_a_leaf_of_the_lexicon_is_never_filed_elsewhere() -> None:
    (found,) = extract_all([interaction("The museum was closed.")], ontology=Ontology(["building/museum"]))
    assert "arts/museum" in found.what


def test_the_ontology_holds_the_tags_when_they_are_yielded() -> None:
    ontology = Ontology()
    texts = ["I baked a cake.", "My dog Max barked."]
    queue = Rules().extract(Case("own", "case", ()), [interaction(text, id=str(n)) for n, text in enumerate(texts)], ontology)
    first = next(queue)
    assert ontology.paths == first.paths
    second = next(queue)
    assert ontology.paths == tuple(dict.fromkeys(first.paths + second.paths))


# --- speakers, captions, context ------------------------------------------------------------------------------------------


def test_in_an_exchange_both_speakers_are_extracted_from_but_are_no_tags() -> None:
    turns = (
        Turn("user", "Hi Mel, I finished the pottery class!", "Ann Lee"),
        Turn("assistant", "Wow, Ann! My dog Rex loves clay.", "Melanie"),
    )
    (found,) = extract_all([Interaction("s#1", "s", turns, 0, 1, WEDNESDAY)], "exchange", ("Ann Lee", "Melanie"))
    assert {"arts/pottery", "pets/dog"} <= set(found.what)
    assert found.who == ("pets/dog/rex",)


def test_a_speaker_who_is_introduced_is_no_tag_either() -> None:
    turns = (Turn("user", "My friend Ann and my friend Boris are here.", "Ann"), Turn("assistant", "Hi!", "Melanie"))
    (found,) = extract_all([Interaction("s#1", "s", turns, 0, 1)], "exchange", ("Ann", "Melanie"))
    assert set(found.who) == {"acquaintances/friend", "person/boris"}


def test_other_people_in_an_exchange_are_who() -> None:
    turns = (Turn("user", "My brother Walter moved in.", "Ann"), Turn("assistant", "Say hello to Walter!", "Melanie"))
    (found,) = extract_all([Interaction("s#1", "s", turns, 0, 1)], "exchange", ("Ann", "Melanie"))
    assert "person/walter" in found.who


def test_a_caption_and_the_context_before_a_round_give_no_tags() -> None:
    turns = (Turn("assistant", "Earlier we spoke of violins."), Turn("user", "Look at this!", caption="a red bicycle"))
    (found,) = extract_all([Interaction("s#1", "s", turns, 0, 1)])
    assert found.paths == ()


# --- the summary ----------------------------------------------------------------------------------------------------------


def test_the_summary_is_the_first_sentence_that_tells_something() -> None:
    found = extract("That's really helpful, thanks for the info! I repainted the hallway in green. It dried overnight.")
    assert found.summary == "I repainted the hallway in green."


def test_a_long_first_sentence_is_cut_at_40_words() -> None:
    found = extract("I planted " + ", ".join(f"roses and tulips {n}" for n in range(40)) + ".")
    assert len(found.summary.split()) == 40
    assert found.summary.endswith("…")


# --- texts that do not fit ------------------------------------------------------------------------------------------------


def test_what_does_not_fit_is_remarked_and_still_produced() -> None:
    texts = {
        "german": "Gestern habe ich mit der Katze gespielt und das war nicht schlecht.",
        "chinese": "昨天我用Python写了一个程序，非常开心。然后我睡觉了。",
        "code": "```\nx = 1\n```\nWhy is my sourdough flat?",
        "long": "The river is cold today. " * 3000,
        "blob": "Decode this: " + "QUJD" * 500,
        "empty": " \n ",
        "fine": "I tuned the piano.",
    }
    extractor = Rules()
    interactions = [interaction(text, id=name) for name, text in texts.items()]
    found = dict(zip(texts, extractor.extract(Case("own", "case", ()), interactions, Ontology()), strict=True))
    assert extractor.remarks == {
        "german": ("text is not in English",),
        "chinese": ("text is not in Latin letters",),
        "code": ("code was left out",),
        "long": ("only the first 2,000 characters were read",),
        "blob": ("encoded data or addresses were left out",),
        "empty": ("there is no user text",),
    }
    assert found["german"].paths == ()
    assert found["german"].summary == texts["german"]
    assert found["chinese"].paths == ("programming/python",)
    assert found["chinese"].summary == "昨天我用Python写了一个程序，非常开心。"
    assert "food/baking" in found["code"].what
    assert "nature/river" in found["long"].what
    assert found["empty"] == Extraction()


@pytest.mark.parametrize(
    "text",
    [
        "\ud800 my dog",
        "\x00\x07",
        "🎉🎂",
        "\n\n\n",
        "שלום עולם",
        "I " * 3000,
        "a" * 76_000,
        "\u202eI baked",
        "’s",
        "- - -",
        "{" * 300,
        "$ $5 $$",
    ],
)
def test_hostile_text_gives_an_extraction(text: str) -> None:
    found = extract(text)
    assert len(found.summary) <= 301
    found.summary.encode()
    assert normalised(found.paths) == found.paths


def normalised(paths: tuple[str, ...]) -> tuple[str | None, ...]:
    return tuple(map(normalise_path, paths))


def test_counts_and_remarks_are_those_of_the_latest_call() -> None:
    extractor, case = Rules(), Case("own", "case", ())
    list(extractor.extract(case, [interaction("")], Ontology()))
    list(extractor.extract(case, [interaction("I tuned the piano.")], Ontology()))
    assert extractor.remarks == {}


# --- the whole ------------------------------------------------------------------------------------------------------------


def test_the_same_texts_give_the_same_tags_in_whatever_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        "I baked bread with my aunt in Porto on Friday.",
        "Thanks!",
        "Kubernetes broke again, so I fixed the cluster.",
        "x" * 500,
    ] * 3
    interactions = [interaction(text, id=str(n)) for n, text in enumerate(texts)]
    case = Case("own", "case", ())
    whole = list(Rules().extract(case, interactions, Ontology()))
    assert whole == list(Rules().extract(case, interactions, Ontology()))
    monkeypatch.setattr("workbench.extract.rules.BATCH_SIZE", 1)
    assert whole == list(Rules().extract(case, interactions, Ontology()))


def test_extracting_touches_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("the offline extractor opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert extract("I met Emily in Toronto on April 1st.").paths


def test_a_configuration_that_is_not_installed_is_refused() -> None:
    with pytest.raises(ValueError, match="lexicon"):
        Rules(RulesConfig(lexicon="00000000"))


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(ValueError, match="user_chars must be 0 or more, not -1"):
        RulesConfig(user_chars=-1)


def test_it_is_registered() -> None:
    assert extractors["rules"] is Rules


def test_a_real_case_is_tagged_throughout(real_data: Path) -> None:
    """No note of a real LongMemEval case fails, few are left without tags, and topics recur from note to note."""
    from workbench.datasets.base import datasets
    from workbench.notes import interactions
    from workbench.records import Loaded

    loaded = next(iter(datasets["longmemeval"].read(real_data / "longmemeval" / "longmemeval_s_e47becba.json")))
    assert isinstance(loaded, Loaded)
    ontology = Ontology()
    found = list(Rules().extract(loaded.case, interactions(loaded.case), ontology))
    tagged = [extraction for extraction in found if extraction.paths]
    assert len(found) > 200
    assert len(tagged) > 0.95 * len(found)
    assert all(
        getattr(extraction, name) == tuple(dict.fromkeys(getattr(extraction, name)))
        for extraction in found
        for name in CATEGORIES
    )
    assert sum(len(extraction.paths) for extraction in found) > 1.5 * len(ontology)
