"""Files in, rows out: ``file -> read -> chunk -> embed -> write``, a page at a time.

Reading and embedding run in worker processes; chunking follows the page order of a document and
runs here, between them. A few pages are in flight at any moment, whatever the size of a file.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mmrag import tasks
from mmrag.crew import Crew, TaskDied, Ticket
from mmrag.errors import Cancelled, MmragError
from mmrag.index.codec import document_key
from mmrag.index.writer import Batch, Writer
from mmrag.ingest import Chunker, FileInfo, file_id, find_files, identify
from mmrag.jobs import Done, Job, Tally, failed, recipe_of, worker_count
from mmrag.plan import Plan
from mmrag.records import AddReport, Page, PageStatus, PageVectors, Progress

if TYPE_CHECKING:
    from mmrag.models.protocols import Embedder
    from mmrag.records import Access, Chunk
    from mmrag.settings import Settings

Emit = Callable[[Progress], None]

# Below this many pages starting worker processes takes longer than it saves.
POOL_FROM_PAGES = 12
BATCH_PAGES = 32


class Pipeline:
    """One batch of files on its way into a store.

    Args:
        writer: the store's writer, held by the caller.
        embedder: makes the vectors; worker processes load their own by its name.
        settings: how to read and chunk.
    """

    def __init__(self, writer: Writer, embedder: Embedder, settings: Settings) -> None:
        self._writer = writer
        self._embedder = embedder
        self._settings = settings
        self._emit: Emit = _unheard
        self._recipe = recipe_of(embedder, settings)
        self._tally = Tally()
        self._cancelled = False

    def cancel(self) -> None:
        """Stop at the next page; may be called from another thread."""
        self._cancelled = True

    def run(
        self, paths: Sequence[Path | str], access: Access | None, tags: tuple[str, ...], emit: Emit
    ) -> AddReport:
        """Add every file; a file's fault is reported and the rest goes on.

        Args:
            paths: files, and folders whose PDFs are taken.
            access: who may read them; None: as the version they replace, else everybody.
            tags: words to filter by, beside those of the version they replace.
            emit: takes every progress event, on this thread.

        Raises:
            StorageError: the disk refused; what was committed before stays.
            Cancelled: :meth:`cancel` was called.
        """
        began = time.perf_counter()
        self._emit = emit
        plan = Plan(self._writer, access, tags, self._fail, self._skip)
        jobs = plan.jobs(self._checked(find_files(paths)))
        pages = sum(job.info.pages for job in jobs)
        with Crew(worker_count(self._settings) if pages >= POOL_FROM_PAGES else 1) as crew:
            batch: list[Done] = []
            for done in self._embedded(crew, self._read(crew, jobs)):
                batch.append(done)
                last = done.page.number == done.job.info.pages
                if last or len(batch) >= BATCH_PAGES:
                    self._write(batch)
                    batch = []
                if last:
                    self._commit(done.job)
        if self._tally.added:
            self._writer.optimize()
        seconds = round(time.perf_counter() - began, 3)
        self._emit(Progress("finished", "", seconds=seconds))
        tally = self._tally
        return AddReport(
            added=tuple(tally.added),
            skipped=tuple(tally.skipped),
            failed=tuple(tally.failed),
            pages=sum(tally.statuses.values()),
            statuses=dict(sorted(tally.statuses.items())),
            seconds=seconds,
        )

    def _fail(self, path: str, kind: str, reason: str) -> None:
        self._tally.failed.append((path, reason))
        self._emit(Progress("file_failed", path, status=kind, reason=reason))

    def _skip(self, info: FileInfo, reason: str) -> None:
        self._tally.skipped.append(info.id)
        self._emit(Progress("file_skipped", str(info.path), info.id, pages=info.pages, reason=reason))

    def _read(self, crew: Crew, jobs: Sequence[Job]) -> Iterator[tuple[Job, Page]]:
        """Every page of every job in order, a few being read ahead."""
        ahead: deque[tuple[Job, int, Ticket[Page] | None]] = deque()
        todo = self._pages(jobs)
        while True:
            while len(ahead) < crew.window:
                following = next(todo, None)
                if following is None:
                    break
                job, number = following
                args = (job.info.source, job.info.id, number, self._settings.read)
                known = number <= len(job.known)
                ahead.append((job, number, None if known else crew.submit(tasks.read_page, *args)))
            if not ahead:
                return
            self._check()
            job, number, ticket = ahead.popleft()
            yield job, job.known[number - 1] if ticket is None else _taken(job, number, ticket)

    def _pages(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, int]]:
        for job in jobs:
            job.started = time.perf_counter()
            self._emit(Progress("file_started", str(job.info.path), job.info.id, pages=job.info.pages))
            # The last page is always read: its embedding is what leads to the commit.
            pages = self._writer.begin(job.document, self._recipe)
            job.resumed, job.known = bool(pages), tuple(pages[: job.info.pages - 1])
            for number in range(1, job.info.pages + 1):
                yield job, number

    def _embedded(self, crew: Crew, pages: Iterator[tuple[Job, Page]]) -> Iterator[Done]:
        """Chunk each page as it comes and send it to be embedded; pages leave in the order they came."""
        ahead: deque[Done] = deque()
        # At least two, so that a page is here still when the next one says that its table goes on there.
        window = max(2, crew.window)
        for job, page in pages:
            page, chunks = self._chunked(job, page)
            if ahead and ahead[-1].job is job and job.chunker is not None and job.chunker.before is not None:
                ahead[-1].page = replace(ahead[-1].page, tables=job.chunker.before.tables)
            if page.number <= len(job.known):
                job.emitted += len(chunks)
                job.statuses[page.status.value] += 1
                continue
            if job.resumed and page.number == len(job.known) + 1:
                self._writer.forget_after(job.document, len(job.known), job.emitted)
            ahead.append(Done(job, page, chunks, self._embed(crew, page, chunks)))
            if len(ahead) >= window:
                yield ahead.popleft()
        while ahead:
            yield ahead.popleft()

    def _chunked(self, job: Job, page: Page) -> tuple[Page, tuple[Chunk, ...]]:
        if job.chunker is None:
            identity = identify(job.info, page)
            job.document = replace(job.document, identity=identity)
            job.chunker = Chunker(
                job.info.id, identity, job.info.outline, self._settings.chunk, self._embedder.count_tokens
            )
        page = replace(page, context=job.document.identity.label())
        chunks = job.chunker.feed(page)
        if job.chunker.page is not None:
            page = replace(page, tables=job.chunker.page.tables)
        if page.number == job.info.pages:
            chunks += job.chunker.finish()
        return page, tuple(chunks)

    def _embed(self, crew: Crew, page: Page, chunks: Sequence[Chunk]) -> Ticket[tasks.Embedded]:
        bare = replace(page, image=None)
        texts = [chunk.index_text for chunk in chunks]
        if crew.workers == 1:
            return crew.submit(tasks.embed, self._embedder, bare, texts)
        return crew.submit(tasks.embed_named, self._embedder.id, bare, texts)

    def _write(self, batch: Sequence[Done]) -> None:
        pages: list[Page] = []
        vectors: list[PageVectors] = []
        chunks: list[Chunk] = []
        chunk_vectors: list[NDArray[np.float32]] = []
        for done in batch:
            self._check()
            page = done.page
            try:
                embedded = done.embedding.result()
            except MmragError:
                raise
            except Exception as error:  # whatever a model throws at one page is that page's status
                page = failed(page, f"it could not be embedded: {error or type(error).__name__}")
                vectors.append(_no_vectors(self._embedder.dim))
            else:
                page = replace(page, seconds=page.seconds + embedded.seconds)
                vectors.append(embedded.page)
                chunks += done.chunks
                chunk_vectors.append(embedded.chunks)
            pages.append(page)
            if page.status is PageStatus.FAILED:
                done.job.trouble = done.job.trouble or page.reason
        held = (
            np.concatenate(chunk_vectors)
            if chunk_vectors
            else np.zeros((0, self._embedder.text_dim), np.float32)
        )
        job = batch[0].job
        self._writer.write(job.document, Batch(tuple(pages), tuple(vectors), tuple(chunks), held))
        for page in pages:
            job.statuses[page.status.value] += 1
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

    def _commit(self, job: Job) -> None:
        fault = _fault(job)
        if fault:
            self._writer.remove(document_key(job.document.id, job.document.access.tenant))
            self._fail(str(job.info.path), "IngestError", f"{job.info.path}: {fault}")
            return
        document = replace(job.document, statuses=dict(job.statuses))
        self._writer.commit(document, self._recipe)
        self._tally.added.append(document.id)
        self._tally.statuses.update(job.statuses)
        indexed = job.statuses[PageStatus.INDEXED.value]
        self._emit(
            Progress(
                "file_done",
                str(job.info.path),
                job.info.id,
                pages=job.info.pages,
                status="indexed" if indexed == job.info.pages else "partly indexed",
                reason=""
                if indexed == job.info.pages
                else f"{indexed} of {job.info.pages} pages are indexed",
                seconds=time.perf_counter() - job.started,
            )
        )

    def _checked(self, paths: Iterable[Path]) -> Iterator[Path]:
        for path in paths:
            self._check()
            yield path

    def _check(self) -> None:
        if self._cancelled:
            raise Cancelled(
                "adding was cancelled",
                remedy="Documents that were finished are kept; add the same files again to go on.",
            )


def _unheard(event: Progress) -> None:
    """Before :meth:`Pipeline.run` is given somebody to tell."""


def _fault(job: Job) -> str:
    """Why a document that was read must not be shown: its file is another now, or no page could be read."""
    try:
        changed = file_id(job.info.path) != job.info.id
    except OSError as error:
        return f"it could not be read to the end ({error.strerror}). Add it again when it is back."
    if changed:
        return "it changed while it was being read. Add it again."
    if job.statuses[PageStatus.FAILED.value] == job.info.pages:
        return f"no page could be read; page 1: {job.trouble}"
    return ""


def _taken(job: Job, number: int, ticket: Ticket[Page]) -> Page:
    try:
        return ticket.result()
    except TaskDied as error:
        page = Page(job.info.id, number, 0.0, 0.0, PageStatus.FAILED)
        return failed(page, f"it could not be read: {error}")


def _no_vectors(dim: int) -> PageVectors:
    return PageVectors(np.zeros((0, dim), np.float16), np.zeros((0, 4), np.float32))
