"""The store: everything that is kept, in one DuckDB file. The only package with SQL."""

from workbench.store.cases import CaseRow, Outcome
from workbench.store.extractions import EDITED, GIVEN, Choice, ExtractionKey, ExtractionRow
from workbench.store.labels import STATUSES, Label, Labels, Status, TaxonomyRow, labels_path, open_labels
from workbench.store.loads import CaseFinding, LoadReport
from workbench.store.questions import QuestionRow
from workbench.store.recorder import StoredRecordings
from workbench.store.runs import Cells, RunRow
from workbench.store.store import Store, StoreInfo, open_store
from workbench.store.unfinished import CasePart, UnfinishedRow
from workbench.store.values import case_digest

__all__ = [
    "EDITED",
    "GIVEN",
    "STATUSES",
    "CaseFinding",
    "CasePart",
    "CaseRow",
    "Cells",
    "Choice",
    "ExtractionKey",
    "ExtractionRow",
    "Label",
    "Labels",
    "LoadReport",
    "Outcome",
    "QuestionRow",
    "RunRow",
    "Status",
    "Store",
    "StoreInfo",
    "StoredRecordings",
    "TaxonomyRow",
    "UnfinishedRow",
    "case_digest",
    "labels_path",
    "open_labels",
    "open_store",
]
