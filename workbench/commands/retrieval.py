"""Commands that answer one query: a ranking with its reasons, a diffusion step by step, dilution over questions."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from workbench.commands.base import (
    DEFAULT_STORE,
    BenchmarkOption,
    CasesOption,
    ExtractionOption,
    JsonOption,
    ProfileOption,
    SetOption,
    StoreOption,
    chosen_cases,
    command,
    present,
    specs,
    split,
)
from workbench.evaluate.dilution import correlations, dilution
from workbench.evaluate.inputs import case_input, case_inputs, common_extraction
from workbench.evaluate.relevance import relevance
from workbench.methods.adaptive import Spread
from workbench.methods.base import create
from workbench.printing import diffusion_lines, interval, ranking_lines, table, why_json
from workbench.spread import spread_json, trace
from workbench.store import open_store


@command("query", order=31)
def query(
    case: str,
    text: str,
    method: Annotated[str, typer.Option("--method", help="Retrieval method.")],
    k: Annotated[int, typer.Option("--k", help="Hits to show.", min=1)] = 10,
    extraction: ExtractionOption = None,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Rank a case's notes for a text, with the why of each hit."""
    (spec,) = specs([method], profile, settings)
    with open_store(store, read_only=True) as opened:
        given = case_input(opened, case, extraction)
    ranking = create(spec.name, spec.profile, spec.overrides, given.memory()).query(text, k)
    result = {
        "case": given.case.key,
        "query": text,
        "method": method,
        "candidates": ranking.candidates,
        "remarks": list(ranking.remarks),
        "hits": [
            {"rank": hit.rank, "note": hit.note_id, "session": hit.session_id, "score": hit.score, "why": why_json(hit.why)}
            for hit in ranking.hits
        ],
    }
    present(result, to, ranking_lines(ranking))


@command("diffuse", order=32)
def diffuse(
    case: str,
    question: Annotated[str, typer.Argument(help="A question's id, or any text.")],
    extraction: ExtractionOption = None,
    k: Annotated[int, typer.Option("--k", help="Files whose attribution is shown.", min=1)] = 10,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Step through AdaptiveGraph's diffusion for a question: mass, ranks, events, measures, attribution of the first files."""
    (spec,) = specs(["adaptive"], profile, settings)
    with open_store(store, read_only=True) as opened:
        given = case_input(opened, case, extraction)
    asked = next((each for each in given.case.questions if each.id == question), None)
    memory = given.memory()
    spread = Spread.of(memory, asked.text if asked else question, create(spec.name, spec.profile, spec.overrides).config)
    gold = relevance(asked, memory.notes).notes if asked else frozenset()
    result = {"case": given.case.key, "query": asked.text if asked else question, "gold": sorted(gold)}
    result |= spread_json(trace(spread), gold, k)
    present(result, to, diffusion_lines(result))


@command("dilution", order=33)
def dilution_command(
    benchmark: BenchmarkOption = None,
    case_names: CasesOption = None,
    extraction: ExtractionOption = None,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Measure how concentrated diffusion leaves the mass, question by question, against the rank change it causes."""
    (spec,) = specs(["adaptive"], profile, settings)
    config = create(spec.name, spec.profile, spec.overrides).config
    with open_store(store, read_only=True) as opened:
        keys = chosen_cases(opened, benchmark, split(case_names))
        row = common_extraction(opened, keys, extraction)
    rows = dilution(case_inputs(store, keys, row.key), config)
    found = correlations(rows)
    result = {"questions": [asdict(row) for row in rows], "correlations": [asdict(each) for each in found]}
    better, worse = (sum(sign * row.rr_change > 0 for row in rows) for sign in (1, -1))
    lines = [
        f"{len(rows)} questions: diffusion lifts the first gold note in {better} and lowers it in {worse}",
        "Spearman correlation with the change of the reciprocal rank [95%]:",
        *table(["measure", "n", "rho"], [[each.measure, each.n, interval(each.rho, each.interval)] for each in found]),
    ]
    present(result, to, lines)
