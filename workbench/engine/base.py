"""What engines share: tasks, what they came to, and errors that name the task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from workbench.errors import WorkbenchError

T = TypeVar("T")
R = TypeVar("R")
Progress = Callable[[int, str], None]
"""Called after every finished task with how many are done and the name of this one."""


class TaskFailed(WorkbenchError):
    """A task raised something unexpected, or its process died; the message names the task, ``__cause__`` is the error."""


@dataclass(frozen=True, slots=True)
class Task(Generic[T]):
    """What a function is to be called with, under a name that messages and progress use."""

    name: str
    argument: T


@dataclass(frozen=True, slots=True)
class Done(Generic[R]):
    """A finished task's name and result."""

    name: str
    result: R


def named(task: str, error: BaseException) -> WorkbenchError:
    """The error as one that names the task; our own types are kept, since callers tell them apart."""
    if isinstance(error, WorkbenchError):
        return type(error)(f"{task}: {error}")
    return TaskFailed(f"{task}: {type(error).__name__}: {error}")
