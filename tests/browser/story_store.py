"""The app over a small store: one demo story and one conversation with hostile text."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STORY = {"benchmark": "atant_demo", "case": "atant_demo/demo_01", "question": "demo_01_q1"}


def serve_story(serve: Callable[..., str], folder: Path, hostile_text: str) -> str:
    """Load both on the command line and serve the app; the address is returned."""
    hostile = folder / "hostile.jsonl"
    turns = [
        {"role": "user", "content": f"My sister bakes bread. {hostile_text}"},
        {"role": "assistant", "content": hostile_text},
    ]
    hostile.write_text(json.dumps({"messages": turns}) + "\n", encoding="utf-8")
    store = folder / "test.duckdb"
    story = ROOT / "data" / "demo" / "stories" / "01_the_second_bakery.yaml"
    command = [sys.executable, "-m", "workbench", "load", str(story), str(hostile), "--store", str(store)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=240)
    return serve(ROOT / "app.py", WORKBENCH_STORE=str(store))
