"""The frame around every page: the list of pages, which finds itself, and the shared context in the sidebar."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import streamlit as st

from workbench.errors import StoreError
from workbench.registry import Registry
from workbench.ui import access, context

TITLE = "TagGraph Workbench"
_ASSETS = Path(__file__).parent / "assets"
Show = Callable[[], None]
Query = Mapping[str, str | list[str]]


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page of the app. ``order`` sorts the menu; pages of one ``group`` stand under its heading, those of none at the top."""

    name: str
    title: str
    icon: str
    order: int
    group: str
    show: Show


pages: Registry[PageEntry] = Registry("page", "workbench.ui.pages", "workbench.pages")


def page(name: str, title: str, *, icon: str, order: int, group: str = "") -> Callable[[Show], Show]:
    """Decorator that makes a function without arguments a page; ``name`` is its path in the URL.

    The function asks `workbench.ui.context.current` for what is chosen in the sidebar. Where it can't read the store, the page
    says why and what to do.
    """

    def enter(show: Show) -> Show:
        @functools.wraps(show)
        def shown() -> None:
            try:
                show()
            except StoreError as error:
                context.show_problem(str(error))

        pages.register(name)(PageEntry(name, title, icon, order, group, shown))
        return shown

    return enter


def in_order() -> list[PageEntry]:
    """All pages in the order of the menu."""
    return sorted((entry for _, entry in pages.items()), key=lambda entry: (entry.order, entry.name))


def run() -> None:
    """Draw the frame and the page that the URL names."""
    # A symbol's name as the icon would be fetched from a font server; this one is ours.
    st.set_page_config(page_title=TITLE, page_icon=str(_ASSETS / "icon.svg"), layout="wide")
    st.html(_ASSETS / "frame.css")
    access.require()
    targets = _targets()
    # The menu is drawn here and not by Streamlit, so that its links carry the context and can be opened in a new tab.
    chosen = st.navigation(list(targets.values()), position="hidden")
    # Whether this run opens the page, and is not a rerun of it: a page's own choices are adopted differently then.
    st.session_state["arrived"] = st.session_state.get("page") != chosen.url_path
    st.session_state["page"] = chosen.url_path
    menu = st.sidebar.container(key="menu")
    context.sidebar()
    with menu:
        _menu(targets)
    with st.sidebar:
        access.show_person()
    chosen.run()


def _targets() -> dict[str, st.Page]:
    entries = in_order()
    return {
        entry.name: st.Page(entry.show, title=entry.title, icon=entry.icon, url_path=entry.name, default=entry is entries[0])
        for entry in entries
    }


def _menu(targets: dict[str, st.Page]) -> None:
    st.markdown(f"**{TITLE}**")
    group = ""
    for entry in in_order():
        if entry.group != group:
            st.caption(entry.group)
            group = entry.group
        st.page_link(targets[entry.name], query_params=context.url(), width="stretch")


def link(name: str, label: str, *, icon: str | None = None, disabled: bool = False, query: Query | None = None) -> None:
    """A link to another page that keeps the context, or has the ``query`` given; nothing where no such page is registered."""
    if name in pages:
        there = context.url() if query is None else query
        st.page_link(_targets()[name], label=label, icon=icon or pages[name].icon, query_params=there, disabled=disabled)


def go(name: str) -> NoReturn:
    """Open another page in this one's place, with the context."""
    st.switch_page(_targets()[name], query_params=context.url())
