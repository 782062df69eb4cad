"""From a block of rows to a table's cells, or to nothing where the block is no table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mmrag.ingest.tables.cells import plain_text
from mmrag.ingest.tables.rulings import Rulings
from mmrag.ingest.tables.unruled.blocks import is_item
from mmrag.ingest.tables.unruled.bodies import body_rows
from mmrag.ingest.tables.unruled.columns import (
    Zone,
    between_rules,
    solids_of,
    with_heads,
    without_marks,
    zones_of,
)
from mmrag.ingest.tables.unruled.heads import Head, first_body_row, head_lines, heads_of
from mmrag.ingest.tables.unruled.pieces import Piece, over_open_edges, pieces_of, stacked
from mmrag.ingest.tables.unruled.runs import Row
from mmrag.ingest.text.lines import frame
from mmrag.records import Box, Cell, Table, Word


@dataclass(frozen=True, slots=True)
class Draft:
    """A table as far as it is read: its lines, their pieces, its columns."""

    rows: tuple[Row, ...]
    lines: tuple[tuple[Piece, ...], ...]
    zones: tuple[Zone, ...]
    head: int

    @property
    def box(self) -> Box:
        """Around all its words."""
        return frame([row.box for row in self.rows])


def draft_of(rows: Sequence[Row], words: Sequence[Word], rulings: Rulings, space: float) -> Draft | None:
    """Columns and pieces of a block; None when it has no two columns."""
    solids = [solids_of(row, words, space, rulings.uprights) for row in rows]
    counted = [len(s) > 1 and not is_item(row, words) for s, row in zip(solids, rows, strict=True)]
    if sum(counted) < 2:
        return None
    start = first_body_row(solids, rows, rulings.levels, words)
    body = [s for s, good in zip(solids[start:], counted[start:], strict=True) if good]
    head = [s for s, good in zip(solids[:start], counted[:start], strict=True) if good]
    if len(body) < 2:
        body, head = [*head, *body], []
    size = sorted(row.size for row in rows)[len(rows) // 2]
    zones = between_rules(zones_of(body, size), body, rows, rulings.uprights, words)
    # Signs go to their figures first: a head may stand over the white between the two.
    zones = with_heads(without_marks(zones, body, words), head)
    if len(zones) < 2:
        return None
    lines = [pieces_of(s, words, zones, row.size) for s, row in zip(solids, rows, strict=True)]
    lines = over_open_edges(lines, rows, rulings.uprights, zones)
    lines_of_head = head_lines(lines, rows, rulings.levels, zones)
    return Draft(tuple(rows), tuple(map(tuple, lines)), tuple(zones), lines_of_head)


def cells_of(draft: Draft, words: Sequence[Word], rulings: Rulings) -> tuple[list[Cell], int]:
    """Numbered cells with boxes that tile the table, and the number of head rows."""
    head, rows, zones = draft.head, draft.rows, draft.zones
    floor = (rows[head - 1].middle + rows[head].middle) / 2 if 0 < head < len(rows) else rows[-1].box.y1
    heads, head_rows = heads_of(draft.lines[:head], rows[:head], rulings.levels, zones, floor)
    groups = body_rows(draft.lines[head:], rows[head:], rulings.levels, zones, words)
    cells = [_head_cell(h) for h in heads]
    for number, group in enumerate(groups):
        columns: dict[int, list[Piece]] = {}
        for line in group:
            for piece in draft.lines[head + line]:
                at = next(
                    (c for c, held in columns.items() if c <= piece.first <= held[-1].last), piece.first
                )
                columns.setdefault(at, []).append(piece)
        for first, held in sorted(columns.items()):
            whole = stacked(held)
            cells.append(
                Cell(plain_text(whole.text), head_rows + number, first, whole.box, 1, whole.last - first + 1)
            )
    return cells, head_rows


def _head_cell(head: Head) -> Cell:
    piece = head.piece
    return Cell(
        plain_text(piece.text), head.row, piece.first, piece.box, head.rows, piece.last - piece.first + 1
    )


def table_of(draft: Draft, words: Sequence[Word], rulings: Rulings, caption: str) -> Table:
    """A draft as a table."""
    cells, head = cells_of(draft, words, rulings)
    return Table(
        cells=tuple(sorted(cells, key=lambda c: (c.row, c.column))),
        rows=max(c.row + c.row_span for c in cells),
        columns=len(draft.zones),
        header_rows=head,
        box=frame([cell.box for cell in cells]),
        caption=caption,
    )
