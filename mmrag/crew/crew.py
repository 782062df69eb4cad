"""A crew of worker processes that a crashing or hanging task cannot stop.

Each worker does one task at a time and is watched by a thread of its own, so whoever ends with a worker is
known at once: a task that runs over its time ends its worker and has failed; one whose worker ends by itself
(a segmentation fault in a parser, the system's memory killer) is tried once more, alone, and has then failed.
Every other task goes on.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeVar

from mmrag.crew.process import Ended, Overran, WorkerProcess, dismiss, hire, keep

Result = TypeVar("Result")

# Another worker starts when a task has waited so long: for a few quick tasks the first is enough.
PATIENCE_SECONDS = 0.25


class TaskDied(Exception):
    """A task took its worker with it, twice, or ran over its time; the message says which."""


class CrewStopped(Exception):
    """The crew was stopped before the task was done."""


class CrewBroken(Exception):
    """Worker processes cannot be started here; the message says how it failed."""


@dataclass(slots=True, eq=False)
class _Task:
    function: Callable[..., Any]
    args: tuple[Any, ...]
    seconds: float
    future: Future[Any]
    later: bool
    since: float = field(default_factory=time.monotonic)
    tries: int = 0


class Crew:
    """``workers`` processes, started as they are needed; leave it and idle ones are kept for the next crew.

    Args:
        workers: most processes at a time.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        # Tasks handed in ahead of the one waited for: enough to keep every worker busy, no more.
        self.window = 2 * workers + 1
        self._wake = threading.Condition()
        self._tasks: deque[_Task] = deque()
        self._later: deque[_Task] = deque()
        self._at_work: set[WorkerProcess] = set()
        self._running = 0
        self._running_later = 0
        self._alone = False
        self._closed = False
        self._stopped = False
        self._threads = [
            threading.Thread(target=self._serve, args=(rank,), name=f"mmrag-crew-{rank}", daemon=True)
            for rank in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.stop()
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        for thread in self._threads:
            thread.join()

    def submit(
        self, seconds: float, function: Callable[..., Result], *args: Any, later: bool = False
    ) -> Future[Result]:
        """Hand in a task.

        Args:
            seconds: longest it may run; its wait for a free worker does not count.
            function: must be importable by name.
            *args: its arguments; they and the result cross the border as pickles.
            later: it is work ahead of time: at most half of the workers do such while there is other work.

        Returns:
            Its result to come, or what it raised; TaskDied when it cannot be done, CrewStopped when the crew
            was stopped.
        """
        task = _Task(function, args, seconds, Future(), later)
        with self._wake:
            if self._stopped or self._closed:
                task.future.set_exception(CrewStopped())
            else:
                (self._later if later else self._tasks).append(task)
                self._wake.notify_all()
        return task.future

    def stop(self) -> None:
        """End the workers, whatever they are at; may be called from any thread."""
        with self._wake:
            self._stopped = True
            given_up = [*self._tasks, *self._later]
            self._tasks.clear()
            self._later.clear()
            workers = list(self._at_work)
            self._wake.notify_all()
        for task in given_up:
            task.future.set_exception(CrewStopped())
        for worker in workers:
            worker.kill()

    def _serve(self, rank: int) -> None:
        worker: WorkerProcess | None = None
        while (task := self._next(rank == 0 or worker is not None)) is not None:
            worker = self._do(task, worker)
            with self._wake:
                self._running -= 1
                self._running_later -= task.later
                self._alone = False
                self._wake.notify_all()
        if worker is not None:
            self._let_go(worker)

    def _next(self, has_worker: bool) -> _Task | None:
        """The next task for a thread; one that is tried again waits until nothing else runs."""
        with self._wake:
            while not self._stopped:
                pause = None
                queue = self._queue()
                if queue and not self._alone:
                    task = queue[0]
                    patience = 0.0 if has_worker else task.since + PATIENCE_SECONDS - time.monotonic()
                    if patience > 0:
                        pause = patience
                    elif not (task.tries and self._running):
                        self._running += 1
                        self._running_later += task.later
                        self._alone = bool(task.tries)
                        return queue.popleft()
                elif self._closed and not queue:
                    return None
                self._wake.wait(pause)
            return None

    def _queue(self) -> deque[_Task]:
        """Where the next task is to be taken from."""
        if not self._tasks:
            return self._later
        if self._tasks[0].tries or not self._later or self._running_later >= self.workers // 2:
            return self._tasks
        return self._later

    def _do(self, task: _Task, worker: WorkerProcess | None) -> WorkerProcess | None:
        """Do a task; the worker that is left, if any."""
        if worker is None:
            try:
                worker = hire()
            except (Ended, OSError) as error:
                task.future.set_exception(CrewBroken(f"a worker process cannot be started: {error}"))
                return None
        with self._wake:
            self._at_work.add(worker)
            stopped = self._stopped
        try:
            if stopped:
                raise Ended
            answer = worker.do(task.function, task.args, task.seconds)
        except Overran as error:
            self._lose(worker)
            task.future.set_exception(TaskDied(str(error)))
        except Ended as error:
            self._lose(worker)
            self._try_again(task, str(error))
        except BaseException as error:
            task.future.set_exception(error)
            return worker
        else:
            task.future.set_result(answer)
            return worker
        return None

    def _try_again(self, task: _Task, how: str) -> None:
        with self._wake:
            stopped = self._stopped
            again = not stopped and not task.tries
            if again:
                task.tries += 1
                self._tasks.appendleft(task)
                self._wake.notify_all()
        if stopped:
            task.future.set_exception(CrewStopped())
        elif not again:
            task.future.set_exception(TaskDied(f"the process that worked on it ended twice: {how}"))

    def _lose(self, worker: WorkerProcess) -> None:
        dismiss(worker)
        with self._wake:
            self._at_work.discard(worker)

    def _let_go(self, worker: WorkerProcess) -> None:
        with self._wake:
            self._at_work.discard(worker)
            stopped = self._stopped
        if stopped:
            dismiss(worker)
        else:
            keep(worker)


def warm() -> None:
    """Start one worker now, for a crew that is about to need it; it gets ready by itself meanwhile."""
    with contextlib.suppress(OSError):  # the crew that needs one says so
        keep(WorkerProcess())
