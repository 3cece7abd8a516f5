"""Tiny files in the official shapes, in words of our own."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from workbench.datasets.read import read
from workbench.records import Case, Finding, Loaded

LONGMEMEVAL: dict[str, Any] = {
    "question_id": "q1",
    "question_type": "multi-session",
    "question": "Which bird did I see by the lake?",
    "question_date": "2023/05/30 (Tue) 23:40",
    "answer": "a heron",
    "answer_session_ids": ["answer_1"],
    "haystack_dates": ["2023/05/02 (Tue) 09:00", "2023/05/01 (Mon) 09:30"],
    "haystack_session_ids": ["filler_1", "answer_1"],
    "haystack_sessions": [
        [{"role": "user", "content": "How do I boil rice?"}, {"role": "assistant", "content": "With twice the water."}],
        [
            {"role": "assistant", "content": "Good morning."},
            {"role": "user", "content": "I saw a heron by the lake.", "has_answer": True},
            {"role": "assistant", "content": "They stand very still.", "has_answer": False},
        ],
    ],
}

LOCOMO: dict[str, Any] = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ida",
        "speaker_b": "Tom",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Tom", "dia_id": "D1:1", "text": "Hi Ida!"},
            {"speaker": "Ida", "dia_id": "D1:2", "text": "Look at my kite.", "blip_caption": "a red kite", "img_url": ["x"]},
            {"speaker": "Tom", "dia_id": "D1:3", "text": "Nice."},
        ],
        "session_2_date_time": "12:05 am on 9 May, 2023",
        "session_2": [{"speaker": "Ida", "dia_id": "D2:1", "text": "I sold it."}],
    },
    "qa": [{"question": "What did Ida show?", "answer": "her kite", "evidence": ["D1:2"], "category": 4}],
}

ATANT: dict[str, Any] = {
    "story_id": 7,
    "story_name": "The allotment",
    "category": "Daily Life",
    "batches": [
        {"batch": 1, "time": "Monday 9:00 AM", "user_input": "I rented plot 12.", "expected_stores": ["plot 12"]},
        {"batch": 2, "time": "Tuesday 8:00 PM", "user_input": "The rent is 195 a year.", "expected_memory_stores": ["195"]},
    ],
    "questions": [{"question_id": "7_q1", "question": "What does the plot cost?", "expected_contains": ["195"]}],
}

HOTPOTQA: dict[str, Any] = {
    "_id": "h1",
    "question": "Which river is longer?",
    "answer": "the Foo",
    "type": "comparison",
    "level": "easy",
    "supporting_facts": [["Foo", 0], ["Bar", 1], ["Foo", 1]],
    "context": [["Foo", ["Foo is a river.", " It is long."]], ["Bar", ["Bar is a river."]], ["Baz", ["Baz is a hill."]]],
}

MUSIQUE: dict[str, Any] = {
    "id": "2hop__1_2",
    "question": "Who founded the town of the mill?",
    "answer": "Ann",
    "answer_aliases": ["Anna"],
    "answerable": True,
    "paragraphs": [
        {"idx": 0, "title": "Mill", "paragraph_text": "The mill is in Dorp.", "is_supporting": True},
        {"idx": 1, "title": "Dorp", "paragraph_text": "Dorp was founded by Ann.", "is_supporting": True},
        {"idx": 2, "title": "Dorp", "paragraph_text": "Dorp is also a band.", "is_supporting": False},
    ],
}

TWOWIKI: dict[str, Any] = HOTPOTQA | {"_id": "w1", "evidences": [["Foo", "length", "9"]]}

MESSAGES: dict[str, Any] = {
    "id": "talk",
    "created_at": "2024-02-03T04:05:06Z",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
        {"role": "assistant", "content": "A kettle."},
    ],
}


def chatgpt_node(key: str, parent: str | None, role: str, text: str, **extra: Any) -> dict[str, Any]:
    message = {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}, "create_time": None} | extra
    return {"id": key, "parent": parent, "children": [], "message": message}


CHATGPT: dict[str, Any] = {
    "title": "Kettles",
    "conversation_id": "abc",
    "create_time": 1700000000.5,
    "current_node": "a2",
    "mapping": {
        "root": {"id": "root", "parent": None, "children": ["u"], "message": None},
        "u": chatgpt_node("u", "root", "user", "Which kettle?"),
        "a1": chatgpt_node("a1", "u", "assistant", "The first one."),
        "a2": chatgpt_node("a2", "u", "assistant", "The blue one."),
    },
}

HISTORY: list[dict[str, Any]] = [
    {"case": "garden", "benchmark": "mine", "title": "A summer"},
    {"session": "may", "time": "2024-05-02T18:30", "role": "user", "text": "I sowed the tomatoes today."},
    {"session": "may", "role": "assistant", "text": "They need a week."},
    {"session": "june", "turns": [{"role": "user", "text": "They are up!", "speaker": "Eva", "ref": "x", "caption": "a pot"}]},
    {"question": "When did I sow?", "answer": "2 May", "gold": {"turns": ["may:0"], "sessions": ["may"]}},
]

SAMPLES: dict[str, Any] = {
    "longmemeval": [LONGMEMEVAL],
    "locomo": [LOCOMO],
    "atant": [ATANT],
    "hotpotqa": [HOTPOTQA],
    "musique": [MUSIQUE],
    "2wikimultihopqa": [TWOWIKI],
    "messages": [MESSAGES],
    "chatgpt": [CHATGPT],
    "history": HISTORY,
}


def changed(record: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A deep copy with other values; a value of Ellipsis removes its field."""
    copied = copy.deepcopy(record) | fields
    return {name: value for name, value in copied.items() if value is not ...}


def write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def load(path: Path, format: str = "auto") -> tuple[list[Loaded], list[Finding]]:
    found = list(read(path, format))
    return [one for one in found if isinstance(one, Loaded)], [one for one in found if isinstance(one, Finding)]


def only(path: Path, format: str = "auto") -> tuple[Case, list[str]]:
    """The one case of a file, and its findings as "position: level: reason"."""
    (loaded,), findings = load(path, format)
    return loaded.case, [f"{one.position}: {one.level}: {one.reason}" for one in (*loaded.findings, *findings)]
