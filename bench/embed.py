"""Embedding backends: their thresholds, texts a second, what a query costs, and a store of many notes.

    python bench/embed.py [--backends a,b] [--notes N]

Thresholds are worked out on the demonstration cases and the lexicon, which are the project's own. The large store holds notes of
invented words, so that its vectors are computed as for real ones; its warm-up is told apart from the queries after it.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from workbench.chunks import chunk_texts
from workbench.datasets.read import read
from workbench.embed.base import Embedder, embedder
from workbench.embed.near import readable
from workbench.embed.vectors import VectorSet, text_digest
from workbench.extract.lexicon import Lexicon
from workbench.memory import Memory
from workbench.methods.base import create
from workbench.notes import interactions
from workbench.records import Case, Interaction, Loaded, Note, Turn
from workbench.store import ExtractionKey, open_store

ROOT = Path(__file__).resolve().parent.parent


def unrelated(cases: list[Case], source: Embedder) -> np.ndarray:
    """Cosines of every question with every chunk of other cases."""
    rows = {case.key: source.embed(chunk_texts(interactions(case))).astype(float) for case in cases}
    asked = {case.key: source.embed([question.text for question in case.questions]).astype(float) for case in cases}
    return np.concatenate([(asked[one] @ rows[other].T).ravel() for one in asked for other in rows if one != other])


def different(source: Embedder) -> np.ndarray:
    """Cosines of lexicon leaves of different domains."""
    paths = sorted(Lexicon.load().leaves)
    domains = np.array([path.partition("/")[0] for path in paths])
    rows = source.embed([readable(path) for path in paths]).astype(float)
    return (rows @ rows.T)[domains[:, None] != domains[None, :]]


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def invented(count: int, words: int = 120) -> list[Note]:
    """Notes of random words over a vocabulary with a long tail."""
    draw = random.Random(0)
    vocabulary = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(3, 9))) for _ in range(20_000)]
    shares = [1 / (at + 10) for at in range(len(vocabulary))]
    start = datetime(2024, 1, 1)
    notes = []
    for at in range(count):
        said = " ".join(draw.choices(vocabulary, shares, k=words))
        turns = (Turn("user", said[: len(said) // 3]), Turn("assistant", said[len(said) // 3 :]))
        notes.append(Note(Interaction(f"n{at}", f"s{at // 8}", turns, at, 1, start + timedelta(minutes=at))))
    return notes


def store_growth(source: Embedder, notes: list[Note]) -> float:
    """Bytes that the vectors of 1,000 notes and their chunks add to a store."""
    texts = chunk_texts(note.interaction for note in notes)
    rows = dict(zip(map(text_digest, texts), source.embed(texts), strict=True))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.duckdb"
        with open_store(path) as store:
            store.cases.add(Case("bench", "one", (), notes=tuple(notes)), notes, ExtractionKey("given"))
        before = path.stat().st_size
        with open_store(path) as store:
            store.vectors.put("bench/one", [VectorSet(source.name, source.model, rows)])
        return (path.stat().st_size - before) / len(rows) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backends", default="wordllama")
    parser.add_argument("--notes", type=int, default=20_000, help="of the large store; 0 leaves it out")
    options = parser.parse_args()
    cases = [item.case for item in read(ROOT / "data" / "demo") if isinstance(item, Loaded)]
    texts = [text for case in cases for text in chunk_texts(interactions(case))]
    for name in options.backends.split(","):
        source = embedder(name)
        source.embed(["loads the model"])
        related, tags = np.quantile(unrelated(cases, source), 0.95), np.quantile(different(source), [0.999, 0.9999])
        print(f"{name}: related {related:.3f}, near tag {tags[0]:.3f}, same tag {tags[1]:.3f}; set are {source.thresholds}")
        rate = len(texts) / seconds(lambda texts=texts, source=source: source.embed(texts))
        asked = statistics.median(
            seconds(lambda source=source: source.embed(["Which museum did I like best?"])) for _ in range(20)
        )
        length = statistics.mean(map(len, texts))
        print(f"{name}: {rate:,.0f} texts/s of {length:.0f} characters, {1000 * asked:.2f} ms a query")
        print(f"{name}: the store grows by {store_growth(source, invented(1000)) / 1e6:.2f} MB for 1,000 vectors")
    if options.notes:
        memory = Memory(invented(options.notes))
        asked = [" ".join(note.interaction.user.split()[:6]) for note in memory.notes[:: options.notes // 20]]
        for name in ("dense", "openclaw", "fusion"):
            method = create(name, memory=memory)
            warm = seconds(lambda method=method: method.query(asked[0]))
            times = [seconds(lambda method=method, text=text: method.query(text)) for text in asked]
            print(
                f"{name} over {options.notes:,} notes: warm-up {warm:.1f} s, then {1000 * statistics.median(times):.0f} ms "
                f"a query (worst {1000 * max(times):.0f})"
            )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"largest memory {peak:.2f} GiB")


if __name__ == "__main__":
    main()
