"""A service over the real client: vectors, each kind of failure, and going on after one."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from embedding_server import KEY, EmbeddingServer, embedding_server
from typer.testing import CliRunner

from workbench.cli import app
from workbench.embed.base import embedder
from workbench.embed.openai import Endpoint, OpenAI
from workbench.errors import EmbeddingError, MissingPart
from workbench.store import open_store


@pytest.fixture(scope="module")
def shared_server() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


@pytest.fixture
def server(shared_server: EmbeddingServer) -> EmbeddingServer:
    shared_server.trouble.clear()
    shared_server.asked.clear()
    return shared_server


def client(server: EmbeddingServer, *, key: str = KEY, seconds: int = 30, tries: int = 1) -> OpenAI:
    return OpenAI("some-model", Endpoint(server.url, key, 4, seconds, tries))


def test_vectors_come_in_the_order_of_the_texts_and_of_length_one(server: EmbeddingServer) -> None:
    texts = ["lemon cake", "museum", ""]
    source = client(server)
    rows = source.embed(texts)
    assert np.allclose(rows, embedder("wordllama").embed(["lemon cake", "museum", " "]), atol=1e-6)
    assert source.dimension == 256
    assert server.asked[0]["model"] == "some-model"
    assert server.asked[0]["path"] == "/v1/embeddings"


def test_a_passing_failure_is_tried_again(server: EmbeddingServer) -> None:
    server.trouble[:] = [500, 429]
    assert client(server, tries=3).embed(["tea"]).shape == (1, 256)
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (500, "answered 500: .*it is broken"),
        ("slow", "no answer within 1 s"),
        ("fewer", "gave 1 vector for 2 texts"),
        ("ragged", "differ in length"),
        ("nan", "no numbers"),
        ("no json", "no list of vectors|can't be read"),
    ],
)
def test_a_failure_says_what_it_was(server: EmbeddingServer, trouble: int | str, said: str) -> None:
    server.trouble[:] = [trouble]
    with pytest.raises(EmbeddingError, match=said) as raised:
        client(server, seconds=1).embed(["tea", "cake"])
    assert server.url in str(raised.value)
    assert KEY not in str(raised.value)


def test_a_wrong_key_is_told(server: EmbeddingServer) -> None:
    with pytest.raises(EmbeddingError, match="answered 401"):
        client(server, key="other").embed(["tea"])


def test_a_service_that_is_not_there_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(EmbeddingError, match="can't be reached"):
        OpenAI("some-model", Endpoint(url, KEY, 4, 5, 1)).embed(["tea"])


def test_without_an_endpoint_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WORKBENCH_EMBED_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingPart, match="WORKBENCH_EMBED_URL"):
        embedder("openai:some-model").embed(["tea"])


def test_the_environment_configures_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_EMBED_BATCH", "7")
    monkeypatch.setenv("WORKBENCH_EMBED_URL", "http://127.0.0.1:1/v1")
    assert Endpoint().batch == 7
    assert "key" not in repr(Endpoint(key="hidden"))
    monkeypatch.setenv("WORKBENCH_EMBED_TIMEOUT", "soon")
    with pytest.raises(ValueError, match="WORKBENCH_EMBED_TIMEOUT is 'soon'"):
        Endpoint()


# The command --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def embed(server: EmbeddingServer, own_demo_store: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Runs ``workbench embed`` over one case with the server as backend: (exit code, JSON result)."""
    settings = {"URL": server.url, "KEY": KEY, "BATCH": "5", "RETRIES": "1", "TIMEOUT": "10"}
    for name, value in settings.items():
        monkeypatch.setenv(f"WORKBENCH_EMBED_{name}", value)
    with open_store(own_demo_store, read_only=True) as store:
        case = store.cases.list()[0].key

    def run() -> tuple[int, dict[str, object]]:
        arguments = ["embed", "--store", str(own_demo_store), "--cases", case, "--backend", "openai:some-model", "--json", "-"]
        done = CliRunner().invoke(app, arguments)
        return done.exit_code, json.loads(done.stdout)

    return run


def test_a_failed_batch_is_reported_and_the_rest_is_kept_and_gone_on_with(embed, server: EmbeddingServer) -> None:  # type: ignore[no-untyped-def]
    server.trouble[:] = ["fine", 500, "fewer"]
    code, first = embed()
    assert code == 1
    assert [(each["batch"], each["texts"]) for each in first["failed"]] == [(2, 5), (3, 5)]
    assert "500" in first["failed"][0]["reason"]
    assert first["new"] == first["texts"] - 10 > 0

    server.asked.clear()
    code, second = embed()
    assert (code, second["new"], second["known"]) == (0, 10, first["new"])
    assert sum(len(each["input"]) for each in server.asked) == 10
    code, third = embed()
    assert (code, third["new"], third["known"]) == (0, 0, first["texts"])


def test_vectors_of_another_length_are_refused(embed, server: EmbeddingServer) -> None:  # type: ignore[no-untyped-def]
    server.trouble[:] = ["fine", "narrow"]
    code, found = embed()
    assert code == 1
    assert "shape (5, 100)" in found["failed"][0]["reason"]


def test_after_three_failures_in_a_row_the_rest_is_left(embed, server: EmbeddingServer) -> None:  # type: ignore[no-untyped-def]
    server.trouble[:] = [500] * 1000
    code, found = embed()
    assert code == 1
    assert len(server.asked) == len(found["failed"]) == 3
    assert found["skipped"] == found["texts"] - 15
