"""The examples in the docstrings of every module are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import workbench

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(workbench.__path__, "workbench.") if module.name != "workbench.__main__"
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    assert sum(bool(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name))) > 20
