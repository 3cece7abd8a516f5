"""One question as a lesson: the diffusion step by step, the first notes at each step, and what brought each note its score.

Plain values, as `workbench.ui.lesson_html` writes them into a file for a class. What is drawn is chosen as on the page Diffusion.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.evaluate.relevance import relevance
from workbench.memory import Memory
from workbench.methods.adaptive import AdaptiveConfig, Spread
from workbench.methods.base import Words
from workbench.records import Case, Note, Question
from workbench.spread import SpreadTrace, attribution, trace
from workbench.ui.diffusion_view import TOP, frames, kind_of, masses_of, name_of, part_of, shown_nodes, unit_radius
from workbench.ui.graph_details import drawable
from workbench.ui.graph_layout import BOX_WIDTH, layered
from workbench.ui.titles import short_title, when
from workbench.words import visible

MOST_NODES = 50
"""Nodes that are drawn (ours), as on the page Diffusion."""
DIGITS = 6
"""Significant digits of a mass in the file: more than an area can show (ours)."""
PLACES = ("First", "Second to fifth", "Sixth to tenth", "Below the first ten, or not ranked")


@dataclass(frozen=True, slots=True)
class Node:
    """A drawn node. ``x``, ``y``: its middle, ``width``: that of its box, in canvas units. ``seed``: its share of the start."""

    id: str
    kind: str
    label: str
    name: str
    x: float
    y: float
    width: float
    seed: float
    is_gold: bool


@dataclass(frozen=True, slots=True)
class Edge:
    """A drawn edge, by the places of its ends among the nodes."""

    source: int
    target: int
    kind: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """A note among the first ones of a step."""

    note: str
    is_tied: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """A step. ``mass`` has one value a drawn node, ``hidden`` is the mass of all others; ``residual`` is None at the start.

    ``gold_rank`` is the best rank of a gold note among ``ranked``; None where none is ranked or there is no gold.
    """

    iteration: int
    mass: tuple[float, ...]
    hidden: float
    residual: float | None
    teleport: float
    top: tuple[Ranked, ...]
    gold_rank: int | None
    ranked: int


@dataclass(frozen=True, slots=True)
class Brought:
    """A part of a score: what brought it, and by which words of the question or over which kind of edge."""

    name: str
    detail: str
    value: float


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a note."""

    speaker: str
    text: str
    is_evidence: bool


@dataclass(frozen=True, slots=True)
class LessonNote:
    """A note to read. ``seeds`` sum to ``score``, and so do ``edges`` with what restarted on the note itself."""

    id: str
    title: str
    when: str
    is_gold: bool
    turns: tuple[Said, ...]
    tags: tuple[tuple[str, str], ...]
    score: float
    seeds: tuple[Brought, ...]
    edges: tuple[Brought, ...]


@dataclass(frozen=True, slots=True)
class Predict:
    """What a class is asked before the first step; ``answer`` is the place of the right option, as computed."""

    asked: str
    options: tuple[str, ...]
    answer: int


@dataclass(frozen=True, slots=True)
class Lesson:
    """All that the file shows of one question.

    ``unit_radius`` is the radius that stands for a mass of 1; ``nodes_in_case`` counts those that are not drawn as well;
    ``events`` are (iteration, text), ``captions`` (text, x, y).
    """

    case: str
    question: str
    answer: str
    alpha: float
    remarks: tuple[str, ...]
    nodes_in_case: int
    unit_radius: float
    captions: tuple[tuple[str, float, float], ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    frames: tuple[Frame, ...]
    events: tuple[tuple[int, str], ...]
    notes: tuple[LessonNote, ...]
    predict: Predict


def lesson(
    case: Case, question: Question, memory: Memory, config: AdaptiveConfig | None = None, muted: Collection[str] = ()
) -> Lesson:
    """The lesson of a question over a memory of its case.

    Parameters
    ----------
    case : Case
    question : Question
        Need not be one of the case's own; its gold is marked where it has any.
    memory : Memory
        The notes of one extraction.
    config : AdaptiveConfig, optional
        Of the diffusion; the default settings where none is given.
    muted : collection of str
        Seeds that are switched off, by node id.

    Raises
    ------
    WorkbenchError
        If nothing of the question is in the case, so that nothing spreads.
    """
    config = config or AdaptiveConfig()
    traced = trace(Spread.of(memory, question.text, config, muted))
    if not traced.spread.seeds.mass.any():
        reasons = "; ".join(traced.spread.seeds.remarks) or "the query holds no word"
        raise WorkbenchError(
            f"nothing of the question is in {case.key}, so there is nothing to show ({reasons}): ask in other words"
        )
    gold = relevance(question, memory.notes).notes
    events = traced.events(gold)
    iterations = frames(len(traced.steps) - 1, [event.iteration for event in events])
    ids = shown_nodes(traced, gold, MOST_NODES)
    part = part_of(drawable(memory), ids, config.edge_weights)
    place, start = layered(part), masses_of(traced, [0], ids)[0]
    nodes = tuple(
        Node(
            node,
            kind_of(node),
            visible(str(part.nodes[node]["label"])),
            name_of(node, memory),
            round(place.positions[node][0], 1),
            round(place.positions[node][1], 1),
            BOX_WIDTH[kind_of(node)],
            _rounded(start[node]),
            node.removeprefix("file:") in gold,
        )
        for node in ids
    )
    number = {node: at for at, node in enumerate(ids)}
    pairs = {tuple(sorted((number[a], number[b]))): kind for a, b, kind in part.edges(data="kind")}
    shown = tuple(_frames(traced, iterations, ids, gold))
    return Lesson(
        case.key,
        visible(question.text),
        visible(question.answer or ""),
        traced.trace_alpha,
        traced.spread.seeds.remarks,
        traced.spread.graph.n_nodes,
        unit_radius(traced, ids),
        tuple((caption.text, caption.x, caption.y) for caption in place.captions),
        nodes,
        tuple(Edge(a, b, kind) for (a, b), kind in sorted(pairs.items())),
        shown,
        tuple((event.iteration, event.text) for event in events),
        tuple(_note(traced, memory, note, question, gold) for note in _read(memory, ids, shown, gold)),
        _predict(traced, memory, gold),
    )


def _frames(traced: SpreadTrace, iterations: Sequence[int], ids: Sequence[str], gold: Collection[str]) -> Iterator[Frame]:
    for at, mass in zip(iterations, masses_of(traced, iterations, ids), strict=True):
        ranked, step = traced.ranks[at], traced.steps[at]
        top = tuple(
            Ranked(note, ranked.blocks.count(block) > 1)
            for note, block in zip(ranked.notes[:TOP], ranked.blocks[:TOP], strict=True)
        )
        values = tuple(_rounded(mass[node]) for node in ids)
        hidden = max(0.0, 1 - sum(mass.values()))
        residual = None if at == 0 else step.residual
        yield Frame(at, values, hidden, residual, traced.teleport(at), top, ranked.first_of(gold), len(ranked.notes))


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _read(memory: Memory, ids: Sequence[str], shown: Sequence[Frame], gold: Collection[str]) -> list[str]:
    """Ids of the notes that can be opened: gold, those that are drawn, and all that are ever among the first; in time order."""
    wanted = {*gold, *(node.removeprefix("file:") for node in ids), *(each.note for frame in shown for each in frame.top)}
    return [note.id for note in memory.notes if note.id in wanted]


def _note(traced: SpreadTrace, memory: Memory, note_id: str, question: Question, gold: Collection[str]) -> LessonNote:
    note, found = memory[note_id], attribution(traced.spread, note_id, walks=0)
    spoken = Words(question.text, memory, traced.spread.config).query.spoken
    seeds = tuple(
        Brought(_called(part.node, note_id, memory), ", ".join(spoken.get(word, word) for word in part.words), part.value)
        for part in found.seeds
    )
    edges = [Brought(name_of(part.source, memory), part.kind.replace("_", " to "), part.value) for part in found.edges]
    if found.restart:
        edges.append(Brought("restart", "on the note itself", found.restart))
    edges.sort(key=lambda part: -part.value)
    return LessonNote(
        note_id,
        short_title(note),
        when(note),
        note_id in gold,
        tuple(_turns(note, question, note_id in gold)),
        tuple((category, visible(path)) for category, path in note.extraction.pairs()),
        found.score,
        seeds,
        tuple(edges),
    )


def _called(node: str, note_id: str, memory: Memory) -> str:
    """What a seed is called beside a note: its own text, another note's, or a tag."""
    if node == f"file:{note_id}":
        return "own text"
    return f"text of: {name_of(node, memory)}" if kind_of(node) == "file" else f"tag {name_of(node, memory)}"


def _turns(note: Note, question: Question, is_gold: bool) -> Iterator[Said]:
    expected = [text.casefold() for text in question.gold.substrings]
    for turn in note.interaction.turns:
        holds = turn.ref in question.gold.turns if turn.ref else False
        holds = holds or any(text in turn.full_text.casefold() for text in expected)
        yield Said(visible(turn.speaker or turn.role), visible(turn.full_text), is_gold and holds)


def _predict(traced: SpreadTrace, memory: Memory, gold: Collection[str]) -> Predict:
    """With gold: where it ends; without: which note comes first in the end."""
    first, last = traced.ranks[0].notes, traced.ranks[-1].notes
    if gold:
        rank = traced.ranks[-1].first_of(gold)
        at = 3 if rank is None or rank > TOP else 0 if rank == 1 else 1 if rank <= 5 else 2
        return Predict("Where does the note that answers stand in the end?", PLACES, at)
    offered = sorted({*first[:3], *last[:1]}, key=lambda note: memory[note].order)
    return Predict(
        "Which note comes first in the end?", tuple(short_title(memory[note]) for note in offered), offered.index(last[0])
    )
