from __future__ import annotations

import pymupdf
import pytest

from mmrag.ingest.tables import finding as tables_module
from mmrag.ingest.tables.cells import (
    as_grid,
    is_figure,
    is_table,
    number_of_header_rows,
    split_title,
    without_empty,
)
from mmrag.ingest.tables.finding import display_grid, plain_grid
from mmrag.records import Box, Cell

from .conftest import draw_grid, pixels_of

ROWS = [["Plan", "Price", "Seats"], ["Basic", "$10", "1"], ["Team", "$50", "10"], ["Firm", "$200", "99"]]


def drawn(rows=ROWS, *, caption="", rotation=0, crop=None) -> pymupdf.Document:
    document = pymupdf.open()
    page = document.new_page(width=500, height=600)
    if caption:
        page.insert_text((80, 112), caption, fontsize=10)
    draw_grid(page, rows, 80, 120)
    page.insert_text((80, 400), "A line of prose under the table.", fontsize=10)
    if crop:
        page.set_cropbox(pymupdf.Rect(crop))
    page.set_rotation(rotation)
    return document


def test_a_ruled_table_is_read_cell_by_cell(save, read):
    page = read(save(drawn(caption="Table 1. What it costs")))
    (table,) = page.tables
    assert table.grid() == tuple(tuple(row) for row in ROWS)
    assert (table.rows, table.columns, table.header_rows) == (4, 3, 1)
    assert table.caption == "Table 1. What it costs"
    assert table.box == pytest.approx((80, 120, 350, 200), abs=1)
    assert table.row_box(2) == pytest.approx((80, 160, 350, 180), abs=1)
    assert table.to_markdown(2, 3) == "| Plan | Price | Seats |\n| --- | --- | --- |\n| Team | $50 | 10 |"


@pytest.mark.parametrize("crop", [None, (30, 40, 480, 580)])
@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_on_turned_and_cropped_pages_cells_hold_their_words(save, read, rotation, crop):
    page = read(save(drawn(rotation=rotation, crop=crop)))
    (table,) = page.tables
    texts = {text for row in ROWS for text in row}
    assert {cell.text for cell in table.cells} == texts
    assert (page.width, page.height) == (
        ((450, 540) if crop else (500, 600)) if rotation == 180 else ((540, 450) if crop else (600, 500))
    )
    for cell in table.cells:
        word = next(w for w in page.words if w.text == cell.text)
        assert word.box.overlap(cell.box) > 0.95 * word.box.area
    zoom = pixels_of(page).shape[1] / page.width
    ink = 255 - pixels_of(page).astype(float)
    x0, y0, x1, y1 = (round(v * zoom) for v in table.box)
    assert ink[y0:y1, x0:x1].mean() > 4 * ink.mean()


def test_reading_tables_leaves_the_page_as_it_was(save, read):
    path = save(drawn(rotation=90, crop=(30, 40, 480, 580)))
    assert read(path).image == read(path).image


def test_spans_are_known_and_heads_ride_over_their_columns(save, read):
    rows = [["Region", "Sales", None], ["", "2022", "2023"], ["North", "1.5", "2.5"], ["South", "3.5", "4.5"]]
    (table,) = read(save(drawn(rows))).tables
    assert next(c for c in table.cells if c.text == "Sales").column_span == 2
    assert table.header_rows == 2
    assert table.to_markdown().split("\n")[0] == "| Region | Sales / 2022 | Sales / 2023 |"


def test_a_title_row_becomes_the_caption(save, read):
    rows = [["All our prices", None, None], *ROWS]
    (table,) = read(save(drawn(rows))).tables
    assert table.caption == "All our prices"
    assert table.grid()[0] == ("Plan", "Price", "Seats")


def test_settings_can_leave_tables_out(save, read):
    assert read(save(drawn()), tables=False).tables == ()


@pytest.mark.parametrize(
    "rows",
    [
        [["Just one row", "of two cells"]],
        [["One"], ["column"], ["only"]],
        [["word " * 60, "x"], ["y", "z"]],
        [["a", "", "", "", ""], ["", "", "", "", ""], ["", "", "", "", ""], ["", "", "", "", "b"]],
    ],
)
def test_frames_and_grids_that_are_no_tables(save, read, rows):
    document = pymupdf.open()
    page = document.new_page(width=900)
    draw_grid(page, [["" for _ in row] for row in rows], 60, 100, width=150, height=120)
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            page.insert_textbox((64 + 150 * c, 104 + 120 * r, 204 + 150 * c, 218 + 120 * r), text, fontsize=7)
    found = read(save(document))
    assert found.words
    assert found.tables == ()


def test_pages_of_many_strokes_are_not_searched(save, read, monkeypatch):
    monkeypatch.setattr(tables_module, "MOST_EDGES", 5)
    page = read(save(drawn()))
    assert page.tables == ()
    assert page.notes == ("tables were not looked for: 12 strokes are drawn on the page",)


def test_a_map_of_many_strokes_takes_no_time(save, read):
    document = pymupdf.open()
    page = document.new_page()
    shape = page.new_shape()
    for i in range(3000):
        x, y = 20 + 9 * (i % 60), 20 + 14 * (i // 60)
        shape.draw_rect((x, y, x + 4, y + 4))
        shape.finish()
    shape.commit()
    page.insert_text((72, 780), "A map")
    found = read(save(document))
    assert found.seconds < 5
    assert found.notes == ("tables were not looked for: 3000 strokes are drawn on the page",)


def cell(text: str, row: int, column: int, rows: int = 1, columns: int = 1) -> Cell:
    return Cell(text, row, column, Box(column, row, column + columns, row + rows), rows, columns)


def test_grid_snaps_edges_that_nearly_meet():
    boxes = [Box(0, 0, 50, 10), Box(51, 0.5, 100, 10), Box(0, 10.4, 100, 20)]
    assert [(c.row, c.column, c.row_span, c.column_span) for c in as_grid(boxes)] == [
        (0, 0, 1, 1),
        (0, 1, 1, 1),
        (1, 0, 1, 2),
    ]


def test_spacer_rows_and_columns_go():
    cells = [
        cell("a", 0, 0),
        cell("", 0, 1),
        cell("b", 0, 2),
        cell("", 1, 0, columns=3),
        cell("c", 2, 0, columns=3),
    ]
    kept = without_empty(cells)
    assert [(c.text, c.row, c.column, c.column_span) for c in kept] == [
        ("a", 0, 0, 1),
        ("b", 0, 1, 1),
        ("c", 1, 0, 2),
    ]


def test_is_table_needs_two_rows_and_columns():
    assert is_table([cell("a", 0, 0), cell("b", 0, 1), cell("c", 1, 0)])
    assert not is_table([cell("a", 0, 0), cell("b", 0, 1)])
    assert not is_table([cell("a", 0, 0), cell("b", 1, 0)])
    assert not is_table([])


@pytest.mark.parametrize(
    ("cells", "rows"),
    [
        ([cell("a", 0, 0), cell("b", 0, 1), cell("1", 1, 0), cell("2", 1, 1)], 1),
        ([cell("x", 0, 0), cell("1", 0, 1), cell("2", 0, 2), cell("y", 1, 0)], 0),
        ([cell("x", 0, 0), cell("2022", 0, 1), cell("2023", 0, 2), cell("y", 1, 0)], 1),
        ([cell("x", 0, 0, rows=2), cell("s", 0, 1), cell("t", 1, 1), cell("1", 2, 0), cell("2", 2, 1)], 2),
        ([cell("x", 0, 0), cell("s", 0, 1, columns=2), cell("u", 1, 1), cell("v", 1, 2), cell("1", 2, 1)], 2),
        ([cell("x", 0, 0), cell("s", 0, 1, columns=2), cell("u", 1, 1), cell("9", 1, 2), cell("1", 2, 1)], 1),
        ([cell("x", 0, 0, rows=2), cell("s", 0, 1), cell("t", 1, 1)], 1),
        (
            [
                cell("x", 0, 0),
                cell("s", 0, 1, columns=2),
                cell("u", 1, 1),
                cell("v " * 9, 1, 2),
                cell("1", 2, 1),
            ],
            1,
        ),
    ],
)
def test_header_rows(cells, rows):
    assert number_of_header_rows(cells) == rows


def test_title_rows_leave_two_rows():
    cells = [cell("T", 0, 0, columns=2), cell("U", 1, 0, columns=2), cell("a", 2, 0), cell("b", 2, 1)]
    title, kept = split_title(cells)
    assert title == "T"
    assert [(c.text, c.row) for c in kept] == [("U", 0), ("a", 1), ("b", 1)]


@pytest.mark.parametrize("text", ["12", "1,234.5", "$ 12", "(3.1)", "45%", "-7", "+1.2%", "12 \u20ac"])
def test_figures(text):
    assert is_figure(text)


@pytest.mark.parametrize("text", ["2023", "FY 2023", "a1", "", "n/a", "Q1"])
def test_no_figures(text):
    assert not is_figure(text)


def test_body_cells_over_columns_are_repeated_but_stand_once_in_the_index(save, read):
    rows = [
        ["Plan", "Price", "Seats"],
        ["For everybody", None, None],
        ["Basic", "$10", "1"],
        ["Team", "$50", "9"],
    ]
    (table,) = read(save(drawn(rows))).tables
    assert plain_grid(table)[1] == ("For everybody", "", "")
    assert display_grid(table)[1] == table.grid()[1] == ("For everybody",) * 3


def columns_only(*columns: tuple[str, ...]) -> pymupdf.Document:
    """A head and one tall row under it, ruled between columns alone."""
    document = pymupdf.open()
    page = document.new_page()
    draw_grid(page, [[column[0] for column in columns]], 60, 80, width=110)
    for c, (_, *texts) in enumerate(columns):
        page.draw_rect((60 + 110 * c, 100, 170 + 110 * c, 300), width=0.7)
        for number, text in enumerate(texts):
            page.insert_text((64 + 110 * c, 114 + 12 * number), text, fontsize=9)
    return document


def test_rows_that_only_columns_are_ruled_for(save, read):
    document = columns_only(
        ("Year", "1999", "2000", "", "2001"),
        ("Town", "Aurora", "Giltner and", "surroundings", "Hampton"),
        ("People", "1,862", "NA", "", "2,201"),
    )
    (table,) = read(save(document)).tables
    assert table.grid() == (
        ("Year", "Town", "People"),
        ("1999", "Aurora", "1,862"),
        ("2000", "Giltner and surroundings", "NA"),
        ("2001", "Hampton", "2,201"),
    )
    assert (table.rows, table.header_rows) == (4, 1)
    assert table.row_box(2).y0 > table.row_box(1).y0 + 8
    assert table.box == pytest.approx((60, 80, 390, 300), abs=1)


@pytest.mark.parametrize(
    "columns",
    [
        (("Key", "Press"), ("Does", "Wake the watch", "and its screen"), ("Notes", "See page", "12")),
        (("Year", "1999", "2000"), ("Town", "Aurora")),  # nothing stands beside the second line
    ],
)
def test_tall_cells_of_prose_stay_whole(save, read, columns):
    (table,) = read(save(columns_only(*columns))).tables
    assert table.rows == 2
    assert table.grid()[1] == tuple(" ".join(text for text in column[1:] if text) for column in columns)


def test_a_column_that_holds_two_is_read_by_how_its_words_stand(save, read):
    """Rules between pairs of columns alone: PyMuPDF's cells hold a label and its figure together."""
    document = pymupdf.open()
    page = document.new_page()
    draw_grid(page, [["", ""], ["", ""]], 60, 80, width=150, height=18)
    for c in range(2):
        page.draw_rect((60 + 150 * c, 98, 210 + 150 * c, 240), width=0.7)
        page.insert_text((64 + 150 * c, 93), "Age", fontsize=9)
        page.insert_text((160 + 150 * c, 93), "People", fontsize=9)
        for n in range(8):
            page.insert_text((64 + 150 * c, 112 + 15 * n), f"{10 * c + n} years", fontsize=9)
            page.insert_text((160 + 150 * c, 112 + 15 * n), f"{n},862", fontsize=9)
    (table,) = read(save(document)).tables
    assert (table.columns, table.header_rows) == (4, 1)
    assert table.grid()[2] == ("1 years", "1,862", "11 years", "1,862")


def test_a_passage_in_a_full_grid_does_not_make_it_a_frame(save, read):
    document = pymupdf.open()
    page = document.new_page(width=700)
    rows = [["Press", "Does", "Note"], ["Down", "Wakes it", "word " * 45], ["Up", "Stops it", "None"]]
    draw_grid(page, [["" for _ in row] for row in rows], 60, 100, width=180, height=120)
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            page.insert_textbox((64 + 180 * c, 104 + 120 * r, 234 + 180 * c, 218 + 120 * r), text, fontsize=8)
    (table,) = read(save(document)).tables
    assert (table.rows, table.columns) == (3, 3)


def test_words_of_a_cell_are_read_line_by_line_whatever_their_order_in_the_file(save, read):
    document = pymupdf.open()
    page = document.new_page()
    draw_grid(page, [["Head", "Other"], ["", "x"]], 60, 80, width=150, height=40)
    page.insert_text((70, 150), "* second", fontsize=9)
    page.insert_text((70, 138), "* first", fontsize=9)
    (table,) = read(save(document)).tables
    assert table.grid()[1] == ("* first * second", "x")
