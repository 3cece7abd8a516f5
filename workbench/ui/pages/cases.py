"""Cases: what is in the store, adding to it, and the table of questions from which an inquiry starts."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from workbench.evaluate.relevance import relevance
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.stored import run_stored
from workbench.records import Question, Run
from workbench.store import Cells, LoadReport, QuestionRow, RunRow, StoreInfo
from workbench.ui import add_data, cached, context, hit_cells, navigation, note_view, question_steps
from workbench.ui.add_data import LOADING
from workbench.ui.context import Context
from workbench.ui.jobs import Job, is_running, jobs, show_job
from workbench.ui.node_panel import plain
from workbench.words import counted, visible

PAGE_SIZE = 100
DEPTH = 5
"""A question counts as missed by a method that ranks no gold among the first five (ours; the measure hit@5)."""
EVALUATING = "evaluating"
"""Where the progress of an evaluation is drawn: at its button, below the table."""


@navigation.page("cases", "Cases", icon=":material/inbox:", order=10)
def show() -> None:
    """Draw the page."""
    chosen = context.current()
    st.header("Cases")
    st.caption("Choose a question to look into; each small cell tells at which rank a method found its answer.")
    if chosen.problem:
        context.show_problem(chosen.problem)
        return
    _body(chosen)


def _body(chosen: Context) -> None:
    path = chosen.store_path
    info = cached.info(path) if path.exists() else None
    is_empty = info is None or not info.cases
    if info is not None and not is_empty:
        _counts(info)
    show_job(str(path), _describe, LOADING)
    if is_empty:
        _empty(chosen)
        return
    with st.expander("Add data", icon=":material/add:", key="add"):
        add_data.show(path)
        with st.expander("Load reports", key="reports"):
            add_data.show_earlier(cached.loads(path))
    _questions(chosen)
    _card(chosen)


def _describe(result: Any) -> None:
    """What a finished job brought."""
    if isinstance(result, LoadReport):
        add_data.show_report(result, "report-now")
        newest = max(cached.cases(context.current().store_path), key=lambda row: row.added, default=None)
        if newest is not None:
            st.button("Open the newest case", key="open-newest", on_click=context.select, kwargs={"case": newest.key})
    elif isinstance(result, Run):
        questions = {(one.case, one.question) for one in result.results}
        st.markdown(f"{counted(len(questions), 'question')}; the ranks are in the table above.")
        for reason, count in result.excluded.items():
            st.text(f"left out: {counted(count, 'question')} ({reason})")


def _counts(info: StoreInfo) -> None:
    nouns = ("case", "question", "note", "extraction", "run")
    st.markdown(" · ".join(counted(getattr(info, f"{noun}s"), noun) for noun in nouns))


def _empty(chosen: Context) -> None:
    """A store without cases offers the demo, and every other way to bring data."""
    st.info(f"The store is empty. Start with the demo: {add_data.DEMO_WORDS}.", icon=":material/inbox:")
    st.button(
        "Load the demo",
        key="load-demo",
        type="primary",
        icon=":material/play_arrow:",
        disabled=is_running(str(chosen.store_path)),
        on_click=add_data.start_load,
        args=(chosen.store_path, [add_data.DEMO]),
    )
    with st.expander("Add data of your own", icon=":material/add:", key="add"):
        add_data.show(chosen.store_path)


# --- the table of questions -------------------------------------------------------------------------------------------------


def _questions(chosen: Context) -> None:
    if not cached.question_types(chosen.store_path, chosen.benchmark):
        st.info("This data brings no questions. Ask one of your own on the page Compare.", icon=":material/edit:")
        navigation.link("compare", "Compare")
        return
    stored = cached.runs(chosen.store_path, chosen.benchmark)
    runs = {hit_cells.run_name(run): run for run in stored if run.kind == "evaluation"}
    text, type_, missed, only, run = _filters(chosen, runs)
    cells = _cells(chosen, run)
    ranks = hit_cells.ranks(cells)
    rows = cached.question_table(chosen.store_path, chosen.benchmark, type_ or None, text or None)
    rows = [row for row in rows if _wanted(ranks.get((row.case, row.id), {}), missed, only)]
    question_steps.keep(chosen, [(row.case, row.id) for row in rows], bool(text or type_ or missed or only))
    if run is not None:
        st.caption(plain(f"Ranks are those of the run {hit_cells.run_line(run)}"))
    if rows:
        shown, start = _page_of(rows)
        _table(chosen, shown, cells, ranks)
        _below(chosen, rows, start, bool(runs))
    else:
        st.info("No question fits the filter.", icon=":material/filter_alt_off:")
    show_job(str(chosen.store_path), _describe, EVALUATING)


def _imported(chosen: Context) -> tuple[str, ...]:
    """The chosen imported runs."""
    return tuple(name for name in chosen.methods if name not in chosen.registered_methods)


def _cells(chosen: Context, run: RunRow | None) -> Cells:
    """Reciprocal ranks of the run's methods and of the chosen imported runs."""
    own = cached.cells(chosen.store_path, "mrr", run.id) if run else {}
    beside = cached.imported_cells(chosen.store_path, "mrr", chosen.benchmark, _imported(chosen))
    return {key: own.get(key, {}) | beside.get(key, {}) for key in own | beside}


def _filters(chosen: Context, runs: dict[str, RunRow]) -> tuple[str, str | None, str | None, str | None, RunRow | None]:
    types = cached.question_types(chosen.store_path, chosen.benchmark)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            "Find", key="text", bind="query-params", placeholder="words of question, answer or id", icon=":material/search:"
        )
        type_ = st.selectbox("Type", list(types), index=None, key="type", bind="query-params", placeholder="all types", width=220)
        beside = st.container(width=180)
        with st.popover("More", key="more-filters"):
            run = runs.get(_choose_run(runs))
            seen = [*(sorted(run.methods) if run else ()), *_imported(chosen)]
            only = _choose_method("Found only by", "only", seen, "Questions for which only this method has gold that high.")
        with beside:
            words = f"Questions for which the method has no gold among its first {DEPTH}, in the run whose ranks are shown."
            missed = _choose_method("Missed by", "missed", seen, words)
    return (text or "").strip(), type_, missed, only, run


def _choose_run(runs: Iterable[str]) -> str:
    """The name of the run whose ranks are shown: the newest of the benchmark, or the one that was chosen."""
    names = list(runs)
    chosen = st.selectbox(
        "Ranks of the run",
        names,
        index=None,
        key="run",
        bind="query-params",
        placeholder="the newest" if names else "no run yet",
        disabled=not names,
    )
    return chosen or next(iter(names), "")


def _choose_method(label: str, key: str, methods: Sequence[str], words: str) -> str | None:
    return st.selectbox(
        label,
        methods,
        index=None,
        key=key,
        bind="query-params",
        placeholder="any method" if methods else "no run yet",
        disabled=not methods,
        help=words,
    )


def _wanted(found: dict[str, int | None], missed: str | None, only: str | None) -> bool:
    if missed and (missed not in found or hit_cells.is_hit(found[missed], DEPTH)):
        return False
    return not only or {name for name, rank in found.items() if hit_cells.is_hit(rank, DEPTH)} == {only}


def _page_of(rows: Sequence[QuestionRow]) -> tuple[Sequence[QuestionRow], int]:
    last = (len(rows) - 1) // PAGE_SIZE
    number = min(st.session_state.get("cases-page", 0), last)
    st.session_state["cases-page"] = number
    return rows[number * PAGE_SIZE : (number + 1) * PAGE_SIZE], number * PAGE_SIZE


def _turn_page(step: int) -> None:
    st.session_state["cases-page"] = max(0, st.session_state.get("cases-page", 0) + step)


def _table(chosen: Context, rows: Sequence[QuestionRow], cells: Cells, ranks: hit_cells.Ranks) -> None:
    ids = [(row.case, row.id) for row in rows]
    expected = cached.expected_texts(chosen.store_path, tuple(sorted({row.case for row in rows if row.answer is None})))
    run = {(case, method) for (case, _), found in cells.items() for method in found}

    def cell(row: QuestionRow, method: str) -> int | None:
        return hit_cells.value(ranks.get((row.case, row.id), {}), method, (row.case, method) in run)

    frame = pd.DataFrame(
        [
            {
                "Question": visible(row.text),
                **{method: cell(row, method) for method in chosen.methods},
                "Type": row.type,
                "Answer": visible(row.answer or " · ".join(expected.get((row.case, row.id), ()))),
                "Case": row.case.partition("/")[2],
                "Gold": row.gold,
            }
            for row in rows
        ]
    )
    methods: list[Hashable] = list(chosen.methods)
    # The selection comes back as positions, so the table's identity is its rows: other rows are another table, and no old
    # position is ever read against them.
    key = "questions-" + hashlib.sha256(repr((ids, chosen.methods)).encode()).hexdigest()[:12]
    here = [at for at, one in enumerate(ids) if one == (chosen.case_key, chosen.question_id)]
    st.dataframe(
        frame.style.map(hit_cells.style, subset=methods).format(hit_cells.text, subset=methods),
        key=key,
        hide_index=True,
        height=min(38 + 35 * len(rows), 388),
        on_select=lambda: _open(key, ids),
        selection_mode=["single-row", "single-cell"],
        selection_default={"selection": {"rows": here}},
        placeholder="",
        column_config=_columns(chosen.methods),
    )


def _columns(methods: Sequence[str]) -> dict[str, Any]:
    help_ = "Rank of the first gold item, in the run named above or an imported one; empty where the question has no gold."
    return {
        "Question": st.column_config.TextColumn(width=300),
        **{method: st.column_config.NumberColumn(width=98, help=help_, alignment="center") for method in methods},
        "Type": st.column_config.TextColumn(width=130),
        "Answer": st.column_config.TextColumn(width=160, help="The answer, or the texts that it must hold."),
        "Case": st.column_config.TextColumn(width=120),
        "Gold": st.column_config.NumberColumn(width=50, help="How many gold items the benchmark names."),
    }


def _open(key: str, ids: Sequence[tuple[str, str]]) -> None:
    """Make the clicked question the chosen one."""
    selection = st.session_state[key]["selection"]
    at = [*selection["rows"], *(row for row, _ in selection["cells"])]
    if at:
        case_key, question_id = ids[at[-1]]
        context.select(case=case_key, question=question_id)


def _below(chosen: Context, rows: Sequence[QuestionRow], start: int, has_run: bool) -> None:
    """How many questions the table shows of how many, and the button that evaluates."""
    cases = len(_same_extraction(chosen))
    with st.container(horizontal=True, vertical_alignment="center"):
        end = min(start + PAGE_SIZE, len(rows))
        st.caption(f"{start + 1}-{end} of {counted(len(rows), 'question')}", width="content")
        if len(rows) > PAGE_SIZE:
            st.button("Previous", key="page-back", disabled=start == 0, on_click=_turn_page, args=(-1,))
            st.button("Next", key="page-on", disabled=end == len(rows), on_click=_turn_page, args=(1,))
        st.space("stretch")
        if not has_run:
            st.caption("No run yet.", width="content")
        st.button(
            f"Evaluate {'this case' if cases == 1 else f'these {cases} cases'}",
            key="evaluate",
            type="secondary" if has_run else "primary",
            icon=":material/play_arrow:",
            disabled=is_running(str(chosen.store_path)) or not chosen.registered_methods,
            help="Run the chosen methods over the benchmark's cases that have this extraction, and keep the run.",
            on_click=start_evaluation,
            args=(chosen,),
        )


def _same_extraction(chosen: Context) -> list[str]:
    assert chosen.extraction is not None  # there is a case, or there would be no table
    return cached.cases_with(chosen.store_path, chosen.benchmark, chosen.extraction)


def start_evaluation(chosen: Context) -> None:
    """Begin to evaluate the chosen methods over the benchmark, beside the pages; the run is stored at the end."""
    path, methods = chosen.store_path, chosen.registered_methods
    keys = _same_extraction(chosen)
    row = next(row for row in cached.extractions(path, chosen.case_key) if row.id == chosen.extraction)

    def work(job: Job) -> Run:
        return run_stored(path, keys, [MethodSpec(name) for name in methods], row, progress=job.advance)

    jobs().start(f"Evaluating {counted(len(methods), 'method')}", str(path), work, total=len(keys), place=EVALUATING)


# --- the question card ------------------------------------------------------------------------------------------------------


def _card(chosen: Context) -> None:
    if not chosen.question_id or chosen.extraction is None:
        return
    question = next(q for q in cached.questions(chosen.store_path, chosen.case_key) if q.id == chosen.question_id)
    opened = cached.open_case(chosen.store_path, chosen.case_key, chosen.extraction)
    with opened.lock:
        notes = opened.memory.notes
        found = relevance(question, notes)
    with st.container(border=True, key="card"):
        left, right = st.columns([2, 3], gap="medium")
        with left:
            st.html(note_view.question_html(question))
            with st.container(horizontal=True):
                for name in ("compare", "graph", "diagnose", "diffusion"):
                    if name in navigation.pages:
                        navigation.link(name, navigation.pages[name].title)
        with right:
            _gold(question, [note for note in notes if note.id in found.notes], found.level, found.missing)


def _gold(question: Question, gold: Sequence[Any], level: str, missing: Sequence[str]) -> None:
    if level == "none":
        st.caption("The benchmark names no gold for this question; it takes no part in measures.")
        return
    held = {"session": " (whole sessions: no turn is flagged)", "substring": " (found by the expected texts)"}.get(level, "")
    st.caption(f"{counted(len(gold), 'gold note')}{held}")
    if missing:
        st.text(f"Not in this history: {', '.join(missing)}")
    for at, note in enumerate(gold):
        if at < 1:
            note_view.show_note(note, question=question, is_gold=True, height=300)
    if len(gold) > 1:
        with st.expander(f"{len(gold) - 1} more", key="more-gold"):
            for note in gold[1:]:
                note_view.show_note(note, question=question, is_gold=True)
