"""URLs that name what can't be: the page says so, or goes on without."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from workbench.ui.context import STORE_VARIABLE
from workbench.ui.node_panel import plain


def _sidebar() -> None:
    import streamlit as st

    from workbench.ui import context

    st.text(context.sidebar().problem)


def _page(name: str) -> None:
    from workbench.ui import context
    from workbench.ui.navigation import pages

    context.sidebar()
    pages[name].show()


@pytest.mark.parametrize(
    "store", ["~nobody_of_that_name/x", "x" * 5000, "a\0b", "/dev/null", ".", "README.md", "\u202ex", "s3://a/b"]
)
def test_a_store_in_the_url_that_is_none_is_told(store: str) -> None:
    page = AppTest.from_function(_sidebar, default_timeout=60)
    page.query_params["store"] = store
    page.run()
    assert not page.exception, page.exception
    assert page.main.text[0].value


@pytest.mark.parametrize(
    ("name", "query"),
    [("graph", {"view": "", "layout": ""}), ("diagnose", {"k": "1e400"}), ("diagnose", {"k": "nan"}), ("diagnose", {"k": ""})],
)
def test_a_page_goes_on_without_a_choice_that_is_none(
    demo_store: Path, monkeypatch: pytest.MonkeyPatch, name: str, query: dict[str, str]
) -> None:
    monkeypatch.setenv(STORE_VARIABLE, str(demo_store))
    page = AppTest.from_function(_page, args=(name,), default_timeout=100)
    for key, value in ({"case": "atant_demo/demo_01"} | query).items():
        page.query_params[key] = value
    page.run()
    assert not page.exception, page.exception
    assert not query.keys() & page.query_params.keys()


def test_an_address_in_a_text_is_made_no_link() -> None:
    shown = plain("https://evil.example www.evil.example a@evil.example")
    for address in ("://", "www\\.", "a@"):
        assert address not in shown
    assert shown.replace("\u2060", "").replace("\\", "") == "https://evil.example www.evil.example a@evil.example"
