"""Arms of imported runs in the place of methods: they answer with what their files rank."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.errors import WorkbenchError
from workbench.evaluate.importing import UNANSWERED
from workbench.evaluate.judging import Ranked
from workbench.memory import Memory
from workbench.methods.base import comparable
from workbench.records import Hit, Question, QuestionResult, Ranking, Why
from workbench.store import RunRow

NO_WHY = "not available for an imported run"
PREFIX = "run:"
"""Begins the name of an imported arm where methods are named."""
MAX_NAME = 40
"""Characters of a run's or an arm's name that are shown beside methods (ours)."""


@dataclass(frozen=True)
class ImportedArm:
    """Where the rankings of an imported arm are kept. ``file`` is the name of the file they came in."""

    run: str
    arm: str
    unit: Ranked
    file: str


def imported_arms(rows: Iterable[RunRow]) -> dict[str, ImportedArm]:
    """The arms of imported runs by the names under which they stand beside methods.

    ``run:<name>``, or ``run:<name>/<arm>`` where a file has several. Only letters, digits and ``-._`` of a name are kept, so
    that it is safe in any text. Of arms with one name the first that was imported has it as it is; later ones get the end of
    their run's id.
    """
    found: dict[str, ImportedArm] = {}
    imported = (row for row in rows if row.kind == "import")
    for row in sorted(imported, key=lambda row: (row.created, row.id)):
        for arm in row.methods:
            label = PREFIX + _safe(row.name or row.id) + (f"/{_safe(arm)}" if len(row.methods) > 1 else "")
            while label in found:
                label += f"-{row.id.rpartition('-')[2]}"
            config = row.config[arm]
            found[label] = ImportedArm(row.id, arm, config["unit"], config["file"])
    return found


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name)[:MAX_NAME] or "_"


class ImportedRun:
    """An arm of an imported run over one case: answers with what its file ranks for a question, and knows no other text.

    Parameters
    ----------
    label : str
        Its name beside methods.
    arm : ImportedArm
    results : iterable of QuestionResult
        The arm's results of the case.
    questions : sequence of Question
        The questions of the case.
    memory : Memory
        The notes of the case.
    """

    def __init__(
        self,
        label: str,
        arm: ImportedArm,
        results: Iterable[QuestionResult],
        questions: Sequence[Question],
        memory: Memory,
    ) -> None:
        self.label, self.arm, self._questions, self._memory = label, arm, questions, memory
        self._results = {result.question: result for result in results}

    def query(self, text: str, question_id: str = "") -> Ranking:
        """The stored ranking of a question, to the depth that is kept; empty, with the reason, where there is none.

        Parameters
        ----------
        text : str
            A question's text; no file can answer another one.
        question_id : str
            Which question is meant, where several have this text.

        Raises
        ------
        WorkbenchError
            If the run ranks sessions: which of a session's notes is meant, the file does not say.
        """
        if self.arm.unit == "session":
            raise WorkbenchError(
                f"{self.label} ranks sessions, not notes: its file {self.arm.file} does not say which note of a session is "
                "meant. Its measures are in the run's table"
            )
        asked = [question.id for question in self._questions if question.text == text]
        if not asked:
            return Ranking(text, self.label, remarks=("an imported run answers only the questions of its file",))
        if len(asked) > 1 and question_id not in asked:
            return Ranking(text, self.label, remarks=(f"{len(asked)} questions have this text: choose one of them",))
        result = self._results.get(question_id if question_id in asked else asked[0])
        if result is None:
            return Ranking(text, self.label, remarks=("the question has no gold, so the import left it out",))
        remarks = [*([UNANSWERED] if not result.note_ids else [])]
        if result.candidates > len(result.note_ids):
            remarks.append(f"the first {len(result.note_ids)} of {result.candidates:,} ranks are kept")
        return Ranking(text, self.label, tuple(self._hits(result)), result.candidates, tuple(remarks))

    def _hits(self, result: QuestionResult) -> Iterator[Hit]:
        keys = comparable(np.array(result.scores), None)
        blocks = 1 + np.cumsum(np.diff(keys, prepend=keys[:1]) != 0)
        for rank, (note, score, block) in enumerate(zip(result.note_ids, result.scores, blocks.tolist(), strict=True), 1):
            yield Hit(note, self._memory[note].session_id, rank, score, block, lambda: Why(remarks=(NO_WHY,)))
