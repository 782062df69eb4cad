"""Records to Arrow rows and back."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mmrag.errors import StorageError
from mmrag.index.codes import whole_terms
from mmrag.index.schema import CHUNKS, VECTORS
from mmrag.records import (
    Access,
    Box,
    Cell,
    Chunk,
    ChunkKind,
    Document,
    Figure,
    Identity,
    Page,
    PageStatus,
    PageVectors,
    Table,
    Word,
    WordSource,
)


def document_key(document: str, tenant: str) -> str:
    """The key of a document's rows: its id, and its tenant unless that is ``public``."""
    return document if tenant == "public" else f"{document}@{tenant}"


def document_row(document: Document, state: str, recipe: str) -> dict[str, Any]:
    """A row of the documents table."""
    return {
        "key": document_key(document.id, document.access.tenant),
        "id": document.id,
        "name": document.name,
        "path": document.path,
        "title": document.identity.title,
        "organisation": document.identity.organisation,
        "year": document.identity.year,
        "pages": document.pages,
        "statuses": json.dumps(dict(sorted(document.statuses.items()))),
        "tenant": document.access.tenant,
        "groups": list(document.access.groups),
        "tags": list(document.tags),
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
                "reason": page.reason,
                "ocr": page.ocr,
                "seconds": page.seconds,
                "content": _pack(page),
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
            "text": chunk.text,
            "index_text": chunk.index_text,
            "codes": whole_terms(chunk.index_text),
            "section": chunk.section,
            "tokens": chunk.tokens,
            "header_repeated": chunk.header_repeated,
            "pages": list(chunk.pages),
            "boxes": [list(box) for box in chunk.boxes],
            "box_pages": list(chunk.box_pages),
            "vector": vector.astype(np.float16),
        }
        for chunk, vector in zip(chunks, vectors, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def row_chunk(row: Mapping[str, Any]) -> Chunk:
    """The chunk of a row."""
    return Chunk(
        document=row["key"].partition("@")[0],
        order=row["order"],
        kind=ChunkKind(row["kind"]),
        text=row["text"],
        index_text=row["index_text"],
        pages=tuple(row["pages"]),
        boxes=tuple(Box(*box) for box in row["boxes"]),
        box_pages=tuple(row["box_pages"]),
        tokens=row["tokens"],
        section=row["section"],
        header_repeated=row["header_repeated"],
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


def row_page(row: Mapping[str, Any], document: Document, image: Any = None) -> Page:
    """The page of a row, with its image when one is handed in."""
    held = json.loads(zlib.decompress(row["content"]))
    return Page(
        document=document.id,
        number=row["page"],
        width=held["width"],
        height=held["height"],
        status=PageStatus(row["status"]),
        reason=row["reason"],
        label=held["label"],
        rotation=held["rotation"],
        words=tuple(
            Word(text, Box(*box), WordSource(source), line, block, size, bool(bold))
            for text, box, source, line, block, size, bold in held["words"]
        ),
        tables=tuple(_table(table) for table in held["tables"]),
        figures=tuple(Figure(Box(*box), caption) for box, caption in held["figures"]),
        image=image,
        context=held["context"],
        notes=tuple(held["notes"]),
        seconds=row["seconds"],
    )


def _pack(page: Page) -> bytes:
    held = {
        "width": page.width,
        "height": page.height,
        "label": page.label,
        "rotation": page.rotation,
        "context": page.context,
        "notes": page.notes,
        "words": [
            (w.text, _rounded(w.box), w.source.value, w.line, w.block, round(w.size, 2), int(w.bold))
            for w in page.words
        ],
        "tables": [
            {
                "cells": [
                    (c.text, c.row, c.column, _rounded(c.box), c.row_span, c.column_span) for c in table.cells
                ],
                "shape": (table.rows, table.columns, table.header_rows),
                "box": _rounded(table.box),
                "caption": table.caption,
                "continues": (table.continued_from, table.continues_on),
                "carried": table.carried,
            }
            for table in page.tables
        ],
        "figures": [(_rounded(figure.box), figure.caption) for figure in page.figures],
    }
    return zlib.compress(json.dumps(held, ensure_ascii=False, separators=(",", ":")).encode(), 6)


def _rounded(box: Box) -> tuple[float, ...]:
    return tuple(round(float(side), 2) for side in box)


def _table(held: Mapping[str, Any]) -> Table:
    rows, columns, header_rows = held["shape"]
    continued_from, continues_on = held["continues"]
    return Table(
        cells=tuple(
            Cell(text, row, column, Box(*box), row_span, column_span)
            for text, row, column, box, row_span, column_span in held["cells"]
        ),
        rows=rows,
        columns=columns,
        header_rows=header_rows,
        box=Box(*held["box"]),
        caption=held["caption"],
        continued_from=continued_from,
        continues_on=continues_on,
        carried=tuple(tuple(row) for row in held["carried"]),
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
