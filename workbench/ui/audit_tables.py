"""The tabs with the audit's figures: the pooled table of TAGGRAPH 5.5, and misses against hits with what interventions did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st

from workbench.charts import Dot, forest_figure
from workbench.diagnose.report import (
    CONTROL_HEAD,
    CONTROL_WORDS,
    POOL_HEAD,
    control_table,
    pool_sentences,
    pool_table,
    stage_names,
)
from workbench.ui import evaluate_cells as cells
from workbench.ui.audit_work import Kept
from workbench.words import visible

UNITS = {"gold notes": "Gold notes", "questions": "Questions"}
GROUPS = {"all": "All", "benchmark": "By benchmark", "type": "By type"}
READING = (
    "An odds ratio is infinite where every hit has a helpful tag. For methods that come in by tags alone (tag_basic, "
    "tag_stopwords) that is nearly so by construction and proves nothing; those with another way in can be read as they stand.",
    "Of repairs, quote those of the note's words. A tag made of the question's words alone brings up nearly any note, which says "
    "something of tag retrieval and little of what extraction missed.",
    "The difference is a comparison and not an effect: questions that lack helpful tags may be hard for other reasons too. "
    "Repairs and breaks are effects, each read from a ranking that was made again.",
)


def show_pool(kept: Kept) -> None:
    """Draw the pooled table in both units, why they differ, and where gold notes were lost."""
    result = kept.result
    if result["pool"]:
        _table(POOL_HEAD, pool_table(result), f"pool-{kept.request.id}")
    for line in pool_sentences(result):
        st.text(visible(line))
    st.markdown("**Where gold notes were lost**")
    seen = {name for each in result["stages"] for name in each["notes"]}
    names = [name for name in stage_names() if name in seen]
    rows = [[each["extraction"], each["method"], *(each["notes"].get(name, 0) for name in names)] for each in result["stages"]]
    _table(("extraction", "method", *names), rows, f"stages-{kept.request.id}")


def show_control(kept: Kept) -> None:
    """Draw misses against hits: the forest plot, the table, and how both are to be read."""
    result = kept.result
    groups = {row["by"] for row in result["control"]}
    with st.container(horizontal=True):
        unit = _choose("What counts", UNITS, "unit")
        by = _choose("Groups", {name: words for name, words in GROUPS.items() if name in groups}, "by")
    rows = [row for row in result["control"] if (row["unit"], row["by"]) == (unit, by)]
    group = ""
    if by != "all":
        found = list(dict.fromkeys(row["group"] for row in rows))
        group = st.selectbox("Group", found, key=f"group-{by}", format_func=visible, width=360) or found[0]
    _forest([row for row in rows if row["group"] == group], unit, len(result["extractions"]) > 1)
    head = CONTROL_HEAD if by == "all" else (by, *CONTROL_HEAD)
    _table(head, control_table(result, unit, by), f"control-{kept.request.id}-{unit}-{by}")
    if not result["interventions"]:
        st.caption("No interventions were run: repairs and breaks are not available. *New audit* offers them.")
    st.markdown("**How to read this**")
    for line in (CONTROL_WORDS, *READING):
        st.caption(line)


def _choose(label: str, options: dict[str, str], key: str) -> str:
    first = next(iter(options))
    found = st.segmented_control(
        label,
        list(options),
        default=first,
        format_func=options.__getitem__,
        key=f"control-{key}",
        required=True,
        label_visibility="collapsed",
    )
    return found or first


def _forest(rows: Sequence[dict[str, Any]], unit: str, is_named: bool) -> None:
    dots = [
        Dot(
            visible(f"{row['method']} · {row['extraction']}" if is_named else row["method"]),
            row["difference"],
            tuple(row["difference_interval"]) if row["difference_interval"] else None,
            row["misses"]["of"] + row["hits"]["of"],
            row["method"],
        )
        for row in rows
    ]
    if all(dot.mean is None for dot in dots):
        st.info("No method has both misses and hits here: there is no difference to draw.", icon=":material/info:")
        return
    figure = forest_figure(dots, "share without a helpful tag, misses less hits", unit, cells.theme())
    st.plotly_chart(figure, key=f"forest-{unit}", theme=None, config={"displayModeBar": False})


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]], key: str) -> None:
    cells.table([dict(zip(head, row, strict=True)) for row in rows], cells.stable_key(key, head), tallest=14)
