"""Rows as files: CSV, Parquet or JSON lines of plain values, by the ending of the file's name."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.errors import BadInput, WorkbenchError

ENDINGS = (".csv", ".parquet", ".json")


def check_ending(path: Path) -> None:
    """BadInput for a name whose ending names no format."""
    if path.suffix.lower() not in ENDINGS:
        raise BadInput(f"{path}: a table's file ends in {', '.join(ENDINGS)}")


def write_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], path: Path) -> int:
    """Write all rows with these columns; how many they are. Lists are JSON texts in CSV, which has none.

    Raises
    ------
    BadInput
        If the name's ending is none of .csv, .parquet and .json (one object a line).
    WorkbenchError
        If the file can't be written.
    """
    check_ending(path)
    try:
        if path.suffix.lower() == ".json":
            lines = (json.dumps({name: row[name] for name in columns}, ensure_ascii=False) + "\n" for row in rows)
            path.write_text("".join(lines), encoding="utf-8", newline="\n")
            return len(rows)
        if path.suffix.lower() == ".csv":
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([columns, *([_cell(row[name]) for name in columns] for row in rows)])
            return len(rows)
        import pandas as pd  # Half a second to import, which only this needs.

        pd.DataFrame([[row[name] for name in columns] for row in rows], columns=list(columns)).to_parquet(path, index=False)
    except OSError as error:
        raise WorkbenchError(f"{path} can't be written: {error.strerror or error}") from error
    return len(rows)


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple) else value


def read_texts(path: Path) -> list[dict[str, str]]:
    """The rows of a table of texts, empty where a cell is.

    Raises
    ------
    BadInput
        If the file can't be read as what its name says.
    """
    check_ending(path)
    try:
        if path.suffix.lower() == ".csv":
            with path.open(encoding="utf-8-sig", newline="") as file:
                return [
                    {name: value or "" for name, value in row.items()} for row in csv.DictReader(file, restkey="", strict=True)
                ]
        if path.suffix.lower() == ".json":
            values = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
            if not all(isinstance(value, dict) for value in values):
                raise BadInput(f"{path}: every line is a JSON object")
            return [{str(name): "" if each is None else str(each) for name, each in value.items()} for value in values]
        import pandas as pd  # See above.

        frame = pd.read_parquet(path)
    except OSError as error:
        raise BadInput(f"{path} can't be read: {error.strerror or error}") from error
    except (ValueError, csv.Error, RecursionError) as error:  # what json, pandas and pyarrow raise for a file of another kind
        raise BadInput(f"{path} is no {path.suffix} table: {error}") from error
    return [{str(name): str(value) for name, value in row.items()} for row in frame.to_dict("records")]
