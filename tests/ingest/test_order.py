"""Reading order of text layers: kept where it is sound, mended where it is plainly wrong."""

from __future__ import annotations

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmrag.ingest.pages.words import text_words
from mmrag.ingest.text.lines import page_lines
from mmrag.ingest.text.order import reading_order
from mmrag.records import Box, Word, WordSource

LEFT = [f"left line {i} goes on and on in words" for i in range(8)]
RIGHT = [f"right line {i} goes on and on in words" for i in range(8)]


def drawn(*texts: tuple[float, float, str], size: float = 10) -> list[str]:
    """The lines of a page in reading order; each text is drawn at (x, baseline) in the given order."""
    document = pymupdf.open()
    page = document.new_page()
    for x, y, text in texts:
        page.insert_text((x, y), text, fontsize=size)
    return [line.text for line in page_lines(reading_order(text_words(page)))]


def column(texts: list[str], x: float, y: float = 150) -> list[tuple[float, float, str]]:
    return [(x, y + 13 * i, text) for i, text in enumerate(texts)]


def test_columns_drawn_one_after_the_other_stay():
    assert drawn(*column(LEFT, 72), *column(RIGHT, 310)) == [*LEFT, *RIGHT]


def test_columns_drawn_in_turns_are_read_one_after_the_other():
    turns = [text for pair in zip(column(LEFT, 72), column(RIGHT, 310), strict=True) for text in pair]
    assert drawn(*turns) == [*LEFT, *RIGHT]


def test_columns_drawn_in_turns_are_blocks_of_their_own():
    document = pymupdf.open()
    page = document.new_page()
    for left, right in zip(column(LEFT, 72), column(RIGHT, 310), strict=True):
        page.insert_text(left[:2], left[2], fontsize=10)
        page.insert_text(right[:2], right[2], fontsize=10)
    blocks = [line.block for line in page_lines(reading_order(text_words(page)))]
    assert blocks == [0] * 8 + [1] * 8


def test_the_right_column_drawn_first_is_read_second():
    assert drawn(*column(RIGHT, 310), *column(LEFT, 72)) == [*LEFT, *RIGHT]


def test_a_footer_drawn_first_and_a_title_drawn_last_find_their_places():
    body = column(LEFT, 72)
    assert drawn((72, 800, "foot of the page"), *body, (72, 80, "Title")) == [
        "Title",
        *LEFT,
        "foot of the page",
    ]


def test_paragraphs_drawn_upwards_are_read_downwards():
    blocks = [column(LEFT[i : i + 2], 72, 150 + 60 * i) for i in (6, 4, 2, 0)]
    assert drawn(*(text for block in blocks for text in block)) == LEFT


def test_a_table_drawn_row_by_row_stays_so():
    rows = [(f"Name {i}", f"{i}.50", f"{i}.75") for i in range(6)]
    cells = [(72 + 110 * c, 100 + 15 * r, text) for r, row in enumerate(rows) for c, text in enumerate(row)]
    assert drawn(*cells) == [text for row in rows for text in row]


def test_cells_of_a_row_drawn_from_the_right_are_read_from_the_left():
    cells = [
        (x, 100 + 15 * r, f"{name}{r}") for r in range(3) for x, name in ((300, "c"), (200, "b"), (72, "a"))
    ]
    assert drawn(*cells) == ["a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2"]


def test_text_standing_on_its_side_keeps_to_itself():
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 800), "foot of the page", fontsize=8)
    page.insert_text((30, 500), "stamped along the margin", fontsize=12, rotate=90)
    for x, y, text in column(LEFT, 72):
        page.insert_text((x, y), text, fontsize=10)
    lines = page_lines(reading_order(text_words(page)))
    assert [line.text for line in lines] == [*LEFT, "foot of the page", "stamped along the margin"]
    assert lines[-1].block not in {line.block for line in lines[:-1]}


def word(text: str, x: float, y: float, line: int, block: int = 0) -> Word:
    return Word(text, Box(x, y, x + 6 * len(text), y + 10), WordSource.TEXT_LAYER, line, block, 10)


def test_lines_and_blocks_are_counted_from_nought():
    ordered = reading_order([word("a", 10, 10, 7, 3), word("b", 30, 10, 7, 3), word("c", 10, 100, 9, 5)])
    assert [(w.text, w.line, w.block) for w in ordered] == [("a", 0, 0), ("b", 0, 0), ("c", 1, 1)]


def test_no_words_have_no_order():
    assert reading_order([]) == ()


def test_columns_of_a_right_to_left_page_are_read_from_the_right():
    right = [word("שלום", 300, 20 * i, i, 0) for i in range(3)]
    rows = [[word("אחד", 100, 20 * i, 2 * i), word("שתיים", 300, 20 * i, 2 * i + 1)] for i in range(3)]
    assert [w.text for w in reading_order(right)] == ["שלום"] * 3
    assert [w.text for w in reading_order([w for row in rows for w in row])] == ["שתיים", "אחד"] * 3


@given(
    st.lists(
        st.tuples(st.integers(0, 500), st.integers(0, 700), st.integers(1, 200), st.integers(1, 40)),
        max_size=40,
    )
)
def test_no_word_is_lost_or_doubled(places):
    words = [
        Word(f"w{i}", Box(x, y, x + w, y + h), WordSource.TEXT_LAYER, i, i // 3, 10)
        for i, (x, y, w, h) in enumerate(places)
    ]
    ordered = reading_order(words)
    assert sorted(w.text for w in ordered) == sorted(w.text for w in words)
    assert [w.line for w in ordered] == sorted(w.line for w in ordered)


@pytest.mark.parametrize("size", [4, 10, 30])
def test_the_size_of_print_does_not_matter(size):
    scale = size / 10
    document = pymupdf.open()
    page = document.new_page(width=600 * scale, height=850 * scale)
    for left, right in zip(column(LEFT, 72), column(RIGHT, 310), strict=True):
        for x, y, text in (left, right):
            page.insert_text((x * scale, y * scale), text, fontsize=size)
    assert [line.text for line in page_lines(reading_order(text_words(page)))] == [*LEFT, *RIGHT]
