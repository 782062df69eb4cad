"""Words of the text layer, with boxes as the page is displayed."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mmrag.ingest._mupdf import display_matrix, mupdf
from mmrag.ingest.text.bidi import is_rtl, mend_words
from mmrag.records import Box, Word, WordSource

_BOLD_FLAG = 16
# Without the ligature flag MuPDF spells "fi" and "fl" out, so that they can be found. Without CIDs for glyphs
# that have no meaning they come as U+FFFD and can be counted: with them such a page reads "+3 .G!4" and looks
# like text. Without the clip words beyond the page are seen, to be told as invisible.
_FLAGS = mupdf.TEXTFLAGS_WORDS & ~(
    mupdf.TEXT_PRESERVE_LIGATURES | mupdf.TEXT_CID_FOR_UNKNOWN_UNICODE | mupdf.TEXT_MEDIABOX_CLIP
)
_ZERO_WIDTH = dict.fromkeys([0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])


@dataclass(frozen=True, slots=True)
class TextLayer:
    """The words of a page's text layer and how each is painted.

    ``unpainted`` are indices of words that are drawn without ink (render mode 3, clipping, fully
    transparent); ``colours`` one 0xRRGGBB a word. ``outside`` are words beyond the page's edges.
    ``upright``: most of the print runs from left to right as the page is displayed.
    """

    words: tuple[Word, ...] = ()
    unpainted: frozenset[int] = frozenset()
    colours: tuple[int, ...] = ()
    outside: tuple[Word, ...] = ()
    upright: bool = True


def text_words(page: Any) -> tuple[Word, ...]:
    """Words of a PyMuPDF page's text layer that lie on the page: :func:`text_layer` without the rest."""
    return text_layer(page).words


def text_layer(page: Any) -> TextLayer:
    """Words of a PyMuPDF page in the order of the file, which follows columns in most files.

    Boxes are in points of the displayed page: rotated with it, relative to its crop box and cut to it.
    Layers that the file switches off are left out by MuPDF, in the picture as well as here.
    """
    textpage = page.get_textpage(flags=_FLAGS, clip=mupdf.INFINITE_RECT())
    raw = textpage.extractWORDS()
    if not raw:
        return TextLayer()
    if any(is_rtl(word[4]) for word in raw):
        raw = mend_words(raw, textpage.extractRAWDICT())
    # Not page.get_text("dict"): that drops blocks beyond the crop box, and the numbering goes astray.
    layout = textpage.extractDICT()
    styles = _styles(layout)
    matrix = display_matrix(page)
    right, bottom = float(page.rect.width), float(page.rect.height)
    words: list[Word] = []
    outside: list[Word] = []
    unpainted: set[int] = set()
    colours: list[int] = []
    lines: dict[tuple[int, int], int] = {}
    blocks: dict[int, int] = {}
    for x0, y0, x1, y1, text, block, line, _ in raw:
        text = clean(text)
        if not text:
            continue
        spans = styles.get((block, line), ())
        x0, y0, x1, y1 = _within(spans, x0, y0, x1, y1)
        style = _style(spans, (x0 + x1) / 2, (y0 + y1) / 2, y1 - y0)
        if matrix is not None:
            x0, y0, x1, y1 = mupdf.Rect(x0, y0, x1, y1) * matrix
        box = Box(max(x0, 0.0), max(y0, 0.0), min(x1, right), min(y1, bottom))
        number = lines.setdefault((block, line), len(lines))
        paragraph = blocks.setdefault(block, len(blocks))
        off = box.x0 >= box.x1 or box.y0 >= box.y1
        if off:
            box = Box(x0, y0, x1, y1)
        word = Word(text, box, WordSource.TEXT_LAYER, number, paragraph, style.size, style.bold)
        if off:
            outside.append(word)
            continue
        if not style.painted:
            unpainted.add(len(words))
        colours.append(style.colour)
        words.append(word)
    return TextLayer(
        tuple(words), frozenset(unpainted), tuple(colours), tuple(outside), _runs_right(layout, matrix)
    )


def clean(text: str) -> str:
    """A word as it is indexed: composed (NFC), no zero-width characters, control characters as U+FFFD.

    Arabic and Hebrew presentation forms, the shapes letters take in a font, become the letters.

    Control characters come from fonts without a usable encoding; they stay countable for
    :func:`mmrag.ingest.pages.soundness.unmapped_share`.
    """
    if text.isascii() and text.isprintable():
        return text
    text = unicodedata.normalize("NFC", "".join(map(_base_letter, text.translate(_ZERO_WIDTH))))
    return "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs") else c for c in text).strip()


def _base_letter(character: str) -> str:
    if "\ufb1d" <= character <= "\ufdf9" or "\ufe70" <= character <= "\ufefc":
        return unicodedata.normalize("NFKC", character)
    return character


def _runs_right(layout: Any, matrix: Any) -> bool:
    """Whether most characters run from left to right on the page as displayed."""
    balance = 0
    for block in layout["blocks"]:
        for line in block.get("lines", ()):
            x, y = line["dir"]
            if matrix is not None:
                x = x * matrix.a + y * matrix.c
            balance += sum(len(span["text"]) for span in line["spans"]) * (1 if x > 0.7 else -1)
    return balance >= 0


class _Style(NamedTuple):
    """How a span is set."""

    size: float
    bold: bool = False
    painted: bool = True
    colour: int = 0


_Span = tuple[float, float, float, float, _Style]


def _styles(layout: Any) -> dict[tuple[int, int], list[_Span]]:
    """Spans (box and style) of each (block, line), numbered as the words are."""
    styles: dict[tuple[int, int], list[_Span]] = {}
    for block_number, block in enumerate(layout["blocks"]):
        for line_number, line in enumerate(block.get("lines", ())):
            styles[block_number, line_number] = [
                (
                    *span["bbox"],
                    _Style(float(span["size"]), _is_bold(span), span["alpha"] > 0, int(span["color"])),
                )
                for span in line["spans"]
            ]
    return styles


def _is_bold(span: Any) -> bool:
    name = span["font"].lower()
    return bool(span["flags"] & _BOLD_FLAG) or "bold" in name or "black" in name or "heavy" in name


def _within(
    spans: Sequence[_Span], x0: float, y0: float, x1: float, y1: float
) -> tuple[float, float, float, float]:
    """A word's box cut to its line: MuPDF lets a line's first word begin where the line before it ended."""
    if not spans:
        return x0, y0, x1, y1
    left, top = min(span[0] for span in spans), min(span[1] for span in spans)
    right, bottom = max(span[2] for span in spans), max(span[3] for span in spans)
    cut = max(x0, left), max(y0, top), min(x1, right), min(y1, bottom)
    return cut if cut[0] < cut[2] and cut[1] < cut[3] else (x0, y0, x1, y1)


def _style(spans: Sequence[_Span], x: float, y: float, height: float) -> _Style:
    for x0, y0, x1, y1, style in spans:
        if x0 <= x <= x1 and y0 <= y <= y1:
            return style
    return spans[0][4] if spans else _Style(height)
