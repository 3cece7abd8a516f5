"""LongMemEval records, and every oddity that the published files have."""

from __future__ import annotations

import gzip
import json
from datetime import datetime
from pathlib import Path

import pytest
from samples import LONGMEMEVAL, changed, load, only, write

from workbench.datasets.longmemeval import MANY_SESSIONS, benchmark_of, is_abstention
from workbench.errors import BadInput


def test_a_record_becomes_a_case_with_its_question_and_gold(tmp_path: Path) -> None:
    case, findings = only(write(tmp_path / "longmemeval_s.json", [LONGMEMEVAL]))
    assert (case.key, case.unit, findings) == ("longmemeval_s/q1", "round", [])
    assert [(s.id, s.position, s.time) for s in case.sessions] == [
        ("filler_1", 0, datetime(2023, 5, 2, 9, 0)),
        ("answer_1", 1, datetime(2023, 5, 1, 9, 30)),
    ]
    (question,) = case.questions
    assert (question.answer, question.type, question.time) == ("a heron", "multi-session", datetime(2023, 5, 30, 23, 40))
    assert (question.gold.sessions, question.gold.turns) == (("answer_1",), ("answer_1:1",))
    assert case.sessions[1].turns[1].ref == "answer_1:1"
    assert question.remarks == ()
    assert not is_abstention(question)


@pytest.mark.parametrize("name", ["d.json", "d.json.gz", "d.jsonl"])
def test_json_gzip_and_lines_give_the_same_cases(tmp_path: Path, name: str) -> None:
    records = [LONGMEMEVAL, changed(LONGMEMEVAL, question_id="q2_abs")]
    text = "\n".join(map(json.dumps, records)) if name.endswith("l") else json.dumps(records, indent=1)
    (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    loaded, _ = load(tmp_path / name)
    assert [one.case.id for one in loaded] == ["q1", "q2_abs"]
    assert loaded[0].case == only(write(tmp_path / "other.json", [LONGMEMEVAL]))[0]
    assert [is_abstention(one.case.questions[0]) for one in loaded] == [False, True]


@pytest.mark.parametrize(
    ("name", "sessions", "answers", "expected"),
    [
        ("longmemeval_s_cleaned.json", ["a"], ["a"], "longmemeval_s"),
        ("longmemeval_oracle.json", ["a", "b"], ["a"], "longmemeval_oracle"),
        ("LongMemEval_M.json", ["a"], ["a"], "longmemeval_m"),
        ("mine.json", ["a", "b"], ["a", "b", "c"], "longmemeval_oracle"),
        ("mine.json", ["a", "b"], ["a"], "longmemeval_s"),
        ("mine.json", ["a"], [], "longmemeval_s"),
        ("mine.json", [str(i) for i in range(MANY_SESSIONS)], ["1"], "longmemeval_m"),
        ("mine.json", [str(i) for i in range(MANY_SESSIONS - 1)], ["1"], "longmemeval_s"),
    ],
)
def test_the_benchmark_is_in_the_name_or_the_first_record(
    tmp_path: Path, name: str, sessions: list[str], answers: list[str], expected: str
) -> None:
    record = changed(LONGMEMEVAL, haystack_session_ids=sessions, answer_session_ids=answers)
    assert benchmark_of(write(tmp_path / name, [record])) == expected


def test_one_file_is_one_benchmark(tmp_path: Path) -> None:
    oracle_like = changed(LONGMEMEVAL, question_id="q2", answer_session_ids=["answer_1", "filler_1"])
    loaded, _ = load(write(tmp_path / "mine.json", [LONGMEMEVAL, oracle_like]))
    assert [one.case.benchmark for one in loaded] == ["longmemeval_s", "longmemeval_s"]


def test_a_session_that_comes_twice_is_counted_once_where_it_came_first(tmp_path: Path) -> None:
    record = changed(
        LONGMEMEVAL,
        haystack_session_ids=["a", "answer_1", "a"],
        haystack_dates=["2023/05/02 (Tue) 09:00", "2023/05/01 (Mon) 09:30", "2023/05/09 (Tue) 09:00"],
        haystack_sessions=[*LONGMEMEVAL["haystack_sessions"], LONGMEMEVAL["haystack_sessions"][0]],
    )
    case, findings = only(write(tmp_path / "s.json", [record]))
    assert [(s.id, s.position, s.time and s.time.day) for s in case.sessions] == [("a", 0, 2), ("answer_1", 1, 1)]
    assert findings == [
        "[0].haystack_sessions[2]: repaired: session 'a' comes again with the same turns: counted once, where it came first"
    ]


def test_a_repeated_id_over_other_turns_loses_nothing(tmp_path: Path) -> None:
    case, findings = only(write(tmp_path / "s.json", [changed(LONGMEMEVAL, haystack_session_ids=["answer_1", "answer_1"])]))
    assert [s.id for s in case.sessions] == ["answer_1", "answer_1 (2)"]
    assert "kept as 'answer_1 (2)'" in findings[0]
    refs = [turn.ref for s in case.sessions for turn in s.turns]
    assert len(set(refs)) == len(refs) == 5


def test_numbers_blank_turns_and_strange_characters_are_mended(tmp_path: Path) -> None:
    turns = [
        {"role": "user", "content": "  "},
        {"role": "Human", "content": 42},
        {"role": "assistant", "content": "a\x00b\x0bc\ud800"},
        {"role": "assistant"},
    ]
    record = changed(LONGMEMEVAL, answer=3, haystack_sessions=[turns, LONGMEMEVAL["haystack_sessions"][1]], question_date="soon")
    loaded, _ = load(write(tmp_path / "s.json", [record]))
    (one,) = loaded
    assert (one.kept, one.repaired) == (0, 1)
    assert [(turn.role, turn.text) for turn in one.case.sessions[0].turns] == [
        ("user", "  "),
        ("user", "42"),
        ("assistant", "a\ufffdb\nc\ufffd"),
        ("assistant", ""),
    ]
    assert one.case.questions[0].answer == "3"
    assert (one.case.questions[0].time, one.case.questions[0].time_text) == (None, "soon")
    here = "[0].haystack_sessions[0]"
    assert sorted(f.position for f in one.findings if f.level == "repaired") == sorted(
        ["[0].question_date", "[0].answer", f"{here}[1].role", f"{here}[1].content", f"{here}[3].content"]
        + [f"{here}[2].content"] * 3
    )


def test_parts_that_cannot_be_used_are_set_aside_and_the_rest_kept(tmp_path: Path) -> None:
    sessions = [[{"role": "tool", "content": "x"}, "oops", {"role": "user", "content": ["a"]}], "oops"]
    case, findings = only(write(tmp_path / "s.json", [changed(LONGMEMEVAL, haystack_sessions=sessions)]))
    assert [(s.id, s.turns) for s in case.sessions] == [("filler_1", ())]
    assert findings == [
        "[0].haystack_sessions[0][0].role: quarantined: role 'tool' is not user or assistant; the turn was left out",
        "[0].haystack_sessions[0][1]: quarantined: an object expected, found text; the turn was left out",
        "[0].haystack_sessions[0][2].content: quarantined: text expected, found a list; the turn was left out",
        "[0].haystack_sessions[1]: quarantined: a list expected, found text; the session was left out",
        "[0].answer_session_ids: quarantined: answer session 'answer_1' is not in the haystack",
    ]
    assert case.questions[0].gold.sessions == ()
    assert case.questions[0].remarks == ("answer session 'answer_1' is not in the haystack",)


def test_dates_that_do_not_line_up_are_not_used(tmp_path: Path) -> None:
    case, findings = only(write(tmp_path / "s.json", [changed(LONGMEMEVAL, haystack_dates=["2023/05/02 (Tue) 09:00"])]))
    assert [s.time for s in case.sessions] == [None, None]
    assert findings == ["[0].haystack_dates: repaired: 1 dates for 2 sessions: none is used"]


@pytest.mark.parametrize(
    ("record", "position", "reason"),
    [
        (changed(LONGMEMEVAL, haystack_session_ids=["a"]), "[0].haystack_session_ids", "1 session ids for 2 sessions"),
        (changed(LONGMEMEVAL, question_id=...), "[0].question_id", "no id"),
        (changed(LONGMEMEVAL, question=" "), "[0].question", "no question"),
        (changed(LONGMEMEVAL, haystack_sessions={}), "[0].haystack_sessions", "a list expected, found an object"),
        (
            changed(LONGMEMEVAL, haystack_sessions=[], haystack_session_ids=[], haystack_dates=[]),
            "[0].haystack_sessions",
            "no session",
        ),
        (["x"], "[0]", "an object expected, found a list"),
        (None, "[0]", "an object expected, found nothing"),
    ],
)
def test_a_record_that_cannot_be_used_is_reported_and_the_next_one_read(
    tmp_path: Path, record: object, position: str, reason: str
) -> None:
    loaded, findings = load(write(tmp_path / "longmemeval_s.json", [record, LONGMEMEVAL]), "longmemeval")
    assert [one.case.id for one in loaded] == ["q1"]
    ((found),) = findings
    assert (found.position, found.level, found.is_record) == (position, "quarantined", True)
    assert reason in found.reason


def test_sessions_after_the_question_and_missing_marks_are_remarked(tmp_path: Path) -> None:
    sessions = [LONGMEMEVAL["haystack_sessions"][0], [{"role": "user", "content": "A heron.", "has_answer": False}]]
    record = changed(LONGMEMEVAL, haystack_sessions=sessions, question_date="2023/05/01 (Mon) 10:00")
    case, findings = only(write(tmp_path / "s.json", [record]))
    assert findings == []
    assert case.questions[0].remarks == ("no turn is marked as evidence", "1 sessions are dated after the question")


def test_without_answer_sessions_those_with_a_marked_turn_are_gold(tmp_path: Path) -> None:
    case, _ = only(write(tmp_path / "s.json", [changed(LONGMEMEVAL, answer_session_ids=None)]))
    assert case.questions[0].gold.sessions == ("answer_1",)
    assert "names none" in case.questions[0].remarks[0]


def test_questions_without_sessions_are_no_cases(tmp_path: Path) -> None:
    path = write(tmp_path / "longmemeval_s_questions.json", [changed(LONGMEMEVAL, haystack_sessions=...)])
    with pytest.raises(BadInput, match=r"the fields question_id.*none of the known formats"):
        load(path)
    with pytest.raises(BadInput, match="no LongMemEval case: all 1 records were set aside"):
        load(path, "longmemeval")
