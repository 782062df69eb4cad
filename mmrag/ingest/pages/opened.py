"""The file that pages are being read from, kept open for the next page."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from mmrag.ingest.source import Source

_open: dict[tuple[Source, int, int], Any] = {}


def opened(source: Source, opener: Callable[[Source], Any]) -> Any:
    """What ``opener`` makes of a source, kept until another source is asked for.

    A changed file (other time or size) is opened anew.

    Raises:
        OSError: the file is gone; whatever ``opener`` raises.
    """
    status = source.path.stat()
    key = (source, status.st_mtime_ns, status.st_size)
    if key not in _open:
        close_files()
        _open[key] = opener(source)
    return _open[key]


def close_files() -> None:
    """Close the file that :func:`mmrag.ingest.read_page` keeps open in this process."""
    while _open:
        _, document = _open.popitem()
        with contextlib.suppress(ValueError):  # PyMuPDF's complaint about one that is closed already
            document.close()
