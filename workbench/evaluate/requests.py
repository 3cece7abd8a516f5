"""What a run was asked for, as plain JSON values: kept with an unfinished run, so that it can go on without its asker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from workbench.errors import WorkbenchError
from workbench.evaluate.reductions import Distractors, StoreSize
from workbench.evaluate.runs import MethodSpec, Reduction
from workbench.records import RunKind
from workbench.store import ExtractionKey
from workbench.store.values import to_json

_REDUCTIONS = {kind.__name__: kind for kind in (Distractors, StoreSize)}


@dataclass(frozen=True)
class Request:
    """The cases of a run in their order, the arms, the extraction and the kind."""

    cases: tuple[str, ...]
    specs: tuple[MethodSpec, ...]
    extraction: ExtractionKey
    kind: RunKind

    def to_text(self) -> str:
        """The request as JSON; empty where an arm's reduction is none of ours and could not be read back."""
        if any(spec.reduction is not None and type(spec.reduction).__name__ not in _REDUCTIONS for spec in self.specs):
            return ""
        arms = [_spec_json(spec) for spec in self.specs]
        return to_json({"cases": self.cases, "arms": arms, "extraction": asdict(self.extraction), "kind": self.kind})

    @staticmethod
    def of_text(text: str) -> Request:
        """The request that `to_text` wrote.

        Raises
        ------
        WorkbenchError
            If there is none: the run was begun by an older version.
        """
        if not text:
            raise WorkbenchError("what was asked for is not known: ask for the same run again, and it goes on; or drop it")
        found = json.loads(text)
        specs = tuple(_spec(arm) for arm in found["arms"])
        return Request(tuple(found["cases"]), specs, ExtractionKey(**found["extraction"]), found["kind"])


def _spec_json(spec: MethodSpec) -> dict[str, Any]:
    reduction = None if spec.reduction is None else _reduction_json(spec.reduction)
    overrides = None if spec.overrides is None else dict(spec.overrides)
    return {
        "name": spec.name,
        "profile": spec.profile,
        "overrides": overrides,
        "label": spec.label,
        "reduction": reduction,
        "point": dict(spec.point),
    }


def _reduction_json(reduction: Reduction) -> dict[str, Any]:
    return {"kind": type(reduction).__name__, "fields": asdict(reduction)}  # type: ignore[call-overload]


def _spec(arm: Mapping[str, Any]) -> MethodSpec:
    reduction = arm["reduction"]
    made = None if reduction is None else _REDUCTIONS[reduction["kind"]](**reduction["fields"])
    return MethodSpec(arm["name"], arm["profile"], arm["overrides"], arm["label"], made, arm["point"])
