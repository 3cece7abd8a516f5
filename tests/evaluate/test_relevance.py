"""What answers a question, for every kind of gold."""

from __future__ import annotations

from workbench.evaluate.relevance import relevance
from workbench.records import Gold, Interaction, Note, Question, Turn


def note(session: str, number: int, *turns: tuple[str, str, str]) -> Note:
    made = tuple(Turn(role, text, ref=ref) for role, text, ref in turns)  # type: ignore[arg-type]
    return Note(Interaction(f"{session}#{number}", session, made, 0, number))


NOTES = [
    note("a", 1, ("user", "I moved to Turku in May", "a:1"), ("assistant", "Lovely.", "a:2")),
    note("a", 2, ("user", "My flat is small", "a:3"), ("assistant", "A bunk bed may help in Turku.", "a:4")),
    note("b", 1, ("user", "Rain again", "b:1")),
    note("b", 2, ("user", "Still rain", "b:2")),
]


def ask(**gold: tuple[str, ...]) -> Question:
    return Question("q", "?", gold=Gold(**gold))


def test_flagged_turns_name_the_notes() -> None:
    found = relevance(ask(sessions=("a",), turns=("a:4",)), NOTES)
    assert (found.notes, found.sessions, found.level) == ({"a#2"}, {"a"}, "turn")


def test_gold_session_without_flag_has_all_its_rounds_and_says_so() -> None:
    """Decision 12."""
    found = relevance(ask(sessions=("a", "b"), turns=("a:1",)), NOTES)
    assert (found.notes, found.sessions, found.level) == ({"a#1", "b#1", "b#2"}, {"a", "b"}, "session")


def test_turns_alone_give_their_sessions() -> None:
    found = relevance(ask(turns=("b:2", "a:3")), NOTES)
    assert (found.notes, found.sessions) == ({"b#2", "a#2"}, {"a", "b"})


def test_substrings_are_all_needed_unless_permissive() -> None:
    question = ask(substrings=("turku", "MAY"))
    assert relevance(question, NOTES).notes == {"a#1", "a#2"}
    question = ask(substrings=("turku", "moved"))
    assert relevance(question, NOTES).notes == {"a#1"}
    assert relevance(question, NOTES, permissive=True).notes == {"a#1", "a#2"}


def test_missing_gold_is_named() -> None:
    found = relevance(ask(sessions=("a", "z"), turns=("a:1", "z:9")), NOTES)
    assert found.missing == ("z", "z:9")
    assert relevance(ask(substrings=("nowhere",)), NOTES).missing == ("nowhere",)
    assert relevance(ask(notes=("a#1", "gone")), NOTES).missing == ("gone",)


def test_no_gold_is_told_from_gold_that_is_not_there() -> None:
    assert relevance(ask(), NOTES).level == "none"
    assert relevance(ask(notes=("gone",)), NOTES).level == "note"
