"""Pictures and drawings that take a notable part of a page."""

from __future__ import annotations

from collections.abc import Sequence

from mmrag.ingest.pages.graphics import Graphics
from mmrag.ingest.text.captions import FIGURE, find_caption
from mmrag.ingest.text.lines import Line, frame, inside
from mmrag.records import Box, Figure, Table, Word

LEAST_SHARE = 0.03
"""Share of the page below which a picture is an icon or a logo."""

MOST_SHARE = 0.85
"""Share of the page above which it is a background, or the page itself."""

MOST_WORDS = 150
"""A drawing with more words than this is a panel of prose."""

_LEAST_SHAPES = 5  # shapes that touch each other, below which a drawing is a frame or a rule
_SHAPES_LOOKED_AT = 20_000
_CELL = 6.0  # points; drawings closer than this belong together


def find_figures(
    graphics: Graphics,
    words: Sequence[Word],
    lines: Sequence[Line],
    tables: Sequence[Table],
    width: float,
    height: float,
) -> tuple[Figure, ...]:
    """Figures from top to bottom, with captions; regions of tables and backgrounds are left out.

    Args:
        graphics: what is drawn on the page.
        words: the page's words.
        lines: the same as lines.
        tables: the page's tables.
        width: of the page in points.
        height: of the page in points.
    """
    area = width * height
    regions = [box for box in graphics.pictures if LEAST_SHARE * area <= box.area <= MOST_SHARE * area]
    regions.extend(_drawings(graphics.shapes[:_SHAPES_LOOKED_AT], tables, width, height))
    figures = []
    for box in _merged(regions):
        if not LEAST_SHARE * area <= box.area <= MOST_SHARE * area:
            continue
        if any(box.overlap(table.box) > 0.3 * min(box.area, table.box.area) for table in tables):
            continue
        if sum(inside(word.box, box) for word in words) > MOST_WORDS:
            continue
        caption, _ = find_caption(box, lines, FIGURE, below_first=True)
        figures.append(Figure(box, caption))
    return tuple(sorted(figures, key=lambda figure: (figure.box.y0, figure.box.x0)))


def _drawings(shapes: Sequence[Box], tables: Sequence[Table], width: float, height: float) -> list[Box]:
    """Boxes of clusters of touching shapes, found on a coarse grid so that cost stays linear."""
    parent = list(range(len(shapes)))
    owner: dict[tuple[int, int], int] = {}
    for number, box in enumerate(shapes):
        if _is_ground(box, width, height) or any(_within(box, table.box) for table in tables):
            parent[number] = -1
            continue
        for spot in _spots(box):
            root = _root(parent, owner.setdefault(spot, number))
            parent[root] = _root(parent, number)
    groups: dict[int, list[Box]] = {}
    for number, box in enumerate(shapes):
        if parent[number] >= 0:
            groups.setdefault(_root(parent, number), []).append(box)
    return [frame(members) for members in groups.values() if len(members) >= _LEAST_SHAPES]


def _root(parent: list[int], number: int) -> int:
    """The representative of a set (union-find with path halving)."""
    while parent[number] != number:
        parent[number] = parent[parent[number]]
        number = parent[number]
    return number


def _is_ground(box: Box, width: float, height: float) -> bool:
    """Whether a shape is a background or a rule across the page, which would join everything."""
    across, down = (box.x1 - box.x0) / width, (box.y1 - box.y0) / height
    return across * down > 0.6 or (min(box.x1 - box.x0, box.y1 - box.y0) < 2 and max(across, down) > 0.6)


def _within(box: Box, region: Box) -> bool:
    middle = ((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
    return region.x0 <= middle[0] <= region.x1 and region.y0 <= middle[1] <= region.y1


def _spots(box: Box) -> list[tuple[int, int]]:
    """Grid cells along the outline of a box (its inside is not painted: frames hold other things)."""
    x0, x1 = int(box.x0 // _CELL), int(box.x1 // _CELL)
    y0, y1 = int(box.y0 // _CELL), int(box.y1 // _CELL)
    spots = [(x, y) for x in range(x0, x1 + 1) for y in {y0, y1}]
    spots.extend((x, y) for y in range(y0 + 1, y1) for x in {x0, x1})
    return spots


def _merged(boxes: Sequence[Box]) -> list[Box]:
    """Join regions that overlap by a fifth of the smaller, until none do."""
    merged: list[Box] = []
    for box in sorted(boxes, key=lambda b: -b.area):
        joined = True
        while joined:
            joined = False
            for other in merged:
                if box.overlap(other) > 0.2 * min(box.area, other.area):
                    merged.remove(other)
                    box = box.union(other)
                    joined = True
                    break
        merged.append(box)
    return merged
