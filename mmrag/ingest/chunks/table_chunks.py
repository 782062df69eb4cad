"""Tables to chunks: pieces by rows, each with the caption and all header rows."""

from __future__ import annotations

from collections.abc import Sequence

from mmrag.ingest.chunks.chunk_maker import ChunkMaker
from mmrag.ingest.chunks.pieces import Piece, fitted, table_pieces
from mmrag.ingest.tables.finding import display_grid, plain_grid
from mmrag.ingest.text.lines import frame
from mmrag.markdown import Grid
from mmrag.records import Box, Chunk, ChunkKind, Page, Table


def table_chunks(maker: ChunkMaker, page: Page, table: Table, caption: str, section: str) -> list[Chunk]:
    """The chunks of a table on a page.

    A header that stands on an earlier page comes with every piece; boxes are those of a piece's rows and
    of the header where this page has it. ``rows`` count from the table's first row on this page.
    """
    offset = len(table.carried)
    header_rows = offset or table.header_rows
    grid = (*table.carried, *display_grid(table))
    plain = (*table.carried, *plain_grid(table))
    chunks = []
    for number, piece in enumerate(_pieces(maker, grid, header_rows, caption, plain)):
        rows = (piece.first - offset, piece.stop - offset)
        repeated = bool(header_rows) and (number > 0 or offset > 0)
        boxes = _boxes(table, rows, first=number == 0)
        chunks.append(_chunk(maker, ChunkKind.TABLE, page, piece, caption, section, boxes, rows, repeated))
    return chunks


def grid_chunks(
    maker: ChunkMaker,
    kind: ChunkKind,
    page: Page,
    grid: Grid,
    header_rows: int,
    caption: str,
    section: str,
    box: Box,
) -> list[Chunk]:
    """The chunks of a table that is known by its texts alone, all of them at one place of a page."""
    return [
        _chunk(
            maker,
            kind,
            page,
            piece,
            caption,
            section,
            (box,),
            (piece.first, piece.stop),
            bool(header_rows) and number > 0,
        )
        for number, piece in enumerate(_pieces(maker, grid, header_rows, caption, grid))
    ]


def _pieces(maker: ChunkMaker, grid: Grid, header_rows: int, caption: str, plain: Grid) -> list[Piece]:
    # The caption rides on every piece, but a long one must not leave the rows without room.
    room = maker.tokens - maker.count(_indexed_caption(maker, caption))
    pieces = table_pieces(grid, header_rows, room, maker.count, plain)
    return [piece for piece in pieces if piece.plain or caption]


def _indexed_caption(maker: ChunkMaker, caption: str) -> str:
    return fitted(caption, maker.tokens // 3, maker.count)


def _chunk(
    maker: ChunkMaker,
    kind: ChunkKind,
    page: Page,
    piece: Piece,
    caption: str,
    section: str,
    boxes: tuple[Box, ...],
    rows: tuple[int, int],
    repeated: bool,
) -> Chunk:
    above = _indexed_caption(maker, caption)
    return maker.make(
        kind,
        page,
        f"{caption}\n\n{piece.markdown}" if caption else piece.markdown,
        section,
        boxes,
        indexed="\n".join(part for part in (above, piece.plain) if part),
        header_repeated=repeated,
        rows=rows if rows[1] > rows[0] else None,
    )


def _boxes(table: Table, rows: tuple[int, int], *, first: bool) -> tuple[Box, ...]:
    body = [table.row_box(row) for row in range(*rows)]
    heads = [table.row_box(row) for row in range(table.header_rows)]
    if heads and first:
        return (frame([*heads, *body]),)
    found: Sequence[list[Box]] = (body, heads)
    return tuple(frame(boxes) for boxes in found if boxes) or (table.box,)
