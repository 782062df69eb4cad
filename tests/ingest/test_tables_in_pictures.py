"""Tables on scans: words as OCR gives them, rules as the picture shows them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pymupdf
import pytest

from mmrag.ingest.pages.graphics import page_graphics
from mmrag.ingest.pages.words import text_words
from mmrag.ingest.tables.finding import find_tables, find_tables_in_picture
from mmrag.ingest.text.lines import page_lines
from mmrag.records import WordSource

from .conftest import as_picture, draw_grid
from .test_unruled import PRICES, XS, blank, lay, rule

WIDE = [["Item", "Notes"], ["Lamp", "two white bulbs"], ["Desk", "oak, old"], ["Both together", None]]


def seen(page: pymupdf.Page, zoom: float = 2.0, points: float = 1.0):
    """Tables of a drawn page as a picture; ``points`` of the picture's own scale to one of the page."""
    words = [
        replace(
            word,
            box=word.box.__class__(*(value * points for value in word.box)),
            size=(word.box.y1 - word.box.y0) * points,
            source=WordSource.OCR,
        )
        for word in text_words(page)
    ]
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False)
    pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)
    tables, note = find_tables_in_picture(words, page_lines(words), pixels, zoom / points)
    assert note == ""
    return tables


@pytest.mark.parametrize("points", [1.0, 0.4])
def test_a_table_with_three_rules_at_any_resolution(points):
    _, page = blank()
    rule(page, 88, 75, 335)
    lay(page, PRICES, XS, 100)
    rule(page, 106, 75, 335)
    rule(page, 150, 75, 335)
    (table,) = seen(page, points=points)
    assert table.grid() == tuple(map(tuple, PRICES))
    assert table.header_rows == 1
    assert table.box == pytest.approx([v * points for v in (80, 90, 330, 145)], abs=4)


def test_a_ruled_table_of_texts_with_a_cell_over_two_columns():
    _, page = blank()
    draw_grid(page, WIDE, 80, 100)
    (table,) = seen(page)
    assert table.grid()[1:] == (("Lamp", "two white bulbs"), ("Desk", "oak, old"), ("Both together",) * 2)


def test_labels_outside_the_rules_belong_to_the_table():
    _, page = blank()
    rows = [["Year", "Sold", "Left"], *[[f"Label {n}", f"{n}1.5", f"{n}2.5"] for n in range(1, 6)]]
    draw_grid(page, [row[1:] for row in rows], 150, 100, width=60)
    for n, row in enumerate(rows):
        page.insert_text((95, 114 + 20 * n), row[0], fontsize=9)
    (table,) = seen(page)
    assert table.columns == 3
    assert table.grid()[3] == ("Label 3", "31.5", "32.5")


def test_no_words_no_tables():
    assert seen(blank()[1]) == ()


def test_a_scan_with_a_text_layer_shows_its_rules_in_its_pixels():
    drawn, page = blank()
    draw_grid(page, WIDE, 80, 100)
    scanned = as_picture(drawn)
    for word in text_words(page):
        scanned[0].insert_text((word.box.x0, word.box.y1 - 3), word.text, fontsize=9, render_mode=3)
    pixmap = scanned[0].get_pixmap(matrix=pymupdf.Matrix(2, 2), alpha=False)
    pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)
    words = text_words(scanned[0])
    args = scanned[0], words, page_lines(words), page_graphics(scanned[0])
    ((table,), _) = find_tables(*args, pixels, 2.0)
    assert table.grid()[3] == ("Both together",) * 2
    assert table.box == pytest.approx((80, 100, 260, 180), abs=2)
