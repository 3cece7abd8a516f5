"""What a subject of fuzzing is: it makes one spoiled input and says what its reader made of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Outcome = Literal["read", "mended", "refused", "failed"]
"""Taken over as it is; with something mended or set aside; not at all, with a message of ours; a promise was broken."""


class Broken(AssertionError):
    """A reader broke a promise."""


@dataclass(frozen=True)
class Subject:
    """``make`` writes an input into an empty folder and returns its path; ``check`` reads it.

    ``share`` is how often it comes relative to others.
    """

    name: str
    share: int
    make: Callable[[random.Random, Path], Path]
    check: Callable[[random.Random, Path], Outcome]


def promise(kept: bool, what: str) -> None:
    """Broken, with the promise's name, where it was not kept."""
    if not kept:
        raise Broken(what)
