"""The workbench's own JSON lines: reading, and writing what reads back equal."""

from __future__ import annotations

import json
import tempfile
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import HISTORY, LOCOMO, LONGMEMEVAL, load, only, write

from workbench.datasets.history import write_jsonl
from workbench.errors import BadInput
from workbench.notes import interactions
from workbench.records import Case, Extraction, Gold, Note, Question, Session, Turn


def lines(path: Path, *records: object) -> Path:
    path.write_text("\n".join(record if isinstance(record, str) else json.dumps(record) for record in records))
    return path


def test_turns_sessions_and_questions_make_a_case(tmp_path: Path) -> None:
    case, findings = only(lines(tmp_path / "a.jsonl", *HISTORY))
    assert (case.key, case.title, findings) == ("mine/garden", "A summer", [])
    may, june = case.sessions
    assert (may.id, may.time, [turn.ref for turn in may.turns]) == ("may", datetime(2024, 5, 2, 18, 30), ["may:0", "may:1"])
    assert june.turns == (Turn("user", "They are up!", "Eva", "x", "a pot"),)
    (question,) = case.questions
    assert (question.id, question.answer, question.gold) == ("q0", "2 May", Gold(sessions=("may",), turns=("may:0",)))


def test_without_a_case_line_the_file_names_the_case(tmp_path: Path) -> None:
    case, _ = only(lines(tmp_path / "diary.jsonl", {"session": "a", "role": "user", "text": "x"}))
    assert case.key == "history/diary"


def test_a_file_may_hold_several_cases_and_be_one_list(tmp_path: Path) -> None:
    turn = {"session": "a", "role": "user", "text": "x"}
    records = [{"case": "one"}, turn, {"case": "two", "unit": "passage"}, turn, turn]
    loaded, _ = load(write(tmp_path / "a.json", records))
    assert [(one.case.key, one.case.unit, one.kept) for one in loaded] == [
        ("history/one", "round", 2),
        ("history/two", "passage", 3),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{oops", "not JSON"),
        ({"session": "a", "role": "tool", "text": "x"}, "role 'tool' is not user or assistant"),
        ({"session": "a", "role": "user", "text": "x", "ref": "may:0"}, "turn ref 'may:0' comes again"),
        ({"session": "b", "position": "x", "role": "user", "text": "x"}, "a whole number expected, found 'x'"),
        ({"question": " "}, "no question"),
        ({"what": 1}, "needs a field 'session'"),
        ([1], "an object expected, found a list"),
        ({"case": "x", "unit": "day"}, "unit 'day' is not one of round, exchange, passage"),
    ],
)
def test_a_broken_line_is_reported_and_the_rest_read(tmp_path: Path, line: object, reason: str) -> None:
    loaded, findings = load(lines(tmp_path / "a.jsonl", *HISTORY, line, {"session": "may", "role": "user", "text": "last"}))
    (one,) = loaded
    assert one.case.sessions[0].turns[-1].text == "last"
    ((found),) = findings
    assert (found.position.split(".")[0], found.is_record) == ("line 6", True)
    assert reason in found.reason
    assert one.kept + one.repaired == 6


def test_gold_that_the_history_does_not_hold_is_reported(tmp_path: Path) -> None:
    question = {"question": "Who?", "gold": {"turns": ["may:0", "may:9"], "sessions": ["july"], "notes": ["may#1", "may#7"]}}
    case, findings = only(lines(tmp_path / "a.jsonl", *HISTORY[:3], question))
    assert case.questions[0].gold == Gold(turns=("may:0",), notes=("may#1",))
    assert len(case.questions[0].remarks) == len(findings) == 3


def test_notes_bring_their_tags_and_their_sessions(tmp_path: Path) -> None:
    turns = [{"role": "user", "text": "x"}]
    records = [{"note": f"s#{n}", "turns": turns, "what": ["a/b"], "summary": "short"} for n in (2, 1)]
    case, findings = only(lines(tmp_path / "a.jsonl", *records))
    assert [(note.id, note.extraction.what, note.interaction.round) for note in case.notes] == [
        ("s#1", ("a/b",), 1),
        ("s#2", ("a/b",), 2),
    ]
    assert [(s.id, len(s.turns)) for s in case.sessions] == [("s", 2)]
    assert findings == []


def test_a_file_without_turns_says_what_a_line_is_like(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no turn in it; a line is like"):
        load(lines(tmp_path / "a.jsonl", {"question": "Who?", "gold": {}}))


@pytest.mark.parametrize("sample", [LONGMEMEVAL, LOCOMO])
def test_a_case_of_another_format_is_exported_and_read_back_equal(tmp_path: Path, sample: object) -> None:
    case, _ = only(write(tmp_path / "a.json", [sample]))
    write_jsonl(case, tmp_path / "b.jsonl")
    again, findings = only(tmp_path / "b.jsonl")
    assert again == case
    assert findings == []


text = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff") | st.sampled_from("\n\t\r"), max_size=12
)
name = text.filter(bool)
times = st.none() | st.datetimes()


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sessions = []
    for position, identity in enumerate(draw(st.lists(name, min_size=1, max_size=3, unique=True))):
        said = draw(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), text, text, text), max_size=4))
        turns = tuple(Turn(role, words, who, f"{position}.{i}", seen) for i, (role, words, who, seen) in enumerate(said))
        sessions.append(Session(identity, turns, position * 2, draw(times), draw(text)))
    case = Case("b", draw(name), tuple(sessions), unit=draw(st.sampled_from(["round", "exchange", "passage"])), title=draw(text))
    notes = (
        tuple(Note(one, Extraction(what=("a/b",), summary=draw(text))) for one in interactions(case))
        if draw(st.booleans())
        else ()
    )
    refs = [turn.ref for session in sessions for turn in session.turns]
    gold = Gold(
        (sessions[0].id,), tuple(refs[:2]), tuple(note.id for note in notes[:1]), draw(st.lists(text, max_size=2).map(tuple))
    )
    asked = draw(st.lists(name.filter(str.strip), max_size=2))
    questions = tuple(
        Question(
            f"q{i}",
            words,
            draw(st.none() | text),
            draw(text),
            gold,
            draw(times),
            draw(text),
            draw(st.lists(text, max_size=2).map(tuple)),
        )
        for i, words in enumerate(asked)
    )
    return Case(
        case.benchmark,
        case.id,
        case.sessions,
        questions,
        case.unit,
        case.title,
        draw(st.lists(name, max_size=2).map(tuple)),
        notes,
    )


@settings(max_examples=150, deadline=None)
@given(cases())
def test_what_is_written_reads_back_equal(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.jsonl"
        write_jsonl(case, path)
        again, findings = only(path, "history")
    assert again == case
    assert findings == []
