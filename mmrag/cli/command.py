"""How every command ends: errors become one message, an exit code and, with --json, an object."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

from mmrag.cli.output import print_json, say
from mmrag.errors import FilterError, MmragError

NOTHING_DONE = 1
USAGE = 2
PARTLY_DONE = 3
INTERRUPTED = 130


class Command(TyperCommand):
    """A command whose :class:`MmragError` is shown without a traceback."""

    # The context's class is click's or typer's own copy of it, by the version of typer.
    def invoke(self, ctx: Any) -> Any:
        """Run the command; its own errors end it with 1 (2 for a filter), an interrupt with 130."""
        try:
            return super().invoke(ctx)
        except MmragError as error:
            say(f"Error: {error}")
            if ctx.params.get("as_json"):
                print_json({"error": error_json(error)})
            raise typer.Exit(USAGE if isinstance(error, FilterError) else NOTHING_DONE) from error
        except (KeyboardInterrupt, Exception) as error:
            if not interrupted(error):
                raise
            say("Interrupted: documents that were finished are kept; the same command goes on with the rest.")
            raise typer.Exit(INTERRUPTED) from error


def interrupted(error: BaseException) -> bool:
    """Whether an interrupt is the error, or what it was raised over.

    Closing a library whose adding was cancelled raises an error of its own while the interrupt is on its way.
    """
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt):
            return True
        seen = seen.__context__
    return False


def error_json(error: MmragError) -> dict[str, str]:
    """The parts of an error as plain JSON."""
    return {
        "kind": type(error).__name__,
        "what": error.what,
        "where": error.where,
        "remedy": error.remedy,
    }
