"""Tables told by rules and shades, and what is drawn with them and is none; one fault a test."""

from __future__ import annotations

import pymupdf
import pytest

from mmrag.ingest.tables.boxed import boxed_grids
from mmrag.ingest.tables.grids import grids_of
from mmrag.ingest.tables.rulings import Rule
from mmrag.ingest.tables.shapes import page_shapes
from mmrag.ingest.text.captions import TABLE
from mmrag.records import Box

from .conftest import draw_grid

GREY, WHITE, BLUE, GREEN = (0.8, 0.8, 0.8), (1, 1, 1), (0, 0.4, 0.6), (0.5, 0.7, 0.2)
PEOPLE = [
    ["Name", "Town", "Fee"],
    ["Ada", "Rome", "10.00"],
    ["Ben", "Oslo", "12.50"],
    ["Eve", "Bonn", "9.00"],
]


def blank() -> tuple[pymupdf.Document, pymupdf.Page]:
    document = pymupdf.open()
    return document, document.new_page(width=600, height=800)


def write(page, rows, xs, y=100.0, pitch=14.0, size=9.0) -> None:
    for number, row in enumerate(rows):
        for text, x in zip(row, xs, strict=False):
            page.insert_text((x, y + pitch * number), text, fontsize=size)


def shade(page, box, colour) -> None:
    page.draw_rect(box, fill=colour, color=None)


# ---------------------------------------------------------------------------- rules and shades


def test_a_frame_around_an_unruled_table_parts_no_columns(save, read):
    document, page = blank()
    page.draw_rect((70, 86, 400, 150), fill=WHITE)
    write(page, PEOPLE, (80, 200, 320))
    (table,) = read(save(document)).tables
    assert table.grid() == tuple(map(tuple, PEOPLE))


def test_shades_behind_lines_of_a_cell_are_no_edges_of_cells(save, read):
    document, page = blank()
    for column, texts in enumerate((["Topic", "Plan of the", "next year"], ["Who", "Board and", "staff"])):
        x = 80 + 150 * column
        for top, height, lines in ((100, 16, texts[:1]), (116, 30, texts[1:])):
            box = (x, top, x + 150, top + height)
            shade(page, box, GREY)
            for n, text in enumerate(lines):
                shade(page, (x + 5, top + 2 + 13 * n, x + 145, top + 15 + 13 * n), GREY)
                page.insert_text((x + 8, top + 12 + 13 * n), text, fontsize=9)
            page.draw_rect(box, width=0.5)
    (table,) = read(save(document)).tables
    assert table.grid() == (("Topic", "Who"), ("Plan of the next year", "Board and staff"))


def test_shades_of_one_colour_that_touch_have_no_edge_between():
    _, page = blank()
    shade(page, (100, 100, 200, 113), GREY)
    shade(page, (100, 113, 200, 126), GREY)
    shade(page, (110, 102, 180, 112), GREY)
    found = page_shapes(page)
    assert sorted((r.at, r.start, r.stop) for r in found.levels) == [(100, 100, 200), (126, 100, 200)]
    assert sorted((r.at, r.start, r.stop) for r in found.uprights) == [(100, 100, 126), (200, 100, 126)]
    assert found.boxes == ()


def test_white_on_white_is_not_seen_but_a_white_border_parts():
    _, page = blank()
    shade(page, (100, 100, 200, 200), WHITE)
    page.draw_line((150, 100), (150, 200), color=WHITE)
    found = page_shapes(page)
    assert found.levels == ()
    assert [(r.at, r.start, r.stop) for r in found.uprights] == [(150, 100, 200)]


def test_marked_lines_of_prose_are_no_table(save, read):
    document, page = blank()
    lines = [
        "The first point to be kept in mind by all who",
        "read this is short.",
        "The second is long enough",
    ]
    for n, text in enumerate(lines):
        width = pymupdf.get_text_length(text, fontsize=10)
        shade(page, (80, 91 + 13 * n, 80 + width, 104 + 13 * n), (1, 1, 0))
        page.insert_text((80, 101 + 13 * n), text, fontsize=10)
    assert read(save(document)).tables == ()


def test_rules_that_reach_past_the_uprights_close_outer_columns(save, read):
    document, page = blank()
    for y in (100, 120, 140, 160):
        page.draw_line((80, y), (380, y))
    for x in (180, 280):
        for y in (100, 120, 140):
            page.draw_line((x, y + 0.3), (x, y + 19.7))
    rows = [["Length", "Width", "Kind"], ["5.1", "3.5", "setosa"], ["4.9", "3.0", "virginica"]]
    write(page, rows, (90, 190, 290), y=114, pitch=20)
    (table,) = read(save(document)).tables
    assert table.grid() == tuple(map(tuple, rows))


def test_cells_are_the_smallest_boxes_between_edges_that_nearly_meet():
    levels = [Rule(0, 0, 100), Rule(20.5, 1, 100), Rule(40, 0, 98)]
    uprights = [Rule(0, 0, 40), Rule(50, 1, 39), Rule(100, 0, 40)]
    (cells,) = grids_of(levels, uprights, [Box(5, 5, 20, 15)])
    assert sorted(cells) == [
        Box(0, 0, 50, 20.5),
        Box(0, 20.5, 50, 40),
        Box(50, 0, 100, 20.5),
        Box(50, 20.5, 100, 40),
    ]
    assert grids_of(levels, uprights, [Box(200, 5, 220, 15)]) == []  # no word in it


def test_coloured_boxes_with_white_between_them_are_cells(save, read):
    document, page = blank()
    rows = [["Programme", "Time", "Mode"], ["Law", "2 years", "Course"], ["Music", "3 years", "Research"]]
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            x, y = 80 + 106 * c, 100 + 26 * r
            shade(page, (x, y, x + 100, y + 24), (BLUE, GREEN, GREY)[c] if r else GREY)
            page.insert_text((x + 8, y + 15), text, fontsize=9)
    (table,) = read(save(document)).tables
    assert table.grid() == tuple(map(tuple, rows))


def test_boxes_out_of_line_are_no_grid():
    boxes = [Box(0, 30 * n, 40 + 7 * n, 30 * n + 20) for n in range(6)]
    boxes += [Box(200 + 9 * n, 33 * n, 260, 33 * n + 20) for n in range(6)]
    assert boxed_grids(boxes, boxes) == []


def test_years_that_run_over_two_part_rows_that_no_rule_parts(save, read):
    document, page = blank()
    rows = [["Year", "Date of meeting", "Place"], ["1999-00", "September 30, 2000", "Chavan Hall"]]
    draw_grid(page, [rows[0], ["", "", ""]], 80, 100, width=120, height=60)
    write(page, [["1999-00", "September 30, 2000", "Chavan Hall"]], (86, 206, 326), y=172)
    page.insert_text((326, 184), "Mumbai", fontsize=9)
    write(page, [["2000-01", "September 27, 2001", "-do-"]], (86, 206, 326), y=208)
    (table,) = read(save(document)).tables
    assert [row[0] for row in table.grid()] == ["Year", "1999-00", "2000-01"]


# ---------------------------------------------------------------------------- no tables


def test_bars_with_figures_in_them_are_no_table(save, read):
    document, page = blank()
    for n, (name, less, more) in enumerate(
        [("UK", 13, 78), ("Japan", 19, 71), ("China", 33, 55), ("Peru", 52, 38)]
    ):
        y = 100 + 20 * n
        page.insert_text((80, y + 11), name, fontsize=9)
        shade(page, (240 - 1.5 * less, y, 240, y + 16), BLUE)
        shade(page, (240, y, 240 + 1.5 * more, y + 16), GREEN)
        page.insert_text((242 - 1.5 * less, y + 11), str(less), fontsize=9)
        page.insert_text((225 + 1.5 * more, y + 11), str(more), fontsize=9)
    assert read(save(document)).tables == ()


def test_labels_on_a_picture_are_no_table(save, read):
    document, page = blank()
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 40))
    pixels.clear_with(230)
    page.insert_image((70, 85, 370, 160), pixmap=pixels, keep_proportion=False)
    write(
        page,
        [["80", "75", "73"], ["60", "", "64"], ["", "56", "42"], ["2017", "2018", "2019"]],
        (80, 200, 320),
    )
    write(page, [["A line of prose further down on the page."]] * 20, (80,), y=300)
    assert read(save(document)).tables == ()


def test_classes_joined_by_lines_are_no_table(save, read):
    document, page = blank()
    page.draw_rect((60, 60, 500, 400))
    places = [
        (80, 80, 180, 130),
        (230, 90, 370, 140),
        (90, 190, 230, 250),
        (300, 200, 380, 260),
        (120, 300, 260, 370),
    ]
    for n, (x0, y0, x1, y1) in enumerate(places):
        page.draw_rect((x0, y0, x1, y1), fill=GREY)
        write(page, [[f"Class {n}", ""], ["id:", "int"], ["size:", "10"]], (x0 + 5, x0 + 45), y=y0 + 14)
    page.draw_line((130, 130), (130, 190))
    page.draw_line((180, 110), (230, 110))
    assert read(save(document)).tables == ()


@pytest.mark.parametrize(
    "rows",
    [
        [
            [f"{a}. {t}", f"{b}. {u}"]
            for a, t, b, u in zip(
                "ABCDE",
                ("Essays", "Exams", "Talks", "Tests", "Maps"),
                "FGHIJ",
                ("Films", "Forms", "Plans", "Notes", "Songs"),
                strict=True,
            )
        ],
        [[f"000000{n}0", *["00", "05", "64", "69", "66", "0a", "3e"]] for n in range(4)],
        [[f"Item {n}.", "Something that is told there", "34"] for n in range(10, 15)],
    ],
    ids=["list", "bytes", "contents"],
)
def test_lists_bytes_and_contents_are_no_tables(save, read, rows):
    document, page = blank()
    if len(rows[0]) == 2:
        for y in (88, 100 + 14 * len(rows)):
            page.draw_line((75, y), (400, y))
    write(page, rows, (80, 240, 270, 300, 330, 360, 390, 420) if len(rows[0]) != 3 else (80, 140, 400))
    assert read(save(document)).tables == ()


# ---------------------------------------------------------------------------- in one piece


def test_labels_without_figures_between_rows_of_figures_are_no_prose(save, read):
    document, page = blank()
    labels = [
        "Common stock, one cent par value:",
        "Authorized shares are five thousand",
        "Issued shares are five hundred now",
        "Outstanding shares are four hundred",
    ]
    rows = [["Total debt", "10", "20"], ["Goodwill", "35", "45"], ["Preferred stock", "1", "2"]]
    rows += [[label, "", ""] for label in labels]
    rows += [
        ["Treasury stock, at cost", "18", "19"],
        ["Retained earnings", "49", "86"],
        ["Total", "92", "77"],
    ]
    write(page, rows, (80, 300, 380))
    (table,) = read(save(document)).tables
    assert [row[0] for row in table.grid()] == [row[0] for row in rows]


def test_a_long_second_line_of_a_text_between_columns_does_not_cut_the_table(save, read):
    document, page = blank()
    head = [["No.", "Description", "Form", "Date"]]
    lines = [
        ["3.1", "Certificate of the company as it was amended", "10-Q", "2015"],
        ["3.2", "Form of agreement as it was entered into by the", "8-K", "2009"],
        ["", "company with each of its executive officers and directors", "", ""],
        ["3.3", "Plan of stock options for all", "10-K", "2004"],
        ["3.4", "Plan of bonuses for officers", "10-K", "2006"],
    ]
    write(page, head + lines, (80, 120, 420, 480))
    (table,) = read(save(document)).tables
    assert [row[0] for row in table.grid()] == ["No.", "3.1", "3.2", "3.3", "3.4"]


@pytest.mark.parametrize(
    ("text", "named"), [("Schedule 1 thereto", False), ("Exhibit A hereto", False), ("Schedule 1 Fees", True)]
)
def test_a_schedule_that_is_spoken_of_is_no_caption(text, named):
    assert bool(TABLE.match(text)) is named
