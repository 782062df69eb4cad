"""Rows by name: chunks and pages of a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mmrag.errors import DocumentNotFound
from mmrag.index.codec import row_chunk, row_page
from mmrag.records import PageStatus

if TYPE_CHECKING:
    from mmrag.index.snapshot import Snapshot
    from mmrag.records import Chunk, Page


def fetch_chunks(snapshot: Snapshot, wanted: set[tuple[str, int]]) -> dict[tuple[str, int], Chunk]:
    """Chunks by (key, order), without their vectors."""
    if not wanted:
        return {}
    by_key: dict[str, list[int]] = {}
    for key, order in sorted(wanted):
        by_key.setdefault(key, []).append(order)
    predicate = " OR ".join(
        f"(key = '{key}' AND \"order\" IN ({', '.join(map(str, orders))}))" for key, orders in by_key.items()
    )
    columns = [name for name in snapshot.chunks.schema.names if name not in ("vector", "codes")]
    rows = snapshot.chunks.search().where(predicate).select(columns).limit(None).to_arrow().to_pylist()
    return {(row["key"], row["order"]): row_chunk(row) for row in rows}


def fetch_pages(snapshot: Snapshot, wanted: set[tuple[str, int]]) -> dict[tuple[str, int], Page]:
    """Pages by (key, number), without their images.

    Raises:
        DocumentNotFound: a page is not there.
    """
    by_key: dict[str, list[int]] = {}
    for key, number in sorted(wanted):
        by_key.setdefault(key, []).append(number)
    found: dict[tuple[str, int], Page] = {}
    for key, numbers in by_key.items():
        listed = ", ".join(map(str, numbers))
        rows = snapshot.pages.search().where(f"key = '{key}' AND page IN ({listed})").limit(None).to_arrow()
        for row in rows.to_pylist():
            found[(key, row["page"])] = row_page(row, snapshot.documents[key])
    for key, number in sorted(wanted):
        if (key, number) not in found:
            document = snapshot.documents[key]
            raise DocumentNotFound(
                f"there is no page {number}",
                where=document.name,
                remedy=f"It has pages 1 to {document.pages}.",
            )
    return found


def unindexed_pages(snapshot: Snapshot) -> list[tuple[str, int, str, str]]:
    """(key, page, status, reason) of every visible page that cannot be found, in order."""
    rows = (
        snapshot.pages.search()
        .where(f"status != '{PageStatus.INDEXED.value}'")
        .select(["key", "page", "status", "reason"])
        .limit(None)
        .to_arrow()
        .to_pylist()
    )
    found = [(r["key"], r["page"], r["status"], r["reason"]) for r in rows if r["key"] in snapshot.documents]
    return sorted(found)
