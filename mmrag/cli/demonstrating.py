"""``mmrag demo``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from mmrag.cli.adding import outcome, summary, watch
from mmrag.cli.as_json import answer_json, report_json
from mmrag.cli.asking import answer_lines
from mmrag.cli.crops import save_crops
from mmrag.cli.options import JsonOption, open_library
from mmrag.cli.output import print_json, put, say


def demo(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH]...", help="Your own files or folders, added beside the demo's."),
    ] = None,
    library: Annotated[
        Path, typer.Option("--library", metavar="FOLDER", help="The demo's library, kept for a second run.")
    ] = Path("mmrag-demo"),
    crops: Annotated[
        Path | None,
        typer.Option(
            "--crops",
            metavar="FOLDER",
            help="Where pictures of cited places go. By default the library's name with -crops.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Ask three questions of bundled documents.

    Adds them, and any of yours, to a library of its own and shows what each answer rests on.
    """
    from mmrag import demo as bundled
    from mmrag.crew.crew import warm
    from mmrag.records import Reader

    warm()
    reader = Reader()
    folder = crops or library.with_name(library.name + "-crops")
    told: list[dict[str, Any]] = []
    with open_library(library, create=True) as opened:
        report = watch(opened.add([*bundled.documents(), *(paths or ())]))
        say(summary(report))
        for number, question in enumerate(bundled.QUESTIONS, start=1):
            answer = opened.ask(question)
            saved = save_crops(opened, answer, folder, reader, prefix=f"question{number}-")
            if as_json:
                told.append(answer_json(answer, [str(path) for path in saved]))
            else:
                put(f"Question {number}: {question}")
                put(answer_lines(answer, saved) + "\n")
    if as_json:
        value = {"library": str(library), "crops": str(folder), "adding": report_json(report)}
        print_json({**value, "answers": told})
    else:
        put(f"Library: {library}. Pictures of the cited places: {folder}.")
        # By its path: the demo's environment is not the shell's.
        command = shlex.quote(sys.argv[0]) if Path(sys.argv[0]).name == "mmrag" else "mmrag"
        put(f'Ask your own: {command} ask "..." --library {shlex.quote(str(library))}')
    code = outcome(report)
    if code:
        raise typer.Exit(code)
