"""Charts, diagrams and screens: their labels stand in rows and columns too, but are no tables."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mmrag.ingest.tables.shapes import Shapes
from mmrag.ingest.text.lines import frame, inside
from mmrag.records import Box, Table, Word, WordSource

_MOST_OF = 0.8  # of a table's words that stand on a picture whose labels they are
_LARGEST = 0.7  # of the page's words: a picture behind more of them is the page's ground
_SLANT = 8.0  # points in both directions; shorter ones are parts of signs
_MOST_SLANTS = 3
_LEAST_BOX = (12.0, 7.0)  # points; the least width and height of a box that holds a word
_APART = 3.0  # points
_ACROSS = 0.9  # of the table's width or height: a band, not a box in it
_FULL = 0.8  # of the cells
_LEAST_CELLS = 12
_MOST_ODD = 3


def in_drawing(table: Table, words: Sequence[Word], shapes: Shapes, pictures: Sequence[Box]) -> bool:
    """Whether what was taken for a table is part of a chart, a diagram or a screen.

    Its words stand on a picture; or lines cross its place at a slant; or boxes stand in it that are no
    cells, because they lie over each other without a common side: bars, classes, nodes.

    Args:
        table: as found.
        words: the page's words.
        shapes: what is drawn on the page.
        pictures: boxes of the pictures placed on it.
    """
    held = [word for word in words if inside(word.box, table.box)]
    full = _is_full(table)
    if not full and _on_picture(held, words, pictures):
        return True
    slants = [
        box
        for box in shapes.slants
        if min(box.x1 - box.x0, box.y1 - box.y0) >= _SLANT and inside(box, table.box)
    ]
    if len(slants) > _MOST_SLANTS and not full:
        return True
    return not full and _odd_boxes(table.box, held, shapes.boxes) >= _MOST_ODD


def _is_full(table: Table) -> bool:
    filled = sum(bool(cell.text) for cell in table.cells)
    places = table.rows * table.columns
    spans = sum(cell.row_span * cell.column_span for cell in table.cells if cell.text)
    return table.rows > 2 and filled >= _LEAST_CELLS and spans >= _FULL * places


def _on_picture(held: Sequence[Word], words: Sequence[Word], pictures: Sequence[Box]) -> bool:
    """Whether words of the text layer are labels laid over a picture."""
    typed = [word.box for word in held if word.source is WordSource.TEXT_LAYER]
    if not typed or len(typed) < len(held):
        return False
    everything = frame([word.box for word in words])
    return any(
        picture.overlap(everything) < _LARGEST * everything.area
        and sum(inside(box, picture) for box in typed) >= _MOST_OF * len(typed)
        for picture in pictures
    )


def _odd_boxes(place: Box, held: Sequence[Word], boxes: Sequence[Box]) -> int:
    """How many pairs of boxes in a place stand over or beside each other with other extents."""
    width, height = _LEAST_BOX
    inner = [
        box
        for box in boxes
        if box.x1 - box.x0 >= width
        and box.y1 - box.y0 >= height
        and box.overlap(place) >= 0.5 * min(box.area, place.area)
        and box.x1 - box.x0 < _ACROSS * (place.x1 - place.x0)
        and box.y1 - box.y0 < _ACROSS * (place.y1 - place.y0)
        and any(inside(word.box, box) for word in held)
    ]
    if len(inner) > 200:
        return 0
    return sum(_are_odd(one, other) for one, other in itertools.combinations(inner, 2))


def _are_odd(one: Box, other: Box) -> bool:
    for a, b in ((one, other), (_turned(one), _turned(other))):
        shared = min(a.x1, b.x1) - max(a.x0, b.x0)
        if shared <= 0.3 * min(a.x1 - a.x0, b.x1 - b.x0):
            continue
        gap = max(a.y0, b.y0) - min(a.y1, b.y1)
        if gap > _APART and (abs(a.x0 - b.x0) > _APART or abs(a.x1 - b.x1) > _APART):
            return True
    return False


def _turned(box: Box) -> Box:
    return Box(box.y0, box.x0, box.y1, box.x1)
