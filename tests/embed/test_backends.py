"""What every embedding backend keeps, and the embedded ones without a network."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.embed import minilm
from workbench.embed.base import embedder, embedders, unit_rows
from workbench.errors import MissingPart, WorkbenchError

TEXTS = ["I baked a lemon cake.", "The museum was closed", "x" * 5000, "", "\ud800", "你好", "🎸"]


def is_installed(name: str) -> bool:
    try:
        embedder(name).embed(["tea"])
    except MissingPart:
        return False
    return True


EMBEDDED = [
    "wordllama",
    "hash",
    pytest.param("minilm", marks=pytest.mark.skipif(not is_installed("minilm"), reason="optional: make minilm")),
]
every_backend = pytest.mark.parametrize("name", EMBEDDED)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **named: object) -> None:
        raise AssertionError(f"a connection was tried: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@every_backend
@pytest.mark.usefixtures("no_network")
def test_rows_have_length_one_in_the_order_of_the_texts(name: str) -> None:
    source = embedder(name)
    rows = source.embed(TEXTS)
    assert rows.shape == (len(TEXTS), source.dimension)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    assert all(length == pytest.approx(1, abs=1e-6) or length == 0 for length in lengths)
    assert lengths[0] > 0
    assert lengths[TEXTS.index("")] == 0
    assert np.array_equal(rows[1], source.embed(["The museum was closed"])[0])


@every_backend
def test_a_vector_does_not_depend_on_its_company(name: str) -> None:
    source = embedder(name)
    alone = source.embed(["I baked a lemon cake."])[0]
    assert np.array_equal(alone, source.embed(["tea", "long " * 300, "I baked a lemon cake."])[2])


@every_backend
def test_no_texts_give_no_rows(name: str) -> None:
    assert embedder(name).embed([]).shape == (0, embedder(name).dimension)


@pytest.mark.parametrize("name", [each for each in EMBEDDED if each != "hash"])
def test_what_means_the_same_is_nearer_than_what_does_not(name: str) -> None:
    rows = embedder(name).embed(["my doctor", "her physician", "a rock concert"]).astype(float)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


@pytest.mark.parametrize("name", list(embedders))
def test_a_backend_says_what_it_is(name: str) -> None:
    made = embedders[name]
    assert made.__doc__
    source = made("some-model" if name == "openai" else "")
    assert source.name == name
    assert source.batch >= 1
    assert 0 < source.thresholds.related < source.thresholds.near_tag < source.thresholds.same_tag < 1


@pytest.mark.parametrize(
    ("named", "said"),
    [("nothing", "known: hash, minilm, openai, wordllama"), ("wordllama:other", "no model 'other'"), ("openai", "openai:MODEL")],
)
def test_what_is_not_there_is_named(named: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        embedder(named)


def test_a_missing_extra_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "find_spec", lambda name: None)
    minilm._model.cache_clear()
    with pytest.raises(MissingPart, match="make minilm"):
        embedder("minilm").embed(["tea"])


def test_only_the_test_backend_is_for_tests() -> None:
    assert {name for name, made in embedders.items() if made.is_for_tests} == {"hash"}


def test_loading_leaves_logging_as_it_was() -> None:
    script = (
        "import logging; from workbench.embed.base import embedder; embedder('wordllama').embed(['tea']); "
        "root = logging.getLogger(); print(root.handlers, root.level)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert out.stdout.split() == ["[]", str(logging.WARNING)]
    assert out.stderr == ""


def test_naming_a_backend_loads_no_model() -> None:
    script = "import sys; import workbench.methods.openclaw; print([m for m in ('wordllama', 'openai') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert out.stdout.strip() == "[]"


@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), max_size=5))
def test_unit_rows_keep_direction_and_zeros(rows: list[list[float]]) -> None:
    given_rows = np.array(rows, np.float64).reshape(-1, 3)
    scaled = unit_rows(given_rows).astype(float)
    lengths = np.linalg.norm(given_rows, axis=1)
    assert np.allclose(np.linalg.norm(scaled, axis=1), lengths > 0, atol=1e-6)
    assert np.allclose(scaled * lengths[:, None], given_rows, atol=1e-3)


def test_embedding_errors_are_ours() -> None:
    from workbench.errors import EmbeddingError

    assert issubclass(EmbeddingError, WorkbenchError)
