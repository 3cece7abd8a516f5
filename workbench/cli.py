"""The command line: the same core as the app, headless (``workbench --help``).

Exit code 0: done. 1: the work failed; one line says why and what to do. 2: wrong usage.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

import workbench
from workbench.commands.base import commands
from workbench.errors import WorkbenchError

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, help=workbench.__doc__)
for _name, _command in sorted(commands.items(), key=lambda item: item[1].order):
    app.command(_name)(_command.function)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        code = app(arguments, standalone_mode=False, prog_name="workbench")
    except (typer.Abort, KeyboardInterrupt):
        print("workbench: stopped", file=sys.stderr)
        return 1
    except typer.exceptions.TyperException as error:
        print(f"workbench: {error.format_message()} (workbench --help)", file=sys.stderr)
        return 2
    except (WorkbenchError, KeyError, ValueError) as error:
        print(f"workbench: {error.args[0]}", file=sys.stderr)
        return 1
    return code if isinstance(code, int) else 0


def entry() -> None:
    """The console script."""
    sys.exit(main())


if __name__ == "__main__":
    entry()
