"""The five LanceDB tables and the model identity written into their schema metadata."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import pyarrow as pa

from mmrag.errors import LibraryMismatch

FORMAT = 2
_METADATA = b"mmrag"

DOCUMENTS, PAGES, CHUNKS, VECTORS = "documents", "pages", "chunks", "page_vectors"
FILES = "files"


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Which model made a library's vectors: name, revision, dimensions and similarity power."""

    embedder: str
    revision: str
    dim: int
    text_dim: int
    power: int

    def check(self, wanted: ModelIdentity, where: str) -> None:
        """Refuse to mix vectors of two models.

        Raises:
            LibraryMismatch: names both models and what to do.
        """
        if self != wanted:
            raise LibraryMismatch(
                f"its vectors were made by {self.embedder} (revision {self.revision}, dimension {self.dim}) "
                f"and this run uses {wanted.embedder} (revision {wanted.revision}, dimension {wanted.dim})",
                where=where,
                remedy=f"Open it with embedder = {self.embedder!r} and the mmrag that made it, "
                "or add the files to a new library at another path.",
            )


def encode_metadata(model: ModelIdentity, language: str) -> dict[bytes, bytes]:
    """Schema metadata: the format number, the model and the full-text index's language, as JSON."""
    held = {"format": FORMAT, "language": language, "model": asdict(model)}
    return {_METADATA: json.dumps(held, sort_keys=True).encode()}


def decode_metadata(schema: pa.Schema, where: str) -> tuple[ModelIdentity, str]:
    """The model a table's vectors were made by, and the language of the full-text index.

    Raises:
        LibraryMismatch: the table is no mmrag table, or of another format.
    """
    raw = (schema.metadata or {}).get(_METADATA)
    if raw is None:
        raise LibraryMismatch(
            "its tables carry no mmrag metadata", where=where, remedy="Choose another library path."
        )
    held = json.loads(raw)
    if held["format"] != FORMAT:
        older = held["format"] < FORMAT
        raise LibraryMismatch(
            f"it has format {held['format']}, made by {'an older' if older else 'a newer'} mmrag, "
            f"and this one reads format {FORMAT}",
            where=where,
            remedy="Add the files to a new library at another path; this one is left as it is."
            if older
            else "Upgrade mmrag, or add the files to a new library at another path.",
        )
    return ModelIdentity(**held["model"]), held["language"]


def schemas(model: ModelIdentity, language: str = "") -> dict[str, pa.Schema]:
    """Table name to Arrow schema. Boxes are float32 x0, y0, x1, y1 in page points."""
    text, int32 = pa.string(), pa.int32()
    box = pa.list_(pa.float32(), 4)
    documents = [
        ("key", text),
        ("rows", text),
        ("id", text),
        ("name", text),
        ("path", text),
        ("title", text),
        ("organisation", text),
        ("year", int32),
        ("pages", int32),
        ("statuses", text),
        ("tenant", text),
        ("groups", pa.list_(text)),
        ("tags", pa.list_(text)),
        ("added", text),
        ("version", int32),
        ("size", pa.int64()),
        ("state", text),
        ("recipe", text),
    ]
    pages = [
        ("key", text),
        ("page", int32),
        ("status", text),
        ("reason", text),
        ("ocr", pa.bool_()),
        ("seconds", pa.float32()),
        ("content", pa.binary()),
    ]
    chunks = [
        ("key", text),
        ("order", int32),
        ("page", int32),
        ("kind", text),
        ("text", text),
        ("index_text", text),
        ("codes", text),
        ("section", text),
        ("tokens", int32),
        ("header_repeated", pa.bool_()),
        ("pages", pa.list_(int32)),
        ("boxes", pa.list_(box)),
        ("box_pages", pa.list_(int32)),
        ("first_row", int32),
        ("stop_row", int32),
        ("vector", pa.list_(pa.float16(), model.text_dim)),
    ]
    vectors = [
        ("key", text),
        ("page", int32),
        ("vectors", pa.list_(pa.list_(pa.float16(), model.dim))),
        ("boxes", pa.list_(box)),
    ]
    files = [
        ("key", text),
        ("path", text),
        ("name", text),
        ("status", text),
        ("reason", text),
        ("tenant", text),
        ("seen", text),
        ("groups", pa.list_(text)),
    ]
    metadata = encode_metadata(model, language)
    # The documents table comes last: it is made last and marks a whole library.
    named = {PAGES: pages, CHUNKS: chunks, VECTORS: vectors, FILES: files, DOCUMENTS: documents}
    return {
        name: pa.schema([pa.field(*column) for column in columns], metadata=metadata)
        for name, columns in named.items()
    }
