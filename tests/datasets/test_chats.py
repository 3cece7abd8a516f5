"""Message lists and the ChatGPT export."""

from __future__ import annotations

import json
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from samples import CHATGPT, MESSAGES, changed, chatgpt_node, load, only, write

from workbench.datasets.read import detect
from workbench.errors import BadInput
from workbench.records import Turn

PLAIN = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


def test_a_conversation_becomes_a_session_and_other_roles_are_counted(tmp_path: Path) -> None:
    case, findings = only(write(tmp_path / "my chats.json", [MESSAGES]))
    assert case.key == "chats/my chats"
    (session,) = case.sessions
    assert (session.id, session.time) == ("talk", datetime(2024, 2, 3, 4, 5, 6))
    assert session.turns == (
        Turn("user", "What is this?", ref="talk:0", caption="no description"),
        Turn("assistant", "A kettle.", ref="talk:1"),
    )
    assert findings == ["[0]: quarantined: messages left out: 1 system"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps(PLAIN)),
        ("a.json", json.dumps({"messages": PLAIN})),
        ("a.json", json.dumps([{"messages": PLAIN}])),
        ("a.jsonl", json.dumps({"messages": PLAIN})),
        ("a.jsonl", json.dumps(PLAIN)),
        ("a.json", json.dumps([{"role": one["role"], "text": one["content"]} for one in PLAIN])),
        ("a.jsonl", "\n".join(map(json.dumps, PLAIN))),
        ("a.json", json.dumps([{"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]}])),
    ],
)
def test_every_shape_gives_the_same_session(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    case, findings = only(tmp_path / name)
    assert [[(turn.role, turn.text) for turn in s.turns] for s in case.sessions] == [[("user", "Hi"), ("assistant", "Hello")]]
    assert case.sessions[0].id == "chat_1"
    assert findings == []


def test_parts_of_all_kinds_leave_a_trace(tmp_path: Path) -> None:
    parts = [
        "words",
        {"type": "input_text", "text": "more"},
        {"type": "input_image", "alt": "a cat"},
        {"type": "input_audio", "input_audio": {}},
        {"type": "file", "filename": "a.pdf"},
        {"type": "mystery"},
    ]
    case, findings = only(write(tmp_path / "a.json", [{"role": "user", "content": parts}]))
    assert case.sessions[0].turns[0] == Turn("user", "words\nmore\n[audio]\n[file: a.pdf]", ref="chat_1:0", caption="a cat")
    assert findings == ["[0].content[5]: quarantined: a part of type 'mystery' was left out"]


def test_conversations_without_talk_and_broken_lines_are_reported(tmp_path: Path) -> None:
    lines = [json.dumps({"messages": [{"role": "system", "content": "x"}]}), "{oops", json.dumps({"messages": PLAIN})]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    loaded, findings = load(tmp_path / "a.jsonl")
    assert (loaded[0].kept, loaded[0].repaired) == (1, 0)
    assert [(one.position, one.is_record) for one in findings] == [("line 1", True), ("line 2", True)]


def test_repeated_conversation_ids_stay_distinct(tmp_path: Path) -> None:
    case, _ = only(write(tmp_path / "a.json", [MESSAGES, MESSAGES]))
    assert [s.id for s in case.sessions] == ["talk", "talk (2)"]


def test_an_empty_file_of_chats_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no conversation with anything"):
        load(write(tmp_path / "a.json", [{"messages": [{"role": "system", "content": "x"}]}]))


def export(tmp_path: Path, **fields: Any) -> tuple[list[str], list[str]]:
    case, findings = only(write(tmp_path / "conversations.json", [changed(CHATGPT, **fields)]))
    return [turn.text for turn in case.sessions[0].turns], findings


def test_the_branch_of_the_current_node_is_read_and_others_counted(tmp_path: Path) -> None:
    texts, findings = export(tmp_path)
    assert texts == ["Which kettle?", "The blue one."]
    assert findings == ["[0].mapping: quarantined: 1 messages on edited or regenerated branches were left out"]
    case, _ = only(tmp_path / "conversations.json")
    assert (case.sessions[0].id, case.sessions[0].time) == ("abc", datetime(2023, 11, 14, 22, 13, 20, 500000))


def test_without_a_current_node_the_latest_message_leads(tmp_path: Path) -> None:
    mapping = CHATGPT["mapping"] | {"a1": chatgpt_node("a1", "u", "assistant", "Late.", create_time=9.0)}
    texts, findings = export(tmp_path, current_node=None, mapping=mapping)
    assert texts == ["Which kettle?", "Late."]
    assert "the latest one was taken" in findings[0]


def test_a_circle_of_parents_ends(tmp_path: Path) -> None:
    mapping = {"u": chatgpt_node("u", "a", "user", "Q"), "a": chatgpt_node("a", "u", "assistant", "A")}
    texts, findings = export(tmp_path, current_node="a", mapping=mapping)
    assert texts == ["Q", "A"]
    assert "lead back to it" in findings[0]


def test_a_missing_parent_is_reported(tmp_path: Path) -> None:
    texts, findings = export(tmp_path, current_node="u", mapping={"u": chatgpt_node("u", "gone", "user", "Q")})
    assert texts == ["Q"]
    assert "'gone' of 'u' is missing" in findings[0]


def test_tools_thoughts_and_hidden_messages_are_no_turns(tmp_path: Path) -> None:
    chain = [
        chatgpt_node("s", None, "system", ""),
        chatgpt_node("h", "s", "user", "profile", metadata={"is_visually_hidden_from_conversation": True}),
        chatgpt_node("u", "h", "user", "Plot it"),
        chatgpt_node("c", "u", "assistant", "plot()", recipient="python"),
        chatgpt_node("t", "c", "tool", "done"),
        chatgpt_node("r", "t", "assistant", "", content={"content_type": "thoughts", "text": "hmm"}),
        chatgpt_node("a", "r", "assistant", "Here."),
    ]
    texts, findings = export(tmp_path, current_node="a", mapping={node["id"]: node for node in chain})
    assert texts == ["Plot it", "Here."]
    assert findings == ["[0]: quarantined: messages left out: 2 not addressed to the user, 1 tool"]


def test_pictures_become_captions(tmp_path: Path) -> None:
    content = {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}, "What is it?"]}
    mapping = {"u": chatgpt_node("u", None, "user", "", content=content)}
    case, _ = only(write(tmp_path / "conversations.json", [changed(CHATGPT, current_node="u", mapping=mapping)]))
    assert case.sessions[0].turns == (Turn("user", "What is it?", ref="abc:0", caption="no description"),)


def test_the_export_is_read_from_its_folder_and_its_zip(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    write(folder / "conversations.json", [CHATGPT])
    write(folder / "user.json", {"id": 1})
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.write(folder / "user.json", "user.json")
        archive.write(folder / "conversations.json", "deep/conversations.json")
    for path in (folder, tmp_path / "export.zip"):
        assert detect(path) == "chatgpt"
        case, _ = only(path)
        assert (case.key, len(case.sessions)) == ("chats/export", 1)


def test_a_zip_without_conversations_says_what_to_do(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x.txt", "x")
    with pytest.raises(BadInput, match=r"holds no conversations\.json; unpack it"):
        load(tmp_path / "a.zip")


def test_a_zip_with_a_password_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", "[]")
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(BadInput, match="has a password"):
        load(path)
