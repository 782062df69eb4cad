"""One writer per library."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from mmrag.errors import LibraryLocked


@contextmanager
def write_lock(root: Path) -> Iterator[None]:
    """Hold the library's write lock; the system frees it even when the process is killed.

    Raises:
        LibraryLocked: another process (or another Library in this one) is writing; names it.
    """
    lock = FileLock(root / "write.lock", thread_local=False)
    owner = root / "write.owner"
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise LibraryLocked(
            f"{_describe(owner)} is writing to it",
            where=str(root),
            remedy="Wait until it is done and run this again; searching and asking work meanwhile.",
        ) from None
    try:
        owner.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
        yield
    finally:
        owner.unlink(missing_ok=True)
        lock.release()


def _describe(owner: Path) -> str:
    try:
        held = json.loads(owner.read_text())
        return f"process {held['pid']} on {held['host']}"
    except (OSError, ValueError, KeyError):
        return "another process"
