"""The words of a page: from its text layer where that is sound, else by OCR, else from both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from mmrag.ingest.pages import ocr
from mmrag.ingest.pages.draft import Draft
from mmrag.ingest.pages.graphics import Picture
from mmrag.ingest.pages.invisible import Look, part_visible
from mmrag.ingest.pages.regions import find_regions, insert, read_regions
from mmrag.ingest.pages.render import is_uniform
from mmrag.ingest.pages.soundness import coverage, unsound
from mmrag.ingest.pages.words import TextLayer
from mmrag.ingest.text.order import reading_order
from mmrag.records import Box, Word
from mmrag.settings import ReadSettings

MOST_CONTRADICTED = 0.1
"""Share of words without ink that read otherwise in the picture above which the layer is not trusted at all:
what is seen there has to be read. Wrong decisions of the check then cost time and no text."""

_SMALL_PRINT = 12.0  # pixels of a line's height below which it may be misread


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page as it is drawn: RGB ``pixels`` at ``zoom`` pixels a point.

    ``look`` renders parts of it. ``detail`` draws the whole of it larger and gives the zoom of that, for
    pages whose print is small for their size; None where ``pixels`` are all there is.
    """

    pixels: NDArray[np.uint8]
    zoom: float
    look: Look
    detail: Callable[[], tuple[NDArray[np.uint8], float]] | None = None
    pictures: tuple[Picture, ...] = ()


def read_words(
    draft: Draft,
    sheet: Sheet,
    layer: TextLayer,
    covered: Callable[[], frozenset[int]],
    settings: ReadSettings,
    outlined: Callable[[], frozenset[int]] = frozenset,
) -> None:
    """Fill in a draft's words, its invisible words and the notes on both.

    Args:
        draft: its size is known.
        sheet: the page as drawn.
        layer: its text layer, empty for pictures.
        covered: tells which of the layer's words may be painted over.
        settings: whether OCR may be used.
        outlined: tells which of the layer's words have outlines in a colour of their own.

    Raises:
        ModelFileError: OCR is needed and its models are missing.
    """
    reader = None if settings.ocr == "off" else sheet.look
    nothing: frozenset[int] = frozenset()
    over = draft.attempt("the order of painting", covered, nothing) if layer.words else nothing
    parted = part_visible(
        layer,
        sheet.pixels,
        sheet.zoom,
        covered=over,
        outlined=lambda: draft.attempt("outlines of letters", outlined, nothing),
        look=reader,
    )
    draft.invisible = parted.hidden
    if parted.note:
        draft.notes.append(parted.note)
    # On a page that lies on its side or its head the file's own order is the better guess.
    seen = reading_order(parted.seen) if layer.upright else parted.seen
    draft.words = seen
    boxes = [picture.box for picture in sheet.pictures]
    doubt = unsound(seen, coverage(boxes, draft.width, draft.height))
    if not doubt and parted.contradicted > MOST_CONTRADICTED:
        doubt = "much of the text layer says something else than the page"
    blank = is_uniform(sheet.pixels)
    if settings.ocr == "off":
        if doubt and not blank:
            draft.notes.append(f"{doubt}, and OCR is off")
        return
    if blank:
        return
    if settings.ocr == "auto" and not doubt:
        _read_pictures(draft, sheet)
        return
    found = _read_whole(draft, sheet)
    meaningless = doubt and "no meaning" in doubt
    if found and (meaningless or _characters(found) >= _characters(seen)):
        draft.words = found
        draft.notes.append(f"read by OCR: {doubt or 'the settings ask for it'}")


def _read_whole(draft: Draft, sheet: Sheet) -> tuple[Word, ...]:
    nothing: tuple[Word, ...] = ()
    found = draft.attempt("the page by OCR", lambda: ocr.read(sheet.pixels, sheet.zoom), nothing)
    if sheet.detail is None or (found and median(w.size for w in found) * sheet.zoom >= _SMALL_PRINT):
        return found
    pixels, zoom = sheet.detail()
    if zoom <= 1.2 * sheet.zoom:
        return found
    closer = draft.attempt("the page by OCR", lambda: ocr.read(pixels, zoom), nothing)
    return closer if _characters(closer) > _characters(found) else found


def _read_pictures(draft: Draft, sheet: Sheet) -> None:
    regions = find_regions(sheet.pictures, draft.words, draft.width, draft.height)
    if not regions:
        return
    nothing: tuple[list[tuple[Box, tuple[Word, ...]]], int] = ([], 0)
    found, left = draft.attempt(
        "text in pictures", lambda: read_regions(regions, sheet.look, sheet.zoom), nothing
    )
    if left:
        draft.notes.append(f"{left} pictures were not read by OCR: there are too many on the page")
    if found:
        draft.words = insert(draft.words, found)
        many = "1 picture" if len(found) == 1 else f"{len(found)} pictures"
        draft.notes.append(f"text in {many} was read by OCR")


def _characters(words: tuple[Word, ...]) -> int:
    return sum(len(word.text) for word in words)
