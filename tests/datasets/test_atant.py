"""ATANT stories in both spellings, in YAML and JSON, with questions inside or beside."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import ATANT, changed, load, only, write

from workbench.errors import BadInput

YAML = """\
story_id: 7
story_name: The allotment
category: Daily Life
batches:
  - batch: 1
    time: Monday 9:00 AM
    user_input: >
      I rented
      plot 12.
    expected_stores: [plot 12]
  - batch: 2
    time: Tuesday 8:00 PM
    user_input: The rent is 195 a year.
    expected_memory_stores:
      - 195
questions:
  - question_id: 7_q1
    question: What does the plot cost?
    expected_contains: [195]
"""


def test_yaml_and_json_give_the_same_story(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(YAML)
    case, findings = only(tmp_path / "a.yaml")
    assert (case.key, case.title, case.unit, findings) == ("atant/7", "The allotment", "round", [])
    assert [(s.id, s.position, s.time, s.time_text, s.turns[0].text) for s in case.sessions] == [
        ("batch_1", 0, None, "Monday 9:00 AM", "I rented plot 12."),
        ("batch_2", 1, None, "Tuesday 8:00 PM", "The rent is 195 a year."),
    ]
    (question,) = case.questions
    assert (question.id, question.type, question.gold.substrings, question.answer) == ("7_q1", "Daily Life", ("195",), None)
    assert only(write(tmp_path / "b.json", ATANT))[0] == case


@pytest.mark.parametrize(
    ("value", "expected"), [([195], ("195",)), (["a", "a"], ("a",)), ("Ann", ("Ann",)), ([], ()), (None, ())]
)
def test_expected_texts_are_texts(tmp_path: Path, value: object, expected: tuple[str, ...]) -> None:
    story = changed(ATANT, questions=[{"question": "What?", "expected_contains": value}])
    case, _ = only(write(tmp_path / "a.json", story))
    assert case.questions[0].gold.substrings == expected
    assert case.questions[0].id == "q1"
    assert bool(case.questions[0].remarks) == (not expected)


def test_an_empty_expected_text_would_be_in_every_note(tmp_path: Path) -> None:
    story = changed(ATANT, questions=[{"question": "What?", "expected_contains": ["", "x"]}])
    case, findings = only(write(tmp_path / "a.json", story))
    assert case.questions[0].gold.substrings == ("x",)
    assert "quarantined: an empty text" in findings[0]


def test_yaml_words_and_dates_stay_as_written(tmp_path: Path) -> None:
    text = YAML.replace("[195]", "[yes, 2024-01-02, 1_000, null, 0x10]").replace("Daily Life", "no")
    (tmp_path / "a.yml").write_text(text)
    case, _ = only(tmp_path / "a.yml")
    assert case.questions[0].gold.substrings == ("yes", "2024-01-02", "1_000", "null", "0x10")
    assert case.questions[0].type == "no"


def test_a_real_date_is_a_time(tmp_path: Path) -> None:
    story = changed(ATANT, batches=[{"batch": 1, "time": "2024-01-02 09:00", "user_input": "x"}])
    case, _ = only(write(tmp_path / "a.json", story))
    assert str(case.sessions[0].time) == "2024-01-02 09:00:00"


def test_replies_are_taken_where_a_story_has_them(tmp_path: Path) -> None:
    story = changed(ATANT, batches=[{"batch": 1, "user_input": "Hi", "assistant_response": "Hello"}])
    case, _ = only(write(tmp_path / "a.json", story))
    assert [(turn.role, turn.ref) for turn in case.sessions[0].turns] == [("user", "1"), ("assistant", "1:reply")]


def test_questions_may_stand_in_an_answers_file_beside_or_above(tmp_path: Path) -> None:
    (tmp_path / "daily").mkdir()
    story = write(tmp_path / "daily" / "07.json", changed(ATANT, questions=...))
    write(
        tmp_path / "expected_answers.json",
        {"stories": [{"story_id": 6, "questions": []}, {"story_id": 7, "questions": ATANT["questions"]}]},
    )
    case, findings = only(story)
    assert [q.id for q in case.questions] == ["7_q1"]
    assert findings == []


def test_a_damaged_answers_file_costs_the_questions_only(tmp_path: Path) -> None:
    (tmp_path / "expected_answers.json").write_text("{oops")
    case, findings = only(write(tmp_path / "07.json", changed(ATANT, questions=...)))
    assert (len(case.sessions), case.questions) == (2, ())
    assert "none here, and those elsewhere can't be read" in findings[0]


def test_an_answers_file_brings_stories_that_stand_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "07.yaml").write_text(YAML)
    facts = [{"batch": 1, "user_input": "I moved."}]
    stories = [
        {"story_id": 7, "facts": facts, "questions": ATANT["questions"]},
        {"story_id": 8, "category": "Career", "facts": facts, "questions": []},
    ]
    write(tmp_path / "expected_answers.json", {"stories": stories})
    loaded, findings = load(tmp_path)
    assert [(one.case.key, len(one.case.sessions)) for one in loaded] == [("atant/7", 2), ("atant/8", 1)]
    assert findings == []


def test_a_list_a_stories_object_and_several_documents_are_stories(tmp_path: Path) -> None:
    other = changed(ATANT, story_id="x")
    assert len(load(write(tmp_path / "a.json", [ATANT, other]))[0]) == 2
    assert len(load(write(tmp_path / "b.json", {"stories": [ATANT, other]}))[0]) == 2
    (tmp_path / "c.yaml").write_text(f"---\n{YAML}---\n{YAML.replace('story_id: 7', 'story_id: 8')}")
    assert [one.case.id for one in load(tmp_path / "c.yaml")[0]] == ["7", "8"]


def test_a_batch_that_says_nothing_is_left_out_and_reported(tmp_path: Path) -> None:
    story = changed(ATANT, batches=[*ATANT["batches"], {"batch": 3, "user_input": "  "}, {"batch": 4}, 5])
    case, findings = only(write(tmp_path / "a.json", story))
    assert [s.id for s in case.sessions] == ["batch_1", "batch_2"]
    assert [one.split(":")[0] for one in findings if "quarantined" in one] == ["batches[2]", "batches[3]", "batches[4]"]


def test_repeated_batch_numbers_and_question_ids_stay_distinct(tmp_path: Path) -> None:
    story = changed(ATANT, batches=[ATANT["batches"][0]] * 2, questions=ATANT["questions"] * 2)
    case, _ = only(write(tmp_path / "a.json", story))
    assert [s.id for s in case.sessions] == ["batch_1", "batch_1 (2)"]
    assert [q.id for q in case.questions] == ["7_q1", "7_q1 (2)"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("a: [", "not YAML"),
        ("a: " + "[" * 3000, "not YAML"),
        ("- 1\n- 2\n", "no ATANT case"),
        ("x: !!python/object/apply:os.system [ls]\n", "no ATANT case"),
    ],
)
def test_a_file_that_is_no_story_says_so(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match=says):
        load(path, "atant")


def test_a_chain_of_aliases_does_not_grow(tmp_path: Path) -> None:
    bomb = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12))
    (tmp_path / "a.yaml").write_text(bomb + YAML.replace("[195]", "*a11"))
    case, findings = only(tmp_path / "a.yaml")
    assert len(case.sessions) == 2
    assert case.questions == ()
    assert "text expected, found a list; the question was left out" in findings[0]


def test_control_characters_and_latin_1_in_yaml_are_mended(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(YAML.replace("plot 12.", "caf\xe9\x07").encode("latin-1"))
    case, findings = only(tmp_path / "a.yaml")
    assert case.sessions[0].turns[0].text == "I rented café\ufffd"
    assert len(findings) == 2
