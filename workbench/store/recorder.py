"""Recordings written as they come, while the store stays free for others."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from workbench.chat.base import MemoryRecordings, Recording
from workbench.store.store import Store, open_store

WAIT_SECONDS = 60.0
"""How long a recording waits for its turn to be stored."""


class StoredRecordings:
    """The recordings of a store that is open for moments only, so that others get in between; threads may share it.

    Those of a case are read once, at its first use. ``is_loading``: cases are stored after their recordings.
    """

    def __init__(self, store: Store | str | Path, *, is_loading: bool = False) -> None:
        self._store, self._is_loading = store, is_loading
        self._known: dict[str, MemoryRecordings] = {}
        self._turn = threading.Lock()

    def get(self, kind: str, version: str, model: str, case_key: str, unit: str, digest: str | None = None) -> Recording | None:
        """See `Recordings.get`."""
        with self._turn:
            return self._of(case_key).get(kind, version, model, case_key, unit, digest)

    def put(self, recording: Recording) -> None:
        """See `Recordings.put`."""
        with self._turn:
            with self._opened() as store:
                store.recordings.put(recording, is_loading=self._is_loading)
            self._of(recording.case).put(recording)

    def _of(self, case_key: str) -> MemoryRecordings:
        if case_key not in self._known:
            with self._opened() as store:
                self._known = {case_key: MemoryRecordings(store.recordings.of_case(case_key))}  # cases come one by one
        return self._known[case_key]

    def _opened(self) -> AbstractContextManager[Store]:
        if isinstance(self._store, Store):
            return nullcontext(self._store)
        return open_store(self._store, wait_seconds=WAIT_SECONDS)
