"""The typer application: every command under its name, with the help that all of them share."""

from __future__ import annotations

from typing import Annotated

import typer

from mmrag.cli import adding, asking, demonstrating, evaluating, managing
from mmrag.cli.command import Command

EPILOG = (
    "Exit codes: 0 done; 1 nothing done, the error says why; 2 the command line is wrong; "
    "3 partly done, some files or pages failed; 130 interrupted."
)

app = typer.Typer(
    help="Ask your PDFs and slides, and see the document, the page and the box each answer rests on.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        import mmrag

        typer.echo(f"mmrag {mmrag.__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Ask your PDFs and slides, and see the document, the page and the box each answer rests on."""


for _name, _function in (
    ("add", adding.add),
    ("search", asking.search),
    ("ask", asking.ask),
    ("list", managing.list_documents),
    ("show", managing.show),
    ("remove", managing.remove),
    ("status", managing.status),
    ("demo", demonstrating.demo),
    ("eval", evaluating.evaluate),
):
    app.command(_name, cls=Command, epilog=EPILOG)(_function)
