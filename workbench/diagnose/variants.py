"""Variants: an extraction with edits, kept in the store beside the one it was made from, which stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from workbench.diagnose.edits import TagEdit, apply, changed, to_plain
from workbench.errors import StoreError
from workbench.store import EDITED, Choice, ExtractionKey, ExtractionRow, Store


def keep(
    store: Store, case_key: str, edits: Sequence[TagEdit], name: str, *, base: Choice = None, now: datetime | None = None
) -> ExtractionRow:
    """Apply edits of tags to a copy of an extraction and store it as a named variant.

    The variant's extractor is the base's with ``+edits``; its configuration holds the name, the base and the edits, so that it
    can be made again. Keeping the same edits under the same name again changes nothing.

    Parameters
    ----------
    store : Store
        Open for writing.
    edits : sequence of AddTag, DropTag or MergeTag
        A changed setting is no property of an extraction: it belongs to a method's configuration.
    name : str
        What the variant is called, on the command line as ``--extraction NAME``.
    base : Choice
        The extraction that is copied; a variant may be edited further.

    Raises
    ------
    KeyError
        If the case or the base is not stored.
    ValueError
        If there is no edit or no name, an edit is no edit of tags or changes nothing, or the name is taken by other edits.
    StoreError
        If the store can't be written, or another version of the workbench stored the case.
    """
    if not edits or not name:
        raise ValueError(f"a variant needs a name and at least one edit; got {name!r} and {len(edits)} edits")
    others = [edit for edit in edits if not isinstance(edit, TagEdit)]
    if others:
        raise ValueError(f"{others[0]}: a variant holds edits of tags; settings belong to a method's configuration")
    case = store.cases.get(case_key)
    chosen = store.extractions.choose(case.key, base)
    notes = store.notes.get(case.key, chosen.id)
    key = ExtractionKey(
        chosen.extractor.removesuffix(EDITED) + EDITED,
        {
            "name": name,
            "base": {"extractor": chosen.extractor, "config": dict(chosen.config)},
            "edits": [to_plain(edit) for edit in edits],
        },
    )
    taken = [
        row for row in store.extractions.list(case.key) if row.key != key and name in (row.variant, row.extractor, str(row.id))
    ]
    if taken:
        raise ValueError(f"{name!r} is the name of another extraction of {case.key} (id {taken[0].id}): choose another name")
    counters = {"edited_notes": len(changed(edits, notes))}
    if store.cases.add(case, apply(edits, notes), key, counters=counters, now=now) == "conflict":
        raise StoreError(f"{case.key} was stored by a version that made another digest of it: remove it and load it again")
    return store.extractions.choose(case.key, key)
