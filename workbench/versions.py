"""What results depend on beside data and configuration: versions of Python, of this package and of those that it counts with."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

import workbench

PACKAGES = ("numpy", "scipy", "rank-bm25", "ir-measures", "spacy", "PyStemmer", "wordllama")
"""Packages that a ranking depends on."""
Versions = Mapping[str, str]


def environment() -> dict[str, str]:
    """Versions of what a ranking depends on."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    return found | {each: version(each) for each in PACKAGES}


@cache
def versions() -> Versions:
    """What two machines must have in common to give the same results: read once a process.

    ``code`` is a digest of this package's source, since a version that is worked on keeps its number.
    """
    python = ".".join(platform.python_version_tuple()[:2])
    packages = {each: version(each) for each in (*PACKAGES, "dask", "distributed")}
    return {"workbench": workbench.__version__, "code": _code(), "python": python} | packages


def differences(here: Versions, there: Versions) -> str:
    """What differs, in words; an empty text where nothing does.

    >>> differences({"numpy": "2.4", "python": "3.11"}, {"numpy": "2.3", "python": "3.11"})
    'numpy 2.3 instead of 2.4'
    """
    return ", ".join(
        f"{name} {there.get(name)} instead of {wanted}" for name, wanted in here.items() if there.get(name) != wanted
    )


def _code() -> str:
    digest = hashlib.sha256()
    root = Path(workbench.__file__).parent
    for file in sorted(root.rglob("*.py")):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:8]
