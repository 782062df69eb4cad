"""``mmrag list``, ``show``, ``remove`` and ``status``."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from mmrag.cli.as_json import document_json, file_json, page_json, status_json
from mmrag.cli.finding import find_text, layout_boxes
from mmrag.cli.options import (
    PUBLIC,
    JsonOption,
    LibraryOption,
    ReaderOption,
    WhereOption,
    boxes_from,
    open_library,
    reader_from,
)
from mmrag.cli.output import clean, print_json, put, render, say, write_file
from mmrag.errors import LibraryError

DocumentArgument = Annotated[
    str,
    typer.Argument(metavar="DOCUMENT", help="The document's id, the start of it, its file name or path."),
]


def list_documents(
    library: LibraryOption = None,
    where: WhereOption = None,
    reader: ReaderOption = PUBLIC,
    as_json: JsonOption = False,
) -> None:
    """List the documents, by name.

    In a pipe: one line a document, its fields parted by tabs.
    """
    who = reader_from(reader)
    with open_library(library) as opened:
        documents = opened.documents(where=where, reader=who)
    if as_json:
        print_json({"documents": [document_json(document) for document in documents]})
        return
    rows = [
        (
            document.id[:12],
            document.name,
            document.identity.label(),
            f"{document.statuses.get('indexed', 0)} of {document.pages}",
            ", ".join(document.tags),
        )
        for document in documents
    ]
    if not sys.stdout.isatty():
        for row in rows:
            typer.echo("\t".join(" ".join(clean(field).split()) for field in row))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for heading in ("id", "name", "document", "pages indexed", "tags"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text(clean(field)) for field in row))
    render(table)


def show(
    document: DocumentArgument,
    page: Annotated[int, typer.Argument(metavar="PAGE", min=1, help="The page, from 1, as viewers count.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The PNG to write. By default DOCUMENT-pPAGE.png here."),
    ] = None,
    find: Annotated[
        str | None, typer.Option("--find", metavar="TEXT", help="Box every place where this text stands.")
    ] = None,
    box: Annotated[
        list[str] | None,
        typer.Option("--box", metavar="X0,Y0,X1,Y1", help="A box in points from the top left; repeatable."),
    ] = None,
    crop: Annotated[
        bool, typer.Option("--crop", help="Cut the picture to the lines around the boxes.")
    ] = False,
    library: LibraryOption = None,
    reader: ReaderOption = PUBLIC,
    as_json: JsonOption = False,
) -> None:
    """Write a page's picture with boxes on it.

    Prints where. Without --find and --box, the boxes are the page's paragraphs, tables and figures
    as mmrag read them.
    """
    who = reader_from(reader)
    boxes = boxes_from(box or ())
    with open_library(library) as opened:
        read = opened.page(document, page, reader=who)
        if as_json and read.image is None:
            print_json({**page_json(read), "boxes": [], "path": None})
            return
        if find is not None:
            found = find_text(read, find)
            if not found:
                raise LibraryError(
                    f"{find!r} does not stand on the page",
                    where=f"{document}, page {page}",
                    remedy="Give words as they stand there, or leave --find out to see what was read.",
                )
            boxes += found
        if not boxes:
            boxes = layout_boxes(read)
        data = opened.overlay(document, page, boxes, reader=who, crop=crop)
    path = write_file(out or Path(f"{Path(document).stem}-p{page}.png"), data)
    if as_json:
        print_json({**page_json(read), "boxes": [list(place) for place in boxes], "path": str(path)})
        return
    for note in read.notes:
        say(f"page {page}: {note}")
    put(str(path))


def remove(
    document: DocumentArgument,
    library: LibraryOption = None,
    reader: ReaderOption = PUBLIC,
    as_json: JsonOption = False,
) -> None:
    """Remove a document and everything kept of it.

    The name of a file that could not be opened is taken too: `status` tells of it no more.
    """
    from mmrag.records import FileNote

    who = reader_from(reader)
    with open_library(library) as opened:
        gone = opened.remove(document, reader=who)
    if isinstance(gone, FileNote):
        if as_json:
            print_json({"removed": file_json(gone)})
        else:
            put(f"removed the note on {gone.name} ({gone.status})")
        return
    if as_json:
        print_json({"removed": document_json(gone)})
    else:
        put(f"removed {gone.name} ({gone.id[:12]}), {gone.pages} pages")


def status(
    library: LibraryOption = None,
    reader: Annotated[
        str | None,
        typer.Option(
            "--reader",
            metavar="TENANT[:GROUP,...]",
            help="Tell of this reader's documents alone; by default of all, since the library is yours.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what the library holds.

    Every page that cannot be found and every file that could not be opened is named, with the reason and
    what to do.
    """
    who = reader_from(reader) if reader is not None else None
    with open_library(library) as opened:
        state = opened.status(reader=who)
    if as_json:
        print_json(status_json(state))
        return
    put(f"library {state.path}, embedder {state.embedder}")
    put(f"{state.documents} documents, {state.pages} pages, {state.chunks} passages, {state.bytes:,} bytes")
    for name, count in sorted(state.statuses.items()):
        put(f"{count} pages {name}")
    for name, count in sorted(Counter(note.status for note in state.files).items()):
        put(f"{count} files not added: {name}")
    for page in state.unindexed:
        put(f"not indexed: {page.name}, page {page.page}: {_told(page.status, page.reason)}")
    for file in state.files:
        put(f"not added: {_told(file.status, file.reason, file.path)}")
    for path in state.interrupted:
        put(f"interrupted, add it again to finish: {path}")


def _told(status: str, reason: str, path: str = "") -> str:
    """A status with its reason and what to do, each once; the reason of a file mostly names it itself."""
    from mmrag.status import remedy_of

    remedy = remedy_of(status, reason)
    named = reason if not path or path in reason else f"{path}: {reason}"
    text = named.rstrip()
    if remedy not in text:
        text = f"{text.rstrip('.')}. {remedy}" if text else remedy
    return f"{status}, {text}"
