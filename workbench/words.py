"""Counts and numbers as people read them."""

from __future__ import annotations


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
