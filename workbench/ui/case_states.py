"""Keeping what a page's methods worked out of a case (`workbench.states`)."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from workbench.store import open_store
from workbench.ui.cached import WAIT_SECONDS, OpenCase

Known = frozenset[tuple[str, str]]


def known(opened: OpenCase) -> Known:
    """The states that were worked out since the case was opened, by kind and digest."""
    return frozenset((state.kind, state.digest) for state in opened.memory.states.fresh)


def keep(path: Path, opened: OpenCase, kinds: Collection[str], before: Known) -> None:
    """Store the states of some kinds that were worked out since ``before``, with the vectors behind them."""
    with opened.lock:
        states = opened.memory.states.fresh
        fresh = [state for state in states if state.kind in kinds and (state.kind, state.digest) not in before]
        vectors = opened.memory.vectors.fresh
    if fresh:
        with open_store(path, wait_seconds=WAIT_SECONDS) as store:
            store.states.put(opened.case.key, fresh)
            store.vectors.put(opened.case.key, vectors)
