"""Files are opened a few ahead, in worker processes, while the pages of those before them are read."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mmrag.adding import tasks
from mmrag.crew.crew import Crew, CrewBroken, CrewStopped
from mmrag.errors import IngestError

if TYPE_CHECKING:
    from mmrag.ingest import FileInfo
    from mmrag.records import DocumentId
    from mmrag.settings import ReadSettings

BYTES_PER_SECOND = 20_000_000
"""A slow disk: a large file gets more time to be opened, since all of it is read."""
# How the kinds begin that LibreOffice has to turn into pages: zip, OLE, RTF, XML.
_CONVERTED = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"{\\rtf", b"<?xml")

Passwords = Sequence[str] | Mapping[str | Path, str]
"""Passwords to try on every file, or one a file."""


@dataclass(slots=True)
class Opened:
    """A file in its turn: ``id`` when its bytes could be looked at, then ``info`` or the ``error``."""

    path: Path
    id: DocumentId = ""
    info: FileInfo | None = None
    error: IngestError | None = None


@dataclass(slots=True)
class _Entry:
    path: Path
    look: Future[DocumentId]
    id: DocumentId = ""
    open: Future[FileInfo] | None = None


class Opening:
    """Opens files ahead of their turn.

    Args:
        crew: whose workers look at and open the files.
        paths: the files, in order.
        settings: limits on the time a file may take.
        passwords: to try.
        workdir: where conversions put what they make.
        wanted: whether a file with these bytes must be opened; asked again when it is the file's turn.
    """

    def __init__(
        self,
        crew: Crew,
        paths: Iterable[Path],
        settings: ReadSettings,
        passwords: Passwords,
        workdir: Path,
        wanted: Callable[[DocumentId], bool],
    ) -> None:
        self._crew = crew
        self._paths = iter(paths)
        self._settings = settings
        self._passwords = by_file(passwords)
        self._workdir = workdir
        self._wanted = wanted
        self._ahead: deque[_Entry] = deque()
        self._ended = False

    def ready(self) -> bool:
        """Whether :meth:`take` need not wait."""
        self._advance()
        if not self._ahead:
            return True
        first = self._ahead[0]
        return first.look.done() and (first.open is None or first.open.done())

    @property
    def ended(self) -> bool:
        """Whether all files were taken."""
        return self._ended and not self._ahead

    def take(self) -> Opened | None:
        """The next file, or None after the last; a file whose bytes are not wanted is not opened."""
        self._advance()
        if not self._ahead:
            return None
        entry = self._ahead.popleft()
        self._look(entry)
        if entry.open is None and (not entry.id or self._wanted(entry.id)):
            self._open(entry)
        opened = Opened(entry.path, entry.id)
        if entry.open is not None:
            try:
                opened.info = entry.open.result()
            except IngestError as error:
                opened.error = error
            except (CrewStopped, CrewBroken):
                raise
            except Exception as error:  # whatever a reader throws at one file is that file's fault
                opened.error = IngestError(
                    f"the file could not be opened ({error or type(error).__name__})",
                    where=str(entry.path),
                    remedy="Open it in a program that reads it, save it anew, and add it again.",
                )
        self._advance()
        return opened

    def _advance(self) -> None:
        while not self._ended and len(self._ahead) < self._crew.window:
            path = next(self._paths, None)
            if path is None:
                self._ended = True
                break
            seconds = self._settings.page_seconds + _allowance(path)
            self._ahead.append(_Entry(path, self._crew.submit(seconds, tasks.look, path, later=True)))
        coming: set[DocumentId] = set()
        for entry in self._ahead:
            if entry.look.done() and entry.open is None:
                self._look(entry)
                if not entry.id or (entry.id not in coming and self._wanted(entry.id)):
                    self._open(entry)
            coming.add(entry.id)

    def _look(self, entry: _Entry) -> None:
        try:
            entry.id = entry.look.result()
        except (CrewStopped, CrewBroken):
            raise
        except Exception:  # opening it says what is wrong
            entry.id = ""

    def _open(self, entry: _Entry) -> None:
        seconds = self._settings.page_seconds + _allowance(entry.path)
        if _is_converted(entry.path):
            # Once to pages, and an old deck once more for its notes; each is bounded by itself as well.
            seconds += 2 * self._settings.convert_seconds
        passwords = self._passwords(entry.path)
        entry.open = self._crew.submit(
            seconds, tasks.open_file, entry.path, passwords, self._workdir, self._settings, later=True
        )


def by_file(passwords: Passwords) -> Callable[[Path], tuple[str, ...]]:
    """What to try on a file, of passwords given for all files or one a file."""
    if isinstance(passwords, Mapping):
        resolved = {os.path.realpath(path): password for path, password in passwords.items()}
        return lambda path: tuple(resolved[key] for key in (os.path.realpath(path),) if key in resolved)
    listed = (passwords,) if isinstance(passwords, str) else tuple(passwords)
    return lambda path: listed


def _allowance(path: Path) -> float:
    try:
        return path.stat().st_size / BYTES_PER_SECOND
    except OSError:
        return 0.0


def _is_converted(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return stream.read(16).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_CONVERTED)
    except OSError:
        return False
