"""Readers of single things: run files, notes, settings, relations, a model's replies, labels."""

from __future__ import annotations

import dataclasses
import json
import random
from datetime import datetime, timedelta
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import typer
import yaml

from fuzz import mutations
from fuzz.loaders import cases
from fuzz.subjects import Outcome, Subject, promise
from workbench.chat.parsing import json_in
from workbench.commands.base import specs
from workbench.errors import WorkbenchError
from workbench.evaluate.run_files.base import formats
from workbench.evaluate.run_files.collect import collect
from workbench.evaluate.run_files.names import History, Questions, question_name
from workbench.extract.llm import read_answer
from workbench.labels.exchange import import_labels
from workbench.methods.base import methods
from workbench.notes import from_markdown, interactions, is_note, to_markdown
from workbench.real.relations import SHIPPED, relations
from workbench.records import CATEGORIES, Extraction, Interaction, Note, Turn
from workbench.store import Label, open_labels

# Run files ----------------------------------------------------------------------------------------------------------------

RUN_FILES = ("trec", "qrels", "json", "json scores", "json methods", "csv", "csv semicolon")


@cache
def _named() -> tuple[Questions, dict[str, History]]:
    histories = {case.key: History.of({one.id: one.session_id for one in interactions(case)}) for case in cases()}
    return Questions((case.key, question.id) for case in cases() for question in case.questions), histories


def _rows(rng: random.Random) -> list[tuple[str, str, int, float]]:
    """(query, id, rank, score), with ties and some unknown names."""
    rows = []
    for case in cases():
        notes = [one.id for one in interactions(case)]
        for question in case.questions[:2]:
            for rank, note in enumerate(rng.sample(notes, min(5, len(notes))), 1):
                rows.append(
                    (question_name(case.key, question.id), note.replace(" ", "_"), rank, round(9 / rank, rng.randint(0, 4)))
                )
    return rows


def _make_run_file(kind: str, rng: random.Random, folder: Path) -> Path:
    rows = _rows(rng)
    by_query: dict[str, dict[str, float]] = {}
    for query, doc, _, score in rows:
        by_query.setdefault(query, {})[doc] = score
    match kind:
        case "trec":
            content = "\n".join(f"{query} Q0 {doc} {rank} {score} tag" for query, doc, rank, score in rows)
        case "qrels":
            content = "\n".join(f"{query} 0 {doc} {rank % 3}" for query, doc, rank, _ in rows)
        case "csv" | "csv semicolon":
            comma = "," if kind == "csv" else ";"
            table = [("query", "doc_id", "rank", "score", "method"), *((*row, "mine") for row in rows)]
            content = "\n".join(comma.join(f'"{cell}"' if rng.random() < 0.1 else str(cell) for cell in row) for row in table)
        case _:
            whole: object = by_query if kind == "json scores" else {query: list(docs) for query, docs in by_query.items()}
            whole = {"bm25": whole, "mine": whole} if kind == "json methods" else whole
            for _ in range(rng.choice((0, 1, 2))):
                whole = mutations.value(rng, whole)
            content = json.dumps(whole, ensure_ascii=False, indent=rng.choice((None, 1)))
    for _ in range(rng.choice((0, 1, 2, 4))):
        content = mutations.text(rng, content)
    data = content.encode("utf-8", "surrogatepass")
    if rng.random() < 0.3:
        data = mutations.data(rng, data)
    path = folder / "run.txt"
    path.write_bytes(data)
    return path


def _check_run_file(kind: str, rng: random.Random, path: Path) -> Outcome:
    questions, histories = _named()
    holds = "judgements" if kind == "qrels" else "rankings"
    try:
        rows = list(formats[kind.split()[0]].read(path))
    except WorkbenchError:
        rows = None
    try:
        found = collect(path, holds, questions, histories)
    except WorkbenchError as error:
        promise(str(error).isprintable(), f"an error is one printable line: {str(error)!r}")
        return "refused"
    accounts = found.accounts
    promise(accounts.kept + accounts.repaired + accounts.quarantined == accounts.rows, f"every row is accounted for: {accounts}")
    if rows is not None and found.format == kind.split()[0]:
        promise(accounts.rows == len(rows), f"every row is counted: {accounts.rows} of {len(rows)}")
    for by_question in found.rankings.values():
        for ranked in by_question.values():
            promise(len({one.id for one in ranked}) == len(ranked), "no id comes twice in a ranking")
            promise(all(a.key >= b.key for a, b in pairwise(ranked)), "a ranking is in the order of its keys")
    for one in accounts.findings:
        promise(f"{one.position}{one.reason}".isprintable(), f"a finding is printable: {one!r}")
    return "mended" if accounts.repaired + accounts.quarantined else "read"


# Notes --------------------------------------------------------------------------------------------------------------------


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def _made_note(rng: random.Random) -> Note:
    """A note of hostile texts."""

    def said(least: int = 0) -> str:
        pieces = (*mutations.HOSTILE, "tomato", "##", "\n", "## User", "\\## User", "---", "# x", ": ", "- ", " ")
        words = [rng.choice(pieces) for _ in range(4)]
        return _storable("".join(words[rng.randint(0, 4 - least) :])) or "x" * least

    turns = tuple(
        Turn(rng.choice(("user", "assistant")), said(), speaker=said(), ref=said(), caption=said())
        for _ in range(rng.randint(1, 3))
    )
    has_user = [turn.role == "user" for turn in turns]
    if True in has_user and has_user[0] is False and rng.random() < 0.5:
        turns = tuple(reversed(turns))
    time = datetime(2024, 1, 1) + timedelta(seconds=rng.randrange(10**9)) if rng.random() < 0.7 else None
    tags = {category: tuple(said(1) for _ in range(rng.randint(0, 3))) for category in CATEGORIES}
    one = Interaction(said(1), said(1), turns, rng.randint(-5, 10**6), rng.randint(1, 10**6), time, said())
    return Note(one, Extraction(summary=said(), **tags))


def _make_note(rng: random.Random, folder: Path) -> Path:
    content = to_markdown(_made_note(rng))
    for _ in range(rng.choice((0, 0, 1, 2, 4))):
        content = mutations.text(rng, content)
    path = folder / "note.md"
    path.write_bytes(content.encode("utf-8", "replace"))
    return path


def _check_note(rng: random.Random, path: Path) -> Outcome:
    made = _made_note(rng)
    promise(from_markdown(to_markdown(made)) == made, f"a note reads back equal: {made!r:.300}")
    text = path.read_bytes().decode("utf-8")
    is_note(text)
    try:
        found = from_markdown(text)
    except WorkbenchError as error:
        promise(str(error).isprintable(), f"an error is one printable line: {str(error)!r}")
        return "refused"
    promise(from_markdown(to_markdown(found)) == found, f"what was read reads back equal: {found!r:.300}")
    return "read"


# Settings, relations, replies, labels -------------------------------------------------------------------------------------


def _make_settings(rng: random.Random, folder: Path) -> Path:
    name = rng.choice(list(methods))
    fields = [field.name for field in dataclasses.fields(methods[name].Config)] or ["none"]
    given = rng.choice(("0", "1", "0.5", "true", "none", "a,b", "1e400", "-1", "1_0", " 3 ", *mutations.HOSTILE))
    said = f"{name}.{rng.choice(fields)}={given}"
    path = folder / "settings.txt"
    path.write_text(
        (mutations.text(rng, said) if rng.random() < 0.5 else said).encode("utf-8", "replace").decode(), encoding="utf-8"
    )
    return path


def _check_settings(rng: random.Random, path: Path) -> Outcome:
    given = path.read_text(encoding="utf-8")
    try:
        specs([given.partition(".")[0]], rng.choice(("default", "literal")), [given])
    except (typer.BadParameter, WorkbenchError):
        return "refused"
    return "read"


def _make_relations(rng: random.Random, folder: Path) -> Path:
    found: Any = dict(rng.sample(list(yaml.safe_load(SHIPPED.read_text(encoding="utf-8")).items()), 5))
    for _ in range(rng.choice((0, 1, 1, 2))):
        found = mutations.value(rng, found)
    content = yaml.safe_dump(found, allow_unicode=True, sort_keys=False)
    for _ in range(rng.choice((0, 0, 1, 2))):
        content = mutations.text(rng, content)
    data = content.encode("utf-8", "surrogatepass")
    path = folder / "relations.yaml"
    path.write_bytes(mutations.data(rng, data) if rng.random() < 0.3 else data)
    return path


def _check_relations(rng: random.Random, path: Path) -> Outcome:
    try:
        found = relations(str(path))
    except WorkbenchError as error:
        promise(str(path) in str(error), f"an error names the file: {error}")
        return "refused"
    for name in found.by_name:
        found.kinds(name)
    found.of_verb("live", "in")
    promise(all(isinstance(word, str) for word in found.by_word), "words are texts")
    return "read"


def _make_reply(rng: random.Random, folder: Path) -> Path:
    reply = {category: ["food/cake", "person/ada"] for category in CATEGORIES} | {"summary": "Ada baked a cake."}
    for _ in range(rng.choice((0, 1, 2, 3))):
        reply = mutations.value(rng, reply)
    content = rng.choice(("", "<think>{}</think>", "Here it is:\n```json\n", "{" * 60)) + json.dumps(reply)
    path = folder / "reply.txt"
    path.write_bytes((mutations.text(rng, content) if rng.random() < 0.6 else content).encode("utf-8", "replace"))
    return path


def _check_reply(rng: random.Random, path: Path) -> Outcome:
    try:
        answer = read_answer(json_in(path.read_bytes().decode("utf-8")))
    except (ValueError, TypeError) as error:
        promise(bool(str(error)), "the reason can be given back to the model")
        return "refused"
    promise(all(path.count("/") <= 2 for path in answer.extraction.paths), "tags are paths")
    return "read"


def _make_labels(rng: random.Random, folder: Path) -> Path:
    columns = [field.name for field in dataclasses.fields(Label)]
    rows = [
        {name: f"{name} {number}" for name in columns} | {"created": f"2024-05-0{number}T18:30", "status": "open"}
        for number in range(1, 4)
    ]
    ending = rng.choice(("csv", "json", "parquet", "json"))
    if ending == "csv":
        content = "\n".join([",".join(columns), *(",".join(row.values()) for row in rows)])
    else:
        content = "\n".join(json.dumps(mutations.value(rng, row) if rng.random() < 0.3 else row) for row in rows)
    for _ in range(rng.choice((0, 1, 2))):
        content = mutations.text(rng, content)
    data = content.encode("utf-8", "surrogatepass")
    path = folder / f"labels.{ending}"
    path.write_bytes(mutations.data(rng, data) if rng.random() < 0.4 else data)
    return path


def _check_labels(rng: random.Random, path: Path) -> Outcome:
    with open_labels(path.with_name("store.duckdb")) as labels:
        try:
            import_labels(labels, path)
        except WorkbenchError:
            promise(not labels.history(), "labels are added all or none")
            return "refused"
    return "read"


SUBJECTS = (
    *(Subject(f"run file {kind}", 3, partial(_make_run_file, kind), partial(_check_run_file, kind)) for kind in RUN_FILES),
    Subject("Markdown note", 10, _make_note, _check_note),
    Subject("settings", 4, _make_settings, _check_settings),
    Subject("relations", 4, _make_relations, _check_relations),
    Subject("model reply", 4, _make_reply, _check_reply),
    Subject("labels", 2, _make_labels, _check_labels),
)
