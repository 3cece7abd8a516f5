"""Results as aligned lines of text and as plain JSON values: what the command line prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workbench.evaluate.comparing import RunComparison
from workbench.evaluate.significance import Pair, PairedTest
from workbench.graph import Health
from workbench.ontology import OntologyReport
from workbench.records import Finding, Ranking, Why
from workbench.words import counted

WIDEST = 100
"""Characters of a table's cell; JSON has the whole text."""
MOVED = 5
"""Questions of each direction that a comparison lists; JSON has all."""


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Rows as aligned text; numbers to the right, None as a dash, long texts cut to WIDEST characters."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(len(each[at]) for each in [head, *cells]) for at in range(len(head))]
    numeric = [bool(cells) and all(_is_number(row[at]) for row in cells) for at in range(len(head))]

    def line(row: Sequence[str]) -> str:
        return "  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True)).rstrip()

    return [line(head), line(["-" * width for width in widths]), *map(line, cells)]


def _cell(value: Any) -> str:
    text = "-" if value is None else f"{value:.3f}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.replace(".", "", 1).replace("-", "", 1).isdigit()


def said(finding: Finding) -> str:
    """A load finding as one line."""
    return f"{finding.file}{':' * bool(finding.position)}{finding.position}: {finding.reason}"


def interval(value: float | None, bounds: Sequence[float] | None) -> str:
    """A mean with its 95% interval."""
    if value is None:
        return "not available"
    return f"{value:.3f}" + (f" [{bounds[0]:.3f}, {bounds[1]:.3f}]" if bounds else " [no interval]")


def why_json(why: Why) -> dict[str, Any]:
    """A Why as plain JSON values."""
    parts = [{"kind": part.kind, "name": part.name, "value": part.value, "detail": dict(part.detail)} for part in why.parts]
    return {"parts": parts, "path": list(why.path)}


def ontology_lines(ontology: OntologyReport, health: Health) -> list[str]:
    """How tags are reused, which nearly say the same, and whether topics group anything."""
    if not ontology.tags:
        return ["no note has a tag"]
    near = ", ".join(f"{pair.first} ~ {pair.second}" for pair in ontology.near_duplicates[:5])
    return [
        f"tags: {ontology.distinct:,} distinct, {ontology.tags_per_note:.1f} a note, each on {ontology.reuse:.2f} notes, "
        f"{ontology.single_note_share:.0%} on one note only; {counted(ontology.untagged, 'note')} without any",
        f"near-duplicate tags: {len(ontology.near_duplicates):,}" + (f" ({near} ...)" if near else ""),
        f"topics: {health.topics:,}, {health.singleton_share:.0%} of them with a single note, the largest "
        f"{health.largest_label!r} with {health.largest}",
        *(f"warning: {warning}" for warning in health.warnings),
    ]


def ranking_lines(ranking: Ranking) -> list[str]:
    """A ranking for people: each hit with its three largest parts and its path."""
    lines = [f"{len(ranking.hits)} of {ranking.candidates} candidates", *(f"  ({remark})" for remark in ranking.remarks)]
    for hit in ranking.hits:
        parts = ", ".join(f"{part.name} {part.value:.4f}" for part in hit.why.parts[:3])
        more = f" and {len(hit.why.parts) - 3} more" if len(hit.why.parts) > 3 else ""
        lines.append(f"{hit.rank:>4}  {hit.score:.6f}  {hit.note_id}  = {parts}{more}")
        if hit.why.path:
            lines.append(f"      {' > '.join(hit.why.path)}")
    return lines


def tie_range(row: Mapping[str, Any]) -> str | None:
    """MRR at the worst and the best order within ties; None where it is not available."""
    worst, best = row.get("mrr_worst_tie"), row.get("mrr_best_tie")
    return None if worst is None or best is None else f"{worst:.3f}-{best:.3f}"


def evaluation_lines(result: Mapping[str, Any]) -> list[str]:
    """A run's table for people: headline measures with intervals, then MRR by type, question sets and exclusions."""
    by_method = result["methods"]
    other = next((name for name in ("mrr_note", "mrr_session") if any(name in row for row in by_method.values())), "mrr_note")
    lines = [
        f"run {result['run']} · {result['benchmark']} · {result['questions']} questions · "
        f"extractor {result['extraction'].get('extractor', 'unknown')}",
        *table(
            ["method", "MRR [95%]", "tie range", f"MRR by {other[4:]}", "recall@5", "hit@5", "empty", "seconds"],
            [
                [
                    name,
                    interval(row.get("mrr"), row["mrr_ci"]),
                    tie_range(row),
                    row.get(other),
                    row.get("recall@5"),
                    row.get("hit@5"),
                    row["empty"],
                    None if row["seconds"] is None else f"{row['seconds']:.2f}",
                ]
                for name, row in by_method.items()
            ],
        ),
    ]
    first: Mapping[str, Any] = next(iter(by_method.values()), {"by_type": {}})
    if first["by_type"]:
        head = ["MRR by type", "n", *by_method]
        rows = [
            [group, each["n"], *(row["by_type"][group]["mrr"] for row in by_method.values())]
            for group, each in first["by_type"].items()
        ]
        rows.append(["each type once", None, *(row["macro"]["mrr"] for row in by_method.values())])
        lines += ["", *table(head, rows)]
    if "sets" in first:
        head = ["MRR by question set", "n", *by_method]
        rows = [
            [each, found["n"], *(row["sets"][each]["mrr"] for row in by_method.values())] for each, found in first["sets"].items()
        ]
        lines += ["", *table(head, rows)]
    lines += ["", *(f"excluded: {counted(count, 'question')} ({reason})" for reason, count in result["excluded"].items())]
    lines += [f"by type only: {counted(count, 'question')} of type {kind}" for kind, count in result["by_type_only"].items()]
    lines += [f"{counted(count, 'question')}: {remark}" for remark, count in result["df_base"].items()]
    return lines


def pair_lines(by_group: Mapping[str, Sequence[Pair]], measure: str) -> list[str]:
    """Paired tests between methods: a table over all headline questions, then one a type."""
    lines = [f"{measure}: mean of the first less that of the second, over questions that both have"]
    for group, pairs in by_group.items():
        rows = [[pair.first, pair.second, *_test_cells(pair.test), pair.p_holm] for pair in pairs]
        lines += ["", *table([group, "against", *_TEST_HEAD, "p Holm"], rows)]
    return lines


_TEST_HEAD = ("n", "difference [95%]", "better", "worse", "same", "d_z", "p", "p sign")


def _test_cells(test: PairedTest) -> list[Any]:
    """``test`` reads second against first."""
    counts = [test.wins, test.losses, test.ties]
    return [test.n, interval(test.difference, test.interval), *counts, test.d_z, test.p, test.p_sign]


def comparison_lines(found: RunComparison) -> list[str]:
    """What changed from one run to another: how they were made, tests by method, and the questions that moved most."""
    lines = [f"{found.benchmark}, {found.measure}: {found.second} against {found.first}"]
    lines += [f"  {each.field}: {each.first or 'none'} -> {each.second or 'none'}" for each in found.differences]
    lines += [f"  only in {run}: {', '.join(arms)}" for run, arms in _only(found) if arms]
    rows = [[arm.first, *_test_cells(arm.test), arm.p_holm] for arm in found.arms]
    lines += table(["method", *_TEST_HEAD, "p Holm"], rows)
    for arm in found.arms:
        moved = [("worse", change) for change in arm.worse[:MOVED]] + [("better", change) for change in arm.better[:MOVED]]
        if moved:
            rows = [[word, c.case, c.question, c.type, c.first_rank, c.second_rank, c.second - c.first] for word, c in moved]
            lines += ["", *table([arm.first, "case", "question", "type", "rank before", "rank now", "change"], rows)]
            lines += [f"({len(arm.worse)} worse, {len(arm.better)} better; --json has all)"]
    return lines


def _only(found: RunComparison) -> list[tuple[str, Sequence[str]]]:
    return [(found.first, found.only_first), (found.second, found.only_second)]


def diffusion_lines(result: Mapping[str, Any]) -> list[str]:
    """A diffusion for people: ten steps of it, its events, its measures, and each first file's largest parts."""
    steps, events, seeds = result["steps"], result["events"], result["seeds"]
    shown = sorted({0, 1, 2, 3, 5, 10, 20, len(steps) - 1, *(event["iteration"] for event in events)} & set(range(len(steps))))
    kinds = ["tag", "topic", "file", "ontology"]
    rows = [[at, steps[at]["residual"], *(steps[at]["mass"][kind] for kind in kinds), steps[at]["gold_rank"]] for at in shown]
    lines = [
        f"{result['case']}: {result['query']}",
        f"{result['nodes']:,} nodes, {len(seeds)} seeds, alpha {result['alpha']}, {len(steps) - 1} steps"
        f" ({'converged' if result['converged'] else 'not converged'})",
        *(f"  ({remark})" for remark in result["remarks"]),
        *table(["step", "residual", *(f"on {kind}" for kind in kinds), "gold rank"], rows),
        "",
        *(f"step {event['iteration']}: {event['text']}" for event in events),
        *(
            f"{name}: {'not available' if value is None else value}"
            for name, value in result["measures"].items()
            if name != "carried"
        ),
        "carried a step: " + ", ".join(f"{kind} {value:.3f}" for kind, value in result["measures"]["carried"].items()),
        "",
    ]
    for rank, each in enumerate(result["attribution"], 1):
        parts = ", ".join(f"{part['node']} {part['value']:.5f}" for part in each["seeds"][:3])
        mark = "  gold" if each["note"] in result["gold"] else ""
        lines.append(f"{rank:>4}  {each['score']:.6f}  {each['note']}  = {parts}{mark}")
    return lines
