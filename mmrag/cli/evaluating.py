"""``mmrag eval``."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mmrag.cli.command import PARTLY_DONE
from mmrag.cli.options import JsonOption, open_library
from mmrag.cli.output import bars, print_json, render, say

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from mmrag.evaluate.run import Watcher


def evaluate(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder with questions.jsonl and docs/.")],
    library: Annotated[
        Path | None,
        typer.Option(
            "--library",
            metavar="FOLDER",
            help="Build the library here and keep it; what it holds already is not added again nor timed. "
            "By default a temporary one.",
        ),
    ] = None,
    answers: Annotated[
        bool, typer.Option("--answers/--no-answers", help="Ask every question too, and judge the answers.")
    ] = True,
    runs: Annotated[
        Path | None,
        typer.Option("--runs", metavar="FOLDER", help="Save qrels and rankings in the TREC formats here."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure retrieval and answers on a set.

    A set has questions whose pages are known; each leg and their fusion are measured. See docs/evaluation.md.
    """
    from mmrag.evaluate.figures import figures
    from mmrag.evaluate.report import failure_line, tables
    from mmrag.evaluate.run import run_set
    from mmrag.evaluate.sets import load_set
    from mmrag.evaluate.trec import write_runs

    evaluation_set = load_set(folder)
    with _place(library) as place, open_library(place, create=True) as opened, bars() as progress:
        run = run_set(opened, evaluation_set, answers=answers, watch=_watcher(progress))
        report = figures(run, opened.settings.search)
    if runs is not None:
        write_runs(run, runs)
    # Under --json the table is for the person who watches, so it goes where progress goes.
    render(tables(report), err=as_json)
    for failure in report["failed"]:
        say(failure_line(failure["path"], failure["reason"]))
    if as_json:
        print_json(report)
    if report["failed"]:
        raise typer.Exit(PARTLY_DONE)


@contextmanager
def _place(library: Path | None) -> Iterator[Path]:
    if library is not None:
        yield library
        return
    with tempfile.TemporaryDirectory(prefix="mmrag-eval-", ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "library"


def _watcher(progress: Bars) -> Watcher:
    from mmrag.evaluate.run import Step

    tasks = {}

    def watch(step: Step) -> None:
        if step.stage not in tasks:
            unit = "pages" if step.stage.startswith("adding") else "questions"
            tasks[step.stage] = progress.add_task(step.stage, total=None, unit=unit)
        progress.update(tasks[step.stage], completed=step.done, total=step.total or None)

    return watch
