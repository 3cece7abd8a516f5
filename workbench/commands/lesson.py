"""The command that writes one question as a lesson: a single HTML file for a class."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.commands.base import (
    DEFAULT_STORE,
    ExtractionOption,
    JsonOption,
    ProfileOption,
    SetOption,
    StoreOption,
    command,
    present,
    specs,
)
from workbench.errors import WorkbenchError
from workbench.evaluate.inputs import case_input
from workbench.methods.base import create
from workbench.records import Question
from workbench.store import open_store
from workbench.ui.lesson import lesson
from workbench.ui.lesson_html import lesson_html
from workbench.words import counted


@command("lesson", order=33)
def lesson_command(
    case: str,
    question: Annotated[str, typer.Argument(help="A question's id, or any text.")],
    out: Annotated[Path, typer.Option("--out", help="The HTML file to write.")] = Path("lesson.html"),
    extraction: ExtractionOption = None,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Write one question as a lesson: graph, steps, ranks, attribution and notes in one HTML file that works offline."""
    (spec,) = specs(["adaptive"], profile, settings)
    with open_store(store, read_only=True) as opened:
        given = case_input(opened, case, extraction, ())
    asked = next((each for each in given.case.questions if each.id == question), Question("", question))
    made = lesson(given.case, asked, given.memory(), create(spec.name, spec.profile, spec.overrides).config)
    page = lesson_html(made)
    try:
        out.write_text(page, encoding="utf-8")
    except OSError as error:
        raise WorkbenchError(f"{out} can't be written: {error.strerror}") from error
    size, steps = out.stat().st_size, made.frames[-1].iteration
    result = {"case": made.case, "question": asked.id or None, "file": str(out), "bytes": size}
    result |= {"steps": steps, "nodes": len(made.nodes), "notes": len(made.notes)}
    counts = ", ".join([counted(len(made.nodes), "node"), counted(steps, "step"), counted(len(made.notes), "note")])
    present(result, to, [f"{out}: {counts}, {size / 1e6:.2f} MB; opens from disk, with the network off"])
