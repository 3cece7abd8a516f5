"""YAML files as records, with every scalar left as it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from workbench.datasets.files import whole_text
from workbench.datasets.json_records import Record
from workbench.datasets.mending import Mender
from workbench.errors import BadInput
from workbench.records import Finding

YAML = (".yaml", ".yml")
# Builds no objects and guesses no types: `195`, `yes` and `2023-01-01` stay text. Aliases share their value, so a chain of
# them can't grow. The C parser bounds nesting; the Python one ends in a RecursionError.
LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def yaml_records(path: Path) -> tuple[list[Record], list[Finding]]:
    """The documents of a YAML file, a list in one as its elements, and what had to be mended before YAML would take it.

    YAML forbids control characters anywhere in a file, so they are mended in the file as a whole.

    Raises
    ------
    BadInput
        If the file is empty or not YAML.
    """
    mend = Mender(str(path), "")
    text = mend.text(whole_text(path), "")
    if not text.strip():
        raise BadInput(f"{path}: the file is empty")
    try:
        documents = list(yaml.load_all(text, Loader=LOADER))
    except (yaml.YAMLError, RecursionError) as error:
        raise BadInput(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    found = []
    for number, document in enumerate(documents, start=1):
        position = f"document {number}" if len(documents) > 1 else ""
        if isinstance(document, list):
            found += [Record(f"{position}[{index}]", value) for index, value in enumerate(document)]
        elif document:
            found.append(Record(position, document))
    return found, mend.findings
