"""What is known of a file before its pages are read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mmrag.ingest.source import Source
from mmrag.records import DocumentId, Supplement


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One bookmark of a PDF: depth from 1, title, and the 1-based page it points at."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class FileInfo:
    """What is known of a file before its pages are read.

    ``name`` is the file's name as it can be printed and stored (:func:`printable`); ``path`` is where
    it stands, whatever its bytes. ``labels`` are the printed page numbers, one a page, or empty when
    the file sets none; ``repaired`` says that its structure was damaged and had to be rebuilt. ``kind``
    names what the content is (``PDF``, ``PowerPoint presentation``, ``PNG picture``); ``source`` is what
    its pages are read from. ``notes`` ride on page 1, such as a suffix that does not fit.
    ``supplements`` and ``hidden`` are, by page number, what an office file holds beside its pictures,
    and its hidden slides. ``running`` are heads and feet that repeat over pages, folded as
    :mod:`mmrag.ingest.text.running` folds them.
    """

    id: DocumentId
    path: Path
    name: str
    size: int
    pages: int
    metadata: dict[str, str]
    outline: tuple[OutlineEntry, ...] = ()
    labels: tuple[str, ...] = ()
    repaired: bool = False
    kind: str = "PDF"
    source: Source = field(default_factory=lambda: Source(Path()))
    notes: tuple[str, ...] = ()
    supplements: Mapping[int, tuple[Supplement, ...]] = field(default_factory=dict)
    hidden: frozenset[int] = frozenset()
    running: frozenset[str] = frozenset()


def printable(path: Path | str) -> str:
    r"""A path as text that can be printed, logged and stored whatever the bytes of its name.

    Bytes that are not UTF-8 become ``\xff``, control characters (line breaks, escape sequences)
    become ``\n``, ``\x1b``; all other characters stay as they are.
    """
    text = os.fsencode(path).decode("utf-8", "backslashreplace") if _has_surrogates(str(path)) else str(path)
    return "".join(repr(character)[1:-1] if _is_control(character) else character for character in text)


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _is_control(character: str) -> bool:
    return character < " " or "\x7f" <= character <= "\x9f" or character in "\u2028\u2029"
