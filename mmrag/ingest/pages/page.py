"""One page, read: picture, words, tables, figures and a status."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmrag.errors import CorruptFile, EncryptedFile, IngestError, MmragError
from mmrag.ingest._mupdf import FAULTS, damage, forget_damage, has_page
from mmrag.ingest.files.opening import open_pdf
from mmrag.ingest.pages import poppler
from mmrag.ingest.pages.covers import covered_words, outlined_words
from mmrag.ingest.pages.draft import REMEDY, Draft, describe
from mmrag.ingest.pages.figures import find_figures
from mmrag.ingest.pages.graphics import Graphics, page_graphics
from mmrag.ingest.pages.opened import close_files, opened
from mmrag.ingest.pages.pictures import MOST_PICTURE_BYTES, Frame, PictureTooLarge, read_frame
from mmrag.ingest.pages.reading import Sheet, read_words
from mmrag.ingest.pages.render import (
    crop,
    detail_zoom,
    encode,
    is_uniform,
    render,
    render_part,
    shrunk,
    zoom_for,
)
from mmrag.ingest.pages.words import TextLayer, text_layer
from mmrag.ingest.source import Source, SourceKind
from mmrag.ingest.tables.finding import find_tables, find_tables_in_picture
from mmrag.ingest.text.lines import page_lines
from mmrag.records import Box, Page, PageStatus, Table, WordSource
from mmrag.settings import ReadSettings

__all__ = ["close_files", "read_page"]

# MuPDF also remarks on harmless oddities; these words tell of content that may be lost.
_DAMAGE = re.compile(
    r"error|cannot|corrupt|truncated|premature|unexpected|broken|not found|not a |non-page|ignoring", re.I
)


def read_page(source: Source | Path, document: str, number: int, settings: ReadSettings) -> Page:
    """Read one page of a PDF or one frame of a picture.

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
    draft = Draft(document, number)
    try:
        given = source if isinstance(source, Source) else Source(Path(source))
        read = _read_picture if given.kind is SourceKind.PICTURE else _read_pdf
        page = read(given, draft, settings)
    except EncryptedFile as error:
        page = draft.done(PageStatus.ENCRYPTED, str(error))
    except PictureTooLarge as error:
        page = draft.done(PageStatus.TOO_LARGE, str(error))
    except MemoryError:
        page = draft.done(
            PageStatus.TOO_LARGE, f"the page does not fit into memory. {REMEDY} at a smaller size."
        )
    except MmragError as error:
        page = draft.done(PageStatus.FAILED, str(error))
    except Exception as error:  # the last net: one page's fault must never end a file's
        page = draft.done(
            PageStatus.FAILED,
            f"reading the page failed ({describe(error)}). {REMEDY}; the other pages are kept.",
        )
    return replace(page, seconds=time.perf_counter() - start)


def _read_picture(source: Source, draft: Draft, settings: ReadSettings) -> Page:
    try:
        frame = read_frame(source, draft.number, settings.max_pixels)
    except CorruptFile as error:
        return draft.done(PageStatus.CORRUPT, str(error))
    draft.width, draft.height = frame.width, frame.height
    return _read_drawn(draft, frame, settings)


def _read_pdf(source: Source, draft: Draft, settings: ReadSettings) -> Page:
    document = opened(source, _open)
    if not 1 <= draft.number <= document.page_count:
        return draft.done(
            PageStatus.FAILED,
            f"the file has {document.page_count} pages, so no page {draft.number}. Add it again.",
        )
    draft.repaired = bool(document.is_repaired)
    forget_damage()
    if not has_page(document, draft.number):
        return draft.done(PageStatus.CORRUPT, f"the page is missing in its damaged file. {REMEDY}.")
    try:
        page = document.load_page(draft.number - 1)
        draft.width, draft.height = float(page.rect.width), float(page.rect.height)
        draft.rotation = int(page.rotation)
    except FAULTS as error:
        return _by_poppler(source, draft, settings, f"the page's structure is damaged ({describe(error)})")
    draft.label = draft.attempt("the printed page number", lambda: str(page.get_label()), "")
    graphics = draft.attempt("drawings", lambda: page_graphics(page), None)
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
        return _by_poppler(source, draft, settings, f"the page cannot be drawn ({describe(error)})")
    draft.complaints += tuple(line for line in damage() if _DAMAGE.search(line))
    draft.image = encode(pixels, settings.webp_quality)
    layer = draft.attempt("the text layer", lambda: text_layer(page), TextLayer())
    if draft.complaints and not layer.words and is_uniform(pixels):
        fault = f"the page's content is damaged ({draft.complaints[0][:120]})"
        return _by_poppler(source, draft, settings, fault)
    sheet = _sheet(page, draft, pixels, zoom, graphics, settings)
    read_words(
        draft,
        sheet,
        layer,
        lambda: covered_words(page, layer.words),
        settings,
        lambda: outlined_words(page, layer.words, layer.colours),
    )
    if draft.words and graphics is not None:
        _read_structure(page, draft, graphics, sheet, settings)
    draft.complaints += tuple(line for line in damage() if _DAMAGE.search(line))
    return _conclude(draft, pixels)


def _open(source: Source) -> Any:
    return open_pdf(source.path, source.password)


def _sheet(
    page: Any,
    draft: Draft,
    pixels: NDArray[np.uint8],
    zoom: float,
    graphics: Graphics | None,
    settings: ReadSettings,
) -> Sheet:
    def look(box: Box, wanted: float) -> NDArray[np.uint8]:
        return crop(pixels, box, zoom) if wanted <= 1.05 * zoom else render_part(page, box, wanted)

    def detail() -> tuple[NDArray[np.uint8], float]:
        larger = detail_zoom(draft.width, draft.height, settings)
        return (render(page, larger), larger) if larger > zoom else (pixels, zoom)

    return Sheet(pixels, zoom, look, detail, graphics.placed if graphics is not None else ())


def _by_poppler(source: Source, draft: Draft, settings: ReadSettings, fault: str) -> Page:
    """Let the second reader draw a page that MuPDF cannot; its picture is then read by OCR."""
    try:
        drawing = poppler.draw(source, opened(source, _open), draft.number, settings)
    except IngestError as error:
        told = f"{error.what}. {error.remedy}. " if error.remedy else f"{error.what}. "
        return draft.done(PageStatus.CORRUPT, f"{fault}, and {told}{REMEDY}.")
    draft.width, draft.height = drawing.width, drawing.height
    if is_uniform(drawing.pixels):
        draft.image = draft.image or encode(drawing.pixels, settings.webp_quality)
        return draft.done(PageStatus.CORRUPT, f"{fault}, and Poppler draws nothing. {REMEDY}.")
    draft.notes = [note for note in draft.notes if "could not be read" not in note]
    draft.notes.append(f"drawn by Poppler, since MuPDF could not: {fault}")
    draft.complaints = ()
    draft.repaired = False
    return _read_drawn(draft, Frame(drawing.pixels, drawing.width, drawing.height), settings)


def _read_drawn(draft: Draft, frame: Frame, settings: ReadSettings) -> Page:
    """Read a page that is nothing but pixels."""
    full = max(frame.pixels.shape) / max(frame.width, frame.height)
    pixels = shrunk(frame.pixels, settings.long_side)
    zoom = full * max(pixels.shape) / max(frame.pixels.shape)
    draft.image = encode(pixels, settings.webp_quality)

    def look(box: Box, wanted: float) -> NDArray[np.uint8]:
        return crop(pixels, box, zoom) if wanted <= 1.05 * zoom else crop(frame.pixels, box, full)

    detail = (lambda: (frame.pixels, full)) if full > zoom else None
    sheet = Sheet(pixels, zoom, look, detail)
    read_words(draft, sheet, TextLayer(), frozenset, settings)
    if draft.words:
        _read_structure(None, draft, Graphics((), (), 0, 0, 0, 0), sheet, settings)
    return _conclude(draft, pixels)


def _read_structure(
    page: Any, draft: Draft, graphics: Graphics, sheet: Sheet, settings: ReadSettings
) -> None:
    lines = page_lines(draft.words)
    if settings.tables:
        nothing: tuple[tuple[Table, ...], str] = ((), "")
        drawn = page is not None and any(word.source is WordSource.TEXT_LAYER for word in draft.words)
        draft.tables, note = draft.attempt(
            "tables",
            lambda: (
                find_tables(page, draft.words, lines, graphics, sheet.pixels, sheet.zoom)
                if drawn
                else find_tables_in_picture(draft.words, lines, sheet.pixels, sheet.zoom)
            ),
            nothing,
        )
        if note:
            draft.notes.append(note)
    draft.figures = draft.attempt(
        "figures",
        lambda: find_figures(graphics, draft.words, lines, draft.tables, draft.width, draft.height),
        (),
    )


def _conclude(draft: Draft, pixels: NDArray[np.uint8]) -> Page:
    complaints = draft.complaints
    if draft.words:
        if complaints:
            draft.notes.append(f"parts of the page are damaged: {complaints[0][:120]}")
        return draft.done(PageStatus.INDEXED)
    if is_uniform(pixels):
        if complaints:
            return draft.done(
                PageStatus.CORRUPT, f"the page's content is damaged ({complaints[0][:120]}). {REMEDY}."
            )
        return draft.done(PageStatus.BLANK, _empty(len(draft.invisible)))
    if draft.repaired or complaints:
        fault = complaints[0][:120] if complaints else "its file was damaged and mended in part"
        return draft.done(PageStatus.CORRUPT, f"no text was found on the page ({fault}). {REMEDY}.")
    return draft.done(PageStatus.BLANK, "no text was found on the page; its picture is kept")


def _empty(invisible: int) -> str:
    """Why a page has no text though its picture is of one colour."""
    if not invisible:
        return "nothing is on the page"
    left = (
        "1 word was left out because it"
        if invisible == 1
        else f"{invisible} words were left out because they"
    )
    return f"nothing can be seen on the page; {left} can't be seen"
