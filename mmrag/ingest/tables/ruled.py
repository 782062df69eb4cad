"""Tables drawn with ruling lines or shaded cells."""

from __future__ import annotations

from collections.abc import Sequence

from mmrag.ingest.tables.cells import (
    as_grid,
    fill,
    is_table,
    number_of_header_rows,
    split_title,
    without_empty,
)
from mmrag.ingest.tables.grids import grids_of
from mmrag.ingest.tables.lattice import lattice_cells
from mmrag.ingest.tables.rows import split_tall_rows
from mmrag.ingest.tables.rulings import Rulings
from mmrag.ingest.tables.shapes import Shapes
from mmrag.ingest.tables.turned import Turn
from mmrag.ingest.tables.unruled import is_open, read_region
from mmrag.ingest.text.captions import TABLE, find_caption
from mmrag.ingest.text.lines import Line, frame, inside, page_lines
from mmrag.records import Box, Table, Word

_BESIDE = 30.0  # points


def find_ruled(
    shapes: Shapes,
    words: Sequence[Word],
    lines: Sequence[Line],
    turn: Turn | None = None,
) -> list[Table]:
    """Tables whose cells are drawn, each place once.

    A grid whose rules leave rows or columns out ("open") is read again by how its words stand,
    with the rules as hard limits.

    Args:
        shapes: what is drawn on the page.
        words: the page's words.
        lines: the same as lines, for captions.
        turn: how the words are made upright when they lie on their side.
    """
    found: list[Table] = []
    rulings = shapes.rulings
    for cells in grids_of(shapes.levels, shapes.uprights, [word.box for word in words]):
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
