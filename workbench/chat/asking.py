"""Asking a model, each answer recorded as it comes; and reading recorded answers in its place."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, TypeVar

from workbench.chat.base import Asked, Check, Endpoint, Mode, Prompt, Recording, Recordings, Reply
from workbench.chat.parsing import json_in
from workbench.chat.service import Answer, Message, NoAnswer, Service
from workbench.errors import ChatError, WorkbenchError

T = TypeVar("T")
GIVE_UP = 5
"""Requests in a row without any answer after which the service counts as broken (ours)."""
SHOWN_BACK = 2000
"""Characters of a faulty output that the model is shown again (ours)."""
NOT_RECORDED = "nothing is recorded for it"
RETRY = "That can't be used: {fault}. Give the whole answer again, corrected, as one JSON object and nothing else."


class Enough(WorkbenchError):
    """No more may be asked."""


class Live:
    """Asks a service. What is recorded for the very same prompt is not asked again, so that interrupted work goes on.

    Parameters
    ----------
    endpoint : Endpoint
        By default, as the environment says.
    recordings : Recordings
        Every answer is put there as it comes, failures too.
    retry_failed : bool
        Ask again where the recorded answer is a failure. Where the service gave none, it is asked again in any case.
    most : int, optional
        How many prompts may be put to the service.
    """

    def __init__(
        self, endpoint: Endpoint, recordings: Recordings, *, retry_failed: bool = False, most: int | None = None
    ) -> None:
        self.endpoint, self.model, self.recordings = endpoint, endpoint.model, recordings
        self.retry_failed, self._left = retry_failed, most
        self._service, self._silent = Service(endpoint), 0
        self._counting = threading.Lock()

    def ask(self, prompt: Prompt, check: Check[T]) -> Asked[T]:
        """One answer, as recorded or from the service; a fault is told to the model once.

        Raises
        ------
        ChatError
            If the service can't be used: not reachable, key or model refused, or several requests in a row without an answer.
        Enough
            If all prompts that may be put to it have been.
        """
        known = self.recordings.get(prompt.kind, prompt.version, self.model, prompt.case, prompt.unit, prompt.digest)
        if known is not None and (known.failure is None or (known.text and not self.retry_failed)):
            return read_recording(known, prompt, check)
        self._spend()
        asked, is_answered = self._ask(prompt, check)
        self.recordings.put(Recording.of(prompt, self.model, asked.reply))
        self._watch(asked.reply, is_answered)
        return asked

    def ask_many(
        self, prompts: Sequence[Prompt], check: Check[T], progress: Callable[[Asked[T]], None] | None = None
    ) -> list[Asked[T]]:
        """Several answers in the order of the prompts, ``endpoint.concurrency`` under way at once; see `Asker`.

        Stopped by an error or by the user, it asks no more, and waits for those that are under way.
        """
        workers = min(self.endpoint.concurrency, len(prompts))
        if workers <= 1:
            return _one_by_one(self.ask, prompts, check, progress)
        pool = ThreadPoolExecutor(workers)
        try:
            futures = [pool.submit(self.ask, prompt, check) for prompt in prompts]
            for future in as_completed(futures):
                if progress is not None:
                    progress(future.result())
            return [future.result() for future in futures]
        finally:
            pool.shutdown(cancel_futures=True)

    def _ask(self, prompt: Prompt, check: Check[T]) -> tuple[Asked[T], bool]:
        """What the service gave, and whether it gave any answer."""
        started, told = time.monotonic(), _Told(self._service.manner.mode if prompt.schema is not None else "text")
        messages = [_message("system", prompt.system), _message("user", prompt.user)]
        value, data, failure, is_answered = None, None, None, False
        for _ in range(2):
            try:
                answer = self._service.answer(messages, prompt.schema)
            except NoAnswer as error:
                told.attempts, failure = told.attempts + 1, str(error)
                break
            is_answered = True
            told.add(answer)
            value, data, failure = _read(answer, prompt, check, self.endpoint.max_tokens)
            if failure is None or answer.refusal:
                break
            faulty = _message("assistant", answer.text[:SHOWN_BACK] or "(nothing)")
            messages = [*messages[:2], faulty, _message("user", RETRY.format(fault=failure))]
        counts = (told.attempts, told.tokens_in, told.tokens_out, round(time.monotonic() - started, 3), told.mode)
        return Asked(value, Reply(data, told.text, failure, *counts)), is_answered

    def _spend(self) -> None:
        with self._counting:
            if self._left == 0:
                raise Enough("as many prompts as were allowed have been put to the model; what it answered is kept")
            self._left = None if self._left is None else self._left - 1

    def _watch(self, reply: Reply, is_answered: bool) -> None:
        with self._counting:
            self._silent = 0 if is_answered else self._silent + 1
            silent = self._silent
        if silent >= GIVE_UP:
            raise ChatError(
                f"{self.endpoint.url} gave no answer to {silent} requests in a row, the last time because {reply.failure}; "
                "what was answered before is kept: mend the service and give the same command again"
            )


class Replay:
    """Reads recorded answers; no service is asked.

    Parameters
    ----------
    model : str
        Whose answers.
    recordings : Recordings
    same_prompt : bool
        Take only an answer to the very same prompt; else the newest about the unit will do, and is marked ``other_prompt``.
    """

    def __init__(self, model: str, recordings: Recordings, *, same_prompt: bool = True) -> None:
        self.model, self.same_prompt, self._recordings = model, same_prompt, recordings

    def ask(self, prompt: Prompt, check: Check[T]) -> Asked[T]:
        """The recorded answer; a failure where there is none."""
        slot = (prompt.kind, prompt.version, self.model, prompt.case, prompt.unit)
        known = self._recordings.get(*slot, prompt.digest)
        if known is None and not self.same_prompt:
            known = self._recordings.get(*slot)
        if known is None:
            return Asked(None, Reply(None, "", NOT_RECORDED, 0, None, None, 0.0, "text", replayed=True))
        return read_recording(known, prompt, check)

    def ask_many(
        self, prompts: Sequence[Prompt], check: Check[T], progress: Callable[[Asked[T]], None] | None = None
    ) -> list[Asked[T]]:
        """The recorded answers in the order of the prompts."""
        return _one_by_one(self.ask, prompts, check, progress)


def read_recording(known: Recording, prompt: Prompt, check: Check[T]) -> Asked[T]:
    """A recorded reply, its output read anew; one that the check refuses by now is a failure."""
    value, data, failure = None, None, known.failure
    if failure is None:
        value, data, failure = _value(known.text, prompt, check)
    counts = (known.attempts, known.tokens_in, known.tokens_out, known.seconds, known.mode)
    return Asked(value, Reply(data, known.text, failure, *counts, True, known.digest != prompt.digest))


@dataclass
class _Told:
    """What the answers to one prompt came to, over both attempts."""

    mode: Mode
    text: str = ""
    attempts: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None

    def add(self, answer: Answer) -> None:
        self.text, self.mode = answer.text or answer.refusal, answer.mode
        self.attempts += 1
        self.tokens_in = _sum(self.tokens_in, answer.tokens_in)
        self.tokens_out = _sum(self.tokens_out, answer.tokens_out)


def _message(role: str, text: str) -> Message:
    """Half a surrogate pair, which has no UTF-8 form, becomes a question mark."""
    return {"role": role, "content": text.encode("utf-8", "replace").decode()}


def _sum(first: int | None, second: int | None) -> int | None:
    return second if first is None else first + (second or 0)


def _read(answer: Answer, prompt: Prompt, check: Check[T], max_tokens: int) -> tuple[T | None, Any, str | None]:
    """(value, data, failure) of an answer."""
    if answer.refusal:
        return None, None, f"the model refused: {answer.refusal}"
    if answer.finish == "length":
        return None, None, f"the answer was cut off at {max_tokens:,} tokens; be shorter"
    if not answer.finish:
        return None, None, "the answer does not say that it is complete"
    return _value(answer.text, prompt, check)


def _value(text: str, prompt: Prompt, check: Check[T]) -> tuple[T | None, Any, str | None]:
    try:
        data = text if prompt.schema is None else json_in(text)
        return check(data), data, None
    except (ValueError, TypeError) as error:
        return None, None, str(error) or type(error).__name__


def _one_by_one(
    ask: Callable[[Prompt, Check[T]], Asked[T]],
    prompts: Sequence[Prompt],
    check: Check[T],
    progress: Callable[[Asked[T]], None] | None,
) -> list[Asked[T]]:
    found = []
    for prompt in prompts:
        found.append(ask(prompt, check))
        if progress is not None:
            progress(found[-1])
    return found
