"""The pages of files, one after another, while the next ones are being read and the next files opened."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from mmrag.adding import tasks
from mmrag.adding.jobs import Job, extras, failed
from mmrag.crew.crew import Crew, TaskDied
from mmrag.records import Page, PageStatus

if TYPE_CHECKING:
    from mmrag.adding.opening import Opening
    from mmrag.adding.plan import Plan
    from mmrag.adding.telling import Teller
    from mmrag.adding.workdir import Workdir
    from mmrag.index.writer import Writer
    from mmrag.settings import ReadSettings


class Reading:
    """Files become jobs, announced in the store, and jobs become pages.

    Args:
        crew: whose workers read.
        opening: the files.
        plan: says which are to be read.
        tell: is told of files that are not, and of those that are begun.
        writer: knows which pages an interrupted run has written.
        recipe: fingerprint of what decides what rows look like.
        settings: how to read a page, and how long it may take.
        workdir: where pages of converted files come from.
        check: raises when the work is to stop.
    """

    def __init__(
        self,
        crew: Crew,
        opening: Opening,
        plan: Plan,
        tell: Teller,
        writer: Writer,
        recipe: str,
        settings: ReadSettings,
        workdir: Workdir,
        check: Callable[[], None],
    ) -> None:
        self._crew = crew
        self._opening = opening
        self._plan = plan
        self._tell = tell
        self._writer = writer
        self._recipe = recipe
        self._settings = settings
        self._workdir = workdir
        self._check = check

    def pages(self) -> Iterator[tuple[Job, Page] | None]:
        """Every page of every file in order, a few being read ahead; None when the next takes a while.

        Raises:
            StorageError: the disk refused.
            CrewStopped, CrewBroken: there are no workers any more.
        """
        ahead: deque[tuple[Job, int, Future[Page] | None]] = deque()
        todo = self._todo(ahead)
        while True:
            self._check()
            while len(ahead) < self._crew.window and (following := next(todo)) is not None:
                job, number = following
                ticket = None
                if number > len(job.known):
                    args = (job.info.source, job.info.id, number, self._settings, extras(job.info, number))
                    ticket = self._crew.submit(self._settings.page_seconds, tasks.read_page, *args)
                ahead.append((job, number, ticket))
            if ahead:
                job, number, ticket = ahead.popleft()
                yield job, job.known[number - 1] if ticket is None else _taken(job, number, ticket)
            elif self._opening.ended:
                return
            else:
                yield None

    def _todo(self, ahead: Sequence[object]) -> Iterator[tuple[Job, int] | None]:
        """Pages to read; None when there are no more, or the next file is not open yet.

        It is waited for once nothing is ``ahead`` and the caller was told None.
        """
        while True:
            told = False
            while not self._opening.ready() and (ahead or not told):
                told = not ahead
                yield None
            job = self._next_job()
            if job is None:
                yield None
                continue
            self._tell.started(job)
            # The last page is always read: its embedding is what leads to the commit.
            pages = self._writer.begin(job.document, self._recipe)
            job.resumed, job.known = bool(pages), tuple(pages[: job.info.pages - 1])
            for number in range(1, job.info.pages + 1):
                yield job, number

    def _next_job(self) -> Job | None:
        """The next file that is to be read; those before it are accounted for."""
        while (opened := self._opening.take()) is not None:
            self._check()
            info = opened.info
            if opened.error is not None:
                self._workdir.clean(self._workdir.path / f"{opened.id}.pdf")
                self._tell.failed(opened.path, opened.error)
            elif info is None or not self._plan.wanted(info.id):
                document = info.id if info is not None else opened.id
                pages = info.pages if info is not None else 0
                self._tell.skipped(opened.path, document, pages, self._plan.skip(opened.path, document))
                if info is not None:
                    self._workdir.clean(info.source.path)
            else:
                return self._plan.job(info)
        return None


def _taken(job: Job, number: int, ticket: Future[Page]) -> Page:
    try:
        return ticket.result()
    except TaskDied as error:
        page = Page(job.info.id, number, 0.0, 0.0, PageStatus.FAILED)
        return failed(tasks.complete(page, extras(job.info, number)), f"it could not be read: {error}")
