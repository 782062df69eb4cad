"""``mmrag add``, and the adding that ``ask --in`` and ``demo`` do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mmrag.cli.as_json import report_json
from mmrag.cli.command import NOTHING_DONE, PARTLY_DONE
from mmrag.cli.options import PUBLIC, JsonOption, LibraryOption, open_library
from mmrag.cli.output import bars, print_json, put, say

if TYPE_CHECKING:
    from mmrag.adding import Adding
    from mmrag.library import Library
    from mmrag.records import Access, AddReport, Progress

SOUND = frozenset({"indexed", "blank"})
"""Page statuses that leave nothing to mend."""


def add(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="PDF files, and folders to look for them in.")
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
    as_json: JsonOption = False,
) -> None:
    """Add documents to the library.

    The same bytes are the same document, whatever the name: what the library holds already is not read again,
    only its new tags and groups are added. New bytes under a known path take the old version's place and keep
    its tags and groups. Each tenant has documents of its own.
    """
    from mmrag.records import Access

    access = Access(tenant=tenant, groups=tuple(group or ()))
    with open_library(library, create=True) as opened:
        report = add_with_bars(opened, paths, access=access, tags=tag or ())
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


def add_with_bars(
    library: Library,
    paths: Sequence[Path | str],
    *,
    access: Access | None = None,
    tags: Sequence[str] = (),
    troubles: list[str] | None = None,
) -> AddReport:
    """Add ``paths`` under a bar of pages; what went wrong is told on stderr, or put into ``troubles``."""
    adding = library.add(paths, access=access, tags=tags)
    tell = troubles is None
    troubles = [] if troubles is None else troubles
    total = 0
    with bars() as progress:
        task = progress.add_task("adding", total=None, unit="pages")
        for event in _watched(adding):
            name = Path(event.path).name
            if event.kind == "file_started":
                total += event.pages
                progress.update(task, description=f"adding {name}", total=total)
            elif event.kind == "page_done":
                progress.advance(task)
                if event.status not in SOUND:
                    troubles.append(f"{name}, page {event.page}: {event.status}, {event.reason}")
            elif event.kind == "file_failed":
                troubles.append(event.reason)  # it names the path itself
        progress.update(task, description="added", visible=bool(total))
    for trouble in troubles if tell else ():
        say(trouble)
    return adding.report()


def _watched(adding: Adding) -> Iterator[Progress]:
    """The events; an interrupt stops the work at the next page, and what is done stays."""
    try:
        yield from adding
    except (KeyboardInterrupt, GeneratorExit):
        adding.cancel()
        raise


def outcome(report: AddReport) -> int:
    """The exit code that adding deserves."""
    if not report.added and not report.skipped:
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
    statuses = ", ".join(f"{count} {status}" for status, count in sorted(report.statuses.items()) if count)
    return f"{', '.join(parts)} in {report.seconds:.1f} s" + (f" (pages: {statuses})" if statuses else "")


def _nothing(report: AddReport) -> str:
    if report.failed:
        return "no file could be added"
    return "no PDF was found there. Give PDF files, or folders that hold some."
