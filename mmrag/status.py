"""What a library holds, and what in it cannot be found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mmrag.index.passages import unindexed_pages

if TYPE_CHECKING:
    from mmrag.index.store import Store
    from mmrag.records import DocumentId, Reader


@dataclass(frozen=True, slots=True)
class PageNote:
    """A page that cannot be found, and why."""

    document: DocumentId
    name: str
    page: int
    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class LibraryStatus:
    """What a library holds. ``statuses`` counts pages by status; ``bytes`` is its size on disk.

    ``interrupted`` names files whose adding was cut off: add them again to finish.
    """

    path: Path
    embedder: str
    documents: int
    pages: int
    statuses: Mapping[str, int]
    unindexed: tuple[PageNote, ...]
    interrupted: tuple[str, ...]
    chunks: int
    bytes: int


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
        PageNote(visible[key].id, visible[key].name, page, status, reason)
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
        chunks=snapshot.count_chunks(visible),
        bytes=sum(path.stat().st_size for path in files if path.exists()),
    )
