"""What tabs that rewrite an extraction share: which one is rewritten, and the variant's name with the button that makes it."""

from __future__ import annotations

import streamlit as st

from workbench.diagnose.rewriting import Rewriting
from workbench.ui import extractions_work as work
from workbench.ui.context import Context
from workbench.ui.evaluate_jobs import require_free
from workbench.ui.extractions_work import Kept
from workbench.words import visible


def ask_base(kept: Kept, key: str) -> str:
    """The extraction that is looked at and rewritten; asked only where several are compared."""
    labels = kept.found.labels
    if len(labels) < 2:
        return labels[0]
    return st.selectbox("Extraction", labels, format_func=visible, key=key, width=400) or labels[0]


def ask_name(chosen: Context, kept: Kept, base: str, rule: Rewriting, does: str, is_change: bool) -> None:
    """The variant's name and the button that stores it over all cases of its base, then runs the sidebar's methods under both."""
    key = f"variant-name-{type(rule).__name__}"
    name = st.text_input("Name of the variant", key=key, width=260, placeholder="a name of its own")
    busy = require_free(kept.path)
    st.button(
        f"{does}, keep as a variant",
        key=f"make-{type(rule).__name__}",
        type="primary",
        icon=":material/save:",
        disabled=bool(busy or not is_change or not name.strip()),
        help=busy or (None if name.strip() else "Give the variant a name first."),
        on_click=work.start_variant,
        args=(kept.request, base, rule, key, chosen.registered_methods),
    )
    if busy:
        st.caption("Work is under way: its progress stands at the top of the page.")
    methods = ", ".join(chosen.registered_methods) or "no method"
    st.caption(f"The extraction itself stays as it is. Measured before and after under {methods}: choose others in the sidebar.")
