from __future__ import annotations

import pymupdf
import pytest

from mmrag.ingest import Chunker, link_tables
from mmrag.records import ChunkKind, Identity
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
