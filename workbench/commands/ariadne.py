"""The command that shows AriadneMem at work: what its construction decided, and a question step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from workbench.ariadne.config import AriadneConfig
from workbench.ariadne.index import construction_of
from workbench.ariadne.query import ask
from workbench.ariadne.synthesis import Synthesis, synthesise
from workbench.ariadne.telling import construction_json, trace_json
from workbench.chat.asking import Live
from workbench.chat.base import Endpoint
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
from workbench.evaluate.inputs import case_input
from workbench.methods.base import create
from workbench.methods.dense import has_word
from workbench.printing import table
from workbench.store import open_store
from workbench.store.recorder import WAIT_SECONDS, StoredRecordings
from workbench.words import counted


@command("ariadne", order=35)
def ariadne(
    case: str,
    question: Annotated[str | None, typer.Argument(help="A question's id, or any text; left out: the decisions alone.")] = None,
    is_answered: Annotated[bool, typer.Option("--answer", help="Let the configured model answer from the evidence.")] = False,
    extraction: ExtractionOption = None,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Show what AriadneMem kept, dropped, merged and linked of a case, and for a question its terminals, bridges and paths."""
    (spec,) = specs(["ariadne"], profile, settings)
    config: AriadneConfig = create(spec.name, spec.profile, spec.overrides).config
    with open_store(store, read_only=True) as opened:
        given = case_input(opened, case, extraction)
    memory = given.memory()
    asked = next((each for each in given.case.questions if each.id == question), None)
    text = asked.text if asked else question
    if text is not None and not has_word(text):
        raise typer.BadParameter(f"the question {text!r} holds no word")
    result: dict[str, Any] = {"case": given.case.key} | construction_json(construction_of(memory, config), config)
    answer: Synthesis | None = None
    if text is not None:
        trace = ask(text, memory, config)
        result |= {"question": asked.id if asked else None, "trace": trace_json(trace)}
        if is_answered:
            asker = Live(Endpoint(), StoredRecordings(store))
            answer = synthesise(trace, given.case.key, asked.id if asked else text, asker)
            result["answer"] = None if answer is None else {"answer": answer.answer, "reasoning": answer.reasoning}
    if memory.states.fresh:
        with open_store(store, wait_seconds=WAIT_SECONDS) as opened:
            opened.states.put(given.case.key, memory.states.fresh)
            opened.vectors.put(given.case.key, memory.vectors.fresh)
    present(result, to, _lines(result, question is not None))


def _lines(result: dict[str, Any], is_asked: bool) -> Iterator[str]:
    yield f"{result['case']}: " + ", ".join(f"{name} {count:,}" for name, count in result["counts"].items())
    bounds = result["bounds"]
    yield f"a turn repeats an entry above cosine {bounds['gate']:g}; entries merge or link above {bounds['coarsen']:g}"
    yield from _updates(result["updates"])
    if not is_asked:
        yield from _decisions(result)
        return
    yield ""
    yield from _trace(result["trace"])
    if result.get("answer"):
        yield ""
        yield f"answer: {result['answer']['answer']}"
        yield f"because: {result['answer']['reasoning']}"


def _updates(updates: list[dict[str, Any]]) -> Iterator[str]:
    for each in updates:
        yield f"updated: {', '.join(each['old'])} -> {', '.join(each['new'])}  ({each['from']} -> {each['to']})"


def _decisions(result: dict[str, Any]) -> Iterator[str]:
    """Turns and entries about which there was something to decide; the JSON has all."""
    head = ["turn", "gate", "match", "cosine", "hours", "rule", "text"]
    gate = [
        [each["turn"], each["action"], each["match"], each["similarity"], each["gap_hours"], each["rule"], each["text"]]
        for each in result["gate"]
        if each["similarity"] is not None and each["similarity"] > result["bounds"]["gate"]
    ]
    yield ""
    yield from table(head, gate)
    head = ["entry", "action", "match", "cosine", "overlap", "hours", "rule", "edge", "text"]
    coarsening = [
        [
            *(each[name] for name in ("turn", "action", "match", "similarity", "overlap", "gap_hours", "rule", "edge")),
            each["text"],
        ]
        for each in result["coarsening"]
        if each["action"] in ("merged", "linked")
    ]
    yield ""
    yield from table(head, coarsening)


def _trace(trace: dict[str, Any]) -> Iterator[str]:
    yield trace["query"]
    yield from (f"note: {remark}" for remark in trace["remarks"])
    head = ["entry", "role", "relevance", "cosine", "bm25", "dense place", "keyword place", "text"]
    names = ("entry", "role", "relevance", "cosine", "bm25", "place_dense", "place_keyword", "text")
    yield from table(head, [[each[name] for name in names] for each in trace["kept"]])
    if trace["cut"]:
        yield f"cut by the budget: {', '.join(each['entry'] for each in trace['cut'])}"
    yield f"{counted(len(trace['components']), 'component')} of {counted(len(trace['terminals']), 'terminal')}"
    for step in trace["bridges"]:
        if step["bridge"]:
            yield f"  bridge {step['bridge']} between {' and '.join(step['ends'])}, {step['gap_hours']:.0f} h apart"
    for reason, count in Counter(step["reason"] for step in trace["bridges"] if not step["bridge"]).items():
        yield f"  no bridge between {counted(count, 'pair')}: {reason}"
    paths = trace["paths"]
    yield f"{counted(paths['count'], 'path')}" + ("" if paths["is_exact"] else ", of which only the best were looked at")
    yield ""
    yield f"context of about {trace['tokens']:,} tokens:"
    yield trace["context"]
