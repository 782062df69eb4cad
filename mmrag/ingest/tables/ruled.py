"""Tables drawn with ruling lines or shaded cells."""

from __future__ import annotations

from collections.abc import Sequence

from mmrag.ingest.tables.boxed import boxed_grids
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
_MOST_ABOVE = 25  # words of running heads
_OUTER = 3.0  # points within which a rule is a table's side
_LEAST_RULE = 6.0  # points
_LEAST_CELLS = 6
_FULL = 0.7  # of the places


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
    places = [word.box for word in words]
    grids = [*grids_of(shapes.levels, shapes.uprights, places), *boxed_grids(shapes.boxes, places)]
    for cells in grids:
        table = _build(cells, words, lines, rulings) if turn is None else _turned(cells, words, rulings, turn)
        if table is None or (turn is None and not _is_told(table, rulings)):
            continue
        if not any(_same_place(table.box, other.box) for other in found):
            found.append(table)
    return found


def find_rest(shapes: Shapes, words: Sequence[Word], taken: Sequence[Box]) -> Table | None:
    """The last row of a table of the page before: one ruled row of three columns or more at the top.

    Its first columns may be blank, as they are where a cell runs over the page's end.
    """
    rulings = shapes.rulings
    for boxes in grids_of(rulings.levels, rulings.uprights, [word.box for word in words]):
        around = frame(boxes)
        cells = fill(as_grid(boxes), [word for word in words if inside(word.box, around)])
        columns = max(cell.column + cell.column_span for cell in cells)
        above = sum(word.box.y1 <= around.y0 and not is_spaced(word) for word in words)
        if any(cell.row > 0 or cell.row_span > 1 for cell in cells) or columns != len(cells) or columns < 3:
            continue
        free = not any(around.overlap(box) for box in taken)
        if free and above <= _MOST_ABOVE and sum(bool(cell.text) for cell in cells) > 1:
            return Table(cells=tuple(cells), rows=1, columns=columns, header_rows=0, box=around)
    return None


def is_spaced(word: Word) -> bool:
    """Whether a word is one capital, as those of a masthead set letter by letter are."""
    return len(word.text) == 1 and word.text.isupper()


def _is_told(table: Table, rulings: Rulings) -> bool:
    """Whether a rule parts columns; where shades alone do, as bars of a chart may, cells must be full."""
    box = table.box
    for rule in rulings.uprights:
        inner = box.x0 + _OUTER < rule.at < box.x1 - _OUTER
        if inner and min(rule.stop, box.y1) - max(rule.start, box.y0) >= _LEAST_RULE:
            return True
    filled = sum(bool(cell.text) for cell in table.cells)
    return filled >= max(_LEAST_CELLS, _FULL * table.rows * table.columns)


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
