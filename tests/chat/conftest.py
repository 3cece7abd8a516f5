from __future__ import annotations

from collections.abc import Iterator

import pytest
from chat_service import ChatService, chat_service

from workbench.chat import service as client


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatService]:
    """A service; the client waits hardly at all between tries unless it is told to."""
    monkeypatch.setattr(client, "BACKOFF", 0.01)
    with chat_service() as server:
        yield server
