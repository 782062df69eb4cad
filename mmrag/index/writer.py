"""Writing documents: batch by batch, visible all at once, resumed where a kill left off."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mmrag.index.codec import (
    chunk_rows,
    document_key,
    document_row,
    file_key,
    file_row,
    other_rows,
    page_rows,
    row_document,
    row_file,
    row_page,
    storable,
    vector_rows,
)
from mmrag.index.disk import storage_errors
from mmrag.index.lock import write_lock
from mmrag.index.schema import CHUNKS, DOCUMENTS, FILES, PAGES, VECTORS, schemas
from mmrag.index.snapshot import ADDING, READY, REMOVING, document_states

if TYPE_CHECKING:
    from mmrag.index.store import Store
    from mmrag.records import Chunk, Document, FileNote, Page, PageVectors, Reader

# Readers may hold a snapshot this long before the files under it are cleaned away.
KEEP_VERSIONS = timedelta(hours=1)
_NOTES = 256  # files that could not be opened, written at once
# Ends the key of the row that announces new rows of a document which is seen meanwhile.
_NEW = "~new"


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive pages of one document with what was made of them."""

    pages: tuple[Page, ...]
    page_vectors: tuple[PageVectors, ...]
    chunks: tuple[Chunk, ...]
    chunk_vectors: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a document that is being written stands: its row's key in the documents table, its rows' key."""

    own: str
    rows: str


@contextmanager
def open_writer(store: Store) -> Iterator[Writer]:
    """The library's one writer.

    Raises:
        LibraryLocked: somebody else is writing.
    """
    with write_lock(store.root):
        writer = Writer(store)
        writer.sweep()
        try:
            yield writer
        finally:
            writer.flush()


class Writer:
    """Made by :func:`open_writer`; every method raises StorageError when the disk refuses."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._schemas = schemas(store.model)
        self._documents, self._pages, self._chunks, self._vectors, self._files = (
            store.table(name) for name in (DOCUMENTS, PAGES, CHUNKS, VECTORS, FILES)
        )
        self._begun: dict[str, _Place] = {}
        self._notes: dict[str, FileNote] | None = None
        self._unwritten: dict[str, FileNote] = {}

    def states(self) -> dict[str, dict[str, Any]]:
        """Key to row of the documents table, in whatever state."""
        return document_states(self._documents)

    def begin(self, document: Document, recipe: str) -> list[Page]:
        """Announce a document; its rows stay hidden until :meth:`commit`.

        A document that is seen already stays so, with the rows it has, until then.

        Args:
            document: what is known of it so far.
            recipe: fingerprint of everything that decides what its rows look like.

        Returns:
            The pages an interrupted run with the same recipe has already written, from page 1 on. The
            caller drops what was written beyond those it keeps with :meth:`forget_after`.
        """
        key = document_key(document.id, document.access.tenant)
        states = self.states()
        held = states.get(key)
        place = _Place(key, key)
        if held is not None and held["state"] == READY:
            place = _Place(key + _NEW, other_rows(key, held["rows"]))
        half = states.get(place.own)
        pages: list[Page] = []
        with storage_errors(self._store.root):
            if half is not None:
                if half["state"] == ADDING and (half["recipe"], half["pages"]) == (recipe, document.pages):
                    pages = self._resumable(place.rows, document)
                if not pages:
                    # Before the new announcement: rows made by another recipe must not pass for its own.
                    self._drop_rows(place.rows)
            row = document_row(document, ADDING, recipe, place.rows)
            self._put([{**row, "key": place.own}])
        self._begun[key] = place
        return pages

    def forget_after(self, document: Document, page: int, chunks: int) -> None:
        """Drop what was written beyond ``page`` and beyond the first ``chunks`` chunks."""
        key = self._place(document).rows
        with storage_errors(self._store.root):
            self._pages.delete(f"key = '{key}' AND page > {page}")
            self._vectors.delete(f"key = '{key}' AND page > {page}")
            self._chunks.delete(f"key = '{key}' AND \"order\" >= {chunks}")

    def write(self, document: Document, batch: Batch) -> None:
        """Add a batch; the pages' own rows go last and mark it as whole."""
        key = self._place(document).rows
        with storage_errors(self._store.root):
            for page in batch.pages:
                path = self._store.image_path(key, page.number)
                if page.image is None:
                    path.unlink(missing_ok=True)  # of a batch that was cut off
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(page.image.data)
            numbers = [page.number for page in batch.pages]
            self._add(self._vectors, vector_rows(key, numbers, batch.page_vectors, self._schemas[VECTORS]))
            self._add(self._chunks, chunk_rows(key, batch.chunks, batch.chunk_vectors, self._schemas[CHUNKS]))
            self._add(self._pages, page_rows(key, batch.pages, self._schemas[PAGES]))

    def commit(self, document: Document, recipe: str) -> Document:
        """Show the document and, in the same commit, hide what it takes the place of.

        That is its own rows of before, when it was read again, and the other documents of its path. A note
        that the file could not be opened goes too.
        """
        key = document_key(document.id, document.access.tenant)
        place = self._place(document)
        states = self.states()
        # What was begun and not finished at this path, by whatever bytes, will not be finished any more.
        older = [
            row
            for other, row in self.at_path(document.path, document.access.tenant).items()
            if other not in (key, place.own)
        ]
        versions = [1, *(1 + row["version"] for row in older if row["state"] == READY)]
        gone = [{**row, "state": REMOVING} for row in older]
        if place.own != key:
            # The announcement goes, and takes the rows of before along. They may be gone already: a new
            # version of the file they came from can have been committed meanwhile.
            before = states.get(key, {"version": 1, "rows": other_rows(key, place.rows)})
            versions.append(before["version"])
            gone.append({**states[place.own], "rows": before["rows"], "state": REMOVING})
        document = replace(document, version=max(versions))
        with storage_errors(self._store.root):
            self._put([document_row(document, READY, recipe, place.rows), *gone])
            for row in gone:
                self._drop_document(row)
        del self._begun[key]
        self.accept(document.path, document.access.tenant)
        return document

    def abandon(self, document: Document) -> None:
        """Give up what was begun; the rows that the document had before stay."""
        place = self._begun.pop(document_key(document.id, document.access.tenant), None)
        row = self.states().get(place.own) if place is not None else None
        if row is not None:
            self._hide_and_drop([row])

    def at_path(self, path: str, tenant: str) -> dict[str, dict[str, Any]]:
        """The documents of a tenant that came from ``path``, whole or interrupted: key to row."""
        return {
            key: row
            for key, row in self.states().items()
            if row["path"] == storable(path) and row["tenant"] == tenant and row["state"] in (READY, ADDING)
        }

    def interrupted(self, reader: Reader) -> list[Document]:
        """The documents whose adding was cut off, of those that ``reader`` may read."""
        half = [row_document(row) for row in self.states().values() if row["state"] == ADDING]
        return [document for document in half if reader.may_read(document.access)]

    def update(self, document: Document, recipe: str) -> None:
        """Change a visible document's name, path, tags or access."""
        held = self.states()[document_key(document.id, document.access.tenant)]
        with storage_errors(self._store.root):
            self._put([document_row(document, READY, recipe, held["rows"])])

    def remove(self, key: str) -> None:
        """Hide a document, then delete every row and image of it; nothing happens when it is gone."""
        states = self.states()
        self._begun.pop(key, None)
        self._hide_and_drop([states[own] for own in (key, key + _NEW) if own in states])

    def refuse(self, note: FileNote) -> None:
        """Keep that a file could not be opened, in the place of an earlier note on it.

        Notes are written many at a time, since each writing is a version of the table: at last by
        :meth:`flush`. One that says what is known already is not written again.
        """
        key, held = file_key(note.path, note.tenant), self._held_notes()
        if key in held and replace(held[key], seen=note.seen) == note:
            return
        held[key] = note
        self._unwritten[key] = note
        if len(self._unwritten) >= _NOTES:
            self.flush()

    def flush(self) -> None:
        """Write the notes that are not written yet."""
        notes, self._unwritten = self._unwritten, {}
        if notes:
            with storage_errors(self._store.root):
                self._merge(self._files, [file_row(note) for note in notes.values()], FILES)

    def accept(self, path: str, tenant: str) -> bool:
        """Drop the note on a file, because it is in or gone. Returns whether there was one."""
        key = file_key(path, tenant)
        if self._held_notes().pop(key, None) is None:
            return False
        self._unwritten.pop(key, None)  # an earlier one of this file may be written all the same
        with storage_errors(self._store.root):
            self._files.delete(f"key = '{key}'")
        return True

    def refused(self) -> dict[tuple[str, str], FileNote]:
        """The files that could not be opened, by path and tenant."""
        notes = self._held_notes().values()
        return {pair: note for pair, note in sorted(((note.path, note.tenant), note) for note in notes)}

    def sweep(self) -> None:
        """Finish removals that a kill interrupted."""
        with storage_errors(self._store.root):
            for row in self.states().values():
                if row["state"] == REMOVING:
                    self._drop_document(row)

    def optimize(self) -> None:
        """Merge small fragments, bring indexes up to date, drop versions older than KEEP_VERSIONS.

        Files that no version names were left by a kill: this is the only writer, so none is in the making.
        """
        with storage_errors(self._store.root):
            for table in (self._vectors, self._chunks, self._pages, self._documents, self._files):
                table.optimize(cleanup_older_than=KEEP_VERSIONS, delete_unverified=True)

    def _place(self, document: Document) -> _Place:
        return self._begun[document_key(document.id, document.access.tenant)]

    def _held_notes(self) -> dict[str, FileNote]:
        if self._notes is None:
            rows = self._files.to_arrow().to_pylist()
            self._notes = {row["key"]: row_file(row) for row in rows}
        return self._notes

    def _resumable(self, key: str, document: Document) -> list[Page]:
        rows = self._pages.search().where(f"key = '{key}'").to_arrow().to_pylist()
        pages: list[Page] = []
        for number, row in enumerate(sorted(rows, key=lambda row: int(row["page"])), start=1):
            if row["page"] != number:
                break
            pages.append(row_page(row, document))
        return pages

    def _put(self, rows: list[dict[str, Any]]) -> None:
        self._merge(self._documents, rows, DOCUMENTS)

    def _merge(self, table: Any, rows: list[dict[str, Any]], name: str) -> None:
        merge = table.merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
        merge.execute(pa.Table.from_pylist(rows, schema=self._schemas[name]))

    @staticmethod
    def _add(table: Any, rows: pa.Table) -> None:
        if rows.num_rows:
            table.add(rows)

    def _hide_and_drop(self, rows: list[dict[str, Any]]) -> None:
        if not rows:
            return
        with storage_errors(self._store.root):
            self._put([{**row, "state": REMOVING} for row in rows])
            for row in rows:
                self._drop_document(row)

    def _drop_rows(self, key: str) -> None:
        for table in (self._pages, self._chunks, self._vectors):
            table.delete(f"key = '{key}'")
        shutil.rmtree(self._store.images / key, ignore_errors=True)

    def _drop_document(self, row: Mapping[str, Any]) -> None:
        self._drop_rows(row["rows"])
        self._documents.delete(f"key = '{row['key']}'")
