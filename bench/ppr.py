"""Personalized PageRank: ours against NetworkX, igraph, rustworkx and plain power iteration, at the same L1 error, in one run.

    python bench/ppr.py [--sizes 200 2000 20000 200000] [--queries N] [--data FILE] [--cpu]

Graphs are synthetic tag graphs of the shape measured on LongMemEval-S cases (about 12 nodes a note), and, where the data is
present, the graph of a real case. Every answer is compared with a reference (power iteration to a step of 1e-14); a peer's
tolerance is tightened until its L1 error is at most 1e-8, and its fastest setting that reaches it is timed. "per query" asks a
prepared object again, after it has factorised where it does; "cold" is graph building plus one query, the peers' own graph
building included. All take turns in one run, so that other work on the machine meets all of them; of a turn the fastest call
counts, of all turns the median. Where other work fills the machine, OMP_NUM_THREADS=1 (igraph's threads wait for each other)
and --cpu (the processor's seconds of this process, for all contenders) tell more than the clock on the wall.

"first queries" adds up what a fresh object of ours takes, building included, until it is prepared as far as it goes, against
building and as many queries of the best peer; and says from which query on ours is ahead.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import rustworkx
from scipy import sparse

from workbench.datasets.read import read
from workbench.diffusion import FACTORISE_BELOW, INVERT_BELOW, Diffusion
from workbench.extract.base import extractors
from workbench.graph import EDGE_KINDS, GraphConfig, tag_graph
from workbench.ingest import extract_case
from workbench.memory import Memory
from workbench.records import Loaded

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data" / "longmemeval" / "longmemeval_s_e47becba.json"
ALPHA, ERROR = 0.85, 1e-8
TURNS, TURN_SECONDS = 9, 0.1
Clock = Callable[[], float]


def synthetic(n: int, rng: np.random.Generator) -> sparse.csr_array:
    """A symmetric tag graph of about n nodes: 8% files, 40% tags, 7% topics, 45% ontology; Zipf tags, a time line."""
    files, tags, topics = max(2, n * 8 // 100), n * 40 // 100, max(1, n * 7 // 100)
    ontology = n - files - tags - topics
    roots = max(1, ontology - tags)
    t, p, f, o = 0, tags, tags + topics, tags + topics + files
    popularity = 1 / np.arange(1, tags + 1) ** 0.8
    carried = rng.choice(tags, size=(files, 7), p=popularity / popularity.sum())
    topic_of = rng.integers(0, topics, files)
    pairs = [
        np.stack([np.repeat(topic_of, 7) + p, carried.ravel() + t]),
        np.stack([topic_of + p, np.arange(files) + f]),
        np.stack([np.arange(tags) + t, o + roots + np.arange(tags) % max(1, ontology - roots)]),
        np.stack([o + rng.integers(0, roots, tags), o + roots + np.arange(tags) % max(1, ontology - roots)]),
        np.stack([np.arange(files - 1) + f, np.arange(1, files) + f]),
    ]
    edges = np.unique(np.sort(np.concatenate(pairs, axis=1), axis=0), axis=1)
    edges = edges[:, edges[0] != edges[1]]
    half = sparse.coo_array((np.ones(edges.shape[1]), (edges[0], edges[1])), shape=(n, n))
    return sparse.csr_array(half + half.T)


def real_case(path: Path) -> sparse.csr_array | None:
    """The default graph of the first case of a file; None where there is no such file."""
    if not path.exists():
        return None
    loaded = next(item for item in read(path) if isinstance(item, Loaded))
    notes = extract_case(extractors["rules"](), (str(path), loaded)).notes
    return tag_graph(Memory(notes), GraphConfig()).weights(dict.fromkeys(EDGE_KINDS, 1.0) | {"chronological": 0.5})


def reference(weights: sparse.csr_array, s: np.ndarray) -> np.ndarray:
    """Power iteration with dangling mass to the seeds, to a step of 1e-14."""
    degree = np.asarray(weights.sum(axis=1)).ravel()
    dangling = degree == 0
    step = sparse.csr_array((weights * (1 / np.where(dangling, 1, degree))[:, None]).T)
    x = s
    while True:
        following = ALPHA * (step @ x + x[dangling].sum() * s) + (1 - ALPHA) * s
        if np.abs(following - x).sum() < 1e-14:
            return following
        x = following


class Peer:
    """A library: builds its graph from an edge list and answers with all scores."""

    def __init__(self, weights: sparse.csr_array) -> None:
        upper = sparse.triu(weights).tocoo()
        self.n = weights.shape[0]
        self.edges = list(zip(*(each.tolist() for each in upper.coords), strict=True))
        self.values = upper.data.tolist()

    def build(self) -> object:
        raise NotImplementedError

    def ask(self, graph: object, s: np.ndarray, tol: float) -> np.ndarray:
        raise NotImplementedError


class NetworkX(Peer):
    def build(self) -> nx.Graph:
        graph = nx.Graph()
        graph.add_nodes_from(range(self.n))
        graph.add_weighted_edges_from((u, v, w) for (u, v), w in zip(self.edges, self.values, strict=True))
        return graph

    def ask(self, graph: nx.Graph, s: np.ndarray, tol: float) -> np.ndarray:
        seeds = {int(node): float(s[node]) for node in np.flatnonzero(s)}
        found = nx.pagerank(graph, ALPHA, personalization=seeds, tol=tol / self.n, max_iter=1000)
        return np.fromiter((found[node] for node in range(self.n)), float, self.n)


class IGraph(Peer):
    def build(self) -> igraph.Graph:
        graph = igraph.Graph(self.n, self.edges)
        graph.es["weight"] = self.values
        return graph

    def ask(self, graph: igraph.Graph, s: np.ndarray, tol: float) -> np.ndarray:
        return np.array(graph.personalized_pagerank(damping=ALPHA, reset=s.tolist(), weights="weight", implementation="prpack"))


class RustworkX(Peer):
    def build(self) -> rustworkx.PyDiGraph:
        graph = rustworkx.PyDiGraph()
        graph.add_nodes_from(range(self.n))
        graph.add_edges_from([(u, v, w) for (u, v), w in zip(self.edges, self.values, strict=True)])
        graph.add_edges_from([(v, u, w) for (u, v), w in zip(self.edges, self.values, strict=True)])
        return graph

    def ask(self, graph: rustworkx.PyDiGraph, s: np.ndarray, tol: float) -> np.ndarray:
        seeds = {int(node): float(s[node]) for node in np.flatnonzero(s)}
        found = rustworkx.pagerank(graph, alpha=ALPHA, weight_fn=float, personalization=seeds, tol=tol, max_iter=1000)
        return np.fromiter((found[node] for node in range(self.n)), float, self.n)


class PowerIteration(Peer):
    def __init__(self, weights: sparse.csr_array) -> None:
        self.weights = weights

    def build(self) -> Diffusion:
        return Diffusion(self.weights, ALPHA)

    def ask(self, graph: Diffusion, s: np.ndarray, tol: float) -> np.ndarray:
        return graph.trace(s, tol=tol).x


def clocked(work: Callable[[], object], clock: Clock) -> float:
    begin = clock()
    work()
    return clock() - begin


def medians(works: dict[str, Callable[[], object]], clock: Clock) -> dict[str, float]:
    """The seconds of each, all taking turns of at least a tenth of a second: the median over turns of a turn's fastest call."""
    fastest: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(TURNS):
        for name, work in works.items():
            until = clock() + TURN_SECONDS
            best = clocked(work, clock)
            while clock() < until:
                best = min(best, clocked(work, clock))
            fastest[name].append(best)
    return {name: float(np.median(each)) for name, each in fastest.items()}


def sharp_enough(peer: Peer, graph: object, s: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """The loosest tolerance tried at which a peer's L1 error is small enough (nan if at none), and the error."""
    for tol in (1e-8, 1e-9, 1e-10, 1e-11, 1e-12):
        error = float(np.abs(peer.ask(graph, s, tol) - truth).sum())
        if error <= ERROR:
            return tol, error
    return float("nan"), error


def is_prepared(ours: Diffusion) -> bool:
    """Whether nothing is left that later queries would prepare."""
    last = "_walks_from" if ours.n <= INVERT_BELOW else "_factors" if ours.n <= FACTORISE_BELOW else "_symmetric"
    return last in vars(ours)


def first_queries(weights: sparse.csr_array, block: np.ndarray, clock: Clock) -> list[float]:
    """Seconds of a fresh object after each of its first queries, building included, until it is prepared."""
    begin = clock()
    ours, after = Diffusion(weights, ALPHA, tol=ERROR), []
    while not is_prepared(ours):
        ours.solve(block[:, len(after) % block.shape[1]])
        after.append(clock() - begin)
    return after


def compare(name: str, weights: sparse.csr_array, queries: int, rng: np.random.Generator, clock: Clock) -> None:
    n = weights.shape[0]
    block = np.zeros((n, queries), order="F")
    for column in range(queries):
        block[rng.choice(n, size=min(n, 20), replace=False), column] = rng.random(min(n, 20))
    block /= block.sum(axis=0)
    s, truth = block[:, 0], reference(weights, block[:, 0])
    print(f"\n{name}: {n:,} nodes, {weights.nnz // 2:,} edges")
    warm: dict[str, Callable[[], object]] = {}
    cold: dict[str, Callable[[], object]] = {}
    build: dict[str, Callable[[], object]] = {}
    errors: dict[str, float] = {}
    for kind in (NetworkX, IGraph, RustworkX, PowerIteration):
        peer = kind(weights)
        graph = peer.build()
        tol, errors[kind.__name__] = sharp_enough(peer, graph, s, truth)
        if tol > 0:
            build[kind.__name__] = peer.build
            warm[kind.__name__] = lambda peer=peer, graph=graph, tol=tol: peer.ask(graph, s, tol)
            cold[kind.__name__] = lambda peer=peer, tol=tol: peer.ask(peer.build(), s, tol)
    fresh = [first_queries(weights, block, clock) for _ in range(3)]
    ours = Diffusion(weights, ALPHA, tol=ERROR)
    while not is_prepared(ours):
        ours.solve(s)
    errors["ours"] = float(np.abs(ours.solve(s) - truth).sum())
    at = iter(range(10**9))
    build["ours"] = lambda: Diffusion(weights, ALPHA, tol=ERROR)
    warm["ours"] = lambda: ours.solve(block[:, next(at) % queries])
    cold["ours"] = lambda: Diffusion(weights, ALPHA, tol=ERROR).solve(s)
    building, asking, both = (medians(works, clock) for works in (build, warm, cold))
    print(f"{'':<20}{'build ms':>12}{'per query ms':>14}{'cold ms':>12}{'L1 error':>12}")
    for each, error in errors.items():
        if each in asking:
            print(f"{each:<20}{1000 * building[each]:>12.3f}{1000 * asking[each]:>14.4f}{1000 * both[each]:>12.3f}{error:>12.1e}")
        else:
            print(f"{each:<20}{'error not reached':>38}{error:>12.1e}")
    peers = asking.keys() - {"ours", "PowerIteration"}
    best_warm, best_cold = min(asking[each] for each in peers), min(both[each] for each in peers)
    print(f"best peer / ours: per query {best_warm / asking['ours']:.1f} times, cold {best_cold / both['ours']:.2f} times")
    spent = np.min(fresh, axis=0)
    best = np.min([building[each] + asking[each] * np.arange(1, len(spent) + 1) for each in peers], axis=0)
    ahead = np.flatnonzero(spent > best)
    print(
        f"first queries, until prepared: {len(spent)} in {1000 * spent[-1]:.1f} ms, best peer {1000 * best[-1]:.1f} ms; ", end=""
    )
    print(f"ahead from query {ahead[-1] + 2 if len(ahead) else 1} on")
    print(f"peak memory of the process so far {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 2_000, 20_000, 200_000])
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--cpu", action="store_true")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    rng = np.random.default_rng(7)
    for n in options.sizes:
        compare("synthetic", synthetic(n, rng), options.queries, rng, clock)
    real = real_case(options.data)
    if real is not None:
        compare(f"real case {options.data.stem}", real, options.queries, rng, clock)


if __name__ == "__main__":
    main()
