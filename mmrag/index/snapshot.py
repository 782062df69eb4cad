"""What a reader sees: documents that are whole, at one moment.

A document is written in several commits, so it becomes visible by the last of them alone: its row
in the documents table turning ``ready``. A reader reads the documents, pins the row tables, and
reads the documents again; what is ready both times has all its rows in the pinned tables and none
of them on the way out. Everything else is kept out of every leg by its predicate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mmrag.errors import FilterError
from mmrag.filters import PAGE_FIELD, FieldValue, Filter, page_sql
from mmrag.index.codec import row_document
from mmrag.index.schema import CHUNKS, PAGES, VECTORS
from mmrag.records import Document, Reader

if TYPE_CHECKING:
    from lancedb import DBConnection
    from lancedb.table import Table

READY, ADDING, REMOVING = "ready", "adding", "removing"


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
    """The visible documents by key, every key that has rows, and the row tables pinned to match.

    ``interrupted`` are the documents whose adding is under way or was cut off.
    """

    documents: Mapping[str, Document]
    keys: frozenset[str]
    pages: Table
    chunks: Table
    vectors: Table
    versions: tuple[int, int, int, int]
    interrupted: tuple[Document, ...]

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
    documents.checkout_latest()
    before_version = documents.version
    before = document_states(documents)
    row_tables = [database.open_table(name) for name in (PAGES, CHUNKS, VECTORS)]
    versions = (before_version, *(table.version for table in row_tables))
    if previous is not None and previous.versions == versions:
        return previous
    for table, version in zip(row_tables, versions[1:], strict=True):
        table.checkout(version)
    documents.checkout_latest()
    after = document_states(documents)
    visible = {
        key: row_document(row)
        for key, row in sorted(after.items())
        if row["state"] == READY and key in before and before[key]["state"] == READY
    }
    pages, chunks, vectors = row_tables
    half = (row_document(row) for row in after.values() if row["state"] == ADDING)
    adding = tuple(sorted(half, key=lambda document: (document.path, document.id)))
    return Snapshot(visible, frozenset(before) | frozenset(after), pages, chunks, vectors, versions, adding)


def document_states(documents: Table) -> dict[str, dict[str, Any]]:
    """Key to row of the documents table."""
    return {row["key"]: row for row in documents.to_arrow().to_pylist()}


def _listed(keys: frozenset[str] | set[str] | list[str]) -> str:
    for key in keys:
        if "'" in key:
            raise FilterError(f"document key {key!r} holds a quote")
    return ", ".join(f"'{key}'" for key in sorted(keys))
