"""The command that opens the app."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.commands.base import DEFAULT_STORE, StoreOption, command


@command("app", order=91)
def start_app(
    port: Annotated[int, typer.Option("--port", help="Port to listen on.")] = 8501,
    address: Annotated[str, typer.Option("--address", help="Address to listen on.")] = "127.0.0.1",
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Open the app in a browser."""
    from workbench.ui.launch import launch  # The app's libraries are heavy; no other command needs them.

    launch(store, port=port, address=address)
