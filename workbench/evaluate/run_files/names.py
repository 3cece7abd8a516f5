"""What the rows of a run file name: questions of a benchmark, and the notes or sessions of their histories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.datasets.mending import shown

QuestionKey = tuple[str, str]
"""(case key, question id)."""


def outside(name: str) -> str:
    """A name as files have it: blanks as underscores, since TREC columns end at blanks.

    Examples
    --------
    >>> outside("locomo/conv 26/q 1")
    'locomo/conv_26/q_1'
    """
    return "_".join(name.split())


def question_name(case_key: str, question_id: str) -> str:
    """A question's name outside: ``benchmark/case/question``."""
    return outside(f"{case_key}/{question_id}")


@dataclass(frozen=True)
class History:
    """The ids of one case by their names outside. ``session_of`` maps a note's id to its session's.

    An id whose name outside is that of another one too can't be told from it, and is in neither mapping.
    """

    notes: Mapping[str, str]
    sessions: Mapping[str, str]
    session_of: Mapping[str, str]

    @classmethod
    def of(cls, session_of: Mapping[str, str], sessions: Iterable[str] = ()) -> History:
        """The history of notes, given each one's session; ``sessions`` may name further ones, which have no note."""
        return cls(_by_name(session_of), _by_name(dict.fromkeys((*session_of.values(), *sessions))), session_of)


def _by_name(ids: Iterable[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for id_ in ids:
        found.setdefault(outside(id_), []).append(id_)
    return {name: same[0] for name, same in found.items() if len(same) == 1}


class Questions:
    """The questions of some cases of one benchmark by the names that files give them."""

    def __init__(self, keys: Iterable[QuestionKey]) -> None:
        self._named: dict[str, list[QuestionKey]] = {}
        for case_key, question_id in keys:
            for name in dict.fromkeys((question_name(case_key, question_id), outside(question_id))):
                self._named.setdefault(name, []).append((case_key, question_id))

    def find(self, name: str) -> QuestionKey | str:
        """The question that ``benchmark/case/question``, or a bare id that is unique, stands for; else why there is none."""
        found = self._named.get(name) or self._named.get(outside(name)) or []
        if len(found) == 1:
            return found[0]
        if found:
            some = ", ".join(shown(question_name(*key)) for key in found[:2])
            return f"{shown(name)} is the id of {len(found)} questions, such as {some}: name the case too"
        return f"no question {shown(name)}"
