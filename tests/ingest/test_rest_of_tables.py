"""What is left of a table on the next page, and whose a caption is."""

from __future__ import annotations

import pymupdf
import pytest

from mmrag.ingest import link_tables

from .conftest import draw_grid

PEOPLE = [
    ["Name", "Town", "Fee"],
    ["Ada", "Rome", "10.00"],
    ["Ben", "Oslo", "12.50"],
    ["Eve", "Bonn", "9.00"],
]


def two_pages(save, read, upper, lower, *, captions=("", ""), shift=0.0):
    document = pymupdf.open()
    for number, rows in enumerate((upper, lower)):
        page = document.new_page()
        if captions[number]:
            page.insert_text((80 + shift * number, 66), captions[number], fontsize=10)
        draw_grid(page, rows, 80 + shift * number, 70)
    path = save(document)
    return link_tables(read(path, 1), read(path, 2))


def test_one_ruled_row_at_the_top_continues_the_table_of_the_page_before(save, read):
    _, second = two_pages(save, read, PEOPLE, [["", "and Turin", "4.00"]], shift=12)
    (rest,) = second.tables
    assert (rest.continued_from, rest.carried) == (1, (("Name", "Town", "Fee"),))
    assert rest.grid() == (("", "and Turin", "4.00"),)


def test_one_ruled_row_that_continues_nothing_is_no_table(save, read):
    _, second = two_pages(save, read, [["A", "B"], ["1", "2"]], [["One", "and Turin", "4.00"]])
    assert second.tables == ()


@pytest.mark.parametrize(
    ("caption", "linked"),
    [
        ("Table 3 (continued)", True),
        ("Table 3. Fees, cont'd", True),
        ("Table 4. Fees", False),
        ("Table 4 (continued)", False),
    ],
)
def test_a_caption_that_says_continued_links(save, read, caption, linked):
    captions = ("Table 3. Fees", caption)
    _, second = two_pages(
        save, read, PEOPLE, [["Zoe", "Graz", "7.00"], ["Max", "Kiel", "8.00"]], captions=captions
    )
    assert (second.tables[0].continued_from == 1) is linked


def test_a_caption_between_two_tables_is_the_lower_ones(save, read):
    document = pymupdf.open()
    page = document.new_page()
    draw_grid(page, PEOPLE[:2], 80, 70)
    page.insert_text((80, 128), "Table 2-2 Errors", fontsize=10)
    draw_grid(page, PEOPLE, 80, 134)
    upper, lower = read(save(document)).tables
    assert (upper.caption, lower.caption) == ("", "Table 2-2 Errors")
