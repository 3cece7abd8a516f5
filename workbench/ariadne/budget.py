"""The node budget: which nodes of a query's graph are its evidence, and which are cut (4.6.6)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.decisions import DECIMALS
from workbench.ariadne.paths import Path
from workbench.ariadne.terminals import Member


@dataclass(frozen=True)
class Budget:
    """``kept`` in the order of taking, ``cut`` best first; ``by_path`` maps a node to the path that brought it in."""

    kept: tuple[int, ...]
    cut: tuple[int, ...]
    by_path: Mapping[int, Path]


def spend(members: Mapping[int, Member], paths: Sequence[Path], config: AriadneConfig) -> Budget:
    """Take paths and single nodes until the budget is spent; everything where there is no more than that.

    By relevance (the default), a node other than a bridge counts as a path of its own relevance, so that a long path through a
    weak bridge never displaces a better entry; a path that no longer fits as a whole is passed over. By length, as the paper
    words it, paths come first and the nodes on none after them.
    """
    singles = sorted(members.values(), key=lambda each: (-round(each.relevance, DECIMALS), -each.node))
    kept: dict[int, None] = {}
    room = min(config.budget_most, len(members))
    by_path: dict[int, Path] = {}

    def take(nodes: Sequence[int], path: Path | None = None) -> None:
        fresh = [node for node in nodes if node not in kept]
        if fresh and len(kept) + len(fresh) <= config.budget_most:
            kept.update(dict.fromkeys(fresh))
            if path is not None:
                by_path.update(dict.fromkeys(fresh, path))

    if config.topology and config.path_order == "length":
        for path in paths:
            if len(kept) == room:
                break
            take(path.nodes, path)
    elif config.topology:
        for nodes, brought_by in _by_value(paths, [each for each in singles if each.role != "bridge"]):
            if len(kept) == room:
                break
            take(nodes, brought_by)
    for member in singles:
        take((member.node,))
    return Budget(tuple(kept), tuple(each.node for each in singles if each.node not in kept), by_path)


def _by_value(paths: Sequence[Path], singles: Sequence[Member]) -> Iterator[tuple[tuple[int, ...], Path | None]]:
    """Paths (in their order) and single nodes, the more valuable first; of equals the one with more nodes."""
    longer = ((-round(path.value, DECIMALS), -len(path.nodes), path.nodes, path) for path in paths)
    alone = ((-round(each.relevance, DECIMALS), -1, (each.node,), None) for each in singles)
    for _, _, nodes, path in heapq.merge(longer, alone, key=lambda entry: entry[:2]):
        yield nodes, path
