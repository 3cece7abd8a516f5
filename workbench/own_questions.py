"""Own questions: a typed query on any case, saved with the notes that answer it as a question of a set.

A set is a benchmark of the workbench's own making: evaluated, diagnosed, audited, exported and removed like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from workbench.datasets.history import write_jsonl
from workbench.errors import BadInput, WorkbenchError
from workbench.records import Gold, Question
from workbench.store import Store
from workbench.words import counted

GRADES = (1, 2, 3)
"""How well a note answers (ours): partly, well, perfectly. nDCG takes the grade as gain; other measures take all alike."""


class QuestionKey(NamedTuple):
    """Where a question stands: the key of its case and its id."""

    case: str
    question: str


def add_question(
    store: Store,
    case: str,
    set_name: str,
    text: str,
    gold: Sequence[str] | Mapping[str, int],
    *,
    answer: str | None = None,
    type: str = "",
    now: datetime | None = None,
) -> QuestionKey:
    """Save a question in a set of own questions.

    It is asked of a copy of the case in the benchmark of the set's name, with the same sessions, notes and extractions; a second
    question on the same case joins the same copy. A reduced benchmark (an oracle) loses its tie to the full cases: word
    frequencies of the filter are counted in the copy.

    Parameters
    ----------
    store : Store
        Open for writing.
    case : str
        Key or bare id; a case of the set itself goes before a loaded one of the same id.
    set_name : str
        A new name, or that of a set; never that of a loaded benchmark.
    text : str
    gold : sequence of str, or mapping
        Ids of the notes that answer; with their grades 1, 2 or 3, or plain (grade 1).
    answer, type : optional
    now : datetime, optional
        The clock, by default the machine's.

    Raises
    ------
    KeyError
        If no case, or more than one, is called that.
    BadInput
        If the text is blank, there is no gold, a gold note is not the case's, a grade is another, or the set can't take the case.
    StoreError
        If the store can't be written.
    """
    own = f"{set_name}/{case}"
    key = own if store.cases.find(own) is not None else store.cases.key(case)
    if not text.strip():
        raise BadInput(f"a question needs words; got {text!r}")
    grades = dict(gold) if isinstance(gold, Mapping) else dict.fromkeys(gold, 1)
    _check_gold(grades, key, {note.id for note in store.notes.get(key)})
    graded = tuple(grades.items()) if isinstance(gold, Mapping) else ()
    question = Question("", text, answer, type, Gold(notes=tuple(grades), grades=graded))
    return QuestionKey(*store.own_questions.add(key, set_name, question, now or datetime.now()))


def _check_gold(grades: Mapping[str, int], case_key: str, notes: set[str]) -> None:
    if not grades:
        raise BadInput("a question needs at least one note that answers it: without gold it can't be judged")
    unknown = [note for note in grades if note not in notes]
    if unknown:
        raise BadInput(
            f"{case_key} has no note {unknown[0]!r}; it has {counted(len(notes), 'note')}, such as {min(notes, default='')!r}"
        )
    wrong = [(note, grade) for note, grade in grades.items() if isinstance(grade, bool) or grade not in GRADES]
    if wrong:
        raise BadInput(f"note {wrong[0][0]!r} has grade {wrong[0][1]!r}; a grade is {', '.join(map(str, GRADES))}")


def export_questions(store: Store, set_name: str, path: Path) -> tuple[int, int]:
    """Write a set as JSON lines of the workbench's own format, which load again as the same benchmark; its cases and questions.

    The file holds history, questions and gold; tags only where the case brought its own. Others are extracted when it is loaded.

    Raises
    ------
    KeyError
        If there is no set of that name.
    WorkbenchError
        If the file can't be written.
    """
    sets = store.own_questions.sets()
    if set_name not in sets:
        raise KeyError(f"no set of own questions is called {set_name!r}; there are: {', '.join(sets) or 'none'}")
    rows = store.cases.list(set_name)
    try:
        write_jsonl((store.cases.get(row.key) for row in rows), path)
    except OSError as error:
        raise WorkbenchError(f"{path} can't be written: {error.strerror}") from error
    return len(rows), sets[set_name]
