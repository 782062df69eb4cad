from __future__ import annotations

import pymupdf
import pytest

from mmrag.ingest import Chunker, link_tables
from mmrag.ingest.tables.continuation import header_of, repeats_header
from mmrag.records import Box, Cell, ChunkKind, Identity, Page, PageStatus, Table, Word, WordSource
from mmrag.settings import ChunkSettings

from .conftest import count, draw_grid

HEAD = ["Item", "Price"]


def over_pages(*tables: list[list[str]], x=(80, 80, 80), above=("", "", ""), prose=False) -> pymupdf.Document:
    document = pymupdf.open()
    for number, rows in enumerate(tables):
        page = document.new_page()
        page.insert_text((80, 40), f"Price list, page {number + 1}", fontsize=8)
        if above[number]:
            page.insert_text((80, 66), above[number], fontsize=10)
        draw_grid(page, rows, x[number], 70)
        if prose:
            page.insert_textbox((80, 500, 500, 700), "Some words that stand between the two tables. " * 5)
    return document


def body(start: int, stop: int) -> list[list[str]]:
    return [[f"Part {i}", f"{i}.50"] for i in range(start, stop)]


def pages_of(save, read, document):
    number = document.page_count
    path = save(document)
    return [read(path, n) for n in range(1, number + 1)]


def chunks_of(pages, tokens=480):
    chunker = Chunker("d" * 32, Identity("List"), (), ChunkSettings(tokens=tokens, overlap=0), count)
    found = [chunk for page in pages for chunk in chunker.feed(page)]
    assert chunker.finish() == []
    return [chunk for chunk in found if chunk.kind is ChunkKind.TABLE]


def test_a_table_over_two_pages_keeps_its_header(save, read):
    one, two = pages_of(
        save, read, over_pages([HEAD, *body(0, 3)], body(3, 5), above=("Table 2: Parts", "", ""))
    )
    first, second = link_tables(one, two)
    assert first.tables[0].continues_on == 2
    assert (second.tables[0].continued_from, second.tables[0].header_rows) == (1, 0)
    assert second.tables[0].caption == "Table 2: Parts"
    upper, lower = chunks_of([one, two])
    assert upper.text == (
        "Table 2: Parts\n\n| Item | Price |\n| --- | --- |\n"
        "| Part 0 | 0.50 |\n| Part 1 | 1.50 |\n| Part 2 | 2.50 |"
    )
    assert lower.text == (
        "Table 2: Parts\n\n| Item | Price |\n| --- | --- |\n| Part 3 | 3.50 |\n| Part 4 | 4.50 |"
    )
    assert (upper.header_repeated, lower.header_repeated) == (False, True)
    assert (upper.pages, lower.pages, lower.box_pages) == ((1,), (2,), (2,))
    assert lower.boxes[0] == pytest.approx((80, 70, 260, 110), abs=1)


def test_words_in_the_first_row_don_t_make_it_a_header(save, read):
    rows = [["Name", "Job"], ["Ann", "Cook"], ["Bob", "Clerk"]]
    one, two = pages_of(save, read, over_pages(rows, [["Cid", "Smith"], ["Dan", "Baker"]]))
    assert two.tables[0].header_rows == 1
    lower = chunks_of([one, two])[1]
    assert lower.text == "| Name | Job |\n| --- | --- |\n| Cid | Smith |\n| Dan | Baker |"


def test_over_three_pages_with_the_header_printed_again_on_the_last(save, read):
    pages = pages_of(
        save, read, over_pages([HEAD, *body(0, 2)], body(2, 4), [["ITEM", "Price"], *body(4, 6)])
    )
    texts = [chunk.text.split("\n") for chunk in chunks_of(pages)]
    assert [text[0] for text in texts] == ["| Item | Price |", "| Item | Price |", "| ITEM | Price |"]
    assert [text[2:] for text in texts] == [
        ["| Part 0 | 0.50 |", "| Part 1 | 1.50 |"],
        ["| Part 2 | 2.50 |", "| Part 3 | 3.50 |"],
        ["| Part 4 | 4.50 |", "| Part 5 | 5.50 |"],
    ]


def test_pieces_of_both_pages_have_the_header(save, read):
    pages = pages_of(save, read, over_pages([HEAD, *body(0, 12)], body(12, 24)))
    chunks = chunks_of(pages, tokens=32)
    assert len(chunks) == 4
    assert all(chunk.text.startswith("| Item | Price |\n| --- | --- |\n| Part ") for chunk in chunks)
    assert [chunk.header_repeated for chunk in chunks] == [False] + [True] * (len(chunks) - 1)
    assert all(chunk.tokens <= 32 for chunk in chunks)
    rows = [line for chunk in chunks for line in chunk.text.split("\n")[2:]]
    assert rows == [f"| Part {i} | {i}.50 |" for i in range(24)]
    # A later piece on the header's page shows where its rows and the header stand.
    assert len(chunks[1].boxes) == 2
    assert chunks[1].boxes[1] == pytest.approx((80, 70, 260, 90), abs=1)


def test_the_caption_counts_in_every_piece(save, read):
    document = over_pages([HEAD, *body(0, 12)], above=("Table 2: All the parts we sell", "", ""))
    chunks = chunks_of(pages_of(save, read, document), tokens=32)
    assert len(chunks) == 3
    assert all(chunk.text.startswith("Table 2: All the parts we sell\n\n| Item |") for chunk in chunks)
    assert all(chunk.tokens <= 32 for chunk in chunks)


@pytest.mark.parametrize(
    "change",
    [
        {"x": (80, 140, 80)},  # other columns
        {"prose": True},  # text in between
        {"above": ("", "Table 3: Others", "")},  # a caption of its own
    ],
)
def test_other_tables_are_not_joined(save, read, change):
    one, two = pages_of(save, read, over_pages([HEAD, *body(0, 3)], body(3, 5), **change))
    assert link_tables(one, two) == (one, two)


def test_a_head_of_its_own_starts_another_table(save, read):
    one, two = pages_of(save, read, over_pages([HEAD, *body(0, 3)], [["Thing", "Cost"], *body(3, 5)]))
    assert link_tables(one, two) == (one, two)


def test_more_columns_or_a_page_between_are_other_tables(save, read):
    pages = pages_of(
        save, read, over_pages([HEAD, *body(0, 3)], [["a", "1", "2"], ["b", "3", "4"]], body(3, 6))
    )
    assert link_tables(pages[0], pages[1]) == (pages[0], pages[1])
    assert link_tables(pages[0], pages[2]) == (pages[0], pages[2])


def made(
    rows: list[list[str]], header_rows: int, *, x: float = 0.0, y: float = 100.0, shifts=(0.0,) * 9
) -> Table:
    """A table without a drawing: columns of 100 points, rows of 20."""
    cells = tuple(
        Cell(text, r, c, Box(x + 100 * c + shifts[c], y + 20 * r, x + 100 * (c + 1), y + 20 * (r + 1)))
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    around = Box(x, y, x + 100 * len(rows[0]), y + 20 * len(rows))
    return Table(cells, len(rows), len(rows[0]), header_rows, around)


def bare(number: int, *tables: Table, words: list[float] | None = None) -> Page:
    """A page with tables and one word at each given height (of 10 points)."""
    found = tuple(Word("w", Box(0, y, 9, y + 10), WordSource.TEXT_LAYER, 0, 0, 10) for y in words or [])
    return Page("d" * 32, number, 600, 800, PageStatus.INDEXED, words=found, tables=tables)


UPPER = made([HEAD, *body(0, 2)], 1)
LOWER = made(body(2, 4), 0)


def joined(upper=UPPER, lower=LOWER, **page) -> bool:
    first, second = bare(1, upper, words=page.get("after")), bare(2, lower, words=page.get("before"))
    left, right = link_tables(first, second)
    if right.tables[0].continued_from is None:
        assert (left, right) == (first, second)
        return False
    assert (left.tables[0].continues_on, right.tables[0].continued_from) == (2, 1)
    return True


def test_a_running_line_or_two_may_stand_between():
    assert joined()
    # The tables stand from 100 to 160 and from 100 to 140.
    assert joined(after=[160.0] * 25)
    assert not joined(after=[160.0] * 26)
    assert joined(after=[159.0] * 26)
    assert joined(before=[90.0] * 25)
    assert not joined(before=[90.0] * 26)
    assert joined(before=[91.0] * 26)


def test_columns_may_move_a_little():
    assert joined(lower=made(body(2, 4), 0, x=6.0))
    assert not joined(lower=made(body(2, 4), 0, x=6.1))
    assert joined(lower=made(body(2, 4), 0, shifts=(0, 6.0)))
    assert not joined(lower=made(body(2, 4), 0, shifts=(0, 6.1)))


def test_left_edges_are_the_cells_least():
    ragged = made(body(2, 4), 0)
    cells = list(ragged.cells)
    cells[1] = Cell(cells[1].text, 0, 1, Box(130, 100, 200, 120))  # one cell stands further in
    assert joined(lower=Table(tuple(cells), 2, 2, 0, ragged.box))


def test_half_the_columns_must_be_seen_in_both():
    spanning = (Cell("a", 0, 0, Box(0, 100, 200, 120), 1, 2), Cell("b", 1, 0, Box(0, 120, 200, 140), 1, 2))
    assert joined(lower=Table(spanning, 2, 2, 0, Box(0, 100, 200, 140)))
    wide = tuple(Cell("a", r, 0, Box(0, 100 + 20 * r, 300, 120 + 20 * r), 1, 3) for r in range(2))
    three = made([["a", "b", "c"], ["d", "e", "f"]], 1)
    assert not joined(three, Table(wide, 2, 3, 0, Box(0, 100, 300, 140)))


@pytest.mark.parametrize(
    ("first", "before", "rest", "own"),
    [
        (["Thing", "Cost"], ["1.5", "2.5"], ["3.5"], True),
        (["Thing", "7.5"], ["1.5", "2.5"], ["3.5"], False),
        (["Thing", ""], ["1.5", "2.5"], ["3.5"], False),
        (["Thing", "Cost"], ["low", "high"], ["3.5"], False),
        (["Thing", "Cost"], ["1.5", "2.5"], ["low"], False),
        (["Thing", "Cost"], ["1.5", "low"], ["3.5"], False),  # half is not most
        (["Thing", "Cost"], ["1.5", ""], ["3.5", ""], True),
    ],
)
def test_a_head_is_words_over_figures(first, before, rest, own):
    upper = made([HEAD, *(["Part", text] for text in before)], 1)
    lower = made([first, *(["Part", text] for text in rest)], 1)
    assert joined(upper, lower) is not own


def test_a_header_printed_again_is_found_page_after_page():
    again = made([["ITEM", "price "], *body(2, 4)], 1)
    _, second = link_tables(bare(1, UPPER), bare(2, again))
    assert (second.tables[0].continued_from, second.tables[0].header_rows) == (1, 1)
    _, middle = link_tables(bare(1, UPPER), bare(2, LOWER))
    assert header_of(middle.tables[0]) == ()
    assert middle.tables[0].carried == header_of(UPPER)
    _, last = link_tables(middle, bare(3, again))
    assert (last.tables[0].continued_from, last.tables[0].header_rows) == (2, 1)


def test_the_header_is_as_many_rows_as_it_was():
    two = [["Sales", "Sales"], ["North", "South"]]
    _, page = link_tables(bare(1, made([*two, *body(0, 2)], 2)), bare(2, made([*two, *body(2, 4)], 1)))
    assert page.tables[0].header_rows == 2
    _, page = link_tables(bare(1, UPPER), bare(2, made(body(2, 4), 1)))
    assert page.tables[0].header_rows == 0
    assert not repeats_header((), UPPER)
    assert not repeats_header(header_of(UPPER), LOWER)


def test_only_the_last_and_the_first_table_are_joined():
    other = made([["x", "y"], ["z", "u"]], 1, x=300)
    left, right = link_tables(bare(1, other, UPPER), bare(2, LOWER, other))
    assert [t.continues_on for t in left.tables] == [None, 2]
    assert [t.continued_from for t in right.tables] == [1, None]
    assert link_tables(bare(1), bare(2, LOWER)) == (bare(1), bare(2, LOWER))
    assert link_tables(bare(1, UPPER), bare(2)) == (bare(1, UPPER), bare(2))
    assert link_tables(bare(1, UPPER), bare(3, LOWER)) == (bare(1, UPPER), bare(3, LOWER))


def unruled(rows: list[list[str]]) -> Table:
    """Cells as wide as their text: labels flush at the left, figures flush at the right."""
    cells = []
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            width = 5.0 * len(text)
            x0 = 0.0 if c == 0 else 100.0 * (c + 1) - width
            cells.append(Cell(text, r, c, Box(x0, 100 + 20 * r, x0 + width, 110 + 20 * r)))
    around = Box(0, 100, 100.0 * len(rows[0]), 100 + 20 * len(rows))
    return Table(tuple(cells), len(rows), len(rows[0]), 1, around)


def test_unruled_columns_are_flush_at_one_side():
    upper = unruled([["Item", "Price"], ["Lamp", "1.50"], ["Longer name", "12.50"]])
    assert joined(upper, unruled([["Item", "Price"], ["Desk", "1,200.00"], ["Bed", "900.00"]]))
    moved = unruled([["Item", "Price"], ["Desk", "1,200.00"], ["Bed", "900.00"]])
    cells = tuple(
        Cell(
            c.text,
            c.row,
            c.column,
            Box(c.box.x0 + 30 * c.column, c.box.y0, c.box.x1 + 30 * c.column, c.box.y1),
        )
        for c in moved.cells
    )
    assert not joined(upper, Table(cells, 3, 2, 1, moved.box))


def test_an_unruled_table_over_three_pages(save, read):
    document = pymupdf.open()
    for number in range(3):
        page = document.new_page()
        for r, row in enumerate([HEAD, *body(20 * number, 20 * number + 20)]):
            page.insert_text((80, 80 + 14 * r), row[0], fontsize=9)
            width = pymupdf.get_text_length(row[1], fontsize=9)
            page.insert_text((240 - width, 80 + 14 * r), row[1], fontsize=9)
    chunks = chunks_of(pages_of(save, read, document))
    assert [chunk.pages for chunk in chunks] == [(1,), (2,), (3,)]
    assert all(chunk.text.startswith("| Item | Price |\n| --- | --- |\n| Part ") for chunk in chunks)
    assert [line for chunk in chunks for line in chunk.text.split("\n")[2:]] == [
        f"| Part {i} | {i}.50 |" for i in range(60)
    ]
