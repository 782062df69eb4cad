"""A crew of worker processes that a crashing or hanging page cannot stop.

Work is handed in and taken out in order. When a worker dies (a segmentation fault in a parser, the
system's memory killer) or a task runs over its time, every task in flight is lost with it; each is
then tried again, at last alone, and the one that fails alone is the one to blame.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Future, TimeoutError
from types import TracebackType
from typing import Any, Generic, TypeVar

from loky import get_reusable_executor
from loky.process_executor import ShutdownExecutorError

# What a task's future says when its worker, or the whole crew with it, is gone.
_LOST = (BrokenExecutor, CancelledError, ShutdownExecutorError, TimeoutError)

Result = TypeVar("Result")


class TaskDied(Exception):
    """A task took its worker with it, or ran over its time, twice; the message says which."""


class Ticket(Generic[Result]):
    """A task handed in; :meth:`result` waits for it."""

    def __init__(self, crew: Crew, function: Callable[..., Result], args: tuple[Any, ...]) -> None:
        self._crew = crew
        self._function = function
        self._args = args
        self._shift = crew.shift
        self._future = crew.start(function, args) if crew.workers > 1 else None

    def result(self) -> Result:
        """The task's result.

        Raises:
            TaskDied: the task cannot be done; others can.
            Exception: whatever the task raised.
        """
        crew = self._crew
        if self._future is None:
            return self._function(*self._args)
        try:
            return self._future.result(crew.seconds)
        except _LOST:
            pass
        # Perhaps another task's doing. A crew that was called anew since then is left at its work.
        if self._shift == crew.shift:
            crew.renew()
        try:
            return crew.wait(self._function, self._args)
        except _LOST:
            crew.renew()
        try:
            return crew.wait(self._function, self._args)
        except TimeoutError as error:
            crew.renew()
            raise TaskDied(f"it took more than {crew.seconds:.0f} seconds") from error
        except _LOST as error:
            crew.renew()
            raise TaskDied(
                "the process that worked on it ended thrice, perhaps for lack of memory"
            ) from error


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
        self.shift = 0

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.workers > 1 and kind is not None:
            self.renew()

    def submit(self, function: Callable[..., Result], *args: Any) -> Ticket[Result]:
        """Hand in ``function(*args)``; the function must be importable by name."""
        return Ticket(self, function, args)

    def wait(self, function: Callable[..., Result], args: tuple[Any, ...]) -> Result:
        """Hand in a task and wait for it."""
        future = self.start(function, args)
        return function(*args) if future is None else future.result(self.seconds)

    def start(self, function: Callable[..., Result], args: tuple[Any, ...]) -> Future[Result] | None:
        """The future of a task, or None when the interpreter is closing and no process may start."""
        for _ in range(2):
            try:
                future: Future[Result] = self._executor().submit(function, *args)
            except (BrokenExecutor, ShutdownExecutorError):
                self.shift += 1  # the crew broke since the last task: the next call gets another
            except RuntimeError:
                break
            else:
                return future
        return None

    def renew(self) -> None:
        """Send the workers away, whatever they are at; the next task starts new ones."""
        self.shift += 1
        self._executor().shutdown(wait=True, kill_workers=True)

    def _executor(self) -> Any:
        # loky's workers do not import the caller's main module, so scripts need no __main__ guard.
        return get_reusable_executor(max_workers=self.workers, timeout=30, initializer=leave_with_parent)


def leave_with_parent() -> None:
    """In a worker: end when the process that started it is gone, since nobody else would end it."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(2.0)
        os._exit(1)

    threading.Thread(target=watch, name="mmrag-parent", daemon=True).start()
