"""Commands for questions of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.commands.base import DEFAULT_STORE, JsonOption, StoreOption, command, present, split
from workbench.own_questions import add_question, export_questions
from workbench.store import open_store
from workbench.words import counted


@command("ask", order=35)
def ask(
    set_name: Annotated[str, typer.Argument(help="The set the question belongs to, a benchmark of your own.", metavar="SET")],
    case: str,
    text: Annotated[str, typer.Argument(help="The question.")],
    gold: Annotated[str, typer.Option("--gold", help="Comma-separated notes that answer it.")] = "",
    grades: Annotated[
        list[str] | None,
        typer.Option("--grade", help="How well a note answers: NOTE=1, 2 or 3; repeatable.", metavar="NOTE=GRADE"),
    ] = None,
    answer: Annotated[str | None, typer.Option("--answer", help="The expected answer.")] = None,
    type: Annotated[str, typer.Option("--type", help="A type of question, for tables by type.")] = "",
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Save a question of your own on a case, with the notes that answer it; sets of them are evaluated like a benchmark."""
    notes = split(gold)
    graded = dict.fromkeys(notes, 1) | _grades(grades or ())
    with open_store(store) as opened:
        found = add_question(opened, case, set_name, text, graded if grades else notes, answer=answer, type=type)
        count = opened.own_questions.sets()[set_name]
    lines = [f"saved as question {found.question} of {found.case}", f"{set_name} has {counted(count, 'question')} now"]
    present({"case": found.case, "question": found.question, "questions": count}, to, lines)


def _grades(texts: list[str] | tuple[str, ...]) -> dict[str, int]:
    """``NOTE=GRADE`` texts; wrong usage where one does not read like that."""
    found = {}
    for text in texts:
        note, equals, grade = text.rpartition("=")
        if not (equals and note.strip() and grade.strip().isdecimal()):
            raise typer.BadParameter(f"--grade {text!r} does not read NOTE=1, 2 or 3")
        found[note.strip()] = int(grade)
    return found


@command("export-questions", order=63)
def export_questions_command(
    set_name: Annotated[str, typer.Argument(help="A set of own questions.", metavar="SET")],
    out: Annotated[Path, typer.Option("--out", help="The JSON-lines file.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write a set of own questions with its cases as JSON lines that load again as the same benchmark."""
    with open_store(store, read_only=True) as opened:
        cases, questions = export_questions(opened, set_name, out)
    print(f"{counted(cases, 'case')} with {counted(questions, 'question')} written to {out}")
