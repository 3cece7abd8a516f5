"""A lesson as one HTML file that opens from disk without a network.

Its script and style stand in it, and its policy lets nothing else run or load. What was said in a case is data in the file, and
the script puts it on the page as text only.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import asdict
from html import escape
from pathlib import Path

from workbench import colours
from workbench.ui.lesson import Lesson

_ASSETS = Path(__file__).parent / "assets"


def lesson_html(lesson: Lesson) -> str:
    """The whole page. It follows the reader's light or dark theme."""
    script = (_ASSETS / "lesson.js").read_text(encoding="utf-8")
    parts = {
        "title": escape(f"{lesson.question} · a lesson"),
        "policy": f"default-src 'none'; style-src 'unsafe-inline'; script-src '{_digest(script)}'",
        "style": _palette() + (_ASSETS / "lesson.css").read_text(encoding="utf-8"),
        "script": script,
        # In JSON "<" is as well written so: no text can end the element that holds it.
        "data": json.dumps(asdict(lesson), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
    }
    template = (_ASSETS / "lesson.html").read_text(encoding="utf-8")
    # In one pass: what a part brings is never read as a template.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)


def _digest(script: str) -> str:
    """What the policy calls the one script that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _palette() -> str:
    """The palette as CSS variables that follow the theme."""
    named = {
        "back": colours.BACKGROUND,
        "panel": colours.PANEL,
        "text": colours.TEXT,
        "muted": colours.MUTED,
        "accent": colours.ACCENT,
        "gold": colours.GOLD,
        "gold-fill": colours.GOLD_FILL,
        "seed": colours.SEED,
        **{kind: colours.KIND[kind] for kind in colours.KIND},
        **{f"{kind}-fill": colours.KIND_FILL[kind] for kind in colours.KIND_FILL},
        **{f"edge-{kind}": colours.EDGE[kind] for kind in colours.EDGE},
    }
    rows = "".join(f"  --{name}: light-dark({colour['light']}, {colour['dark']});\n" for name, colour in named.items())
    return f":root {{\n  color-scheme: light dark;\n{rows}}}\n"
