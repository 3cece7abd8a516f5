"""Which words of a question tell what it is about: all but closed-class words and light verbs of English (ours).

The list is only used to say *where* a note was lost and which tags are worth trying; helpful tags are matched by every word, as
TAGGRAPH 5.5 has it. Questions in other languages keep all their words.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from workbench.text import Analyser

CLOSED_CLASS = """
a about after again ago all also am an and another any anybody anyone anything are as at be been before being both but by
call called calls can cannot could d did do does doing done each else ever every everybody everyone everything few for from
get gets getting give go goes going gone got had has have having he her here hers herself him himself his how i if in
instead into is it its itself just last latest let ll m made make makes many may me might mine more most much must my myself
need no nobody nor not nothing now of off on once one ones only or other our ours out over own please re really s same shall
she should so some somebody someone something still such t take takes tell than that the their theirs them then there these
they thing things this those though through to too total under until up upon us use used ve very want was we were what
whatever when where which while who whom whose why will with without would yet you your yours yourself
"""


@cache
def _closed(analyser: Analyser) -> frozenset[str]:
    return frozenset(analyser.words(CLOSED_CLASS))


def telling(words: Iterable[str], analyser: Analyser) -> tuple[str, ...]:
    """The distinct index words that are in no list of closed-class words and light verbs, in order.

    Examples
    --------
    >>> analyser = Analyser()
    >>> telling(analyser.words("Where did I park my bicycles?"), analyser)
    ('park', 'bicycl')
    """
    closed = _closed(analyser)
    return tuple(word for word in dict.fromkeys(words) if word not in closed)
