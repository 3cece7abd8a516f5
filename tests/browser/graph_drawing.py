"""Reads and clicks the drawn graph of a page."""

from __future__ import annotations

from playwright.sync_api import Page

PLACE = """id => {
    const { network, canvas } = window.__graph();
    const place = network.canvasToDOM(network.getPositions([id])[id]);
    const box = canvas.getBoundingClientRect();
    return { x: box.x + place.x, y: box.y + place.y };
}"""
FIND_DRAWING = """() => {
    const inside = (node) => {
        if (node.drawing) return node.drawing;
        const children = [...(node.shadowRoot ? [node.shadowRoot] : []), ...node.children];
        return children.map(inside).find(Boolean);
    };
    window.__graph = () => inside(document.body);
    return Boolean(window.__graph());
}"""


def drawn(page: Page) -> None:
    """Waits until the component has drawn, and lets ``window.__graph()`` give its drawing."""
    page.wait_for_selector(".graph canvas")
    page.wait_for_function(FIND_DRAWING)


def click_node(page: Page, node: str) -> None:
    place = resting_place(page, node)
    page.mouse.click(place["x"], place["y"])


def resting_place(page: Page, node: str) -> dict[str, float]:
    """Where a node is on the screen, once the page above it and the drawing have come to rest."""
    before, place = None, page.evaluate(PLACE, node)
    while place != before:
        page.wait_for_timeout(400)
        before, place = place, page.evaluate(PLACE, node)
    return place


def node_ids(page: Page) -> list[str]:
    """Ids of the drawn nodes, without captions."""
    return page.evaluate("() => window.__graph().nodes.getIds().filter((id) => !id.startsWith('caption:'))")
