"""Tags from a language model: any OpenAI-compatible service (TAGGRAPH 3.1, 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any, ClassVar, Literal

from workbench.chat.asking import Live
from workbench.chat.base import MODEL, Asked, Asker, Endpoint, MemoryRecordings, Prompt, Recordings, Reply, digest_of
from workbench.extract.base import extractors
from workbench.extract.prompt import (
    TEMPLATE,
    KnownTags,
    Shown,
    first_sentence,
    interaction_text,
    schema,
    system_text,
    user_text,
    without_fillers,
)
from workbench.extract.schema import MAX_PER_CATEGORY, ValidationCounts, validate
from workbench.ontology import Ontology
from workbench.records import CATEGORIES, Case, Extraction, Interaction
from workbench.settings import check_ranges, setting

NO_TAGS = "the model gave no valid tags"
"""The remark on a note that is kept with empty tags."""


@dataclass(frozen=True)
class LlmConfig:
    """What identifies an extraction by a language model; where the model runs does not belong to it."""

    template: str = setting(TEMPLATE, "version of the prompt and its schema")
    model: str = setting("", f"model, by the name that the service knows; empty: ${MODEL}")
    mode: Literal["sequential", "parallel"] = setting(
        "sequential",
        "sequential: each note sees all tags before it; parallel: a batch sees those before the batch",
        "TAGGRAPH 3.1 (sequential)",
    )
    batch_size: int = setting(8, "notes of a batch in parallel mode", least=1)
    max_ontology: int = setting(
        400, "known tags shown; over it, those that share words with the note, then the most used", least=0
    )
    user_chars: int = setting(6000, "characters of the user's text (in an exchange: of each speaker's) that are shown", least=1)
    assistant_chars: int = setting(1500, "characters of the assistant's text that are shown", least=0)
    max_tokens: int = setting(1024, "tokens of the longest answer", least=1)
    max_tags: int = setting(MAX_PER_CATEGORY, "tags of a category that an answer may give", least=1, most=MAX_PER_CATEGORY)
    keep_assistant_facts: bool = setting(False, "tag what only the assistant states", "TAGGRAPH 3.1, 6.2")

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.template != TEMPLATE:
            raise ValueError(f"template {self.template!r} is not known; this version asks with template {TEMPLATE!r}")


def recorded_version(config: LlmConfig) -> str:
    """Under what an extraction's outputs are recorded: the template, and a digest of all else that decides what is asked."""
    return f"{config.template}.{digest_of(asdict(replace(config, model='')))[:12]}"


class ByModel:
    """An extractor whose tags a model gives or gave.

    ``recordings`` is where outputs are kept: set it to a store's before `extract`. ``answered`` is called with each reply and the
    id of its note. ``counts`` and ``remarks`` are those of every extractor; ``counters`` is what else the latest call of
    ``extract`` came to: ``failed`` ([note id, reason]), tokens, seconds, answers that needed a second attempt, answers to another
    prompt than the one shown.
    """

    name: str
    Config: ClassVar[type[Any]] = LlmConfig

    def __init__(self, config: Any = None) -> None:
        given: LlmConfig = config or self.Config()
        self.config: LlmConfig = given if given.model else replace(given, model=Endpoint().model)
        self.recordings: Recordings = MemoryRecordings()
        self.answered: Callable[[Reply, str], None] = lambda reply, note: None
        self.remarks: dict[str, tuple[str, ...]] = {}
        self.counts, self.counters = ValidationCounts(), _no_counters()

    def asker(self) -> Asker:
        """Who answers."""
        raise NotImplementedError

    def extract(self, case: Case, interactions: Iterable[Interaction], ontology: Ontology) -> Iterator[Extraction]:
        """One extraction per interaction, in order; ``ontology`` grows as they are yielded.

        A note that the model gave no valid answer for has no tags, and its first sentence as summary; it is counted as failed.

        Raises
        ------
        MissingPart
            If no service or no model is named.
        ChatError
            If the service can't be used.
        """
        self.remarks, self.counts, self.counters = {}, ValidationCounts(), _no_counters()
        asker, config = self.asker(), self.config
        system, version = system_text(case, config.keep_assistant_facts), recorded_version(config)
        known, form = KnownTags(ontology, config.max_ontology), schema(config.max_tags)
        queue = iter(interactions)
        while batch := list(islice(queue, 1 if config.mode == "sequential" else config.batch_size)):
            shown = [interaction_text(one, case, config.user_chars, config.assistant_chars) for one in batch]
            prompts = [
                Prompt("tags", version, case.key, one.id, system, user_text(known.shown(each.text), each.text), form)
                for one, each in zip(batch, shown, strict=True)
            ]
            for one, each, asked in zip(batch, shown, asker.ask_many(prompts, read_answer), strict=True):
                self._count(one, each, asked.reply)
                self.answered(asked.reply, one.id)
                yield self._settled(one, asked, ontology)

    def _settled(self, interaction: Interaction, asked: Asked[Answer], ontology: Ontology) -> Extraction:
        if asked.value is None:
            reason = asked.reply.failure or "the reply was not valid"
            self.counters["failed"].append([interaction.id, reason])
            self.remarks[interaction.id] = (*self.remarks.get(interaction.id, ()), NO_TAGS)
            return validate({"summary": first_sentence(interaction.user or interaction.context)})[0]
        self.counts += asked.value.counts
        for path in asked.value.extraction.paths:
            ontology.add(path)
        return asked.value.extraction

    def _count(self, interaction: Interaction, shown: Shown, reply: Reply) -> None:
        if shown.remarks:
            self.remarks[interaction.id] = shown.remarks
        counters = self.counters
        counters["asked_twice"] += reply.attempts > 1
        counters["other_prompt"] += reply.other_prompt
        counters["model_seconds"] = round(counters["model_seconds"] + reply.seconds, 3)
        for name in ("tokens_in", "tokens_out"):
            count = getattr(reply, name)
            if count is not None:  # not told is not zero
                counters[name] = (counters[name] or 0) + count


def _no_counters() -> dict[str, Any]:
    return {"failed": [], "asked_twice": 0, "other_prompt": 0, "tokens_in": None, "tokens_out": None, "model_seconds": 0.0}


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer held to the schema, and what that changed."""

    extraction: Extraction
    counts: ValidationCounts


def read_answer(data: Any) -> Answer:
    """The extraction that a model's JSON is.

    Raises
    ------
    ValueError, TypeError
        If a field is missing, unknown, or of the wrong type; the message can be given back to the model.
    """
    fillers = 0
    if isinstance(data, Mapping):  # what is none, `validate` refuses
        missing = [name for name in (*CATEGORIES, "summary") if name not in data]
        if missing:
            raise ValueError(f"missing field {', '.join(missing)}; lists may be empty")
        data, fillers = without_fillers(data)
    extraction, counts = validate(data)
    return Answer(extraction, counts + ValidationCounts(dropped=fillers))


@extractors.register("llm")
class Llm(ByModel):
    """Tags by a language model of any OpenAI-compatible service (WORKBENCH_LLM_URL, _KEY, _MODEL).

    ``endpoint`` is where it is, by default as the environment says; ``retry_failed`` and ``most`` are those of `Live`. What is
    set after the first use of ``asker`` counts only with new ``recordings``.
    """

    name = "llm"

    def __init__(self, config: Any = None) -> None:
        super().__init__(config)
        self.endpoint: Endpoint | None = None
        self.retry_failed = False
        self.most: int | None = None
        self._live: Live | None = None

    def asker(self) -> Live:
        """The service: one client for all cases, which remembers how it wants to be asked."""
        if self._live is None or self._live.recordings is not self.recordings:
            endpoint = replace(self.endpoint or Endpoint(), model=self.config.model, max_tokens=self.config.max_tokens)
            self._live = Live(endpoint, self.recordings, retry_failed=self.retry_failed, most=self.most)
        return self._live
