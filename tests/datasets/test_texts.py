"""Folders of Markdown notes, plain Markdown and transcripts."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from samples import load, only

from workbench.datasets.read import detect
from workbench.datasets.texts import is_transcript, speaker_turns
from workbench.errors import BadInput
from workbench.notes import interactions, to_markdown, write_notes
from workbench.records import Extraction, Interaction, Note, Turn


def note(number: int, session: str = "may", **tags: tuple[str, ...]) -> Note:
    said = (Turn("user", f"I said {number}.", ref=f"{session}:{number}"), Turn("assistant", "Good."))
    return Note(Interaction(f"{session}#{number}", session, said, 3, number, datetime(2024, 5, 2)), Extraction(**tags))


def test_a_folder_of_our_notes_is_read_back_with_its_tags(tmp_path: Path) -> None:
    notes = (note(1, what=("a/b",)), note(2), note(10, who=("eva",)))
    write_notes(reversed(notes), tmp_path / "mine")
    case, findings = only(tmp_path / "mine")
    assert (case.key, case.notes, findings) == ("notes/mine", notes, [])
    (session,) = case.sessions
    assert session.turns == tuple(turn for one in notes for turn in one.interaction.turns)
    assert (session.id, session.position, session.time) == ("may", 3, datetime(2024, 5, 2))
    assert interactions(case) == tuple(one.interaction for one in notes)


def test_foreign_markdown_is_plain_text_of_its_own_session(tmp_path: Path) -> None:
    (tmp_path / "v" / "sub").mkdir(parents=True)
    (tmp_path / "v" / "2024-01-02 walk.md").write_text("# Walk\n\nWe saw a heron.\n")
    (tmp_path / "v" / "sub" / "b.md").write_text("---\nid: b\ndate: 2023-07-08\n---\nText\n")
    (tmp_path / "v" / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "v" / ".obsidian").mkdir()
    (tmp_path / "v" / ".obsidian" / "c.md").write_text("hidden")
    case, findings = only(tmp_path / "v")
    assert [(s.id, s.time, len(s.turns)) for s in case.sessions] == [
        ("2024-01-02 walk", datetime(2024, 1, 2), 1),
        ("sub/b", datetime(2023, 7, 8), 1),
    ]
    assert case.sessions[0].turns[0].text == "# Walk\n\nWe saw a heron."
    assert case.notes == ()
    assert findings == []


def test_notes_and_plain_markdown_together_are_all_notes(tmp_path: Path) -> None:
    write_notes([note(1, what=("a/b",))], tmp_path)
    (tmp_path / "plain.md").write_text("Hello.")
    case, _ = only(tmp_path)
    assert {(one.id, one.extraction.what) for one in case.notes} == {("may#1", ("a/b",)), ("plain#1", ())}
    assert [s.id for s in case.sessions] == ["may", "plain"]


def test_a_damaged_or_repeated_note_is_reported_and_the_rest_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(to_markdown(note(1)))
    (tmp_path / "b.md").write_text(to_markdown(note(1)))
    (tmp_path / "c.md").write_text("---\nid: c#1\nround: one\n---\n## User\nx")
    (tmp_path / "d.md").write_text("")
    loaded, findings = load(tmp_path)
    assert [len(one.case.notes) for one in loaded] == [1]
    assert [(Path(one.file).name, one.is_record) for one in findings] == [("b.md", True), ("c.md", True), ("d.md", True)]
    assert "'round' must be a whole number, not 'one'" in findings[1].reason


@pytest.mark.parametrize(
    "text",
    [
        "User: Hi there\nAssistant: Hello.\nHow are you?\n",
        "**User:** Hi there\n\n**Assistant:** Hello.\nHow are you?",
        "**User**: Hi there\n\n**Assistant**: Hello.\nHow are you?",
        "You said:\nHi there\nChatGPT said:\nHello.\nHow are you?",
        "### User\n\nHi there\n\n### Assistant\n\nHello.\nHow are you?",
        "human: Hi there\r\nAI: Hello.\r\nHow are you?\r\n",
        "[10:32] Me: Hi there\n[10:33] Claude: Hello.\nHow are you?",
        "Q: Hi there\nA: Hello.\nHow are you?",
        "> User (10:32): Hi there\n> GPT-4o (10:33): Hello.\nHow are you?",
    ],
)
def test_speakers_are_known_in_many_spellings(text: str) -> None:
    head, turns = speaker_turns(text)
    assert head == ""
    assert [(turn.role, turn.text) for turn in turns] == [("user", "Hi there"), ("assistant", "Hello.\nHow are you?")]
    assert is_transcript(text)


@pytest.mark.parametrize(
    "text", ["", "Hello", "User: hi", "Note: a\nTodo: b", "Assistant: a\nAssistant: b", "The user: an essay\nAnd more"]
)
def test_other_text_is_no_transcript(text: str) -> None:
    assert not is_transcript(text)


def test_code_blocks_begin_no_turn() -> None:
    _, turns = speaker_turns("User: read this\n```\nAssistant: no\n```\nAssistant: yes")
    assert [turn.role for turn in turns] == ["user", "assistant"]


def test_a_transcript_is_a_session_and_a_folder_of_them_a_case(tmp_path: Path) -> None:
    (tmp_path / "2024-03-04.txt").write_text("My talk\nUser: a\nAssistant: b\nUser: c")
    (tmp_path / "later.md").write_text("date: 2024-05-06\nUser: d\nAssistant: e")
    case, findings = only(tmp_path)
    assert detect(tmp_path) == "transcripts"
    assert [(s.id, s.time, [turn.ref for turn in s.turns]) for s in case.sessions] == [
        ("2024-03-04", datetime(2024, 3, 4), ["2024-03-04:0", "2024-03-04:1", "2024-03-04:2"]),
        ("later", datetime(2024, 5, 6), ["later:0", "later:1"]),
    ]
    assert findings == ["line 1: quarantined: 2 words in front of the first speaker were left out"]
    single, _ = only(tmp_path / "2024-03-04.txt")
    assert single.key == "transcripts/2024-03-04"
    assert len(interactions(single)) == 2


def test_text_without_speakers_is_no_known_format(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("just words")
    with pytest.raises(BadInput, match="text that begins with 'just words'"):
        load(path)


def test_latin_1_and_utf_16_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("User: café\nAssistant: oui".encode("latin-1"))
    case, findings = only(tmp_path / "a.txt")
    assert case.sessions[0].turns[0].text == "café"
    assert "not UTF-8 read as Windows-1252" in findings[0]
    for encoding in ("utf-16", "utf-16-le", "utf-8-sig"):
        (tmp_path / "b.txt").write_bytes("User: café\nAssistant: oui".encode(encoding))
        case, findings = only(tmp_path / "b.txt")
        assert case.sessions[0].turns[0].text == "café"
        assert findings == []
