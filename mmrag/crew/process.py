"""Worker processes seen from the process that starts them: start, give a task, end, keep for later.

They are started afresh (not forked) and never import the caller's main module, so scripts need no
``__main__`` guard. Each leads a process group of its own: what a task starts, LibreOffice say, ends with it.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, cast

from mmrag.crew.worker import IDLE_SECONDS, adopt, read, write

START_SECONDS = 120.0
KEPT_SECONDS = IDLE_SECONDS - 10.0
_START = (
    "import sys; sys.path = [entry for entry in sys.path if entry]; import json; "
    "sys.path[:] = json.loads(sys.stdin.buffer.readline()); from mmrag.crew.worker import main; main()"
)


class Ended(Exception):
    """The process ended before it answered; the message says how."""


class Overran(Exception):
    """The task ran over its time, and its process was ended."""


class WorkerProcess:
    """One worker process; it takes one task at a time.

    Raises:
        OSError: the system starts no process.
    """

    def __init__(self) -> None:
        self._ready = False
        self._overran = False
        self._turn = 0
        self._guard = threading.RLock()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt from the terminal is the caller's to handle
        )
        self._in, self._out = cast(Any, self._process.stdin), cast(Any, self._process.stdout)
        with contextlib.suppress(OSError):  # one that ended already is found out when it is to be ready
            self._in.write(json.dumps([str(entry) for entry in sys.path]).encode() + b"\n")
            self._in.flush()

    def make_ready(self) -> None:
        """Wait until it can take a task, and give it this process's environment, folder and module path.

        Raises:
            Ended: it cannot.
        """
        try:
            if not self._ready:
                trouble = self._exchange(None, START_SECONDS)
                if trouble:
                    raise Ended(trouble)
                self._ready = True
            else:
                self.do(adopt, (list(sys.path), dict(os.environ), _folder()), START_SECONDS)
        except (Ended, Overran) as error:
            dismiss(self)
            raise Ended(f"it did not start: {error}") from error

    def do(self, function: Callable[..., Any], args: tuple[Any, ...], seconds: float) -> Any:
        """Have ``function(*args)`` done.

        Raises:
            Overran: it took more than ``seconds``.
            Ended: the process ended over it.
            Exception: whatever the task raised.
        """
        kind, value = self._exchange((function, args, seconds), seconds)
        if kind == "raised":
            raise value
        return value

    def kill(self) -> None:
        """End it and whatever it started, and wait for that; may be called at any time by any thread."""
        with self._guard:
            if self._process.returncode is not None:
                return
            # The group outlives its leader, whose number stays taken until it is waited for.
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            self._process.wait()

    def close_pipes(self) -> None:
        """After :meth:`kill`: let go of the pipes."""
        for pipe in (self._in, self._out):
            with contextlib.suppress(OSError):  # what was not yet written has no reader any more
                pipe.close()

    def _exchange(self, message: Any, seconds: float) -> Any:
        data = None if message is None else pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        timer = threading.Timer(seconds, self._time_is_up, (self._turn,))
        timer.daemon = True
        timer.start()
        how = ""
        try:
            if data is not None:
                write(self._in, data)
            answer = read(self._out)
        except (EOFError, OSError):
            how = self._last_words()
        timer.cancel()
        with self._guard:
            self._turn += 1  # a timer that comes late does nothing
            if self._overran:
                raise Overran(f"it took more than {round(seconds, 1):g} seconds")
        if how:
            raise Ended(how)
        return pickle.loads(answer)

    def _last_words(self) -> str:
        """How it ended: its pipe closes a moment before that is known, and killing it then hides it."""
        deadline = time.monotonic() + 1.0
        while time.monotonic() < deadline and not self._has_left():
            time.sleep(0.01)
        self.kill()
        return _how(self._process.returncode)

    def _has_left(self) -> bool:
        """Whether it ended; it is not waited for, so that its group can still be ended by its number."""
        with self._guard:
            if self._process.returncode is not None or not hasattr(os, "waitid"):
                return self._process.poll() is not None
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self._process.pid, options) is not None

    def _time_is_up(self, turn: int) -> None:
        with self._guard:
            if turn == self._turn:
                self._overran = True
                self.kill()


def _how(code: int) -> str:
    if code < 0 and -code != signal.SIGKILL:
        return f"it was ended by {signal.Signals(-code).name}"
    return "it was killed, perhaps for lack of memory" if code < 0 else f"it left with code {code}"


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""  # it was deleted


_idle: list[tuple[float, WorkerProcess]] = []
_idle_guard = threading.Lock()


def hire() -> WorkerProcess:
    """A worker that is ready: one that was kept, or a new one.

    Raises:
        Ended: it cannot work.
        OSError: the system starts no process.
    """
    while True:
        with _idle_guard:
            since, worker = _idle.pop() if _idle else (0.0, None)
        if worker is None:
            worker = WorkerProcess()
            worker.make_ready()
            return worker
        if time.monotonic() - since > KEPT_SECONDS:
            dismiss(worker)
            continue
        with contextlib.suppress(Ended):  # it ended while it was kept: there may be others
            worker.make_ready()
            return worker


def keep(worker: WorkerProcess) -> None:
    """Keep a worker that has nothing to do, for whoever comes next."""
    with _idle_guard:
        _idle.append((time.monotonic(), worker))


def dismiss(worker: WorkerProcess) -> None:
    """End a worker."""
    worker.kill()
    worker.close_pipes()


def dismiss_all() -> None:
    """End every worker that is kept."""
    with _idle_guard:
        kept, _idle[:] = list(_idle), []
    for _, worker in kept:
        dismiss(worker)


atexit.register(dismiss_all)
if hasattr(os, "register_at_fork"):
    # A forked child must not talk to its parent's workers.
    os.register_at_fork(after_in_child=_idle.clear)
