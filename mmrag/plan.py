"""Which of the files handed in are to be read, and what becomes of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmrag.errors import IngestError
from mmrag.index.codec import document_key, row_document
from mmrag.index.snapshot import READY
from mmrag.ingest import FileInfo, open_file
from mmrag.jobs import Job, has_failed_pages, new_document
from mmrag.records import Access

if TYPE_CHECKING:
    from mmrag.index.writer import Writer

Row = Mapping[str, Any]


class Plan:
    """Sorts files into jobs, files that are known, and files that cannot be opened.

    Args:
        writer: the store's writer.
        access: who may read the files; None: as the version they replace, else everybody.
        tags: words to filter by.
        fail: told of a file that cannot be opened: path, kind of error, message.
        skip: told of a file that needs no reading: the file and why.
    """

    def __init__(
        self,
        writer: Writer,
        access: Access | None,
        tags: tuple[str, ...],
        fail: Callable[[str, str, str], None],
        skip: Callable[[FileInfo, str], None],
    ) -> None:
        self._writer = writer
        self._access = access
        self._tags = tags
        self._fail = fail
        self._skip = skip
        self._tenant = (access or Access()).tenant

    def jobs(self, paths: Iterable[Path]) -> list[Job]:
        """The files to read, each once, in order."""
        states = self._writer.states()
        jobs: dict[str, Job] = {}
        for path in paths:
            try:
                info = open_file(path)
            except IngestError as error:
                self._fail(str(path), type(error).__name__, str(error))
                continue
            key = document_key(info.id, self._tenant)
            row = states.get(key)
            older = self._older(states, key, info)
            if row is not None and row["state"] == READY and not has_failed_pages(row):
                # The path now holds bytes that are known: what it held before is no more.
                for other in older:
                    self._writer.remove(other)
                self._skip(info, self._refresh(row))
            elif key in jobs:
                self._skip(info, f"the same bytes as {jobs[key].info.name}")
            else:
                jobs[key] = Job(info, new_document(info, *self._inherited([*older.values(), row])))
        return list(jobs.values())

    def _older(self, states: Mapping[str, Row], key: str, info: FileInfo) -> dict[str, Row]:
        """Other documents that came from the same path."""
        path = str(info.path.resolve())
        return {
            other: row
            for other, row in states.items()
            if other != key
            and row["path"] == path
            and row["tenant"] == self._tenant
            and row["state"] == READY
        }

    def _inherited(self, rows: Iterable[Row | None]) -> tuple[Access, tuple[str, ...]]:
        """Access and tags of a document that takes others' place: a new version opens nothing by itself."""
        ready = [row for row in rows if row is not None and row["state"] == READY]
        groups = {group for row in ready for group in row["groups"]}
        given = self._access or Access()
        access = Access(given.tenant, given.groups or tuple(sorted(groups)))
        return access, (*self._tags, *(tag for row in ready for tag in row["tags"]))

    def _refresh(self, row: Row) -> str:
        """A file that is in already: new tags are added, and named groups to those that may read it."""
        document = row_document(row)
        groups = document.access.groups
        named = self._access.groups if self._access is not None else ()
        wider = tuple(sorted({*groups, *named})) if groups else ()
        merged = tuple(sorted({*document.tags, *self._tags}))
        still_open = "; it stays open to every group" if named and not groups else ""
        if merged == document.tags and wider == groups:
            return f"already in the library as {document.name}{still_open}"
        changed = replace(document, tags=merged, access=replace(document.access, groups=wider))
        self._writer.update(changed, row["recipe"])
        return f"already in the library as {document.name}; its tags and readers were updated{still_open}"
