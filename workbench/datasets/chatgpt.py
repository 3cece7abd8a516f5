"""The ChatGPT data export: ``conversations.json``, alone, in its folder or in the zip archive as downloaded.

A conversation is a tree of messages (``mapping`` with ``parent`` and ``children``), since every edit and every regenerated answer
starts a branch. Read is the branch that ends in ``current_node``: what its user last saw; what stands on others is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.datasets.base import datasets
from workbench.datasets.json_records import Broken, first, records
from workbench.datasets.mending import BadRecord, Mender, mapping, shown
from workbench.datasets.messages import Chats, report_other, said
from workbench.records import Finding, Loaded, Session, Turn

EXPORT = "conversations.json"
_SPOKEN = ("text", "multimodal_text")


class ChatGPT:
    """The ChatGPT data export (conversations.json, its folder or its zip); a conversation is a session."""

    name = "chatgpt"
    licence = "Yours: nothing is published with this format."

    def recognises(self, path: Path) -> bool:
        file = path / EXPORT if path.is_dir() else path
        record = first(file) if file.is_file() else None
        return record is not None and isinstance(record.value, dict) and isinstance(record.value.get("mapping"), dict)

    def read(self, path: Path) -> Iterator[Loaded | Finding]:
        chats = Chats(path)
        for record in records(path / EXPORT if path.is_dir() else path):
            if isinstance(record, Broken):
                yield chats.broken(record.position, record.reason)
            else:
                yield from chats.take(record.position, lambda mend, value=record.value: _session(mapping(value), mend))
        yield chats.loaded()


def _session(entry: dict[str, Any], mend: Mender) -> Session:
    nodes = mapping(entry.get("mapping"), "mapping")
    path = _branch(entry, nodes, mend)
    other: Counter[str] = Counter()
    turns = []
    for key in path:
        try:
            turn = _turn(nodes[key], f"mapping.{shown(key)[1:-1]}", other, mend)
        except BadRecord as error:
            mend.set_aside(error.where, f"{error}; the message was left out")
            continue
        if turn is not None:
            turns.append(turn)
    report_other(other, mend)
    branched = sum(_is_spoken(node) for key, node in nodes.items() if key not in path)
    if branched:
        mend.set_aside("mapping", f"{branched} messages on edited or regenerated branches were left out")
    identity = entry.get("conversation_id") or entry.get("id") or ""
    time, time_text = mend.time(entry.get("create_time"), "create_time")
    return Session(mend.text(identity, "id"), tuple(turns), 0, time, time_text)


def _branch(entry: dict[str, Any], nodes: dict[str, Any], mend: Mender) -> dict[str, None]:
    """Keys of the nodes from the root to the current one, in that order."""
    key = entry.get("current_node")
    if not isinstance(key, str) or key not in nodes:
        key = _latest(nodes)
        mend.repaired("current_node", f"{shown(entry.get('current_node'))} is no message; the latest one was taken in its place")
    upwards: dict[str, None] = {}
    while isinstance(key, str) and key in nodes:
        if key in upwards:
            mend.repaired("mapping", f"the parents of {shown(key)} lead back to it; cut there")
            break
        upwards[key] = None
        node = nodes[key]
        parent = node.get("parent") if isinstance(node, dict) else None
        if parent is not None and not (isinstance(parent, str) and parent in nodes):
            mend.repaired("mapping", f"the parent {shown(parent)} of {shown(key)} is missing; what came before it is lost")
        key = parent
    return dict.fromkeys(reversed(upwards))


def _latest(nodes: dict[str, Any]) -> str | None:
    """The node with the latest message; of equal ones the last in the file."""

    def time(key: str) -> float:
        given = _message(nodes[key]).get("create_time")
        return given if isinstance(given, (int, float)) else 0.0

    return max(reversed(list(nodes)), key=time, default=None)


def _message(node: object) -> dict[str, Any]:
    message = node.get("message") if isinstance(node, dict) else None
    return message if isinstance(message, dict) else {}


def _role(message: dict[str, Any]) -> str:
    author = message.get("author")
    return str(author.get("role", "")) if isinstance(author, dict) else ""


def _is_spoken(node: object) -> bool:
    """Whether user or assistant says something to the other in a node."""
    message = _message(node)
    content = message.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    return (
        _role(message) in ("user", "assistant")
        and message.get("recipient", "all") == "all"
        and isinstance(content, dict)
        and content.get("content_type") in _SPOKEN
        and isinstance(parts, list)
        and any(parts)
    )


def _turn(node: object, where: str, other: Counter[str], mend: Mender) -> Turn | None:
    message = _message(node)
    metadata = message.get("metadata")
    if not message or (isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation")):
        return None
    content = message.get("content")
    if not _is_spoken(node):
        if isinstance(content, dict) and (content.get("text") or content.get("parts") not in (None, [], [""])):
            sender = _role(message)
            other[sender if sender in ("system", "tool") else "not addressed to the user"] += 1
        return None
    text, caption = said(mapping(content, where).get("parts"), where, mend)
    role = mend.role(_role(message), where)
    return Turn(role, text, caption=caption) if role and (text or caption) else None


datasets.register(ChatGPT.name)(ChatGPT())
