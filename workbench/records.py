"""The plain records that pass between stages: turns, sessions, questions, cases, notes and hits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

Role = Literal["user", "assistant"]
Unit = Literal["round", "exchange", "passage"]
CATEGORIES = ("who", "what", "when", "where", "why", "extra")


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance.

    ``ref`` is the benchmark's own id of the turn (LongMemEval ``session:index``, LoCoMo ``D1:3``), unique in its case.
    ``caption`` describes a shared picture: it is part of the note's text, but no tag is extracted from it.
    """

    role: Role
    text: str
    speaker: str = ""
    ref: str = ""
    caption: str = ""

    @property
    def full_text(self) -> str:
        """The utterance with its picture caption, as it is indexed and shown."""
        return f"{self.text}\n[image: {self.caption}]" if self.caption else self.text


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation in one sitting. ``time`` is None where the source gives no calendar date (``time_text`` keeps its words)."""

    id: str
    turns: tuple[Turn, ...]
    position: int
    time: datetime | None = None
    time_text: str = ""


@dataclass(frozen=True, slots=True)
class Interaction:
    """One user-assistant round (TAGGRAPH 3.1): the atomic unit that is stored and returned.

    ``id`` is ``<session>#<round>``. Assistant turns in front of the first user turn are its context.
    """

    id: str
    session_id: str
    turns: tuple[Turn, ...]
    position: int
    round: int
    time: datetime | None = None
    time_text: str = ""

    @property
    def order(self) -> tuple[datetime, int, int]:
        """The order key (session time, session position in the file, round); undated sessions come before dated ones."""
        return (self.time or datetime.min, self.position, self.round)

    def _split(self) -> int:
        """Index of the first user turn; the number of turns where there is none."""
        return next((i for i, turn in enumerate(self.turns) if turn.role == "user"), len(self.turns))

    @property
    def context(self) -> str:
        """Assistant text that came before the user's turn."""
        return "\n\n".join(turn.full_text for turn in self.turns[: self._split()])

    @property
    def user(self) -> str:
        """What the user (in an exchange: the first speaker) said."""
        return "\n\n".join(turn.full_text for turn in self.turns if turn.role == "user")

    @property
    def assistant(self) -> str:
        """What was answered (in an exchange: by the other speaker)."""
        return "\n\n".join(turn.full_text for turn in self.turns[self._split() :] if turn.role == "assistant")


@dataclass(frozen=True)
class Extraction:
    """The 5W+Extra tags of one interaction, each list ordered by salience, and a short summary (TAGGRAPH 3.1)."""

    who: tuple[str, ...] = ()
    what: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    summary: str = ""

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Every (category, path), categories in the order of CATEGORIES."""
        for category in CATEGORIES:
            for path in getattr(self, category):
                yield category, path

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Distinct tag paths over all categories, first occurrence first."""
        return tuple(dict.fromkeys(path for _, path in self.pairs()))


@dataclass(frozen=True, slots=True)
class Note:
    """An interaction with its extraction: what is retrieved, shown and exported."""

    interaction: Interaction
    extraction: Extraction = Extraction()

    @property
    def id(self) -> str:
        return self.interaction.id

    @property
    def session_id(self) -> str:
        return self.interaction.session_id

    @property
    def order(self) -> tuple[datetime, int, int]:
        return self.interaction.order


@dataclass(frozen=True, slots=True)
class Gold:
    """What answers a question, in the benchmark's own unit; more than one field may be given.

    ``sessions``: session ids. ``turns``: turn refs. ``notes``: note ids (passages, own questions).
    ``substrings``: texts that a relevant note contains (ATANT), compared without regard to case.
    ``grades``: how well some of the notes answer, as (note id, 1 to 3); the others have grade 1.
    """

    sessions: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    substrings: tuple[str, ...] = ()
    grades: tuple[tuple[str, int], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sessions or self.turns or self.notes or self.substrings)

    @property
    def grade_by_note(self) -> dict[str, int]:
        """The grade of every note in ``notes``."""
        return dict.fromkeys(self.notes, 1) | dict(self.grades)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its expected answer and gold. ``remarks`` are what the loader had to say of it."""

    id: str
    text: str
    answer: str | None = None
    type: str = ""
    gold: Gold = Gold()
    time: datetime | None = None
    time_text: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """A history with its questions. Its key is ``benchmark/id``.

    ``notes`` is set only where the source brings finished notes with their own tags (extractor ``given``); ``sessions`` then
    holds the same turns. ``participants`` are speaker names, which are no topics and no attributes.
    """

    benchmark: str
    id: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...] = ()
    unit: Unit = "round"
    title: str = ""
    participants: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.benchmark}/{self.id}"


Level = Literal["repaired", "quarantined"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a loader mended (``repaired``) or set aside (``quarantined``), with where it stands in the file.

    ``position`` is a JSON-path-like place (``[3].qa[17].evidence``) or ``line 12``. ``is_record`` tells a whole top-level record
    that was set aside from a part of one that was kept.
    """

    file: str
    position: str
    level: Level
    reason: str
    is_record: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """A case read from a file, how many top-level records it was made of, and what was found on the way.

    ``kept`` counts records taken as they are, ``repaired`` those taken with a change: for one case a file both are 1 and 0, or 0
    and 1; where many lines or files make one case, they count these.
    """

    case: Case
    findings: tuple[Finding, ...] = ()
    kept: int = 1
    repaired: int = 0
    position: str = ""
    """Where the record stands in its file; empty where the whole file is the case."""


@dataclass(frozen=True, slots=True)
class Part:
    """One addend of a score.

    ``kind`` says what it is (``term``, ``distance``, ``overlap``, ``seed`` ...), ``name`` of what, ``value`` how much
    of the score. ``detail`` holds plain JSON values: idf, tf, matched words.
    """

    kind: str
    name: str
    value: float
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Why:
    """Why a note has its score: parts that sum to it, the graph path that reached it, and remarks on the query."""

    parts: tuple[Part, ...] = ()
    path: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """The sum of the parts: the hit's score."""
        return sum(part.value for part in self.parts)


@dataclass(frozen=True)
class Hit:
    """A ranked note. ``rank`` counts from 1; ``why`` is worked out when it is first asked for.

    Hits with the same ``block`` have equal scores: their order is the tie rule's.
    """

    note_id: str
    session_id: str
    rank: int
    score: float
    block: int = 0
    explain: Callable[[], Why] = field(repr=False, compare=False, default=Why)

    @cached_property
    def why(self) -> Why:
        return self.explain()


@dataclass(frozen=True)
class Ranking:
    """The answer to a query.

    ``candidates`` is how many notes had a score above nothing, before the cut at ``k``; ``remarks`` say why a ranking is empty or
    what the method did to the query; ``tiers`` counts candidates by graph distance, for methods that have one.
    """

    query: str
    method: str
    hits: tuple[Hit, ...] = ()
    candidates: int = 0
    remarks: tuple[str, ...] = ()
    tiers: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One method's ranking for one question of a run.

    ``note_ids`` and ``scores`` run in rank order to the depth the run kept. ``measures`` maps a measure's name to its value,
    or to None where it is not available (never 0 in its place). ``session_ids`` are the de-duplicated sessions in rank order;
    where an imported run ranks sessions, there are no ``note_ids``, and the scores are theirs.
    """

    case: str
    question: str
    type: str
    method: str
    note_ids: tuple[str, ...]
    scores: tuple[float, ...]
    session_ids: tuple[str, ...]
    candidates: int
    measures: Mapping[str, float | None]
    headline: bool
    """Whether the question counts in the benchmark's headline set; others appear by type only."""
    remarks: tuple[str, ...] = ()


RunKind = Literal["evaluation", "ablation", "sweep", "import"]


@dataclass(frozen=True)
class Run:
    """An immutable evaluation: what was run on what, and every question's rankings.

    ``config`` maps a method to its configuration fields. ``excluded`` maps a reason to how many questions it left out.
    ``seconds`` maps a method to the time of building its index from the store plus all queries, ``building`` to the part of it
    that is not queries; both are empty for an import.
    ``kind`` tells evaluations from ablations and sweeps, whose "methods" are arms: ``points`` maps an arm's label to what it
    stands for, such as ``{"method": "adaptive", "distractors": 3, "seed": 1}``.
    """

    id: str
    created: datetime
    benchmark: str
    extraction: Mapping[str, Any]
    config: Mapping[str, Mapping[str, Any]]
    data_digest: str
    code_version: str
    environment: Mapping[str, str]
    excluded: Mapping[str, int]
    seconds: Mapping[str, float]
    results: tuple[QuestionResult, ...]
    name: str = ""
    kind: RunKind = "evaluation"
    points: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    building: Mapping[str, float] = field(default_factory=dict)
