"""LoCoMo conversations, and every oddity of their evidence."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from samples import LOCOMO, changed, load, only, write

from workbench.datasets.locomo import CATEGORY_NAMES
from workbench.notes import interactions
from workbench.records import Gold, Question


def ask(tmp_path: Path, **fields: Any) -> tuple[Question, list[str]]:
    """The question as read, and the findings, of a sample whose only question has these fields."""
    record = changed(LOCOMO, qa=[changed(LOCOMO["qa"][0], **fields)])
    case, findings = only(write(tmp_path / "locomo.json", [record]))
    return case.questions[0], findings


@pytest.mark.parametrize("wrap", [lambda sample: [sample], lambda sample: sample])
def test_a_sample_becomes_a_case_of_exchanges(tmp_path: Path, wrap: Any) -> None:
    case, findings = only(write(tmp_path / "locomo.json", wrap(LOCOMO)))
    assert (case.key, case.unit, case.participants, findings) == ("locomo/conv-1", "exchange", ("Ida", "Tom"), [])
    assert [(s.id, s.time) for s in case.sessions] == [
        ("session_1", datetime(2023, 5, 8, 13, 56)),
        ("session_2", datetime(2023, 5, 9, 0, 5)),
    ]
    assert case.sessions[0].turns[1].caption == "a red kite"
    notes = interactions(case)
    assert [(one.id, [turn.ref for turn in one.turns]) for one in notes] == [
        ("session_1#1", ["D1:1", "D1:2"]),
        ("session_1#2", ["D1:3"]),
        ("session_2#1", ["D2:1"]),
    ]
    assert notes[0].user == "Hi Ida!"
    assert notes[0].assistant == "Look at my kite.\n[image: a red kite]"


def test_whoever_speaks_first_in_a_session_is_its_user(tmp_path: Path) -> None:
    case, _ = only(write(tmp_path / "locomo.json", LOCOMO))
    assert [(t.speaker, t.role) for s in case.sessions for t in s.turns] == [
        ("Tom", "user"),
        ("Ida", "assistant"),
        ("Tom", "user"),
        ("Ida", "user"),
    ]


@pytest.mark.parametrize(
    ("evidence", "gold", "found"),
    [
        (["D1:2"], ("D1:2",), []),
        (["D1:2; D2:1"], ("D1:2", "D2:1"), ["repaired: evidence 'D1:2; D2:1' read as D1:2, D2:1"]),
        (["D1:1 D1:2 D1:3"], ("D1:1", "D1:2", "D1:3"), ["repaired: evidence 'D1:1 D1:2 D1:3' read as D1:1, D1:2, D1:3"]),
        (["D:1:2"], ("D1:2",), ["repaired: evidence 'D:1:2' read as D1:2"]),
        (["D01:02"], ("D1:2",), ["repaired: evidence 'D01:02' read as D1:2"]),
        ([" D1:2"], ("D1:2",), ["repaired: evidence ' D1:2' read as D1:2"]),
        (["D1:2", "D1:2"], ("D1:2",), ["repaired: evidence D1:2 is given twice; counted once"]),
        (["D", "D1:2"], ("D1:2",), ["quarantined: evidence 'D' names no turn of the conversation"]),
        (["D9:1"], (), ["quarantined: evidence 'D9:1' names no turn of the conversation"]),
        ([7], (), ["quarantined: evidence 7 names no turn of the conversation"]),
        ("D1:2", ("D1:2",), []),
        ([], (), []),
        (None, (), []),
    ],
)
def test_evidence_is_read_as_written_or_reported(
    tmp_path: Path, evidence: object, gold: tuple[str, ...], found: list[str]
) -> None:
    question, findings = ask(tmp_path, evidence=evidence)
    assert question.gold.turns == gold
    assert findings == [f"[0].qa[0].evidence: {one}" for one in found]
    lost = any(one.startswith("quarantined") for one in found)
    assert bool(question.remarks) == (lost or not evidence)


def test_gold_is_in_turns_as_the_benchmark_gives_it(tmp_path: Path) -> None:
    question, _ = ask(tmp_path, evidence=["D2:1", "D1:1", "D1:3"])
    assert question.gold == Gold(turns=("D2:1", "D1:1", "D1:3"))


@pytest.mark.parametrize("number", CATEGORY_NAMES)
def test_a_category_keeps_its_number(tmp_path: Path, number: int) -> None:
    question, findings = ask(tmp_path, category=number)
    assert (question.type, findings) == (f"{number} {CATEGORY_NAMES[number]}", [])


@pytest.mark.parametrize("category", [6, None, "x", True, [4]])
def test_an_unknown_category_is_said_to_be_unknown(tmp_path: Path, category: object) -> None:
    question, findings = ask(tmp_path, category=category)
    assert question.type == "unknown"
    assert "is not a number from 1 to 5" in findings[0]


def test_the_adversarial_answer_is_never_the_expected_one(tmp_path: Path) -> None:
    assert ask(tmp_path, category=5, adversarial_answer="blue", answer=...)[0].answer is None
    assert ask(tmp_path, category=5, adversarial_answer="blue", answer="No")[0].answer is None
    assert ask(tmp_path, category=4, adversarial_answer="blue", answer=...)[0].answer is None
    assert ask(tmp_path, category=2, answer=2022)[0].answer == "2022"


def test_dates_without_a_session_are_ignored_with_one_finding(tmp_path: Path) -> None:
    talk = LOCOMO["conversation"] | {f"session_{n}_date_time": "1:56 pm on 8 May, 2023" for n in (3, 4, 11)}
    case, findings = only(write(tmp_path / "l.json", changed(LOCOMO, conversation=talk)))
    assert len(case.sessions) == 2
    assert findings == ["conversation: repaired: 3 dates without a session ignored (session_3 to session_11)"]


def test_sessions_are_ordered_by_number_not_by_name(tmp_path: Path) -> None:
    turn = [{"speaker": "Ida", "text": "x"}]
    talk = {"speaker_a": "Ida", "speaker_b": "Tom", "session_10": turn, "session_9": turn, "session_2": turn}
    case, _ = only(write(tmp_path / "l.json", changed(LOCOMO, conversation=talk)))
    assert [(s.id, s.position, s.turns[0].ref) for s in case.sessions] == [
        ("session_2", 0, "D2:1"),
        ("session_9", 1, "D9:1"),
        ("session_10", 2, "D10:1"),
    ]


def test_repeated_turn_ids_stay_distinct(tmp_path: Path) -> None:
    talk = changed(LOCOMO["conversation"], session_2=[{"speaker": "Ida", "dia_id": "D1:1", "text": "x"}])
    case, findings = only(write(tmp_path / "l.json", changed(LOCOMO, conversation=talk)))
    assert case.sessions[1].turns[0].ref == "D1:1 (2)"
    assert "comes again" in findings[0]


def test_a_broken_question_or_turn_costs_only_itself(tmp_path: Path) -> None:
    record = changed(LOCOMO, qa=["oops", *LOCOMO["qa"]])
    record["conversation"]["session_1"][0] = 5
    case, findings = only(write(tmp_path / "l.json", record))
    assert [q.id for q in case.questions] == ["q1"]
    assert [turn.ref for turn in case.sessions[0].turns] == ["D1:2", "D1:3"]
    assert len(findings) == 2


def test_a_sample_without_conversation_is_set_aside(tmp_path: Path) -> None:
    loaded, findings = load(write(tmp_path / "l.json", [LOCOMO, changed(LOCOMO, conversation=...)]))
    assert len(loaded) == 1
    assert [(one.position, one.is_record) for one in findings] == [("[1].conversation", True)]
