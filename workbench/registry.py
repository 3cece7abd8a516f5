"""One registry per kind: the file that defines a method, dataset, extractor or measure also registers it."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Generic, TypeVar

T = TypeVar("T")


class Registry(Generic[T]):
    """Named entries of one kind, found by importing every module of a package.

    Parameters
    ----------
    kind : str
        What an entry is, in the singular: used in messages.
    package : str
        Dotted name of the package that is scanned at first use.
    group : str, optional
        Entry-point group that other distributions may add entries through. An entry point has the name of the entry, and names
        the entry itself or a module that registers it.
    """

    def __init__(self, kind: str, package: str, group: str | None = None) -> None:
        self.kind, self.package, self.group = kind, package, group
        self._entries: dict[str, T] = {}
        self._scanned = False
        self._scanning = threading.RLock()

    def register(self, name: str) -> Callable[[T], T]:
        """Decorator that enters its object under ``name``.

        Raises
        ------
        ValueError
            If the name is taken.
        """

        def enter(entry: T) -> T:
            if name in self._entries:
                raise ValueError(f"{self.kind} {name!r} is registered twice")
            self._entries[name] = entry
            return entry

        return enter

    def _scan(self) -> None:
        with self._scanning:  # another thread, such as a second visitor's of the app, waits for the whole list
            if not self._scanned:
                self._import_all()

    def _import_all(self) -> None:
        self._scanned = True  # already now: a module may read the registry while it is imported
        complete = False
        try:
            package = importlib.import_module(self.package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self.package}.{module.name}")
            for point in entry_points(group=self.group) if self.group else ():
                self._take(point)
            complete = True
        finally:
            self._scanned = complete  # a broken module fails again at the next use, instead of leaving half a list

    def _take(self, point: EntryPoint) -> None:
        """Enter what an entry point names. A name that is taken stays with its own file."""
        if point.name in self._entries:
            return
        loaded = point.load()
        if point.name in self._entries:  # its module registered it
            return
        if isinstance(loaded, ModuleType):
            raise ImportError(
                f"entry point {point.name!r} of {self.group} names module {loaded.__name__}, which registers no {self.kind} of "
                f"this name"
            )
        self._entries[point.name] = loaded

    def __getitem__(self, name: str) -> T:
        """The entry called ``name``; KeyError names what there is."""
        self._scan()
        try:
            return self._entries[name]
        except KeyError:
            near = difflib.get_close_matches(name, self._entries, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise KeyError(f"no {self.kind} {name!r}; {hint}known: {', '.join(sorted(self._entries))}") from None

    def __iter__(self) -> Iterator[str]:
        self._scan()
        return iter(sorted(self._entries))

    def __contains__(self, name: object) -> bool:
        self._scan()
        return name in self._entries

    def __len__(self) -> int:
        self._scan()
        return len(self._entries)

    def items(self) -> list[tuple[str, T]]:
        """(name, entry) pairs in the order of their names."""
        self._scan()
        return sorted(self._entries.items())
