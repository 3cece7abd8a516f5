"""Starts the app: what ``workbench app`` runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from workbench.errors import MissingPart, WorkbenchError
from workbench.ui.context import STORE_VARIABLE

APP = Path(__file__).resolve().parents[2] / "app.py"


def launch(store: Path, port: int = 8501, address: str = "127.0.0.1") -> None:
    """Run the app until it is stopped.

    Parameters
    ----------
    store : Path
        The store that the app starts with; it need not exist yet.
    port : int
    address : str
        What to listen on; by default this machine only.

    Raises
    ------
    MissingPart
        If the app's entry file is not beside the package.
    WorkbenchError
        If the server ends with an error, such as a port that is taken.
    """
    if not APP.exists():
        raise MissingPart(f"{APP} is missing: run the app from a checkout (pip install -e .)")
    command = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.port", str(port), "--server.address", address]
    # In the project's folder, where Streamlit finds its settings.
    code = _serve(command, APP.parent, os.environ | {STORE_VARIABLE: str(store.resolve())})
    if code:
        raise WorkbenchError(
            f"the app's server ended with code {code}; if the port {port} is taken, name another one with --port"
        )


def _serve(command: list[str], folder: Path, environment: Mapping[str, str]) -> int:
    """Run the server to its end; its exit code, 0 where it was interrupted, which is how an app is stopped."""
    with subprocess.Popen(command, cwd=folder, env=environment) as server:
        try:
            return server.wait()
        except KeyboardInterrupt:
            server.wait()  # it was interrupted as well, and first finishes the case that a job is at
            return 0
