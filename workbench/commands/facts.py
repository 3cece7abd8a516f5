"""The command that makes and lists the facts of a case: by rules, by a language model, or from its recorded answers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

from workbench.chat.asking import Live, Replay
from workbench.chat.base import MODEL, Asked, Asker, Endpoint
from workbench.commands.base import DEFAULT_STORE, ExtractionOption, JsonOption, StoreOption, command, present
from workbench.errors import WorkbenchError
from workbench.evaluate.inputs import case_input
from workbench.memory import Memory
from workbench.real.asking import Told, ask_facts
from workbench.real.case_facts import KIND, facts_key, facts_of, keep_facts, registry_of
from workbench.real.config import FactsConfig
from workbench.real.facts import Fact, to_row
from workbench.real.intervals import Edge, timeline
from workbench.real.relations import readable
from workbench.real.serialise import interval_text
from workbench.states import state_digest
from workbench.store import open_store
from workbench.store.recorder import StoredRecordings
from workbench.words import counted, visible

EXTRACTORS = ("rules", "llm", "replay")
WAIT_SECONDS = 60.0
"""How long the facts wait for their turn to be stored."""
SHOWN_FAILURES = 10
DEFAULTS = FactsConfig()


@command("facts", order=34)
def facts(
    case: str,
    head: Annotated[str | None, typer.Option("--head", help="Only facts about this person, place or thing.")] = None,
    relation: Annotated[str | None, typer.Option("--relation", help="Only facts of this relation, such as lives_in.")] = None,
    name: Annotated[str, typer.Option("--extractor", help="Who reads the facts: rules, llm or replay.")] = "rules",
    model: Annotated[str, typer.Option("--model", help=f"Language model of llm and replay; default: ${MODEL}.")] = "",
    relations_file: Annotated[str, typer.Option("--relations", help="YAML file of further relations.")] = "",
    stable: Annotated[float, typer.Option("--stable", min=0.0, max=1.0, help="Confidence that closes an interval.")] = 0.5,
    known_at: Annotated[datetime | None, typer.Option("--known-at", help="Only what had been said by then.")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask again for the notes that failed.")] = False,
    extraction: ExtractionOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """List the facts of a case with their validity, as `real` searches them; those that are missing are made and stored.

    By a language model (WORKBENCH_LLM_URL, _KEY, _MODEL) answers are recorded as they come: given again, the command goes on.
    """
    if name not in EXTRACTORS:
        raise typer.BadParameter(f"no extractor {name!r} of facts; known: {', '.join(EXTRACTORS)}")
    model = (model or os.environ.get(MODEL, "")) if name != "rules" else ""
    if name != "rules" and not model:
        raise typer.BadParameter(f"{name} needs a model: give --model or set {MODEL}")
    config = FactsConfig("rules" if name == "rules" else "llm", model, relations_file)
    with open_store(store, read_only=True) as opened:
        given = case_input(opened, case, extraction, ())
    memory, failed = given.memory(), dict[str, str]()
    if name != "rules":
        asker = _asker(name, model, store, retry_failed)
        failed = _ask(memory, config, asker, given.case.key)
    found = facts_of(memory, config)
    if memory.states.fresh:
        with open_store(store, wait_seconds=WAIT_SECONDS) as opened:
            opened.states.put(given.case.key, memory.states.fresh)
    chosen = [fact for fact in found if _fits(fact, head, relation)]
    edges = timeline(chosen, registry_of(config), stable, known_at)
    result = {
        "case": given.case.key,
        "extractor": name,
        "model": model or None,
        "notes": len(memory.notes),
        "notes_without": len({note.id for note in memory.notes} - {fact.note for fact in found}),
        "single_valued": sum(registry_of(config)[fact.relation].is_single for fact in chosen),
        "facts": [to_row(fact) for fact in chosen],
        "edges": [_edge_row(edge) for edge in edges],
        "failed": [{"note": note, "reason": reason} for note, reason in failed.items()],
    }
    present(result, to, _lines(result, edges))
    if failed and len(failed) == len(memory.notes):
        raise WorkbenchError(f"no note got facts: {next(iter(failed.values()))}")


def _asker(name: str, model: str, store: Path, retry_failed: bool) -> Asker:
    recordings = StoredRecordings(store)
    if name == "replay":
        return Replay(model, recordings)
    return Live(Endpoint(model=model), recordings, retry_failed=retry_failed)


def _ask(memory: Memory, config: FactsConfig, asker: Asker, case_key: str) -> dict[str, str]:
    """Make the facts of the notes that have none; of a note that failed an empty list is kept, and the reason is reported."""
    key = facts_key(config, memory.participants)
    missing = [note for note in memory.notes if not _has_facts(memory, state_digest([note], key))]
    with tqdm(total=len(missing), unit=" notes", disable=None) as bar:

        def advance(_: Asked[list[Told]]) -> None:
            bar.update(1)

        made, failed = ask_facts(asker, case_key, missing, registry_of(config), advance)
    keep_facts(memory, config, made | {note: [] for note in failed})
    return failed


def _has_facts(memory: Memory, digest: str) -> bool:
    """Whether a note's facts are there; none may stand for a failure, and recorded answers cost nothing."""
    state = memory.states.get(KIND, digest)
    return state is not None and bool(state.parts["rows"])


def _fits(fact: Fact, head: str | None, relation: str | None) -> bool:
    named = head is None or head.casefold() in (fact.head.casefold(), fact.tail.casefold())
    return named and relation in (None, fact.relation)


def _edge_row(edge: Edge) -> dict[str, Any]:
    head, tail = edge.names
    return {
        "head": head,
        "relation": edge.relation,
        "preposition": edge.preposition,
        "tail": tail,
        "start": edge.start.isoformat() if edge.start else None,
        "end": edge.end.isoformat() if edge.end else None,
        "confidence": edge.confidence,
        "intent": edge.intent,
        "aspect": edge.aspect,
        "status": edge.status,
        "facts": [fact.id for fact in edge.facts],
        "retraction": edge.retraction.id if edge.retraction else None,
    }


def _lines(result: dict[str, Any], edges: list[Edge]) -> Iterator[str]:
    """Timelines, one head and relation after another."""
    yield (
        f"{result['case']}: {counted(len(result['facts']), 'fact')} by {result['model'] or result['extractor']}; "
        f"{result['notes_without']:,} of {counted(result['notes'], 'note')} have none"
    )
    yield f"{result['single_valued']:,} are of relations with one value at a time: only these close one another's intervals"
    shown: tuple[str, str] | None = None
    for edge in edges:
        if (edge.head, edge.relation) != shown:
            shown = edge.head, edge.relation
            yield visible(f"{edge.names[0]} {readable(edge.relation)}")
        mark = "" if edge.status == "stable" else f", {edge.status}"
        closed = ", taken back" if edge.retraction else ""
        sources = ", ".join(dict.fromkeys(note for note, _ in edge.refs))
        preposition = f"{edge.preposition} " if edge.preposition else ""
        told = f"c={edge.confidence:.2f}, {edge.intent}{mark}{closed}"
        yield visible(f"  {interval_text(edge):24} {preposition}{edge.names[1]} ({told}) [{sources}]")
    if result["failed"]:
        yield f"{counted(len(result['failed']), 'note')} without valid facts (ask again with --retry-failed):"
    for each in result["failed"][:SHOWN_FAILURES]:
        yield f"  {each['note']}: {visible(each['reason'])}"
