"""How far rankings agree: rank-biased overlap, and which notes only one or every method found.

Rankings are taken in their total order, so tied notes count in the order that the tie rule gave them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

PERSISTENCE = 0.9
"""The chance that a reader goes on to the next rank: the first ten ranks carry 86% of the weight (Webber et al., 4.4)."""


def rank_biased_overlap(first: Sequence[Hashable], second: Sequence[Hashable], p: float = PERSISTENCE) -> float | None:
    """Extrapolated rank-biased overlap of two rankings.

    Parameters
    ----------
    first, second : sequences of distinct items
        Best first; lengths may differ.
    p : float
        Persistence, in (0, 1): the larger, the deeper the ranks that count.

    Returns
    -------
    float or None
        In [0, 1], 1 for equal rankings, 0 for disjoint ones. None where a ranking is empty: there is nothing to agree about.

    Raises
    ------
    ValueError
        If ``p`` is outside (0, 1), or an item comes twice in a ranking.

    References
    ----------
    W. Webber, A. Moffat, J. Zobel: A similarity measure for indefinite rankings. ACM TOIS 28(4), 2010, equation 32.

    Examples
    --------
    >>> rank_biased_overlap("abc", "abc"), rank_biased_overlap("abc", "xyz")
    (1.0, 0.0)
    """
    if not 0 < p < 1:
        raise ValueError(f"p is {p}; it lies between 0 and 1")
    short, long = sorted((first, second), key=len)
    if len(set(short)) < len(short) or len(set(long)) < len(long):
        raise ValueError("a ranking holds an item twice; each item has one rank")
    if not short:
        return None
    overlap = _overlaps(short, long)
    s, l = len(short), len(long)  # noqa: E741 (the paper's symbols)
    x_s, x_l = overlap[s - 1], overlap[l - 1]
    seen = sum(overlap[d - 1] / d * p**d for d in range(1, l + 1))
    assumed = sum(x_s * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return min(1.0, (1 - p) / p * (seen + assumed) + ((x_l - x_s) / l + x_s / s) * p**l)


def _overlaps(short: Sequence[Hashable], long: Sequence[Hashable]) -> list[int]:
    """How many items the rankings share down to each depth of the longer one."""
    seen_short: set[Hashable] = set()
    seen_long: set[Hashable] = set()
    found, overlaps = 0, []
    for depth, item in enumerate(long):
        seen_long.add(item)
        found += item in seen_short
        if depth < len(short):
            seen_short.add(short[depth])
            found += short[depth] in seen_long
        overlaps.append(found)
    return overlaps


def only_here(tops: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """For each method the items of its list that no other method's list has, in its order."""
    return {
        name: tuple(item for item in items if not any(item in other for key, other in tops.items() if key != name))
        for name, items in tops.items()
    }


def everywhere(tops: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The items that every list has, in the order of the first; none where there is no list."""
    lists = list(tops.values())
    return tuple(item for item in lists[0] if all(item in other for other in lists[1:])) if lists else ()
