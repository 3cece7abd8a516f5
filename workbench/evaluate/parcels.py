"""Cases as Parquet: what a case needs to be evaluated elsewhere, written as the tables of a small store of its own."""

from __future__ import annotations

import json
from pathlib import Path

from workbench.embed.vectors import Vectors
from workbench.evaluate.runs import CaseInput
from workbench.records import Case
from workbench.states import States
from workbench.store import ExtractionKey, open_store

_KEY = ExtractionKey("sent")
_BASE = "base"
"""Benchmark under which the notes of a full case travel beside their reduced copy."""
_HEADER = "case.json"


def pack(given: CaseInput, folder: Path) -> None:
    """Write a case with its notes, vectors and states."""
    with open_store(":memory:") as store:
        store.cases.add(given.case, given.notes, _KEY)
        if given.base is not None:
            full = Case(_BASE, given.case.id, (), ())
            store.cases.add(full, given.base, _KEY)
        store.vectors.put(given.case.key, given.vectors.all)
        store.states.put(given.case.key, given.states.all)
        store.export_parquet(folder)
    header = {"case": given.case.key, "digest": given.digest, "remark": given.remark, "base": given.base is not None}
    (folder / _HEADER).write_text(json.dumps(header), encoding="utf-8")


def unpack(folder: Path) -> CaseInput:
    """The case that `pack` wrote."""
    header = json.loads((folder / _HEADER).read_text(encoding="utf-8"))
    key = header["case"]
    with open_store(":memory:") as store:
        store.import_parquet(folder)
        case = store.cases.get(key)
        base = store.notes.get(f"{_BASE}/{case.id}") if header["base"] else None
        held = store.vectors.held(key)
        vectors = Vectors(store.vectors.get(*model, held) for model in store.vectors.models())
        states = States(store.states.of_case(key))
        return CaseInput(case, store.notes.get(key), header["digest"], base, header["remark"], vectors, states)
