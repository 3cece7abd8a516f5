"""The one opener: a DuckDB file is attached once per process, shared by threads, and left as soon as nobody uses it."""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from workbench.errors import StoreError
from workbench.store import schema
from workbench.store.values import bound

T = TypeVar("T")

_LOCKED = re.compile(r"Conflicting lock is held in .*?\(PID (\d+)\)")
# What the disk, the file or memory does to us; anything else from DuckDB is a mistake in our SQL and keeps its own type.
# A transaction fails for no other reason, since writers take turns.
_OUTSIDE = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.TransactionException,
    duckdb.OutOfMemoryException,
    duckdb.SerializationException,
    duckdb.InternalException,
)
# Checkpoints rewrite the last row group of each table. At DuckDB's own 122,880 rows a load of 320 LongMemEval-S cases grew the
# file to three times its text; at 16,384 it stays near the text's size.
_ROW_GROUP_SIZE = 16_384
_OWED = "rewrite"
"""The row of ``meta`` that says that removed text is still in the file."""


class Locked(StoreError):
    """Somebody else has the file open in a way that excludes us, for now."""


def _one_line(error: BaseException) -> str:
    """The line of DuckDB's message that says what happened, without its kind of error in front."""
    line = str(error).rpartition("Original error: ")[2].strip().partition("\n")[0]
    return re.sub(r"^(\w+ )+Error: ", "", line)


@contextmanager
def _plain_errors(path: Path, doing: str) -> Iterator[None]:
    """Turn what the outside world does to the file into one StoreError that names the file and the step."""
    try:
        yield
    except _OUTSIDE as error:
        raise StoreError(f"{path}: {doing} failed: {_one_line(error)}") from error
    except RuntimeError as error:
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from error  # a signal during a query, in DuckDB's words


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _is_database(path: Path) -> bool:
    """Whether a file carries DuckDB's mark, which stands at byte 8 of every database."""
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError as error:
        raise StoreError(f"can't open the store {path}: {error.strerror or error}") from error


class Database:
    """An attached store file.

    Reading takes a cursor of its own per query; writing is one transaction at a time. ``users`` counts the Stores that share it.

    Raises
    ------
    Locked
        If another process holds the file.
    StoreError
        If the file can't be opened, is not a store, or is newer than this code.
    """

    def __init__(self, path: Path | None, *, read_only: bool, kind: schema.Kind = "store") -> None:
        self.path, self.read_only, self.kind, self.users = path, read_only, kind, 0
        self._write = threading.RLock()
        self._gate = threading.Condition()
        self._active, self._rewriting, self._closed = 0, False, False
        config: dict[str, Any] = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        if path is not None:
            config["temp_directory"] = f"{path}.tmp"
        self._connection = duckdb.connect(":memory:", config=config)
        try:
            self._attach()
            self._prepare()
            self._finish_rewriting()
        except BaseException:
            self._connection.close()
            raise

    @property
    def label(self) -> Path:
        return self.path or Path(":memory:")

    def _attach(self) -> None:
        if self.path is not None and self.path.exists() and not _is_database(self.path):
            # DuckDB takes a text file for a table to read and opens an empty database in memory instead.
            raise StoreError(f"{self.path} is no workbench store but another kind of file: name another one")
        where, before = _quoted(self.label), self._identity()
        options = "READ_ONLY" if self.read_only else f"ROW_GROUP_SIZE {_ROW_GROUP_SIZE}"
        try:
            self._connection.execute(f"ATTACH {where} AS store ({options})")
        except duckdb.Error as error:
            holder = _LOCKED.search(str(error))
            if holder:
                raise Locked(
                    f"{self.label} is locked by another process (PID {holder[1]}): wait until it is done, or close it there"
                ) from error
            raise StoreError(f"can't open the store {self.label}: {_one_line(error)}") from error
        if before is not None and self._identity() != before:
            # `rewrite` in another process took the name from the file between its opening and our lock on it.
            self._connection.execute("DETACH store")
            raise Locked(f"{self.label} was replaced by another process while it was opened: try again")
        if not self.read_only:
            self._clear_spilled()

    def _identity(self) -> tuple[int, int] | None:
        """What tells the file from another one under its name; None where there is none."""
        if self.path is None:
            return None
        try:
            found = self.path.stat()
        except OSError:  # missing, or what ATTACH will say better
            return None
        return found.st_dev, found.st_ino

    def _clear_spilled(self) -> None:
        """Delete what a killed process had moved out of memory; whoever may write is alone with the file."""
        try:
            shutil.rmtree(f"{self.label}.tmp")
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StoreError(f"can't clear {self.label}.tmp: {error.strerror or error}") from error

    def _prepare(self) -> None:
        """Check the schema version, and create or migrate the tables where the file may be written."""
        cursor = self._cursor()
        try:
            with _plain_errors(self.label, "reading the schema"):
                version = schema.version_of(cursor, self.kind)
                schema.check_version(version, self.kind)
                if not self.read_only:
                    schema.migrate(cursor, datetime.now(), self.kind)
        except StoreError as error:
            raise StoreError(f"can't use {self.label}: {error}") from error
        finally:
            cursor.close()
        self.is_current = not self.read_only or version == len(schema.scripts(self.kind))

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        if self._closed:
            raise ValueError(f"the store {self.label} is closed: open it again")
        cursor = self._connection.cursor()
        cursor.execute("USE store")
        return cursor

    @contextmanager
    def _reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._gate:
            self._gate.wait_for(lambda: not self._rewriting)
            cursor = self._cursor()
            self._active += 1
        try:
            yield cursor
        finally:
            cursor.close()
            with self._gate:
                self._active -= 1
                self._gate.notify_all()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one query, read with a cursor of its own."""
        with _plain_errors(self.label, "reading"), self._reading() as cursor:
            return cursor.execute(sql, bound(parameters)).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor whose statements are stored together or not at all. Writers of this process take turns.

        Raises
        ------
        StoreError
            If the store was opened for reading only, or the disk refuses (full, read-only, damaged).
        """
        if self.read_only:
            raise StoreError(f"{self.label} is open for reading only: open it for writing")
        with _plain_errors(self.label, "writing"), self._write, self._reading() as cursor:
            cursor.execute("BEGIN")
            try:
                yield cursor
                cursor.execute("COMMIT")
            except BaseException:
                with suppress(duckdb.Error):  # a failed COMMIT has rolled back already
                    cursor.execute("ROLLBACK")
                raise

    def export_parquet(self, folder: Path) -> dict[str, Path]:
        """Every table as a Parquet file of its name in ``folder``."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"can't write to {folder}: {error.strerror}") from error
        tables = self.rows("SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' ORDER BY 1")
        paths = {name: folder / f"{name}.parquet" for (name,) in tables}
        with _plain_errors(folder, "writing Parquet"), self._reading() as cursor:
            for name, path in paths.items():
                cursor.execute(f"COPY {name} TO {_quoted(path)} (FORMAT parquet, COMPRESSION zstd)")
        return paths

    def import_parquet(self, folder: Path) -> None:
        """Add the rows of every table's file in ``folder``, except what each store says of itself."""
        tables = self.rows("SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' AND table_name != 'meta'")
        with self.transaction() as cursor:
            for (name,) in tables:
                file = folder / f"{name}.parquet"
                try:
                    cursor.execute(f"INSERT INTO {name} BY NAME SELECT * FROM read_parquet({_quoted(file)})")
                except duckdb.Error as error:
                    raise StoreError(f"{file} can't be added: {_one_line(error)}") from error

    def _finish_rewriting(self) -> None:
        """Do the rewriting that a killed or refused removal still owes, once the disk has room for it."""
        if self.path is None or self.read_only or not self.rows("SELECT 1 FROM meta WHERE name = ?", [_OWED]):
            return
        if shutil.disk_usage(self.path.parent).free > self.path.stat().st_size:
            self.rewrite(0)

    def rewrite(self, wait_seconds: float) -> None:
        """Replace the file by a copy of what it still holds, so that removed text can't be found in its free blocks.

        DuckDB only marks blocks as free. The copy takes the file's name while the old file is still locked, so no other process
        can write to a file that is about to vanish. Who removes rows calls `owe_rewriting` in the same transaction: where this
        is not reached, the next one to open the file for writing does it.
        """
        if self.path is None:
            return
        copy = self.path.with_name(f".{self.path.name}.rewrite")
        with self._write, self._gate:
            self._rewriting = True
            try:
                self._gate.wait_for(lambda: self._active == 0)
                with _plain_errors(self.path, "rewriting the file without the removed text (the rows are gone)"):
                    self._copy_to(copy)
                    copy.replace(self.path)
                    self._connection.execute("DETACH store")
                _retry(self._attach, wait_seconds)
            finally:
                copy.unlink(missing_ok=True)
                self._rewriting = False
                self._gate.notify_all()

    def _copy_to(self, copy: Path) -> None:
        copy.unlink(missing_ok=True)
        self._connection.execute("CHECKPOINT store")
        self._connection.execute(f"ATTACH {_quoted(copy)} AS fresh (ROW_GROUP_SIZE {_ROW_GROUP_SIZE})")
        try:
            self._connection.execute("COPY FROM DATABASE store TO fresh")
            self._connection.execute("DELETE FROM fresh.meta WHERE name = ?", [_OWED])
        finally:
            self._connection.execute("DETACH fresh")

    def close(self) -> None:
        """Write out and let go of the file."""
        self._closed = True
        with _plain_errors(self.label, "writing out (what was stored is safe in its .wal file)"):
            try:
                self._connection.execute("DETACH DATABASE IF EXISTS store")
            finally:
                self._connection.close()


def owe_rewriting(cursor: duckdb.DuckDBPyConnection) -> None:
    """Note in a removal's own transaction that the file holds removed text until it is rewritten."""
    cursor.execute("INSERT OR IGNORE INTO meta VALUES (?, 'removed text is still in the file')", [_OWED])


_open: dict[Path, Database] = {}
_opening = threading.Lock()


def _retry(attempt: Callable[[], T], wait_seconds: float) -> T:
    """Call until it isn't Locked, waiting longer each time, for ``wait_seconds`` at most."""
    end, pause = time.monotonic() + wait_seconds, 0.02
    while True:
        try:
            return attempt()
        except Locked:
            left = end - time.monotonic()
            if left <= 0:
                raise
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, 0.25)


def _create(path: Path, kind: schema.Kind = "store") -> None:
    """Make an empty store under another name first: whoever is killed here leaves no half-made store behind."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        Database(draft, read_only=False, kind=kind).close()
        _publish(draft, path)
    except OSError as error:
        raise StoreError(f"can't create a store at {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _publish(draft: Path, path: Path) -> None:
    """Give the draft its name, unless another process was faster: then its store is used."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not path.exists():
            draft.rename(path)


def acquire(path: Path, *, read_only: bool, wait_seconds: float, kind: schema.Kind = "store") -> Database:
    """The process's Database for a file, opened if need be; every acquire is followed by one `release`."""
    path = path.resolve()

    def attempt() -> Database:
        with _opening:
            database = _open.get(path)
            if database is None:
                if not path.exists():
                    if read_only:
                        raise StoreError(f"there is no store at {path}: load data first (workbench load PATH)")
                    _create(path, kind)
                database = Database(path, read_only=read_only, kind=kind)
                if not database.is_current:  # an older store: bring it up to date, then read it
                    database.close()
                    Database(path, read_only=False, kind=kind).close()
                    database = Database(path, read_only=True, kind=kind)
                _open[path] = database
            elif database.read_only and not read_only:
                raise Locked(f"{path} is open for reading in this process (PID {os.getpid()}): close it there first")
            database.users += 1
            return database

    return _retry(attempt, wait_seconds)


def release(database: Database) -> None:
    """Give a Database back; the last one closes the file."""
    with _opening:
        database.users -= 1
        if database.users == 0:
            if database.path is not None:
                del _open[database.path]
            database.close()
