"""Tables drawn with ruling lines or shaded cells: PyMuPDF finds the cells, the rest is read here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmrag.ingest._mupdf import display_matrix, mupdf
from mmrag.ingest.tables.cells import (
    as_grid,
    fill,
    is_table,
    number_of_header_rows,
    split_title,
    without_empty,
)
from mmrag.ingest.tables.lattice import lattice_cells
from mmrag.ingest.tables.rows import split_tall_rows
from mmrag.ingest.tables.rulings import Rulings
from mmrag.ingest.tables.turned import Turn
from mmrag.ingest.tables.unruled import is_open, read_region
from mmrag.ingest.text.captions import TABLE, find_caption
from mmrag.ingest.text.lines import Line, frame, inside, page_lines
from mmrag.records import Box, Table, Word

_BESIDE = 30.0  # points


def find_ruled(
    page: Any,
    paths: list[Any],
    words: Sequence[Word],
    lines: Sequence[Line],
    rulings: Rulings,
    turn: Turn | None = None,
) -> list[Table]:
    """Tables whose cells are drawn, each place once.

    A grid whose rules leave rows or columns out ("open") is read again by how its words stand,
    with the rules as hard limits.

    Args:
        page: a PyMuPDF page, left as it was.
        paths: its useful paths.
        words: the page's words.
        lines: the same as lines, for captions.
        rulings: the rules drawn on the page.
        turn: how the words are made upright when they lie on their side.
    """
    found: list[Table] = []
    for cells in _cell_boxes(page, paths):
        table = _build(cells, words, lines, rulings) if turn is None else _turned(cells, words, rulings, turn)
        if table is not None and not any(_same_place(table.box, other.box) for other in found):
            found.append(table)
    return found


def find_in_lattice(words: Sequence[Word], lines: Sequence[Line], rulings: Rulings) -> list[Table]:
    """Tables whose cells are closed in by rules seen in a picture."""
    tables = [_build(cells, words, lines, rulings) for cells in lattice_cells(rulings)]
    return [table for table in tables if table is not None and not _goes_beyond(table, words)]


def _goes_beyond(table: Table, words: Sequence[Word]) -> bool:
    """Whether most rows have words close beside the rules: a column of the table is not closed in."""
    beside = [
        (word.box.y0 + word.box.y1) / 2
        for word in words
        if 0 <= table.box.x0 - word.box.x1 < _BESIDE or 0 <= word.box.x0 - table.box.x1 < _BESIDE
    ]
    rows = [table.row_box(row) for row in range(table.rows)]
    return 2 * sum(any(box.y0 <= y < box.y1 for y in beside) for box in rows) > len(rows)


def useful_paths(page: Any) -> list[Any]:
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
    matrix = display_matrix(page)
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


def _turned(boxes: Sequence[Box], words: Sequence[Word], rulings: Rulings, turn: Turn) -> Table | None:
    upright = turn.words(words)
    table = _build([turn.box(box) for box in boxes], upright, page_lines(upright), turn.rulings(rulings))
    return table and turn.table_back(table)


def _build(
    boxes: Sequence[Box], words: Sequence[Word], lines: Sequence[Line], rulings: Rulings
) -> Table | None:
    around = frame(boxes)
    members = [word for word in words if inside(word.box, around)]
    cells = fill(as_grid(boxes), members)
    if not is_table(cells):
        return None
    if is_open(cells, words, around):
        again = read_region(around, words, lines, rulings)
        if again is not None:
            return again
    title, cells = split_title(without_empty(cells))
    header_rows = number_of_header_rows(cells)
    parted = split_tall_rows(cells, members, header_rows)
    if len(parted) > len(cells):
        # Rows that no rule parts: how lines go together is told by all columns, not by the figures alone.
        again = read_region(around, words, lines, rulings)
        columns = max(cell.column + cell.column_span for cell in cells)
        if again is not None and again.columns == columns and again.header_rows >= header_rows:
            return again
    cells = parted
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
