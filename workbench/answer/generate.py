"""Answers to the questions of a run, from what its arms ranked first; kept in the store as they come."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.answer.prompt import AnswerConfig, question_prompt, read_answer
from workbench.answer.records import Answer, QuestionKey
from workbench.chat.base import Asked, Asker, Prompt
from workbench.errors import BadInput
from workbench.records import Note, Question, QuestionResult, Run
from workbench.store import open_store

WAIT_SECONDS = 60.0
"""How long answers wait for their turn to be stored."""
KEPT_AT_ONCE = 50
"""Prompts of a case after which its answers are stored (ours); recordings of them are at once."""
Progress = Callable[[Asked[str]], None]


def sample(keys: Sequence[QuestionKey], limit: int | None) -> list[QuestionKey]:
    """At most ``limit`` questions in their order, drawn evenly over all of them by a hash of their names (ours).

    A smaller sample lies within a larger one, so that answers are used again where more are asked for.
    """
    distinct = list(dict.fromkeys(keys))
    if limit is None or limit >= len(distinct):
        return distinct
    drawn = set(sorted(distinct, key=lambda key: hashlib.sha256("\n".join(key).encode()).digest())[:limit])
    return [key for key in distinct if key in drawn]


@dataclass(frozen=True)
class Task:
    """One prompt, and the results whose notes it shows; their ids are ``note_ids``."""

    prompt: Prompt
    note_ids: tuple[str, ...]
    results: tuple[QuestionResult, ...]


def chosen_results(
    run: Run, methods: Sequence[str] = (), questions: Collection[QuestionKey] | None = None
) -> list[QuestionResult]:
    """The results of a run that answers are asked for: of some arms and some questions (default: all).

    Raises
    ------
    KeyError
        For an arm that the run does not have; the message lists those it has.
    BadInput
        If an arm ranks sessions: there are no notes to show.
    """
    arms = list(dict.fromkeys(methods)) or list(run.config)
    for arm in arms:
        if arm not in run.config:
            raise KeyError(f"run {run.id} has no arm {arm!r}; it has {', '.join(run.config)}")
        if run.config[arm].get("unit") == "session":
            raise BadInput(f"{arm} of run {run.id} ranks sessions, not notes: there is no context to answer from")
    results = [result for result in run.results if result.method in arms]
    return [each for each in results if questions is None or (each.case, each.question) in questions]


def tasks_of(
    questions: Sequence[Question], notes: Sequence[Note], results: Sequence[QuestionResult], config: AnswerConfig
) -> list[Task]:
    """The prompts of one case, each once: arms that rank the same notes first share it.

    Raises
    ------
    BadInput
        If a note is not there any more: the case was loaded anew, and cut into other notes.
    """
    by_id, known = {note.id: note for note in notes}, {question.id: question for question in questions}
    found: dict[tuple[str, tuple[str, ...]], list[QuestionResult]] = {}
    for result in results:
        found.setdefault((result.question, result.note_ids[: config.k]), []).append(result)
    lacking = next((note for _, ids in found for note in ids if note not in by_id), None)
    if lacking is not None:
        raise BadInput(f"note {lacking} of {results[0].case} is not in the store any more: evaluate the case again")
    return [
        Task(question_prompt(same[0].case, known[question], [by_id[note] for note in ids], config), ids, tuple(same))
        for (question, ids), same in found.items()
    ]


def answer_run(
    path: Path,
    run: Run,
    asker: Asker,
    config: AnswerConfig | None = None,
    *,
    methods: Sequence[str] = (),
    questions: Collection[QuestionKey] | None = None,
    progress: Progress | None = None,
) -> list[Answer]:
    """Ask the questions of a run, each with the first notes of every arm; answers are kept by case, or by parts of a large one.

    Parameters
    ----------
    path : Path
        The store; it is open for moments only.
    run : Run
    asker : Asker
        One that asks a model, or one that replays what was recorded.
    methods, questions
        See `chosen_results`.
    progress : callable, optional
        Called with each reply as it comes; of arms that rank the same notes there is one.

    Returns
    -------
    list of Answer
        In the order of the results. Failures are among them.

    Raises
    ------
    ChatError
        If the service can't be used; what it answered is kept.
    """
    config = config or AnswerConfig()
    answers: list[Answer] = []
    for case, results in _by_case(chosen_results(run, methods, questions)):
        with open_store(path, read_only=True, wait_seconds=WAIT_SECONDS) as store:
            tasks = tasks_of(store.questions.of(case), store.notes.get(case), results, config)
        for at in range(0, len(tasks), KEPT_AT_ONCE):
            made = _answers(tasks[at : at + KEPT_AT_ONCE], run.id, asker, progress)
            with open_store(path, wait_seconds=WAIT_SECONDS) as store:
                store.answers.put([answer for answer in made if answer.attempts])  # else a replay found nothing recorded
            answers += made
    return answers


def _answers(tasks: Sequence[Task], run: str, asker: Asker, progress: Progress | None) -> list[Answer]:
    asked = asker.ask_many([task.prompt for task in tasks], read_answer, progress)
    return [
        Answer.of(run, result.method, asker.model, result.question, task.note_ids, task.prompt, got)
        for task, got in zip(tasks, asked, strict=True)
        for result in task.results
    ]


def _by_case(results: Sequence[QuestionResult]) -> Iterator[tuple[str, list[QuestionResult]]]:
    """Results by case, in the order of the cases; a run may list its arms one after another."""
    found: dict[str, list[QuestionResult]] = {}
    for result in results:
        found.setdefault(result.case, []).append(result)
    yield from found.items()
