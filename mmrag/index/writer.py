"""Writing documents: batch by batch, visible all at once, resumed where a kill left off."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
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
    page_rows,
    row_document,
    row_page,
    vector_rows,
)
from mmrag.index.disk import storage_errors
from mmrag.index.lock import write_lock
from mmrag.index.schema import CHUNKS, DOCUMENTS, PAGES, VECTORS, schemas
from mmrag.index.snapshot import ADDING, READY, REMOVING, document_states

if TYPE_CHECKING:
    from mmrag.index.store import Store
    from mmrag.records import Chunk, Document, Page, PageVectors, Reader

# Readers may hold a snapshot this long before the files under it are cleaned away.
KEEP_VERSIONS = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive pages of one document with what was made of them."""

    pages: tuple[Page, ...]
    page_vectors: tuple[PageVectors, ...]
    chunks: tuple[Chunk, ...]
    chunk_vectors: NDArray[np.float32]


@contextmanager
def open_writer(store: Store) -> Iterator[Writer]:
    """The library's one writer.

    Raises:
        LibraryLocked: somebody else is writing.
    """
    with write_lock(store.root):
        writer = Writer(store)
        writer.sweep()
        yield writer


class Writer:
    """Made by :func:`open_writer`; every method raises StorageError when the disk refuses."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._schemas = schemas(store.model)
        self._documents, self._pages, self._chunks, self._vectors = (
            store.table(name) for name in (DOCUMENTS, PAGES, CHUNKS, VECTORS)
        )

    def states(self) -> dict[str, dict[str, Any]]:
        """Key to row of the documents table, in whatever state."""
        return document_states(self._documents)

    def begin(self, document: Document, recipe: str) -> list[Page]:
        """Announce a document; its rows stay hidden until :meth:`commit`.

        Args:
            document: what is known of it so far.
            recipe: fingerprint of everything that decides what its rows look like.

        Returns:
            The pages an interrupted run with the same recipe has already written, from page 1 on. The
            caller drops what was written beyond those it keeps with :meth:`forget_after`.
        """
        key = document_key(document.id, document.access.tenant)
        held = self.states().get(key)
        with storage_errors(self._store.root):
            if held is not None and held["state"] == ADDING and held["recipe"] == recipe:
                pages = self._resumable(key, document)
                self._put([document_row(document, ADDING, recipe)])
                if not pages:
                    self._drop_rows(key)
                return pages
            self._put([document_row(document, ADDING, recipe)])
            if held is not None:
                self._drop_rows(key)
        return []

    def forget_after(self, document: Document, page: int, chunks: int) -> None:
        """Drop what was written beyond ``page`` and beyond the first ``chunks`` chunks."""
        key = document_key(document.id, document.access.tenant)
        with storage_errors(self._store.root):
            self._pages.delete(f"key = '{key}' AND page > {page}")
            self._vectors.delete(f"key = '{key}' AND page > {page}")
            self._chunks.delete(f"key = '{key}' AND \"order\" >= {chunks}")

    def write(self, document: Document, batch: Batch) -> None:
        """Add a batch; the pages' own rows go last and mark it as whole."""
        key = document_key(document.id, document.access.tenant)
        with storage_errors(self._store.root):
            for page in batch.pages:
                if page.image is not None:
                    path = self._store.image_path(key, page.number)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(page.image.data)
            numbers = [page.number for page in batch.pages]
            self._add(self._vectors, vector_rows(key, numbers, batch.page_vectors, self._schemas[VECTORS]))
            self._add(self._chunks, chunk_rows(key, batch.chunks, batch.chunk_vectors, self._schemas[CHUNKS]))
            self._add(self._pages, page_rows(key, batch.pages, self._schemas[PAGES]))

    def commit(self, document: Document, recipe: str) -> Document:
        """Show the document and, in the same commit, hide the versions it takes the place of."""
        key = document_key(document.id, document.access.tenant)
        older = self.at_path(document.path, document.access.tenant)
        older.pop(key, None)
        ready = [row["version"] for row in older.values() if row["state"] == READY]
        version = 1 + max(ready, default=0)
        document = replace(document, version=version)
        with storage_errors(self._store.root):
            self._put(
                [document_row(document, READY, recipe)]
                + [{**row, "state": REMOVING} for row in older.values()]
            )
            for other in older:
                self._drop_document(other)
        return document

    def at_path(self, path: str, tenant: str) -> dict[str, dict[str, Any]]:
        """The documents of a tenant that came from ``path``, whole or interrupted: key to row."""
        return {
            key: row
            for key, row in self.states().items()
            if row["path"] == path and row["tenant"] == tenant and row["state"] in (READY, ADDING)
        }

    def interrupted(self, reader: Reader) -> list[Document]:
        """The documents whose adding was cut off, of those that ``reader`` may read."""
        half = [row_document(row) for row in self.states().values() if row["state"] == ADDING]
        return [document for document in half if reader.may_read(document.access)]

    def update(self, document: Document, recipe: str) -> None:
        """Change a visible document's tags or access."""
        with storage_errors(self._store.root):
            self._put([document_row(document, READY, recipe)])

    def remove(self, key: str) -> None:
        """Hide a document, then delete every row and image of it; nothing happens when it is gone."""
        row = self.states().get(key)
        if row is None:
            return
        with storage_errors(self._store.root):
            self._put([{**row, "state": REMOVING}])
            self._drop_document(key)

    def sweep(self) -> None:
        """Finish removals that a kill interrupted."""
        with storage_errors(self._store.root):
            for key, row in self.states().items():
                if row["state"] == REMOVING:
                    self._drop_document(key)

    def optimize(self) -> None:
        """Merge small fragments, bring indexes up to date, drop versions older than KEEP_VERSIONS."""
        with storage_errors(self._store.root):
            for table in (self._vectors, self._chunks, self._pages, self._documents):
                table.optimize(cleanup_older_than=KEEP_VERSIONS)

    def _resumable(self, key: str, document: Document) -> list[Page]:
        rows = self._pages.search().where(f"key = '{key}'").to_arrow().to_pylist()
        pages: list[Page] = []
        for number, row in enumerate(sorted(rows, key=lambda row: int(row["page"])), start=1):
            if row["page"] != number:
                break
            pages.append(row_page(row, document))
        return pages

    def _put(self, rows: list[dict[str, Any]]) -> None:
        table = pa.Table.from_pylist(rows, schema=self._schemas[DOCUMENTS])
        merge = self._documents.merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
        merge.execute(table)

    @staticmethod
    def _add(table: Any, rows: pa.Table) -> None:
        if rows.num_rows:
            table.add(rows)

    def _drop_rows(self, key: str) -> None:
        for table in (self._pages, self._chunks, self._vectors):
            table.delete(f"key = '{key}'")
        shutil.rmtree(self._store.images / key, ignore_errors=True)

    def _drop_document(self, key: str) -> None:
        self._drop_rows(key)
        self._documents.delete(f"key = '{key}'")
