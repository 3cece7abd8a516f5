"""What a dataset reader is: it recognises a file and streams the cases in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from workbench.records import Finding, Loaded
from workbench.registry import Registry


class Dataset(Protocol):
    """One input format. The class docstring's first line is its help text."""

    name: str
    licence: str
    """Of the published data, with what a user has to know before redistributing it."""

    def recognises(self, path: Path) -> bool:
        """Whether the file or folder looks like this format; reads only as much of it as that takes."""
        ...

    def read(self, path: Path) -> Iterator[Loaded | Finding]:
        """The cases of a file or folder, one at a time, with findings for records that were set aside.

        Raises
        ------
        workbench.errors.BadInput
            If the file as a whole is not of this format: not JSON, truncated, another benchmark, without cases. Cases that
            were complete before the damage have been yielded by then.
        """
        ...


datasets: Registry[Dataset] = Registry("dataset", "workbench.datasets", "workbench.datasets")
