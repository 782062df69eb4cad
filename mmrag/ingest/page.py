"""One page of a PDF, read: picture, words, tables, figures and a status."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mmrag.errors import EncryptedFile, MmragError
from mmrag.ingest import ocr
from mmrag.ingest._mupdf import FAULTS, damage, forget_damage
from mmrag.ingest.figures import find_figures
from mmrag.ingest.files import open_pdf
from mmrag.ingest.graphics import Graphics, page_graphics
from mmrag.ingest.lines import page_lines
from mmrag.ingest.render import encode, is_uniform, render, zoom_for
from mmrag.ingest.soundness import coverage, unsound
from mmrag.ingest.source import Source
from mmrag.ingest.tables import find_tables
from mmrag.ingest.words import split_visible, text_words
from mmrag.records import Figure, Page, PageImage, PageStatus, Table, Word
from mmrag.settings import ReadSettings

MOST_PICTURE_BYTES = 1_500_000_000
"""Unpacked size of one embedded picture above which a page is not rendered: unpacking takes some 5 s a GB."""

_REMEDY = "Open the file in a PDF viewer and save or print it anew, then add that file"
# MuPDF also remarks on harmless oddities; these words tell of content that may be lost.
_DAMAGE = re.compile(
    r"error|cannot|corrupt|truncated|premature|unexpected|broken|not found|not a |non-page|ignoring", re.I
)
_NO_WORDS: tuple[Word, ...] = ()
_T = TypeVar("_T")


@dataclass
class _Draft:
    """What is known of a page so far; faults in its parts become notes."""

    document: str
    number: int
    width: float = 0.0
    height: float = 0.0
    rotation: int = 0
    label: str = ""
    words: tuple[Word, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    image: PageImage | None = None
    notes: list[str] = field(default_factory=list)
    repaired: bool = False

    def done(self, status: PageStatus, reason: str = "") -> Page:
        return Page(
            document=self.document,
            number=self.number,
            width=self.width,
            height=self.height,
            status=status,
            reason=reason,
            label=self.label,
            rotation=self.rotation,
            words=self.words,
            tables=self.tables,
            figures=self.figures,
            image=self.image,
            notes=tuple(self.notes),
        )


def read_page(source: Source | Path, document: str, number: int, settings: ReadSettings) -> Page:
    """Read one page.

    Never raises for a fault of the page or its file: what went wrong is the page's status and
    reason. The opened file is kept until another is asked for, so read a file's pages in a row.

    Args:
        source: where the page is; a path is that of a PDF.
        document: its id, copied into the page.
        number: page number from 1.
        settings: resolution, OCR and tables.

    Returns:
        A page with status ``indexed`` or ``blank`` (with picture), or ``corrupt``, ``encrypted``,
        ``too_large`` or ``failed`` (with what could be had).
    """
    start = time.perf_counter()
    draft = _Draft(document, number)
    try:
        given = source if isinstance(source, Source) else Source(Path(source))
        page = _read(given.path, draft, settings)
    except EncryptedFile as error:
        page = draft.done(PageStatus.ENCRYPTED, str(error))
    except MemoryError:
        page = draft.done(
            PageStatus.TOO_LARGE, f"the page does not fit into memory. {_REMEDY} at a smaller size."
        )
    except MmragError as error:
        page = draft.done(PageStatus.FAILED, str(error))
    except Exception as error:  # the last net: one page's fault must never end a file's
        page = draft.done(
            PageStatus.FAILED,
            f"reading the page failed ({_name(error)}). {_REMEDY}; the other pages are kept.",
        )
    return replace(page, seconds=time.perf_counter() - start)


def _read(path: Path, draft: _Draft, settings: ReadSettings) -> Page:
    document = _opened(path)
    if not 1 <= draft.number <= document.page_count:
        return draft.done(
            PageStatus.FAILED,
            f"the file has {document.page_count} pages, so no page {draft.number}. Add it again.",
        )
    draft.repaired = bool(document.is_repaired)
    forget_damage()
    try:
        document.page_xref(draft.number - 1)  # MuPDF shows an empty page where the object is missing
        page = document.load_page(draft.number - 1)
        draft.width, draft.height = float(page.rect.width), float(page.rect.height)
        draft.rotation = int(page.rotation)
    except FAULTS as error:
        return draft.done(PageStatus.CORRUPT, f"the page's structure is damaged ({_name(error)}). {_REMEDY}.")
    draft.label = _attempt(draft, "the printed page number", lambda: str(page.get_label()), "")
    graphics = _attempt(draft, "drawings", lambda: page_graphics(page), None)
    if graphics is not None and graphics.weight > MOST_PICTURE_BYTES:
        return draft.done(
            PageStatus.TOO_LARGE,
            f"a picture on the page takes {graphics.weight / 1e9:.1f} GB unpacked. Reduce it to below "
            f"{MOST_PICTURE_BYTES / 1e9:.1f} GB and add the file again.",
        )
    zoom = zoom_for(draft.width, draft.height, settings)
    try:
        pixels = render(page, zoom)
    except FAULTS as error:
        return draft.done(PageStatus.CORRUPT, f"the page cannot be drawn ({_name(error)}). {_REMEDY}.")
    draft.image = encode(pixels, settings.webp_quality)
    _read_words(page, draft, graphics, pixels, zoom, settings)
    if draft.words:
        _read_structure(page, draft, graphics, settings)
    return _conclude(draft, pixels)


def _read_words(
    page: Any,
    draft: _Draft,
    graphics: Graphics | None,
    pixels: NDArray[np.uint8],
    zoom: float,
    settings: ReadSettings,
) -> None:
    layer = _attempt(draft, "the text layer", lambda: text_words(page), _NO_WORDS)
    layer, hidden = split_visible(layer, pixels, zoom)
    if hidden:
        draft.notes.append(
            f"{len(hidden)} words of the text layer cannot be seen on the page and are left out"
        )
    pictures = graphics.pictures if graphics is not None else ()
    doubt = unsound(layer, coverage(pictures, draft.width, draft.height))
    draft.words = layer
    if settings.ocr == "off" or (settings.ocr == "auto" and not doubt):
        if doubt and not is_uniform(pixels):
            draft.notes.append(f"{doubt}, and OCR is off")
        return
    if is_uniform(pixels):
        return
    read = _attempt(draft, "the page by OCR", lambda: ocr.read(pixels, zoom), _NO_WORDS)
    meaningless = doubt and "no meaning" in doubt
    if read and (meaningless or _characters(read) >= _characters(layer)):
        draft.words = read
        draft.notes.append(f"read by OCR: {doubt or 'the settings ask for it'}")


def _read_structure(page: Any, draft: _Draft, graphics: Graphics | None, settings: ReadSettings) -> None:
    lines = page_lines(draft.words)
    if graphics is None:
        return
    if settings.tables:
        nothing: tuple[tuple[Table, ...], str] = ((), "")
        draft.tables, note = _attempt(
            draft, "tables", lambda: find_tables(page, draft.words, lines, graphics), nothing
        )
        if note:
            draft.notes.append(note)
    draft.figures = _attempt(
        draft,
        "figures",
        lambda: find_figures(graphics, draft.words, lines, draft.tables, draft.width, draft.height),
        (),
    )


def _conclude(draft: _Draft, pixels: NDArray[np.uint8]) -> Page:
    complaints = [line for line in damage() if _DAMAGE.search(line)]
    if draft.words:
        if complaints:
            draft.notes.append(f"parts of the page are damaged: {complaints[0][:120]}")
        return draft.done(PageStatus.INDEXED)
    if is_uniform(pixels):
        if complaints:
            return draft.done(
                PageStatus.CORRUPT, f"the page's content is damaged ({complaints[0][:120]}). {_REMEDY}."
            )
        return draft.done(PageStatus.BLANK, "nothing is on the page")
    if draft.repaired or complaints:
        fault = complaints[0][:120] if complaints else "its file was damaged and mended in part"
        return draft.done(PageStatus.CORRUPT, f"no text was found on the page ({fault}). {_REMEDY}.")
    return draft.done(PageStatus.BLANK, "no text was found on the page; its picture is kept")


def _attempt(draft: _Draft, what: str, action: Callable[[], _T], otherwise: _T) -> _T:
    """Run one step; its fault costs that step and a note, not the page."""
    try:
        return action()
    except FAULTS as error:
        draft.notes.append(f"{what} could not be read ({_name(error)})")
        return otherwise


def _characters(words: tuple[Word, ...]) -> int:
    return sum(len(word.text) for word in words)


def _name(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:120]}" if text else type(error).__name__


_open: dict[tuple[Path, int, int], Any] = {}


def _opened(path: Path) -> Any:
    """The opened file, kept for the next page; a changed file is opened anew."""
    status = path.stat()
    key = (path, status.st_mtime_ns, status.st_size)
    if key not in _open:
        close_files()
        _open[key] = open_pdf(path)
    return _open[key]


def close_files() -> None:
    """Close the file that :func:`read_page` keeps open in this process."""
    for document in _open.values():
        document.close()
    _open.clear()
