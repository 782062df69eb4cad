"""How adding goes, told as it happens and counted for the report; what could not be opened is remembered."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mmrag.adding.jobs import Job, file_note, status_word
from mmrag.errors import IngestError, MissingFile
from mmrag.records import AddReport, Page, PageStatus, Progress

if TYPE_CHECKING:
    from mmrag.index.writer import Writer
    from mmrag.records import Access, DocumentId

Emit = Callable[[Progress], None]


class Teller:
    """Tells of one batch of files.

    Args:
        emit: takes every event.
        writer: remembers files that could not be opened.
        access_at: who may read what comes from a path.
    """

    def __init__(self, emit: Emit, writer: Writer, access_at: Callable[[Path], Access]) -> None:
        self._emit = emit
        self._writer = writer
        self._access_at = access_at
        self.added: list[DocumentId] = []
        self._skipped: list[DocumentId] = []
        self._failed: list[tuple[str, str]] = []
        self._pruned: list[str] = []
        self._statuses: Counter[str] = Counter()

    @property
    def changed(self) -> bool:
        """Whether the library is another than before."""
        return bool(self.added or self._pruned)

    def found(self, files: int) -> None:
        """The folders were walked."""
        self._emit(Progress("files_found", "", files=files))

    def failed(self, path: Path, error: IngestError) -> None:
        """A file could not be opened, or no page of it be read; it is remembered unless nothing is there."""
        status = status_word(error)
        if not isinstance(error, MissingFile) or path.is_symlink():  # a link is there, if nothing else
            self._writer.refuse(file_note(path, self._access_at(path), status, str(error)))
        self._failed.append((str(path), str(error)))
        self._emit(Progress("file_failed", str(path), status=status, reason=str(error)))

    def skipped(self, path: Path, document: DocumentId, pages: int, reason: str) -> None:
        """A file needs no reading."""
        self._skipped.append(document)
        self._emit(Progress("file_skipped", str(path), document, pages=pages, reason=reason))

    def started(self, job: Job) -> None:
        """A file was opened and its pages are being read."""
        job.started = time.perf_counter()
        self._emit(Progress("file_started", str(job.info.path), job.info.id, pages=job.info.pages))

    def page(self, job: Job, page: Page) -> None:
        """A page is written."""
        self._emit(
            Progress(
                "page_done",
                str(job.info.path),
                job.info.id,
                page=page.number,
                pages=job.info.pages,
                status=page.status.value,
                reason=page.reason,
                seconds=page.seconds,
                ocr=page.ocr,
            )
        )

    def done(self, job: Job) -> None:
        """A document can be found."""
        self.added.append(job.info.id)
        self._statuses.update(job.statuses)
        indexed, pages = job.statuses[PageStatus.INDEXED.value], job.info.pages
        self._emit(
            Progress(
                "file_done",
                str(job.info.path),
                job.info.id,
                pages=pages,
                status="indexed" if indexed == pages else "partly indexed",
                reason="" if indexed == pages else f"{indexed} of {pages} pages are indexed",
                seconds=time.perf_counter() - job.started,
            )
        )

    def pruned(self, path: str, document: DocumentId) -> None:
        """A file is gone, and with it what was kept of it."""
        self._pruned.append(path)
        self._emit(Progress("file_pruned", path, document, reason="the file is gone"))

    def report(self, seconds: float) -> AddReport:
        """All is done."""
        seconds = round(seconds, 3)
        self._emit(Progress("finished", "", seconds=seconds))
        return AddReport(
            added=tuple(self.added),
            skipped=tuple(self._skipped),
            failed=tuple(self._failed),
            pages=sum(self._statuses.values()),
            statuses=dict(sorted(self._statuses.items())),
            seconds=seconds,
            pruned=tuple(self._pruned),
        )
