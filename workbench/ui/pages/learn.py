"""Page Learn: a tour over the demo cases, one claim a stop: predict, see what happens, go on in the workbench."""

from __future__ import annotations

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.ui import add_data, context, learn_stop, navigation
from workbench.ui.add_data import LOADING
from workbench.ui.context import Context
from workbench.ui.jobs import is_running, show_job
from workbench.ui.learn_stop import Prediction, Scene, Stop, open_scene
from workbench.ui.navigation import page

_WRITTEN, _TOUCHED, _PLACE, _SAID = "learn-written", "learn-touched", "learn-place", "learn-said"


@page("learn", "Learn", icon=":material/school:", order=90)
def show() -> None:
    """Draw the page."""
    chosen = context.current()
    if chosen.problem:
        context.show_problem(chosen.problem)
        return
    st.header("Learn")
    st.caption("A tour of what a tag graph finds and what it misses: predict, look, and go on in the workbench.")
    tour = learn_stop.in_order()
    at = _place(len(tour))
    name, stop = tour[at - 1]
    show_job(str(chosen.store_path), _loaded, LOADING)
    scene = open_scene(chosen.store_path, stop.case)
    _steps(at, [each.title for _, each in tour])
    st.subheader(f"{at}. {stop.title}", anchor=False)
    st.markdown(stop.claim)
    if scene is None:
        _no_demo(chosen)
        return
    with scene.opened.lock:
        _play(name, stop, scene)


# --- one stop ---------------------------------------------------------------------------------------------------------------


def _play(name: str, stop: Stop, scene: Scene) -> None:
    try:
        asked = stop.prediction(scene)
        said = st.session_state.setdefault(_SAID, {}).get(name)
        if said not in asked.options:
            _ask(name, asked)
            stop.before(scene)
            return
        _verdict(name, asked, said)
        st.markdown(stop.told(scene))
        if not stop.holds(scene):
            st.warning(
                "This store's demo does not show the effect: it was loaded with other rules than these.",
                icon=":material/warning:",
            )
        stop.after(scene)
    except WorkbenchError as error:
        with st.container(border=True):
            st.markdown(":material/error: **This stop can't be played**")
            st.text(str(error))
        return
    navigation.link(stop.page, f"Open in the workbench: {navigation.pages[stop.page].title}", query=_there(stop, scene))


def _there(stop: Stop, scene: Scene) -> navigation.Query:
    """What the link into the workbench says: the scene, and the methods that the stop is about."""
    methods: dict[str, str | list[str]] = {"methods": list(stop.methods)} if stop.methods else {}
    return methods | scene.url(context.default_store())


def _ask(name: str, asked: Prediction) -> None:
    """Ask for a prediction; nothing is revealed before one was made, nor by a link that was copied afterwards."""
    key = f"learn-radio-{name}"

    def keep() -> None:
        st.session_state[_SAID][name] = st.session_state[key]

    with st.container(border=True, key="prediction", gap="xsmall"):
        st.radio(f"**Predict.** {asked.asked}", asked.options, None, key=key, on_change=keep, horizontal=True)


def _verdict(name: str, asked: Prediction, said: str) -> None:
    with st.container(border=True, key="prediction", gap="xsmall"):
        st.caption(asked.asked)
        with st.container(horizontal=True, vertical_alignment="center"):
            if said == asked.answer:
                st.markdown(f":material/check_circle: **As you predicted: {asked.answer}.**", width="content")
            else:
                st.markdown(f":material/lightbulb: **It is otherwise: {asked.answer}.** You said: {said}.", width="content")
            st.space("stretch")
            st.button("Predict again", key="learn-again", icon=":material/undo:", type="tertiary", on_click=_forget, args=(name,))


def _forget(name: str) -> None:
    st.session_state[_SAID].pop(name, None)


# --- where the demo is missing ----------------------------------------------------------------------------------------------


def _no_demo(chosen: Context) -> None:
    st.info(f"The tour plays in the demo cases, which this store lacks: {add_data.DEMO_WORDS}.", icon=":material/inbox:")
    st.button(
        "Load the demo",
        key="load-demo",
        type="primary",
        icon=":material/play_arrow:",
        disabled=is_running(str(chosen.store_path)),
        on_click=add_data.start_load,
        args=(chosen.store_path, [add_data.DEMO]),
    )


def _loaded(result: object) -> None:
    """What a load came to is told on the page Cases; here the tour begins."""


# --- which stop -------------------------------------------------------------------------------------------------------------


def _place(last: int) -> int:
    """The number of the stop, from 1: what the URL says where it is not what was written there, else the session's."""
    shown = st.query_params.get("stop", "")
    if not st.session_state.pop(_TOUCHED, False) and shown != st.session_state.get(_WRITTEN):
        st.session_state[_PLACE] = int(shown) if shown.isascii() and shown.isdigit() and len(shown) < 4 else 1
    at = min(max(int(st.session_state.get(_PLACE, 1)), 1), last)
    wanted = str(at) if at > 1 or shown else ""
    if wanted != shown:
        st.query_params["stop"] = wanted
    st.session_state[_PLACE], st.session_state[_WRITTEN] = at, wanted
    return at


def _go(at: int) -> None:
    st.session_state[_PLACE], st.session_state[_TOUCHED] = at, True


def _steps(at: int, titles: list[str]) -> None:
    """Progress, and the ways to the neighbouring stops, also by the arrow keys."""
    with st.container(horizontal=True, vertical_alignment="center", key="learn-steps"):
        _step("Previous", "Left", at - 1, at > 1, ":material/arrow_back:")
        st.progress(at / len(titles), f"Stop {at} of {len(titles)}")
        _step("Next", "Right", at + 1, at < len(titles), ":material/arrow_forward:")


def _step(label: str, shortcut: str, to: int, is_there: bool, icon: str) -> None:
    st.button(label, key=f"learn-{label}", shortcut=shortcut, disabled=not is_there, on_click=_go, args=(to,), icon=icon)
