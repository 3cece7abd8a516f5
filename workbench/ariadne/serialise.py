"""A query's evidence as text for a model: facts in the order of time, paths, updates, and what it costs in tokens (4.6.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.ariadne.construction import Link, Node
from workbench.ariadne.entries import spoken_date
from workbench.ariadne.paths import Path
from workbench.chunks import CHARS_PER_TOKEN


@dataclass(frozen=True)
class Context:
    """The serialised evidence.

    ``facts`` maps a label (``F1``) to its node, oldest first; ``tokens`` is an estimate of four characters each, since every
    model counts its own way.
    """

    text: str
    facts: dict[str, int]
    tokens: int


def serialise(nodes: Sequence[Node], kept: Sequence[int], paths: Sequence[Path], updates: Sequence[Link]) -> Context:
    """Facts as ``[F1] restatement``, paths as ``F1 -> F3``, and updates as ``F1 => F3 (updated: 2 pm, now 3 pm)``."""
    labels = {node: f"F{at}" for at, node in enumerate(sorted(kept), 1)}
    lines = ["Facts:", *(f"[{label}] {_said(nodes[node])}" for node, label in labels.items())]
    if paths:
        lines += ["Paths:", *(" → ".join(labels[node] for node in path.nodes) for path in paths)]
    if updates:
        lines += ["Updates:", *(_update(link, labels) for link in updates)]
    text = "\n".join(lines) if labels else ""
    return Context(text, {label: node for node, label in labels.items()}, -(-len(text) // CHARS_PER_TOKEN))


def _said(node: Node) -> str:
    """The restatement on one line, with the day on which it was said again."""
    text = " ".join(node.entry.restatement.split())
    if node.time is None or node.time == node.first_time:
        return text
    return f"{text} (again on {spoken_date(f'date/{node.time.year}/{node.time:%B}_{node.time.day}'.casefold())})"


def _update(link: Link, labels: dict[int, str]) -> str:
    return f"{labels[link.older]} ⇒ {labels[link.newer]} (updated: {', '.join(link.old)}, now {', '.join(link.new)})"
