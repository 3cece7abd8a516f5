"""Raw interactions as Markdown, cut into overlapping chunks the way OpenClaw's memory does (spec 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.records import Interaction

CHARS_PER_TOKEN = 4
LEAST_CHARS = 32


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a text with its first and last line, counted from 1."""

    text: str
    first: int
    last: int


def raw_markdown(interaction: Interaction) -> str:
    """What was said, turn by turn, each under its speaker's name; nothing that an extractor made of it (layout ours).

    Empty where nothing was said.
    """
    said = [(turn.speaker or turn.role.capitalize(), turn.full_text) for turn in interaction.turns]
    return "\n\n".join(f"{speaker}: {text}" for speaker, text in said if text.strip())


def chunks(text: str, tokens: int = 400, overlap: int = 80) -> list[Chunk]:
    """Cut a text at line ends.

    A token counts 4 characters, so that a chunk has up to 1,600 and shares about 320 with the one before it. A line costs its
    length and 1; one that is longer than a chunk is cut into pieces. Of a full chunk the last lines are carried on until they
    have reached the overlap; a long line is carried whole, and the chunk after it may then be longer than the limit. That is
    the rule of OpenClaw's versions up to spring 2026, later ones carry less.

    Parameters
    ----------
    text : str
        Without any text there is no chunk.
    tokens, overlap : int
        Size of a chunk and of what two of them share.

    Examples
    --------
    >>> [(each.first, each.last) for each in chunks("one\\ntwo\\nthree", tokens=1)]
    [(1, 3)]
    """
    if not text.strip():
        return []
    limit = max(LEAST_CHARS, CHARS_PER_TOKEN * tokens)
    found: list[Chunk] = []
    current: list[tuple[int, str]] = []
    size = 0
    for number, piece in _pieces(text, limit):
        cost = len(piece) + 1
        if current and size + cost > limit:
            found.append(_chunk(current))
            current = _carried(current, CHARS_PER_TOKEN * overlap)
            size = sum(len(line) + 1 for _, line in current)
        current.append((number, piece))
        size += cost
    return [*found, _chunk(current)]


def _pieces(text: str, limit: int) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, those above the limit in pieces."""
    for number, line in enumerate(text.split("\n"), 1):
        for start in range(0, max(len(line), 1), limit):
            yield number, line[start : start + limit]


def _carried(lines: list[tuple[int, str]], overlap: int) -> list[tuple[int, str]]:
    """The last lines, as many as it takes to reach the overlap."""
    if overlap <= 0:
        return []
    carried = 0
    for at in range(len(lines) - 1, -1, -1):
        carried += len(lines[at][1]) + 1
        if carried >= overlap:
            return lines[at:]
    return list(lines)


def _chunk(lines: list[tuple[int, str]]) -> Chunk:
    return Chunk("\n".join(line for _, line in lines), lines[0][0], lines[-1][0])


def chunk_texts(interactions: Iterable[Interaction]) -> list[str]:
    """The texts of all chunks of some interactions, as `openclaw` embeds them by default."""
    return [chunk.text for one in interactions for chunk in chunks(raw_markdown(one))]
