"""A registry finds what the modules of a package register, and names what it does not find."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

from workbench import registry
from workbench.registry import Registry

Package = Callable[..., Registry[object]]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    """Makes a package of modules, whose ``shelf`` module holds the registry, and returns that registry."""
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)

    def make(**modules: str) -> Registry[object]:
        folder = tmp_path / "shelves"
        folder.mkdir()
        (folder / "__init__.py").touch()
        (folder / "shelf.py").write_text(
            "from workbench.registry import Registry\nthings = Registry('thing', 'shelves', 'shelves.things')\n"
        )
        for name, body in modules.items():
            (folder / f"{name}.py").write_text(f"from shelves.shelf import things\n{body}\n")
        found: Registry[object] = import_module("shelves.shelf").things
        return found

    yield make
    for name in set(sys.modules) - known:
        if name.startswith("shelves"):
            del sys.modules[name]


def test_every_module_of_the_package_is_scanned(package: Package) -> None:
    things = package(zebra="things.register('zebra')(1)", ant="things.register('ant')(2)\nthings.register('bee')(3)")
    assert list(things) == ["ant", "bee", "zebra"]
    assert things.items() == [("ant", 2), ("bee", 3), ("zebra", 1)]
    assert len(things) == 3
    assert things["bee"] == 3
    assert "zebra" in things
    assert "yak" not in things


def test_an_unknown_name_is_answered_with_the_nearest_and_all_names(package: Package) -> None:
    things = package(a="things.register('adaptive')(1)\nthings.register('bm25')(2)")
    with pytest.raises(KeyError, match=r"no thing 'adaptve'; did you mean 'adaptive'\? known: adaptive, bm25"):
        things["adaptve"]
    with pytest.raises(KeyError, match=r"no thing 'zzz'; known: adaptive, bm25"):
        things["zzz"]


def test_a_name_is_registered_once(package: Package) -> None:
    things = package()
    things.register("one")(1)
    with pytest.raises(ValueError, match="thing 'one' is registered twice"):
        things.register("one")(2)
    assert things["one"] == 1


def test_a_broken_module_fails_every_time_and_never_leaves_half_a_list(package: Package) -> None:
    things = package(fine="things.register('fine')(1)", wrong="import a_module_that_is_not_there")
    for _ in range(2):
        with pytest.raises(ImportError, match="a_module_that_is_not_there"):
            list(things)


def test_a_module_may_read_the_registry_while_it_is_scanned(package: Package) -> None:
    things = package(a="things.register('a')(1)", b="things.register('b')(things['a'] + 1)")
    assert things["b"] == 2


def test_a_thread_that_asks_during_the_scan_waits_for_the_whole_list(package: Package) -> None:
    things = package(slow="import time\ntime.sleep(0.3)\nthings.register('slow')(1)")
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda _: list(things), range(2))) == [["slow"], ["slow"]]


def test_other_distributions_add_entries(package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        def __init__(self, name: str, entry: object) -> None:
            self.name, self.entry = name, entry

        def load(self) -> object:
            return self.entry

    asked: list[str] = []

    def entry_points(group: str) -> list[Point]:
        asked.append(group)
        return [Point("guest", 9), Point("ant", "not this one")]

    monkeypatch.setattr(registry, "entry_points", entry_points)
    things = package(ant="things.register('ant')(2)")
    assert (things["guest"], things["ant"]) == (9, 2)
    assert asked == ["shelves.things"]


def test_an_entry_point_may_name_a_module_that_registers_itself(package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name = "guest"

        def load(self) -> object:
            (folder / "guests.py").write_text("from shelves.shelf import things\nthings.register('guest')(9)\n")
            return import_module("shelves.guests")

    things = package(ant="things.register('ant')(2)")
    folder = Path(sys.modules["shelves"].__path__[0])
    monkeypatch.setattr(registry, "entry_points", lambda group: [Point()])
    assert things["guest"] == 9


def test_a_module_that_registers_nothing_of_the_name_is_refused(package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name = "guest"

        def load(self) -> object:
            return import_module("shelves.shelf")

    things = package()
    monkeypatch.setattr(registry, "entry_points", lambda group: [Point()])
    with pytest.raises(ImportError, match=r"'guest' of shelves.things names module shelves.shelf, which registers no thing"):
        list(things)
