"""The paper's Table 1 beside ours: its numbers, ours with intervals, and which of its orderings hold here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.evaluate.estimates import Estimate
from workbench.evaluate.published import PUBLISHED, TAGS_PER_CASE
from workbench.evaluate.runs import TABLE1
from workbench.evaluate.table1 import FAILS, HOLDS, UNDECIDED, Row, Verdict, table1
from workbench.ui import evaluate_cells as cells
from workbench.ui.context import Context
from workbench.ui.evaluate_jobs import ENGINES, require_free, workers
from workbench.ui.evaluate_view import PLACE
from workbench.ui.jobs import Job, jobs
from workbench.ui.node_panel import plain
from workbench.words import counted

_MARKS = {HOLDS: "✓ holds", FAILS: "✗ does not hold", UNDECIDED: "? undecided"}


@st.cache_resource(show_spinner=False)
def _known() -> dict[tuple[str, str], list[Row]]:
    """Tables by store and benchmark, as last worked out in this app; the runs behind them are stored."""
    return {}


def show(chosen: Context) -> None:
    """Draw the table where it was worked out, and the button that does it (anew)."""
    rows = _known().get((str(chosen.store_path), chosen.benchmark))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        busy = require_free(chosen.store_path)
        engine = st.selectbox("Where it runs", list(ENGINES), format_func=ENGINES.__getitem__, key="table1-engine", width=220)
        st.button(
            "Work it out again" if rows else "Work out Table 1 for this benchmark",
            key="table1-start",
            type="secondary" if rows else "primary",
            icon=":material/play_arrow:",
            disabled=bool(busy),
            help=busy or "Runs the paper's methods and its ablation over all cases; runs that the store has already are used.",
            on_click=_start,
            args=(chosen.store_path, chosen.benchmark, engine),
        )
    if not rows:
        st.info("The paper's numbers and ours stand here side by side once ours are worked out.", icon=":material/table:")
        return
    for name in dict.fromkeys(row.row for row in rows):
        _draw(name, [row for row in rows if row.row == name])
    st.caption(
        "holds / does not hold: the 95% paired bootstrap interval lies on one side; undecided: it holds 0 at this n. "
        "Distinct tags a LongMemEval-S case in the paper: "
        + ", ".join(f"{name} {n:,}" for name, n in TAGS_PER_CASE.items())
        + "."
    )


def _start(path: Path, benchmark: str, engine: str) -> None:
    def work(job: Job) -> list[Row]:
        def announce(what: str, done: int, of: int) -> None:
            job.total = of
            job.advance(done, what)

        rows = table1(path, [benchmark], workers=workers(engine), announce=announce)
        known[str(path), benchmark] = rows
        return rows

    known = _known()
    jobs().start("Table 1", str(path), work, place=PLACE)


def _draw(name: str, mine: Sequence[Row]) -> None:
    st.subheader(plain(name))
    lines = [line for line in PUBLISHED if line.row == name]
    rows: list[dict[str, Any]] = [
        {"MRR": f"paper {line.source}, {line.extraction}", "n": line.n} | _paper(line.mrr) for line in lines
    ]
    rows += [{"MRR": f"ours, {row.extraction}", "n": _n(row.cells)} | _means(row.cells) for row in mine]
    cells.table(rows, f"table1-{name}")
    for row in mine:
        _draw_one(row, f"{name}-{row.extraction}")


def _draw_one(row: Row, key: str) -> None:
    others = [
        {"Arm": arm, "MRR [95%]": cells.estimate(each), "n": each.n} for arm, each in row.cells.items() if arm not in TABLE1
    ]
    if row.verdicts:
        st.markdown(f"**What the paper claims, tested here** ({plain(row.extraction)})")
        cells.table([_verdict(each) for each in row.verdicts], f"claims-{key}")
    if others:
        st.markdown("**Ours: ablation and controls**")
        cells.table(others, f"arms-{key}")
    if row.by_type:
        st.markdown("**recall@5 by question type**")
        by_type = [{"Type": kind, "n": _n(found)} | _means(found) for kind, found in row.by_type.items()]
        cells.table(by_type, f"recall-{key}")
    if row.tags:
        st.caption(
            f"Tags over {counted(row.tags.cases, 'case')}: {row.tags.distinct:,.1f} distinct a case, "
            f"{row.tags.per_note:.1f} a note, each on {row.tags.reuse:.2f} notes."
        )


def _paper(mrr: Mapping[str, float | str]) -> dict[str, str]:
    """The paper's means; arms that are no column of its Table 1 stand in the cell of their method."""
    shown = {method: mrr[method] if isinstance(mrr[method], str) else f"{mrr[method]:.3f}" for method in TABLE1 if method in mrr}
    extra = [
        f"{arm.partition(' - ')[2]} off: {value:.3f}"
        for arm, value in mrr.items()
        if arm not in TABLE1 and not isinstance(value, str)
    ]
    if extra:
        shown["adaptive"] = "; ".join([str(shown.get("adaptive", "")), *extra])
    return {method: str(shown.get(method, cells.DASH)) for method in TABLE1}


def _means(found: Mapping[str, Estimate]) -> dict[str, str]:
    return {method: cells.estimate(found.get(method)) for method in TABLE1}


def _n(found: Mapping[str, Estimate]) -> int:
    return max((each.n for each in found.values()), default=0)


def _verdict(found: Verdict) -> dict[str, Any]:
    sign = "" if found.claim.kind == "at_least" else "+"
    value = cells.DASH if found.difference is None else f"{found.difference:{sign}.3f} {cells.bounds(found.interval, sign)}"
    return {
        "Claim": found.claim.text,
        "Section": found.claim.source,
        "n": found.n,
        "Difference [95%]": value,
        "Here": _MARKS.get(found.verdict, found.verdict),
    }
