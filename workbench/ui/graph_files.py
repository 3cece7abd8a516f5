"""A drawn graph as a file: a page that works offline, a frame for notebooks, GraphML."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any

import networkx as nx

from workbench import colours
from workbench.colours import Theme
from workbench.ui.graph_view import FONT, GraphView, legend, network


def offline_html(view: GraphView, title: str, theme: Theme = "light", height: int = 720) -> str:
    """A page that shows the graph from disk with the network off: pyvis' own template with vis-network in line.

    pyvis 0.3.2 keeps two tags of a content network even so (WestHealth/pyvis#229); they are taken out.

    Raises
    ------
    RuntimeError
        If the page would still load something from elsewhere: another version of pyvis brought another tag.
    """
    net = network(view, theme, height)
    for node in net.nodes:
        if "title" in node:
            # pyvis takes a tooltip with this word for markup and switches all tooltips to innerHTML; a word joiner keeps it text.
            node["title"] = node["title"].replace("href", "h\u2060ref")
    page = net.generate_html(notebook=False)
    page = re.sub(r"<(script|link)\b[^>]*\bbootstrap[^>]*>(\s*</script>)?", "", page)
    page = re.sub(r"<center>\s*<h1></h1>\s*</center>", "", page)
    if outside := outside_references(page):
        raise RuntimeError(f"the stand-alone graph would load {outside[0]}; expected no reference outside the page")
    text, muted, back = colours.TEXT[theme], colours.MUTED[theme], colours.BACKGROUND[theme]
    words = " · ".join(words for _, words in legend(view))
    head = (
        f'<body style="margin:16px;background:{back};color:{text};font-family:{FONT}">'
        f'<h1 style="font-size:20px;margin:0 0 4px">{html.escape(title)}</h1>'
        f'<p style="font-size:13px;margin:0 0 12px;color:{muted}">{html.escape(view.count_line())}<br>{html.escape(words)}</p>'
    )
    page = page.replace("<body>", head, 1).replace("<html>", "<!doctype html>\n<html>", 1)
    return page.replace("<head>", f"<head><title>{html.escape(title)}</title>", 1)


def outside_references(page: str) -> list[str]:
    """Addresses outside the page that a browser would load from it."""
    return re.findall(r"""(?:\b(?:src|href)\s*=\s*["']?|url\(\s*["']?|@import\s+["'])((?:https?:)?//[^"'\s)>]+)""", page)


def notebook_html(view: GraphView, title: str = "", theme: Theme = "light", height: int = 560) -> str:
    """The offline page in a frame of its own, for ``IPython.display.HTML``: neither can disturb the other."""
    inner = html.escape(offline_html(view, title, theme, height - 110))
    return (
        f'<iframe srcdoc="{inner}" sandbox="allow-scripts" title="{html.escape(title or "Graph")}" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )


def graphml(graph: nx.DiGraph) -> bytes:
    """The graph as GraphML in UTF-8, lists joined by commas. Characters that XML can't hold become U+FFFD."""
    plain = nx.DiGraph()
    plain.add_nodes_from((_xml(node), _xml_attributes(data)) for node, data in graph.nodes(data=True))
    plain.add_edges_from((_xml(a), _xml(b), _xml_attributes(data)) for a, b, data in graph.edges(data=True))
    return "\n".join(nx.generate_graphml(plain)).encode()


def _xml_attributes(data: Mapping[str, Any]) -> dict[str, Any]:
    joined = ((name, ",".join(value) if isinstance(value, list | tuple) else value) for name, value in data.items())
    return {name: _xml(value) if isinstance(value, str) else value for name, value in joined}


def _xml(text: str) -> str:
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
