"""Tables whose cells are boxes with white between them: shaded or outlined, set in rows and columns."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mmrag.ingest.text.lines import inside
from mmrag.records import Box

_EVEN = 3.0  # points by which sides of one row or column differ
_GUTTER = 12.0  # points; the most white between two cells
_LEAST = (12.0, 7.0)  # points; width and height of a cell with a word
_LEAST_ROWS = 3
_LEAST_CELLS = 9  # fewer may be bars of a chart
_MOST_BOXES = 500
_FULL = 0.8  # of the places


def boxed_grids(boxes: Sequence[Box], words: Sequence[Box]) -> list[list[Box]]:
    """Cells of each set of boxes that stand in two columns and three rows or more; white is dealt out.

    Args:
        boxes: outlined and shaded boxes of the page.
        words: boxes of the page's words.
    """
    width, height = _LEAST
    large = [box for box in boxes if box.x1 - box.x0 >= width and box.y1 - box.y0 >= height]
    if not _LEAST_CELLS <= len(large) <= _MOST_BOXES:
        return []
    held = [box for box in large if any(inside(word, box) for word in words)]
    inner = [box for box in held if not any(inside(o, box) and o.area < 0.9 * box.area for o in held)]
    grids = [_closed(group) for group in _groups(inner)]
    return [grid for grid in grids if grid]


def _groups(boxes: Sequence[Box]) -> list[list[Box]]:
    parent = list(range(len(boxes)))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    for (i, one), (j, other) in itertools.combinations(enumerate(boxes), 2):
        if _are_neighbours(one, other):
            parent[root(j)] = root(i)
    groups: dict[int, list[Box]] = {}
    for number, box in enumerate(boxes):
        groups.setdefault(root(number), []).append(box)
    return list(groups.values())


def _are_neighbours(one: Box, other: Box) -> bool:
    beside = max(one.x0, other.x0) - min(one.x1, other.x1)
    below = max(one.y0, other.y0) - min(one.y1, other.y1)
    if abs(one.y0 - other.y0) <= _EVEN and abs(one.y1 - other.y1) <= _EVEN:
        return 0 <= beside <= _GUTTER
    if abs(one.x0 - other.x0) <= _EVEN and abs(one.x1 - other.x1) <= _EVEN:
        return 0 <= below <= _GUTTER
    return False


def _closed(boxes: Sequence[Box]) -> list[Box]:
    """Boxes of one grid made wide and high enough to touch; nothing when they are no grid."""
    xs, ys = _places([box.x0 for box in boxes]), _places([box.y0 for box in boxes])
    least = max(_LEAST_CELLS, _FULL * len(xs) * len(ys))
    if len(xs) < 2 or len(ys) < _LEAST_ROWS or len(boxes) < least:
        return []
    right, bottom = max(box.x1 for box in boxes), max(box.y1 for box in boxes)
    return [
        Box(_nearest(xs, box.x0), _nearest(ys, box.y0), _next(xs, box.x1, right), _next(ys, box.y1, bottom))
        for box in boxes
    ]


def _places(values: Sequence[float]) -> list[float]:
    places: list[float] = []
    last = float("-inf")
    for value in sorted(values):
        if value - last > _EVEN:
            places.append(value)
        last = value
    return places


def _nearest(places: Sequence[float], value: float) -> float:
    return min(places, key=lambda place: (abs(place - value), place))


def _next(places: Sequence[float], value: float, end: float) -> float:
    return next((place for place in places if place >= value - _EVEN), end)
