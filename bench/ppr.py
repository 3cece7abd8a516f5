"""Personalized PageRank: ours against NetworkX, igraph, rustworkx and plain power iteration, at the same L1 error, in one run.

    python bench/ppr.py [--sizes 200 2000 20000 200000] [--queries N] [--data FILE]

Graphs are synthetic tag graphs of the shape measured on LongMemEval-S cases (about 12 nodes a note), and, where the data is
present, the graph of a real case. Every answer is compared with a reference (power iteration to 1e-13); a peer's tolerance is
tightened until its L1 error is at most 1e-8, and its fastest setting that reaches it is timed. "per query" asks a prepared
object again, after it has factorised where it does (after 8 queries, or one per 200 nodes); "cold" is graph building plus one
query, the peers' own graph building included.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import rustworkx
from scipy import sparse

from workbench.datasets.read import read
from workbench.diffusion import FACTORISE_BELOW, Diffusion
from workbench.extract.base import extractors
from workbench.graph import EDGE_KINDS, GraphConfig, tag_graph
from workbench.ingest import extract_case
from workbench.memory import Memory
from workbench.records import Loaded

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data" / "longmemeval" / "longmemeval_s_e47becba.json"
ALPHA, ERROR = 0.85, 1e-8


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


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def fastest(work: Callable[[], object], budget: float) -> float:
    """The median of several calls within a budget of seconds, at least 3 calls."""
    times: list[float] = []
    while len(times) < 3 or (sum(times) < budget and len(times) < 200):
        times.append(seconds(work))
    return statistics.median(times)


def compare(name: str, weights: sparse.csr_array, queries: int, rng: np.random.Generator) -> None:
    n = weights.shape[0]
    block = np.zeros((n, queries))
    for column in range(queries):
        block[rng.choice(n, size=min(n, 20), replace=False), column] = rng.random(min(n, 20))
    block /= block.sum(axis=0)
    s, truth = block[:, 0], reference(weights, block[:, 0])
    print(f"\n{name}: {n:,} nodes, {weights.nnz // 2:,} edges")
    print(f"{'':<28}{'per query ms':>14}{'cold ms':>12}{'L1 error':>12}")
    peers: dict[str, tuple[float, float]] = {}
    for kind in (NetworkX, IGraph, RustworkX, PowerIteration):
        peer = kind(weights)
        graph = peer.build()
        for tol in (1e-8, 1e-9, 1e-10, 1e-11, 1e-12):
            error = float(np.abs(peer.ask(graph, s, tol) - truth).sum())
            if error <= ERROR:
                break
        else:
            print(f"{kind.__name__:<28}{'error not reached':>26}{error:>12.1e}")
            continue
        one = fastest(lambda peer=peer, graph=graph, tol=tol: peer.ask(graph, s, tol), 1.0)
        cold = fastest(lambda peer=peer, tol=tol: peer.ask(peer.build(), s, tol), 1.0)
        print(f"{kind.__name__:<28}{1000 * one:>14.3f}{1000 * cold:>12.3f}{error:>12.1e}")
        if kind is not PowerIteration:
            peers[kind.__name__] = (one, cold)
    ours = Diffusion(weights, ALPHA, tol=ERROR)
    prepared = seconds(lambda: [ours.solve(s) for _ in range(20)])
    while ours.n <= FACTORISE_BELOW and "_factors" not in vars(ours):
        ours.solve(s)
    error = float(np.abs(ours.solve(s) - truth).sum())
    at = iter(range(10**9))
    one = fastest(lambda: ours.solve(block[:, next(at) % queries]), 1.0)
    cold = fastest(lambda: Diffusion(weights, ALPHA, tol=ERROR).solve(s), 1.0)
    print(f"{'ours':<28}{1000 * one:>14.3f}{1000 * cold:>12.3f}{error:>12.1e}   (first 20 queries {1000 * prepared:.1f} ms)")
    best_one, best_cold = min(one for one, _ in peers.values()), min(cold for _, cold in peers.values())
    print(f"best peer / ours: per query {best_one / one:.1f} times, cold {best_cold / cold:.1f} times")
    print(f"peak memory so far {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 2_000, 20_000, 200_000])
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    rng = np.random.default_rng(7)
    for n in options.sizes:
        compare("synthetic", synthetic(n, rng), options.queries, rng)
    real = real_case(options.data)
    if real is not None:
        compare(f"real case {options.data.stem}", real, options.queries, rng)


if __name__ == "__main__":
    main()
