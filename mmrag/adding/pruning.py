"""What the library keeps of files that are gone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mmrag.index.codec import storable, usable
from mmrag.index.snapshot import ADDING, READY

if TYPE_CHECKING:
    from mmrag.index.writer import Writer


@dataclass(frozen=True, slots=True)
class Pruned:
    """A file that is gone: where it was, and the document it was, "" when it had never been read."""

    path: str
    document: str


class Pruning:
    """Drops what came from files that are gone, of those that lie under the given folders.

    A folder that is not there or cannot be listed says nothing about its files (its disk may be away), so
    nothing under it is dropped; neither is a file that cannot be asked for.

    Args:
        writer: the store's writer.
        tenant: whose documents are looked at.
        given: the paths that were handed in.
    """

    def __init__(self, writer: Writer, tenant: str, given: Sequence[Path]) -> None:
        self._writer = writer
        self._tenant = tenant
        paths = [Path(path) for path in given]
        self._folders = tuple(storable(os.path.realpath(path)) for path in paths if _can_be_listed(path))
        self._single = {
            storable(os.path.realpath(path))
            for path in paths
            if _is_gone(path) and _can_be_listed(path.parent)
        }

    def takes(self, path: Path) -> bool:
        """Whether a given path is a known file that is gone, so that its absence is no error."""
        return storable(os.path.realpath(path)) in self._single & self._known().keys()

    def run(self) -> Iterable[Pruned]:
        """Drop what is to be dropped, in the order of the paths; what each was."""
        for where, keys in sorted(self._known().items()):
            inside = where in self._single or any(_lies_under(where, folder) for folder in self._folders)
            if not inside or not _is_gone(Path(usable(where))):
                continue
            for key in sorted(keys):
                self._writer.remove(key)
                yield Pruned(where, keys[key])
            if self._writer.accept(where, self._tenant) and not keys:
                yield Pruned(where, "")

    def _known(self) -> dict[str, dict[str, str]]:
        """Path to the documents that came from it, key to id; none for a file that could not be opened."""
        known: dict[str, dict[str, str]] = {
            path: {} for path, tenant in self._writer.refused() if tenant == self._tenant
        }
        for row in self._writer.states().values():
            if row["tenant"] == self._tenant and row["state"] in (READY, ADDING):
                key = row["key"].partition("~")[0]  # rows in the making go with their document
                known.setdefault(row["path"], {})[key] = row["id"]
        return known


def _lies_under(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def _can_be_listed(folder: Path) -> bool:
    try:
        with os.scandir(folder):
            return True
    except OSError:
        return False


def _is_gone(path: Path) -> bool:
    """Whether the system says that nothing is there; not being allowed to ask is no such answer."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False
