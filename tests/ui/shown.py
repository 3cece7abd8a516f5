"""What a page under test shows, by the way in which it is drawn."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

HOSTILE = "</script><img src=x onerror=alert(1)> [link](https://evil.example) $x^2$ :red[colour] **bold**"
"""Text that would be more than text as HTML, Markdown or TeX."""


def texts(page: AppTest) -> str:
    """All that the page shows as plain text."""
    return "\n".join(element.value for element in page.text)


def html(page: AppTest) -> str:
    """All HTML that the page draws."""
    return "\n".join(element.proto.body for element in page.get("html"))


def markdown(page: AppTest) -> str:
    """All that the page hands to the Markdown renderer, labels and help texts of widgets included."""
    shown = [element.value for element in (*page.markdown, *page.caption, *page.header, *page.info, *page.title)]
    widgets = (*page.button, *page.selectbox, *page.text_input, *page.multiselect, *page.expander)
    return "\n".join([*shown, *(str(getattr(widget, name, "")) for widget in widgets for name in ("label", "help"))])
