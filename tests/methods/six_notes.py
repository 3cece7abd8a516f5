"""Six notes small enough to score by hand; used by the tests beside this file.

=====  ========  ===============================  ============  ==========================  ===========
note   day       What                             Where         topic (first What, cut)     user's words
=====  ========  ===============================  ============  ==========================  ===========
n1     1         food/cake/chocolate                            food/cake                   birthday
n2     2         food/cake/vanilla                              food/cake
n3     3         garden/roses, food/cake                        garden/roses
n4     4         music/guitar, food/cake/lemon                  music/guitar
n5     5         music/guitar                                   music/guitar                concert
n6     6         garden/tulips                    place/chile   garden/tulips
=====  ========  ===============================  ============  ==========================  ===========

Analysed words of each note (tags split into words, then the user's text; Snowball stems in brackets where they differ):

n1: food cake chocolate[chocol] birthday      n4: music guitar food cake lemon
n2: food cake vanilla                         n5: music guitar concert
n3: garden rose[s] food cake                  n6: garden tulip[s] place chile

Every word occurs once in its note. Document frequencies: food 4, cake 4; music, guitar, garden 2; all others 1.
Smoothed idf ln(7 / (1 + df)) + 1:  A = ln(7/5) + 1 for df 4,  B = ln(7/3) + 1 for df 2,  C = ln(7/2) + 1 for df 1.
The 15% filter at N = 6, c = 2 drops words with df >= 3: food and cake.
"""

from __future__ import annotations

import math

from builders import memory_of, note

from workbench.memory import Memory

A = math.log(7 / 5) + 1
B = math.log(7 / 3) + 1
C = math.log(7 / 2) + 1

NOTES = (
    note("n1", "food/cake/chocolate", user="birthday", day=1),
    note("n2", "food/cake/vanilla", day=2),
    note("n3", ("garden/roses", "food/cake"), day=3),
    note("n4", ("music/guitar", "food/cake/lemon"), day=4),
    note("n5", "music/guitar", user="concert", day=5),
    note("n6", "garden/tulips", where="place/chile", day=6),
)

LENGTH = {
    "n1": math.sqrt(2 * A**2 + 2 * C**2),
    "n2": math.sqrt(2 * A**2 + C**2),
    "n3": math.sqrt(2 * A**2 + B**2 + C**2),
    "n4": math.sqrt(2 * A**2 + 2 * B**2 + C**2),
    "n5": math.sqrt(2 * B**2 + C**2),
    "n6": math.sqrt(B**2 + 3 * C**2),
}
"""The L2 norm of each note's idf vector (every tf is 1, and 1 + ln 1 = 1)."""


def six_notes() -> Memory:
    return memory_of(*NOTES)
