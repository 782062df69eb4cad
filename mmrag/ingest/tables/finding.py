"""Tables of a page, ruled and unruled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmrag.ingest.pages.graphics import Graphics
from mmrag.ingest.pages.strokes import pixel_rulings
from mmrag.ingest.tables.drawings import in_drawing
from mmrag.ingest.tables.ruled import find_in_lattice, find_rest, find_ruled
from mmrag.ingest.tables.rulings import rulings_of
from mmrag.ingest.tables.shapes import Shapes, page_shapes
from mmrag.ingest.tables.turned import lying_words, turn_of
from mmrag.ingest.tables.unruled import find_unruled
from mmrag.ingest.text.lines import Line, inside, page_lines
from mmrag.records import Box, Table, Word

MOST_EDGES = 6_000
"""Straight edges on a page up to which tables are looked for: a map or a technical drawing has more."""

MOST_STROKES = 20_000
"""Strokes on a page up to which rules are looked at; with more, it is a drawing."""

MOST_WORDS = 6_000
"""Words on a page up to which unruled tables are looked for."""

SCANNED_SHARE = 0.7
"""Share of the page that a picture covers from which the page is a scan, whatever its text layer."""

LEAST_LYING = 6
"""Words that lie on their side from which tables are looked for among them."""

_COMMON_HEIGHT = 12.0  # points; the boxes of words of 9 to 10 points
_SIZE_OF_HEIGHT = 0.76  # font size to height of a recognised line


def find_tables(
    page: Any,
    words: Sequence[Word],
    lines: Sequence[Line],
    graphics: Graphics,
    pixels: NDArray[np.uint8] | None = None,
    zoom: float = 1.0,
) -> tuple[tuple[Table, ...], str]:
    """Tables of a PyMuPDF page from top to bottom, and a note when they were not looked for.

    Cells are in points of the displayed page and hold the words whose middle lies in them. The
    page is left as it was.

    Args:
        page: a PyMuPDF page.
        words: its words.
        lines: the same as lines.
        graphics: what is drawn on it.
        pixels: the rendered page, RGB ``(height, width, 3)``: where a picture holds the page (a scan
            with a text layer), its rules are seen there.
        zoom: pixels a point.
    """
    if not words:
        return (), ""
    shapes = page_shapes(page) if 0 < graphics.segments <= MOST_STROKES else Shapes()
    if len(shapes.levels) + len(shapes.uprights) > MOST_EDGES:
        return (), f"tables were not looked for: {graphics.segments} strokes are drawn on the page"
    lying = lying_words(words)
    if pixels is not None and not shapes.levels and _is_scan(graphics, pixels, zoom):
        rulings = rulings_of(*pixel_rulings(pixels, zoom))
        found = find_in_lattice(words, lines, rulings)
        found.extend(find_unruled(words, lines, rulings, [table.box for table in found]))
    elif len(lying) < LEAST_LYING:
        found = _find(shapes, words, lines, graphics)
        rest = find_rest(shapes, words, [table.box for table in found]) if page.number > 0 else None
        found.extend([rest] if rest is not None else [])
    else:
        upright = [word for index, word in enumerate(words) if index not in lying]
        side = [words[index] for index in sorted(lying)]
        turn = turn_of(words, lying)
        found = find_ruled(shapes, side, (), turn)
        free = [w for w in turn.words(side) if not _within(turn.back(w.box), found)]
        lain = find_unruled(free, page_lines(free), turn.rulings(shapes.rulings))
        found.extend(turn.table_back(table) for table in lain)
        upright = [word for word in upright if not _within(word.box, found)]
        found.extend(_find(shapes, upright, page_lines(upright), graphics))
    return _in_order(found), ""


def _in_order(tables: Sequence[Table]) -> tuple[Table, ...]:
    """Tables from top to bottom; a caption between two is the lower one's."""
    ordered = sorted(tables, key=lambda table: (table.box.y0, table.box.x0))
    return tuple(
        replace(table, caption="")
        if table.caption
        and any(o.caption == table.caption and o.box.y0 >= table.box.y1 for o in ordered[number + 1 :])
        else table
        for number, table in enumerate(ordered)
    )


def _is_scan(graphics: Graphics, pixels: NDArray[np.uint8], zoom: float) -> bool:
    area = pixels.shape[0] * pixels.shape[1] / zoom**2
    return any(box.area >= SCANNED_SHARE * area for box in graphics.pictures)


def _find(shapes: Shapes, words: Sequence[Word], lines: Sequence[Line], graphics: Graphics) -> list[Table]:
    pictures = graphics.pictures
    found = [t for t in find_ruled(shapes, words, lines) if not in_drawing(t, words, shapes, pictures)]
    if len(words) <= MOST_WORDS:
        more = find_unruled(words, lines, shapes.rulings, [table.box for table in found])
        found.extend(table for table in more if not in_drawing(table, words, shapes, pictures))
    return found


def _within(box: Box, tables: Sequence[Table]) -> bool:
    return any(inside(box, table.box) for table in tables)


def find_tables_in_picture(
    words: Sequence[Word], lines: Sequence[Line], pixels: NDArray[np.uint8], zoom: float
) -> tuple[tuple[Table, ...], str]:
    """Tables of a page that is read by OCR, with the rules seen in its picture.

    Args:
        words: the words read.
        lines: the same as lines.
        pixels: the page, RGB ``(height, width, 3)``.
        zoom: pixels a point.

    Returns:
        The same as :func:`find_tables`.
    """
    if not words or len(words) > MOST_WORDS:
        return (), ""
    # A picture may have any resolution: it is read at the scale at which its words are print of common
    # size, so that distances mean the same everywhere.
    scale = _COMMON_HEIGHT / max(0.1, median(word.box.y1 - word.box.y0 for word in words))
    scaled = [_scaled_word(word, scale) for word in words]
    rulings = rulings_of(*pixel_rulings(pixels, zoom / scale))
    scaled_lines = page_lines(scaled)
    found = find_in_lattice(scaled, scaled_lines, rulings)
    found.extend(find_unruled(scaled, scaled_lines, rulings, [table.box for table in found]))
    found = [_scaled_table(table, 1 / scale) for table in found]
    return _in_order(found), ""


def _scaled_word(word: Word, scale: float) -> Word:
    box = _scaled(word.box, scale)
    return replace(word, box=box, size=_SIZE_OF_HEIGHT * word.size * scale)


def _scaled_table(table: Table, scale: float) -> Table:
    cells = tuple(replace(cell, box=_scaled(cell.box, scale)) for cell in table.cells)
    return replace(table, cells=cells, box=_scaled(table.box, scale))


def _scaled(box: Box, scale: float) -> Box:
    return Box(box.x0 * scale, box.y0 * scale, box.x1 * scale, box.y1 * scale)


def table_words(table: Table, words: Sequence[Word]) -> set[int]:
    """Indices of the words that a table tells: those in its cells, and in the title row above them."""
    near = [i for i, word in enumerate(words) if inside(word.box, table.box)]
    top = min(cell.box.y0 for cell in table.cells)
    return {
        i
        for i in near
        if words[i].box.y1 <= top + 1 or any(inside(words[i].box, cell.box) for cell in table.cells)
    }


def display_grid(table: Table) -> tuple[tuple[str, ...], ...]:
    """A table's texts for reading: every label stands in each row and column that it spans."""
    return table.grid()


def plain_grid(table: Table) -> tuple[tuple[str, ...], ...]:
    """A table's texts for the index: heads repeat over the columns they span, body cells stand once.

    Cells that span rows are repeated down, so that every row can be read by itself.
    """
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        for row in range(cell.row, min(table.rows, cell.row + cell.row_span)):
            across = cell.column_span if row < table.header_rows else 1
            for column in range(cell.column, min(table.columns, cell.column + across)):
                grid[row][column] = cell.text
    return tuple(tuple(row) for row in grid)
