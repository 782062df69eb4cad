"""Words of the text layer, with boxes as the page is displayed."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmrag.ingest._mupdf import mupdf
from mmrag.records import Box, Word, WordSource

_BOLD_FLAG = 16
_CONTRAST = 6  # grey levels of 255 below which nothing can be seen
_SMALLEST = 4.0  # pixels of height below which print may blur away
_ZERO_WIDTH = dict.fromkeys([0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])


def text_words(page: Any) -> tuple[Word, ...]:
    """Words of a PyMuPDF page in the order of the file, which follows columns in most files.

    Boxes are in points of the displayed page: rotated with it, relative to its crop box and cut
    to it; words outside of it are left out.
    """
    # Without the ligature flag MuPDF spells "fi" and "fl" out, so that they can be found.
    flags = mupdf.TEXTFLAGS_WORDS & ~mupdf.TEXT_PRESERVE_LIGATURES
    textpage = page.get_textpage(flags=flags)
    raw = page.get_text("words", textpage=textpage)
    if not raw:
        return ()
    styles = _styles(page.get_text("dict", textpage=textpage))
    matrix = page.rotation_matrix if page.rotation else None
    frame = page.rect
    found: list[Word] = []
    lines: dict[tuple[int, int], int] = {}
    blocks: dict[int, int] = {}
    for x0, y0, x1, y1, text, block, line, _ in raw:
        text = clean(text)
        size, bold = _style(styles.get((block, line), ()), (x0 + x1) / 2, (y0 + y1) / 2, y1 - y0)
        if matrix is not None:
            x0, y0, x1, y1 = mupdf.Rect(x0, y0, x1, y1) * matrix
        box = Box(max(x0, 0.0), max(y0, 0.0), min(x1, frame.width), min(y1, frame.height))
        if not text or box.x0 >= box.x1 or box.y0 >= box.y1:
            continue
        number = lines.setdefault((block, line), len(lines))
        paragraph = blocks.setdefault(block, len(blocks))
        found.append(Word(text, box, WordSource.TEXT_LAYER, number, paragraph, size, bold))
    return tuple(found)


def clean(text: str) -> str:
    """A word as it is indexed: composed (NFC), no zero-width characters, control characters as U+FFFD.

    Control characters come from fonts without a usable encoding; they stay countable for
    :func:`mmrag.ingest.soundness.unmapped_share`.
    """
    if text.isascii() and text.isprintable():
        return text
    text = unicodedata.normalize("NFC", text.translate(_ZERO_WIDTH))
    return "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs") else c for c in text).strip()


_Style = tuple[float, float, float, float, float, bool]


def _styles(layout: Any) -> dict[tuple[int, int], list[_Style]]:
    """Spans (box, size, bold) of each (block, line), numbered as the words are."""
    styles: dict[tuple[int, int], list[_Style]] = {}
    for block_number, block in enumerate(layout["blocks"]):
        for line_number, line in enumerate(block.get("lines", ())):
            styles[block_number, line_number] = [
                (*span["bbox"], float(span["size"]), _is_bold(span)) for span in line["spans"]
            ]
    return styles


def _is_bold(span: Any) -> bool:
    name = span["font"].lower()
    return bool(span["flags"] & _BOLD_FLAG) or "bold" in name or "black" in name or "heavy" in name


def _style(spans: Sequence[_Style], x: float, y: float, height: float) -> tuple[float, bool]:
    for x0, y0, x1, y1, size, bold in spans:
        if x0 <= x <= x1 and y0 <= y <= y1:
            return size, bold
    return (spans[0][4], spans[0][5]) if spans else (height, False)


def split_visible(
    words: Sequence[Word], pixels: NDArray[np.uint8], zoom: float
) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Part words into those that can be seen on the rendered page and those that cannot.

    A word cannot be seen where its box shows one flat tone: white on white, transparent, painted
    over. Such words are a way to smuggle text past the reader of the page.

    Args:
        words: words with boxes in points.
        pixels: the rendered page, RGB ``(height, width, 3)``.
        zoom: pixels a point.
    """
    seen: list[Word] = []
    hidden: list[Word] = []
    height, width = pixels.shape[:2]
    for word in words:
        if (word.box.y1 - word.box.y0) * zoom < _SMALLEST:
            seen.append(word)  # too small to tell at this resolution
            continue
        x0, y0 = max(0, int(word.box.x0 * zoom)), max(0, int(word.box.y0 * zoom))
        x1, y1 = min(width, int(word.box.x1 * zoom) + 1), min(height, int(word.box.y1 * zoom) + 1)
        patch = pixels[y0:y1, x0:x1]
        # Every second pixel tells nearly always and is cheaper; look at all before calling it hidden.
        flat = patch.size == 0 or (_flat(patch[::2, ::2]) and _flat(patch))
        (hidden if flat else seen).append(word)
    return tuple(seen), tuple(hidden)


def _flat(patch: NDArray[np.uint8]) -> bool:
    flat = patch.reshape(-1, 3)
    return bool((np.ptp(flat, axis=0) <= _CONTRAST).all())
