"""AriadneMem: how its similarity bounds carry over to another embedding backend, and what it costs and gives on stored cases.

    python bench/ariadne.py thresholds [--backends a,b]
    python bench/ariadne.py measure STORE --benchmark locomo [--cases a,b]

``thresholds`` lets the same share of a fixed list of our own sentence pairs pass under another backend as under MiniLM with the
paper's .6 and .7: the list (``ariadne_pairs.tsv``) has repetitions, changed values, continued topics, small talk and unrelated
sentences, and was written before any backend was tried on it. ``measure`` chooses nothing.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from workbench.ariadne.coverage import coverage
from workbench.ariadne.index import index_of, utterances_of
from workbench.ariadne.thresholds import PAPER
from workbench.embed.base import embedder
from workbench.evaluate.ablations import ablation
from workbench.evaluate.estimates import estimates
from workbench.evaluate.inputs import case_inputs, common_extraction
from workbench.evaluate.judging import is_headline
from workbench.evaluate.relevance import relevance
from workbench.evaluate.runs import CaseInput, MethodSpec
from workbench.evaluate.stored import run_stored
from workbench.methods.ariadne import Ariadne, best_by_note
from workbench.methods.base import create
from workbench.printing import interval, table
from workbench.records import Run
from workbench.states import States
from workbench.store import ExtractionRow, open_store

PAIRS = Path(__file__).with_name("ariadne_pairs.tsv")


def pairs() -> list[tuple[str, str]]:
    """The calibration list."""
    return [tuple(line.split("\t")) for line in PAIRS.read_text("utf-8").splitlines()]  # type: ignore[misc]


def cosines(backend: str) -> np.ndarray:
    """Cosine of each pair, largest first."""
    source, listed = embedder(backend), pairs()
    left, right = (source.embed([pair[at] for pair in listed]).astype(float) for at in (0, 1))
    return np.sort((left * right).sum(axis=1))[::-1]


def bound_for(values: np.ndarray, passing: int) -> float:
    """The cosine half way between the last pair that passes and the first that does not."""
    return float((values[passing - 1] + values[passing]) / 2)


def thresholds(backends: Sequence[str]) -> None:
    """Print each backend's two bounds and the shares that pass."""
    paper = cosines("minilm")
    counts = {name: int((paper > value).sum()) for name, value in (("gate", PAPER.gate), ("coarsen", PAPER.coarsen))}
    print(f"{len(paper)} pairs; under minilm {counts['gate']} are above {PAPER.gate}, {counts['coarsen']} above {PAPER.coarsen}")
    rows = []
    for backend in backends:
        values = cosines(backend)
        rows.append([backend, *(bound_for(values, counts[name]) for name in ("gate", "coarsen"))])
    print("\n".join(table(["backend", "gate", "coarsen"], rows)))


# Figures on stored cases --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CaseFigures:
    """One case: seconds to build its state (parsing apart from what follows) and milliseconds of each warm query."""

    name: str
    notes: int
    entries: int
    nodes: int
    updates: int
    seconds_reading: float
    seconds_rest: float
    query_ms: list[float]
    bm25_ms: list[float]
    tokens: list[int]
    sizes: list[int]
    bridges: list[int]
    paths: list[int]
    uncovered: int
    gold: int
    gold_lost_at_gate: int
    gold_turns: int
    gold_turns_dropped: int
    dropped: int
    equal_size: list[tuple[float, float]]
    """Share of the gold in the evidence, and in as many notes of bm25, per headline question."""


def measure_case(given: CaseInput) -> CaseFigures:
    """Build from nothing but the notes, then ask every question."""
    memory = replace(given, states=States()).memory()
    method = create("ariadne", memory=memory)
    assert isinstance(method, Ariadne)
    begin = time.perf_counter()
    entries = utterances_of(memory, method.config)
    reading = time.perf_counter() - begin
    begin = time.perf_counter()
    index = index_of(memory, method.config)
    rest = time.perf_counter() - begin
    bm25 = create("bm25", memory=memory)
    asked = [each for each in given.case.questions if is_headline(given.case.benchmark, each)]
    judged = [(each, found) for each in asked if (found := relevance(each, memory.notes)).level != "none"]
    traces, ms, other_ms, equal = [], list[float](), list[float](), list[tuple[float, float]]()
    method.query("warm up")
    bm25.query("warm up")
    ids = [note.id for note in memory.notes]
    for question, found in judged:
        begin = time.perf_counter()
        method.query(question.text, None)
        ms.append(1000 * (time.perf_counter() - begin))
        begin = time.perf_counter()
        rival = [hit.note_id for hit in bm25.query(question.text, None).hits]
        other_ms.append(1000 * (time.perf_counter() - begin))
        trace = method.trace(question.text)
        traces.append(trace)
        kept = frozenset(trace.budget.kept)
        evidence = {ids[row] for row, node in best_by_note(trace).items() if node in kept}
        share = [len(found.notes & set(some)) / len(found.notes) for some in (evidence, rival[: len(evidence)])]
        equal.append((share[0], share[1]))
    gold = frozenset().union(*(found.notes for _, found in judged)) if judged else frozenset()
    turns = frozenset(turn for question, _ in judged for turn in question.gold.turns)
    dropped = frozenset(ref for node in index.nodes for ref in node.suppressed)
    cover = coverage(index.construction, memory.notes)
    return CaseFigures(
        given.case.id,
        len(memory.notes),
        len(entries),
        len(index.nodes),
        sum(link.kind == "updated" for link in index.construction.links),
        reading,
        rest,
        ms,
        other_ms,
        [trace.context.tokens for trace in traces],
        [len(trace.budget.kept) for trace in traces],
        [sum(step.chosen is not None for step in trace.bridges) for trace in traces],
        [trace.paths.count for trace in traces],
        len(cover.none),
        len(gold),
        len(gold & cover.only_suppressed),
        len(turns),
        len(turns & dropped),
        len(dropped),
        equal,
    )


def case_lines(found: Sequence[CaseFigures]) -> Iterator[str]:
    """The cases as a table, and what holds over all of them."""
    head = ["case", "notes", "entries", "nodes", "updates", "read s", "rest s", "query ms median", "most", "bm25 ms", "tokens"]
    rows = [
        [
            each.name, each.notes, each.entries, each.nodes, each.updates, round(each.seconds_reading, 2),
            round(each.seconds_rest, 2), round(statistics.median(each.query_ms), 1), round(max(each.query_ms), 1),
            round(statistics.median(each.bm25_ms), 1), round(statistics.mean(each.tokens)),
        ]
        for each in found
    ]  # fmt: skip
    yield from table(head, rows)
    for name in ("tokens", "sizes", "bridges", "paths"):
        values = [value for each in found for value in getattr(each, name)]
        yield f"{name}: mean {statistics.mean(values):.1f}, median {statistics.median(values):.0f}, most {max(values)}"
    ours, theirs = estimates([[pair[at] for each in found for pair in each.equal_size] for at in (0, 1)])
    share = interval(ours.mean, ours.interval)
    yield f"gold in the evidence {share}, in as many notes of bm25 {interval(theirs.mean, theirs.interval)}"
    lost, gold = (sum(getattr(each, name) for each in found) for name in ("gold_lost_at_gate", "gold"))
    yield f"gold notes lost at the gate: {lost} of {gold}; notes without an entry: {sum(each.uncovered for each in found)}"
    dropped, lost, turns = (
        sum(getattr(each, name) for each in found) for name in ("dropped", "gold_turns_dropped", "gold_turns")
    )
    yield f"turns dropped at the gate: {dropped}, of them gold turns: {lost} of {turns}"
    bridged = sum(count > 0 for each in found for count in each.bridges)
    yield f"questions with a bridge: {bridged} of {sum(len(each.bridges) for each in found)}"


def category_lines(run: Run, measures: Sequence[str] = ("recall@10", "mrr")) -> Iterator[str]:
    """Every arm by question type and over the headline questions."""
    types = sorted({each.type for each in run.results})
    for measure in measures:
        yield f"\n{measure}"
        rows = []
        for arm in run.points:
            mine = [each for each in run.results if each.method == arm]
            groups = [[each for each in mine if each.type == type] for type in types]
            groups.append([each for each in mine if each.headline])
            found = estimates([[each.measures[measure] for each in group] for group in groups])
            rows.append([arm, *(interval(each.mean, each.interval) for each in found)])
        yield from table(["arm", *types, "headline"], rows)


def measure(store: Path, benchmark: str, names: Sequence[str]) -> None:
    """Run ariadne, its ablations and bm25, print them by category, then the figures of each case."""
    with open_store(store, read_only=True) as opened:
        keys = [row.key for row in opened.cases.list(benchmark) if not names or row.id in names]
        row: ExtractionRow = common_extraction(opened, keys)
    arms = [*ablation("ariadne"), MethodSpec("bm25")]
    run = run_stored(store, keys, arms, row, name="bench of ariadne", may_reuse=True)
    print("\n".join(category_lines(run)))
    print("\nseconds of the arms, index included:", {arm: round(value, 1) for arm, value in run.seconds.items()})
    print("\n".join(case_lines([measure_case(given) for given in case_inputs(store, keys, row.key)])))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    asked = commands.add_parser("thresholds")
    asked.add_argument("--backends", default="minilm,wordllama")
    asked = commands.add_parser("measure")
    asked.add_argument("store", type=Path)
    asked.add_argument("--benchmark", required=True)
    asked.add_argument("--cases", default="")
    given = parser.parse_args()
    if given.command == "thresholds":
        thresholds(given.backends.split(","))
    else:
        measure(given.store, given.benchmark, [name for name in given.cases.split(",") if name])


if __name__ == "__main__":
    main()
