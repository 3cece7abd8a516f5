"""One audit of the demo for all tests of it, and rows made by hand."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from workbench.diagnose.audit import Audit, NoteRow, audit
from workbench.evaluate.runs import MethodSpec
from workbench.store import ExtractionKey, open_store

METHODS = ("tag_basic", "tag_stopwords", "adaptive", "bm25")
SPECS = [MethodSpec(name) for name in METHODS]
BARE = ExtractionKey("bare", {"tags": "every other note's"})


def case_keys(store_path: Path) -> list[str]:
    """The longer demo cases, and two stories with several questions."""
    with open_store(store_path, read_only=True) as store:
        stories = [row.key for row in store.cases.list("atant_demo")][:2]
        return [row.key for row in store.cases.list("longmemeval_demo")][:3] + stories


@cache
def demo_audit(store_path: Path, interventions: bool = True) -> Audit:
    return audit(store_path, case_keys(store_path), SPECS, interventions=interventions)


def with_second_extraction(store_path: Path, to: Path) -> Path:
    """A copy of the store in which every case has another extraction too: every other note has lost its tags."""
    path = Path(shutil.copy(store_path, to))
    with open_store(path) as store:
        for key in case_keys(path):
            notes = store.notes.get(key)
            bare = [replace(note, extraction=type(note.extraction)()) if at % 2 else note for at, note in enumerate(notes)]
            store.cases.add(store.cases.get(key), bare, BARE)
    return path


def row(note: str = "s1#1", *, found: bool = False, **values: Any) -> NoteRow:
    """A row of a gold note that is missed, or found; its session with it."""
    given: dict[str, Any] = {
        "case": "demo/c",
        "question": "q",
        "type": "",
        "note": note,
        "session": note.partition("#")[0],
        "extraction": "rules",
        "method": "tag_basic",
        "is_graph": True,
        "rank": 1 if found else None,
        "best": 1 if found else None,
        "worst": 1 if found else None,
        "is_found": found,
        "stage": "found" if found else "tagged",
        "session_rank": 1 if found else None,
        "session_by": None,
        "helpful": (),
        "filtered": (),
        "repaired_by": None,
        "is_repair_said": None,
        "is_broken": None,
        "is_tried": False,
    }
    return NoteRow(**given | values)


def audit_of(*rows: NoteRow, **values: Any) -> Audit:
    """An audit of rows made by hand."""
    given: dict[str, Any] = {
        "k": 5,
        "cases": tuple(dict.fromkeys(each.case for each in rows)),
        "extractions": tuple(dict.fromkeys(each.extraction for each in rows)),
        "methods": tuple(dict.fromkeys(each.method for each in rows)),
        "graph_methods": tuple(dict.fromkeys(each.method for each in rows if each.is_graph)),
        "notes": rows,
        "questions": (),
        "not_stored": 0,
        "without_gold": 0,
        "is_tried": any(each.is_tried for each in rows),
    }
    return Audit(**given | values)
