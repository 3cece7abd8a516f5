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
MAX_YAML_CHARS = 1 << 20
"""The longest YAML file that is read (ours), some 250 stories: its tree takes up to 200 bytes a character."""
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
    if len(text) > MAX_YAML_CHARS:
        raise BadInput(
            f"{path}: a YAML file of more than {MAX_YAML_CHARS:,} characters is not read: split it, or give it as JSON"
        )
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
