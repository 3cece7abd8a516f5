"""The published files themselves: counts, and every oddity that was counted in them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from samples import load, only

from workbench.datasets.history import write_jsonl
from workbench.datasets.longmemeval import is_abstention
from workbench.datasets.read import read
from workbench.notes import from_markdown, interactions, to_markdown
from workbench.records import Loaded, Note


def test_longmemeval_s(real_data: Path) -> None:
    loaded, findings = load(real_data / "longmemeval" / "longmemeval_s_subset.json.gz")
    cases = [one.case for one in loaded]
    assert findings == []
    assert len(cases) == 40
    assert {case.benchmark for case in cases} == {"longmemeval_s"}
    assert sum(len(case.sessions) for case in cases) == 1_884  # 1,885 appearances, one of them a repetition
    assert sum(len(interactions(case)) for case in cases) == 9_728
    assert sum(is_abstention(case.questions[0]) for case in cases) == 4
    reasons = Counter(
        finding.reason.split(" ", 1)[1] if "taken as text" in finding.reason else finding.reason
        for one in loaded
        for finding in one.findings
    )
    assert sum(count for reason, count in reasons.items() if reason == "taken as text") == 6
    assert sum("comes again with the same turns" in reason for reason in reasons) == 1
    assert sum("vertical tab" in reason for reason in reasons) == 1
    assert (sum(one.kept for one in loaded), sum(one.repaired for one in loaded)) == (32, 8)
    for case in cases:
        ids = [one.id for one in interactions(case)]
        assert len(set(ids)) == len(ids)
        assert set(case.questions[0].gold.sessions) <= {session.id for session in case.sessions}


def test_longmemeval_notes_read_back_and_cases_export(real_data: Path, tmp_path: Path) -> None:
    case, _ = only(real_data / "longmemeval" / "longmemeval_s_e47becba.json")
    assert len(case.sessions) == 53
    notes = [Note(one) for one in interactions(case)]
    assert [from_markdown(to_markdown(note)) for note in notes] == notes
    write_jsonl(case, tmp_path / "case.jsonl")
    assert only(tmp_path / "case.jsonl")[0] == case


def test_the_same_case_from_two_files_is_equal(real_data: Path) -> None:
    case, _ = only(real_data / "longmemeval" / "longmemeval_s_e47becba.json")
    again = next(one for one in read(real_data / "longmemeval" / "longmemeval_s_subset.json.gz") if isinstance(one, Loaded))
    assert again.case == case


def test_longmemeval_oracle(real_data: Path) -> None:
    loaded, findings = load(real_data / "longmemeval" / "longmemeval_oracle_subset.json.gz")
    assert (len(loaded), findings) == (91, [])
    assert {one.case.benchmark for one in loaded} == {"longmemeval_oracle"}
    assert all({s.id for s in one.case.sessions} == set(one.case.questions[0].gold.sessions) for one in loaded)


def test_locomo(real_data: Path) -> None:
    loaded, findings = load(real_data / "locomo" / "locomo8.json")
    cases = [one.case for one in loaded]
    questions = [question for case in cases for question in case.questions]
    assert findings == []
    assert (len(cases), len(questions)) == (8, 1_586)
    assert Counter(q.type[0] for q in questions) == {"1": 213, "2": 256, "3": 76, "4": 681, "5": 360}
    assert all(q.answer is None for q in questions if q.type[0] == "5")
    assert all(q.answer for q in questions if q.type[0] != "5")
    assert sum(bool(q.gold.turns) for q in questions if q.type[0] != "5") == 1_224
    found = {(one.case.id, finding.level, finding.reason) for one in loaded for finding in one.findings}
    assert {entry for entry in found if "evidence" in entry[2]} == {
        ("conv-26", "repaired", "evidence 'D8:6; D9:17' read as D8:6, D9:17"),
        ("conv-42", "quarantined", "evidence 'D10:19' names no turn of the conversation"),
        ("conv-42", "quarantined", "evidence 'D' names no turn of the conversation"),
        ("conv-43", "repaired", "evidence 'D:11:26' read as D11:26"),
        ("conv-47", "quarantined", "evidence 'D4:36' names no turn of the conversation"),
    }
    assert ("conv-26", "repaired", "16 dates without a session ignored (session_20 to session_35)") in found
    assert all(session.time for case in cases for session in case.sessions)


@pytest.mark.parametrize(
    ("name", "benchmark", "passages", "questions", "gold"),
    [
        ("hotpotqa_train100.json", "hotpotqa", 994, 100, 200),
        ("musique_train100.json", "musique", 1_890, 100, 237),
        ("2wikimultihopqa_101.json", "2wikimultihopqa", 6_119, 101, 248),
    ],
)
def test_passage_pools(real_data: Path, name: str, benchmark: str, passages: int, questions: int, gold: int) -> None:
    case, findings = only(real_data / "multihop" / name)
    assert (case.benchmark, len(case.sessions), len(case.questions), findings) == (benchmark, passages, questions, [])
    assert len(interactions(case)) == passages
    assert sum(len(question.gold.notes) for question in case.questions) == gold
    assert len({session.id for session in case.sessions}) == passages


def test_atant(real_data: Path) -> None:
    case, findings = only(real_data / "atant" / "01_job_interview.yaml")
    assert (case.key, len(case.sessions), len(case.questions), findings) == ("atant/1", 10, 8, [])
    assert all(question.gold.substrings for question in case.questions)


def test_a_list_of_questions_without_sessions_is_refused_in_a_folder_and_the_rest_read(real_data: Path) -> None:
    loaded, findings = load(real_data / "longmemeval")
    assert len(loaded) == 40 + 1 + 91
    assert [Path(one.file).name for one in findings] == ["longmemeval_s_questions500.json.gz"]
