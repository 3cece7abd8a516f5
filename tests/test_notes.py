"""Splitting into interactions, the Markdown of a note, its indexed text and its file."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.notes import FIELDS, from_markdown, full_text, interactions, is_note, to_markdown, write_notes
from workbench.records import Case, Extraction, Interaction, Note, Session, Turn


def turns(pattern: str) -> tuple[Turn, ...]:
    """``"uaA"``: one turn a letter, u or U for the user; its text is letter and index."""
    return tuple(Turn("user" if c in "uU" else "assistant", f"{c}{i}") for i, c in enumerate(pattern))


def rounds(pattern: str, unit: str = "round") -> list[str]:
    case = Case("b", "c", (Session("s", turns(pattern), 0),), unit=unit)  # type: ignore[arg-type]
    return ["".join(turn.text[0] for turn in one.turns) for one in interactions(case)]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("uaua", ["ua", "ua"]),
        ("uaaua", ["uaa", "ua"]),
        ("uua", ["u", "ua"]),
        ("uau", ["ua", "u"]),
        ("aauau", ["aaua", "u"]),
        ("aa", ["aa"]),
        ("", []),
    ],
)
def test_a_round_is_a_user_turn_with_its_replies(pattern: str, expected: list[str]) -> None:
    assert rounds(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"), [("uuaauua", ["uuaa", "uua"]), ("ua", ["ua"]), ("uu", ["uu"]), ("uau", ["ua", "u"])]
)
def test_an_exchange_is_the_first_speaker_then_the_other(pattern: str, expected: list[str]) -> None:
    assert rounds(pattern, "exchange") == expected


def test_a_passage_is_one_turn() -> None:
    assert rounds("uuau", "passage") == ["u", "u", "a", "u"]


def test_leading_assistant_turns_are_context_of_the_same_session_only() -> None:
    case = Case("b", "c", (Session("s", turns("a"), 0), Session("t", turns("aua"), 1)))
    first, second = interactions(case)
    assert (first.id, first.user, first.context) == ("s#1", "", "a0")
    assert (second.id, second.context, second.user, second.assistant) == ("t#1", "a0", "u1", "a2")


def test_order_is_time_then_position_then_round() -> None:
    late, early = datetime(2023, 5, 2), datetime(2023, 5, 1)
    sessions = (Session("b", turns("uau"), 0, late), Session("a", turns("ua"), 1, early), Session("n", turns("u"), 2))
    assert [one.id for one in interactions(Case("b", "c", sessions))] == ["n#1", "a#1", "b#1", "b#2"]


def test_a_case_with_notes_gives_their_interactions() -> None:
    notes = tuple(Note(Interaction(f"s#{i}", "s", turns("u"), 0, i)) for i in (2, 1))
    assert [one.id for one in interactions(Case("b", "c", (), notes=notes))] == ["s#1", "s#2"]


def test_full_text_holds_all_fields_and_captions_and_splits_tags() -> None:
    said = (Turn("assistant", "before"), Turn("user", "hello", caption="a cat"), Turn("assistant", "reply"))
    note = Note(Interaction("s#1", "s", said, 0, 1), Extraction(what=("place/new_museum",), who=("x",), summary="short"))
    assert full_text(note).split("\n") == ["x", "place new museum", "short", "before", "hello", "[image: a cat]", "reply"]
    assert full_text(note, ("user",)) == "hello\n[image: a cat]"
    assert full_text(note, {"assistant"}) == "before\nreply"
    with pytest.raises(ValueError, match=r"context.*known: tags"):
        full_text(note, ("context",))
    assert full_text(note, ()) == ""
    assert set(FIELDS) == {"tags", "summary", "user", "assistant"}


_hostile = st.sampled_from(
    [
        "## User",
        "\\## User",
        "\\\\## assistant  ",
        "---",
        "",
        "## Summary\r\n",
        "id: x",
        " a ",
        "\n\n",
        "# x",
        "```",
        "\u2028",
        "\x85",
    ]
)
_text = st.one_of(
    st.text(max_size=40),
    st.lists(st.one_of(_hostile, st.text(max_size=12)), max_size=6).map("\n".join),
    st.sampled_from(["2023-01-01", "yes", "null", "~", "1", "'", '"', "[a]", "{", "- a", "# c", "a: b", "\ufeff", "\x00", "😀"]),
)
_paths = st.lists(_text.filter(bool), max_size=3).map(tuple)
_turn = st.builds(Turn, role=st.sampled_from(["user", "assistant"]), text=_text, speaker=_text, ref=_text, caption=_text)
_interaction = st.builds(
    Interaction,
    id=_text.filter(bool),
    session_id=_text.filter(bool),
    turns=st.lists(_turn, max_size=4).map(tuple),
    position=st.integers(0, 10**6),
    round=st.integers(1, 10**6),
    time=st.none() | st.datetimes() | st.datetimes(timezones=st.timezones()).map(lambda t: t.replace(tzinfo=None)),
    time_text=_text,
)
_extraction = st.builds(Extraction, who=_paths, what=_paths, when=_paths, where=_paths, why=_paths, extra=_paths, summary=_text)


@settings(max_examples=400, deadline=None)
@given(st.builds(Note, interaction=_interaction, extraction=_extraction))
def test_markdown_reads_back_to_the_same_note(note: Note) -> None:
    text = to_markdown(note)
    assert from_markdown(text) == note
    assert from_markdown(text.encode().decode()) == note
    assert is_note(text)


@pytest.mark.parametrize(
    "text", ["", "# Title", "---\nid: intro\ntitle: Docs\n---\n# Intro", "---\n---\nid: a\nsession: b", "id: a\nround: 1"]
)
def test_other_markdown_is_no_note(text: str) -> None:
    assert not is_note(text)


def test_markdown_layout() -> None:
    said = (Turn("assistant", "Hi."), Turn("user", "## User\nmy cat", ref="s:1"), Turn("assistant", "Nice."))
    one = Interaction("s#1", "s", said, 3, 1, datetime(2023, 5, 20, 2, 21), "2023/05/20 (Sat) 02:21")
    note = Note(one, Extraction(who=("me",), what=("pet/cat", "year/2023"), summary="A cat."))
    assert to_markdown(note) == (
        "---\nid: s#1\nsession: s\ntime: 2023-05-20 02:21:00\ntime_text: 2023/05/20 (Sat) 02:21\nposition: 3\nround: 1\n"
        "who: [me]\nwhat: [pet/cat, year/2023]\nturns:\n- {}\n- {ref: 's:1'}\n- {}\n---\n\n"
        "## Summary\n\nA cat.\n\n## Context\n\nHi.\n\n## User\n\n\\## User\nmy cat\n\n## Assistant\n\nNice.\n"
    )


def test_a_note_written_by_hand_is_read() -> None:
    note = from_markdown("---\r\nid: monday#2\r\nwhen: 2023, yes\r\n---\r\n## user\r\nI met Ann.\r\n## Assistant\r\nGood.")
    assert note.id == "monday#2"
    assert (note.session_id, note.interaction.round, note.interaction.position) == ("monday", 2, 0)
    assert note.extraction.when == ("2023", "yes")
    assert [(turn.role, turn.text) for turn in note.interaction.turns] == [("user", "I met Ann."), ("assistant", "Good.")]


def test_a_time_with_a_zone_becomes_utc_without_one() -> None:
    note = from_markdown("---\nid: a#1\ntime: 2024-05-02T18:30+02:00\n---\n## User\nx")
    assert note.interaction.time == datetime(2024, 5, 2, 16, 30)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no front matter"),
        ("plain", "no front matter"),
        ("---\nid: a", "not closed"),
        ("---\nsession: a\n---\n## User\nx", "no id"),
        ("---\nid: a\n---\njust text", "no heading"),
        ("---\nid: a\n---\nstray\n## User\nx", "in front of its first heading: 'stray'"),
        ("---\nid: [a]\n---\n## User\nx", "'id' must be one text"),
        ("---\nid: a\nround: two\n---\n## User\nx", "'round' must be a whole number, not 'two'"),
        ("---\nid: a\ntime: Monday\n---\n## User\nx", "'time' must be like 2023-05-20 14:30, not 'Monday'"),
        ("---\nid: a\nwho: {b: c}\n---\n## User\nx", "'who' must be a list"),
        ("---\nid: a\nturns: [{ref: x}]\n---\n## User\nx\n## User\ny", "each of its 2 turn headings"),
        ("---\nid: a\n---\n## Summary\nx\n## Summary\ny", "2 headings '## Summary'"),
        ("---\nid: 'a\n---\n## User\nx", "not YAML"),
        ("---\n- a\n---\n## User\nx", "'name: value'"),
        ("---\nid: " + "[" * 5000 + "\n---\n## User\nx", "not YAML"),
        ("---\nid: " + "a" * 1_000_001 + "\n---\n## User\nx", "at most 1,000,000"),
    ],
)
def test_a_file_that_is_no_note_says_what_is_missing(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says.replace("(", r"\(").replace("'## ", r"'## ")):
        from_markdown(text)


def test_hostile_ids_get_safe_distinct_file_names(tmp_path) -> None:  # type: ignore[no-untyped-def]
    ids = [
        "../x",
        "..",
        ".",
        "/etc/passwd",
        "a#1",
        "A#1",
        "😀",
        "🙃",
        "con",
        "NUL",
        "x" * 400,
        "x" * 401,
        "a b",
        "a_b",
        "é",
        "",
        "a\nb",
    ]
    notes = [Note(Interaction(identity, "s", (Turn("user", "naïve\r\n😀"),), 0, 1)) for identity in ids]
    paths = write_notes(notes, tmp_path / "out")
    assert {path.parent for path in paths} == {tmp_path / "out"}
    assert len({path.name.casefold() for path in paths}) == len(ids)
    assert all(path.name.isascii() and len(path.name) < 130 and path.name[0] not in ".-" for path in paths)
    assert paths[4].name == "a#1.md"
    assert [from_markdown(path.read_bytes().decode()).id for path, identity in zip(paths, ids, strict=True) if identity] == [
        identity for identity in ids if identity
    ]
