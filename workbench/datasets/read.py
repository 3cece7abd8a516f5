"""From a path to cases: which format a file or folder is of, and reading it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbench.datasets.base import Dataset, datasets
from workbench.datasets.files import chunks, suffix
from workbench.datasets.json_records import first, forget_first, records
from workbench.datasets.mending import shown
from workbench.datasets.passages import is_corpus
from workbench.datasets.texts import TEXT
from workbench.errors import BadInput
from workbench.records import Finding, Loaded

AUTO = "auto"


def detect(path: Path) -> str:
    """The name of the format that a file or folder is of.

    Raises
    ------
    BadInput
        If there is no such path, or no format fits: the message says what was seen and what is known.
    """
    _must_exist(path)
    try:
        for name, dataset in datasets.items():
            if dataset.recognises(path):
                return name
    finally:
        forget_first()
    raise BadInput(f"{path}: {_seen(path)}, which is none of the known formats: {', '.join(datasets)}")


def read(path: Path, format: str = AUTO) -> Iterator[Loaded | Finding]:
    """The cases of a file or folder, one at a time, with findings for what was set aside.

    In a folder that is not one history as a whole, every file is read by its own format, folders inside it too; there, a file
    that can't be read is a finding and the rest goes on. Cases of several files that share a key are all given: which of them
    is kept is the store's to decide.

    Parameters
    ----------
    path : Path
    format : str
        A registered dataset's name, or ``auto``.

    Raises
    ------
    BadInput
        If there is no such path, it is of another or no known format, or it gives no case; or where a file is cut off or
        damaged, after the cases before the damage.
    KeyError
        If there is no format of this name.
    """
    _must_exist(path)
    named = None if format == AUTO else datasets[format]
    if path.is_dir() and not any(known.recognises(path) for known in ([named] if named else _all())):
        yield from _folder(path, named)
    else:
        yield from _reader(path, named).read(path)


def _all() -> list[Dataset]:
    return [dataset for _, dataset in datasets.items()]


def _must_exist(path: Path) -> None:
    if not path.exists():
        raise BadInput(f"{path}: there is no such file or folder")


def _reader(path: Path, named: Dataset | None) -> Dataset:
    """What reads a path: the format that was named, unless the path is plainly of another, or else the one it is of."""
    if named is None:
        return datasets[detect(path)]
    if not named.recognises(path):
        for name, other in datasets.items():
            if other.recognises(path):
                raise BadInput(f"{path}: this is {name}, not {named.name}; name that format or 'auto'")
    return named


def _folder(folder: Path, named: Dataset | None) -> Iterator[Loaded | Finding]:
    cases = 0
    for path in _units(folder):
        try:
            for found in _reader(path, named).read(path):
                cases += isinstance(found, Loaded)
                yield found
        except BadInput as error:
            yield Finding(str(path), "", "quarantined", str(error).removeprefix(f"{path}: "), is_record=True)
    if not cases:
        raise BadInput(f"{folder}: no case in this folder ({_seen(folder)}); known formats: {', '.join(datasets)}")


def _units(folder: Path) -> Iterator[Path]:
    """What is read by itself: the data files in a folder, and folders that are one history as a whole, in the order of names."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or (path.is_dir() and path.is_symlink()):
            continue
        if path.is_dir():
            yield from [path] if any(known.recognises(path) for known in _all()) else _units(path)
        elif not _is_companion(path):
            yield path


def _is_companion(path: Path) -> bool:
    """Whether a file in a folder of data files goes with another: a licence, a read-me, a passage corpus."""
    return suffix(path) in TEXT or is_corpus(path)


def _is_damaged(path: Path) -> bool:
    """Whether JSON ends, or stops being JSON, before a whole record was read."""
    try:
        next(iter(records(path)), None)
    except BadInput:
        return True
    return False


def _seen(path: Path) -> str:
    """What a path holds, in a few words."""
    if path.is_dir():
        return f"a folder of {sum(1 for _ in path.iterdir())} entries"
    try:
        record = first(path)
        start = next((piece for piece in chunks(path) if piece.strip()), "").strip()
    except BadInput as error:
        return str(error).removeprefix(f"{path}: ")
    if record and isinstance(record.value, dict):
        return f"JSON objects with the fields {', '.join(shown(key)[1:-1] for key in list(record.value)[:12]) or '(none)'}"
    if record:
        return f"JSON that begins with {shown(record.value)}"
    if start[:1] in ("[", "{") and _is_damaged(path):
        return "JSON that is cut off or damaged before its first record ends (get the file again)"
    return f"text that begins with {shown(start)}" if start else "an empty file"
