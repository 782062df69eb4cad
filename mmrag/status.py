"""What a library holds, and what in it cannot be found: each with the reason and what to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mmrag.index.passages import unindexed_pages
from mmrag.records import PageStatus

if TYPE_CHECKING:
    from mmrag.index.store import Store
    from mmrag.records import DocumentId, FileNote, Reader

# A reason reads "What happened. What to do."
_SENTENCE = re.compile(r"[.!?]\s+(?=[^\W\d_a-z]|[\"'`])")
_REMEDIES: Mapping[str, str] = {
    PageStatus.INDEXED: "Nothing to do.",
    PageStatus.BLANK: "Nothing to do: there is nothing on the page to find.",
    PageStatus.ENCRYPTED: "Add the file again with its password: --password, or passwords= in Python.",
    PageStatus.CORRUPT: "Save the file anew from the program that made it, or print it to PDF; add that.",
    PageStatus.TOO_LARGE: "Save the page at a smaller size, or raise the limit under `read` in the settings.",
    PageStatus.UNSUPPORTED: "Export or print the file to PDF and add that.",
    PageStatus.FAILED: "Add the file again; if that fails too, print it to PDF from a viewer and add that.",
}


@dataclass(frozen=True, slots=True)
class PageNote:
    """A page that cannot be found: ``reason`` says why, ``remedy``, never empty, what to do."""

    document: DocumentId
    name: str
    page: int
    status: str
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class LibraryStatus:
    """What a library holds. ``statuses`` counts pages by status; ``bytes`` is its size on disk.

    ``interrupted`` names files whose adding was cut off: add them again to finish. ``files`` are the
    files that were handed in and could not be opened, by path.
    """

    path: Path
    embedder: str
    documents: int
    pages: int
    statuses: Mapping[str, int]
    unindexed: tuple[PageNote, ...]
    interrupted: tuple[str, ...]
    files: tuple[FileNote, ...]
    chunks: int
    bytes: int


def remedy_of(status: str, reason: str) -> str:
    """What to do about a page or file: what its reason says of it, or what mostly helps for its status."""
    end = _SENTENCE.search(reason)
    said = reason[end.end() :].strip() if end else ""
    return said or _REMEDIES.get(status, _REMEDIES[PageStatus.FAILED])


def status_of(store: Store, embedder: str, reader: Reader | None) -> LibraryStatus:
    """Count what the latest snapshot holds for a reader, or for all of them."""
    snapshot = store.snapshot()
    visible = {
        key: document
        for key, document in snapshot.documents.items()
        if reader is None or reader.may_read(document.access)
    }
    statuses: Counter[str] = Counter()
    for document in visible.values():
        statuses.update(document.statuses)
    notes = [
        PageNote(visible[key].id, visible[key].name, page, status, reason, remedy_of(status, reason))
        for key, page, status, reason in unindexed_pages(snapshot)
        if key in visible
    ]
    files = [path for path in store.root.rglob("*") if path.is_file()]
    return LibraryStatus(
        path=store.root,
        embedder=embedder,
        documents=len(visible),
        pages=sum(statuses.values()),
        statuses=dict(sorted(statuses.items())),
        unindexed=tuple(sorted(notes, key=lambda note: (note.name, note.document, note.page))),
        interrupted=tuple(
            document.path
            for document in snapshot.interrupted
            if reader is None or reader.may_read(document.access)
        ),
        files=tuple(note for note in snapshot.files if reader is None or reader.may_read(note.access)),
        chunks=snapshot.count_chunks(visible),
        bytes=sum(path.stat().st_size for path in files if path.exists()),
    )
