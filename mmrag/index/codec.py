"""Records to Arrow rows and back."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mmrag.errors import StorageError
from mmrag.index.codes import whole_terms
from mmrag.index.content import pack, settled, unpack
from mmrag.index.schema import CHUNKS, VECTORS
from mmrag.records import (
    Access,
    Box,
    Chunk,
    ChunkKind,
    Document,
    FileNote,
    Identity,
    Page,
    PageImage,
    PageStatus,
    PageVectors,
)

__all__ = [
    "chunk_rows",
    "document_key",
    "document_row",
    "file_key",
    "file_row",
    "other_rows",
    "page_rows",
    "row_chunk",
    "row_document",
    "row_file",
    "row_page",
    "settled",
    "storable",
    "vector_rows",
]

# What may follow a document's id in a key: its tenant, and the mark of its second set of rows.
_AFTER_ID = re.compile("[@~]")
_SECOND = "~2"


_SPELLED = re.compile(r"\\u(dc[89a-f][0-9a-f])")


def document_key(document: str, tenant: str) -> str:
    """The key of a document's rows: its id, and its tenant unless that is ``public``."""
    return document if tenant == "public" else f"{document}@{tenant}"


def other_rows(key: str, rows: str) -> str:
    """The key for a document's new rows while its present ones, under ``rows``, stay to be seen."""
    return key + _SECOND if rows == key else key


def file_key(path: str, tenant: str) -> str:
    """The key of the note on a file: paths may hold quotes and anything else, digests cannot."""
    return hashlib.sha256(f"{tenant}\0{storable(path)}".encode()).hexdigest()[:32]


def storable(text: str) -> str:
    """The text as Arrow can hold it: bytes of a path that are no UTF-8 are spelled out in ASCII."""
    return text.encode("utf-8", "backslashreplace").decode()


def usable(text: str) -> str:
    """The path that :func:`storable` spelled out, as the system knows it."""
    return _SPELLED.sub(lambda found: chr(int(found[1], 16)), text)


def document_row(document: Document, state: str, recipe: str, rows: str = "") -> dict[str, Any]:
    """A row of the documents table; ``rows`` is the key its other rows have, its own by default."""
    key = document_key(document.id, document.access.tenant)
    return {
        "key": key,
        "rows": rows or key,
        "id": document.id,
        "name": storable(document.name),
        "path": storable(document.path),
        "title": storable(document.identity.title),
        "organisation": storable(document.identity.organisation),
        "year": document.identity.year,
        "pages": document.pages,
        "statuses": json.dumps(dict(sorted(document.statuses.items()))),
        "tenant": document.access.tenant,
        "groups": list(document.access.groups),
        "tags": [storable(tag) for tag in document.tags],
        "added": document.added,
        "version": document.version,
        "size": document.size,
        "state": state,
        "recipe": recipe,
    }


def row_document(row: Mapping[str, Any]) -> Document:
    """The document of a row."""
    return Document(
        id=row["id"],
        name=row["name"],
        path=row["path"],
        identity=Identity(row["title"], row["organisation"], row["year"]),
        pages=row["pages"],
        statuses=json.loads(row["statuses"]),
        access=Access(row["tenant"], tuple(row["groups"])),
        tags=tuple(row["tags"]),
        added=row["added"],
        version=row["version"],
        size=row["size"],
    )


def page_rows(key: str, pages: Sequence[Page], schema: pa.Schema) -> pa.Table:
    """Rows of the pages table; the image is kept as a file beside the tables."""
    return pa.Table.from_pylist(
        [
            {
                "key": key,
                "page": page.number,
                "status": page.status.value,
                "reason": storable(page.reason),
                "ocr": page.ocr,
                "seconds": page.seconds,
                "content": pack(page),
            }
            for page in pages
        ],
        schema=schema,
    )


def chunk_rows(
    key: str, chunks: Sequence[Chunk], vectors: NDArray[np.float32], schema: pa.Schema
) -> pa.Table:
    """Rows of the chunks table; ``vectors`` is ``(len(chunks), text_dim)``, unit rows.

    Raises:
        StorageError: a vector is not finite; such a row could never be found again.
    """
    _check_finite(vectors, CHUNKS)
    rows = [
        {
            "key": key,
            "order": chunk.order,
            "page": chunk.pages[0],
            "kind": chunk.kind.value,
            "text": storable(chunk.text),
            "index_text": storable(chunk.index_text),
            "codes": whole_terms(storable(chunk.index_text)),
            "section": storable(chunk.section),
            "tokens": chunk.tokens,
            "header_repeated": chunk.header_repeated,
            "pages": list(chunk.pages),
            "boxes": [list(box) for box in chunk.boxes],
            "box_pages": list(chunk.box_pages),
            "first_row": None if chunk.rows is None else chunk.rows[0],
            "stop_row": None if chunk.rows is None else chunk.rows[1],
            "vector": vector.astype(np.float16),
        }
        for chunk, vector in zip(chunks, vectors, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def row_chunk(row: Mapping[str, Any]) -> Chunk:
    """The chunk of a row."""
    return Chunk(
        document=_AFTER_ID.split(row["key"], maxsplit=1)[0],
        order=row["order"],
        kind=ChunkKind(row["kind"]),
        text=row["text"],
        index_text=row["index_text"],
        pages=tuple(row["pages"]),
        # Float32 holds a hundredth of a point; what is beyond is not the page's.
        boxes=tuple(Box(*(round(side, 2) for side in box)) for box in row["boxes"]),
        box_pages=tuple(row["box_pages"]),
        tokens=row["tokens"],
        section=row["section"],
        header_repeated=row["header_repeated"],
        rows=None if row["first_row"] is None else (row["first_row"], row["stop_row"]),
    )


def vector_rows(
    key: str, numbers: Sequence[int], vectors: Sequence[PageVectors], schema: pa.Schema
) -> pa.Table:
    """Rows of the page_vectors table: one a page that has anything to see.

    Raises:
        StorageError: a vector is zero or not finite; LanceDB would take it and never find the page.
    """
    kept = [(number, page) for number, page in zip(numbers, vectors, strict=True) if len(page.vectors)]
    for _, page in kept:
        _check_finite(page.vectors, VECTORS)
        if (np.abs(page.vectors).max(axis=1) == 0).any():
            raise StorageError(
                "a page vector is zero", where=VECTORS, remedy="Report this embedder as broken."
            )
    return pa.Table.from_arrays(
        [
            pa.array([key] * len(kept), pa.string()),
            pa.array([number for number, _ in kept], pa.int32()),
            _nested([page.vectors for _, page in kept], schema.field("vectors").type),
            _nested([page.boxes for _, page in kept], schema.field("boxes").type),
        ],
        schema=schema,
    )


def row_page(row: Mapping[str, Any], document: Document, image: PageImage | None = None) -> Page:
    """The page of a row, with its image when one is handed in."""
    page = Page(
        document=document.id,
        number=row["page"],
        width=0.0,
        height=0.0,
        status=PageStatus(row["status"]),
        reason=row["reason"],
        image=image,
        seconds=row["seconds"],
    )
    return unpack(row["content"], page)


def file_row(note: FileNote) -> dict[str, Any]:
    """A row of the files table."""
    return {
        "key": file_key(note.path, note.tenant),
        "path": storable(note.path),
        "name": storable(note.name),
        "status": note.status,
        "reason": storable(note.reason),
        "tenant": note.tenant,
        "seen": note.seen,
        "groups": list(note.groups),
    }


def row_file(row: Mapping[str, Any]) -> FileNote:
    """The note of a row."""
    return FileNote(
        row["path"],
        row["name"],
        row["status"],
        row["reason"],
        row["tenant"],
        row["seen"],
        tuple(row["groups"]),
    )


def _nested(arrays: Sequence[NDArray[Any]], kind: pa.DataType) -> pa.ListArray:
    # 2-D numpy arrays do not ingest: a list of fixed-size lists is built from one flat array.
    inner = kind.value_type
    flat = np.concatenate([a.reshape(-1) for a in arrays]) if arrays else np.zeros(0, np.float32)
    values = pa.array(flat.astype(inner.value_type.to_pandas_dtype()), inner.value_type)
    offsets = np.concatenate([[0], np.cumsum([len(a) for a in arrays])]).astype(np.int32)
    return pa.ListArray.from_arrays(
        pa.array(offsets), pa.FixedSizeListArray.from_arrays(values, inner.list_size), type=kind
    )


def _check_finite(vectors: NDArray[Any], table: str) -> None:
    if not np.isfinite(vectors).all():
        raise StorageError("a vector is not finite", where=table, remedy="Report this embedder as broken.")
