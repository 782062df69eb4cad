"""Grids whose rules leave rows or columns out, read again by how their words stand."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from mmrag.ingest.tables.rulings import Rulings, longest
from mmrag.ingest.tables.unruled.blocks import is_item
from mmrag.ingest.tables.unruled.build import draft_of, table_of
from mmrag.ingest.tables.unruled.columns import solids_of, zones_of
from mmrag.ingest.tables.unruled.pieces import is_data
from mmrag.ingest.tables.unruled.runs import Row, rows_of, space_of
from mmrag.ingest.text.captions import TABLE, find_caption
from mmrag.ingest.text.lines import Line, inside
from mmrag.records import Box, Cell, Table, Word

MOST_RULES = 500  # of either direction that are looked at
_LEAST_SIDES = 2  # lines that two texts stand on
_WHITE = 0.6  # ems of white between two columns


def is_open(cells: Sequence[Cell], words: Sequence[Word], around: Box) -> bool:
    """Whether drawn cells hold several rows or columns of words each.

    Columns are left out where cells of two rows hold texts wide apart; rows where two cells beside
    each other hold lines of figures that stand side by side, or where a label spans rows of figures
    and has as many lines as they are.
    """
    space = space_of(words)
    columns: dict[tuple[int, int], list[Row]] = {}
    for cell in cells:
        if " " not in cell.text:
            continue
        rows = _rows_in(cell.box, words, space)
        columns.setdefault((cell.column, cell.column_span), []).extend(rows)
        if cell.row_span > 1 and len(rows) > 2 and _rows_beside(cell, cells) >= 0.6 * len(rows):
            return True
    return any(_hold_columns(rows, words, space) for rows in columns.values())


def _hold_columns(rows: Sequence[Row], words: Sequence[Word], space: float) -> bool:
    """Whether the lines of one drawn column have white in common that parts most of them."""
    apart = [row for row in rows if len(row.runs) > 1 and not is_item(row, words)]
    if len(apart) <= _LEAST_SIDES or 2 * len(apart) < len(rows):
        return False
    solids = [solids_of(row, words, space, ()) for row in apart]
    zones = zones_of(solids, apart[0].size)
    return any(b.x0 - a.x1 > _WHITE * apart[0].size for a, b in itertools.pairwise(zones))


def _rows_in(box: Box, words: Sequence[Word], space: float) -> list[Row]:
    return rows_of(words, [i for i, word in enumerate(words) if inside(word.box, box)], space)


def _rows_beside(cell: Cell, cells: Sequence[Cell]) -> int:
    """How many rows of figures stand beside a cell that spans rows."""
    return len(
        {
            other.row
            for other in cells
            if cell.row <= other.row < cell.row + cell.row_span
            and other.column != cell.column
            and other.row_span == 1
            and is_data(other.text)
        }
    )


def read_region(box: Box, words: Sequence[Word], lines: Sequence[Line], rulings: Rulings) -> Table | None:
    """The table in a place, by how its words stand; None when they make no columns."""
    rulings = longest(rulings, MOST_RULES)
    space = space_of(words)
    rows = _rows_in(box, words, space)
    draft = draft_of(rows, words, rulings, space) if len(rows) > 1 else None
    if draft is None:
        return None
    caption, _ = find_caption(box, lines, TABLE, below_first=False)
    return replace(table_of(draft, words, rulings, caption), box=box)
