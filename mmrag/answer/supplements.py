"""Quotes that stand beside a slide's picture: in its notes, its alt texts, the data of its charts."""

from __future__ import annotations

from collections.abc import Sequence

from mmrag.answer.quotes import find, normalise
from mmrag.records import Box, ChunkKind, Page, Quote, Supplement, Word, WordSource

_PARTS = {
    ChunkKind.NOTES: "speaker notes",
    ChunkKind.TABLE: "table of the slide",
    ChunkKind.FIGURE: "description or data of a figure",
}


def find_beside(quote: Quote, page: Page) -> tuple[tuple[Box, ...], str]:
    """Where the page's supplements say what a quote says: a box and the name of the part; else empty.

    Running words must stand one after the other in one supplement's text. A row (cells parted by `` | ``)
    must be a row of one, cell by cell, and under its title and header when the quote has a heading.
    """
    for supplement in page.supplements:
        if _says(supplement, quote):
            box = supplement.box or Box(0.0, 0.0, page.width, page.height)
            return (box,), _PARTS.get(supplement.kind, "supplement")
    return (), ""


def _says(supplement: Supplement, quote: Quote) -> bool:
    cells = quote.text.split(" | ")
    if len(cells) == 1 and not quote.heading:
        return bool(find(quote.text, _words(supplement.text)))
    if quote.heading and normalise(quote.heading) not in _headings(supplement):
        return False
    wanted = [normalise(cell) for cell in cells]
    return any(wanted) and any([normalise(cell) for cell in row] == wanted for row in supplement.body())


def _headings(supplement: Supplement) -> set[str]:
    title, header = normalise(supplement.title), normalise(" ".join(supplement.header()))
    return {text for text in (title, header, normalise(supplement.heading())) if text}


def _words(text: str) -> Sequence[Word]:
    """A text as words in one place, so that it can be searched as a page is."""
    nowhere = Box(0.0, 0.0, 0.0, 0.0)
    return [Word(run, nowhere, WordSource.TEXT_LAYER, 0, 0, 0.0) for run in text.split()]
