"""The command that says why a question's evidence was not retrieved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from workbench.commands.base import (
    DEFAULT_STORE,
    ExtractionOption,
    JsonOption,
    NearOption,
    ProfileOption,
    SetOption,
    StoreOption,
    backend,
    command,
    present,
    specs,
    split,
)
from workbench.diagnose.inquiry import Place
from workbench.diagnose.plain import diagnosis_json, search_json, tags_json
from workbench.diagnose.repair import Effect, Search, search
from workbench.diagnose.stages import Diagnosis, diagnose, sentence
from workbench.diagnose.tags import BY_SPELLING, MissingWord, TagReport, tag_report
from workbench.embed.near import near_by_meaning
from workbench.evaluate.inputs import case_input
from workbench.evaluate.runs import TABLE1
from workbench.methods.base import create, methods
from workbench.printing import table
from workbench.records import Question
from workbench.store import open_store
from workbench.words import counted


@command("diagnose", order=34)
def diagnose_command(
    case: str,
    question: Annotated[str, typer.Argument(help="A question's id, or any text together with --gold.")],
    names: Annotated[
        str | None, typer.Option("--methods", help="Comma-separated; default: the registered methods of the paper's Table 1.")
    ] = None,
    k: Annotated[int, typer.Option("--k", help="Places that count, in notes.", min=1)] = 5,
    gold: Annotated[
        str | None, typer.Option("--gold", help="Comma-separated notes or sessions that answer, in place of the question's own.")
    ] = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Search the smallest edits that bring each missed note among the first k.")
    ] = False,
    near: NearOption = "wordllama",
    extraction: ExtractionOption = None,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Say for each gold note and method where it was lost, which tags would help, and with --repair what would bring it back."""
    chosen = specs(split(names) or [name for name in TABLE1 if name in methods], profile, settings)
    with open_store(store, read_only=True) as opened:
        given = case_input(opened, case, extraction)
    memory = given.memory()
    asked = next((each for each in given.case.questions if each.id == question), None)
    if asked is None and gold is None:
        known = ", ".join(each.id for each in given.case.questions) or "none"
        raise typer.BadParameter(
            f"{given.case.key} has no question {question!r}; it has: {known}. A text of your own needs --gold"
        )
    asked = asked or Question("", question)
    made = {spec.name: create(spec.name, spec.profile, spec.overrides, memory) for spec in chosen}
    found = [diagnose(memory, asked, method, k, split(gold) or None) for method in made.values()]
    stored = [trace.note_id for trace in found[0].traces if trace.session_id is not None]
    finders = dict(BY_SPELLING)
    if near:
        finders["meaning"] = near_by_meaning(backend(near))
    reports = [tag_report(memory, note_id, asked.text, near=finders) for note_id in stored]
    searches: list[Search] = []
    if repair:
        missed = [
            note for note in stored if any(trace.note_id == note and not trace.is_found for d in found for trace in d.traces)
        ]
        searches = [search(memory, asked, note, made, k, others=given.case.questions) for note in missed]
    result = {
        "case": given.case.key,
        "question": asked.id,
        "query": asked.text,
        "methods": {name: diagnosis_json(each) for name, each in zip(made, found, strict=True)},
        "tags": [tags_json(report) for report in reports],
        "repair": [search_json(each) for each in searches] if repair else None,
    }
    present(result, to, _lines(result, found, reports, searches))


def _lines(
    result: dict[str, Any], found: Sequence[Diagnosis], reports: Sequence[TagReport], searches: Sequence[Search]
) -> Iterator[str]:
    yield f"{result['case']}: {result['query']}"
    traces = [trace for each in found for trace in each.traces]
    rows = [[each.method, each.note_id, _place(each.place), each.stage or "not available"] for each in traces]
    yield from table(["method", "gold note", "rank", "stage"], rows)
    missed = [f"{trace.note_id}: {sentence(trace)}" for trace in traces if not trace.is_found]
    yield from ["", *missed] if missed else []
    for report in reports:
        yield ""
        yield from _tag_lines(report)
    for each in searches:
        yield ""
        yield from _repair_lines(each)


def _place(place: Place | None) -> str:
    if place is None:
        return "-"
    return str(place.rank) if place.best == place.worst else f"{place.rank} ({place.best}-{place.worst})"


def _tag_lines(report: TagReport) -> Iterator[str]:
    yield f"tags of {report.note_id}: {', '.join(report.tags) or 'none'}"
    for tag in report.helpful:
        dropped = f", dropped as common: {', '.join(tag.dropped)}" if tag.dropped else ""
        yield f"  helpful  {tag.path} ({', '.join(tag.words)}{dropped})"
    for word in report.missing:
        if word.is_telling:
            places = {"user": "the user says it", "assistant": "only the assistant says it", "nowhere": "not in the note"}
            near = "".join(f"; {said}: {', '.join(found)}" for said, found in _near(word))
            yield f"  missing  {word.spoken}: {places[word.where]}{near}"


def _near(word: MissingWord) -> Iterator[tuple[str, list[str]]]:
    for way, said in (("spelling", "spelled alike"), ("meaning", "of near meaning")):
        if found := [each.path for each in word.near if each.by == way]:
            yield said, found


def _repair_lines(found: Search) -> Iterator[str]:
    tried = f"{counted(found.singles, 'single edit')} and {counted(found.pairs, 'pair')} tried"
    yield f"repair of {found.note_id} ({tried})"
    for label in found.missed:
        smallest = found.smallest(label)
        if smallest is None:
            yield f"  {label}: nothing found within the bounds"
            continue
        outcome = next(each for each in smallest.outcomes if each.method == label)
        edits = " and ".join(map(str, smallest.edits))
        yield f"  {label}: {edits} (cost {smallest.cost}): rank {_place(outcome.before)} -> {_place(outcome.after)}"
        if smallest.collateral:
            yield f"    {_collateral(smallest.collateral, label)}"


def _collateral(effects: Sequence[Effect], method: str) -> str:
    mine = [effect for effect in effects if effect.method == method]
    rise, fall = ([effect.question for effect in mine if effect.change == sign] for sign in (1, -1))
    return f"other questions: {len(rise)} rise, {len(fall)} fall" + (f" ({', '.join(fall)})" if fall else "")
