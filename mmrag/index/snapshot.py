"""What a reader sees: documents that are whole, at one moment.

A document is written in several commits, so it becomes visible by the last of them alone: its row
in the documents table turning ``ready``. A reader reads the documents, pins the row tables, and looks
whether the documents have moved meanwhile; if so it does it again, since a version that takes another's
place in between would leave neither to be seen. What is ready then has all its rows in the pinned tables
and none of them on the way out. Everything else is kept out of every leg by its predicate.

A document that is read again is seen as it was until its new rows are whole: they are written under a
second key, and the row in the documents table says which key is its rows' own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mmrag.errors import FilterError
from mmrag.filters import PAGE_FIELD, FieldValue, Filter, page_sql
from mmrag.index.codec import document_key, row_document, row_file
from mmrag.index.schema import CHUNKS, FILES, PAGES, VECTORS
from mmrag.records import Document, DocumentId, FileNote, Reader

if TYPE_CHECKING:
    from lancedb import DBConnection
    from lancedb.table import Table

READY, ADDING, REMOVING = "ready", "adding", "removing"
# A writer commits several times a second at most and a look takes milliseconds: more would be in vain.
_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class Scope:
    """What one question may search: documents by key, each whole (True) or under a page condition.

    ``predicate`` says the same in SQL; None when everything in the tables may be searched and
    ``"false"`` when nothing may.
    """

    documents: Mapping[str, bool | Filter]
    predicate: str | None

    def admits(self, key: str, page: int) -> bool:
        """Whether a page may be searched."""
        condition = self.documents.get(key, False)
        return condition if isinstance(condition, bool) else condition.bind({PAGE_FIELD: page}) is True


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The visible documents by their rows' key, every key that has rows, and the tables pinned to match.

    ``interrupted`` are the documents whose adding is under way or was cut off, ``files`` the files that
    could not be opened; ``row_keys`` leads from a document's key to that of its rows.
    """

    documents: Mapping[str, Document]
    keys: frozenset[str]
    pages: Table
    chunks: Table
    vectors: Table
    versions: tuple[int, ...]
    interrupted: tuple[Document, ...]
    files: tuple[FileNote, ...]
    row_keys: Mapping[str, str]

    def key(self, document: DocumentId, tenant: str) -> str:
        """The key of the rows of a tenant's document."""
        key = document_key(document, tenant)
        return self.row_keys.get(key, key)

    def count_chunks(self, keys: Iterable[str]) -> int:
        """Chunks of these documents."""
        return int(self.chunks.count_rows(self._predicate(dict.fromkeys(keys, True))))

    def scope(self, reader: Reader, where: Filter | None) -> Scope:
        """What ``reader`` may see of what ``where`` asks for.

        Raises:
            FilterError: the filter leaves something open that is neither a document's nor a page's.
        """
        allowed: dict[str, bool | Filter] = {}
        for key, document in self.documents.items():
            if not reader.may_read(document.access):
                continue
            bound = True if where is None else where.bind(document_fields(document))
            if bound is not False:
                allowed[key] = bound
        return Scope(allowed, self._predicate(allowed))

    def _predicate(self, allowed: Mapping[str, bool | Filter]) -> str | None:
        if not allowed:
            return "false"
        whole = [key for key, bound in allowed.items() if bound is True]
        if len(whole) == len(self.keys):
            return None
        parts = []
        if whole and len(whole) == len(allowed) and len(self.keys) - len(whole) < len(whole):
            return f"key NOT IN ({_listed(self.keys - set(whole))})"
        if whole:
            parts.append(f"key IN ({_listed(whole)})")
        partly: dict[Filter, list[str]] = {}
        for key, bound in allowed.items():
            if isinstance(bound, Filter):
                partly.setdefault(bound, []).append(key)
        for condition, keys in partly.items():
            parts.append(f"(key IN ({_listed(keys)}) AND {page_sql(condition)})")
        return " OR ".join(parts)


def document_fields(document: Document) -> dict[str, FieldValue]:
    """The fields a filter may name, without ``page``."""
    return {
        "added": document.added,
        "document": document.id,
        "name": document.name,
        "organisation": document.identity.organisation,
        "pages": document.pages,
        "path": document.path,
        "tag": document.tags,
        "title": document.identity.title,
        "year": document.identity.year,
    }


def take_snapshot(database: DBConnection, documents: Table, previous: Snapshot | None) -> Snapshot:
    """A new snapshot, or ``previous`` when no table has moved since."""
    for _ in range(_ATTEMPTS):
        documents.checkout_latest()
        before_version, before = documents.version, document_states(documents)
        tables = [database.open_table(name) for name in (PAGES, CHUNKS, VECTORS, FILES)]
        versions = (before_version, *(table.version for table in tables))
        if previous is not None and previous.versions == versions:
            return previous
        for table, version in zip(tables, versions[1:], strict=True):
            table.checkout(version)
        documents.checkout_latest()
        if documents.version == before_version:
            after = before
            break
        after = document_states(documents)
    visible = {
        key: row["rows"]
        for key, row in sorted(after.items())
        if row["state"] == READY
        and key in before
        and (before[key]["state"], before[key]["rows"]) == (READY, row["rows"])
    }
    half = (row_document(row) for row in after.values() if row["state"] == ADDING)
    pages, chunks, vectors, files = tables
    notes = (row_file(row) for row in files.to_arrow().to_pylist())
    return Snapshot(
        documents={rows: row_document(after[key]) for key, rows in sorted(visible.items())},
        keys=frozenset(row["rows"] for row in (*before.values(), *after.values())),
        pages=pages,
        chunks=chunks,
        vectors=vectors,
        versions=versions,
        interrupted=tuple(sorted(half, key=lambda document: (document.path, document.id))),
        files=tuple(sorted(notes, key=lambda note: (note.path, note.tenant))),
        row_keys=visible,
    )


def document_states(documents: Table) -> dict[str, dict[str, Any]]:
    """Key to row of the documents table."""
    return {row["key"]: row for row in documents.to_arrow().to_pylist()}


def _listed(keys: frozenset[str] | set[str] | list[str]) -> str:
    for key in keys:
        if "'" in key:
            raise FilterError(f"document key {key!r} holds a quote")
    return ", ".join(f"'{key}'" for key in sorted(keys))
