"""A small server that speaks the OpenAI embeddings protocol and serves wordllama's vectors, or fails as it is told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from workbench.embed.base import embedder

KEY = "secret-key"


class EmbeddingServer(ThreadingHTTPServer):
    """``trouble`` is what it does to the next requests: a status, or a name; one entry a request, then it answers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.trouble: list[int | str] = []
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body | {"path": self.path})
        trouble = self.server.trouble.pop(0) if self.server.trouble else None
        if self.headers["Authorization"] != f"Bearer {KEY}":
            return self._answer(401, {"error": {"message": "wrong key"}})
        if isinstance(trouble, int):
            return self._answer(trouble, {"error": {"message": "it is broken"}})
        if trouble == "slow":
            time.sleep(3)
        if trouble == "no json":
            return self._send(200, b"<html>", "text/html")
        rows = embedder("wordllama").embed(body["input"])
        if trouble == "narrow":
            rows = rows[:, :100]
        vectors = [3.0 * row for row in rows]  # not of length 1
        data = [{"object": "embedding", "index": at, "embedding": row.tolist()} for at, row in enumerate(vectors)]
        if trouble == "fewer":
            data = data[1:]
        if trouble == "ragged":
            data[0]["embedding"] = data[0]["embedding"][:5]
        if trouble == "nan":
            data[0]["embedding"][0] = None
        data.reverse()  # clients go by the index
        return self._answer(
            200, {"object": "list", "model": body["model"], "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        )

    def _answer(self, status: int, content: dict[str, Any]) -> None:
        self._send(status, json.dumps(content).encode(), "application/json")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: object) -> None:
        pass


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
