"""How a task's argument travels to another machine: as Parquet files in a folder both sides can see."""

from __future__ import annotations

import json
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import fsspec
from fsspec.implementations.local import LocalFileSystem

from workbench.errors import WorkbenchError

_NAMES = "names.json"


class Travels(Protocol):
    """A value that writes itself into an empty folder, and is read back from it on another machine."""

    def to_parquet(self, folder: Path) -> None: ...

    @staticmethod
    def from_parquet(folder: Path) -> Any: ...


def _pack(value: Travels | Mapping[str, Travels], folder: Path) -> Callable[[Path], Any]:
    """Write a value, or a mapping of values of one type; what reads it back."""
    if not isinstance(value, Mapping):
        if not hasattr(value, "to_parquet"):
            raise TypeError(f"{type(value).__name__} has no to_parquet: it can't be sent to another machine")
        value.to_parquet(folder)
        return type(value).from_parquet
    (folder / _NAMES).write_text(json.dumps(list(value)), encoding="utf-8")
    for number, each in enumerate(value.values()):
        (folder / str(number)).mkdir()
        read = _pack(each, folder / str(number))
    return partial(_mapping, read)


def _mapping(read: Callable[[Path], Any], folder: Path) -> dict[str, Any]:
    names = json.loads((folder / _NAMES).read_text(encoding="utf-8"))
    return {name: read(folder / str(number)) for number, name in enumerate(names)}


@dataclass(frozen=True)
class Parcel:
    """A packed argument: where it lies, and how it is read. Small, whatever it holds."""

    url: str
    read: Callable[[Path], Any]

    @staticmethod
    def sent(value: Any, exchange: str) -> Parcel:
        """Write a value that `Travels`, or a mapping of such, into a new folder under ``exchange``, a path or an fsspec URL."""
        files, root = _place(exchange)
        target = f"{root.rstrip('/')}/{uuid.uuid4().hex}"
        if isinstance(files, LocalFileSystem):
            Path(target).mkdir(parents=True)
            read = _pack(value, Path(target))
        else:
            with tempfile.TemporaryDirectory() as draft:
                read = _pack(value, Path(draft))
                files.put(f"{draft}/", target, recursive=True)
        return Parcel(files.unstrip_protocol(target), read)

    def opened(self) -> Any:
        """The value, on whichever machine this is."""
        files, path = _place(self.url)
        if isinstance(files, LocalFileSystem):
            return self.read(Path(path))
        with tempfile.TemporaryDirectory() as draft:
            files.get(path, draft, recursive=True)
            return self.read(Path(draft))

    def remove(self) -> None:
        files, path = _place(self.url)
        with suppress(FileNotFoundError):
            files.rm(path, recursive=True)


def _place(url: str) -> tuple[fsspec.AbstractFileSystem, str]:
    try:
        files, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise WorkbenchError(f"no way to {url}: {error}") from error
    return files, path


@contextmanager
def token(exchange: str) -> Iterator[tuple[str, str]]:
    """A small file under ``exchange`` for as long as the context lasts, as (URL, content): who reads it sees the place."""
    files, root = _place(exchange)
    path, content = f"{root.rstrip('/')}/{uuid.uuid4().hex}.token", uuid.uuid4().hex
    try:
        files.makedirs(root, exist_ok=True)
        files.pipe_file(path, content.encode())
    except OSError as error:
        raise WorkbenchError(f"can't write to {exchange}: {error.strerror or error}") from error
    try:
        yield files.unstrip_protocol(path), content
    finally:
        files.rm(path)


def seen(url: str) -> str:
    """What a token file says, or why it can't be read; runs on a worker."""
    try:
        files, path = _place(url)
        return bytes(files.cat_file(path)).decode()
    except (OSError, WorkbenchError) as error:
        return f"{type(error).__name__}: {error}"
