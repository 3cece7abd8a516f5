"""A full-text index in memory: SQLite's FTS5, which OpenClaw's keyword search is."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.errors import MissingPart


class FullTextIndex:
    """FTS5 over texts numbered from 0 in the order they come, with its default tokenizer (unicode61).

    Only the index is kept, not the texts. An index is never changed: `grown` gives a larger one, and no text is tokenised again.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._size = 0
        try:
            self._database.execute("CREATE VIRTUAL TABLE chunks USING fts5(text, content='')")
        except sqlite3.OperationalError as error:
            raise MissingPart(f"this Python's SQLite has no full-text search (FTS5), which openclaw needs: {error}") from error
        self._add(texts)

    def _add(self, texts: Iterable[str]) -> None:
        before = self._size
        for text in texts:
            storable = text.encode("utf-8", "replace").decode("utf-8")
            self._database.execute("INSERT INTO chunks (rowid, text) VALUES (?, ?)", (self._size, storable))
            self._size += 1
        if self._size > before:
            self._database.commit()

    def __len__(self) -> int:
        return self._size

    def grown(self, texts: Iterable[str]) -> FullTextIndex:
        """An index of these texts as well, numbered on."""
        larger = FullTextIndex.__new__(FullTextIndex)
        larger._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.backup(larger._database)
        larger._size = self._size
        larger._add(texts)
        return larger

    def search(self, words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The texts that hold all words, and FTS5's bm25 of each: negative, the more so the better.

        Parameters
        ----------
        words : sequence of str
            One or more, of letters, digits and underscores; repeated ones count repeatedly.

        Returns
        -------
        numbers : (n_found,) int
            Ascending.
        ranks : (n_found,) float
        """
        times = Counter(words)
        numbers, ranks = self._match(list(times))
        # A repeated word is a further addend of bm25. FTS5's time grows with the square of the words, so that the addends come
        # from one search for each number of repetitions; texts that hold all words hold these too.
        levels = sorted(set(times.values()))
        for level, further in zip(levels, np.diff(levels, prepend=1), strict=True):
            if further and len(numbers):
                again, more = self._match([word for word in times if times[word] >= level])
                ranks = ranks + further * more[np.searchsorted(again, numbers)]
        return numbers, ranks

    def _match(self, words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        match = " AND ".join(f'"{word}"' for word in words)
        found = self._database.execute("SELECT rowid, bm25(chunks) FROM chunks WHERE chunks MATCH ? ORDER BY rowid", (match,))
        numbers, ranks = np.array(found.fetchall(), np.float64).reshape(-1, 2).T
        return numbers.astype(np.int64), ranks
