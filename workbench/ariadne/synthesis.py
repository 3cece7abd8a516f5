"""The one call to a model that answers a question from its evidence (Eq. 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.ariadne.query import QueryTrace
from workbench.chat.base import Asker, Prompt, Reply

TEMPLATE = "ariadne 1"
"""Version of the prompt below."""

SYSTEM = """\
You answer a question from what was remembered of a conversation, and from nothing else. You are given facts by date, paths that
join facts, and updates: where F1 ⇒ F2 is marked as updated, F2 is how it is now. Answer in as few words as will do; where several
things are asked for, list them all, divided by commas; where a number is asked for, give the number. Copy times and dates as
the facts have them. Where the facts do not say it, answer "not mentioned". Say first in one sentence which facts you used."""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["reasoning", "answer"],
    "properties": {"reasoning": {"type": "string"}, "answer": {"type": "string"}},
}


@dataclass(frozen=True)
class Synthesis:
    """A model's answer. ``is_raw``: it was no valid JSON even the second time, so that the answer is all that it said."""

    answer: str
    reasoning: str
    is_raw: bool
    reply: Reply


def prompt_of(trace: QueryTrace, case_key: str, question_id: str) -> Prompt:
    """The question with its serialised evidence."""
    context = trace.context.text or "Facts: none were found."
    return Prompt("answer", TEMPLATE, case_key, question_id, SYSTEM, f"{context}\n\nQuestion: {trace.text}", SCHEMA)


def check(data: Any) -> tuple[str, str]:
    """(answer, reasoning) of a reply.

    Raises
    ------
    ValueError
        If it is no object with both as texts.
    """
    if not isinstance(data, Mapping) or not all(isinstance(data.get(name), str) for name in ("reasoning", "answer")):
        raise ValueError("the answer must be an object with the texts 'reasoning' and 'answer'")
    return data["answer"], data["reasoning"]


def synthesise(trace: QueryTrace, case_key: str, question_id: str, asker: Asker) -> Synthesis | None:
    """Ask once; None where the model gave nothing at all (the failure is recorded by the asker).

    Raises
    ------
    ChatError
        If the service can't be used.
    """
    asked = asker.ask(prompt_of(trace, case_key, question_id), check)
    if asked.value is not None:
        return Synthesis(*asked.value, False, asked.reply)
    return Synthesis(asked.reply.text, "", True, asked.reply) if asked.reply.text else None
