"""No chunk is over the limit, whatever stands in it; what is indexed fits the text embedder."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmrag.ingest import Chunker
from mmrag.markdown import parse_markdown
from mmrag.records import Box, Cell, Chunk, ChunkKind, Identity, Page, PageStatus, Table, Word, WordSource
from mmrag.settings import ChunkSettings

from .conftest import count

WHO = Identity("Harbour report", "Port Office", 1912)


def table(rows: list[list[str]], header_rows: int = 1, **more: object) -> Table:
    cells = [
        Cell(text, r, c, Box(50 + 100 * c, 100 + 10 * r, 150 + 100 * c, 110 + 10 * r))
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    ]
    box = Box(50, 100, 50 + 100 * len(rows[0]), 100 + 10 * len(rows))
    return Table(tuple(cells), len(rows), len(rows[0]), header_rows, box, **more)  # type: ignore[arg-type]


def chunks_of(*tables: Table, tokens: int = 32, who: Identity = WHO, limit: int = 0) -> list[Chunk]:
    page = Page("d" * 32, 1, 600, 800, PageStatus.INDEXED, tables=tables)
    return Chunker("d" * 32, who, (), ChunkSettings(tokens=tokens, overlap=0), count, limit=limit).feed(page)


def test_pieces_know_their_rows():
    rows = [["Good", "Price"], *([f"Grain {i}", f"{i}.50"] for i in range(20))]
    chunks = chunks_of(table(rows, caption="Table 1: Prices"))
    assert chunks[0].rows == (1, 6)
    assert [first for first, _ in (c.rows for c in chunks)] == [1, *(c.rows[1] for c in chunks[:-1])]
    assert chunks[-1].rows[1] == 21
    for chunk in chunks:
        header, body = parse_markdown(chunk.text)
        assert header == ["Good", "Price"]
        assert body == rows[slice(*chunk.rows)]
        assert chunk.text.startswith("Table 1: Prices\n\n| Good | Price |")
        assert chunk.index_text.startswith(
            "Harbour report, Port Office, 1912\nTable 1: Prices\nGood Price\nGrain"
        )
        assert chunk.tokens <= 32


def test_boxes_of_a_piece_are_its_rows_and_the_header():
    rows = [["Good", "Price"], *([f"Grain {i}", f"{i}.50"] for i in range(20))]
    first, second, *_ = chunks_of(table(rows))
    assert first.boxes == (Box(50, 100, 250, 100 + 10 * first.rows[1]),)
    start, stop = second.rows
    assert second.boxes == (Box(50, 100 + 10 * start, 250, 100 + 10 * stop), Box(50, 100, 250, 110))


def test_rows_count_from_the_table_s_first_row_on_its_page():
    (chunk,) = chunks_of(
        table([["Oats", "12"]], header_rows=0, carried=(("Good", "Price"),), continued_from=0)
    )
    assert chunk.rows == (0, 1)
    assert chunk.header_repeated
    assert chunk.text == "| Good | Price |\n| --- | --- |\n| Oats | 12 |"


def test_a_row_over_the_limit_is_dealt_over_chunks_with_header_and_first_cell():
    long = " ".join(f"word{i}" for i in range(60))
    chunks = chunks_of(table([["Good", "Remark"], ["Oats", long], ["Rye", "none"]]))
    assert {c.rows for c in chunks[:-1]} == {(1, 2)}
    told = []
    for chunk in chunks:
        assert chunk.tokens <= 32
        header, ((name, remark),) = parse_markdown(chunk.text)
        assert header == ["Good", "Remark"]
        assert name == ("Rye" if chunk is chunks[-1] else "Oats")
        told += remark.split()
    assert told == [*long.split(), "none"]


def test_a_long_caption_leaves_room_for_the_rows():
    caption = "Table 1: " + " ".join(f"word{i}" for i in range(80))
    chunks = chunks_of(table([["Good", "Price"], ["Oats", "12"]], caption=caption))
    assert [c.tokens <= 32 for c in chunks] == [True]
    assert chunks[0].text.startswith(caption)
    assert chunks[0].index_text.endswith(" \u2026\nGood Price\nOats 12")


cell = st.text("ab |\n.", max_size=30)


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(st.lists(cell, min_size=n, max_size=n), min_size=1, max_size=8)
    ),
    st.integers(0, 2),
    st.text("ab ", max_size=80),
)
def test_no_table_makes_a_chunk_over_the_limit(rows, header_rows, caption):
    for chunk in chunks_of(table(rows, min(header_rows, len(rows)), caption=caption.strip())):
        assert chunk.tokens == count("\n".join(chunk.index_text.split("\n")[1:]))
        assert chunk.tokens <= 32


def prose(*texts: tuple[str, float]) -> Page:
    words, y = [], 60.0
    for line, (text, size) in enumerate(texts):
        x = 50.0
        for word in text.split():
            words.append(Word(word, Box(x, y, x + 5, y + size), WordSource.TEXT_LAYER, line, line, size))
            x += 8
        y += 2 * size
    return Page("d" * 32, 1, 600, 2000, PageStatus.INDEXED, words=tuple(words))


@pytest.mark.parametrize("limit", [64, 128])
def test_title_and_section_are_shortened_so_that_all_fits_the_embedder(limit):
    who = Identity(" ".join(f"title{i}" for i in range(60)))
    page = prose(
        ("Outer heading " + "long " * 12, 20),
        ("Middle heading " + "long " * 12, 16),
        ("Inner heading", 13),
        ("body " * 300, 10),
    )
    chunks = Chunker("d" * 32, who, (), ChunkSettings(tokens=480), count, limit=limit).feed(page)
    assert max(count(chunk.index_text) for chunk in chunks) <= limit
    for chunk in chunks[1:]:
        title, section, _ = chunk.index_text.split("\n", 2)
        assert title.startswith("title0 ")
        assert section.endswith("Inner heading")
        assert chunk.section.startswith("Outer heading long")


def test_short_titles_and_sections_stay_whole():
    page = prose(("Outer heading", 20), ("Inner heading", 13), ("body " * 30, 10))
    *_, last = Chunker("d" * 32, WHO, (), ChunkSettings(), count, limit=254).feed(page)
    assert last.index_text.split("\n")[:2] == [
        "Harbour report, Port Office, 1912",
        "Outer heading > Inner heading",
    ]
    assert last.kind is ChunkKind.PROSE
