"""What an office file holds beside a page's picture, as chunks bound to that page."""

from __future__ import annotations

from mmrag.ingest.chunks.chunk_maker import ChunkMaker
from mmrag.ingest.chunks.packing import pack
from mmrag.ingest.chunks.pieces import fitted
from mmrag.ingest.chunks.table_chunks import grid_chunks
from mmrag.ingest.text.sentences import units_of_text
from mmrag.records import Box, Chunk, Page, Supplement


def supplement_chunks(maker: ChunkMaker, page: Page, section: str) -> list[Chunk]:
    """Chunks of a page's supplements: notes and alt texts in passages, tables and chart data by rows.

    Each begins with what it is ("Speaker notes: ..."). One without a place of its own has the whole page.
    """
    return [chunk for supplement in page.supplements for chunk in _chunks(maker, page, supplement, section)]


def _chunks(maker: ChunkMaker, page: Page, supplement: Supplement, section: str) -> list[Chunk]:
    box = supplement.box or Box(0.0, 0.0, page.width, page.height)
    title = fitted(supplement.title, maker.tokens // 3, maker.count)
    chunks: list[Chunk] = []
    if supplement.text.strip():
        opening = f"{title}: " if title else ""
        room = maker.tokens - maker.count(opening)
        for passage in pack(units_of_text(supplement.text), room, maker.overlap, maker.count):
            chunks.append(maker.make(supplement.kind, page, opening + passage.text, section, (box,)))
    if supplement.rows:
        chunks += grid_chunks(
            maker,
            supplement.kind,
            page,
            supplement.rows,
            supplement.header_rows,
            supplement.title,
            section,
            box,
        )
    return chunks
