"""What is asked of a language model and what comes back: prompts, replies, and recordings of replies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Literal, Protocol, TypeVar

from workbench.endpoints import from_environment, positive

T = TypeVar("T")
Kind = Literal["tags", "entries", "facts", "answer", "judge"]
Mode = Literal["json_schema", "json_object", "text"]
"""How a service is told what JSON to write; "text": by the prompt alone."""
URL, KEY, MODEL = "WORKBENCH_LLM_URL", "WORKBENCH_LLM_KEY", "WORKBENCH_LLM_MODEL"
TIMEOUT, RETRIES = "WORKBENCH_LLM_TIMEOUT", "WORKBENCH_LLM_RETRIES"
CONCURRENCY, MAX_TOKENS = "WORKBENCH_LLM_CONCURRENCY", "WORKBENCH_LLM_MAX_TOKENS"
"""Environment variables. Where the first two are not set, OPENAI_BASE_URL and OPENAI_API_KEY count."""


@dataclass(frozen=True)
class Endpoint:
    """Where a service is, and how it is asked; by default as the environment says. The numbers' defaults are ours.

    ``url`` ends in front of ``/chat/completions``. ``seconds`` is the longest wait for one answer, ``tries`` how often a request
    that fails on its way is made, ``concurrency`` how many are under way at once, ``max_tokens`` the longest answer.
    """

    url: str = field(default_factory=lambda: from_environment(URL, "OPENAI_BASE_URL"))
    key: str = field(default_factory=lambda: from_environment(KEY, "OPENAI_API_KEY"), repr=False)
    model: str = field(default_factory=lambda: from_environment(MODEL))
    seconds: int = field(default_factory=lambda: positive(TIMEOUT, 120))
    tries: int = field(default_factory=lambda: positive(RETRIES, 4))
    concurrency: int = field(default_factory=lambda: positive(CONCURRENCY, 4))
    max_tokens: int = field(default_factory=lambda: positive(MAX_TOKENS, 1024))


def digest_of(value: Any) -> str:
    """SHA-256 of a JSON value, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True)
class Prompt:
    """One thing to ask.

    ``version`` names the template and whatever else decides what is asked about a unit. ``case`` is the key of the case that
    the text is from, ``unit`` the id of what is read: an interaction, a window, a question. ``schema`` is the JSON schema of the
    answer; None where it is plain text.
    """

    kind: Kind
    version: str
    case: str
    unit: str
    system: str
    user: str
    schema: Mapping[str, Any] | None = None

    @cached_property
    def digest(self) -> str:
        """Of all that the model reads."""
        return digest_of([self.system, self.user, self.schema])


@dataclass(frozen=True)
class Reply:
    """What a model gave.

    ``data`` is the parsed JSON value, or the text where no schema was asked for; None on a failure, which ``failure`` names.
    ``text`` is the output as it came, empty where the service gave none. ``attempts`` counts answers asked for (2 where the
    first had a fault). Tokens are None where the service does not tell. ``replayed``: it was recorded; ``other_prompt``: for
    another prompt about the same unit, such as one that showed another ontology.
    """

    data: Any
    text: str
    failure: str | None
    attempts: int
    tokens_in: int | None
    tokens_out: int | None
    seconds: float
    mode: Mode
    replayed: bool = False
    other_prompt: bool = False


@dataclass(frozen=True)
class Asked(Generic[T]):
    """A reply, and what the check made of its data; None where the reply is a failure."""

    value: T | None
    reply: Reply


Check = Callable[[Any], T]
"""Makes a value of a reply's data; raises ValueError or TypeError, with a message for the model, where the data is not right."""


class Asker(Protocol):
    """Asks a model, or reads what one said."""

    model: str

    def ask(self, prompt: Prompt, check: Check[T]) -> Asked[T]:
        """One answer."""
        ...

    def ask_many(
        self, prompts: Sequence[Prompt], check: Check[T], progress: Callable[[Asked[T]], None] | None = None
    ) -> list[Asked[T]]:
        """Several answers in the order of the prompts; ``progress`` is called in this thread with each as it comes."""
        ...


@dataclass(frozen=True)
class Recording:
    """A reply as it is kept, and what was asked; fields as in `Prompt` and `Reply`."""

    kind: str
    version: str
    model: str
    case: str
    unit: str
    digest: str
    text: str
    failure: str | None
    attempts: int
    tokens_in: int | None
    tokens_out: int | None
    seconds: float
    mode: Mode

    @classmethod
    def of(cls, prompt: Prompt, model: str, reply: Reply) -> Recording:
        """The recording of a fresh reply."""
        asked = (prompt.kind, prompt.version, model, prompt.case, prompt.unit, prompt.digest)
        counted = (reply.attempts, reply.tokens_in, reply.tokens_out, reply.seconds, reply.mode)
        return cls(*asked, reply.text, reply.failure, *counted)

    @property
    def slot(self) -> tuple[str, str, str, str, str]:
        """What it answers, whichever the very prompt was: (kind, version, model, case, unit)."""
        return self.kind, self.version, self.model, self.case, self.unit


class Recordings(Protocol):
    """Where recordings are kept. A slot (see `Recording.slot`) may hold several, for different prompts."""

    def get(self, kind: str, version: str, model: str, case_key: str, unit: str, digest: str | None = None) -> Recording | None:
        """The recording of this very prompt; without a digest, the newest of the slot."""
        ...

    def put(self, recording: Recording) -> None:
        """Keep one. It takes the place of one for the same prompt, and of every failure in its slot."""
        ...


class MemoryRecordings:
    """Recordings in memory, oldest first."""

    def __init__(self, recordings: Sequence[Recording] = ()) -> None:
        self._slots: dict[tuple[str, str, str, str, str], list[Recording]] = {}
        for recording in recordings:
            self.put(recording)

    def get(self, kind: str, version: str, model: str, case_key: str, unit: str, digest: str | None = None) -> Recording | None:
        """See `Recordings.get`."""
        newest_first = reversed(self._slots.get((kind, version, model, case_key, unit), []))
        return next((each for each in newest_first if digest in (None, each.digest)), None)

    def put(self, recording: Recording) -> None:
        """See `Recordings.put`."""
        others = [each for each in self._slots.get(recording.slot, []) if not _is_replaced(each, recording)]
        self._slots[recording.slot] = [*others, recording]


def _is_replaced(old: Recording, new: Recording) -> bool:
    return old.digest == new.digest or old.failure is not None
