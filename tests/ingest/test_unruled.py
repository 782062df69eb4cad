"""Tables that few rules or none close in, one fault of reading them a test."""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf
import pytest

from mmrag.ingest.tables.finding import display_grid, plain_grid
from mmrag.settings import ReadSettings

LEFT, RIGHT, CENTRE = "l", "r", "c"


def put(page, x: float, y: float, text: str, *, align=LEFT, size=9.0, font="helv") -> None:
    width = pymupdf.get_text_length(text, fontname=font, fontsize=size)
    start = {LEFT: x, RIGHT: x - width, CENTRE: x - width / 2}[align]
    page.insert_text((start, y), text, fontsize=size, fontname=font)


def lay(
    page, rows, xs: Sequence[float], y: float, *, aligns=None, pitch=14.0, size=9.0, font="helv"
) -> float:
    """Rows of texts (None: nothing there), each column at its x; the height below the last row."""
    for row in rows:
        for column, text in enumerate(row):
            if text is not None:
                align = (aligns or [LEFT] + [RIGHT] * len(xs))[column]
                put(page, xs[column], y, text, align=align, size=size, font=font)
        y += pitch
    return y


def rule(page, y: float, x0: float, x1: float) -> None:
    page.draw_line((x0, y), (x1, y), width=0.6)


def blank() -> tuple[pymupdf.Document, pymupdf.Page]:
    document = pymupdf.open()
    return document, document.new_page(width=600, height=800)


PRICES = [
    ["Plan", "Price", "Seats"],
    ["Basic", "10.00", "1"],
    ["Team", "50.00", "10"],
    ["Whole firm", "200.00", "99"],
]
XS = (80, 250, 330)


def test_a_table_without_any_rule(save, read):
    document, page = blank()
    lay(page, PRICES, XS, 100)
    (table,) = read(save(document)).tables
    assert table.grid() == tuple(map(tuple, PRICES))
    assert (table.rows, table.columns, table.header_rows) == (4, 3, 1)
    assert table.box == pytest.approx((80, 90, 330, 145), abs=4)


def test_a_caption_is_bound_and_a_source_left_out(save, read):
    document, page = blank()
    put(page, 80, 84, "Table 3. What our plans cost")
    end = lay(page, PRICES, XS, 100)
    put(page, 80, end, "Source: our price list, 2024")
    (table,) = read(save(document)).tables
    assert table.caption == "Table 3. What our plans cost"
    assert table.rows == 4


def test_rules_above_under_the_head_and_below_bear_wide_white(save, read):
    document, page = blank()
    rule(page, 88, 75, 335)
    lay(page, PRICES[:1], XS, 100)
    rule(page, 106, 75, 335)
    lay(page, PRICES[1:3], XS, 140)
    lay(page, PRICES[3:], XS, 195)
    rule(page, 204, 75, 335)
    (table,) = read(save(document)).tables
    assert table.grid() == tuple(map(tuple, PRICES))


def spanning(page, *, rules: bool) -> None:
    put(page, 300, 100, "Sales", align=CENTRE)
    put(page, 460, 100, "Staff in all our offices", align=CENTRE)
    if rules:
        rule(page, 103, 255, 345)
        rule(page, 103, 415, 505)
    head = [["Region", "2022", "2023", "2022", "2023"]]
    body = [
        ["North", "1.5", "2.5", "11", "12"],
        ["South", "3.5", "4.5", "13", "14"],
        ["East", "5", "6", "7", "8"],
    ]
    lay(page, head + body, (80, 270, 340, 430, 500), 116)


@pytest.mark.parametrize("rules", [True, False])
def test_heads_that_span_columns(save, read, rules):
    document, page = blank()
    spanning(page, rules=rules)
    (table,) = read(save(document)).tables
    assert table.header_rows == 2
    assert table.grid()[:3] == (
        ("Region", "Sales", "Sales", "Staff in all our offices", "Staff in all our offices"),
        ("Region", "2022", "2023", "2022", "2023"),
        ("North", "1.5", "2.5", "11", "12"),
    )


def test_a_head_of_several_lines_is_one_cell(save, read):
    document, page = blank()
    put(page, 250, 76, "Price", align=RIGHT)
    put(page, 250, 87, "in euros", align=RIGHT)
    lay(page, [["Plan", "a month", "Seats"], *PRICES[1:]], XS, 98)
    (table,) = read(save(document)).tables
    assert table.header_rows == 1
    assert table.grid()[0] == ("Plan", "Price in euros a month", "Seats")


def test_a_label_that_goes_on_is_one_cell_and_a_group_is_a_row(save, read):
    rows = [
        ["Group", "Count", "Share"],
        ["Men", None, None],
        ["American Indian or Alaska", "12", "0.5"],
        ["   native", None, None],
        ["Hispanic", "15", "0.6"],
        ["Women", None, None],
        ["Hispanic", "17", "0.7"],
        ["Other", "19", "0.8"],
    ]
    document, page = blank()
    lay(page, rows[:3], (80, 230, 300), 100)
    put(page, 88, 138, "native")
    lay(page, rows[4:], (80, 230, 300), 152)
    (table,) = read(save(document)).tables
    assert [row[0] for row in table.grid()] == [
        "Group",
        "Men",
        "American Indian or Alaska native",
        "Hispanic",
        "Women",
        "Hispanic",
        "Other",
    ]


def test_footnote_marks_and_signs_of_money_make_no_columns(save, read):
    document, page = blank()
    rows = [
        ["Item", "2023", None],
        ["Fees", "107,000", "(1)"],
        ["Fares", "22,100", None],
        ["Food", "9", None],
    ]
    end = lay(page, [*rows, ["Rent", "1,200", None]], (80, 250, 262), 100, aligns=[LEFT, RIGHT, LEFT])
    put(page, 205, 114, "$")
    put(page, 205, end - 14, "$")
    (table,) = read(save(document)).tables
    assert [row[1:] for row in table.grid()] == [
        ("2023",),
        ("$ 107,000 (1)",),
        ("22,100",),
        ("9",),
        ("$ 1,200",),
    ]


def test_two_sides_of_a_figure_are_one_column(save, read):
    document, page = blank()
    rows = [["Dose", "Rate"], *[[f"{n} mg", f"0.{n}"] for n in range(1, 6)]]
    lay(page, rows, (80, 240), 100)
    for n in range(1, 6):
        put(page, 248, 100 + 14 * n, f"\u00b1 0.0{n}")
    (table,) = read(save(document)).tables
    assert table.grid()[1] == ("1 mg", "0.1 \u00b1 0.01")


def test_a_column_of_few_figures_is_a_column(save, read):
    rows = [["Town", "First", "Second", "Third"]]
    rows += [[f"Town {n}", f"{n}1", "7.5" if n == 4 else None, f"{n}3"] for n in range(9)]
    document, page = blank()
    lay(page, rows, (80, 240, 320, 400), 100)
    (table,) = read(save(document)).tables
    assert table.columns == 4
    assert table.grid()[5] == ("Town 4", "41", "7.5", "43")


def test_a_rule_between_columns_parts_a_label_from_figures(save, read):
    """Upright rules between groups of columns: white parts the columns of one group."""
    document, page = blank()
    rows = [["Age", "Total", "Age", "Total"]] + [
        [f"{n} years", f"{n},111", f"{n + 40} years", f"{n},222"] for n in range(1, 8)
    ]
    lay(page, rows, (80, 210, 240, 370), 100, aligns=[LEFT, RIGHT, LEFT, RIGHT])
    page.draw_rect((75, 88, 380, 205))
    page.draw_line((225, 88), (225, 205))
    rule(page, 106, 75, 380)
    (table,) = read(save(document)).tables
    assert table.grid()[:2] == (("Age", "Total", "Age", "Total"), ("1 years", "1,111", "41 years", "1,222"))


PROSE = "The quick brown fox jumps over the lazy dog and runs away through the wide wood while it rains. " * 9


def test_prose_in_two_columns_is_no_table(save, read):
    document, page = blank()
    page.insert_textbox((60, 80, 290, 400), PROSE, fontsize=10)
    page.insert_textbox((310, 80, 540, 400), PROSE[40:], fontsize=10)
    assert read(save(document)).tables == ()


def test_a_table_beside_prose_is_read_by_itself(save, read):
    document, page = blank()
    lay(page, [*PRICES, *PRICES[1:], *PRICES[1:]], (40, 160, 210), 100)
    page.insert_textbox((310, 80, 540, 400), PROSE, fontsize=10)
    (table,) = read(save(document)).tables
    assert (table.rows, table.columns) == (10, 3)
    assert table.box.x1 < 220


def test_a_head_under_a_paragraph_at_the_same_edge_keeps_its_first_cell(save, read):
    document, page = blank()
    page.insert_textbox((80, 40, 540, 130), PROSE[:300], fontsize=10)
    lay(page, PRICES, XS, 110)
    (table,) = read(save(document)).tables
    assert table.grid()[0] == ("Plan", "Price", "Seats")


def contents(page) -> None:
    for n, title in enumerate(
        ["Introduction", "How to install it", "Reading files", "What is stored", "Index"]
    ):
        put(page, 80, 100 + 16 * n, title)
        put(page, 400, 100 + 16 * n, str(3 + 11 * n), align=RIGHT)


def bullets(page) -> None:
    for n in range(6):
        put(page, 80, 100 + 14 * n, "\u2022")
        put(page, 100, 100 + 14 * n, f"Point {n} of the list")


def authors(page) -> None:
    rows = [["Ann Alder", "Bob Birch", "Cid Cedar"], ["Oak University", "Elm Institute", "Ash College"]]
    lay(
        page,
        [*rows, ["ann@oak.edu", "bob@elm.org", "cid@ash.edu"]],
        (150, 300, 450),
        100,
        aligns=[CENTRE] * 3,
    )


def axis(page) -> None:
    for n in range(5):
        put(page, 80, 100 + 30 * n, str(100 - 20 * n), align=RIGHT)
    for n in range(6):
        put(page, 110 + 40 * n, 250, str(2010 + n), align=CENTRE)
    put(page, 120, 268, "Figure 2. Sales by year")


def running(page) -> None:
    put(page, 80, 40, "42")
    put(page, 540, 40, "Annual report 2023", align=RIGHT)
    put(page, 80, 400, "A single line of text.")


@pytest.mark.parametrize("draw", [contents, bullets, authors, axis, running])
def test_what_stands_in_columns_and_is_no_table(save, read, draw):
    document, page = blank()
    draw(page)
    found = read(save(document))
    assert found.words
    assert found.tables == ()


def test_a_line_of_prose_between_two_tables_parts_them(save, read):
    document, page = blank()
    end = lay(page, PRICES, XS, 100)
    put(page, 80, end, "And these are the prices that we asked for the same plans in the year before:")
    lay(page, PRICES, XS, end + 14)
    assert [table.rows for table in read(save(document)).tables] == [4, 4]


def test_a_blank_row_parts_no_table(save, read):
    document, page = blank()
    end = lay(page, PRICES, XS, 100)
    lay(page, [["Total", "260.00", "110"], ["Mean", "86.67", "37"], ["Least", "10.00", "1"]], XS, end + 14)
    (table,) = read(save(document)).tables
    assert table.rows == 7


def test_words_stand_in_the_cells_boxes(save, read):
    document, page = blank()
    lay(page, PRICES, XS, 100)
    found = read(save(document))
    (table,) = found.tables
    for cell in table.cells:
        first = cell.text.split()[0]
        assert any(
            word.text == first and word.box.overlap(cell.box) > 0.99 * word.box.area for word in found.words
        )


def test_a_page_of_thousands_of_words_and_rules_is_done_soon(save, read):
    document, page = blank()
    shape = page.new_shape()
    for n in range(1500):
        shape.draw_line((10 + n % 300, 20 + n // 2), (200 + n % 300, 20 + n // 2))
    shape.finish(width=0.2)
    shape.commit()
    lay(
        page,
        [["1234"] * 36 for _ in range(110)],
        [10 + 16 * n for n in range(36)],
        20,
        aligns=[LEFT] * 36,
        pitch=7,
        size=5,
    )
    assert read(save(document)).seconds < ReadSettings().page_seconds  # else it would be given up


def test_labels_that_span_are_repeated_for_reading_and_once_for_the_index(save, read):
    document, page = blank()
    rows = [["Plan", "Price", "Seats"], ["For small firms", None, None], *PRICES[1:]]
    from .conftest import draw_grid

    draw_grid(page, rows, 80, 100)
    (table,) = read(save(document)).tables
    assert display_grid(table)[1] == ("For small firms",) * 3
    assert plain_grid(table)[1] == ("For small firms", "", "")


def test_prose_beside_a_table_and_below_both_is_no_column(save, read):
    document, page = blank()
    words = PROSE.split()
    for n in range(12):
        put(page, 60, 100 + 15 * n, " ".join(words[4 * n + 1 : 4 * n + 5]), size=11)
    page.insert_textbox((60, 275, 540, 400), PROSE[40:], fontsize=11)
    lay(page, [*PRICES, *PRICES[1:], *PRICES[1:]], (250, 400, 460), 104)
    (table,) = read(save(document)).tables
    assert table.columns == 3
    assert table.box.x0 == pytest.approx(250, abs=1)
