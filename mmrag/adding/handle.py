"""Adding files in the background: watch it, wait for it, or leave it to finish."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

from mmrag.adding.telling import Emit
from mmrag.records import AddReport, Progress


class Adding:
    """Files on their way into a library.

    The work starts when this is made. Iterate it for :class:`Progress` events as they come; call it
    (or :meth:`report`) to wait for the :class:`AddReport`; or drop it: the library's next call waits.

    Args:
        work: does it all, handing events to the callable it is given.
        cancel: asks ``work`` to stop.
    """

    def __init__(self, work: Callable[[Emit], AddReport], cancel: Callable[[], None]) -> None:
        self._cancel = cancel
        self._events: queue.SimpleQueue[Progress | None] = queue.SimpleQueue()
        self._report: AddReport | None = None
        self._error: BaseException | None = None
        self._told = False
        self._thread = threading.Thread(target=self._run, args=(work,), name="mmrag-add")
        self._thread.start()

    def __iter__(self) -> Iterator[Progress]:
        """Events as they come, each once; ends with ``finished``.

        Raises:
            MmragError: the batch could not go on (the disk is full, say).
        """
        try:
            while (event := self._events.get()) is not None:
                yield event
        except KeyboardInterrupt:
            self.cancel()
            raise
        # A second reader finds the end as well.
        self._events.put(None)
        self.report()

    def __call__(self) -> AddReport:
        """Same as :meth:`report`."""
        return self.report()

    def report(self) -> AddReport:
        """Wait for the end.

        Raises:
            MmragError: the batch could not go on (the disk is full, say).
        """
        try:
            self._thread.join()
        except KeyboardInterrupt:
            self.cancel()
            raise
        if self._error is not None:
            self._told = True
            raise self._error
        if self._report is None:
            raise RuntimeError("the adding thread ended without a report")
        return self._report

    def settle(self) -> None:
        """Wait for the end; raise the error only when nobody was told of it yet."""
        self._thread.join()
        if not self._told:
            self.report()

    def cancel(self) -> None:
        """Stop and wait for that; what is done stays, and adding again does the rest."""
        self._told = True
        self._cancel()
        self._thread.join()

    def _run(self, work: Callable[[Emit], AddReport]) -> None:
        try:
            self._report = work(self._events.put)
        except BaseException as error:  # kept and raised again in the thread that asks
            self._error = error
        finally:
            self._events.put(None)
