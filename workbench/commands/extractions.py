"""Commands that compare extractions, and that rewrite one as a variant: near-duplicates merged, unsupported tags dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

from workbench.commands.base import (
    DEFAULT_STORE,
    BenchmarkOption,
    CasesOption,
    EngineOption,
    ExchangeOption,
    ExtractionOption,
    JsonOption,
    MeasureOption,
    NearOption,
    ProfileOption,
    SchedulerOption,
    SetOption,
    StoreOption,
    advances,
    backend,
    chosen_cases,
    command,
    present,
    specs,
    split,
    workers_of,
)
from workbench.compare_extractions.comparison import compare, comparison_json, known_sources, near_duplicates
from workbench.compare_extractions.matrix import Matrix, matrix_json, matrix_of, run_matrix
from workbench.compare_extractions.printing import change_lines, comparison_lines, matrix_lines, near_lines
from workbench.compare_extractions.sources import Source, choose, shared_cases
from workbench.diagnose.merging import plan, preview
from workbench.diagnose.rewriting import DropUnsupported, Rewriting, Rewritten, rewrite
from workbench.engine import Progress, Workers
from workbench.evaluate.inputs import common_extraction
from workbench.evaluate.judging import MEASURES
from workbench.evaluate.runs import MethodSpec
from workbench.store import open_store
from workbench.words import counted

GRAPHS = "tag_stopwords,tag_tfidf,adaptive"
"""Methods by which a rewritten extraction is measured where none are named: those that come in by tags (ours)."""
UnitOption = Annotated[bool, typer.Option("--by-case", help="In tests each case counts once, by its mean.")]
VariantOption = Annotated[str, typer.Option("--name", help="Keep the variant under this name; without it nothing is written.")]
MethodsOption = Annotated[
    str, typer.Option("--methods", help="Comma-separated methods that measure the change; an empty text: none.")
]


@command("extractions", order=47)
def extractions(
    names: Annotated[
        str | None, typer.Option("--extractions", help="Comma-separated; default: all that extractors made, without variants.")
    ] = None,
    method_names: Annotated[
        str | None, typer.Option("--methods", help="Comma-separated methods to run under each extraction; default: none.")
    ] = None,
    benchmark: BenchmarkOption = None,
    case_names: CasesOption = None,
    near: NearOption = None,
    measure: MeasureOption = "mrr",
    is_by_case: UnitOption = False,
    engine: EngineOption = "inline",
    scheduler: SchedulerOption = None,
    exchange: ExchangeOption = None,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """Compare extractions of the same cases: vocabulary, notes, blind spots, support by the text, and what they do to MRR."""
    workers, meaning = workers_of(engine, scheduler, exchange), _meaning(near)
    arms = specs(split(method_names), profile, settings)
    _check_measure(measure)
    keys = _cases(store, benchmark, case_names)
    known = known_sources(store, keys)
    chosen = choose(known, split(names)) if names else tuple(each for each in known if each.row.variant is None)
    with _bar(len(shared_cases(chosen, keys))) as progress:
        found = compare(store, keys, chosen, meaning=meaning, workers=workers, progress=progress)
    matrix = _matrix(store, keys, chosen, arms, measure, is_by_case, workers)
    result = comparison_json(found) | {"matrix": matrix_json(matrix) if matrix else None}
    present(result, to, [*comparison_lines(found), *(["", *matrix_lines(matrix)] if matrix else [])])


@command("merge-tags", order=48)
def merge_tags(
    pairs: Annotated[
        list[str] | None, typer.Option("--pair", help="Two tags to make one, repeatable.", metavar="TAG=TAG")
    ] = None,
    least: Annotated[
        float | None, typer.Option("--least", help="Merge all near-duplicates of at least this likeness.", min=0, max=100)
    ] = None,
    name: VariantOption = "",
    method_names: MethodsOption = GRAPHS,
    benchmark: BenchmarkOption = None,
    case_names: CasesOption = None,
    extraction: ExtractionOption = None,
    near: NearOption = None,
    measure: MeasureOption = "mrr",
    is_by_case: UnitOption = False,
    engine: EngineOption = "inline",
    scheduler: SchedulerOption = None,
    exchange: ExchangeOption = None,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """List an extraction's near-duplicate tags, or merge some of them into a named variant and measure the change.

    Of merged tags the one is kept that most notes carry.
    """
    workers, meaning = workers_of(engine, scheduler, exchange), _meaning(near)
    arms = specs(split(method_names), profile, settings)
    _check_measure(measure)
    keys = _cases(store, benchmark, case_names)
    source = _source(store, keys, extraction)
    with _bar(len(keys)) as progress:
        found, uses = near_duplicates(store, keys, source, meaning=meaning, workers=workers, progress=progress)
    wanted = [_pair(text) for text in pairs or ()]
    wanted += [(row.kept, row.dropped) for row in found if least is not None and row.score >= least]
    result: dict[str, Any] = {"extraction": source.label, "cases": keys, "near": [asdict(row) for row in found], "plan": None}
    lines = near_lines(source.label, found)
    if name and not wanted:
        raise typer.BadParameter(f"--name {name!r}: nothing to merge; give --pair TAG=TAG or --least SCORE")
    if wanted:
        merging = plan(wanted, uses)
        shown = preview(merging, uses)
        result["plan"] = asdict(shown)
        lines = [
            *(f"{each.dropped} -> {each.kept} ({counted(each.notes, 'note')})" for each in shown.merges),
            f"distinct tags: {shown.distinct_before:,} -> {shown.distinct_after:,}",
        ]
        made, more = _keep(store, keys, source, merging, name, arms, measure, is_by_case, workers)
        result, lines = result | made, [*lines, *more]
    present(result, to, lines)


@command("filter-tags", order=49)
def filter_tags(
    is_strict: Annotated[bool, typer.Option("--strict", help="Also drop tags that rest on the assistant's words alone.")] = False,
    name: VariantOption = "",
    method_names: MethodsOption = GRAPHS,
    benchmark: BenchmarkOption = None,
    case_names: CasesOption = None,
    extraction: ExtractionOption = None,
    measure: MeasureOption = "mrr",
    is_by_case: UnitOption = False,
    engine: EngineOption = "inline",
    scheduler: SchedulerOption = None,
    exchange: ExchangeOption = None,
    profile: ProfileOption = "default",
    settings: SetOption = None,
    store: StoreOption = DEFAULT_STORE,
    to: JsonOption = None,
) -> None:
    """List the tags that their note's text does not support, or drop them into a named variant and measure the change."""
    workers = workers_of(engine, scheduler, exchange)
    arms = specs(split(method_names), profile, settings)
    _check_measure(measure)
    keys = _cases(store, benchmark, case_names)
    source = _source(store, keys, extraction)
    with _bar(len(keys)) as progress:
        found = compare(store, keys, [source], workers=workers, progress=progress)
    listed = found.unsupported[source.label]
    result: dict[str, Any] = {
        "extraction": source.label,
        "cases": keys,
        "support": [asdict(row) for row in found.support],
        "unsupported": [asdict(each) for each in listed],
    }
    total = found.support[0]
    lines = [
        f"{source.label}: {total.unsupported:,} of {counted(total.tags, 'tag')} not supported by the note's text; "
        f"{total.assistant:,} by the assistant's words alone",
        *(
            f"  {each.case} {each.note}: {each.path} ({each.category}; not said: {', '.join(each.missing)})"
            for each in listed[:20]
        ),
        *([f"  and {total.unsupported - 20:,} more (--json lists them)"] if total.unsupported > 20 else []),
    ]
    made, more = _keep(store, keys, source, DropUnsupported(is_strict), name, arms, measure, is_by_case, workers)
    present(result | made, to, [*lines, *more])


# Parts --------------------------------------------------------------------------------------------------------------------


def _keep(
    store: Path,
    keys: Sequence[str],
    source: Source,
    rule: Rewriting,
    name: str,
    arms: Sequence[MethodSpec],
    measure: str,
    is_by_case: bool,
    workers: Workers,
) -> tuple[dict[str, Any], list[str]]:
    """Store the variant where it has a name, and measure what it changes: as plain values, and as lines."""
    if not name:
        return {"variant": None, "matrix": None}, ["nothing is written: --name NAME keeps this as a variant"]
    with _bar(len(keys)) as progress:
        made = rewrite(store, keys, source.key, rule, name, progress=progress)
    variant = next(each for each in known_sources(store, keys) if each.key == made.key)
    matrix = _matrix(store, keys, (source, variant), arms, measure, is_by_case, workers)
    plain = {"variant": _plain(made), "matrix": matrix_json(matrix) if matrix else None}
    return plain, [*_kept(made), *(["", *change_lines(matrix)] if matrix else [])]


def _plain(made: Rewritten) -> dict[str, Any]:
    return {name: value for name, value in asdict(made).items() if name != "key"} | {"extractor": made.key.extractor}


def _kept(made: Rewritten) -> list[str]:
    return [
        f"kept as {made.name!r} over {counted(made.cases, 'case')}: {made.changed_notes:,} of {counted(made.notes, 'note')} "
        f"changed, {made.tags_before:,} tags -> {made.tags_after:,}"
    ]


def _matrix(
    store: Path,
    keys: Sequence[str],
    chosen: Sequence[Source],
    arms: Sequence[MethodSpec],
    measure: str,
    is_by_case: bool,
    workers: Workers,
) -> Matrix | None:
    if not arms:
        return None
    with _bar(len(chosen) * len(shared_cases(chosen, keys))) as progress:
        runs = run_matrix(store, keys, chosen, arms, workers=workers, progress=progress)
    return matrix_of(runs, measure, "case" if is_by_case else "question")


def _cases(store: Path, benchmark: str | None, names: str | None) -> list[str]:
    with open_store(store, read_only=True) as opened:
        return chosen_cases(opened, benchmark, split(names))


def _source(store: Path, keys: Sequence[str], wanted: str | None) -> Source:
    """One extraction that all the cases have: by a label of `extractions` or as other commands name it."""
    known = known_sources(store, keys)
    if wanted in [each.label for each in known]:
        (found,) = choose(known, [str(wanted)])
        wanted = str(found.rows[keys[0]].id) if keys[0] in found.rows else wanted
    with open_store(store, read_only=True) as opened:
        key = common_extraction(opened, keys, wanted).key
    return next(each for each in known if each.key == key)


def _pair(text: str) -> tuple[str, str]:
    first, equals, second = text.partition("=")
    if not (first.strip() and equals and second.strip()):
        raise typer.BadParameter(f"--pair {text!r} does not read TAG=TAG")
    return first.strip(), second.strip()


def _meaning(near: str | None) -> str | None:
    if near is not None:
        backend(near)
    return near


def _check_measure(measure: str) -> None:
    if measure.partition("_")[0] not in MEASURES and measure not in MEASURES:
        raise typer.BadParameter(f"no run has a measure {measure!r}; they have: {', '.join(MEASURES)}")


@contextmanager
def _bar(total: int) -> Iterator[Progress]:
    with tqdm(total=total, unit=" cases", disable=None) as bar:
        yield advances(bar)
