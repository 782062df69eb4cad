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

    A folder that is not there, cannot be listed or holds no file to read says nothing about its files (its
    disk may be away), so nothing under it is dropped; neither is a file that cannot be asked for. What is
    linked to lies under the folder that holds the link, as long as the link is there.

    Args:
        writer: the store's writer.
        tenant: whose documents are looked at.
        given: the paths that were handed in.
    """

    def __init__(self, writer: Writer, tenant: str, given: Sequence[Path]) -> None:
        self._writer = writer
        self._tenant = tenant
        paths = [Path(path) for path in given]
        self._given = frozenset(paths)
        self._folders = {os.path.realpath(path): path for path in paths if _can_be_listed(path)}
        self._single = {
            storable(os.path.realpath(path))
            for path in paths
            if _is_gone(path) and _can_be_listed(Path(os.path.realpath(path)).parent)
        }

    def takes(self, path: Path) -> bool:
        """Whether a given path is a known file that is gone, so that its absence is no error."""
        return storable(os.path.realpath(path)) in self._single & self._known().keys()

    def emptied(self, files: Iterable[Path]) -> dict[str, int]:
        """Folders that hold none of the files that were found, with the number of paths known under them."""
        there = [file for file in files if not _is_gone(file)]
        holding = {folder for file in there for folder in file.parents}
        places = {os.path.realpath(file) for file in there}
        empty: dict[str, int] = {}
        for folder, given in self._folders.items():
            if given not in holding and not any(_lies_under(place, folder) for place in places):
                under = storable(folder)
                if known := sum(_lies_under(where, under) for where in self._known()):
                    empty[folder] = known
        return empty

    def run(self, files: Sequence[Path]) -> Iterable[Pruned]:
        """Drop what is to be dropped, in the order of the paths; what each was.

        Args:
            files: what was found under the given paths.
        """
        alive = {storable(os.path.realpath(file)) for file in files if not _is_gone(file)}
        dangling = {
            storable(os.path.realpath(file)) for file in files if file.is_symlink() and _is_gone(file)
        }
        empty = {storable(folder) for folder in self.emptied(files)}
        folders = {storable(folder) for folder in (*self._folders, *self._linked(files))} - empty
        for where, keys in sorted(self._known().items()):
            if where in alive or not _is_gone(Path(where)) or not _is_gone(Path(usable(where))):
                continue
            if any(_lies_under(where, folder) for folder in empty) and where not in self._single:
                continue
            inside = where in self._single or any(_lies_under(where, folder) for folder in folders)
            if not inside and not (where in dangling and _holds_something(Path(usable(where)).parent)):
                continue
            for key in sorted(keys):
                self._writer.remove(key)
                yield Pruned(where, keys[key])
            # The note on a link that leads nowhere stays as long as the link.
            if where not in dangling and self._writer.accept(where, self._tenant) and not keys:
                yield Pruned(where, "")

    def _linked(self, files: Iterable[Path]) -> Iterable[str]:
        """Where the linked folders lead through which files were found."""
        looked_at: set[Path] = set(self._given)
        for file in files:
            if file in self._given or _is_gone(file):
                continue
            for folder in file.parents:
                if folder in looked_at:
                    break
                looked_at.add(folder)
                if folder.is_symlink():
                    yield os.path.realpath(folder)

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


def _holds_something(folder: Path) -> bool:
    try:
        with os.scandir(folder) as listing:
            return any(True for _ in listing)
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
