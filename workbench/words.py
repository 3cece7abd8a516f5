"""Counts and numbers as people read them."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]")
"""Characters that show nothing themselves: controls but for tab and line feed, and those that turn the direction of writing."""


def counted(count: int, noun: str) -> str:
    """A count with its noun in the right number.

    Examples
    --------
    >>> counted(1, "case"), counted(1200, "case")
    ('1 case', '1,200 cases')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def number(value: float) -> str:
    """A score: four significant digits.

    Examples
    --------
    >>> number(15.409072), number(0.0170211), number(123456.7)
    ('15.41', '0.01702', '123457')
    """
    text = f"{value:.4g}"
    return f"{value:.0f}" if "e+" in text else text


def visible(text: str) -> str:
    """Text whose control characters are named: unseen, one could reverse the rest of a line or hide that it is there.

    Examples
    --------
    >>> visible("user\\u202egnp.exe")
    'user⟨U+202E⟩gnp.exe'
    """
    return _CONTROL.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.replace("\r\n", "\n"))
