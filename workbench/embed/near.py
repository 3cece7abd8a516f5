"""Near tags by meaning: for a query word that no tag holds, and for tags that say the same in other words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from workbench.embed.base import Embedder
from workbench.embed.vectors import Vectors
from workbench.ontology import MEASURED_ROOTS, NearDuplicate, matched_segments
from workbench.text import Analyser

NearTags = Callable[[str, Sequence[str]], list[tuple[str, float]]]


def readable(path: str) -> str:
    """What of a tag is compared: its last segment as words; that of a name without what it is a name of.

    >>> readable("food/lemon_cake"), readable("place/san_diego")
    ('lemon cake', 'san diego')
    """
    return matched_segments(path)[-1].replace("_", " ").replace("-", " ")


def near_by_meaning(source: Embedder, least: float | None = None) -> NearTags:
    """A finder of tags near to a word by the cosine of their vectors, for `workbench.diagnose.tags.tag_report`.

    Parameters
    ----------
    source : Embedder
        Each tag is embedded once for all words that the finder is asked for.
    least : float, optional
        Least cosine; by default the backend's ``near_tag``.

    Returns
    -------
    callable
        (word, paths) to (path, 100 times the cosine), best first. Tags of dates and amounts are near to nothing.
    """
    bound, vectors = source.thresholds.near_tag if least is None else least, Vectors()

    def near(word: str, paths: Sequence[str]) -> list[tuple[str, float]]:
        named = [path for path in paths if path.partition("/")[0] not in MEASURED_ROOTS]
        if not named:
            return []
        rows = vectors.of(source, [word, *map(readable, named)]).astype(np.float64)
        found = zip(named, (rows[1:] @ rows[0]).tolist(), strict=True)
        near = [(path, round(100 * cosine, 1)) for path, cosine in found if cosine >= bound]
        return sorted(near, key=lambda item: (-item[1], item[0]))

    return near


def near_duplicates_by_meaning(paths: Iterable[str], source: Embedder, least: float | None = None) -> tuple[NearDuplicate, ...]:
    """Pairs of tags whose last segments mean nearly the same, the likest first; scores are 100 times the cosine.

    Tags with the same stems are left to `workbench.ontology.Ontology.near_duplicates`.

    Parameters
    ----------
    paths : iterable of str
        Distinct, in order of first use.
    source : Embedder
    least : float, optional
        Least cosine; by default the backend's ``same_tag``.
    """
    named = [path for path in paths if path.partition("/")[0] not in MEASURED_ROOTS]
    bound, analyser = source.thresholds.same_tag if least is None else least, Analyser()
    pairs = (
        NearDuplicate(first, second, round(100 * min(cosine, 1.0), 1), "similar meaning")
        for first, second, cosine in _pairs(named, Vectors().of(source, list(map(readable, named))).astype(np.float64), bound)
        if set(analyser.words(readable(first))) != set(analyser.words(readable(second)))
    )
    return tuple(sorted(pairs, key=lambda pair: (-pair.score, pair.first, pair.second)))


def _pairs(paths: Sequence[str], rows: np.ndarray, bound: float) -> Iterator[tuple[str, str, float]]:
    """Pairs (earlier, later, cosine) from a bound on; compared in blocks, so that memory stays linear in the paths."""
    block = 512
    for start in range(0, len(paths), block):
        cosines = rows[start : start + block] @ rows.T
        for i, j in np.argwhere(cosines >= bound).tolist():
            if start + i < j:
                yield paths[start + i], paths[j], float(cosines[i, j])
