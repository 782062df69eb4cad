"""A quote is verified only when it stands on the page it names, digit for digit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drawn_evidence import PIECE, evidence, page_words, quote

from mmrag.answer.citations import check
from mmrag.answer.quotes import find, normalise
from mmrag.records import (
    Box,
    Cell,
    Evidence,
    Quote,
    Table,
)


@pytest.mark.parametrize(
    "text",
    [
        "Revenue rose by 12.5 % to 1,240 million",
        "revenue rose by 12.5%",
        "1,240 million in 2024",
        "\u201cRevenue rose\u201d",
        "-3 in 2023.",
    ],
)
def test_verified(text: str) -> None:
    citation = check(quote(text), {"E1": PIECE})
    assert (citation.verified, citation.reason) == (True, "")
    assert (citation.name, citation.page) == ("report.pdf", 3)


@pytest.mark.parametrize(
    "text",
    [
        "Revenue rose by 125 %",
        "Revenue rose by 1.25 %",
        "1240 million",
        "3 in 2023",
        "Revenue fell",
        "to 1,240 thousand",
        "evenue rose",
        "Revenue ro",
    ],
)
def test_not_verified(text: str) -> None:
    citation = check(quote(text), {"E1": PIECE})
    assert not citation.verified
    assert "does not stand on the page" in citation.reason


def test_evidence_that_was_not_supplied() -> None:
    citation = check(quote("Revenue rose", name="E2"), {"E1": PIECE})
    assert (citation.verified, citation.reason) == (False, "E2 was not among the evidence")


def test_an_empty_quote() -> None:
    assert check(quote(" ... "), {"E1": PIECE}).reason == "the quote is empty"


def test_the_boxes_are_the_page_s_own_one_a_line() -> None:
    citation = check(quote("to 1,240 million"), {"E1": PIECE})
    assert citation.boxes == (Box(200, 0, 238, 12), Box(0, 20, 78, 32))


def test_the_quote_is_looked_for_where_the_answerer_saw_it() -> None:
    piece = evidence("total 5", "costs 7", "total 5")
    assert check(quote("total 5", [Box(0, 40, 80, 52)]), {"E1": piece}).boxes == (Box(0, 40, 78, 52),)
    assert check(quote("total 5"), {"E1": piece}).boxes == (Box(0, 0, 78, 12),)
    # A box that is wrong does not make the quote false; the words say where it stands.
    assert check(quote("costs 7", [Box(0, 0, 80, 12)]), {"E1": piece}).boxes == (Box(0, 20, 78, 32),)


def test_the_cells_of_a_row_are_checked_one_by_one() -> None:
    piece = evidence("Hjelm - Sandvik 06:10 22:45", "Sandvik - Orsta 07:00 19:30")
    row = [Box(0, 0, 300, 12)]
    whole = check(quote("Hjelm - Sandvik | 06:10 | 22:45", row), {"E1": piece})
    assert (whole.verified, whole.boxes) == (True, (Box(0, 0, 198, 12),))
    assert check(quote("Hjelm - Sandvik |  | 22:45", row), {"E1": piece}).verified
    assert not check(quote("Hjelm - Sandvik | 06:10 | 22:54", row), {"E1": piece}).verified


@pytest.mark.parametrize("row", ["Paris | 40 | 30", "Paris | 30 | 30", "30 | Paris | 40", "Paris | 40 | 40"])
def test_cells_stand_from_left_to_right_each_once(row: str) -> None:
    piece = evidence("Paris 30 40")
    assert check(quote("Paris | 30 | 40"), {"E1": piece}).verified
    assert not check(quote(row), {"E1": piece}).verified


def test_the_header_of_a_row_is_checked() -> None:
    cells = tuple(
        Cell(text, row, column, Box(40.0 * column, 20.0 * row, 40.0 * column + 38, 20.0 * row + 12))
        for row, line in enumerate((("City", "Rain"), ("Paris", "30")))
        for column, text in enumerate(line)
    )
    piece = evidence("City Rain", "Paris 30")
    piece = replace(
        piece, page=replace(piece.page, tables=(Table(cells, 2, 2, 1, Box(0, 0, 80, 32), "Table 1"),))
    )
    held = Quote("E1", "Paris | 30", (), 1.0, heading="Table 1\nCity | Rain")
    assert check(held, {"E1": piece}).verified
    wrong = check(replace(held, heading="Table 1\nCity | Sun"), {"E1": piece})
    assert (wrong.verified, wrong.reason) == (
        False,
        "'Table 1\\nCity | Sun' is the header of no table on the page",
    )


def ferries() -> Evidence:
    """A table whose second cell spans two columns in one row and stands on two lines in another."""
    piece = evidence("Line Route Trips Fare", "D2 Hjelm 3,285 64", "D3 by Orsta 61", "ferry")
    words = {word.text: word for word in piece.page.words}
    words["ferry"] = replace(words["ferry"], box=Box(40, 60, 78, 72))

    def around(*texts: str) -> Box:
        boxes = [words[text].box for text in texts]
        return Box(
            min(b.x0 for b in boxes) - 1,
            min(b.y0 for b in boxes) - 1,
            max(b.x1 for b in boxes) + 1,
            max(b.y1 for b in boxes) + 1,
        )

    cells = (
        *(Cell(text, 0, at, around(text)) for at, text in enumerate(("Line", "Route", "Trips", "Fare"))),
        *(Cell(text, 1, at, around(text)) for at, text in enumerate(("D2", "Hjelm", "3,285", "64"))),
        Cell("D3", 2, 0, around("D3")),
        Cell("by ferry", 2, 1, around("by", "ferry")),
        Cell("Orsta", 2, 2, around("Orsta")),
        Cell("61", 2, 3, around("61")),
    )
    table = Table(cells, 3, 4, 1, Box(0, 0, 200, 80), "Table 1")
    return replace(piece, page=replace(piece.page, words=tuple(words.values()), tables=(table,)))


HEAD = "Table 1\nLine | Route | Trips | Fare"


@pytest.mark.parametrize("text", ["D2 | Hjelm | 3,285 | 64", "D3 | by ferry | Orsta | 61"])
@pytest.mark.parametrize("heading", [HEAD, "Line | Route | Trips | Fare", "Table 1", ""])
def test_a_row_of_a_table(text: str, heading: str) -> None:
    citation = check(Quote("E1", text, (), 1.0, heading=heading), {"E1": ferries()})
    assert (citation.verified, citation.reason, len(citation.boxes)) == (True, "", 1)


@pytest.mark.parametrize(
    "text",
    [
        "D2 | Hjelm | 64 | ",
        "D2 | Hjelm |  | 64",
        "D2 | Hjelm | 64",
        "D2 | 3,285 | Hjelm | 64",
        "64",
        "D2 | Hjelm | 3,285 | 61",
    ],
)
def test_cells_that_slipped_into_other_columns_are_not_verified(text: str) -> None:
    citation = check(Quote("E1", text, (), 1.0, heading=HEAD), {"E1": ferries()})
    assert not citation.verified
    assert "is no row of that table" in citation.reason


def test_a_number_under_a_header_of_its_own_making() -> None:
    citation = check(Quote("E1", "64", (), 1.0, heading="Deaths"), {"E1": ferries()})
    assert citation.reason == "'Deaths' is the header of no table on the page"


def test_a_cell_that_spans_columns() -> None:
    piece = evidence("Total 30")
    cells = (Cell("Total", 0, 0, Box(0, 0, 39, 12), column_span=2), Cell("30", 0, 2, Box(39, 0, 80, 12)))
    table = Table(cells, 1, 3, 0, Box(0, 0, 80, 12), "Table 1")
    piece = replace(piece, page=replace(piece.page, tables=(table,)))
    assert check(Quote("E1", "Total | Total | 30", (), 1.0, heading="Table 1"), {"E1": piece}).verified


def test_a_cell_of_another_row_does_not_verify_this_one() -> None:
    piece = evidence("Hjelm 06:10", "Sandvik 07:00")
    citation = check(quote("Hjelm | 07:00", [Box(0, 0, 300, 12)]), {"E1": piece})
    assert not citation.verified


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("R\u00e9sum\u00e9, \uff12\uff10\uff12\uff14", "r\u00e9sum\u00e92024"),
        ("\u22123.5 %", "-3.5%"),
        ("a-b (c)", "abc"),
        ("3\u20135", "3-5"),
        ("(7)", "(7)"),
        ("in (2024", "in2024"),
        ("10\u00b2", "10\u00b2"),
        ("2 024", "2024"),
        ("20 24", "20 24"),
        ("- 5", "-5"),
        ("so - well", "sowell"),
        ("\ufb01ve", "five"),
        ("1,000.", "1,000"),
        ("$5", "$5"),
    ],
)
def test_normalise(text: str, kept: str) -> None:
    assert normalise(text) == kept


def test_words_may_be_cut_differently() -> None:
    assert [word.text for word in find("2024", page_words("in 2 024 and"))] == ["2", "024"]
    assert [word.text for word in find("carry-forward", page_words("to carry- forward it"))] == [
        "carry-",
        "forward",
    ]


@pytest.mark.parametrize(
    ("says", "page"),
    [
        ("35 days", "3-5 days"),
        ("35 days", "3\u20135 days"),
        ("12 cup", "1/2 cup"),
        ("212 cups", "2\u00bd cups"),
        ("102 m", "10\u00b2 m"),
        ("1030", "10:30"),
        ("201920", "2019/20"),
        ("p > 5", "p < 5"),
        ("5e3", "5e-3"),
        ("5 million", "- 5 million"),
        ("rose 5 million", "rose - 5 million"),
        ("7 million", "(7) million"),
        ("125 apples", "12 5 apples"),
        ("15 apples", "1. 5 apples"),
        ("1.5 apples", "15 apples"),
    ],
)
def test_a_number_that_is_another_is_not_verified(says: str, page: str) -> None:
    words = tuple(
        replace(word, box=Box(w0 * 12.0, 0, w0 * 12.0 + 9, 12)) for w0, word in enumerate(page_words(page))
    )
    piece = evidence("x")
    piece = replace(piece, page=replace(piece.page, words=words))
    assert not check(quote(says), {"E1": piece}).verified
    assert check(quote(page), {"E1": piece}).verified
