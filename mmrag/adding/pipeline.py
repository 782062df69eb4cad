"""Files in, rows out: ``file -> open -> read -> chunk -> embed -> write``, a page at a time.

Files are opened and pages read in worker processes, never here; chunking follows the page order of a
document and runs here, between them. A few files and a few pages are in flight at any moment, whatever the
number and the size of the files.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mmrag.adding import tasks
from mmrag.adding.batches import assemble
from mmrag.adding.jobs import Done, Job, checked, recipe_of, worker_count
from mmrag.adding.opening import Opening, Passwords
from mmrag.adding.plan import Plan
from mmrag.adding.pruning import Pruning
from mmrag.adding.reading import Reading
from mmrag.adding.telling import Emit, Teller
from mmrag.adding.workdir import Workdir
from mmrag.crew.crew import Crew, CrewBroken, CrewStopped
from mmrag.errors import Cancelled, IngestError, LibraryError, MissingFile
from mmrag.index.writer import Writer
from mmrag.ingest import Chunker, file_id, find_files, identify
from mmrag.records import Access, AddReport, Page, PageStatus

if TYPE_CHECKING:
    from mmrag.models.protocols import Embedder
    from mmrag.records import Chunk
    from mmrag.settings import Settings

# The first pages are embedded here, where the model is loaded; loading it in workers pays off later.
POOL_FROM_PAGES = 12
BATCH_PAGES = 32
OPTIMIZE_DOCUMENTS = 64
EMBED_SECONDS = 300.0


class Pipeline:
    """One batch of files on its way into a store.

    Args:
        writer: the store's writer, held by the caller.
        embedder: makes the vectors; worker processes load their own by its name.
        settings: how to read and chunk.
        workdir: a folder for what conversions make; emptied before and deleted after.
    """

    def __init__(self, writer: Writer, embedder: Embedder, settings: Settings, workdir: Path) -> None:
        self._writer = writer
        self._embedder = embedder
        self._settings = settings
        self._workdir = Workdir(workdir)
        self._recipe = recipe_of(embedder, settings)
        self._crew: Crew | None = None
        self._embedded_here = 0
        self._cancelled = False

    def cancel(self) -> None:
        """Stop now; may be called from another thread."""
        self._cancelled = True
        if self._crew is not None:
            self._crew.stop()

    def run(
        self,
        paths: Sequence[Path | str],
        access: Access | None,
        tags: tuple[str, ...],
        emit: Emit,
        *,
        passwords: Passwords = (),
        prune: bool = False,
    ) -> AddReport:
        """Add every file; a file's fault is reported and the rest goes on.

        Args:
            paths: files, and folders whose documents are taken.
            access: who may read them; None: as the version they replace, else everybody.
            tags: words to filter by, beside those of the version they replace.
            emit: takes every progress event, on this thread.
            passwords: to try on files that need one, or one a file; nothing keeps them.
            prune: drop what came from files under these paths that are gone.

        Raises:
            StorageError: the disk refused; what was committed before stays.
            Cancelled: :meth:`cancel` was called.
            LibraryError: worker processes cannot be started.
            TypeError: a password is no text.
        """
        began = time.perf_counter()
        passwords = checked(passwords)
        self._plan = Plan(self._writer, access, tags)
        self._tell = Teller(emit, self._writer, self._plan.access_at)
        given = [path for path in map(Path, paths) if self._can_be(path)]
        pruning = Pruning(self._writer, self._plan.tenant, given) if prune else None
        if pruning is not None:
            given = [path for path in given if not pruning.takes(path)]
        try:
            with self._workdir, Crew(worker_count(self._settings)) as self._crew:
                files = self._add(self._crew, given, passwords)
        except CrewStopped:
            self._check()
            raise
        except CrewBroken as error:
            raise LibraryError(
                str(error), remedy="See that mmrag is installed whole and that memory is left, and try again."
            ) from error
        if pruning is not None:
            for folder, known in pruning.emptied(files).items():
                self._tell.failed(Path(folder), _away(folder, known))
            for gone in pruning.run(files):
                self._tell.pruned(gone.path, gone.document)
        if self._tell.changed:
            self._writer.optimize()
        return self._tell.report(time.perf_counter() - began)

    def _can_be(self, path: Path) -> bool:
        """Whether a path can be asked for at all; it is told of when it cannot."""
        possible = "\0" not in str(path)
        if not possible:
            where = str(path).replace("\0", "\\0")
            error = MissingFile("no path has a NUL in it", where=where, remedy="See how the path is made.")
            self._tell.failed(Path(where), error)
        return possible

    def _add(self, crew: Crew, given: Sequence[Path], passwords: Passwords) -> Sequence[Path]:
        """Add what is found under the given paths; the files."""
        files = []
        for path in find_files(given):
            self._check()
            files.append(path)
        self._tell.found(len(files))
        settings = self._settings.read
        opening = Opening(crew, files, settings, passwords, self._workdir.path, self._plan.wanted)
        reading = Reading(
            *(crew, opening, self._plan, self._tell, self._writer, self._recipe, settings, self._workdir),
            self._check,
        )
        batch: list[Done] = []
        for done in self._embedded(crew, reading.pages()):
            batch.append(done)
            last = done.page.number == done.job.info.pages
            if last or len(batch) >= BATCH_PAGES:
                self._write(batch)
                batch = []
            if last:
                self._finish(done.job)
        return files

    def _embedded(self, crew: Crew, pages: Iterator[tuple[Job, Page] | None]) -> Iterator[Done]:
        """Chunk each page as it comes and send it to be embedded; pages leave in the order they came."""
        ahead: deque[Done] = deque()
        # At least two, so that a page is here still when the next one says that its table goes on there.
        window = max(2, crew.window)
        for following in pages:
            if following is None:
                yield from _drained(ahead)
                continue
            job, page = following
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
        yield from _drained(ahead)

    def _chunked(self, job: Job, page: Page) -> tuple[Page, tuple[Chunk, ...]]:
        if job.chunker is None:
            identity = identify(job.info, page)
            job.document = replace(job.document, identity=identity)
            job.chunker = Chunker(
                job.info.id,
                identity,
                job.info.outline,
                self._settings.chunk,
                self._embedder.count_tokens,
                running=job.info.running,
                limit=getattr(self._embedder, "text_limit", 0),
            )
        page = replace(page, context=job.document.identity.label())
        chunks = job.chunker.feed(page)
        if job.chunker.page is not None:
            page = replace(page, tables=job.chunker.page.tables)
        if page.number == job.info.pages:
            chunks += job.chunker.finish()
        return page, tuple(chunks)

    def _embed(self, crew: Crew, page: Page, chunks: Sequence[Chunk]) -> Future[tasks.Embedded]:
        bare = replace(page, image=None)
        texts = [chunk.index_text for chunk in chunks]
        if self._embedded_here >= POOL_FROM_PAGES:
            return crew.submit(EMBED_SECONDS, tasks.embed_named, self._embedder.id, bare, texts)
        self._embedded_here += 1
        embedding: Future[tasks.Embedded] = Future()
        try:
            embedding.set_result(tasks.embed(self._embedder, bare, texts))
        except Exception as error:  # raised again where the result is asked for
            embedding.set_exception(error)
        return embedding

    def _write(self, batch: Sequence[Done]) -> None:
        self._check()
        job = batch[0].job
        made = assemble(batch, self._embedder)
        self._writer.write(job.document, made)
        for page in made.pages:
            job.statuses[page.status.value] += 1
            self._tell.page(job, page)

    def _finish(self, job: Job) -> None:
        """Show a document whose pages are all written, or give it up."""
        error = _fault(job)
        if error is None:
            self._writer.commit(replace(job.document, statuses=dict(job.statuses)), self._recipe)
            self._plan.done(job)
            self._tell.done(job)
            if len(self._tell.added) % OPTIMIZE_DOCUMENTS == 0:
                self._writer.optimize()  # many small commits make every later one slower
        else:
            self._writer.abandon(job.document)
            self._plan.failed(job)
            self._tell.failed(job.info.path, error)
        self._workdir.clean(job.info.source.path)

    def _check(self) -> None:
        if self._cancelled:
            raise Cancelled(
                "adding was cancelled",
                remedy="Documents that were finished are kept; add the same files again to go on.",
            )


def _fault(job: Job) -> IngestError | None:
    """Why a document that was read must not be shown: its file is another now, or no page could be read."""
    where = str(job.info.path)
    again = "Add it again."
    try:
        changed = file_id(job.info.path) != job.info.id
    except FileNotFoundError:
        return MissingFile("it was gone before it was read to the end", where=where, remedy=again)
    except OSError as error:
        return IngestError(f"it could not be read to the end ({error.strerror})", where=where, remedy=again)
    if changed:
        return IngestError("it changed while it was being read", where=where, remedy=again)
    if job.statuses[PageStatus.FAILED.value] == job.info.pages:
        return IngestError(f"no page could be read; page 1: {job.trouble.rstrip('.')}", where=where)
    return None


def _away(folder: str, known: int) -> MissingFile:
    """What is said of a folder that was emptied, when it was to be seen what of it is gone."""
    return MissingFile(
        f"no file to read is there any more, and nothing was dropped of the {known} that were added from it",
        where=folder,
        remedy="Mount its disk if it is away; else name a gone file with --prune, or use `mmrag remove`.",
    )


def _drained(ahead: deque[Done]) -> Iterator[Done]:
    while ahead:
        yield ahead.popleft()
