"""Which files a person means by the paths they give."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from mmrag.ingest.files.containers import glance_inside
from mmrag.ingest.files.kinds import READABLE, tell_by_head

_UNUSUAL = {".ai", ".wiz"}  # fit the content when they are met, but are not what a folder is searched for
_REFUSED = {
    ".key"
}  # documents in the eyes of those who hand them in: better refused by name than passed over
_DOCUMENTS = frozenset({suffix for kind in READABLE for suffix in kind.suffixes} - _UNUSUAL | _REFUSED)
_KEPT = frozenset({"tables", "images", "work"})  # the folders of a library
_HEAD = 1024


def find_files(paths: Iterable[Path | str]) -> Iterator[Path]:
    """Yield the files to read, each once, in a fixed order.

    Folders are walked to their ends, in sorted order, for files whose name ends like a document's
    (PDF, office files, pictures) and for those without a suffix whose content is one. Links to files
    and folders are followed, linked folders last, and no folder is entered twice: a loop of links
    ends. Passed over are libraries (their pictures of pages are no documents; of a library that is given
    itself, what it keeps), hidden files and folders (names that begin with a dot) and the lock files of
    office programs (``~$deck.pptx``). A folder that cannot be listed is yielded itself, and so is a path
    that is no folder, there or not: :func:`mmrag.ingest.files.opening.open_file` says what is wrong with
    them. Nothing is opened that is not a regular file, so a pipe cannot hang the walk.
    """
    seen: set[str] = set()
    for given in paths:
        path = Path(given)
        for found in _walk(path) if os.path.isdir(path) else (path,):
            key = _place(found)
            if key not in seen:
                seen.add(key)
                yield found


def _place(path: Path) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:  # a NUL: no system has such a path
        return str(path)


def _walk(top: Path) -> Iterator[Path]:
    entered: set[tuple[int, int]] = set()
    linked: list[Path] = []
    yield from _under(top, entered, linked)
    while linked:  # last, so that a file is known by the path where it stands rather than by a link's
        yield from _under(linked.pop(0), entered, linked)


def _under(top: Path, entered: set[tuple[int, int]], linked: list[Path]) -> Iterator[Path]:
    stack = [top]  # no recursion: a tree may be deeper than the call stack
    while stack:
        folder = stack.pop()
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in entered:
                continue
            entered.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as listing:
                entries = sorted((e for e in listing if not _is_hidden(e.name)), key=lambda e: e.name)
        except OSError:
            yield folder
            continue
        kept = _KEPT if _is_library(folder) else frozenset()
        below: list[Path] = []
        for entry in entries:
            if entry.name in kept:
                continue
            path = folder / entry.name
            if os.path.isdir(path):
                if not _is_library(path):
                    (linked if entry.is_symlink() else below).append(path)
            elif _is_wanted(path):
                yield path
        stack.extend(reversed(below))


def _is_library(folder: Path) -> bool:
    """Whether a folder is a library of ours: its pictures of pages are no documents."""
    return os.path.isdir(folder / "tables" / "documents.lance")


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "~$"))


def _is_wanted(path: Path) -> bool:
    suffix = path.suffix.lower()
    return suffix in _DOCUMENTS if suffix else _holds_a_document(path)


def _holds_a_document(path: Path) -> bool:
    """Whether the content of a file without a suffix is of a kind that is read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return False
    return glance_inside(path, tell_by_head(head)) in READABLE
