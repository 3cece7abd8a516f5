"""A server that speaks the OpenAI chat protocol: it answers with tags made of the words it is shown, or fails as it is told."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from workbench.chat.base import Endpoint

KEY = "sk-very-secret-0123456789"
CATEGORIES = ("who", "what", "when", "where", "why", "extra")


@dataclass(frozen=True)
class Says:
    """An answer: a content or a whole message, why it ended, and its status with headers where it is an error."""

    content: Any = ""
    finish: str | None = "stop"
    refusal: str | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class ChatService(ThreadingHTTPServer):
    """``script`` is what it does with the next requests, one entry each: `Says`, a status, or a name; then it answers well.

    ``refuses`` names the response formats and fields that it does not know, ``refusal_status`` how it says so of a format;
    ``always`` is done to every request when the script is at its end; ``pause`` is how long an answer takes, in seconds.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.lock, self.ended = threading.Lock(), threading.Event()
        self.reset()

    def reset(self) -> None:
        self.script: list[Says | int | str] = []
        self.always: Says | int | str | None = None
        self.refuses: tuple[str, ...] = ()
        self.refusal_status = 400
        self.pause = 0.0
        self.asked: list[dict[str, Any]] = []
        self.at_once = self.most_at_once = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def endpoint(self, **changed: Any) -> Endpoint:
        given = {
            "url": self.url,
            "key": KEY,
            "model": "some-model",
            "seconds": 10,
            "tries": 2,
            "concurrency": 1,
            "max_tokens": 300,
        }
        return Endpoint(**given | changed)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    server: ChatService

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.asked.append(body)
            act = self.server.script.pop(0) if self.server.script else self.server.always
            self.server.at_once += 1
            self.server.most_at_once = max(self.server.most_at_once, self.server.at_once)
        try:
            time.sleep(self.server.pause)
            self._act(body, act)
        finally:
            with self.server.lock:
                self.server.at_once -= 1

    def _act(self, body: dict[str, Any], act: Says | int | str | None) -> None:
        kind = body.get("response_format", {}).get("type")
        if self.headers["Authorization"] != f"Bearer {KEY}":
            return self._error(401, f"wrong key {self.headers['Authorization']}")
        if kind in self.server.refuses:
            return self._error(self.server.refusal_status, f"response_format: {kind} is not supported")
        if "max_tokens" in body and "max_tokens" in self.server.refuses:
            return self._error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "temperature" in body and "temperature" in self.server.refuses:
            return self._error(400, "Unsupported value: 'temperature' does not support 0 with this model.")
        if isinstance(act, int):
            return self._error(act, f"it is broken, {self.headers['Authorization']}")
        if isinstance(act, Says) and act.status != 200:
            return self._error(act.status, str(act.content), act.headers)
        if isinstance(act, Says):
            return self._answer(act)
        if act == "hang":
            self.server.ended.wait(20)
            return None
        if act == "broken off":
            return self._send(200, b'{"choices": [', length=10_000)
        if act == "no json":
            return self._send(200, b"<html>busy</html>", kind="text/html")
        if act in ("huge", "drip", "huge error"):
            return self._endless(500 if act == "huge error" else 200, b" " * (1 if act == "drip" else 65_536), act == "drip")
        if act == "odd":
            return self._send(200, json.dumps({"choices": [{"message": {"content": {"not": "text"}}}]}).encode())
        return self._answer(Says(json.dumps(tags_of(body))))

    def _answer(self, says: Says) -> None:
        message = {"role": "assistant", "content": says.content, "refusal": says.refusal}
        choice = {"index": 0, "message": message, "finish_reason": says.finish}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        content = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        self._send(200, json.dumps(content).encode())

    def _error(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps({"error": {"message": message}}).encode(), headers=headers)

    def _send(
        self,
        status: int,
        body: bytes,
        *,
        kind: str = "application/json",
        length: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def _endless(self, status: int, part: bytes, slowly: bool) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        end = time.monotonic() + 20
        while time.monotonic() < end and not self.server.ended.is_set():
            self.wfile.write(part)
            if slowly:
                time.sleep(0.1)

    def log_message(self, format: str, *values: object) -> None:
        pass


def shown_interaction(body: dict[str, Any]) -> dict[str, str]:
    """The interaction that a request of the extractor shows."""
    text = body["messages"][1]["content"]
    found: dict[str, str] = json.loads(text.partition("The interaction:\n")[2].rpartition("\n\nThe JSON object:")[0])
    return found


def shown_tags(body: dict[str, Any]) -> list[str]:
    """The known tags that a request of the extractor shows."""
    listed = body["messages"][1]["content"].partition("Known tags:\n")[2].partition("\n\nThe interaction:")[0]
    return [] if listed == "(none yet)" else listed.split("\n")


def tags_of(body: dict[str, Any]) -> dict[str, Any]:
    """Tags that only the text decides: its first long words."""
    try:
        said = " ".join(text for part, text in shown_interaction(body).items() if part != "time")
    except ValueError:
        said = body["messages"][-1]["content"]
    words = list(dict.fromkeys(re.findall(r"[a-z]{6,}", said.casefold())))[:3]
    return {name: [] for name in CATEGORIES} | {"what": [f"word/{word}" for word in words], "summary": said[:40]}


@contextmanager
def chat_service() -> Iterator[ChatService]:
    server = ChatService()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        server.server_close()
