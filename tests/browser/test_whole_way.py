"""A stranger's first minutes in a real browser: an empty store, the demo, a question, a node of the graph, its note."""

from __future__ import annotations

from pathlib import Path

from graph_drawing import click_node, drawn
from playwright.sync_api import expect

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 180_000  # ms: the demo is read and tagged meanwhile


def test_from_an_empty_store_to_a_note_in_the_graph(serve, open_page, tmp_path):
    address = serve(ROOT / "app.py", WORKBENCH_STORE=str(tmp_path / "first" / "workbench.duckdb"))
    watched = open_page(address)
    page = watched.page
    page.get_by_role("button", name="Load the demo").click()
    expect(page.get_by_text("21 cases · 91 questions · 423 notes", exact=False)).to_be_visible(timeout=PATIENCE)

    page.goto(f"{address}/?case=longmemeval_demo/demo_common_word")
    card = page.locator(".st-key-card")
    expect(card.get_by_text("my new kiln", exact=False).first).to_be_visible()
    card.get_by_role("link", name="Graph").click()
    drawn(page)
    gold = page.evaluate("() => window.__graph().nodes.get().find(n => (n.label || '').startsWith('★ gold')).id")
    click_node(page, gold)
    panel = page.locator(".st-key-node-panel")
    expect(panel.get_by_text("★ gold").first).to_be_visible()
    expect(panel.get_by_text("kiln", exact=False).first).to_be_visible()
    watched.assert_clean()
