"""The command line: ``mmrag``, one file per group of commands.

Data goes to stdout, progress and errors to stderr. Nothing heavy is imported until a command runs.
"""

from __future__ import annotations

import io
import sys

from mmrag.cli.app import app


def main() -> None:
    """Run the command line; exits with the code that docs/cli.md explains."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character shows a question mark; it never ends the command.
            stream.reconfigure(errors="replace")
    app(prog_name="mmrag")


__all__ = ["app", "main"]
