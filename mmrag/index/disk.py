"""Disk trouble as errors a person can act on."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mmrag.errors import StorageError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_DENIED = {errno.EROFS, errno.EACCES, errno.EPERM}
# Lance wraps the system's error in its own and keeps the text.
_FULL_TEXT = ("no space left on device", "disk quota exceeded", "os error 28", "os error 122", "os error 27)")
_DENIED_TEXT = ("read-only file system", "permission denied", "os error 30", "os error 13")


@contextmanager
def storage_errors(root: Path) -> Iterator[None]:
    """Turn a full, read-only or forbidden disk into :class:`StorageError`; let the rest through."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        text = str(error).lower()
        code = error.errno if isinstance(error, OSError) else None
        if code in _FULL or any(part in text for part in _FULL_TEXT):
            raise StorageError(
                "the disk is full, or a limit on the size of files is reached",
                where=str(root),
                remedy="Free some space and run the same command again; what was added before is kept.",
            ) from error
        if code in _DENIED or any(part in text for part in _DENIED_TEXT):
            raise StorageError(
                "writing is not allowed", where=str(root), remedy="Check the folder's owner and permissions."
            ) from error
        raise
