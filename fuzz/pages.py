"""URLs of the app: every page with spoiled query parameters, run without a browser."""

from __future__ import annotations

import json
import logging
import os
import random
import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlencode

from fuzz import mutations
from fuzz.loaders import DEMO
from fuzz.subjects import Outcome, Subject, promise
from workbench.datasets.read import read
from workbench.extract.base import extractors
from workbench.ingest import ingest
from workbench.ui.navigation import in_order

KNOWN = {
    "store": ("data/none.duckdb", "~nobody/x", "/dev/null", ".", "a\0b", "x" * 5000, "README.md"),
    "benchmark": ("longmemeval_demo", "atant_demo"),
    "case": ("atant_demo/demo_01", "atant_demo/demo_02", "demo_01"),
    "question": ("demo_01_q1",),
    "extraction": ("rules:00000000",),
    "q": ("How much did she raise?", "the of"),
    "note": ("batch_1#1",),
    "methods": ("bm25", "tag_basic", "adaptive"),
    **dict.fromkeys(("node", "expand", "mute", "gold", "mark", "step", "pair"), ("batch_1#1", "file:batch_1#1", "1", "9" * 5)),
    **dict.fromkeys(
        ("run", "audit", "stop", "part", "stage", "shape", "layout", "k", "view"), ("1", "Queue", "Graph", "Rank lines", "")
    ),
}


@cache
def _store() -> str:
    """A small store, made once a process."""
    path = Path(tempfile.mkdtemp(prefix="fuzz-pages-")) / "pages.duckdb"
    files = sorted((DEMO / "stories").glob("*.yaml"))[:2]
    ingest([(str(file), read(file)) for file in files], path, extractors["rules"]())
    return str(path)


def _make(rng: random.Random, folder: Path) -> Path:
    query = [("page", rng.choice(in_order()).name)]
    for name in rng.sample(list(KNOWN), rng.randint(1, 6)):
        if name == "store" and rng.random() < 0.7:
            continue
        value = rng.choice((*KNOWN[name], *KNOWN[name], rng.choice(mutations.HOSTILE)))
        query += [(name, mutations.text(rng, value) if rng.random() < 0.3 else value)] * rng.choice((1, 1, 1, 9))
    path = folder / "url.txt"
    path.write_text(urlencode(query, errors="replace"), encoding="ascii")
    return path


def _script(name: str) -> None:
    from workbench.ui import context
    from workbench.ui.navigation import pages

    context.sidebar()
    pages[name].show()


def _check(rng: random.Random, path: Path) -> Outcome:
    from streamlit.testing.v1 import AppTest

    logging.disable(logging.WARNING)
    os.environ["WORKBENCH_STORE"] = _store()
    query = parse_qs(path.read_text(encoding="ascii"), keep_blank_values=True)
    (name,) = query.pop("page")
    page = AppTest.from_function(_script, args=(name,), default_timeout=120)
    for key, values in query.items():
        page.query_params[key] = values
    page.run()
    promise(not page.exception, f"no page fails over its URL: {json.dumps([error.value for error in page.exception])[:500]}")
    return "mended" if page.error or page.warning else "read"


SUBJECTS = (Subject("URL", 2, _make, _check),)
