"""One case of growing size: what loading, opening, building and asking cost in time and memory, and by which power they grow.

    python bench/growth.py [--sizes 1000,10000,100000] [--methods a,b] [--folder DIR] [--cap METHOD=NOTES ...]

The case is made from the rounds of the real LongMemEval-S cases, each round once and in their order; where more are asked for
than there are, the rounds come again, every copy later in time and with a person, a place and a number of its own in front, so
that words, tags and dates go on growing as they do in a history. Eight rounds are a session. The questions are those of the
cases. Every step is a process of its own: the memory told is its peak. Stores are kept in the folder, and a second run uses them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ingest import DATA, SUBSET

from workbench.datasets.base import datasets
from workbench.evaluate.inputs import case_input
from workbench.extract.base import extractors
from workbench.ingest import ingest
from workbench.methods.base import create
from workbench.notes import interactions
from workbench.printing import table
from workbench.records import Case, Interaction, Loaded, Session, Turn
from workbench.store import open_store

METHODS = "bm25,bm25_filtered,tag_basic,tag_stopwords,tag_tfidf,adaptive,dense,openclaw,ariadne,real"
CAPS = {"ariadne": 10_000, "real": 10_000}
"""Methods whose state is heavier (design, section 10), with the largest size they are asked at."""
A_SESSION = 8
QUESTIONS = 20
KEY = "growth/growth"
PERSONS = ("Ada", "Bruno", "Celia", "Dario", "Edda", "Falk", "Gesa", "Hugo", "Ines", "Jonas")
PLACES = ("Leeds", "Porto", "Bergen", "Graz", "Utrecht", "Turku", "Bilbao", "Siena", "Aarhus", "Dover")


def rounds() -> Iterator[Interaction]:
    """Every round of the real cases once, by its session."""
    seen = set()
    for item in datasets["longmemeval"].read(DATA / SUBSET):
        if isinstance(item, Loaded):
            new = [one for one in interactions(item.case) if one.id not in seen]
            seen.update(one.id for one in new)
            yield from new


def questions() -> list[str]:
    cases = (item.case for item in datasets["longmemeval"].read(DATA / SUBSET) if isinstance(item, Loaded))
    return [case.questions[0].text for case in itertools.islice(cases, QUESTIONS)]


def grown(count: int) -> Case:
    """The case of so many rounds."""
    draw, start = random.Random(0), datetime(2010, 1, 1, 8)
    pool = list(rounds())
    turns: list[tuple[Turn, ...]] = []
    for number in range(count):
        copy, at = divmod(number, len(pool))
        said = pool[at].turns
        if copy:
            words = f"{draw.choice(PERSONS)} from {draw.choice(PLACES)}, number {number}: "
            said = (Turn(said[0].role, words + said[0].text), *said[1:])
        turns.append(tuple(Turn(turn.role, turn.text) for turn in said))
    sessions = []
    for number, begin in enumerate(range(0, count, A_SESSION)):
        flat = itertools.chain(*turns[begin : begin + A_SESSION])
        held = tuple(Turn(turn.role, turn.text, ref=f"s{number}:{at}") for at, turn in enumerate(flat))
        sessions.append(Session(f"s{number}", held, number, start + timedelta(hours=number)))
    return Case("growth", "growth", tuple(sessions), ())


def timed(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def load(store: Path, size: int) -> dict[str, float]:
    case = grown(size)
    return {"load": timed(lambda: ingest([("growth", [Loaded(case)])], store, extractors["rules"]())), "notes": size}


def ask(store: Path, method: str) -> dict[str, float]:
    """A method on the stored case: reading it, preparing for a first question, and the questions after it."""
    with open_store(store, read_only=True) as opened:
        begin = time.perf_counter()
        memory = case_input(opened, KEY, None, ()).memory()
        read = time.perf_counter() - begin
    asked, retriever = questions(), create(method, memory=memory)
    found = {"read": read, "build": timed(lambda: retriever.query(asked[0], 10))}
    for text in asked:  # some prepare over their first questions
        retriever.query(text, 10)
    times = [timed(lambda text=text: retriever.query(text, 10)) for text in asked]  # type: ignore[misc]
    return found | {"query": statistics.median(times), "worst": max(times)}


def step(what: str, *arguments: object) -> dict[str, float]:
    """A step in a process of its own, with its peak memory in MiB."""
    command = [sys.executable, __file__, "--step", json.dumps([what, *map(str, arguments)])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{what} {arguments} failed:\n{done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def run_step(what: str, store: str, argument: str) -> None:
    found = load(Path(store), int(argument)) if what == "load" else ask(Path(store), argument)
    print(json.dumps(found | {"mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def power(sizes: list[int], values: list[float]) -> str:
    """The exponent of growth between neighbouring sizes: 1 is linear."""
    pairs = itertools.pairwise(zip(sizes, values, strict=True))
    return ", ".join(f"{math.log(b / a) / math.log(n / m):.2f}" for (m, a), (n, b) in pairs if a > 0 and b > 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--folder", type=Path, default=Path("build") / "growth")
    parser.add_argument("--cap", action="append", default=[], metavar="METHOD=NOTES", help="largest size a method is asked at")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        run_step(*json.loads(options.step))
        return

    options.folder.mkdir(parents=True, exist_ok=True)
    sizes = [int(size) for size in options.sizes.split(",")]
    caps = CAPS | {name: int(size) for name, _, size in (each.partition("=") for each in options.cap)}
    stores = {size: options.folder / f"growth_{size}.duckdb" for size in sizes}
    loads = {}
    for size, store in stores.items():
        if not store.exists():
            loads[size] = step("load", store, size)
            found = loads[size]
            print(
                f"{size:,} notes loaded in {found['load']:.1f} s, {size / found['load']:.0f} notes/s, {found['mib']:.0f} MiB, "
                f"store of {store.stat().st_size / 2**20:.0f} MiB",
                flush=True,
            )
    if len(loads) > 1:
        print(f"loading grows by the power {power(list(loads), [each['load'] for each in loads.values()])}")
    rows = []
    for method in options.methods.split(","):
        asked = [size for size in sizes if size <= caps.get(method, size)]
        found = {size: step("ask", stores[size], method) for size in asked}
        for size, each in found.items():
            print(method, size, {name: round(value, 4) for name, value in each.items()}, file=sys.stderr, flush=True)
        cells = (
            [f"{1000 * found[size][what]:,.0f}" if size in found else "-" for size in sizes]
            for what in ("build", "query", "worst")
        )
        memory = [f"{found[size]['mib']:,.0f}" if size in found else "-" for size in sizes]
        grows = [power(asked, [found[size][what] for size in asked]) for what in ("build", "query")]
        rows.append([method, *(" / ".join(each) for each in (*cells, memory)), *grows])
    columns = ["method", "build, ms", "query, ms", "worst, ms", "peak MiB", "build power", "query power"]
    print(f"at {' / '.join(f'{size:,}' for size in sizes)} notes", *table(columns, rows), sep="\n")


if __name__ == "__main__":
    main()
