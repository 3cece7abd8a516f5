"""Starts the app: what ``workbench app`` runs."""

from __future__ import annotations

import os
import socket
import sys
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import NoReturn

from workbench.errors import MissingPart, WorkbenchError
from workbench.ui.access import REQUIRED_VARIABLE
from workbench.ui.context import STORE_VARIABLE

APP = Path(__file__).resolve().parents[2] / "app.py"


def launch(store: Path, port: int = 8501, address: str = "127.0.0.1") -> NoReturn:
    """Run the app until it is stopped. Does not return: this process becomes the app's server.

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
        If the port is taken, the address is not this machine's, or a secrets file can't be read.
    """
    if not APP.exists():
        raise MissingPart(f"{APP} is missing: run the app from a checkout (pip install -e .)")
    command = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.port", str(port), "--server.address", address]
    environment = os.environ | {STORE_VARIABLE: str(store.resolve())}
    if _has_sign_in():
        environment[REQUIRED_VARIABLE] = "required"  # should the secrets file go while the app runs
    elif not _is_loopback(address):
        print(
            f"workbench: anyone who reaches {address} port {port} can read this store and label in it: set up sign-in "
            "(docs/access.md) or listen on 127.0.0.1",
            file=sys.stderr,
        )
    # In the project's folder, where Streamlit finds its settings.
    _require_free(address, port)
    _become(command, APP.parent, environment)


def _is_loopback(address: str) -> bool:
    with suppress(ValueError):
        return ip_address(address).is_loopback
    return address == "localhost"


def _has_sign_in() -> bool:
    """Whether a secrets file that Streamlit will find has the section for it; what else is in it, the app itself checks."""
    named = os.environ.get("STREAMLIT_SECRETS_FILES", "")
    usual = [Path.home() / ".streamlit" / "secrets.toml", APP.parent / ".streamlit" / "secrets.toml"]
    for file in map(Path, named.split(",")) if named else usual:
        try:
            if "auth" in tomllib.loads(file.read_text(encoding="utf-8")):
                return True
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            raise WorkbenchError(f"the secrets file {file} can't be read: {error}") from error
    return False


def _require_free(address: str, port: int) -> None:
    try:
        family, *_, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        socket.create_server(place[:2], family=family).close()
    except OSError as error:
        raise WorkbenchError(
            f"the app can't listen on {address} port {port} ({error.strerror}): name another one with --port"
        ) from error


def _become(command: list[str], folder: Path, environment: Mapping[str, str]) -> NoReturn:
    """Turn this process into the server: a signal meant for the app then reaches it, and nothing can be left behind."""
    os.chdir(folder)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command[0], command, environment)
