"""What all pages share: which store, benchmark, case, question, extraction and methods; in the sidebar and in the URL.

The choice lives in the session. The URL follows it, and leads where a visitor arrives by a link or goes back in the browser.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import streamlit as st

from workbench.errors import StoreError
from workbench.evaluate.runs import TABLE1
from workbench.methods.base import methods as registered
from workbench.store import ExtractionRow
from workbench.ui import cached
from workbench.words import visible

STORE_VARIABLE = "WORKBENCH_STORE"
"""Environment variable that names the store the app starts with."""
DEFAULT_STORE = "data/workbench.duckdb"
MAX_METHODS = 7

SINGLE = ("store", "benchmark", "case", "question", "extraction", "q", "note")
KEYS = (*SINGLE, "methods")
_BELOW = {"store": SINGLE[1:], "benchmark": ("case", "question", "q", "note")}
_BELOW |= {"case": _BELOW["benchmark"][1:], "question": ("q", "note")}
"""What is forgotten when a choice above it changes."""

State = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Context:
    """The shared choice.

    Attributes
    ----------
    store_path : Path
    benchmark, case_key, question_id : str
        Empty where there is nothing to choose from.
    extraction : int or None
        Id of the extraction whose tags are used; None where there is no case.
    methods : tuple of str
        Names of registered methods and of the benchmark's imported runs, in the order in which they were chosen.
    query : str
        What is asked: the typed text, or else the question's.
    typed : str
        The text typed instead of the question; empty where there is none.
    note_id : str
        The note that is open beside the page; empty where none is. It need not be in the case.
    problem : str
        Why the store can't be read and what to do; empty where it can.
    """

    store_path: Path
    benchmark: str = ""
    case_key: str = ""
    question_id: str = ""
    extraction: int | None = None
    methods: tuple[str, ...] = ()
    query: str = ""
    typed: str = ""
    note_id: str = ""
    problem: str = ""

    @property
    def registered_methods(self) -> tuple[str, ...]:
        """The chosen methods that can be asked anything; imported runs only know the questions of their files."""
        return tuple(name for name in self.methods if name in registered)


def current() -> Context:
    """The choice of this run, as the sidebar left it."""
    return st.session_state["context"]  # type: ignore[no-any-return]


def default_store() -> str:
    return os.environ.get(STORE_VARIABLE, DEFAULT_STORE)


def url() -> dict[str, list[str]]:
    """The choice as query parameters, for links to other pages; nothing as long as nobody chose anything."""
    return {key: list(values) for key, values in _wanted().items()}


def select(**choice: str) -> None:
    """Change the choice from a callback: ``select(case=key, question=id)``. What depends on a changed part is forgotten.

    Choosing a case chooses its benchmark.
    """
    if "case" in choice and "benchmark" not in choice:
        choice = {"benchmark": choice["case"].partition("/")[0], **choice}
    state = _state()
    for key in KEYS:
        if key in choice and _one(state, key) != choice[key]:
            for below in _BELOW.get(key, ()):
                state.pop(below, None)
            state[key] = (choice[key],) if choice[key] else ()
    _touch()


def select_methods(names: Sequence[str]) -> None:
    """Choose the methods from a callback; no more than are shown side by side."""
    _state()["methods"] = tuple(names)[:MAX_METHODS]
    _touch()


def forget_unreadable(*names: str, is_readable: Callable[[str], bool] = bool) -> None:
    """Take parameters out of the URL that the widgets bound to them would fail over, and run again without them.

    Streamlit itself refuses what is no option; but an empty value clears even a choice that is required, and a number without
    end is an error in it. It reads the URL that a run began with, hence the new run.
    """
    wrong = [name for name in names if not all(map(is_readable, st.query_params.get_all(name)))]
    for name in wrong:
        del st.query_params[name]
    if wrong:
        st.rerun()


def require_case() -> Context:
    """The choice where there is a case; else a message that says what to do, and the page ends here."""
    chosen = current()
    if chosen.problem:
        _unreadable(chosen.problem)
    if not chosen.case_key:
        st.info("The store holds no case yet. Load the demo or data of your own on the page Cases.", icon=":material/inbox:")
        st.stop()
    return chosen


def _unreadable(problem: str) -> NoReturn:
    show_problem(problem)
    st.stop()


def show_problem(problem: str) -> None:
    """Say why the store can't be read, with a way to try again. The path in it is text, not Markdown."""
    with st.container(border=True, key="store-problem"):
        st.markdown(":material/error: **The store can't be read**")
        st.text(problem)
        st.button("Try again", key="try-again", icon=":material/refresh:")


# --- the session's state and the URL ----------------------------------------------------------------------------------------


def _state() -> State:
    return st.session_state.setdefault("choice", {})  # type: ignore[no-any-return]


def _one(state: Mapping[str, tuple[str, ...]], key: str) -> str:
    values = state.get(key, ())
    return values[-1] if values else ""


def _touch() -> None:
    """A visitor chose something: the session leads this run, also where the browser has not yet heard of the last one."""
    st.session_state["touched"] = st.session_state["explicit"] = True


def _shown() -> State:
    """Our part of the URL."""
    return {key: tuple(st.query_params.get_all(key)) for key in KEYS if key in st.query_params}


def _adopt_url() -> None:
    """Take over what the URL says where it is not what we wrote there: a link was opened, or the browser went back."""
    shown = _shown()
    if not st.session_state.pop("touched", False) and shown != st.session_state.get("written", {}):
        st.session_state["choice"] = shown
        st.session_state["explicit"] = bool(shown)


def _wanted() -> State:
    """What the URL should say. A bare one stays bare until something is chosen: the browser's way back leads through it."""
    return {key: values for key, values in _state().items() if values} if st.session_state.get("explicit") else {}


def _write_url() -> None:
    shown, wanted = _shown(), _wanted()
    st.session_state["written"] = wanted
    for key in shown.keys() - wanted.keys():
        del st.query_params[key]
    if changed := {key: list(values) for key, values in wanted.items() if shown.get(key) != values}:
        st.query_params.update(changed)


def _changed(key: str) -> None:
    """A widget of the sidebar was changed."""
    value = st.session_state[f"context-{key}"]
    if key == "methods":
        _state()["methods"] = tuple(value)
        _touch()
    else:
        select(**{key: value or ""})


# --- the sidebar ------------------------------------------------------------------------------------------------------------


def sidebar() -> Context:
    """Draw the selectors, settle what is chosen, and write it to the URL."""
    _adopt_url()
    state = _state()
    path = _path(_one(state, "store") or default_store())
    chosen = Context(path)
    with st.sidebar:
        try:
            chosen = _choose(path)
        except (StoreError, KeyError) as error:
            chosen = Context(path, methods=_methods(registered), problem=str(error.args[0]))
        _choose_store(path)
    st.session_state["context"] = chosen
    _write_url()
    return chosen


def _path(named: str) -> Path:
    """A path as it is named, in a URL too: ``~somebody`` may be nobody's home, and is then a name like any other."""
    try:
        return Path(named).expanduser()
    except RuntimeError:
        return Path(named)


def _exists(path: Path) -> bool:
    """Whether there is something at the path; not where its name is none, or too long to be one."""
    try:
        return bool(path.name) and path.exists()
    except OSError:
        return False


def _choose(path: Path) -> Context:
    info = cached.info(path) if _exists(path) else None
    if info is None:
        if _one(_state(), "store") not in ("", default_store()):
            raise StoreError(f"there is no store at {path}: name another one under Store in the sidebar")
        return Context(path, methods=_choose_methods())  # a first start: the page Cases offers to make one
    if not info.cases:
        return Context(path, methods=_choose_methods())
    of_case = _one(_state(), "case").partition("/")[0]
    if not _one(_state(), "benchmark") and of_case in info.benchmarks:
        _state()["benchmark"] = (of_case,)  # a link need not say twice what its case's key says
    benchmark = _pick("benchmark", "Benchmark", list(info.benchmarks), {})
    rows = {row.key: row for row in cached.cases(path, benchmark)}
    titles = {key: f"{row.id} · {row.title}" if row.title and row.title != row.id else row.id for key, row in rows.items()}
    case_key = _pick("case", "Case", list(rows), titles)
    found = {question.id: question for question in cached.questions(path, case_key)}
    question_id = ""
    if found:
        question_id = _pick("question", "Question", list(found), {key: question.text for key, question in found.items()})
    methods = _choose_methods(tuple(cached.imported(path, benchmark)))
    extraction = _choose_extraction(cached.extractions(path, case_key))
    typed = _one(_state(), "q")
    query = typed or (found[question_id].text if question_id else "")
    return Context(path, benchmark, case_key, question_id, extraction, methods, query, typed, _one(_state(), "note"))


def _pick(key: str, label: str, options: Sequence[str], labels: Mapping[str, str]) -> str:
    """One of the options: the chosen one where it is there, else the first."""
    state = _state()
    if _one(state, key) not in options:
        for below in _BELOW.get(key, ()) if _one(state, key) else ():
            state.pop(below, None)
        state[key] = (options[0],)
    st.session_state[f"context-{key}"] = _one(state, key)
    st.selectbox(
        label,
        options,
        format_func=lambda option: visible(labels.get(option, option)),
        key=f"context-{key}",
        on_change=_changed,
        args=(key,),
    )
    return _one(state, key)


def _methods(offered: Container[str]) -> tuple[str, ...]:
    """The chosen methods that are offered; by default those of the paper's Table 1."""
    state = _state()
    known = tuple(name for name in state.get("methods", ()) if name in offered)
    return (known or tuple(name for name in TABLE1 if name in registered))[:MAX_METHODS]


def _choose_methods(imported: Sequence[str] = ()) -> tuple[str, ...]:
    """The methods to ask: registered ones and imported runs of the benchmark."""
    offered = [*registered, *imported]
    chosen = _methods(offered)
    st.session_state["context-methods"] = list(chosen)
    st.multiselect(
        "Methods",
        offered,
        key="context-methods",
        on_change=_changed,
        args=("methods",),
        max_selections=MAX_METHODS,
        placeholder="Those of the paper's Table 1",
    )
    return chosen


def _choose_extraction(rows: Sequence[ExtractionRow]) -> int:
    """The id of the chosen extraction; asked only where the case has several. The URL names extractor and configuration."""
    names = {extraction_choice(row): row for row in rows}
    if len(names) < 2:
        return rows[0].id
    return names[_pick("extraction", "Extraction", list(names), {name: _described(row) for name, row in names.items()})].id


def extraction_choice(row: ExtractionRow) -> str:
    """How an extraction is chosen: ``select(extraction=extraction_choice(row))``."""
    return f"{row.extractor}:{row.digest[:8]}"


def _described(row: ExtractionRow) -> str:
    return f"{row.variant or row.extractor}, {row.created:%Y-%m-%d %H:%M}"


def _choose_store(path: Path) -> None:
    with st.popover("Store", icon=":material/database:", width="stretch", key="store"):
        st.session_state["context-store"] = str(path)
        st.text_input("Store file", key="context-store", on_change=_changed, args=("store",))
        st.caption("A DuckDB file made by the workbench. Several stores keep projects apart.")
    with st.container(key="store-path"):
        st.text(str(path))
