"""Having a model write a case's entries: one prompt a window, the answers checked and put into a state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.index import utterances_of
from workbench.ariadne.written import SCHEMA, SYSTEM, TEMPLATE, Window, check_reply, windows, written_state
from workbench.chat.base import Asked, Asker, Prompt
from workbench.memory import Memory
from workbench.states import Rows, State


@dataclass(frozen=True)
class Written:
    """A case's entries, and the windows whose answer failed with the reason."""

    state: State
    windows: int
    entries: int
    failed: tuple[tuple[str, str], ...]
    answers: tuple[Asked[Rows], ...]


def prompt_of(case_key: str, window: Window) -> Prompt:
    """What is asked about a window."""
    return Prompt("entries", TEMPLATE, case_key, window.id, SYSTEM, window.user, SCHEMA)


def write_entries(
    case_key: str,
    memory: Memory,
    config: AriadneConfig,
    asker: Asker,
    progress: Callable[[Asked[Rows]], None] | None = None,
) -> Written:
    """Ask about every window of a case.

    The gate is not in front of the model here: what it drops depends on settings that may change later, so the construction
    drops an entry whose turns were all dropped (ours).

    Raises
    ------
    ChatError
        If the service can't be used.
    """
    cut = windows(utterances_of(memory, config), config.window)
    known = frozenset(turn.refs[0] for window in cut for turn in window.turns)
    prompts = [prompt_of(case_key, window) for window in cut]
    answers = asker.ask_many(prompts, lambda data: check_reply(data, known), progress)
    failed = _failed(cut, answers)
    state = written_state(memory.notes, config, [(window, asked.value) for window, asked in zip(cut, answers, strict=True)])
    return Written(state, len(cut), len(state.parts["entries"]), failed, tuple(answers))


def _failed(cut: Sequence[Window], answers: Sequence[Asked[Rows]]) -> tuple[tuple[str, str], ...]:
    pairs = zip(cut, answers, strict=True)
    return tuple((window.id, asked.reply.failure) for window, asked in pairs if asked.reply.failure is not None)
