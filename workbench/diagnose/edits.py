"""Edits: small changes of tags, which make a copy of the notes, and changes of one setting of a method.

Costs are ours. They follow how far an edit reaches: one tag of one note, then a tag of several notes, then a setting that every
query of the method feels; and among added tags, how well the note's text supports them: one that it does not says what nobody
said, though it may be another word for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, get_args

from workbench.extract.schema import MAX_PER_CATEGORY, MAX_PER_NOTE, normalise_path
from workbench.records import CATEGORIES, Extraction, Note

COSTS = {
    "add, said by the user": 1,
    "add, said by the assistant": 2,
    "add, not in the note's text": 4,
    "drop from one note": 2,
    "merge into another tag": 3,
    "drop from all notes": 4,
    "unfilter a word": 5,
    "change a setting": 6,
}
"""What an edit costs, by its kind; a pair costs the sum."""


@dataclass(frozen=True, slots=True)
class AddTag:
    """Add a tag to a note, as the least salient of its category."""

    kind: ClassVar[str] = "add"
    note_id: str
    path: str
    category: str = "what"

    def __post_init__(self) -> None:
        if self.category not in CATEGORIES:
            raise ValueError(f"category is {self.category!r}; known: {', '.join(CATEGORIES)}")
        if normalise_path(self.path) != self.path:
            raise ValueError(f"{self.path!r} is no tag path as they are stored; near to it: {normalise_path(self.path)!r}")

    def __str__(self) -> str:
        return f"add {self.path} to {self.note_id} ({self.category})"


@dataclass(frozen=True, slots=True)
class DropTag:
    """Drop a tag from a note, or from every note where none is named."""

    kind: ClassVar[str] = "drop"
    path: str
    note_id: str | None = None

    def __str__(self) -> str:
        return f"drop {self.path} from {self.note_id or 'every note'}"


@dataclass(frozen=True, slots=True)
class MergeTag:
    """Write another tag in the place of one, in every note."""

    kind: ClassVar[str] = "merge"
    path: str
    into: str

    def __str__(self) -> str:
        return f"merge {self.path} into {self.into}"


@dataclass(frozen=True, slots=True)
class SetField:
    """Give one field of a method's configuration another value. ``word``: the query word that this lets pass the filter."""

    kind: ClassVar[str] = "set"
    method: str
    field: str
    value: Any
    word: str = ""

    def __str__(self) -> str:
        value = str(self.value).lower() if isinstance(self.value, bool) else self.value
        return f"set {self.method}.{self.field}={value}" + (f" (lets {self.word!r} pass)" if self.word else "")


TagEdit = AddTag | DropTag | MergeTag
Edit = TagEdit | SetField
_KINDS: dict[str, type[Any]] = {kind.kind: kind for kind in get_args(Edit)}


def apply(edits: TagEdit | Sequence[TagEdit], notes: Iterable[Note]) -> tuple[Note, ...]:
    """The notes with the edits made one after the other; notes that no edit touches are the same objects.

    Raises
    ------
    ValueError
        If an edit changes nothing: the note or the tag is not there, the tag is there already, or the note has no room for it.
    """
    edited, idle = _applied((edits,) if isinstance(edits, TagEdit) else edits, notes)
    if idle is not None:
        raise ValueError(f"{idle}: this changes nothing in these {len(edited)} notes")
    return edited


def can_apply(edits: Sequence[TagEdit], notes: Iterable[Note]) -> bool:
    """Whether each of the edits changes something, made one after the other."""
    return _applied(edits, notes)[1] is None


def _applied(edits: Sequence[TagEdit], notes: Iterable[Note]) -> tuple[tuple[Note, ...], TagEdit | None]:
    """The edited notes, and the edit that changed nothing, where there was one."""
    edited = tuple(notes)
    for edit in edits:
        before, edited = edited, tuple(_apply(edit, note) for note in edited)
        if all(old is new for old, new in zip(before, edited, strict=True)):
            return edited, edit
    return edited, None


def changed(edits: TagEdit | Sequence[TagEdit], notes: Sequence[Note]) -> dict[str, Note]:
    """The notes that `apply` makes anew, by id."""
    return {new.id: new for old, new in zip(notes, apply(edits, notes), strict=True) if new is not old}


def _apply(edit: TagEdit, note: Note) -> Note:
    if isinstance(edit, AddTag):
        return _with(note, edit) if note.id == edit.note_id else note
    if edit.path not in note.extraction.paths or (isinstance(edit, DropTag) and edit.note_id not in (None, note.id)):
        return note
    into = edit.into if isinstance(edit, MergeTag) else None
    return replace(note, extraction=_rewritten(note.extraction, edit.path, into))


def _with(note: Note, edit: AddTag) -> Note:
    held: tuple[str, ...] = getattr(note.extraction, edit.category)
    if edit.path in note.extraction.paths or not has_room(note, edit.category):
        return note
    return replace(note, extraction=_replaced(note.extraction, {edit.category: (*held, edit.path)}))


def has_room(note: Note, category: str) -> bool:
    """Whether the schema lets a note have one more tag of a category."""
    count = sum(1 for _ in note.extraction.pairs())
    return len(getattr(note.extraction, category)) < MAX_PER_CATEGORY and count < MAX_PER_NOTE


def _rewritten(extraction: Extraction, path: str, into: str | None) -> Extraction:
    """Every category without a path, or with another in its place."""
    tags = {category: getattr(extraction, category) for category in CATEGORIES}
    swapped = {
        category: tuple(dict.fromkeys(new for old in paths if (new := into if old == path else old) is not None))
        for category, paths in tags.items()
    }
    return _replaced(extraction, swapped)


def _replaced(extraction: Extraction, tags: Mapping[str, tuple[str, ...]]) -> Extraction:
    return Extraction(
        **{category: getattr(extraction, category) for category in CATEGORIES} | dict(tags), summary=extraction.summary
    )


# As plain values ----------------------------------------------------------------------------------------------------------


def to_plain(edit: Edit) -> dict[str, Any]:
    """An edit as plain JSON values, which `from_plain` reads back."""
    return {"kind": edit.kind, **asdict(edit)}


def from_plain(values: Mapping[str, Any]) -> Edit:
    """The edit that `to_plain` wrote.

    Raises
    ------
    ValueError
        For an unknown kind or other fields than the kind has.
    """
    fields = dict(values)
    kind = fields.pop("kind", None)
    if kind not in _KINDS:
        raise ValueError(f"an edit of kind {kind!r} is unknown; known: {', '.join(_KINDS)}")
    try:
        edit: Edit = _KINDS[kind](**fields)
    except TypeError as error:
        raise ValueError(f"an edit of kind {kind!r} does not have the fields {', '.join(fields)}: {error}") from error
    return edit
