"""A store named in the URL that can't be one: the page says so."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def _script() -> None:
    import streamlit as st

    from workbench.ui import context

    st.text(context.sidebar().problem)


@pytest.mark.parametrize(
    "store", ["~nobody_of_that_name/x", "x" * 5000, "a\0b", "/dev/null", ".", "README.md", "\u202ex", "s3://a/b"]
)
def test_a_store_in_the_url_that_is_none_is_told(store: str) -> None:
    page = AppTest.from_function(_script, default_timeout=60)
    page.query_params["store"] = store
    page.run()
    assert not page.exception, page.exception
    assert page.main.text[0].value
