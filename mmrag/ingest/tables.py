"""Tables drawn with ruling lines or shaded cells: PyMuPDF finds the cells, the rest is read here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmrag.ingest._mupdf import mupdf
from mmrag.ingest.captions import TABLE, find_caption
from mmrag.ingest.cells import as_grid, fill, is_table, number_of_header_rows, split_title, without_empty
from mmrag.ingest.graphics import Graphics
from mmrag.ingest.lines import Line, frame, inside
from mmrag.ingest.rows import split_tall_rows
from mmrag.records import Box, Table, Word

MOST_SEGMENTS = 2_000
"""Strokes on a page up to which tables are looked for. PyMuPDF's search compares shapes pairwise: maps and
technical drawings of tens of thousands of strokes would take minutes."""


def find_tables(
    page: Any, words: Sequence[Word], lines: Sequence[Line], graphics: Graphics
) -> tuple[tuple[Table, ...], str]:
    """Tables of a PyMuPDF page from top to bottom, and a note when they were not looked for.

    Cells are in points of the displayed page and hold the words whose middle lies in them. The
    page is left as it was.
    """
    # A grid of two by two cells needs two places of each kind besides its outline; pages that
    # don't have them (most pages of prose) are spared the search.
    if not words or graphics.uprights < 2 or graphics.levels < 2:
        return (), ""
    paths = _useful_paths(page)
    if len(paths) > MOST_SEGMENTS:
        return (), f"tables were not looked for: {graphics.segments} strokes are drawn on the page"
    found: list[Table] = []
    for cells in _cell_boxes(page, paths):
        table = _build(cells, words, lines)
        if table is not None and not any(_same_place(table.box, other.box) for other in found):
            found.append(table)
    return tuple(sorted(found, key=lambda table: (table.box.y0, table.box.x0))), ""


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
    """A table's texts for Markdown: heads repeat over the columns they span, body cells stand once.

    Cells that span rows are repeated down, so that every row can be read by itself.
    """
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        for row in range(cell.row, min(table.rows, cell.row + cell.row_span)):
            across = cell.column_span if row < table.header_rows else 1
            for column in range(cell.column, min(table.columns, cell.column + across)):
                grid[row][column] = cell.text
    return tuple(tuple(row) for row in grid)


def _useful_paths(page: Any) -> list[Any]:
    """Paths with straight edges, each place once; curves and slants make no cells."""
    kept: dict[tuple[float, ...], Any] = {}
    for path in page.get_drawings():
        straight = [item for item in path["items"] if _is_straight(item)]
        if not straight:
            continue
        key = (*(round(value, 1) for value in path["rect"]), len(straight))
        kept.setdefault(key, {**path, "items": straight})
    return list(kept.values())


def _is_straight(item: Any) -> bool:
    if item[0] in ("re", "qu"):
        return True
    if item[0] != "l":
        return False
    return bool(abs(item[1].x - item[2].x) <= 1 or abs(item[1].y - item[2].y) <= 1)


def _cell_boxes(page: Any, paths: list[Any]) -> list[list[Box]]:
    """Cells of every grid found, with an outer header line as cells of its own."""
    rotation = page.rotation
    # PyMuPDF's own way round rotation loses the crop box, so the page is turned upright here:
    # coordinates of paths and cells are those of the page before rotation.
    if rotation:
        page.set_rotation(0)
    try:
        # add_boxes and the rest stay off: defaults are the documented line strategy.
        finder = page.find_tables(paths=paths, use_layout=False)
    finally:
        if rotation:
            page.set_rotation(rotation)
    if finder is None:
        return []
    matrix = page.rotation_matrix if rotation else None
    grids = []
    for table in finder.tables:
        cells = list(table.cells)
        header = table.header
        if not rotation and header is not None and header.external and _is_header(header.names):
            cells.extend(cell for cell in header.cells if cell is not None)
        grids.append([_displayed(cell, matrix) for cell in cells])
    return grids


def _is_header(names: Sequence[str | None]) -> bool:
    """Whether the line PyMuPDF takes for a header above the rules is one, and no caption."""
    texts = [name.strip() for name in names if name and name.strip()]
    return len(texts) >= max(2, len(names) / 2) and not any(TABLE.match(text) for text in texts)


def _displayed(cell: Any, matrix: Any) -> Box:
    return Box(*cell) if matrix is None else Box(*(mupdf.Rect(cell) * matrix))


def _build(boxes: Sequence[Box], words: Sequence[Word], lines: Sequence[Line]) -> Table | None:
    around = frame(boxes)
    members = [word for word in words if inside(word.box, around)]
    cells = fill(as_grid(boxes), members)
    if not is_table(cells):
        return None
    title, cells = split_title(without_empty(cells))
    header_rows = number_of_header_rows(cells)
    cells = split_tall_rows(cells, members, header_rows)
    caption, _ = find_caption(around, lines, TABLE, below_first=False)
    caption = " ".join(part for part in (caption, title) if part)
    return Table(
        cells=tuple(cells),
        rows=max(cell.row + cell.row_span for cell in cells),
        columns=max(cell.column + cell.column_span for cell in cells),
        header_rows=header_rows,
        box=around,
        caption=caption,
    )


def _same_place(one: Box, other: Box) -> bool:
    return one.overlap(other) > 0.5 * min(one.area, other.area)
