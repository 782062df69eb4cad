"""``mmrag add``, and the adding that ``ask --in`` and ``demo`` do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mmrag.cli.as_json import report_json
from mmrag.cli.command import NOTHING_DONE, PARTLY_DONE
from mmrag.cli.options import (
    PUBLIC,
    JsonOption,
    LibraryOption,
    PasswordOption,
    open_library,
    passwords_from,
)
from mmrag.cli.output import bars, print_json, put, say

if TYPE_CHECKING:
    from mmrag.adding.handle import Adding
    from mmrag.records import AddReport, Progress

SOUND = frozenset({"indexed", "blank"})
"""Page statuses that leave nothing to mend."""
NOTHING_FOUND = "no document or picture was found there"
KINDS = "PDF, PowerPoint, Word, OpenDocument, PNG, JPEG, TIFF, WebP"


class ProgressMode(StrEnum):
    """How ``--progress`` tells of progress on stderr."""

    AUTO = "auto"
    JSON = "json"
    NONE = "none"


def add(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...", readable=False, help=f"Files ({KINDS}), and folders to look for them in."
        ),
    ],
    library: LibraryOption = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag for the documents; repeatable.")
    ] = None,
    tenant: Annotated[
        str, typer.Option("--tenant", metavar="TENANT", help="The tenant whose readers may read them.")
    ] = PUBLIC,
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group", metavar="GROUP", help="A group that may read them; repeatable. By default all groups."
        ),
    ] = None,
    password: PasswordOption = None,
    prune: Annotated[
        bool,
        typer.Option(
            "--prune",
            help="Also drop documents whose files under these paths are gone. A folder that is not there, "
            "or cannot be listed, drops nothing.",
        ),
    ] = False,
    progress: Annotated[
        ProgressMode,
        typer.Option(
            "--progress",
            help="On stderr. auto: a bar of pages; json: a JSON object a line for each step and no text; "
            "none: only what went wrong.",
        ),
    ] = ProgressMode.AUTO,
    as_json: JsonOption = False,
) -> None:
    """Add documents to the library.

    The same bytes are the same document, whatever the name: what the library holds already is not read again,
    only its new tags and groups are added. New bytes under a known path take the old version's place and keep
    its tags and groups. Each tenant has documents of its own.
    """
    from mmrag.crew.crew import warm
    from mmrag.records import Access

    access = Access(tenant=tenant, groups=tuple(group or ()))
    passwords = passwords_from(password)
    warm()  # a worker gets ready while the library is opened
    with open_library(library, create=True) as opened:
        adding = opened.add(paths, access=access, tags=tag or (), passwords=passwords, prune=prune)
        report = watch(adding, progress)
    code = outcome(report)
    if as_json:
        value = report_json(report)
        if code == NOTHING_DONE:
            value["error"] = {
                "kind": "IngestError",
                "what": _nothing(report),
                "where": ", ".join(str(path) for path in paths),
                "remedy": "Each file is in failed, with the reason and what to do.",
            }
        print_json(value)
    else:
        put(summary(report))
    if code == NOTHING_DONE:
        say(f"Error: {_nothing(report)}")
    if code:
        raise typer.Exit(code)


def watch(
    adding: Adding, mode: ProgressMode = ProgressMode.AUTO, troubles: list[str] | None = None
) -> AddReport:
    """Wait for the end of adding; tell on stderr how it goes and what went wrong, or fill ``troubles``."""
    tell = troubles is None and mode is not ProgressMode.JSON
    troubles = [] if troubles is None else troubles
    if mode is ProgressMode.AUTO:
        _show_bar(adding, troubles)
    else:
        for event in _watched(adding):
            troubles.extend(_trouble(event))
            if mode is ProgressMode.JSON:
                print_json(dataclasses.asdict(event), err=True)
    for trouble in troubles if tell else ():
        say(trouble)
    return adding.report()


def _show_bar(adding: Adding, troubles: list[str]) -> None:
    total = files = at = 0
    with bars() as progress:
        task = progress.add_task("looking for files", total=None, unit="pages")
        for event in _watched(adding):
            troubles.extend(_trouble(event))
            if event.kind == "files_found":
                files = event.files
            elif event.kind in {"file_skipped", "file_failed"}:
                at += 1
            elif event.kind == "file_started":
                at += 1
                total += event.pages
                # While files are still to be opened nobody knows how many pages there are in all.
                where = f" ({at} of {files} files)" if files > 1 else ""
                progress.update(task, description=f"adding {Path(event.path).name}{where}", total=total)
            elif event.kind == "page_done":
                progress.advance(task)
        progress.update(task, description="added", visible=bool(total))


def _trouble(event: Progress) -> Iterator[str]:
    """What a person should know of: a page or a file that cannot be found, a file that is gone."""
    name = Path(event.path).name
    if event.kind == "page_done" and event.status not in SOUND:
        yield f"{name}, page {event.page}: {event.status}, {event.reason}"
    elif event.kind == "file_failed":
        yield event.reason  # it names the path itself
    elif event.kind == "file_pruned":
        yield f"{event.path}: {event.reason}, and so is what was kept of it"


def _watched(adding: Adding) -> Iterator[Progress]:
    """The events; an interrupt stops the work at the next page, and what is done stays."""
    try:
        yield from adding
    except (KeyboardInterrupt, GeneratorExit):
        adding.cancel()
        raise


def outcome(report: AddReport) -> int:
    """The exit code that adding deserves."""
    if not report.added and not report.skipped and (report.failed or not report.pruned):
        return NOTHING_DONE
    bad_pages = any(count for status, count in report.statuses.items() if status not in SOUND)
    return PARTLY_DONE if report.failed or bad_pages else 0


def summary(report: AddReport) -> str:
    """One line on what was added, skipped and failed."""
    parts = [f"{len(report.added)} added with {report.pages} pages"]
    if report.skipped:
        parts.append(f"{len(report.skipped)} known already")
    if report.failed:
        parts.append(f"{len(report.failed)} failed")
    if report.pruned:
        parts.append(f"{len(report.pruned)} pruned")
    statuses = ", ".join(f"{count} {status}" for status, count in sorted(report.statuses.items()) if count)
    return f"{', '.join(parts)} in {report.seconds:.1f} s" + (f" (pages: {statuses})" if statuses else "")


def _nothing(report: AddReport) -> str:
    if report.failed:
        return "no file could be added"
    return f"{NOTHING_FOUND}. Give files ({KINDS}), or folders that hold some."
