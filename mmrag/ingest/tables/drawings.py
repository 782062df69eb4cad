"""Charts, diagrams and screens: their labels stand in rows and columns too, but are no tables."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mmrag.ingest.tables.grids import clusters_of
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
_LARGER = 1.3  # times a table's area: a drawing that it may be a part of
_MUCH_LARGER = 3.0  # the same for a table whose cells are full
_LARGEST_NODE = 0.3  # of the drawing
_LEAST_NODES = 4
_MOST_BOXES = 200
_MOST_TOLD = 0.3  # of a drawing's words, in nodes


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
    if not held:
        return False
    if _is_read(held, words):
        return _filled(table) < _FULL
    full = table.rows > 2 and len(table.cells) >= _LEAST_CELLS and _filled(table) >= _FULL
    if not full and _on_picture(held, words, pictures):
        return True
    slants = [
        box
        for box in shapes.slants
        if min(box.x1 - box.x0, box.y1 - box.y0) >= _SLANT and inside(box, table.box)
    ]
    if len(slants) > _MOST_SLANTS and not full:
        return True
    if not full and _odd_boxes(table, held, shapes.boxes) >= _MOST_ODD:
        return True
    least = _MUCH_LARGER if full else _LARGER
    return any(
        _are_nodes(around, words, shapes.boxes)
        for around in clusters_of(shapes.levels, shapes.uprights)
        if around.area > least * table.box.area and inside(table.box, around)
    )


def _filled(table: Table) -> float:
    spans = sum(cell.row_span * cell.column_span for cell in table.cells if cell.text)
    return spans / (table.rows * table.columns)


def _is_read(held: Sequence[Word], words: Sequence[Word]) -> bool:
    """Whether words were read from a picture that stands on a page of typed text."""
    typed = sum(word.source is WordSource.TEXT_LAYER for word in words)
    return 2 * typed > len(words) and all(word.source is WordSource.OCR for word in held)


def _on_picture(held: Sequence[Word], words: Sequence[Word], pictures: Sequence[Box]) -> bool:
    """Whether words of the text layer are labels laid over a picture."""
    typed = [word.box for word in held if word.source is WordSource.TEXT_LAYER]
    if not typed:
        return False
    everything = frame([word.box for word in words])
    return any(
        picture.overlap(everything) < _LARGEST * everything.area
        and sum(inside(box, picture) for box in typed) >= _MOST_OF * len(typed)
        for picture in pictures
    )


def _odd_boxes(table: Table, held: Sequence[Word], boxes: Sequence[Box]) -> int:
    """How many pairs of boxes that are no cells stand over or beside each other with other extents."""
    width, height = _LEAST_BOX
    place = table.box
    inner = [
        box
        for box in boxes
        if box.x1 - box.x0 >= width
        and box.y1 - box.y0 >= height
        and box.overlap(place) >= 0.5 * min(box.area, place.area)
        and box.x1 - box.x0 < _ACROSS * (place.x1 - place.x0)
        and box.y1 - box.y0 < _ACROSS * (place.y1 - place.y0)
        and any(inside(word.box, box) for word in held)
        and not any(_same(box, cell.box) for cell in table.cells)
    ]
    if len(inner) > _MOST_BOXES:
        return 0
    return sum(_are_odd(one, other) for one, other in itertools.combinations(inner, 2))


def _are_nodes(place: Box, words: Sequence[Word], boxes: Sequence[Box]) -> bool:
    """Whether most texts of a drawing stand in boxes apart from each other, of several widths."""
    width, height = _LEAST_BOX
    held = [word.box for word in words if inside(word.box, place)]
    inner = [
        box
        for box in boxes
        if box.x1 - box.x0 >= width
        and box.y1 - box.y0 >= height
        and box.area < _LARGEST_NODE * place.area
        and inside(box, place)
        and any(inside(word, box) for word in held)
    ]
    if not _LEAST_NODES <= len(inner) <= _MOST_BOXES:
        return False
    nodes = [box for box in inner if not any(_are_joined(box, other) for other in inner if other is not box)]
    widths = {round((box.x1 - box.x0) / _APART) for box in nodes}
    told = sum(any(inside(word, box) for box in nodes) for word in held)
    return len(nodes) >= _LEAST_NODES and len(widths) > 2 and told >= _MOST_TOLD * len(held)


def _are_joined(one: Box, other: Box) -> bool:
    """Whether two boxes touch, and neither lies in the other."""
    if one.overlap(other) >= _MOST_OF * min(one.area, other.area):
        return False
    return (
        one.x0 - _APART <= other.x1
        and other.x0 - _APART <= one.x1
        and one.y0 - _APART <= other.y1
        and other.y0 - _APART <= one.y1
    )


def _same(one: Box, other: Box) -> bool:
    return all(
        abs(a - b) <= _APART
        for a, b in zip(
            (one.x0, one.y0, one.x1, one.y1), (other.x0, other.y0, other.x1, other.y1), strict=True
        )
    )


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
