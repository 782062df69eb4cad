"""The main of a worker process: one task after another, for the process that started it.

Messages are pickles behind their length, over the pipes that were its stdin and stdout, so that nothing
of a task (a password, say) is ever an argument of a process or a file.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import os
import pickle
import queue
import signal
import struct
import sys
import threading
import time
from pathlib import Path
from typing import BinaryIO

IDLE_SECONDS = 40.0
"""A worker that nobody gave anything to do for so long ends by itself."""
GRACE_SECONDS = 5.0
"""How much later than the process that started it a worker ends a task that runs over its time."""
_LENGTH = struct.Struct("!Q")


def write(stream: BinaryIO, message: bytes) -> None:
    """Write one message.

    Raises:
        OSError: the other side is gone.
    """
    stream.write(_LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def read(stream: BinaryIO) -> bytes:
    """Read one message.

    Raises:
        EOFError: the other side is gone.
    """
    length = stream.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        raise EOFError
    (size,) = _LENGTH.unpack(length)
    message = stream.read(size)
    if len(message) < size:
        raise EOFError
    return message


def adopt(path: list[str], environment: dict[str, str], folder: str) -> None:
    """A task: take over where modules are, the environment and the folder of the process that asks."""
    sys.path[:] = path
    if environment != dict(os.environ):
        os.environ.clear()
        os.environ.update(environment)
    with contextlib.suppress(OSError):
        os.chdir(folder)


def main() -> None:
    """Say that it is ready, then answer tasks until nobody asks any more."""
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a library prints must not get between the messages.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    parent = os.getppid()
    _leave_no_core()
    _offer_to_the_memory_killer()
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked, inbox), name="mmrag-inbox", daemon=True).start()
    threading.Thread(target=_watch, args=(parent,), name="mmrag-parent", daemon=True).start()
    trouble = _get_ready()
    write(answers, pickle.dumps(trouble))
    if trouble:
        return
    with open(os.devnull, "wb") as dump:
        while True:
            try:
                message = inbox.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                return
            _answer(answers, message, dump)


def _leave_no_core() -> None:
    """A crash must not write memory, with passwords in it, to disk; programs started here inherit that."""
    try:
        import resource
    except ImportError:  # Windows writes none by default
        return
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


def _get_ready() -> str:
    """Import what tasks need before there is one, since a task's time is its own; "" or what went wrong."""
    try:
        for module in ("mmrag.adding.tasks", "mmrag.ingest"):
            importlib.import_module(module)
    except Exception as error:  # a broken installation, which the starter reports
        return f"{type(error).__name__}: {error}"
    return ""


def _answer(answers: BinaryIO, message: bytes, dump: BinaryIO) -> None:
    try:
        function, args, seconds = pickle.loads(message)
        # Ends this process even while native code holds the interpreter: its starter may be gone.
        faulthandler.dump_traceback_later(seconds + GRACE_SECONDS, exit=True, file=dump)
        try:
            answer = ("done", function(*args))
        finally:
            faulthandler.cancel_dump_traceback_later()
        data = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # it is raised again where the result is asked for
        data = _raised(error)
    write(answers, data)


def _raised(error: Exception) -> bytes:
    """The error as an answer; one that cannot cross the border goes as its text."""
    try:
        data = pickle.dumps(("raised", error), pickle.HIGHEST_PROTOCOL)
        pickle.loads(data)
    except Exception:  # an error's own pickling can raise anything
        plain = RuntimeError(f"{type(error).__name__}: {error}")
        data = pickle.dumps(("raised", plain), pickle.HIGHEST_PROTOCOL)
    return data


def _listen(asked: BinaryIO, inbox: queue.SimpleQueue[bytes]) -> None:
    try:
        while True:
            inbox.put(read(asked))
    except (EOFError, OSError):
        leave()


def _watch(parent: int) -> None:
    """A process forked from the starter may hold the pipes open after it: their end is not enough."""
    while os.getppid() == parent:
        time.sleep(2.0)
    leave()


def leave() -> None:
    """End this process, and the programs it started with it."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def _offer_to_the_memory_killer() -> None:
    """Where memory runs out, losing a worker costs a page, and losing its starter costs the run."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
