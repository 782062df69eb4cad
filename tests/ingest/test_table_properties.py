"""Properties of tables cut into pieces: nothing lost, nothing doubled, the header on each, the limit kept."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import groupby

from hypothesis import given, settings
from hypothesis import strategies as st

from mmrag.ingest import Chunker
from mmrag.ingest.chunks.pieces import table_pieces
from mmrag.ingest.tables.finding import plain_grid
from mmrag.markdown import cell_text, header_line, parse_markdown
from mmrag.records import Box, ChunkKind, Identity, Page, PageStatus
from mmrag.records.pages import Cell, Table
from mmrag.settings import ChunkSettings

from .conftest import count

texts = st.text("abc 12|\\\n<>br\u2028-", max_size=12) | st.sampled_from(
    ["", "|", "\\", "a|b", "two\nlines", "<br>", "| --- |", "1,234.5", "one two three four five six"]
)
LONG = " ".join(f"word{number}" for number in range(220))


@st.composite
def tables(draw: st.DrawFn, long_rows: bool = True) -> Table:
    """Tables of up to 200 rows with spans, 0 to 3 header rows, empty cells, and texts that need escaping.

    Sizes and texts are drawn and shrink; where they stand comes from a drawn seed, which is fast.
    """
    header_rows = draw(st.integers(0, 3))
    rows = header_rows + draw(st.integers(0, 12) | st.integers(0, 200 - header_rows))
    rows = max(1, rows)
    columns = draw(st.integers(1, 6))
    pool = draw(st.lists(texts, min_size=1, max_size=8))
    spans = draw(st.sampled_from([0.0, 0.1, 0.4]))
    if long_rows and draw(st.booleans()):
        pool = [*pool, LONG]
    dice = random.Random(draw(st.integers(0, 2**32)))
    free = {(row, column) for row in range(rows) for column in range(columns)}
    cells = []
    for row, column in sorted(free):
        if (row, column) not in free:
            continue
        wide = tall = 1
        if dice.random() < spans:
            wide, tall = dice.randint(1, 3), dice.randint(1, 3)
        area = {(y, x) for y in range(row, row + tall) for x in range(column, column + wide)}
        if not area <= free:
            wide, tall, area = 1, 1, {(row, column)}
        free -= area
        # Half of the texts name their place, so that rows that change places are noticed.
        text = dice.choice(pool) if dice.random() < 0.5 else f"{dice.choice(pool)} r{row}c{column}"
        if text != LONG and dice.random() < 0.2:
            text = ""
        cells.append(Cell(text, row, column, Box(column, row, column + wide, row + tall), tall, wide))
    # A table without a header may go on from an earlier page, whose header it then carries.
    carried = () if header_rows else draw(st.lists(st.tuples(*[texts] * columns), max_size=2).map(tuple))
    return Table(tuple(cells), rows, columns, header_rows, Box(0, 0, columns, rows), carried=carried)


def wanted(table: Table) -> tuple[list[str], list[list[str]]]:
    body = [[cell_text(text) for text in row] for row in table.grid()[table.header_rows :]]
    heads = table.carried or table.grid()[: table.header_rows]
    return (header_line(heads, len(heads)) if heads else [""] * table.columns), body


def words(text: str) -> str:
    return "".join(text.split())


def is_dealt(row: list[str], parts: list[list[str]]) -> bool:
    """Whether the parts together say a row, white space apart; its first cell may stand on each of them."""
    first, *rest = zip(*parts, strict=True)
    labelled = len(row) > 1 and set(map(words, first)) == {words(row[0])}
    return (labelled or words("".join(first)) == words(row[0])) and all(
        words("".join(said)) == words(text) for said, text in zip(rest, row[1:], strict=True)
    )


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(8, 400))
def test_pieces_parse_back_to_the_table(table: Table, limit: int):
    header, body = wanted(replace(table, carried=()))
    pieces = table_pieces(table.grid(), table.header_rows, limit, count)
    read: list[list[str]] = []
    for first, group in groupby(pieces, key=lambda piece: piece.first):
        same = list(group)
        assert first == table.header_rows + len(read)  # in order, none lost, none doubled
        rows: list[list[str]] = []
        for number, piece in enumerate(same, 1):
            found, part = parse_markdown(piece.markdown)
            assert found == header
            assert count(piece.plain) <= limit
            assert (piece.part, piece.parts) == (number, len(same))
            rows.extend(part)
        if len(same) == 1:
            assert len(rows) == same[0].stop - first
            read.extend(rows)
        else:
            assert is_dealt(body[len(read)], rows)
            read.append(body[len(read)])
    assert read == body


@settings(max_examples=40, deadline=None)
@given(tables(long_rows=False), st.integers(0, 3))
def test_a_table_parses_back_whole_or_from_any_row(table: Table, first: int):
    header, body = wanted(table)
    assert parse_markdown(table.to_markdown()) == (header, body)
    start = table.header_rows + first
    assert parse_markdown(table.to_markdown(start)) == (header, body[first:])


@settings(max_examples=60, deadline=None)
@given(
    tables(), st.sampled_from([32, 64, 160, 480]), st.sampled_from(["", "Table 1: sales | by region", LONG])
)
def test_chunks_of_a_page_parse_back_to_its_table(table: Table, tokens: int, caption: str):
    table = replace(table, caption=caption)
    page = Page("d" * 32, 1, 600, 800, PageStatus.INDEXED, tables=(table,))
    chunker = Chunker("d" * 32, Identity(title="A report"), (), ChunkSettings(tokens=tokens), count)
    chunks = [chunk for chunk in [*chunker.feed(page), *chunker.finish()] if chunk.kind is ChunkKind.TABLE]
    header, body = wanted(table)
    if not caption and not any(map(any, [header, *body])):
        assert chunks == []  # a table that says nothing is no passage
        return
    read: list[list[str]] = []
    for rows, group in groupby(chunks, key=lambda chunk: chunk.rows):
        same = list(group)
        if rows is None:  # nothing but a header
            assert [parse_markdown(chunk.text) for chunk in same] == [(header, [])]
            continue
        while rows[0] > table.header_rows + len(read):  # rows that say nothing need no passage of their own
            assert not any(body[len(read)])
            read.append(body[len(read)])
        assert rows[0] == table.header_rows + len(read)
        parsed = [parse_markdown(chunk.text) for chunk in same]
        assert all(found == header for found, _ in parsed)
        assert all(chunk.tokens <= tokens for chunk in same)
        if len(same) == 1:
            read.extend(parsed[0][1])
        else:
            # What is dealt is the plain text, in which a cell that spans columns stands once.
            assert is_dealt(list(plain_grid(table)[rows[0]]), [part[0] for _, part in parsed])
            read.append(body[len(read)])
        assert rows[1] == table.header_rows + len(read)
    assert not any(map(any, body[len(read) :]))
    assert read == body[: len(read)]


def test_an_empty_row_before_a_very_long_one_is_no_passage():
    cells = tuple(Cell(text, row, 0, Box(0, row, 1, row + 1)) for row, text in enumerate(["", "word " * 200]))
    table = Table(cells, 2, 1, 0, Box(0, 0, 1, 2))
    page = Page("d" * 32, 1, 600, 800, PageStatus.INDEXED, tables=(table,))
    chunker = Chunker("d" * 32, Identity(title="A report"), (), ChunkSettings(tokens=64), count)
    chunks = [chunk for chunk in chunker.feed(page) if chunk.kind is ChunkKind.TABLE]
    assert {chunk.rows for chunk in chunks} == {(1, 2)}
    assert sum(chunk.text.count("word") for chunk in chunks) == 200
