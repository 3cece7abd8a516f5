"""Labels out to a file and in again: CSV, Parquet or JSON lines with the whole history."""

from __future__ import annotations

from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from workbench.errors import BadInput
from workbench.store import Label, Labels
from workbench.table_files import read_texts, write_rows

_FIELDS = tuple(field.name for field in fields(Label))


def export_labels(labels: Labels, path: Path) -> int:
    """Write every label that was ever given, oldest first, in the format of the file's ending; how many they are.

    Raises
    ------
    BadInput
        For another ending than .csv, .parquet or .json.
    WorkbenchError
        If the file can't be written.
    """
    rows = [asdict(label) | {"created": label.created.isoformat()} for label in labels.history()]
    return write_rows(rows, _FIELDS, path)


def import_labels(labels: Labels, path: Path, analyst: str | None = None) -> int:
    """Add the labels of a file, all or none; how many were not there already. Names outside the taxonomy are taken as they are.

    Where an ``analyst`` is named, the file may only have labels of theirs.

    Raises
    ------
    BadInput
        If the file is no such table, lacks a column, or holds a label that can't be or is another's; the message names the row.
    """
    rows = read_texts(path)
    found = []
    for number, row in enumerate(rows, 1):
        lacking = [name for name in _FIELDS if name not in row]
        if lacking:
            raise BadInput(f"{path}: a table of labels has the columns {', '.join(_FIELDS)}; lacking: {', '.join(lacking)}")
        values: dict[str, Any] = {name: row[name] for name in _FIELDS}
        try:
            found.append(Label(**values | {"created": datetime.fromisoformat(row["created"])}))
        except ValueError as error:
            raise BadInput(f"{path}: row {number}: created is {row['created']!r}, not a time like 2024-05-02T18:30") from error
        if analyst is not None and found[-1].analyst != analyst:
            raise BadInput(
                f"{path}: row {number}: a label of {row['analyst']!r}; who is signed in adds only their own here, and others' "
                "with the command: workbench labels import FILE"
            )
    try:
        return labels.add(found)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from error
