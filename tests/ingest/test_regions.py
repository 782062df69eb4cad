"""Pictures that hold text the layer lacks are read, and only these."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest

from mmrag.ingest.pages import ocr, regions
from mmrag.ingest.pages.graphics import Picture
from mmrag.records import Box, Word, WordSource

PROSE = [f"Line {number} of the prose that stands on this page" for number in range(6)]
CHART = ["Grain 48,300", "Timber 12,750"]


def picture_of(lines: list[str], *, size: float = 20) -> pymupdf.Pixmap:
    document = pymupdf.open()
    page = document.new_page(width=260, height=40 + 40 * len(lines))
    page.draw_rect(page.rect, fill=(0.95, 0.95, 0.8))
    for number, line in enumerate(lines):
        page.insert_text((30, 45 + 40 * number), line, fontsize=size)
    return page.get_pixmap(matrix=pymupdf.Matrix(2, 2), alpha=False)


def page_with(picture: pymupdf.Pixmap, *, copies: int = 1, pages: int = 1) -> pymupdf.Document:
    document = pymupdf.open()
    for _ in range(pages):
        page = document.new_page()
        for number, line in enumerate(PROSE):
            page.insert_text((72, (80 if number < 3 else 480) + 20 * number), line, fontsize=11)
        for copy in range(copies):
            page.insert_image((72 + 220 * copy, 180, 272 + 220 * copy, 280), pixmap=picture)
    return document


@pytest.fixture
def readings(monkeypatch):
    """How often OCR was asked."""
    regions._read.clear()
    calls = []
    plain = ocr.read

    def counted(pixels, zoom, keep):
        calls.append(pixels.shape)
        return plain(pixels, zoom, keep)

    monkeypatch.setattr(ocr, "read", counted)
    return calls


def test_text_of_a_picture_stands_at_its_place_among_the_words(save, read, readings):
    page = read(save(page_with(picture_of(CHART))))
    told = " ".join(w.text for w in page.words)
    assert told == " ".join([*PROSE[:3], *CHART, *PROSE[3:]])
    words = [w for w in page.words if w.source is WordSource.OCR]
    assert [w.text for w in words] == ["Grain", "48,300", "Timber", "12,750"]
    assert all(72 <= w.box.x0 < w.box.x1 <= 272 and 180 <= w.box.y0 < w.box.y1 <= 280 for w in words)
    assert [w.line for w in words] == [3, 3, 4, 4]
    assert sorted({w.line for w in page.words}) == list(range(8))
    assert page.notes == ("text in 1 picture was read by OCR",)
    assert len(readings) == 1


def test_the_same_picture_is_read_once(save, read, readings):
    path = save(page_with(picture_of(CHART), pages=3))
    pages = [read(path, number) for number in (1, 2, 3)]
    assert len(readings) == 1
    assert pages[0].words == pages[1].words == pages[2].words


def test_a_photograph_adds_nothing(save, read, readings):
    noise = np.random.default_rng(3).integers(90, 160, (120, 240, 3), dtype=np.uint8)
    page = read(save(page_with(pymupdf.Pixmap(pymupdf.csRGB, 240, 120, noise.tobytes(), False))))
    assert " ".join(w.text for w in page.words) == " ".join(PROSE)
    assert (page.ocr, page.notes, len(readings)) == (False, (), 1)


def test_ocr_off_reads_no_pictures(save, read, readings):
    page = read(save(page_with(picture_of(CHART))), ocr="off")
    assert (page.ocr, readings) == (False, [])


def test_a_picture_on_a_turned_page_is_read_and_placed(save, read, readings):
    document = page_with(picture_of(CHART))
    document[0].set_rotation(90)
    page = read(save(document))
    words = [w for w in page.words if w.source is WordSource.OCR]
    assert {w.text for w in words} == {"Grain", "48,300", "Timber", "12,750"}
    width = 842
    assert all(width - 280 <= w.box.x0 < w.box.x1 <= width - 180 and 72 <= w.box.y0 <= 272 for w in words)


def word(x: float, y: float, block: int = 0, line: int = 0) -> Word:
    return Word("word", Box(x, y, x + 20, y + 10), WordSource.TEXT_LAYER, line, block, 10)


def chosen(*pictures: Box, words: list[Word] | None = None) -> list[Box]:
    placed = [Picture(box, 2.0) for box in pictures]
    return [region.box for region in regions.find_regions(placed, words or [], 600, 800)]


def test_icons_rules_and_the_page_itself_are_no_regions():
    assert chosen(Box(0, 0, 40, 40), Box(0, 100, 600, 110), Box(0, 0, 600, 800)) == []
    assert chosen(Box(100, 100, 300, 200)) == [Box(100, 100, 300, 200)]


def test_a_picture_with_words_of_the_layer_is_no_region():
    assert chosen(Box(100, 100, 300, 200), words=[word(120 + 30 * i, 120) for i in range(4)]) == []
    assert len(chosen(Box(100, 100, 300, 200), words=[word(120 + 30 * i, 120) for i in range(3)])) == 1


def test_strips_of_one_picture_are_one_region():
    strips = [Box(100, 100 + 12 * i, 400, 112 + 12 * i) for i in range(10)]
    assert chosen(*strips) == [Box(100, 100, 400, 220)]


def test_too_many_pixels_are_left_and_counted(monkeypatch):
    monkeypatch.setattr(regions, "MOST_PIXELS", 50_000)
    monkeypatch.setattr(ocr, "read", lambda *_: ())
    seen = []

    def look(box, zoom):
        seen.append(box)
        return np.zeros((10, 10, 3), dtype=np.uint8)

    small, large = Picture(Box(0, 0, 100, 100), 1.0), Picture(Box(0, 200, 150, 350), 1.0)
    found, left = regions.read_regions([small, large], look, 1.0)
    assert (found, left, seen) == ([], 0, [large.box, small.box])
    _, left = regions.read_regions([small, large], look, 1.3)
    assert left == 1


def test_a_picture_goes_after_the_column_above_it():
    words = [word(50, 50, 0, 0), word(350, 50, 1, 1), word(50, 400, 2, 2), word(350, 400, 3, 3)]
    read_there = Word("told", Box(360, 200, 380, 210), WordSource.OCR, 0, 0, 10)
    merged = regions.insert(words, [(Box(340, 150, 500, 300), (read_there,))])
    assert [(w.text, w.box.x0, w.line, w.block) for w in merged] == [
        ("word", 50, 0, 0),
        ("word", 350, 1, 1),
        ("told", 360, 2, 2),
        ("word", 50, 3, 3),
        ("word", 350, 4, 4),
    ]


def test_what_the_layer_has_already_is_not_added_again():
    label = word(100, 100)
    again = Word("word", Box(101, 100, 121, 111), WordSource.OCR, 0, 0, 10)
    fresh = Word("fresh", Box(140, 100, 170, 111), WordSource.OCR, 0, 0, 10)
    merged = regions.insert([label], [(Box(90, 90, 300, 300), (again, fresh))])
    assert sorted(w.text for w in merged) == ["fresh", "word"]
    assert regions.insert([label], [(Box(90, 90, 300, 300), (again,))]) == (label,)
