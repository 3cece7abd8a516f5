"""From ranked notes to ranked sessions, and how far equal scores leave a rank open."""

from __future__ import annotations

from collections.abc import Iterable, Set

from workbench.records import Hit

DEPTH = 40
"""Sessions that a ranking is read to (TAGGRAPH 4.4; that the unit is sessions is ours)."""


def sessions_of(hits: Iterable[Hit], depth: int = DEPTH) -> tuple[str, ...]:
    """Source sessions in the order of their best note, each once, the first ``depth`` of them."""
    return tuple(dict.fromkeys(hit.session_id for hit in hits))[:depth]


def reciprocal_rank_range(ranked: Iterable[tuple[str, int]], relevant: Set[str], depth: int | None = None) -> tuple[float, float]:
    """The worst and the best reciprocal rank that some order within the blocks of equal scores gives.

    Parameters
    ----------
    ranked : iterable of (id, block)
        Best first; an id may come again (a session by several notes) and counts where it first appears.
    relevant : set of str
    depth : int, optional
        Ranks beyond it count as not found.

    Returns
    -------
    (worst, best), both 0 where nothing relevant was ranked.

    Examples
    --------
    >>> reciprocal_rank_range([("a", 1), ("gold", 1), ("b", 1)], {"gold"})
    (0.3333333333333333, 1.0)
    """
    before: set[str] = set()
    block: set[str] = set()
    current = None
    for item, number in ranked:
        if number != current:
            if block & relevant:
                break
            before |= block
            block, current = set(), number
        block.add(item)
    if not block & relevant:
        return (0.0, 0.0)
    best = len(before) + 1
    worst = best + len(block - before - relevant)
    return tuple(1 / rank if depth is None or rank <= depth else 0.0 for rank in (worst, best))  # type: ignore[return-value]
