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
from mmrag.index.disk import storage_errors


@contextmanager
def write_lock(root: Path) -> Iterator[None]:
    """Hold the library's write lock; the system frees it even when the process is killed.

    Raises:
        LibraryLocked: another process (or another Library in this one) is writing; names it.
        StorageError: the folder may not be written to.
    """
    lock = FileLock(root / "write.lock", thread_local=False)
    owner = root / "write.owner"
    try:
        with storage_errors(root):
            lock.acquire(timeout=0)
    except Timeout:
        raise LibraryLocked(
            f"{_describe(owner)} is writing to it",
            where=str(root),
            remedy="Wait until it is done and run this again; searching and asking work meanwhile.",
        ) from None
    try:
        with storage_errors(root):
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
