"""Entries by rules: whose turns, which words, values, names and dates; and each note is read once."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from ariadne_dialogues import MAY, at, config, talk
from builders import memory_of, note

from workbench.ariadne import index as index_module
from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.entries import Entry, spoken_date
from workbench.ariadne.index import utterances_of
from workbench.extract.dates import relative_dates
from workbench.memory import Memory
from workbench.records import Interaction, Note, Turn

FRIDAY = at(MAY, 3, 10)


def read(text: str, time: datetime | None = FRIDAY, speaker: str = "Ana") -> Entry:
    (found,) = utterances_of(talk((time, speaker, text)), config())
    return found


def test_a_relative_date_is_resolved_in_the_restatement_and_stays_out_of_the_bare_text() -> None:
    found = read("I met Priya yesterday.")
    assert found.text == "I met Priya yesterday."
    assert found.restatement == "Ana on 3 May 2024: I met Priya yesterday (2 May 2024)."
    assert found.values["date"] == {"date/2024/may_2"}


def test_what_is_moved_to_a_weekday_will_be_on_that_day() -> None:
    assert "Friday (10 May 2024)" in read("The meeting has been moved to Friday.", at(MAY, 6)).restatement


def test_an_undated_utterance_is_restated_without_a_day() -> None:
    assert read("I met Priya.", None).restatement == "Ana: I met Priya."


def test_numbers_times_dates_negations_and_names_are_always_keywords() -> None:
    found = read("Will is not in on the 3rd of May at 2 pm, only for 4 days.")
    assert {"not", "3rd", "may", "2", "pm", "4"} <= found.keywords
    assert not found.keywords & {"is", "in", "the", "of", "at"}
    assert found.values["number"] == {"4"}
    assert found.values["negation"] == {"not"}
    assert found.values["time"] == {"time/2_pm"}


def test_a_contraction_negates_and_leaves_no_letter_behind() -> None:
    found = read("I don't eat meat.")
    assert "not" in found.keywords
    assert not found.keywords & {"t", "don"}


def test_names_lose_their_titles_and_speakers_are_persons() -> None:
    found = read("The bakery on Mill Street belongs to Mr Okafor.", speaker="Lena")
    assert {"okafor", "mill_street", "bakery"} <= found.entities | found.persons
    assert "lena" in found.persons
    assert found.location == "mill_street"


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("I moved.", "speaker/ana"),
        ("The meeting is over.", "meeting"),
        ("Tom left.", "tom"),
        ("It rained.", None),
        ("Thanks!", None),
    ],
)
def test_the_subject_is_a_noun_a_name_or_who_speaks(text: str, subject: str | None) -> None:
    assert read(text).subject == subject


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("How did it go?", True),
        ("Do you like it", True),
        ("What a day.", False),
        ("I asked what it was.", False),
        ("It is late.", False),
    ],
)
def test_questions_are_told_from_statements(text: str, asks: bool) -> None:
    assert read(text).is_question is asks


def exchange(*turns: Turn) -> Memory:
    return Memory([Note(Interaction("s#1", "s", turns, 0, 1, MAY))], ("Ana", "Ben"))


def test_both_people_of_a_talk_are_read_and_an_assistant_only_on_request() -> None:
    two = exchange(Turn("user", "I sing.", "Ana", "D1:1"), Turn("assistant", "I dance.", "Ben", "D1:2"))
    assert [each.refs for each in utterances_of(two, config())] == [("D1:1",), ("D1:2",)]
    round_ = memory_of(note("n", user="I sing.", assistant="Songs are fine."))
    assert [each.text for each in utterances_of(round_, config())] == ["I sing."]
    assert len(utterances_of(round_, config(assistant_turns=True))) == 2


def test_a_caption_is_retrieved_but_gives_no_keyword() -> None:
    (found,) = utterances_of(exchange(Turn("user", "Look at this.", "Ana", "D1:1", "a zebra on a raft")), config())
    assert "zebra" in found.restatement
    assert "zebra" in found.words
    assert not {"zebra", "raft"} & found.keywords
    (found,) = utterances_of(exchange(Turn("user", "", "Ana", "D1:1", "a zebra on a raft")), config())
    assert "zebra" in found.text


def test_what_is_not_english_still_gives_an_entry() -> None:
    found = read("Ich habe gestern die Katze und den Hund nicht gesehen, weil ich mit der Bahn für drei Tage auf Reisen bin.")
    assert "katz" in {word[:4] for word in found.keywords}
    assert not found.entities


def test_only_new_notes_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    real = index_module.read_notes

    def counted(notes: list[Note], participants: tuple[str, ...], given: AriadneConfig) -> object:
        parsed.extend(note.id for note in notes)
        return real(notes, participants, given)

    monkeypatch.setattr(index_module, "read_notes", counted)
    memory = memory_of(note("a", user="I sing."), note("b", user="I dance.", day=2))
    utterances_of(memory, config())
    memory.add(note("c", user="I paint.", day=1))
    assert [each.note_id for each in utterances_of(memory, config())] == ["c", "a", "b"]
    assert sorted(parsed) == ["a", "b", "c"]
    edited = memory.edited({"a": note("a", "arts/song", user="I sing.")})  # other tags, the same words
    utterances_of(edited, config())
    assert len(parsed) == 3


def test_dates_are_written_as_people_do() -> None:
    (found,) = relative_dates("last week", date(2024, 5, 8), lambda at: "past")
    assert found.path is not None
    assert spoken_date(found.path) == "29 April to 5 May 2024"
    assert spoken_date("date/2024/spring") == "Spring 2024"
    assert spoken_date("date/2024") == "2024"
    assert spoken_date("date/friday") == "Friday"
    assert spoken_date("date/may_20") == "20 May"
