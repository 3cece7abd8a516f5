"""The commands about embeddings: working vectors out beforehand, and the backends there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

from workbench.commands.base import (
    DEFAULT_STORE,
    BenchmarkOption,
    CasesOption,
    ExtractionOption,
    JsonOption,
    StoreOption,
    backend,
    chosen_cases,
    command,
    present,
    split,
)
from workbench.embed.base import Embedder, embedders
from workbench.embed.vectors import VectorSet, text_digest
from workbench.errors import WorkbenchError
from workbench.evaluate.embedding import GIVE_UP, Embedded, embed_texts, texts_of
from workbench.evaluate.inputs import case_input, common_extraction
from workbench.printing import table
from workbench.store import ExtractionRow, open_store
from workbench.words import counted

WAIT_SECONDS = 60.0
"""How long a batch waits for its turn to be stored."""


@command("embed", order=13)
def embed(
    benchmark: BenchmarkOption = None,
    case_names: CasesOption = None,
    named: Annotated[str, typer.Option("--backend", help="Embedding backend, or backend:model.")] = "wordllama",
    extraction: ExtractionOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Work out the vectors that dense and openclaw need and store them, batch by batch; those that are there are kept."""
    source = backend(named)
    with open_store(store, read_only=True) as opened:
        keys = chosen_cases(opened, benchmark, split(case_names))
        row = common_extraction(opened, keys, extraction)
    found: dict[str, Embedded] = {}
    failures = 0
    with tqdm(total=len(keys), unit=" cases", disable=None) as bar:
        for key in keys:
            found[key] = _embed_case(store, key, row, source, failures)
            failures = found[key].failures
            bar.update(1)
            bar.set_postfix(texts=sum(len(each.new.rows) for each in found.values()))
    present(_result(source, found), to, _lines(source, found))
    if any(each.failed for each in found.values()):
        raise WorkbenchError(
            f"{sum(each.skipped + sum(batch.texts for batch in each.failed) for each in found.values()):,} texts got no vector: "
            "mend the service and give the same command again, which goes on with what is missing"
        )


def _embed_case(path: Path, key: str, extraction: ExtractionRow, source: Embedder, failures: int) -> Embedded:
    """One case; the store is open for moments only, so that others get in between."""
    with open_store(path, read_only=True) as opened:
        given = case_input(opened, key, extraction.key, ())
        texts = texts_of(given.notes, given.case.questions)
        known = opened.vectors.get(source.name, source.model, [text_digest(text) for text in texts])

    def keep(batch: VectorSet) -> None:
        with open_store(path, wait_seconds=WAIT_SECONDS) as opened:
            opened.vectors.put(key, [batch])

    found = embed_texts(texts, source, known, failures, keep)
    if known.rows:
        with open_store(path, wait_seconds=WAIT_SECONDS) as opened:
            opened.vectors.link(key, list(known.rows))
    return found


def _result(source: Embedder, found: dict[str, Embedded]) -> dict[str, Any]:
    failed = [{"case": key} | asdict(batch) for key, each in found.items() for batch in each.failed]
    return {
        "backend": source.name,
        "model": source.model,
        "dimension": source.dimension,
        "cases": len(found),
        "texts": sum(each.texts for each in found.values()),
        "known": sum(each.known for each in found.values()),
        "new": sum(len(each.new.rows) for each in found.values()),
        "failed": failed,
        "skipped": sum(each.skipped for each in found.values()),
    }


def _lines(source: Embedder, found: dict[str, Embedded]) -> Iterator[str]:
    result = _result(source, found)
    yield (
        f"{counted(result['cases'], 'case')}, {counted(result['texts'], 'text')}: {result['new']:,} embedded now with "
        f"{source.name}:{source.model}, {result['known']:,} had a vector"
    )
    for each in result["failed"]:
        yield f"{each['case']}, batch {each['batch']} ({counted(each['texts'], 'text')}): {each['reason']}"
    if result["skipped"]:
        yield f"{counted(result['skipped'], 'text')} not tried after {GIVE_UP} failures in a row"


@command("embedders", order=86)
def list_embedders(to: JsonOption = None) -> None:
    """List the embedding backends."""
    rows = [{"name": name, "help": (each.__doc__ or "").strip().splitlines()[0]} for name, each in embedders.items()]
    present(rows, to, table(["name", "what it is"], [list(row.values()) for row in rows]))
