"""Tables that lie on their side on an upright page."""

from __future__ import annotations

import pymupdf
import pytest

from mmrag.ingest.tables.turned import Turn, lying_words, turn_of
from mmrag.records import Box, Word, WordSource

ROWS = [
    ["Region", "Sales", "Costs", "Staff"],
    ["North", "1,200", "300", "12"],
    ["South", "2,400", "500", "15"],
    ["East side", "900", "120", "7"],
]


def lying(turn: int, *, ruled: bool) -> pymupdf.Document:
    """A table whose text runs up the page (90) or down (270), under a line that stands upright."""
    document = pymupdf.open()
    page = document.new_page(width=600, height=800)
    page.insert_text((72, 60), "A heading that stands upright on the page", fontsize=11)
    for r, row in enumerate(ROWS):
        for c, text in enumerate(row):
            x, y = (150 + 20 * r, 700 - 120 * c) if turn == 90 else (400 - 20 * r, 150 + 120 * c)
            page.insert_text((x, y), text, fontsize=10, rotate=turn)
            if ruled and turn == 90:
                page.draw_rect((x - 14, y - 115, x + 6, y + 5))
            elif ruled:
                page.draw_rect((x - 6, y - 5, x + 14, y + 115))
    return document


@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize("turn", [90, 270])
def test_a_table_on_its_side_is_read_as_it_is_meant(save, read, turn, ruled):
    page = read(save(lying(turn, ruled=ruled)))
    (table,) = page.tables
    assert table.grid() == tuple(map(tuple, ROWS))
    assert table.header_rows == 1


@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize("turn", [90, 270])
def test_its_cells_lie_on_their_words(save, read, turn, ruled):
    page = read(save(lying(turn, ruled=ruled)))
    (table,) = page.tables
    for cell in table.cells:
        word = next(w for w in page.words if w.text == cell.text.split()[0])
        assert word.box.overlap(cell.box) > 0.95 * word.box.area


def test_an_upright_table_beside_is_found_too(save, read):
    document = lying(90, ruled=False)
    for r, row in enumerate(
        [["Plan", "Price", "Seats"], ["a", "1.5", "2"], ["b", "3.5", "4"], ["c", "5.5", "6"]]
    ):
        for c, text in enumerate(row):
            document[0].insert_text((320 + 70 * c, 400 + 14 * r), text, fontsize=9)
    tables = read(save(document)).tables
    assert sorted(table.grid()[0] for table in tables) == [("Plan", "Price", "Seats"), tuple(ROWS[0])]


def word(text: str, x: float, y: float, width: float, height: float, line: int) -> Word:
    return Word(text, Box(x, y, x + width, y + height), WordSource.TEXT_LAYER, line, 0, 10)


UP = [word("second", 10, 50, 12, 30, 0), word("first", 10, 20, 12, 25, 0), word("7", 10, 10, 12, 6, 1)]


def test_words_taller_than_wide_lie_and_short_ones_go_with_them():
    assert lying_words(UP) == {0, 1, 2}
    assert lying_words([word("Ill", 0, 0, 9, 12, 0), word("upright", 20, 0, 30, 12, 1)]) == frozenset()


def test_the_order_of_words_tells_which_way_they_run():
    assert turn_of(UP, frozenset({0, 1})).clockwise
    assert not turn_of([UP[1], UP[0]], frozenset({0, 1})).clockwise


@pytest.mark.parametrize("clockwise", [True, False])
def test_a_turn_comes_back(clockwise):
    turn = Turn(clockwise, 800)
    box = Box(10, 20, 40, 90)
    turned = turn.box(box)
    assert (turned.x1 - turned.x0, turned.y1 - turned.y0) == (70, 30)
    assert turn.back(turned) == box
