"""What every client of an OpenAI-compatible service shares: settings from the environment, and secrets kept out of messages."""

from __future__ import annotations

import os

SHOWN = 200
"""Characters of a service's own words in a message."""
SHORTEST_SECRET = 8
"""Characters of a key from which it is looked for in what a service says; local services take keys like "any" (ours)."""


def from_environment(*variables: str) -> str:
    """The first of these environment variables that is set and not empty; empty where none is."""
    return next((value for name in variables if (value := os.environ.get(name, ""))), "")


def positive(variable: str, default: int) -> int:
    """A whole number from 1 on from the environment.

    Raises
    ------
    ValueError
        If the variable holds anything else.
    """
    text = os.environ.get(variable, "").strip()
    if text and not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ValueError(f"{variable} is {text!r}; it is a whole number from 1 on")
    return int(text) if text else default


def without(secret: str, text: str) -> str:
    """The text with a key blotted out, should a service repeat it.

    Examples
    --------
    >>> without("sk-0123456789", "no such key: sk-0123456789")
    'no such key: [key]'
    """
    return text.replace(secret, "[key]") if len(secret) >= SHORTEST_SECRET else text
