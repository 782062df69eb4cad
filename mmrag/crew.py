"""A crew of worker processes that a crashing or hanging page cannot stop.

Work is handed in and taken out in order. When a worker dies (a segmentation fault in a parser, the
system's memory killer) or a task runs over its time, every task in flight is lost with it; each is
then tried again alone, and the one that fails alone is the one to blame.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Future, TimeoutError
from types import TracebackType
from typing import Any, Generic, TypeVar

from loky import get_reusable_executor
from loky.process_executor import TerminatedWorkerError

Result = TypeVar("Result")


class TaskDied(Exception):
    """A task took its worker with it, or ran over its time, twice; the message says which."""


class Ticket(Generic[Result]):
    """A task handed in; :meth:`result` waits for it."""

    def __init__(
        self,
        crew: Crew,
        function: Callable[..., Result],
        args: tuple[Any, ...],
        future: Future[Result] | None,
    ) -> None:
        self._crew = crew
        self._function = function
        self._args = args
        self._future = future

    def result(self) -> Result:
        """The task's result.

        Raises:
            TaskDied: the task cannot be done; others can.
            Exception: whatever the task raised.
        """
        if self._future is None:
            return self._function(*self._args)
        try:
            return self._future.result(self._crew.seconds)
        except (TerminatedWorkerError, TimeoutError, CancelledError):
            return self._crew.alone(self._function, self._args)


class Crew:
    """``workers`` processes; with one worker the work is done in this process when it is asked for.

    Args:
        workers: processes.
        seconds: longest a task may take, its wait for a free worker included.
    """

    def __init__(self, workers: int, seconds: float = 300.0) -> None:
        self.workers = workers
        self.seconds = seconds
        # Tasks handed in ahead of the one waited for: enough to keep every worker busy, no more.
        self.window = 2 * workers + 1 if workers > 1 else 1

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.workers > 1 and kind is not None:
            self._stop()

    def submit(self, function: Callable[..., Result], *args: Any) -> Ticket[Result]:
        """Hand in ``function(*args)``; the function must be importable by name."""
        future = self._start(function, args) if self.workers > 1 else None
        return Ticket(self, function, args, future)

    def alone(self, function: Callable[..., Result], args: tuple[Any, ...]) -> Result:
        """Try a lost task again with no other in flight.

        Raises:
            TaskDied: it fails alone too.
        """
        self._stop()
        future = self._start(function, args)
        if future is None:
            return function(*args)
        try:
            return future.result(self.seconds)
        except TerminatedWorkerError as error:
            raise TaskDied("the process that worked on it crashed") from error
        except TimeoutError as error:
            self._stop()
            raise TaskDied(f"it took more than {self.seconds:.0f} seconds") from error

    def _start(self, function: Callable[..., Result], args: tuple[Any, ...]) -> Future[Result] | None:
        """The future of a task, or None when the interpreter is closing and no process may start."""
        try:
            future: Future[Result] = self._executor().submit(function, *args)
        except BrokenExecutor:
            raise
        except RuntimeError:
            return None
        return future

    def _stop(self) -> None:
        self._executor().shutdown(wait=True, kill_workers=True)

    def _executor(self) -> Any:
        # loky's workers do not import the caller's main module, so scripts need no __main__ guard.
        return get_reusable_executor(max_workers=self.workers, timeout=30)
