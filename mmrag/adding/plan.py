"""Which of the files handed in are to be read, and what becomes of the others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmrag.adding.jobs import Job, has_failed_pages, new_document
from mmrag.index.codec import document_key, row_document, storable, usable
from mmrag.index.snapshot import READY
from mmrag.ingest import FileInfo, file_id
from mmrag.records import Access

if TYPE_CHECKING:
    from mmrag.index.writer import Writer
    from mmrag.records import DocumentId

Row = Mapping[str, Any]


class Plan:
    """Sorts files into jobs and files that are known, one after another.

    Args:
        writer: the store's writer.
        access: who may read the files; None: as the version they replace, else everybody.
        tags: words to filter by.
    """

    def __init__(self, writer: Writer, access: Access | None, tags: tuple[str, ...]) -> None:
        self._writer = writer
        self._access = access
        self._tags = tags
        self.tenant = (access or Access()).tenant
        self._states: dict[str, Row] = dict(writer.states())
        self._at: dict[str, set[str]] = {}
        for key, row in self._states.items():
            if row["state"] == READY and row["tenant"] == self.tenant:
                self._at.setdefault(row["path"], set()).add(key)
        self._taken: dict[DocumentId, str] = {}

    def wanted(self, document: DocumentId) -> bool:
        """Whether a file with these bytes is to be read: the library lacks it, and so did this batch."""
        return document not in self._taken and self._ready(document) is None

    def skip(self, path: Path, document: DocumentId) -> str:
        """Account for a file whose bytes are not wanted; why."""
        row = self._ready(document)
        if row is None:
            self._writer.accept(os.path.realpath(path), self.tenant)
            return f"the same bytes as {self._taken[document]}"
        # The path now holds bytes that are known: what it held before is no more.
        for other in self._others(document, path):
            self._writer.remove(other)
            self._forget(other)
        self._writer.accept(os.path.realpath(path), self.tenant)
        return self._refresh(document, row, path)

    def access_at(self, path: Path) -> Access:
        """Who may read what comes from a path: as named, else as what stands there already."""
        access, _ = self._inherited(self._others("", path).values())
        noted = self._writer.refused().get((storable(os.path.realpath(path)), self.tenant))
        return access if access.groups or noted is None else noted.access

    def job(self, info: FileInfo) -> Job:
        """A file to read."""
        self._taken[info.id] = info.name
        row = self._states.get(document_key(info.id, self.tenant))
        older = self._others(info.id, info.path).values()
        return Job(info, new_document(info, *self._inherited([*older, row])))

    def done(self, job: Job) -> None:
        """A job was committed: whatever else came from its path is gone, so its bytes are wanted again."""
        for other in self._others(job.info.id, job.info.path):
            self._forget(other)

    def failed(self, job: Job) -> None:
        """A job came to nothing: the same bytes elsewhere are worth another try."""
        self._taken.pop(job.info.id, None)

    def _ready(self, document: DocumentId) -> Row | None:
        row = self._states.get(document_key(document, self.tenant))
        if row is None or row["state"] != READY or has_failed_pages(row):
            return None
        return row

    def _others(self, document: DocumentId, path: Path) -> dict[str, Row]:
        """Other documents that came from the same path."""
        keys = self._at.get(storable(os.path.realpath(path)), set()) - {document_key(document, self.tenant)}
        return {key: self._states[key] for key in sorted(keys)}

    def _forget(self, key: str) -> None:
        self._at[self._states.pop(key)["path"]].discard(key)

    def _inherited(self, rows: Iterable[Row | None]) -> tuple[Access, tuple[str, ...]]:
        """Access and tags of a document that takes others' place: a new version opens nothing by itself."""
        ready = [row for row in rows if row is not None and row["state"] == READY]
        groups = {group for row in ready for group in row["groups"]}
        given = self._access or Access()
        access = Access(given.tenant, given.groups or tuple(sorted(groups)))
        return access, (*self._tags, *(tag for row in ready for tag in row["tags"]))

    def _refresh(self, document: DocumentId, row: Row, path: Path) -> str:
        """A file that is in already: it may have moved; tags are added, and groups may read it too."""
        held = row_document(row)
        groups = held.access.groups
        named = self._access.groups if self._access is not None else ()
        wider = tuple(sorted({*groups, *named})) if groups else ()
        merged = tuple(sorted({*held.tags, *self._tags}))
        still_open = "; it stays open to every group" if named and not groups else ""
        said = f"already in the library as {held.name}"
        changed = replace(held, tags=merged, access=replace(held.access, groups=wider))
        if changed != held:
            said += "; its tags and readers were updated"
        if self._has_moved(held.path, document, path):
            # Else the next version of what stands at the old path would take this document with it.
            changed = replace(changed, path=os.path.realpath(path), name=path.name)
            said += f"; it is {path.name} now"
        if changed != held:
            self._writer.update(changed, row["recipe"])
            key = document_key(document, self.tenant)
            self._forget(key)
            where = {"path": storable(changed.path), "name": storable(changed.name)}
            self._states[key] = {**row, **where, "tags": list(merged), "groups": list(wider)}
            self._at.setdefault(where["path"], set()).add(key)
        return said + still_open

    @staticmethod
    def _has_moved(kept: str, document: DocumentId, path: Path) -> bool:
        """Whether the path that is kept for a document holds its bytes no longer."""
        if kept == storable(os.path.realpath(path)):
            return False
        for spelled in {kept, usable(kept)}:  # a name may be stored as it is and look spelled out
            try:
                if file_id(Path(spelled)) == document:
                    return False
            except (FileNotFoundError, NotADirectoryError):
                continue
            except (OSError, ValueError):
                return False  # it may be back tomorrow
        return True
