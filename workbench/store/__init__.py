"""The store: everything that is kept, in one DuckDB file. The only package with SQL."""

from workbench.store.cases import CaseRow, Outcome
from workbench.store.extractions import GIVEN, Choice, ExtractionKey, ExtractionRow
from workbench.store.loads import CaseFinding, LoadReport
from workbench.store.questions import QuestionRow
from workbench.store.runs import Cells, RunRow
from workbench.store.store import Store, StoreInfo, open_store
from workbench.store.values import case_digest

__all__ = [
    "GIVEN",
    "CaseFinding",
    "CaseRow",
    "Cells",
    "Choice",
    "ExtractionKey",
    "ExtractionRow",
    "LoadReport",
    "Outcome",
    "QuestionRow",
    "RunRow",
    "Store",
    "StoreInfo",
    "case_digest",
    "open_store",
]
