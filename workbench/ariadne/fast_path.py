"""The fast path: a question for somebody's attribute, answered from a chain of updates alone (4.6.1)."""

from __future__ import annotations

import re

from workbench.ariadne.index import Index
from workbench.text import Analyser

_ATTRIBUTE = re.compile(r"(?:what(?:'s|’s| is| are)\s+)?([\w .-]+?)['’]s?\s+([\w -]+?)\s*\?*\s*", re.IGNORECASE)


def attribute_asked(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The person and the index words of the attribute in "What is X's attribute?" or "X's attribute"; None for another query.

    Examples
    --------
    >>> attribute_asked("What is Ana's phone number?")
    ('ana', ('phone', 'number'))
    >>> attribute_asked("When did Ana move?") is None
    True
    """
    found = _ATTRIBUTE.fullmatch(text.strip())
    if found is None:
        return None
    return "_".join(Analyser().surface(found[1])), tuple(Analyser().words(found[2]))


def fast_path(text: str, index: Index) -> frozenset[int] | None:
    """Nodes of the chains of updates that have the person and all words of the attribute; None where there is none.

    Without a chain the offline entries have no attributes to look up, and the search goes its ordinary way (ours).
    """
    asked = attribute_asked(text)
    if asked is None:
        return None
    person, words = asked
    nodes = index.nodes
    fitting = [
        chain
        for chain in index.construction.chains()
        if any(person in nodes[at].entry.persons and set(words) <= nodes[at].entry.keywords for at in chain)
    ]
    return frozenset(at for chain in fitting for at in chain) or None
