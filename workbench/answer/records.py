"""Answers and judgements of them as they are kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from workbench.chat.base import Asked, Mode, Prompt, digest_of

QuestionKey = tuple[str, str]
"""(case key, question id)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered from the notes that an arm of a run ranked first.

    Attributes
    ----------
    case, question, run, method : str
        The question, and whose ranking the notes are from.
    model, version : str
        Who answered, and how it was asked (`workbench.answer.prompt.version_of`); with ``run`` they name a set of answers.
    note_ids : tuple of str
        The notes that were shown, in rank order.
    system, prompt : str
        What the model read; empty where it was not asked for from the store.
    digest : str
        Of both and the schema: arms that rank the same notes share one answer.
    answer : str or None
        None where the model gave none that can be used; ``failure`` then says why.
    text : str
        The output as it came.
    attempts, tokens_in, tokens_out, seconds, mode
        As in `workbench.chat.base.Reply`; of the first time it was asked.
    replayed : bool
        It was recorded before. Not kept.
    """

    case: str
    question: str
    run: str
    method: str
    model: str
    version: str
    note_ids: tuple[str, ...]
    system: str
    prompt: str
    digest: str
    answer: str | None
    text: str
    failure: str | None
    attempts: int
    tokens_in: int | None
    tokens_out: int | None
    seconds: float
    mode: Mode
    replayed: bool = False

    @property
    def key(self) -> QuestionKey:
        return self.case, self.question

    @classmethod
    def of(
        cls, run: str, method: str, model: str, question: str, note_ids: tuple[str, ...], prompt: Prompt, asked: Asked[str]
    ) -> Answer:
        """The answer that a prompt got."""
        reply = asked.reply
        named = (prompt.case, question, run, method, model, prompt.version, note_ids, prompt.system, prompt.user, prompt.digest)
        counted = (reply.attempts, reply.tokens_in, reply.tokens_out, reply.seconds, reply.mode, reply.replayed)
        return cls(*named, asked.value, reply.text, reply.failure, *counted)


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """Answers that were asked for in one way: by one model, from the rankings of one run. Counts are over all arms."""

    run: str
    model: str
    version: str
    methods: tuple[str, ...]
    questions: int
    answers: int
    failed: int
    created: datetime


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a language model thinks of an answer.

    ``answer`` is `answer_digest` of its words; ``is_right`` is None where the judge gave no verdict, and ``failure`` says why.
    """

    case: str
    question: str
    answer: str
    model: str
    version: str
    is_right: bool | None
    text: str
    failure: str | None


def answer_digest(answer: str) -> str:
    """By what an answer's words are known."""
    return digest_of(answer)[:32]
