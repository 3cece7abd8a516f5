"""Fuzz everything that reads: ``python -m fuzz [--count N] [--seed S] [--start N] [--only NAME] [--processes N]``.

Prints its seed, a table of formats and outcomes, and every broken promise; exit code 1 if there is one. An interrupted run goes
on with ``--seed S --start N``; one input comes again with ``--seed S --start N --count 1``. Failing inputs are kept under
build/fuzz/.
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import os
import random
import resource
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from fuzz import loaders, others, pages
from fuzz.subjects import Outcome, Subject

SUBJECTS = (*loaders.SUBJECTS, *others.SUBJECTS, *pages.SUBJECTS)
KEPT = loaders.ROOT / "build" / "fuzz"
CPU_SECONDS = 20.0
"""After which an input counts as a hang; processor time, so that a busy machine makes none."""
DEAD_SECONDS = 120.0
"""After which a process that hangs outside Python ends itself."""
MEMORY = 6 << 30
OUTCOMES: tuple[Outcome, ...] = ("read", "mended", "refused", "failed")


class Result(NamedTuple):
    """What became of input ``number``; ``reason`` is empty but for a failure."""

    number: int
    subject: str
    outcome: Outcome
    seconds: float
    reason: str = ""


class Hang(BaseException):
    """An input takes too long; no Exception, so that no reader can take it for one of its own."""


def _too_long(signal_number: int, frame: FrameType | None) -> None:
    raise Hang(f"more than {CPU_SECONDS:.0f} s of processor time")


def run_one(seed: int, number: int, subjects: tuple[Subject, ...] = SUBJECTS, keep: Path | None = KEPT) -> Result:
    """Make input ``number`` of a seed, check it, and keep it if a promise is broken."""
    rng = random.Random(f"{seed}/{number}")
    (subject,) = rng.choices(subjects, [each.share for each in subjects])
    scratch = Path(tempfile.mkdtemp(prefix="fuzz-"))
    folder = scratch / "input"
    folder.mkdir()
    started, outcome, reason = time.perf_counter(), "failed", ""
    try:
        path = subject.make(rng, folder)
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        try:
            outcome = subject.check(rng, path)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except (Exception, Hang) as error:  # noqa: BLE001 - any error that is not the project's own is what is looked for
        last = traceback.extract_tb(error.__traceback__)[-1]
        reason = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {str(error)[:300]}"
        if keep is not None:
            kept = keep / f"{seed}-{number}-{subject.name.replace(' ', '_')}"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept)
            (kept / "reason.txt").write_text(traceback.format_exc(), encoding="utf-8", errors="replace")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return Result(number, subject.name, outcome, time.perf_counter() - started, reason)


def _work(connection: Connection, seed: int, numbers: range, subjects: tuple[Subject, ...]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _too_long)
    for number in numbers:
        faulthandler.dump_traceback_later(DEAD_SECONDS, exit=True)
        connection.send(run_one(seed, number, subjects))
    faulthandler.cancel_dump_traceback_later()
    connection.close()


def results(seed: int, numbers: range, subjects: tuple[Subject, ...], processes: int):  # type: ignore[no-untyped-def]
    """The results of all numbers as they come; a process that dies is a failure of its input, and another one goes on."""
    spawn = multiprocessing.get_context("spawn")
    open_: dict[Connection, range] = {}

    def start(left: range) -> None:
        ours, theirs = spawn.Pipe(duplex=False)
        spawn.Process(target=_work, args=(theirs, seed, left, subjects), daemon=True).start()
        theirs.close()
        open_[ours] = left

    for at in range(processes):
        start(numbers[at::processes])
    while open_:
        for connection in wait(list(open_)):
            left = open_[connection]
            try:
                found = connection.recv()
            except EOFError:
                del open_[connection]
                if left:
                    yield Result(left[0], "?", "failed", 0.0, f"the process died at input {left[0]}: no answer or no memory")
                    start(left[1:])
                continue
            open_[connection] = left[1:]
            yield found


def table(counts: Counter[tuple[str, str]], slowest: dict[str, float]) -> list[str]:
    """Formats by outcome."""
    names = [name for name in dict.fromkeys([*(each.name for each in SUBJECTS), "?"]) if any(key[0] == name for key in counts)]
    rows = [(name, *(counts[name, outcome] for outcome in OUTCOMES), slowest.get(name, 0.0)) for name in names]
    head = f"{'format':<24}{'all':>8}" + "".join(f"{outcome:>9}" for outcome in OUTCOMES) + f"{'slowest s':>11}"
    lines = [
        f"{row[0]:<24}{sum(row[1:5]):>8,}" + "".join(f"{each:>9,}" for each in row[1:5]) + f"{row[5]:>11.2f}" for row in rows
    ]
    sums = [sum(row[at] for row in rows) for at in range(1, 5)]
    return [head, *lines, f"{'all':<24}{sum(sums):>8,}" + "".join(f"{each:>9,}" for each in sums)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="inputs to make")
    parser.add_argument("--seed", type=int, default=1, help="the same seed makes the same inputs")
    parser.add_argument("--start", type=int, default=0, help="number of the first input")
    parser.add_argument("--only", default="", help="only subjects whose name contains this; changes which input a number is")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    subjects = tuple(each for each in SUBJECTS if given.only in each.name)
    if not subjects:
        parser.error(f"no subject contains {given.only!r}; there are: {', '.join(each.name for each in SUBJECTS)}")
    numbers = range(given.start, given.start + given.count)
    print(f"seed {given.seed}, inputs {numbers.start} to {numbers.stop - 1}, {given.processes} processes", flush=True)
    counts: Counter[tuple[str, str]] = Counter()
    slowest: dict[str, float] = {}
    started = time.perf_counter()
    for result in results(given.seed, numbers, subjects, given.processes):
        counts[result.subject, result.outcome] += 1
        slowest[result.subject] = max(slowest.get(result.subject, 0.0), result.seconds)
        if result.reason:
            print(f"FAILED {result.subject}: --seed {given.seed} --start {result.number} --count 1: {result.reason}", flush=True)
        done = counts.total()
        if done % 500 == 0:
            ahead = f"--seed {given.seed} --start {given.start + done}"
            print(f"{done:,} inputs, {time.perf_counter() - started:.0f} s; to go on from here: {ahead}", flush=True)
    failed = sum(count for (_, outcome), count in counts.items() if outcome == "failed")
    print(*table(counts, slowest), f"{time.perf_counter() - started:.0f} s", sep="\n")
    if failed:
        print(f"{failed} broken promises; their inputs are under {os.path.relpath(KEPT)}")
    return 1 if failed else 0
