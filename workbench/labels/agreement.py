"""Agreement of two analysts: Cohen's kappa and the places on which they disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.evaluate.intervals import RESAMPLES, SEED, Interval
from workbench.store import Label


@dataclass(frozen=True)
class Agreement:
    """Two analysts over the places that both have labelled.

    Attributes
    ----------
    places : int
        How many these are.
    only_first, only_second : int
        Places that one of them alone has labelled; they don't count.
    agreed : int
    kappa : float or None
        In [-1, 1]; None where it is not defined (see `cohens_kappa`).
    interval : (low, high) or None
        95%, see `kappa_interval`.
    disagreements : tuple of (Label, Label)
        Those of the first and the second analyst.
    """

    first: str
    second: str
    places: int
    only_first: int
    only_second: int
    agreed: int
    kappa: float | None
    interval: Interval | None
    disagreements: tuple[tuple[Label, Label], ...]


def agreement(labels: Iterable[Label], first: str, second: str) -> Agreement:
    """Compare the current labels of two analysts; a label without a cause is none.

    Raises
    ------
    ValueError
        If both are the same analyst.
    """
    if first == second:
        raise ValueError(f"agreement is between two analysts; got {first!r} twice")
    by_analyst: dict[str, dict[tuple[str, str, str, str], Label]] = {first: {}, second: {}}
    for label in labels:
        if label.analyst in by_analyst and label.label:
            by_analyst[label.analyst][label.place] = label
    one, other = by_analyst[first], by_analyst[second]
    both = sorted(one.keys() & other.keys())
    pairs = [(one[place].label, other[place].label) for place in both]
    return Agreement(
        first,
        second,
        len(both),
        len(one) - len(both),
        len(other) - len(both),
        sum(a == b for a, b in pairs),
        cohens_kappa(pairs),
        kappa_interval(pairs),
        tuple((one[place], other[place]) for place in both if one[place].label != other[place].label),
    )


def cohens_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """(observed - expected) / (1 - expected) agreement, expected from each rater's own shares of the categories.

    None without a pair, and where both gave one and the same category to everything: then all agreement is expected.

    References
    ----------
    J. Cohen: A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20(1), 1960.

    Examples
    --------
    >>> cohens_kappa([("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15)
    0.4
    """
    n = len(pairs)
    rows, columns = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    chance = sum(count * columns[name] for name, count in rows.items())  # n² times the expected share: whole numbers, no rounding
    if chance == n * n:
        return None
    return (n * sum(first == second for first, second in pairs) - chance) / (n * n - chance)


def kappa_interval(pairs: Sequence[tuple[str, str]], level: float = 0.95) -> Interval | None:
    """Percentile bootstrap interval of kappa over the pairs, seeded; 10,000 resamples (ours).

    Resamples of which kappa is not defined are left out. None where kappa is not defined, or for fewer than two pairs.
    """
    if len(pairs) < 2 or cohens_kappa(pairs) is None:
        return None
    cells = Counter(pairs)
    names = sorted({name for pair in pairs for name in pair})
    index = np.array([[names.index(first), names.index(second)] for first, second in cells])
    n = len(pairs)
    drawn = np.random.default_rng(SEED).multinomial(n, np.array([*cells.values()]) / n, size=RESAMPLES)
    sides = np.eye(len(names), dtype=np.int64)[index]  # (n_cells, 2, n_names)
    rows, columns = drawn @ sides[:, 0], drawn @ sides[:, 1]
    chance = (rows * columns).sum(axis=1)
    agreed = drawn[:, index[:, 0] == index[:, 1]].sum(axis=1)
    is_defined = chance < n * n
    kappas = (n * agreed - chance)[is_defined] / (n * n - chance)[is_defined]
    low, high = np.quantile(kappas, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
