"""A store: the table families of one open file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from workbench.errors import StoreError
from workbench.store import schema
from workbench.store.answers import AnswerTable
from workbench.store.cases import Cases
from workbench.store.connection import Database, acquire, release
from workbench.store.extractions import Extractions
from workbench.store.loads import Loads
from workbench.store.notes import Notes
from workbench.store.own_questions import OwnQuestions
from workbench.store.questions import Questions
from workbench.store.recordings import RecordingTable
from workbench.store.runs import Runs
from workbench.store.states import StateTable
from workbench.store.unfinished import Unfinished
from workbench.store.vectors import VectorTable


@dataclass(frozen=True)
class StoreInfo:
    """How much a store holds. ``benchmarks`` maps a benchmark to its number of cases; ``bytes`` is the file's size."""

    path: str
    schema_version: int
    benchmarks: dict[str, int]
    cases: int
    questions: int
    notes: int
    extractions: int
    runs: int
    bytes: int


class Store:
    """An open store; `open_store` makes one. Use as a context manager: the file is free for others when it closes.

    Threads may share it: each query has a cursor of its own, and writers take turns.
    """

    def __init__(self, database: Database) -> None:
        self._database, self._is_open = database, True
        self.path = database.path
        self.cases, self.questions, self.notes = Cases(database), Questions(database), Notes(database)
        self.extractions, self.loads, self.runs = Extractions(database), Loads(database), Runs(database)
        self.unfinished, self.own_questions = Unfinished(database), OwnQuestions(database)
        self.vectors, self.states = VectorTable(database), StateTable(database)
        self.recordings, self.answers = RecordingTable(database), AnswerTable(database)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close()
        except StoreError:
            if error is None:  # else what went wrong first says more
                raise

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        if self._is_open:
            self._is_open = False
            release(self._database)

    def info(self) -> StoreInfo:
        """Counts over the whole store."""
        (counts,) = self._database.rows(
            "SELECT count(*), coalesce(sum(questions), 0)::BIGINT, coalesce(sum(notes), 0)::BIGINT, "
            "(SELECT count(*) FROM extractions), (SELECT count(*) FROM runs) FROM cases"
        )
        size = self.path.stat().st_size if self.path else 0
        cases, questions, notes, extractions, runs = counts
        held = self.cases.benchmarks()
        return StoreInfo(
            str(self._database.label), len(schema.MIGRATIONS), held, cases, questions, notes, extractions, runs, size
        )

    def export_parquet(self, folder: str | Path) -> dict[str, Path]:
        """Write every table to ``folder/<table>.parquet``, made where it is missing; the paths by table are returned.

        Raises
        ------
        StoreError
            If the folder can't be written.
        """
        return self._database.export_parquet(Path(folder))

    def import_parquet(self, folder: str | Path) -> None:
        """Add the rows that `export_parquet` of a store of the same version wrote; meant for an empty store.

        Raises
        ------
        StoreError
            If a file can't be read, has other columns than its table, or a row is there already.
        """
        self._database.import_parquet(Path(folder))


def open_store(path: str | Path, *, read_only: bool = False, wait_seconds: float = 10.0) -> Store:
    """Open a store, made new where it is missing and may be written.

    A process attaches a file once: a second opening shares it, also from another thread. Other processes can read along while
    all of them only read; a writer excludes everybody else, and waits for its turn.

    Parameters
    ----------
    path : str or Path
        The file, or ":memory:" for a store of this object's own that is gone when it closes.
    read_only : bool
        Open for reading. An older store is brought up to date first.
    wait_seconds : float
        How long to retry while another process (or a reader in this one) is in the way. The default is ours.

    Raises
    ------
    StoreError
        If the store is missing (for reading), locked, damaged, no store, newer than this code, or can't be created.
    """
    if str(path) == ":memory:":
        database = Database(None, read_only=False)
        database.users = 1
        return Store(database)
    return Store(acquire(Path(path), read_only=read_only, wait_seconds=wait_seconds))
